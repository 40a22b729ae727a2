//! The lineage of ideas as nested lists.

use std::collections::{BTreeMap, BTreeSet};

use chorus_app::idea::IdeaRow;
use chorus_ids::IdeaId;

use super::Tile;

/// A step through the tree, as a page is written.
pub(super) enum Step {
    /// An idea begins; what is below it follows.
    Idea(Tile),
    /// It ends.
    End,
    /// A list of what is below it begins.
    Deeper,
    /// That ends.
    Shallower,
}

/// Walks through everything below `most` roots from the `first` one on, roots in the order given, and says how many
/// roots there are. A root is an idea whose parent is not among the rows. Every idea is shown once, also where stored parents
/// lead in a circle.
pub(super) fn walk(rows: &[IdeaRow], first: usize, most: usize, tile: impl Fn(&IdeaRow) -> Tile) -> (Vec<Step>, usize) {
    let known: BTreeMap<IdeaId, &IdeaRow> = rows.iter().map(|row| (row.summary.idea.id, row)).collect();
    let mut below: BTreeMap<IdeaId, Vec<&IdeaRow>> = BTreeMap::new();
    let mut roots = Vec::new();
    for row in rows {
        match row.summary.idea.parent.filter(|parent| known.contains_key(parent)) {
            Some(parent) => below.entry(parent).or_default().push(row),
            None => roots.push(row),
        }
    }
    let mut reached: BTreeSet<IdeaId> = BTreeSet::new();
    let mut waiting: Vec<IdeaId> = roots.iter().map(|row| row.summary.idea.id).collect();
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(below.get(&id).into_iter().flatten().map(|row| row.summary.idea.id));
        }
    }
    // Whatever lies in a circle is below no root.
    roots.extend(rows.iter().filter(|row| !reached.contains(&row.summary.idea.id)));

    let mut steps = Vec::new();
    let mut shown = BTreeSet::new();
    for root in roots.iter().skip(first).take(most) {
        descend(root, &below, &mut shown, &mut steps, &tile);
    }
    (steps, roots.len())
}

/// What is still to do at a place of the tree.
enum Todo<'r> {
    Visit(&'r IdeaRow),
    Write(Step),
}

fn descend<'r>(
    root: &'r IdeaRow,
    below: &BTreeMap<IdeaId, Vec<&'r IdeaRow>>,
    shown: &mut BTreeSet<IdeaId>,
    steps: &mut Vec<Step>,
    tile: &impl Fn(&IdeaRow) -> Tile,
) {
    // A stack of our own: how deep ideas lie is up to those who write them.
    let mut todo = vec![Todo::Visit(root)];
    while let Some(next) = todo.pop() {
        let row = match next {
            Todo::Write(step) => {
                steps.push(step);
                continue;
            }
            Todo::Visit(row) => row,
        };
        if !shown.insert(row.summary.idea.id) {
            continue;
        }
        steps.push(Step::Idea(tile(row)));
        todo.push(Todo::Write(Step::End));
        let children: Vec<&IdeaRow> = below.get(&row.summary.idea.id).cloned().unwrap_or_default();
        if children.iter().any(|child| !shown.contains(&child.summary.idea.id)) {
            steps.push(Step::Deeper);
            todo.push(Todo::Write(Step::Shallower));
            todo.extend(children.into_iter().rev().map(Todo::Visit));
        }
    }
}

#[cfg(test)]
mod tests {
    use chorus_domain::{
        Party,
        idea::{Idea, IdeaFacts, own_progress},
    };
    use chorus_ids::{CompanyId, ProjectId, Timestamp, UserId};
    use chorus_lifecycle::idea::IdeaStatus;
    use chorus_store::IdeaSummary;

    use super::*;
    use crate::pages::names::Names;

    fn rows(parents: &[(u128, u128)]) -> Vec<IdeaRow> {
        let row = |(id, parent): &(u128, u128)| {
            let idea = Idea {
                id: IdeaId::from_u128(*id),
                company: CompanyId::from_u128(1),
                project: ProjectId::from_u128(1),
                title: id.to_string(),
                content: None,
                status: IdeaStatus::Open,
                elaboration_status: None,
                depth: None,
                parent: (*parent > 0).then(|| IdeaId::from_u128(*parent)),
                is_container: false,
                assignee: None,
                created_by: Party::User(UserId::from_u128(1)),
                version: 1,
                created_at: Timestamp::from_micros(0),
                updated_at: Timestamp::from_micros(0),
            };
            let facts = IdeaFacts::default();
            IdeaRow { derived: own_progress(&idea, &facts), summary: IdeaSummary { idea, facts } }
        };
        parents.iter().map(row).collect()
    }

    /// The walk as text: `(` and `)` around what is below an idea.
    fn walked(parents: &[(u128, u128)], first: usize, most: usize) -> (String, usize) {
        let (steps, roots) =
            walk(&rows(parents), first, most, |row| Tile::of(&row.summary.idea, row.derived, &Names::default()));
        let text = steps.iter().map(|step| match step {
            Step::Idea(tile) => tile.title.clone(),
            Step::End => ".".to_owned(),
            Step::Deeper => "(".to_owned(),
            Step::Shallower => ")".to_owned(),
        });
        (text.collect(), roots)
    }

    #[test]
    fn what_is_below_an_idea_stands_in_it() {
        assert_eq!(walked(&[(1, 0), (2, 1), (3, 1), (4, 2), (5, 0)], 0, 9), ("1(2(4.).3.).5.".to_owned(), 2));
        assert_eq!(walked(&[(1, 0), (2, 0), (3, 2)], 1, 1), ("2(3.).".to_owned(), 2));
        assert_eq!(walked(&[(1, 0), (2, 0)], 0, 1), ("1.".to_owned(), 2));
        assert_eq!(walked(&[(1, 7)], 0, 9).0, "1.", "a parent that is not among the rows");
    }

    #[test]
    fn a_circle_is_shown_once() {
        assert_eq!(walked(&[(1, 2), (2, 1), (3, 3)], 0, 9).0, "1(2.).3.");
    }

    #[test]
    fn depth_has_no_end() {
        let line: Vec<(u128, u128)> = (1..=2_000).map(|n| (n, n - 1)).collect();
        assert_eq!(walked(&line, 0, 1).0.matches('(').count(), 1_999);
    }
}
