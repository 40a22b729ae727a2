//! Ideas, their facts and their lineage.

use chorus_domain::{
    Assignment, Kind, Party, Write,
    activity::Activity,
    document::Document,
    idea::{Following, Idea, IdeaFacts, TaskTally, edit::Ancestor},
    proposal::Proposal,
    task::Task,
};
use chorus_ids::{IdeaId, ProjectId, ProposalId};
use chorus_lifecycle::{
    document::DocumentType,
    idea::{Depth, ElaborationStatus, IdeaStatus},
    proposal::{InputType, ProposalStatus},
    task::TaskStatus,
};

use super::world::{SCRIPTS, Shared, WHOLE, World, items, sorted};
use crate::IdeaSummary;

async fn facts(w: &World, idea: IdeaId) -> IdeaFacts {
    w.read().await.idea_summary(&w.scope(), idea).await.unwrap().unwrap().facts
}

/// A proposal in this status that names the idea.
async fn naming(w: &World, project: ProjectId, idea: IdeaId, status: ProposalStatus) -> ProposalId {
    w.put(Proposal { status, ..w.new_proposal(project, &[idea]) }).await.id
}

/// A completion report of the proposal.
fn report(w: &World, project: ProjectId, proposal: ProposalId) -> Document {
    Document { kind: DocumentType::Report, proposal: Some(proposal), ..w.new_document(project) }
}

/// Every field away from its default.
async fn full(w: &World) -> Idea {
    let parent = w.put(w.new_idea(w.project)).await.id;
    Idea {
        title: SCRIPTS.into(),
        content: Some(SCRIPTS.into()),
        status: IdeaStatus::Elaborated,
        elaboration_status: Some(ElaborationStatus::Resolved),
        depth: Some(Depth::Comprehensive),
        parent: Some(parent),
        is_container: true,
        assignee: Some(Assignment { to: w.by(), at: w.tick(), by: Some(Party::User(w.user)) }),
        created_by: Party::User(w.first),
        version: 41,
        updated_at: w.tick(),
        ..w.new_idea(w.project)
    }
}

pub async fn an_idea_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let mut ideas = vec![w.new_idea(w.project), full(&w).await];
    let states = IdeaStatus::ALL.into_iter().flat_map(|status| ElaborationStatus::ALL.map(|other| (status, other)));
    ideas.extend(states.map(|(status, elaboration)| Idea {
        status,
        elaboration_status: Some(elaboration),
        ..w.new_idea(w.project)
    }));
    ideas.extend(Depth::ALL.map(|depth| Idea { depth: Some(depth), ..w.new_idea(w.project) }));
    ideas.push(Idea {
        assignee: w.held_by(Party::User(w.user)),
        content: Some(String::new()),
        ..w.new_idea(w.project)
    });
    w.put_all(ideas.clone()).await;
    for idea in &ideas {
        assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap().as_ref(), Some(idea));
    }
    let ids: Vec<_> = ideas.iter().map(|idea| idea.id).chain([w.id()]).collect();
    let mut found = w.read().await.ideas_by_id(&w.scope(), &ids).await.unwrap();
    found.sort_by_key(|idea| idea.id);
    ideas.sort_by_key(|idea| idea.id);
    assert_eq!(found, ideas);
    assert_eq!(w.read().await.ideas_by_id(&w.scope(), &[]).await.unwrap(), []);
    assert_eq!(w.read().await.idea(&w.scope(), w.id()).await.unwrap(), None);
    assert_eq!(w.read().await.idea_summary(&w.scope(), w.id()).await.unwrap(), None);
}

pub async fn saving_an_idea_replaces_every_field(store: &Shared) {
    let w = World::new(store).await;
    let (plain, bystander) = (w.put(w.new_idea(w.project)).await, w.put(w.new_idea(w.project)).await);
    let other = w.put(w.new_project()).await.id;
    let Idea { id, created_at, created_by, .. } = plain;
    let changed = Idea { id, version: 2, project: other, created_at, created_by, ..full(&w).await };
    w.write([Write::SaveIdea(changed.clone())]).await;
    assert_eq!(w.read().await.idea(&w.scope(), id).await.unwrap(), Some(changed));
    let back = Idea { version: 3, ..plain };
    w.write([Write::SaveIdea(back.clone())]).await;
    assert_eq!(w.read().await.idea(&w.scope(), id).await.unwrap(), Some(back));
    assert_eq!(w.read().await.idea(&w.scope(), bystander.id).await.unwrap(), Some(bystander));
}

