//! Writing what a decision left. Compiled once per backend.

use chorus_domain::{
    Batch, Refusal, Write,
    access::Granted,
    notification::Notification,
    refusal::{Problem, Reason},
};
use chorus_store::{Error, Result};

use super::{
    access::{delete_projects, remove_project_member, save_project},
    account::{drop_links, end_browser_sessions, insert_browser_session, insert_link, use_link},
    activity::insert_activities,
    comment::insert_comment,
    document::{insert_documents, keep_version, save_document},
    elaboration::{insert_round, put_answers, set_round_status},
    event::{insert_events, streams},
    fate::{close_tasks_of, drop_documents, drop_idea, drop_proposal, drop_task, move_along},
    group::{delete_group, remove_group_member, save_group},
    idea::{insert_idea, save_idea},
    identity::{
        insert_agent, insert_company, insert_key, insert_user, revoke_key, save_agent, set_password, touch_agent,
    },
    leaving::{close_sessions_of, end_checkins_in, remove_agents, remove_user, resume_user, suspend_user},
    mention::insert_mentions,
    notification::{archive, archive_about, insert_notifications, mark_all_read, mark_read},
    preference::set_preferences,
    project::{insert_group, insert_project, put_group_member, put_project_member},
    proposal::{
        add_document_draft, add_task_draft, drop_document_draft, drop_task_draft, insert_proposal, save_document_draft,
        save_proposal, save_task_draft, set_draft_dependencies,
    },
    reference::{drop_reference, insert_references, save_reference},
    search_index::{entries, put},
    session::{Leaving, end_checkins, insert_session, put_checkin, set_session_status, touch_session},
    task::{
        Side, delete_edges, drop_criteria, insert_criteria, insert_edges, insert_tasks, reset_marks, save_task,
        set_marks,
    },
    touched::Touched,
    unit::Unit,
    visit::{pin_project, unpin_project},
};
use crate::failure::{Failure, Rule, Violation};

/// See [`Tx::apply`](chorus_store::Tx::apply).
pub(super) async fn apply(
    unit: &mut Unit,
    granted: &Granted,
    batch: &Batch,
    notifications: &[Notification],
) -> Result<()> {
    Touched::by(&batch.writes, granted).check(unit, granted).await?;
    // Before the writes: what one of them deletes takes its entry along, in whatever order they come.
    let words = entries(unit.loaded(), &batch.writes);
    let indexed = put(unit.conn(), &words).await;
    unit.checked(indexed)?;
    // What follows the writes counts as one more.
    let all = batch.writes.len() + 1;
    for (done, write) in batch.writes.iter().enumerate() {
        run(unit, write).await?;
        unit.report(done + 1, all);
    }
    let written = insert_activities(unit.conn(), &batch.activities).await;
    unit.checked(written)?;
    unit.lock_named(streams(&batch.events)).await?;
    let written = insert_events(unit.conn(), &batch.events).await;
    unit.guarded(written).map_err(|failure| match failure {
        // Somebody took the number meanwhile, which only who does not wait for the others can do.
        Failure::Violation(violation) if violation.constraint.as_deref() == Some(TAKEN) => {
            Error::Again(Box::new(violation))
        }
        failure @ (Failure::Violation(_) | Failure::Again(_) | Failure::Unable(_) | Failure::Fault(_)) => {
            failure.into()
        }
    })?;
    let written = insert_notifications(unit.conn(), notifications).await;
    unit.checked(written)?;
    unit.report(all, all);
    Ok(())
}

/// The numbers of an entity's events are unique.
const TAKEN: &str = "event_entity_type_entity_id_seq_key";

