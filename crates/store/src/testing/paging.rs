//! Lists lose no row: walks by place and by page number.

use std::collections::BTreeSet;

use chorus_domain::{
    Assignment, Kind, Party, Write,
    activity::Activity,
    comment::Comment,
    document::Document,
    idea::Idea,
    project::{Group, Project},
    proposal::Proposal,
    task::Task,
};
use chorus_ids::{IdeaId, ProposalId, TaskId, Timestamp, Uuid};
use chorus_lifecycle::task::Priority;

use super::world::{DAWN, Shared, World, size};
use crate::{Order, Page, PageRequest, Position, Row, Start, TaskFilter};

/// Every list that can be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Projects,
    Ideas,
    Proposals,
    Documents,
    Tasks,
    OldestComments,
    NewestComments,
    Activities,
    TrackedIdeas,
    TrackedTasks,
    Groups,
}

/// Part of a list: the places of its rows, and how many there are altogether where the list says so.
struct Part {
    places: Vec<Position>,
    total: Option<u64>,
    more: bool,
}

/// A world and the idea whose comments are listed.
struct Arena {
    w: World,
    host: IdeaId,
}

impl Arena {
    async fn new(store: &Shared) -> Self {
        let w = World::new(store).await;
        let apart = w.put(w.new_project()).await.id;
        let host = w.put(w.new_idea(apart)).await.id;
        Self { w, host }
    }

    fn holder(&self) -> Party {
        self.w.by()
    }

    fn held_since(&self, at: Timestamp) -> Option<Assignment> {
        Some(Assignment { to: self.holder(), at, by: None })
    }
}

impl List {
    const ALL: [Self; 11] = [
        Self::Projects,
        Self::Ideas,
        Self::Proposals,
        Self::Documents,
        Self::Tasks,
        Self::OldestComments,
        Self::NewestComments,
        Self::Activities,
        Self::TrackedIdeas,
        Self::TrackedTasks,
        Self::Groups,
    ];

    /// Whether the list is one of those without total and page numbers.
    fn is_tracker(self) -> bool {
        matches!(self, Self::TrackedIdeas | Self::TrackedTasks)
    }

    /// Whether `a` comes before `b`: by rank, then by time and id, the latest first.
    fn in_order(self, a: &Position, b: &Position) -> bool {
        let ((rank, a), (other, b)) = ((a.rank, (a.at, a.id)), (b.rank, (b.at, b.id)));
        let by_time = if matches!(self, Self::OldestComments | Self::Groups) { a < b } else { b < a };
        rank < other || (rank == other && by_time)
    }

    /// Adds a row with this time as its sort key, and a rank where there are ranks.
    async fn add(self, arena: &Arena, at: Timestamp, rank: usize) -> Uuid {
        let (w, project) = (&arena.w, arena.w.project);
        let priority = [Priority::High, Priority::Medium, Priority::Low][rank % 3];
        match self {
            Self::Projects => w.put(Project { updated_at: at, ..w.new_project() }).await.id.uuid(),
            Self::Ideas => w.put(Idea { created_at: at, ..w.new_idea(project) }).await.id.uuid(),
            Self::Proposals => w.put(Proposal { created_at: at, ..w.new_proposal(project, &[]) }).await.id.uuid(),
            Self::Documents => w.put(Document { updated_at: at, ..w.new_document(project) }).await.id.uuid(),
            Self::Tasks => w.put(Task { created_at: at, priority, ..w.new_task(project) }).await.id.uuid(),
            Self::OldestComments | Self::NewestComments => {
                w.put(Comment { created_at: at, ..w.new_comment(Kind::Idea, arena.host.uuid()) }).await.id.uuid()
            }
            Self::Activities => w.put(Activity { created_at: at, ..w.new_activity(project) }).await.id.uuid(),
            Self::TrackedIdeas => {
                let assignee = arena.held_since(DAWN);
                w.put(Idea { updated_at: at, assignee, ..w.new_idea(project) }).await.id.uuid()
            }
            Self::TrackedTasks => {
                let assignee = arena.held_since(at);
                w.put(Task { assignee, priority, ..w.new_task(project) }).await.id.uuid()
            }
            Self::Groups => w.put(Group { created_at: at, ..w.new_group() }).await.id.uuid(),
        }
    }

