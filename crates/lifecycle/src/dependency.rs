//! Dependencies between tasks: what blocks, and what must not be added
//! (lifecycle specification §6.4).
//!
//! An edge is a pair: a task, and a prerequisite that it depends on.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    error::Error,
    fmt,
};

use crate::task::TaskStatus;

/// The prerequisites that keep a task from starting: those neither done nor
/// closed, in the order given.
pub fn blockers<T>(prerequisites: impl IntoIterator<Item = (T, TaskStatus)>) -> Vec<T> {
    prerequisites.into_iter().filter(|(_, status)| !status.resolves_dependency()).map(|(task, _)| task).collect()
}

/// A cycle in a graph of edges, or `None` if there is none.
///
/// The members come once each: every one depends on the next, and the last on
/// the first, which is the smallest. Which cycle is found depends on the edges
/// alone, not on their order.
pub fn find_cycle<Id: Ord + Copy>(edges: impl IntoIterator<Item = (Id, Id)>) -> Option<Vec<Id>> {
    let mut onward: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    let mut back: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    for (task, prerequisite) in edges {
        onward.entry(task).or_default().insert(prerequisite);
        onward.entry(prerequisite).or_default();
        back.entry(prerequisite).or_default().insert(task);
    }

    // Take away whatever depends on nothing, until nothing is left or everything
    // left depends on something left.
    let mut free: Vec<Id> = onward.iter().filter(|(_, next)| next.is_empty()).map(|(id, _)| *id).collect();
    while let Some(id) = free.pop() {
        onward.remove(&id);
        for task in back.get(&id).into_iter().flatten() {
            if let Some(next) = onward.get_mut(task) {
                next.remove(&id);
                if next.is_empty() {
                    free.push(*task);
                }
            }
        }
    }

    // Then every walk comes back to where it was.
    let mut at = *onward.keys().next()?;
    let mut walk = Vec::new();
    let mut position = BTreeMap::new();
    loop {
        if let Some(&start) = position.get(&at) {
            let mut cycle = walk.split_off(start);
            let smallest = (0..cycle.len()).min_by_key(|&i| cycle.get(i).copied()).unwrap_or(0);
            cycle.rotate_left(smallest);
            return Some(cycle);
        }
        position.insert(at, walk.len());
        walk.push(at);
        at = *onward.get(&at)?.first()?;
    }
}

/// What of `added` has to be written to a graph of `existing` edges: those that
/// are new, each once, in the order given.
///
/// Edges are checked one after the other against those before them, so of two
/// tasks that name each other the second edge is the one refused.
///
/// # Errors
/// Every edge from a task to itself and every edge that would close a cycle,
/// with its index in `added`.
pub fn check_edges<Id: Ord + Copy>(
    existing: impl IntoIterator<Item = (Id, Id)>,
    added: &[(Id, Id)],
) -> Result<Vec<(Id, Id)>, Vec<RefusedEdge<Id>>> {
    let mut graph = Graph::default();
    for (task, prerequisite) in existing {
        graph.insert(task, prerequisite);
    }
    // Most additions close no cycle, which one look at the whole can tell.
    let acyclic = find_cycle(graph.edges().chain(added.iter().copied())).is_none();

    let mut new = Vec::new();
    let mut refused = Vec::new();
    for (index, &(task, prerequisite)) in added.iter().enumerate() {
        if task == prerequisite {
            refused.push(RefusedEdge { index, reason: EdgeProblem::Itself });
        } else if graph.contains(task, prerequisite) {
            // Named before, or there already.
        } else if let Some(cycle) = if acyclic { None } else { graph.cycle_closed_by(task, prerequisite) } {
            refused.push(RefusedEdge { index, reason: EdgeProblem::Cycle(cycle) });
        } else {
            graph.insert(task, prerequisite);
            new.push((task, prerequisite));
        }
    }
    if refused.is_empty() { Ok(new) } else { Err(refused) }
}

/// An edge that must not be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEdge<Id> {
    /// Its place among the edges to add, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub reason: EdgeProblem<Id>,
}

/// What is wrong with an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeProblem<Id> {
    /// A task would depend on itself.
    Itself,
    /// Tasks would wait for each other. Each depends on the next and the last on
    /// the first, which is the task of the edge.
    Cycle(Vec<Id>),
}

impl<Id: fmt::Display> fmt::Display for EdgeProblem<Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself => f.write_str("a task cannot depend on itself"),
            Self::Cycle(tasks) => {
                f.write_str("tasks would wait for each other: ")?;
                tasks.iter().try_for_each(|task| write!(f, "{task} -> "))?;
                tasks.iter().take(1).try_for_each(|task| write!(f, "{task}"))
            }
        }
    }
}

impl<Id: fmt::Debug + fmt::Display> Error for EdgeProblem<Id> {}

/// Edges by task.
struct Graph<Id>(BTreeMap<Id, BTreeSet<Id>>);

impl<Id> Default for Graph<Id> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Id: Ord + Copy> Graph<Id> {
    fn insert(&mut self, task: Id, prerequisite: Id) {
        self.0.entry(task).or_default().insert(prerequisite);
    }

    fn contains(&self, task: Id, prerequisite: Id) -> bool {
        self.0.get(&task).is_some_and(|next| next.contains(&prerequisite))
    }

    fn edges(&self) -> impl Iterator<Item = (Id, Id)> {
        self.0.iter().flat_map(|(task, next)| next.iter().map(|prerequisite| (*task, *prerequisite)))
    }

    /// The shortest cycle that an edge from `task` to `prerequisite` would
    /// close, from `task` on.
    fn cycle_closed_by(&self, task: Id, prerequisite: Id) -> Option<Vec<Id>> {
        let mut reached_from = BTreeMap::from([(prerequisite, task)]);
        let mut queue = VecDeque::from([prerequisite]);
        while let Some(at) = queue.pop_front() {
            for &next in self.0.get(&at).into_iter().flatten() {
                if next == task {
                    let mut cycle = vec![at];
                    while let Some(&before) = cycle.last().and_then(|id| reached_from.get(id)) {
                        cycle.push(before);
                        if before == task {
                            break;
                        }
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                reached_from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    at
                });
            }
        }
        None
    }
}