pub async fn ideas_are_listed_newest_first_without_contents(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let mut expected = Vec::new();
    for status in [IdeaStatus::Open, IdeaStatus::Elaborated, IdeaStatus::Open] {
        let idea = w.put(Idea { status, content: Some("Long".into()), ..w.new_idea(w.project) }).await;
        expected.insert(0, IdeaSummary { idea: Idea { content: None, ..idea }, facts: IdeaFacts::default() });
    }
    w.put(w.new_idea(other)).await;
    let list = async |status| w.read().await.ideas(&w.scope(), w.project, status, &WHOLE).await.unwrap();
    let all = list(None).await;
    assert_eq!((all.total, all.more), (3, false));
    assert_eq!(items(all), expected);
    let open = list(Some(IdeaStatus::Open)).await;
    assert_eq!(open.total, 2);
    assert_eq!(items(open), [expected[0].clone(), expected[2].clone()]);
    let elaborating = list(Some(IdeaStatus::Elaborating)).await;
    assert_eq!((elaborating.total, elaborating.rows.len()), (0, 0));
}

pub async fn facts_count_proposals_of_the_ideas_project_by_status(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let (idea, bystander) = (w.put(w.new_idea(w.project)).await.id, w.put(w.new_idea(w.project)).await.id);
    for status in ProposalStatus::ALL {
        for _ in 0..2 {
            naming(&w, w.project, idea, status).await;
        }
        naming(&w, other, idea, status).await;
        naming(&w, w.project, bystander, status).await;
        w.put(Proposal { status, ..w.new_proposal(w.project, &[]) }).await;
    }
    let IdeaFacts { pending_proposals, approved_proposals, .. } = facts(&w, idea).await;
    assert_eq!((pending_proposals, approved_proposals), (2, 2));
}

pub async fn facts_count_a_proposal_of_several_ideas_for_each(store: &Shared) {
    let w = World::new(store).await;
    let (one, two) = (w.put(w.new_idea(w.project)).await.id, w.put(w.new_idea(w.project)).await.id);
    w.put(Proposal { status: ProposalStatus::Pending, ..w.new_proposal(w.project, &[one, two]) }).await;
    for idea in [one, two] {
        assert_eq!(facts(&w, idea).await, IdeaFacts { pending_proposals: 1, ..IdeaFacts::default() });
    }
}

pub async fn facts_tally_the_tasks_of_the_approved_proposal_created_last(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let idea = w.put(w.new_idea(w.project)).await.id;
    assert_eq!(facts(&w, idea).await.tasks, None);
    let early = w.tick();
    let latest = naming(&w, w.project, idea, ProposalStatus::Approved).await;
    assert_eq!(facts(&w, idea).await.tasks, Some(TaskTally { proposal: latest, total: 0, to_verify: 0, finished: 0 }));
    // Stored later, but created earlier; approved or changed later counts for nothing.
    let approved = Proposal { status: ProposalStatus::Approved, ..w.new_proposal(w.project, &[idea]) };
    let older = w.put(Proposal { created_at: early, ..approved }).await.id;
    let pending = naming(&w, w.project, idea, ProposalStatus::Pending).await;
    let elsewhere = naming(&w, other, idea, ProposalStatus::Approved).await;
    for status in TaskStatus::ALL {
        let task = |proposal, project| Task { status, proposal: Some(proposal), ..w.new_task(project) };
        w.put_all([task(latest, w.project), task(older, w.project), task(pending, w.project), task(elsewhere, other)])
            .await;
    }
    let to_verify = Task { status: TaskStatus::ToVerify, proposal: Some(latest), ..w.new_task(w.project) };
    w.put(to_verify).await;
    let expected = IdeaFacts {
        pending_proposals: 1,
        approved_proposals: 2,
        tasks: Some(TaskTally { proposal: latest, total: 7, to_verify: 2, finished: 2 }),
        reports: 0,
        children: 0,
    };
    assert_eq!(facts(&w, idea).await, expected);
}

