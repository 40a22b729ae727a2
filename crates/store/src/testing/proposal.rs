//! Proposals, their inputs and drafts.

use chorus_domain::{
    Kind, Party, Write,
    proposal::{CriterionDraft, DocumentDraft, DocumentDraftIndex, Proposal, Review, TaskDraft},
    task::Task,
};
use chorus_ids::{ProposalId, Uuid};
use chorus_lifecycle::{
    document::DocumentType,
    proposal::{InputType, ProposalStatus},
    task::Priority,
};

use super::world::{SCRIPTS, Shared, WHOLE, World, items, sorted};
use crate::{DraftBodies, Error, ProposalUse};

async fn proposal(w: &World, id: ProposalId) -> Option<Proposal> {
    w.read().await.proposal(&w.scope(), id).await.unwrap()
}

/// Every field away from its default; the inputs in an order that is not theirs, one of them gone.
async fn full(w: &World) -> Proposal {
    let ideas = [w.put(w.new_idea(w.project)).await.id, w.put(w.new_idea(w.project)).await.id];
    Proposal {
        title: SCRIPTS.into(),
        description: Some(SCRIPTS.into()),
        input_type: InputType::Document,
        inputs: vec![w.id::<ProposalId>().uuid(), ideas[1].uuid(), ideas[0].uuid()],
        status: ProposalStatus::Closed,
        created_by: Party::User(w.first),
        review: Some(Review { by: Party::User(w.user), note: Some(SCRIPTS.into()), at: w.tick() }),
        version: 17,
        updated_at: w.tick(),
        ..w.new_proposal(w.project, &[])
    }
}

pub async fn a_proposal_round_trips(store: &Shared) {
    let w = World::new(store).await;
    let mut proposals = vec![full(&w).await, w.new_proposal(w.project, &[])];
    proposals.extend(ProposalStatus::ALL.map(|status| Proposal { status, ..w.new_proposal(w.project, &[w.id()]) }));
    let review = Some(Review { by: w.by(), note: None, at: w.tick() });
    proposals.push(Proposal { review, ..w.new_proposal(w.project, &[]) });
    w.put_all(proposals.clone()).await;
    for expected in proposals {
        assert_eq!(proposal(&w, expected.id).await, Some(expected));
    }
    assert_eq!(proposal(&w, w.id()).await, None);
}

pub async fn saving_a_proposal_leaves_inputs_and_drafts_alone(store: &Shared) {
    let w = World::new(store).await;
    let plain = w.put(w.new_proposal(w.project, &[w.id(), w.id()])).await;
    let (draft, task) = (w.new_document_draft(), w.new_task_draft());
    w.write([Write::AddDocumentDraft(plain.id, draft.clone()), Write::AddTaskDraft(plain.id, task.clone())]).await;
    let Proposal { id, input_type, created_at, created_by, ref inputs, .. } = plain;
    let full = full(&w).await;
    let changed =
        Proposal { id, version: 2, input_type, created_at, created_by, inputs: inputs.clone(), ..full.clone() };
    // What is saved may have been loaded without its inputs.
    w.write([Write::SaveProposal(Proposal { inputs: full.inputs, ..changed.clone() })]).await;
    assert_eq!(proposal(&w, id).await, Some(changed));
    let back = Proposal { version: 3, ..plain.clone() };
    w.write([Write::SaveProposal(back.clone())]).await;
    assert_eq!(proposal(&w, id).await, Some(back));
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.document_drafts(&scope, id).await.unwrap(), [draft]);
    assert_eq!(reads.task_drafts(&scope, id, DraftBodies::Full).await.unwrap(), [task]);
}

pub async fn proposals_are_listed_newest_first_without_descriptions(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let mut expected = Vec::new();
    for status in [ProposalStatus::Draft, ProposalStatus::Pending, ProposalStatus::Draft] {
        let new = w.new_proposal(w.project, &[w.id(), w.id()]);
        let proposal = w.put(Proposal { status, description: Some("Long".into()), ..new }).await;
        expected.insert(0, Proposal { description: None, ..proposal });
    }
    w.put(w.new_proposal(other, &[])).await;
    let list = async |status| w.read().await.proposals(&w.scope(), w.project, status, &WHOLE).await.unwrap();
    let all = list(None).await;
    assert_eq!((all.total, all.more), (3, false));
    assert_eq!(items(all), expected);
    assert_eq!(items(list(Some(ProposalStatus::Draft)).await), [expected[0].clone(), expected[2].clone()]);
    assert_eq!(list(Some(ProposalStatus::Closed)).await.total, 0);
}

