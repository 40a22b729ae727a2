//! What the database refuses comes back in words that a caller can use, or in none.

use chorus_domain::{
    Batch, Code, Kind, Write,
    access::Granted,
    comment::Comment,
    document::Document,
    elaboration::Round,
    idea::Idea,
    identity::{ApiKey, User},
    project::{Group, Project, ProjectMember},
    proposal::Proposal,
    task::{Criterion, Edge, Task},
};
use chorus_ids::UserId;
use chorus_visibility::Role;

use super::world::{Shared, World, assert_discreet};
use crate::Error;

/// The write is refused without a trace, and in words that show nothing of the database.
async fn refused(w: &World, what: &str, write: Write) -> Error {
    let idea = w.new_idea(w.project);
    let batch = Batch { writes: vec![Write::NewIdea(idea.clone()), write], ..Batch::default() };
    let Err(error) = w.apply_as(&Granted::operator(), &batch, &[]).await else { panic!("{what} was accepted") };
    assert_discreet(&error);
    assert!(matches!(error, Error::Refused(_) | Error::Internal(_)), "{what}: {error:?}");
    assert_eq!(w.read().await.idea(&w.scope(), idea.id).await.unwrap(), None, "{what}");
    error
}

pub async fn an_address_that_is_taken_is_an_invalid_email(store: &Shared) {
    let w = World::new(store).await;
    w.put(User { email: Some("Ada.Müller@Example.invalid".into()), ..w.new_user() }).await;
    for email in ["Ada.Müller@Example.invalid", "ada.müller@example.invalid", "ADA.MÜLLER@EXAMPLE.INVALID"] {
        let user = User { email: Some(email.into()), ..w.new_user() };
        let error = refused(&w, email, Write::NewUser(user)).await;
        let refusal = error.refusal().unwrap();
        assert_eq!(refusal.code, Code::InvalidArguments);
        assert_eq!(refusal.details.as_ref().unwrap()["problems"][0]["field"], "email");
    }
}

pub async fn blank_titles_and_names_are_refused(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await;
    for blank in ["", "   "] {
        let title: String = blank.into();
        for (what, write) in [
            ("group", Write::NewGroup(Group { name: title.clone(), ..w.new_group() })),
            ("project", Write::NewProject(Project { name: title.clone(), ..w.new_project() })),
            ("idea", Write::NewIdea(Idea { title: title.clone(), ..w.new_idea(w.project) })),
            ("proposal", Write::NewProposal(Proposal { title: title.clone(), ..w.new_proposal(w.project, &[]) })),
            ("document", Write::NewDocuments(vec![Document { title: title.clone(), ..w.new_document(w.project) }])),
            ("task", Write::NewTasks(vec![Task { title: title.clone(), ..w.new_task(w.project) }])),
            ("saved task", Write::SaveTask(Task { title: title.clone(), version: 2, ..task.clone() })),
            (
                "criterion",
                Write::NewCriteria(vec![Criterion { description: title.clone(), ..w.new_criterion(task.id, 0) }]),
            ),
            (
                "comment",
                Write::NewComment(Comment { content: title.clone(), ..w.new_comment(Kind::Task, task.id.uuid()) }),
            ),
        ] {
            refused(&w, what, write).await;
        }
    }
}

pub async fn ids_hashes_and_numbers_that_are_taken_are_refused(store: &Shared) {
    let w = World::new(store).await;
    let key = w.put(w.new_key(w.agent)).await;
    let (idea, task) = (w.put(w.new_idea(w.project)).await, w.put(w.new_task(w.project)).await);
    w.put(w.new_round(idea.id, 1)).await;
    let new = w.new_task(w.project);
    let mut twins = w.new_round(idea.id, 2);
    let name = twins.questions[0].name.clone();
    twins.questions[1].name = name;
    for (what, write) in [
        ("a hash", Write::NewKey(ApiKey { hash: key.hash, ..w.new_key(w.agent) })),
        ("an idea's id", Write::NewIdea(idea.clone())),
        ("a task's id", Write::NewTasks(vec![w.new_task(w.project), task.clone()])),
        ("one id twice in a batch", Write::NewTasks(vec![new.clone(), new])),
        ("a round's number", Write::NewRound(w.new_round(idea.id, 1))),
        ("a question's name", Write::NewRound(twins)),
    ] {
        refused(&w, what, write).await;
    }
}