pub async fn facts_count_reports_under_approved_or_closed_proposals(store: &Shared) {
    let w = World::new(store).await;
    let (idea, bystander) = (w.put(w.new_idea(w.project)).await.id, w.put(w.new_idea(w.project)).await.id);
    for status in ProposalStatus::ALL {
        let proposal = naming(&w, w.project, idea, status).await;
        let prd = Document { kind: DocumentType::Prd, ..report(&w, w.project, proposal) };
        w.put_all([report(&w, w.project, proposal), report(&w, w.project, proposal), prd]).await;
    }
    let theirs = naming(&w, w.project, bystander, ProposalStatus::Approved).await;
    w.put(report(&w, w.project, theirs)).await;
    assert_eq!((facts(&w, idea).await.reports, facts(&w, bystander).await.reports), (4, 1));
}

pub async fn reports_are_those_of_proposals_of_the_ideas_project(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let idea = w.put(w.new_idea(w.project)).await.id;
    for project in [w.project, other] {
        let proposal = naming(&w, project, idea, ProposalStatus::Approved).await;
        w.put(report(&w, project, proposal)).await;
    }
    let listed = w.read().await.reports_of_idea(&w.scope(), idea).await.unwrap();
    assert_eq!(listed.iter().map(|document| document.project).collect::<Vec<_>>(), [w.project]);
    assert_eq!(facts(&w, idea).await.reports, 1);
}

pub async fn facts_count_direct_children(store: &Shared) {
    let w = World::new(store).await;
    let root = w.put(w.new_idea(w.project)).await.id;
    let below = |parent| Idea { parent: Some(parent), ..w.new_idea(w.project) };
    let child = w.put(below(root)).await.id;
    w.put_all([below(root), below(child)]).await;
    assert_eq!((facts(&w, root).await.children, facts(&w, child).await.children), (2, 1));
}

pub async fn every_read_of_an_idea_tells_the_same_facts(store: &Shared) {
    let w = World::new(store).await;
    let root = w.put(w.new_idea(w.project)).await.id;
    let idea = w
        .put(Idea {
            parent: Some(root),
            content: Some("Long".into()),
            status: IdeaStatus::Elaborated,
            assignee: w.held_by(w.by()),
            ..w.new_idea(w.project)
        })
        .await;
    w.put(Idea { parent: Some(idea.id), ..w.new_idea(w.project) }).await;
    naming(&w, w.project, idea.id, ProposalStatus::Pending).await;
    let approved = naming(&w, w.project, idea.id, ProposalStatus::Approved).await;
    w.put_all([TaskStatus::Done, TaskStatus::ToVerify].map(|status| Task {
        status,
        proposal: Some(approved),
        ..w.new_task(w.project)
    }))
    .await;
    w.put(report(&w, w.project, approved)).await;
    let facts = IdeaFacts {
        pending_proposals: 1,
        approved_proposals: 1,
        tasks: Some(TaskTally { proposal: approved, total: 2, to_verify: 1, finished: 1 }),
        reports: 1,
        children: 1,
    };
    let (scope, mut reads) = (w.scope(), w.read().await);
    let whole = reads.idea_summary(&scope, idea.id).await.unwrap();
    assert_eq!(whole, Some(IdeaSummary { idea: idea.clone(), facts }));
    let expected = IdeaSummary { idea: Idea { content: None, ..idea.clone() }, facts };
    let listed = items(reads.ideas(&scope, w.project, None, &WHOLE).await.unwrap());
    let below = reads.ideas_below(&scope, &[root]).await.unwrap();
    let tracked = reads.tracked_ideas(&scope, &[w.by()], None, 9).await.unwrap();
    let tracked = tracked.into_iter().map(|row| row.item.summary).collect();
    for list in [listed, below, tracked] {
        assert_eq!(list.into_iter().find(|row| row.idea.id == idea.id), Some(expected.clone()));
    }
}

pub async fn ideas_below_are_found_at_any_depth(store: &Shared) {
    let w = World::new(store).await;
    let (root, lonely) = (w.put(w.new_idea(w.project)).await.id, w.put(w.new_idea(w.project)).await.id);
    let mut chain = vec![root];
    for _ in 0..25 {
        let parent = chain.last().copied();
        chain.push(w.put(Idea { parent, content: Some("Long".into()), ..w.new_idea(w.project) }).await.id);
    }
    let branch = w.put(Idea { parent: Some(chain[3]), ..w.new_idea(w.project) }).await.id;
    let below = async |roots: &[IdeaId]| {
        let found = w.read().await.ideas_below(&w.scope(), roots).await.unwrap();
        assert!(found.iter().all(|row| row.idea.content.is_none()));
        sorted(found.into_iter().map(|row| row.idea.id).collect())
    };
    let with_branch = |from: usize| sorted(chain[from..].iter().copied().chain([branch]).collect());
    assert_eq!(below(&[root]).await, with_branch(1));
    assert_eq!(below(&[chain[3], lonely]).await, with_branch(4));
    assert_eq!(below(&[chain[20], chain[22]]).await, sorted(chain[21..].to_vec()));
    assert_eq!(below(&[lonely, w.id()]).await, []);
    assert_eq!(below(&[]).await, []);
}