pub async fn document_drafts_keep_their_order(store: &Shared) {
    let w = World::new(store).await;
    let (one, two) = (w.put(w.new_proposal(w.project, &[])).await.id, w.put(w.new_proposal(w.project, &[])).await.id);
    let mut drafts = Vec::new();
    for kind in DocumentType::ALL.into_iter().rev() {
        let draft = DocumentDraft {
            kind,
            title: format!("{kind} {SCRIPTS}"),
            content: SCRIPTS.into(),
            ..w.new_document_draft()
        };
        let theirs = w.new_document_draft();
        w.write([Write::AddDocumentDraft(one, draft.clone()), Write::AddDocumentDraft(two, theirs)]).await;
        drafts.push(draft);
    }
    let empty = DocumentDraft { content: String::new(), ..w.new_document_draft() };
    w.write([Write::AddDocumentDraft(one, empty.clone())]).await;
    drafts.push(empty);
    let index: Vec<_> = drafts
        .iter()
        .map(|DocumentDraft { id, kind, title, content }| DocumentDraftIndex {
            id: *id,
            kind: *kind,
            title: title.clone(),
            content_length: u32::try_from(content.chars().count()).unwrap(),
        })
        .collect();
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.document_drafts(&scope, one).await.unwrap(), drafts);
    assert_eq!(reads.document_draft_index(&scope, one).await.unwrap(), index);
    assert_eq!(reads.document_drafts(&scope, w.id()).await.unwrap(), []);
    assert_eq!(reads.document_draft_index(&scope, w.id()).await.unwrap(), []);
}

pub async fn task_drafts_keep_their_order(store: &Shared) {
    let w = World::new(store).await;
    let id = w.put(w.new_proposal(w.project, &[])).await.id;
    let criterion = |required| CriterionDraft { description: SCRIPTS.into(), required };
    let plain = w.new_task_draft();
    let mut drafts = vec![
        TaskDraft {
            title: SCRIPTS.into(),
            description: Some(SCRIPTS.into()),
            priority: Some(Priority::High),
            story_points: Some(0.1),
            criteria: vec![criterion(false), criterion(true), criterion(false)],
            depends_on: vec![plain.id, w.id()],
            ..w.new_task_draft()
        },
        plain,
    ];
    drafts.extend(Priority::ALL.map(|priority| TaskDraft { priority: Some(priority), ..w.new_task_draft() }));
    drafts.push(TaskDraft { criteria: Vec::new(), ..w.new_task_draft() });
    for draft in &drafts {
        w.write([Write::AddTaskDraft(id, draft.clone())]).await;
    }
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.task_drafts(&scope, id, DraftBodies::Full).await.unwrap(), drafts);
    let short: Vec<_> = drafts.into_iter().map(|draft| TaskDraft { description: None, ..draft }).collect();
    assert_eq!(reads.task_drafts(&scope, id, DraftBodies::Omitted).await.unwrap(), short);
    assert_eq!(reads.task_drafts(&scope, w.id(), DraftBodies::Full).await.unwrap(), []);
}

pub async fn drafts_added_in_one_batch_keep_their_order(store: &Shared) {
    let w = World::new(store).await;
    let id = w.put(w.new_proposal(w.project, &[])).await.id;
    let [a, b, c] = std::array::from_fn(|_| w.new_document_draft());
    let [x, y] = std::array::from_fn(|_| w.new_task_draft());
    w.write([
        Write::AddDocumentDraft(id, c.clone()),
        Write::AddTaskDraft(id, y.clone()),
        Write::AddDocumentDraft(id, a.clone()),
        Write::AddDocumentDraft(id, b.clone()),
        Write::AddTaskDraft(id, x.clone()),
    ])
    .await;
    assert_eq!(w.read().await.document_drafts(&w.scope(), id).await.unwrap(), [c, a, b]);
    assert_eq!(w.read().await.task_drafts(&w.scope(), id, DraftBodies::Full).await.unwrap(), [y, x]);
}