pub async fn references_to_nothing_are_refused(store: &Shared) {
    let w = World::new(store).await;
    let task = w.put(w.new_task(w.project)).await;
    let nobody: UserId = w.id();
    let member =
        ProjectMember { project: w.project, user: nobody, role: Role::Viewer, added_by: None, created_at: w.tick() };
    for (what, write) in [
        ("a project in no group", Write::NewProject(Project { group: Some(w.id()), ..w.new_project() })),
        ("an idea in no project", Write::NewIdea(w.new_idea(w.id()))),
        ("an idea below none", Write::NewIdea(Idea { parent: Some(w.id()), ..w.new_idea(w.project) })),
        ("a round of no idea", Write::NewRound(w.new_round(w.id(), 1))),
        ("a proposal in no project", Write::NewProposal(w.new_proposal(w.id(), &[]))),
        ("a draft in no proposal", Write::AddDocumentDraft(w.id(), w.new_document_draft())),
        ("a task draft in no proposal", Write::AddTaskDraft(w.id(), w.new_task_draft())),
        ("a document in no project", Write::NewDocuments(vec![w.new_document(w.id())])),
        ("a task in no project", Write::NewTasks(vec![w.new_task(w.id())])),
        ("a criterion of no task", Write::NewCriteria(vec![w.new_criterion(w.id(), 0)])),
        ("an edge to nothing", Write::AddEdges(vec![Edge { task: task.id, depends_on: w.id() }])),
        ("an edge from nothing", Write::AddEdges(vec![Edge { task: w.id(), depends_on: task.id }])),
        ("a member who is nobody", Write::PutProjectMember(member)),
        ("a key of no agent", Write::NewKey(w.new_key(w.id()))),
    ] {
        refused(&w, what, write).await;
    }
}

pub async fn values_out_of_range_are_refused(store: &Shared) {
    let w = World::new(store).await;
    let (idea, task) = (w.put(w.new_idea(w.project)).await, w.put(w.new_task(w.project)).await);
    let points = |points| Write::NewTasks(vec![Task { story_points: Some(points), ..w.new_task(w.project) }]);
    for (what, write) in [
        ("negative points", points(-0.001)),
        ("too many points", points(1000.001)),
        ("endless points", points(f64::INFINITY)),
        ("endlessly negative points", points(-1e300)),
        ("an eleventh round", Write::NewRound(w.new_round(idea.id, 11))),
        ("a round 0", Write::NewRound(Round { number: 0, ..w.new_round(idea.id, 1) })),
        ("a task that waits for itself", Write::AddEdges(vec![Edge { task: task.id, depends_on: task.id }])),
        ("an idea below itself", Write::SaveIdea(Idea { parent: Some(idea.id), version: 2, ..idea.clone() })),
        ("a version 0", Write::NewTasks(vec![Task { version: 0, ..w.new_task(w.project) }])),
    ] {
        refused(&w, what, write).await;
    }
}

pub async fn a_nul_character_is_kept_whole_or_refused_without_a_word_of_the_database(store: &Shared) {
    let w = World::new(store).await;
    let task = Task { title: "a\0b".into(), ..w.new_task(w.project) };
    match w.try_write([Write::NewTasks(vec![task.clone()])]).await {
        Ok(()) => assert_eq!(w.read().await.task(&w.scope(), task.id).await.unwrap(), Some(task)),
        Err(error) => assert_discreet(&error),
    }
}