async fn run(unit: &mut Unit, write: &Write) -> Result<()> {
    let conn = unit.conn();
    let written = match write {
        Write::NewCompany(new) => insert_company(conn, new).await,
        Write::NewUser(new) => insert_user(conn, new).await,
        Write::SetPassword(user, hash) => set_password(conn, *user, hash).await,
        Write::NewBrowserSession(new) => insert_browser_session(conn, new).await,
        Write::EndBrowserSessions(user, ending) => end_browser_sessions(conn, *user, *ending).await,
        Write::NewLink(new) => insert_link(conn, new).await,
        Write::UseLink(link, at) => use_link(conn, *link, *at).await,
        Write::DropLinks(user) => drop_links(conn, *user).await,
        Write::NewAgent(new) => insert_agent(conn, new).await,
        Write::SaveAgent(new) => save_agent(conn, new).await,
        Write::RemoveAgents(former) => remove_agents(conn, former).await,
        Write::RemoveUser(former) => remove_user(conn, former).await,
        Write::SuspendUser(user, at) => suspend_user(conn, *user, *at).await,
        Write::ResumeUser(user, at) => resume_user(conn, *user, *at).await,
        Write::CloseSessionsOf(agents, at) => close_sessions_of(conn, agents, *at).await,
        Write::EndCheckinsIn(project, agents, at) => end_checkins_in(conn, *project, agents, *at).await,
        Write::NewKey(new) => insert_key(conn, new).await,
        Write::RevokeKey(key, at) => revoke_key(conn, *key, *at).await,
        Write::NewGroup(new) => insert_group(conn, new).await,
        Write::PutGroupMember(member) => put_group_member(conn, member).await,
        Write::NewProject(new) => insert_project(conn, new).await,
        Write::PutProjectMember(member) => put_project_member(conn, member).await,
        Write::NewIdea(new) => insert_idea(conn, new).await,
        Write::SaveIdea(new) => save_idea(conn, new).await,
        Write::NewRound(new) => insert_round(conn, new).await,
        Write::SetRoundStatus(round, status) => set_round_status(conn, *round, *status).await,
        Write::PutAnswers(round, answers) => put_answers(conn, *round, answers).await,
        Write::NewProposal(new) => insert_proposal(conn, new).await,
        Write::SaveProposal(new) => save_proposal(conn, new).await,
        Write::AddDocumentDraft(proposal, draft) => add_document_draft(conn, *proposal, draft).await,
        Write::AddTaskDraft(proposal, draft) => add_task_draft(conn, *proposal, draft).await,
        Write::NewDocuments(new) => insert_documents(conn, new).await,
        Write::NewTasks(new) => insert_tasks(conn, new).await,
        Write::SaveTask(new) => save_task(conn, new).await,
        Write::NewCriteria(new) => insert_criteria(conn, new).await,
        Write::DropCriteria(task) => drop_criteria(conn, *task).await,
        Write::SetDevMarks(marks) => set_marks(conn, Side::Dev, marks).await,
        Write::SetVerdicts(marks) => set_marks(conn, Side::Verdict, marks).await,
        Write::ResetMarks(task) => reset_marks(conn, *task).await,
        Write::AddEdges(new) => insert_edges(conn, new).await,
        Write::RemoveEdges(gone) => delete_edges(conn, gone).await,
        Write::NewComment(new) => insert_comment(conn, new).await,
        Write::NewReferences(new) => insert_references(conn, new).await,
        Write::SaveReference(new) => save_reference(conn, new).await,
        Write::DropReference(id) => drop_reference(conn, *id).await,
        Write::NewMentions(new) => insert_mentions(conn, new).await,
        Write::TouchAgent(agent, at) => touch_agent(conn, *agent, *at).await,
        Write::MarkRead(ids, at) => mark_read(conn, ids, *at).await,
        Write::MoveAlong(idea, from, to, at) => move_along(conn, *idea, (*from, *to), *at).await,
        Write::DropIdea(idea, at) => drop_idea(conn, *idea, *at).await,
        Write::DropTask(task) => drop_task(conn, *task).await,
        Write::DropDocuments(documents) => drop_documents(conn, documents).await,
        Write::DropProposal(proposal) => drop_proposal(conn, *proposal).await,
        Write::SaveDocument(new) => save_document(conn, new).await,
        Write::KeepVersion(past) => keep_version(conn, past).await,
        Write::SaveDocumentDraft(proposal, draft) => save_document_draft(conn, *proposal, draft).await,
        Write::SaveTaskDraft(proposal, draft) => save_task_draft(conn, *proposal, draft).await,
        Write::SetDraftDependencies(proposal, drafts) => set_draft_dependencies(conn, *proposal, drafts).await,
        Write::DropDocumentDraft(proposal, draft) => drop_document_draft(conn, *proposal, *draft).await,
        Write::DropTaskDraft(proposal, draft) => drop_task_draft(conn, *proposal, *draft).await,
        Write::CloseTasksOf(proposal, project, at) => close_tasks_of(conn, *proposal, *project, *at).await,
        Write::ArchiveAbout(kind, ids, at) => archive_about(conn, *kind, ids, *at).await,
        Write::SaveGroup(group) => save_group(conn, group).await,
        Write::SaveProject(project) => save_project(conn, project).await,
        Write::RemoveGroupMember(group, user) => remove_group_member(conn, *group, *user).await,
        Write::RemoveProjectMember(project, user) => remove_project_member(conn, *project, *user).await,
        Write::DeleteGroup(group) => delete_group(conn, *group).await,
        Write::DeleteProjects(projects) => delete_projects(conn, projects).await,
        Write::MarkAllRead(recipient, scope, at) => mark_all_read(conn, *recipient, scope, *at).await,
        Write::ArchiveNotification(id, at) => archive(conn, *id, *at).await,
        Write::SetPreferences(company, owner, wanted, at) => {
            set_preferences(conn, (*company, *owner), wanted, *at).await
        }
        Write::PinProject(user, project, at) => pin_project(conn, *user, *project, *at).await,
        Write::UnpinProject(user, project) => unpin_project(conn, *user, *project).await,
        Write::NewSession(new) => insert_session(conn, new).await,
        Write::SetSessionStatus(session, status, at) => set_session_status(conn, *session, *status, *at).await,
        Write::TouchSession(session, at) => touch_session(conn, *session, *at).await,
        Write::PutCheckin(new) => put_checkin(conn, new).await,
        Write::EndCheckin(session, task, at) => end_checkins(conn, *session, Leaving::Task(*task), *at).await,
        Write::EndCheckins(session, at) => end_checkins(conn, *session, Leaving::Everything, *at).await,
    };
    let rows = unit.refused(written, refusal)?;
    let needs_its_row = matches!(
        write,
        Write::SaveIdea(_)
            | Write::SaveProposal(_)
            | Write::SaveTask(_)
            | Write::SaveReference(_)
            | Write::DropReference(_)
            | Write::SaveDocument(_)
            | Write::SaveDocumentDraft(..)
            | Write::SaveTaskDraft(..)
            | Write::DropIdea(..)
            | Write::DropTask(_)
            | Write::DropProposal(_)
            | Write::SaveGroup(_)
            | Write::SaveProject(_)
            | Write::DeleteGroup(_)
            | Write::SuspendUser(..)
            | Write::ResumeUser(..)
            | Write::RemoveUser(_)
            | Write::UseLink(..)
    );
    if needs_its_row && rows == 0 {
        return Err(unit.over(Error::Again("a saved row changed since it was loaded".into())));
    }
    Ok(())
}

/// What a caller can do about a violation. Whatever is not here no caller can cause: it is checked before, or the
/// values are ours.
fn refusal(violation: &Violation) -> Option<Refusal> {
    let constraint = violation.constraint.as_deref()?;
    match violation.rule {
        Rule::Unique if constraint == "app_user_company_id_email_key_key" => {
            let taken = Problem::new("email", "belongs to another user already; choose another");
            Some(Refusal::problems(vec![taken.because(Reason::Taken)]))
        }
        Rule::Check => {
            let outside = || Problem::new("storyPoints", "is outside 0 to 1000").because(Reason::OutOfRange);
            let fields: [(&str, &dyn Fn() -> Problem); 5] = [
                ("_title_check", &|| Problem::blank("title")),
                ("_name_check", &|| Problem::blank("name")),
                ("comment_content_check", &|| Problem::blank("content")),
                ("acceptance_criterion_description_check", &|| Problem::blank("description")),
                ("_story_points_check", &outside),
            ];
            let (_, problem) = fields.into_iter().find(|(end, _)| constraint.ends_with(end))?;
            Some(Refusal::problems(vec![problem()]))
        }
        Rule::Unique | Rule::ForeignKey | Rule::NotNull => None,
    }
}