pub async fn uses_of_an_input_are_listed_newest_first(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let (one, two, unused) = (w.id(), w.id(), w.id::<chorus_ids::IdeaId>());
    let new = |project, inputs: &[_], status| Proposal { status, ..w.new_proposal(project, inputs) };
    let old = w.put(new(w.project, &[one], ProposalStatus::Closed)).await;
    w.put(new(hidden, &[one], ProposalStatus::Draft)).await;
    let both = w.put(new(w.project, &[two, one], ProposalStatus::Pending)).await;
    w.put(new(w.project, &[], ProposalStatus::Pending)).await;
    let newest = w.put(new(w.project, &[two], ProposalStatus::Draft)).await;
    let uses = async |inputs: &[Uuid]| w.read().await.proposals_naming(&w.scope(), inputs).await.unwrap();
    let entry = |input: chorus_ids::IdeaId, proposal: &Proposal| ProposalUse {
        input: input.uuid(),
        proposal: proposal.id,
        title: proposal.title.clone(),
        status: proposal.status,
    };
    assert_eq!(uses(&[one.uuid()]).await, [entry(one, &both), entry(one, &old)]);
    let all = uses(&[one.uuid(), two.uuid(), unused.uuid()]).await;
    assert_eq!([&all[0], &all[3]], [&entry(two, &newest), &entry(one, &old)]);
    assert_eq!(sorted(all[1..3].to_vec()), sorted(vec![entry(one, &both), entry(two, &both)]));
    assert_eq!((all.len(), uses(&[unused.uuid()]).await, uses(&[]).await), (4, vec![], vec![]));
}

pub async fn stored_inputs_come_with_their_kinds(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let (idea, gone) = (w.put(w.new_idea(w.project)).await.id, w.id::<chorus_ids::IdeaId>());
    let document = w.put(w.new_document(w.project)).await.id.uuid();
    let from_ideas = w.put(w.new_proposal(hidden, &[gone, idea])).await.id.uuid();
    let from_documents =
        Proposal { input_type: InputType::Document, inputs: vec![document], ..w.new_proposal(w.project, &[]) };
    let from_documents = w.put(from_documents).await.id.uuid();
    let bare = w.put(w.new_proposal(w.project, &[])).await.id.uuid();
    let inputs =
        async |proposals: &[Uuid]| sorted(w.read().await.directory().proposal_inputs(proposals).await.unwrap());
    let ideas = vec![(Kind::Idea, gone.uuid()), (Kind::Idea, idea.uuid())];
    let all = [ideas.as_slice(), &[(Kind::Document, document)]].concat();
    assert_eq!(inputs(&[from_ideas]).await, sorted(ideas));
    assert_eq!(inputs(&[bare, from_documents, from_ideas, gone.uuid()]).await, sorted(all));
    assert_eq!(inputs(&[bare]).await, []);
    assert_eq!(inputs(&[]).await, []);
}

pub async fn one_draft_is_found_in_its_own_proposal(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let [one, two, unseen] = [w.project, w.project, hidden].map(|project| w.new_proposal(project, &[]));
    w.put_all([one.clone(), two.clone(), unseen.clone()]).await;
    let (document, task) = (w.new_document_draft(), TaskDraft { description: Some("Do".into()), ..w.new_task_draft() });
    w.write([Write::AddDocumentDraft(one.id, document.clone()), Write::AddTaskDraft(one.id, task.clone())]).await;
    let (far, away) = (w.new_document_draft(), w.new_task_draft());
    w.write([Write::AddDocumentDraft(unseen.id, far.clone()), Write::AddTaskDraft(unseen.id, away.clone())]).await;
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.document_draft(&scope, one.id, document.id).await.unwrap(), Some(document.clone()));
    assert_eq!(reads.task_draft(&scope, one.id, task.id).await.unwrap(), Some(task.clone()));
    for (proposal, document, task) in
        [(two.id, document.id, task.id), (one.id, task.id, document.id), (unseen.id, far.id, away.id)]
    {
        assert_eq!(reads.document_draft(&scope, proposal, document).await.unwrap(), None);
        assert_eq!(reads.task_draft(&scope, proposal, task).await.unwrap(), None);
    }
}