pub async fn a_circle_of_parents_ends(store: &Shared) {
    let w = World::new(store).await;
    let one = w.put(w.new_idea(w.project)).await;
    let two = w.put(Idea { parent: Some(one.id), ..w.new_idea(w.project) }).await;
    w.write([Write::SaveIdea(Idea { parent: Some(two.id), version: 2, ..one.clone() })]).await;
    let below = w.read().await.ideas_below(&w.scope(), &[one.id]).await.unwrap();
    assert_eq!(sorted(below.into_iter().map(|row| row.idea.id).collect()), [one.id, two.id]);
}

pub async fn ideas_above_are_the_line_to_the_root(store: &Shared) {
    let w = World::new(store).await;
    let mut chain = vec![w.put(w.new_idea(w.project)).await];
    for depth in 0..25 {
        let parent = chain.last().map(|idea| idea.id);
        let title = format!("Idea {depth}");
        chain.push(w.put(Idea { parent, title, content: Some("Long".into()), ..w.new_idea(w.project) }).await);
    }
    w.put(Idea { parent: Some(chain[3].id), ..w.new_idea(w.project) }).await;
    let above = async |id: IdeaId| sorted(w.read().await.ideas_above(&w.scope(), id).await.unwrap());
    let line = |to: usize| {
        let line = chain[..=to].iter();
        sorted(line.map(|idea| Ancestor { id: idea.id, title: idea.title.clone(), parent: idea.parent }).collect())
    };
    assert_eq!(above(chain[25].id).await, line(25));
    assert_eq!(above(chain[3].id).await, line(3));
    assert_eq!(above(chain[0].id).await, line(0));
    assert_eq!(above(w.id()).await, []);
    // Even where it goes round.
    w.write([Write::SaveIdea(Idea { parent: Some(chain[2].id), version: 2, ..chain[0].clone() })]).await;
    assert_eq!(above(chain[1].id).await.len(), 3);
    let hidden = w.hidden_project().await;
    let unseen = w.put(w.new_idea(hidden)).await.id;
    assert_eq!(above(unseen).await, []);
}

pub async fn a_proposal_from_documents_names_no_idea(store: &Shared) {
    let w = World::new(store).await;
    let idea = w.put(w.new_idea(w.project)).await.id;
    let (input_type, status) = (InputType::Document, ProposalStatus::Approved);
    let proposal = w.put(Proposal { input_type, status, ..w.new_proposal(w.project, &[idea]) }).await.id;
    w.put(report(&w, w.project, proposal)).await;
    assert_eq!(facts(&w, idea).await, IdeaFacts::default());
    assert_eq!(w.read().await.reports_of_idea(&w.scope(), idea).await.unwrap(), []);
}

pub async fn children_are_listed_newest_first_and_named_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let top = w.put(w.new_idea(w.project)).await.id;
    let mut children = Vec::new();
    for status in [IdeaStatus::Open, IdeaStatus::Elaborated, IdeaStatus::Open] {
        let new = Idea { parent: Some(top), status, content: Some("Long".into()), ..w.new_idea(w.project) };
        let child = w.put(Idea { title: format!("Child {}", new.id), ..new }).await;
        w.put(Idea { parent: Some(child.id), ..w.new_idea(w.project) }).await;
        children.push(child);
    }
    let list = async |status| w.read().await.children(&w.scope(), top, status, &WHOLE).await.unwrap();
    let all = list(None).await;
    assert_eq!((all.total, all.more), (3, false));
    let listed = items(all);
    let expected: Vec<Idea> = children.iter().rev().map(|child| Idea { content: None, ..child.clone() }).collect();
    assert_eq!(listed.iter().map(|summary| summary.idea.clone()).collect::<Vec<_>>(), expected);
    assert!(listed.iter().all(|summary| summary.facts.children == 1));
    assert_eq!(list(Some(IdeaStatus::Open)).await.total, 2);
    let titles = w.read().await.titles_of_children(&w.scope(), top).await.unwrap();
    assert_eq!(titles, children.iter().map(|child| (child.id, child.title.clone())).collect::<Vec<_>>());

    let hidden = w.hidden_project().await;
    let unseen = w.put(w.new_idea(hidden)).await.id;
    w.put(Idea { parent: Some(unseen), ..w.new_idea(hidden) }).await;
    assert_eq!(w.read().await.children(&w.scope(), unseen, None, &WHOLE).await.unwrap().total, 0);
    assert_eq!(w.read().await.titles_of_children(&w.scope(), unseen).await.unwrap(), []);
}