    /// Part of the list. Each row's place has to be the row's sort keys.
    async fn part(self, arena: &Arena, start: Start, rows: u32) -> Part {
        let (w, scope, project) = (&arena.w, arena.w.scope(), arena.w.project);
        let (mut reads, page) = (w.read().await, PageRequest { start, size: size(rows) });
        let order = if self == Self::NewestComments { Order::Newest } else { Order::Oldest };
        let after = match start {
            Start::Page(_) => None,
            Start::After(place) => Some(place),
        };
        match self {
            Self::Projects => paged(reads.projects(&scope, &page).await.unwrap(), |row| {
                (0, row.project.updated_at, row.project.id.uuid())
            }),
            Self::Ideas => paged(reads.ideas(&scope, project, None, &page).await.unwrap(), |row| {
                (0, row.idea.created_at, row.idea.id.uuid())
            }),
            Self::Proposals => paged(reads.proposals(&scope, project, None, &page).await.unwrap(), |row| {
                (0, row.created_at, row.id.uuid())
            }),
            Self::Documents => paged(reads.documents(&scope, project, None, &page).await.unwrap(), |row| {
                (0, row.updated_at, row.id.uuid())
            }),
            Self::Tasks => paged(reads.tasks(&scope, project, &TaskFilter::default(), &page).await.unwrap(), |row| {
                (row.priority.rank(), row.created_at, row.id.uuid())
            }),
            Self::OldestComments | Self::NewestComments => {
                let id = arena.host.uuid();
                paged(reads.comments(&scope, Kind::Idea, id, order, &page).await.unwrap(), |row| {
                    (0, row.created_at, row.id.uuid())
                })
            }
            Self::Activities => {
                paged(reads.activities(&scope, project, &page).await.unwrap(), |row| (0, row.created_at, row.id.uuid()))
            }
            Self::TrackedIdeas => {
                let found = reads.tracked_ideas(&scope, &[arena.holder()], after, rows).await.unwrap();
                tracked(&found, rows, |row| (0, row.summary.idea.updated_at, row.summary.idea.id.uuid()))
            }
            Self::TrackedTasks => {
                let found = reads.tracked_tasks(&scope, &[arena.holder()], after, rows).await.unwrap();
                tracked(&found, rows, |row| {
                    (row.task.priority.rank(), row.task.assignee.unwrap().at, row.task.id.uuid())
                })
            }
            Self::Groups => {
                paged(reads.groups(&scope, &page).await.unwrap(), |row| (0, row.group.created_at, row.group.id.uuid()))
            }
        }
    }

    /// Changes a row so that it moves in the list, where rows can be changed and that moves them, or changes it all
    /// the same. Says whether it may have moved.
    async fn disturb(self, arena: &Arena, id: Uuid) -> bool {
        let (w, scope) = (&arena.w, arena.w.scope());
        let mut reads = w.read().await;
        match self {
            Self::Ideas | Self::TrackedIdeas => {
                let idea = reads.idea(&scope, IdeaId::from_uuid(id)).await.unwrap().unwrap();
                let (version, updated_at) = (idea.version + 1, w.tick());
                w.write([Write::SaveIdea(Idea { title: "Changed".into(), version, updated_at, ..idea })]).await;
                self == Self::TrackedIdeas
            }
            Self::Proposals => {
                let proposal = reads.proposal(&scope, ProposalId::from_uuid(id)).await.unwrap().unwrap();
                let (version, updated_at) = (proposal.version + 1, w.tick());
                w.write([Write::SaveProposal(Proposal { version, updated_at, ..proposal })]).await;
                false
            }
            Self::Tasks | Self::TrackedTasks => {
                let task = reads.task(&scope, TaskId::from_uuid(id)).await.unwrap().unwrap();
                let priority = if task.priority == Priority::High { Priority::Low } else { Priority::High };
                let (version, updated_at) = (task.version + 1, w.tick());
                w.write([Write::SaveTask(Task { priority, version, updated_at, ..task })]).await;
                true
            }
            Self::Projects
            | Self::Documents
            | Self::OldestComments
            | Self::NewestComments
            | Self::Activities
            | Self::Groups => false,
        }
    }
}

fn places<T>(rows: &[Row<T>], keys: impl Fn(&T) -> (u8, Timestamp, Uuid)) -> Vec<Position> {
    rows.iter()
        .map(|row| {
            let (rank, at, id) = keys(&row.item);
            assert_eq!(row.at, Position { rank: i16::from(rank), at, id });
            row.at
        })
        .collect()
}

fn paged<T>(page: Page<T>, keys: impl Fn(&T) -> (u8, Timestamp, Uuid)) -> Part {
    Part { places: places(&page.rows, keys), total: Some(page.total), more: page.more }
}

fn tracked<T>(rows: &[Row<T>], limit: u32, keys: impl Fn(&T) -> (u8, Timestamp, Uuid)) -> Part {
    Part { places: places(rows, keys), total: None, more: rows.len() == limit as usize }
}

/// Three rows of each time, oldest first, the ranks taking turns.
async fn fill(list: List, arena: &Arena, rows: usize) -> BTreeSet<Uuid> {
    let mut ids = BTreeSet::new();
    for index in 0..rows {
        let at = DAWN.plus_micros((1_000 + index as i64 / 3) * 1_000_000_000);
        ids.insert(list.add(arena, at, index / 2).await);
    }
    ids
}

/// The whole list by places, `rows` at a time.
async fn walk(list: List, arena: &Arena, rows: u32) -> Vec<Position> {
    let (mut all, mut start) = (Vec::new(), Start::Page(1));
    loop {
        let part = list.part(arena, start, rows).await;
        all.extend(part.places);
        match all.last() {
            Some(last) if part.more => start = Start::After(*last),
            _ => return all,
        }
    }
}

