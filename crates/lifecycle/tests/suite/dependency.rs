//! Blockers and cycles.

use std::collections::BTreeSet;

use chorus_lifecycle::{
    dependency::{EdgeProblem, RefusedEdge, blockers, check_edges, find_cycle},
    task::TaskStatus,
};
use proptest::{collection::vec, prelude::*};

#[test]
fn a_task_is_blocked_by_what_is_neither_done_nor_closed() {
    let all = TaskStatus::ALL.map(|status| (status.as_str(), status));
    assert_eq!(blockers(all), ["open", "assigned", "in_progress", "to_verify"]);
    assert!(blockers::<u8>([]).is_empty());
}

#[test]
fn a_graph_without_a_cycle_has_none() {
    assert_eq!(find_cycle::<u8>([]), None);
    assert_eq!(find_cycle([(1, 2), (1, 3), (2, 4), (3, 4)]), None);
}

#[test]
fn a_cycle_is_named_from_its_smallest_member_on() {
    assert_eq!(find_cycle([(5, 5)]), Some(vec![5]));
    assert_eq!(find_cycle([(3, 1), (2, 3), (1, 2)]), Some(vec![1, 2, 3]));
    assert_eq!(find_cycle([(0, 7), (7, 4), (4, 9), (9, 7), (9, 8)]), Some(vec![4, 9, 7]));
}

#[test]
fn ten_thousand_tasks_in_a_row_are_no_problem() {
    let chain = (0..10_000).map(|n| (n, n + 1));
    assert_eq!(find_cycle(chain.clone()), None);
    assert_eq!(find_cycle(chain.clone().chain([(10_000, 0)])).map(|cycle| cycle.len()), Some(10_001));
    let refused = check_edges(chain, &[(10_000, 0)]).unwrap_err();
    let expected = std::iter::once(10_000).chain(0..10_000).collect();
    assert_eq!(refused, [RefusedEdge { index: 0, reason: EdgeProblem::Cycle(expected) }]);
}

#[test]
fn duplicates_and_known_edges_are_merged() {
    assert_eq!(check_edges([(1, 2)], &[(1, 2), (1, 3), (1, 3), (2, 3)]), Ok(vec![(1, 3), (2, 3)]));
}

#[test]
fn of_two_tasks_that_name_each_other_the_second_edge_is_refused() {
    let refused = check_edges([], &[(1, 2), (2, 1)]).unwrap_err();
    assert_eq!(refused, [RefusedEdge { index: 1, reason: EdgeProblem::Cycle(vec![2, 1]) }]);
}

#[test]
fn every_problem_is_reported_with_its_index() {
    let refused = check_edges([(1, 2), (2, 3)], &[(4, 4), (4, 1), (3, 1), (3, 4)]).unwrap_err();
    let cycle = |tasks: &[i32]| EdgeProblem::Cycle(tasks.to_vec());
    assert_eq!(
        refused,
        [
            RefusedEdge { index: 0, reason: EdgeProblem::Itself },
            RefusedEdge { index: 2, reason: cycle(&[3, 1, 2]) },
            RefusedEdge { index: 3, reason: cycle(&[3, 4, 1, 2]) },
        ]
    );
    assert_eq!(EdgeProblem::<u8>::Itself.to_string(), "a task cannot depend on itself");
    assert_eq!(cycle(&[3, 1, 2]).to_string(), "tasks would wait for each other: 3 -> 1 -> 2 -> 3");
}

#[test]
fn a_cycle_that_is_stored_already_refuses_nothing_else() {
    assert_eq!(check_edges([(1, 2), (2, 1)], &[(3, 1), (2, 4)]), Ok(vec![(3, 1), (2, 4)]));
}

/// Whether an edge or more lead from `from` to `to`, by trying all.
fn reaches(edges: &[(u8, u8)], from: u8, to: u8) -> bool {
    let mut reached = BTreeSet::new();
    for _ in 0..=edges.len() {
        for &(a, b) in edges {
            if a == from || reached.contains(&a) {
                reached.insert(b);
            }
        }
    }
    reached.contains(&to)
}

fn is_cycle(edges: &[(u8, u8)], cycle: &[u8]) -> bool {
    let distinct = cycle.iter().collect::<BTreeSet<_>>().len() == cycle.len();
    let onward = cycle.iter().cycle().skip(1);
    !cycle.is_empty() && distinct && cycle.iter().zip(onward).all(|(a, b)| edges.contains(&(*a, *b)))
}

proptest! {
    #[test]
    fn a_cycle_is_found_exactly_where_something_reaches_itself(edges in vec((0u8..8, 0u8..8), 0..14)) {
        let exists = (0..8).any(|task| reaches(&edges, task, task));
        match find_cycle(edges.iter().copied()) {
            Some(cycle) => prop_assert!(exists && is_cycle(&edges, &cycle), "{cycle:?}"),
            None => prop_assert!(!exists),
        }
    }

    #[test]
    fn the_cycle_found_does_not_depend_on_the_order_of_edges(
        (edges, shuffled) in vec((0u8..8, 0u8..8), 0..14)
            .prop_flat_map(|edges| (Just(edges.clone()), Just(edges).prop_shuffle()))
    ) {
        prop_assert_eq!(find_cycle(edges), find_cycle(shuffled));
    }

    #[test]
    fn an_edge_is_refused_exactly_where_its_prerequisite_reaches_its_task(
        existing in vec((0u8..7, 0u8..7), 0..8),
        added in vec((0u8..7, 0u8..7), 0..8),
    ) {
        let mut graph = existing.clone();
        let (mut new, mut refused) = (Vec::new(), Vec::new());
        for (index, &(task, prerequisite)) in added.iter().enumerate() {
            if task == prerequisite {
                refused.push(index);
            } else if graph.contains(&(task, prerequisite)) {
            } else if reaches(&graph, prerequisite, task) {
                refused.push(index);
            } else {
                graph.push((task, prerequisite));
                new.push((task, prerequisite));
            }
        }
        match check_edges(existing, &added) {
            Ok(found) => {
                prop_assert_eq!(refused, Vec::<usize>::new());
                prop_assert_eq!(found, new);
            }
            Err(problems) => {
                prop_assert_eq!(problems.iter().map(|p| p.index).collect::<Vec<_>>(), refused);
                for RefusedEdge { index, reason } in problems {
                    let edge = added.get(index).copied().unwrap();
                    match reason {
                        EdgeProblem::Itself => prop_assert_eq!(edge.0, edge.1),
                        EdgeProblem::Cycle(cycle) => {
                            prop_assert!(cycle.starts_with(&[edge.0, edge.1]), "{:?}", cycle);
                            graph.push(edge);
                            prop_assert!(is_cycle(&graph, &cycle), "{:?}", cycle);
                            graph.pop();
                        }
                    }
                }
            }
        }
    }
}