pub async fn everything_that_came_of_an_idea_follows_it(store: &Shared) {
    let w = World::new(store).await;
    let target = w.put(w.new_project()).await.id;
    let third = w.put(w.new_project()).await.id;
    let root = w.put(w.new_idea(w.project)).await;
    let child = w.put(Idea { parent: Some(root.id), ..w.new_idea(w.project) }).await;
    let leaf = w.put(Idea { parent: Some(child.id), ..w.new_idea(w.project) }).await;
    let aside = w.put(w.new_idea(w.project)).await;
    let of = async |project, inputs: &[IdeaId]| {
        let proposal = w.put(w.new_proposal(project, inputs)).await;
        let task = w.put(Task { proposal: Some(proposal.id), ..w.new_task(project) }).await;
        let document = w.put(Document { proposal: Some(proposal.id), ..w.new_document(project) }).await;
        for (target, target_id) in
            [(Kind::Proposal, proposal.id.uuid()), (Kind::Task, task.id.uuid()), (Kind::Document, document.id.uuid())]
        {
            w.put(Activity { target, target_id, ..w.new_activity(project) }).await;
        }
        (proposal, task, document)
    };
    let follows = [of(w.project, &[leaf.id, aside.id]).await, of(w.project, &[root.id]).await];
    let stays = [of(w.project, &[aside.id]).await, of(third, &[leaf.id]).await];
    let from_documents = Proposal { input_type: InputType::Document, ..w.new_proposal(w.project, &[root.id]) };
    let from_documents = w.put(from_documents).await;
    for idea in [&root, &leaf, &aside] {
        w.put(Activity { target: Kind::Idea, target_id: idea.id.uuid(), ..w.new_activity(w.project) }).await;
    }
    w.put(w.new_activity(w.project)).await;
    let following = w.read().await.directory().following(root.id, w.project).await.unwrap();
    assert_eq!(following, Following { ideas: 3, proposals: 2, documents: 2, tasks: 2, activities: 8 });

    let now = w.tick();
    let moved = Idea { project: target, version: 2, updated_at: now, ..root.clone() };
    let writes = [Write::SaveIdea(moved.clone()), Write::MoveAlong(root.id, w.project, target, now)];
    w.write(writes).await;
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.idea(&scope, root.id).await.unwrap(), Some(moved));
    for idea in [&child, &leaf] {
        let expected = Idea { project: target, version: 2, updated_at: now, ..idea.clone() };
        assert_eq!(reads.idea(&scope, idea.id).await.unwrap(), Some(expected));
    }
    for (proposal, task, document) in &follows {
        let expected = Proposal { project: target, version: 2, updated_at: now, ..proposal.clone() };
        assert_eq!(reads.proposal(&scope, proposal.id).await.unwrap(), Some(expected));
        let expected = Task { project: target, version: 2, updated_at: now, ..task.clone() };
        assert_eq!(reads.task(&scope, task.id).await.unwrap(), Some(expected));
        let expected = Document { project: target, ..document.clone() };
        assert_eq!(reads.document(&scope, document.id).await.unwrap(), Some(expected));
    }
    for (proposal, task, document) in stays {
        assert_eq!(reads.proposal(&scope, proposal.id).await.unwrap(), Some(proposal));
        assert_eq!(reads.task(&scope, task.id).await.unwrap(), Some(task));
        assert_eq!(reads.document(&scope, document.id).await.unwrap(), Some(document));
    }
    assert_eq!(reads.idea(&scope, aside.id).await.unwrap(), Some(aside));
    assert_eq!(reads.proposal(&scope, from_documents.id).await.unwrap(), Some(from_documents));
    let mut entries = async |project| reads.activities(&scope, project, &WHOLE).await.unwrap().total;
    assert_eq!((entries(target).await, entries(w.project).await, entries(third).await), (8, 5, 3));
}