pub async fn saved_drafts_keep_their_places(store: &Shared) {
    let w = World::new(store).await;
    let (one, two) = (w.put(w.new_proposal(w.project, &[])).await.id, w.put(w.new_proposal(w.project, &[])).await.id);
    let mut documents = [w.new_document_draft(), w.new_document_draft()];
    let mut tasks = [w.new_task_draft(), w.new_task_draft()];
    for (document, task) in documents.iter().zip(&tasks) {
        w.write([Write::AddDocumentDraft(one, document.clone()), Write::AddTaskDraft(one, task.clone())]).await;
    }
    documents[0] = DocumentDraft {
        kind: DocumentType::Adr,
        title: SCRIPTS.into(),
        content: SCRIPTS.into(),
        ..documents[0].clone()
    };
    tasks[0] = TaskDraft {
        title: SCRIPTS.into(),
        description: Some(SCRIPTS.into()),
        priority: Some(Priority::Low),
        story_points: Some(0.5),
        criteria: vec![CriterionDraft { description: SCRIPTS.into(), required: false }],
        depends_on: vec![tasks[1].id],
        ..tasks[0].clone()
    };
    w.write([Write::SaveDocumentDraft(one, documents[0].clone()), Write::SaveTaskDraft(one, tasks[0].clone())]).await;
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.document_drafts(&scope, one).await.unwrap(), documents);
    assert_eq!(reads.task_drafts(&scope, one, DraftBodies::Full).await.unwrap(), tasks);
    // A draft of another proposal is none of this one.
    for write in [Write::SaveDocumentDraft(two, documents[0].clone()), Write::SaveTaskDraft(two, tasks[0].clone())] {
        assert!(matches!(w.try_write([write]).await, Err(crate::Error::Again(_))));
    }
}

pub async fn drafts_go_and_what_depended_on_them_is_set(store: &Shared) {
    let w = World::new(store).await;
    let (one, two) = (w.put(w.new_proposal(w.project, &[])).await.id, w.put(w.new_proposal(w.project, &[])).await.id);
    let document = w.new_document_draft();
    let [a, b, c] = std::array::from_fn(|_| w.new_task_draft());
    let b = TaskDraft { depends_on: vec![a.id, c.id], description: Some("Long".into()), ..b };
    let c = TaskDraft { depends_on: vec![a.id], ..c };
    w.write([Write::AddDocumentDraft(one, document.clone())]).await;
    for task in [&a, &b, &c] {
        w.write([Write::AddTaskDraft(one, task.clone())]).await;
    }
    // Under another proposal nothing of it is there.
    w.write([Write::DropDocumentDraft(two, document.id), Write::DropTaskDraft(two, a.id)]).await;
    w.write([Write::SetDraftDependencies(two, vec![(b.id, vec![])]), Write::SetDraftDependencies(one, vec![])]).await;
    let (scope, mut reads) = (w.scope(), w.read().await);
    assert_eq!(reads.document_drafts(&scope, one).await.unwrap(), std::slice::from_ref(&document));
    let tasks = reads.task_drafts(&scope, one, DraftBodies::Full).await.unwrap();
    assert_eq!(tasks, [a.clone(), b.clone(), c.clone()]);

    let left = vec![(b.id, vec![c.id]), (c.id, vec![])];
    w.write([
        Write::DropDocumentDraft(one, document.id),
        Write::DropTaskDraft(one, a.id),
        Write::SetDraftDependencies(one, left),
    ])
    .await;
    assert_eq!(reads.document_drafts(&scope, one).await.unwrap(), []);
    let (b, c) = (TaskDraft { depends_on: vec![c.id], ..b }, TaskDraft { depends_on: vec![], ..c });
    assert_eq!(reads.task_drafts(&scope, one, DraftBodies::Full).await.unwrap(), [b, c]);
}

pub async fn a_dropped_proposal_goes_with_what_hangs_on_it(store: &Shared) {
    let w = World::new(store).await;
    let [gone, kept] = [w.put(w.new_proposal(w.project, &[w.id()])).await, w.put(w.new_proposal(w.project, &[])).await];
    let made = w.put(Task { proposal: Some(gone.id), ..w.new_task(w.project) }).await;
    for proposal in [gone.id, kept.id] {
        w.put(w.new_comment(Kind::Proposal, proposal.uuid())).await;
        w.write([
            Write::AddDocumentDraft(proposal, w.new_document_draft()),
            Write::AddTaskDraft(proposal, w.new_task_draft()),
        ])
        .await;
    }
    let left = async |id: ProposalId| {
        let mut reads = w.read().await;
        let drafts = reads.document_drafts(&w.scope(), id).await.unwrap().len();
        let comments = reads.directory().hanging(Kind::Proposal, id.uuid()).await.unwrap().comments;
        (proposal(&w, id).await.is_some(), drafts, comments)
    };
    w.write([Write::DropProposal(gone.id)]).await;
    assert_eq!((left(gone.id).await, left(kept.id).await), ((false, 0, 0), (true, 1, 1)));
    // What was made from it stays and remembers.
    assert_eq!(w.read().await.task(&w.scope(), made.id).await.unwrap(), Some(made));
    // Whoever comes second has lost the race.
    let again = w.try_write([Write::DropProposal(gone.id)]).await;
    assert!(matches!(again, Err(Error::Again(_))), "{again:?}");
}