pub async fn a_walk_by_places_meets_each_row_once_and_in_order(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL {
        let before: BTreeSet<_> = walk(list, &arena, 100).await.into_iter().map(|place| place.id).collect();
        let mut expected = fill(list, &arena, 13).await;
        expected.extend(before);
        for rows in [1, 2, 4, 13, 100] {
            let walked = walk(list, &arena, rows).await;
            assert!(walked.is_sorted_by(|a, b| list.in_order(a, b)), "{list:?}: {walked:?}");
            assert_eq!(walked.len(), expected.len(), "{list:?} by {rows}");
            assert_eq!(walked.into_iter().map(|place| place.id).collect::<BTreeSet<_>>(), expected, "{list:?}");
        }
    }
}

pub async fn a_walk_by_page_numbers_meets_the_same_rows(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL.into_iter().filter(|list| !list.is_tracker()) {
        fill(list, &arena, 11).await;
        let whole = walk(list, &arena, 100).await;
        let mut paged = Vec::new();
        for page in 1.. {
            let part = list.part(&arena, Start::Page(page), 4).await;
            assert_eq!(part.total, Some(whole.len() as u64), "{list:?}");
            paged.extend(part.places);
            assert_eq!(part.more, paged.len() < whole.len(), "{list:?} page {page}");
            if !part.more {
                break;
            }
        }
        assert_eq!(paged, whole, "{list:?}");
    }
}

pub async fn totals_count_the_whole_list_wherever_a_part_begins(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL.into_iter().filter(|list| !list.is_tracker()) {
        fill(list, &arena, 7).await;
        let whole = walk(list, &arena, 100).await;
        let total = Some(whole.len() as u64);
        for (index, place) in whole.iter().enumerate() {
            let part = list.part(&arena, Start::After(*place), 3).await;
            assert_eq!(part.places, whole[index + 1..].iter().take(3).copied().collect::<Vec<_>>(), "{list:?}");
            assert_eq!((part.total, part.more), (total, index + 4 < whole.len()), "{list:?} after {index}");
        }
    }
}

pub async fn a_walk_loses_no_row_while_others_come_and_move(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL {
        let present = fill(list, &arena, 24).await;
        let (mut walked, mut start, mut moved) = (Vec::new(), Start::Page(1), BTreeSet::new());
        for round in 0.. {
            assert!(round < 100, "{list:?} never ends");
            let part = list.part(&arena, start, 4).await;
            walked.extend(part.places.iter().map(|place| place.id));
            let Some(last) = part.places.last().filter(|_| part.more) else { break };
            start = Start::After(*last);
            if round < 5 {
                // Far before, far behind, and beside the place; and the row of the place itself moves away.
                for (at, rank) in [(DAWN, 2), (DAWN.plus_micros(1 << 50), 0), (last.at, last.rank as usize)] {
                    list.add(&arena, at, rank).await;
                }
                if list.disturb(&arena, last.id).await {
                    moved.insert(last.id);
                }
            }
        }
        let met: BTreeSet<_> = walked.iter().filter(|id| !moved.contains(*id)).collect();
        let missed: Vec<_> = present.difference(&moved).filter(|id| !met.contains(id)).collect();
        assert!(missed.is_empty(), "{list:?} missed {missed:?}");
        let unmoved = walked.iter().filter(|id| !moved.contains(*id)).count();
        assert_eq!(unmoved, met.len(), "{list:?} repeats rows");
    }
}

pub async fn a_walk_goes_on_behind_a_place_without_a_row(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL {
        fill(list, &arena, 9).await;
        let whole = walk(list, &arena, 100).await;
        for index in [0, 3, 7] {
            // The lowest and the highest id of a time: beside the rows of that time, yet none of them.
            for id in [Uuid::nil(), Uuid::max()] {
                let gone = Position { id, ..whole[index] };
                let part = list.part(&arena, Start::After(gone), 100).await;
                let expected: Vec<_> = whole.iter().copied().filter(|place| list.in_order(&gone, place)).collect();
                assert_eq!(part.places, expected, "{list:?} behind {gone:?}");
            }
        }
    }
}

pub async fn an_empty_list_has_one_empty_page(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL.into_iter().filter(|list| *list != List::Projects) {
        let part = list.part(&arena, Start::Page(1), 20).await;
        assert!(part.places.is_empty() && !part.more && matches!(part.total, None | Some(0)), "{list:?}");
    }
}

pub async fn a_full_last_page_says_that_nothing_follows(store: &Shared) {
    let arena = Arena::new(store).await;
    for list in List::ALL.into_iter().filter(|list| !list.is_tracker()) {
        fill(list, &arena, 6).await;
        let whole = walk(list, &arena, 100).await;
        let before = whole[whole.len() - 4];
        assert!(!list.part(&arena, Start::After(before), 3).await.more, "{list:?}");
        assert!(list.part(&arena, Start::After(before), 2).await.more, "{list:?}");
        let end = whole[whole.len() - 1];
        assert!(!list.part(&arena, Start::After(end), 3).await.more, "{list:?}");
    }
}