pub async fn a_circle_of_parents_can_be_moved(store: &Shared) {
    let w = World::new(store).await;
    let target = w.put(w.new_project()).await.id;
    let one = w.put(w.new_idea(w.project)).await;
    let two = w.put(Idea { parent: Some(one.id), ..w.new_idea(w.project) }).await;
    w.write([Write::SaveIdea(Idea { parent: Some(two.id), version: 2, ..one.clone() })]).await;
    assert_eq!(w.read().await.directory().following(one.id, w.project).await.unwrap().ideas, 2);
    let moved = Idea { project: target, parent: None, version: 3, ..one.clone() };
    w.write([Write::SaveIdea(moved), Write::MoveAlong(one.id, w.project, target, w.tick())]).await;
    for id in [one.id, two.id] {
        assert_eq!(w.read().await.idea(&w.scope(), id).await.unwrap().unwrap().project, target);
    }
}

pub async fn a_dropped_idea_leaves_its_children_as_roots(store: &Shared) {
    let w = World::new(store).await;
    let top = w.put(w.new_idea(w.project)).await.id;
    let gone = w.put(Idea { parent: Some(top), ..w.new_idea(w.project) }).await.id;
    let child = w.put(Idea { parent: Some(gone), ..w.new_idea(w.project) }).await;
    let leaf = w.put(Idea { parent: Some(child.id), ..w.new_idea(w.project) }).await;
    let proposal = w.put(w.new_proposal(w.project, &[gone])).await;
    w.put(w.new_round(gone, 1)).await;
    w.put_all([w.new_comment(Kind::Idea, gone.uuid()), w.new_comment(Kind::Idea, child.id.uuid())]).await;
    w.put(Activity { target: Kind::Idea, target_id: gone.uuid(), ..w.new_activity(w.project) }).await;
    let hanging = async |id: IdeaId| w.read().await.directory().hanging(Kind::Idea, id.uuid()).await.unwrap();
    let before = hanging(gone).await;
    assert_eq!((before.comments, before.rounds, before.activities), (1, 1, 1));
    let now = w.tick();
    w.write([Write::DropIdea(gone, now)]).await;
    let after = hanging(gone).await;
    assert_eq!((after.comments, after.rounds, after.activities), (0, 0, 1), "the stream keeps its entries");
    assert_eq!(hanging(child.id).await.comments, 1);
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.idea(&scope, gone).await.unwrap(), None);
    let root = Idea { parent: None, version: 2, updated_at: now, ..child };
    assert_eq!(reads.idea(&scope, root.id).await.unwrap(), Some(root));
    assert_eq!(reads.idea(&scope, leaf.id).await.unwrap(), Some(leaf));
    assert_eq!(reads.proposal(&scope, proposal.id).await.unwrap(), Some(proposal), "it still names its source");
    let again = w.try_write([Write::DropIdea(gone, now)]).await;
    assert!(matches!(again, Err(crate::Error::Again(_))), "{again:?}");
}

pub async fn the_ideas_in_a_project_come_with_their_facts_latest_updated_first(store: &Shared) {
    let w = World::new(store).await;
    let old = w.put(Idea { content: Some(SCRIPTS.into()), ..w.new_idea(w.project) }).await;
    let new = w.put(Idea { updated_at: w.tick(), parent: Some(old.id), ..w.new_idea(w.project) }).await;
    naming(&w, w.project, new.id, ProposalStatus::Pending).await;
    let other = w.put(w.new_project()).await.id;
    w.put(w.new_idea(other)).await;
    let list = async |project, limit| w.read().await.ideas_in(&w.scope(), project, limit).await.unwrap();
    let expected = [
        IdeaSummary { idea: Idea { content: None, ..new.clone() }, facts: facts(&w, new.id).await },
        IdeaSummary { idea: Idea { content: None, ..old.clone() }, facts: facts(&w, old.id).await },
    ];
    assert_eq!((expected[0].facts.pending_proposals, expected[1].facts.children), (1, 1));
    assert_eq!(list(w.project, 10).await, expected);
    assert_eq!(list(w.project, 1).await, expected[..1]);
    let hidden = w.hidden_project().await;
    w.put(w.new_idea(hidden)).await;
    assert_eq!(list(hidden, 10).await, []);
}
