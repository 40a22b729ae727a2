//! What a decision wants written, all or nothing.

use std::collections::BTreeMap;

use chorus_ids::{
    AgentId, CompanyId, CriterionId, DocumentId, DraftId, GroupId, IdeaId, KeyId, LinkId, NotificationId, ProjectId,
    ProposalId, ReferenceId, RoundId, SessionId, TaskId, Timestamp, UserId, Uuid,
};
use chorus_lifecycle::{elaboration::RoundStatus, session::SessionStatus};
use chorus_visibility::Scope;

use crate::{
    Kind, Party,
    account::{BrowserSession, Ending, OneTimeLink},
    activity::Activity,
    comment::Comment,
    document::{Document, PastVersion},
    elaboration::{Answer, Round},
    event::Event,
    idea::Idea,
    identity::{Agent, ApiKey, Company, FormerAgent, FormerUser, User},
    mention::Mention,
    notification::{Notice, Preference},
    project::{Group, GroupMember, Project, ProjectMember},
    proposal::{DocumentDraft, Proposal, TaskDraft},
    reference::Reference,
    session::{Checkin, Session},
    task::{Criterion, Edge, Judgement, Task},
};

/// One write. Variants that take a list write it in as few statements as the database allows.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A new company.
    NewCompany(Company),
    /// A new user.
    NewUser(User),
    /// Another password hash for a user.
    SetPassword(UserId, String),
    /// A new session of a person's browser.
    NewBrowserSession(BrowserSession),
    /// Sessions of a person's browsers end; those that ended before are fine.
    EndBrowserSessions(UserId, Ending),
    /// A new link that lets a person in once.
    NewLink(OneTimeLink),
    /// The link has been used; one that was used before has lost the unit a race.
    UseLink(LinkId, Timestamp),
    /// The links of a person that were not used no longer work.
    DropLinks(UserId),
    /// A new agent.
    NewAgent(Agent),
    /// The agent as it is now.
    SaveAgent(Agent),
    /// The agents go, with their keys, their sessions and what was addressed to them. What they made stays and names them.
    RemoveAgents(Vec<FormerAgent>),
    /// The person, who has no agent any more, goes with their roles and what was addressed to them. What they made stays
    /// and names them.
    RemoveUser(FormerUser),
    /// The person is suspended since this moment. Their roles are kept apart and count nowhere; the sessions of their
    /// browsers end, and links that would let them in no longer work.
    SuspendUser(UserId, Timestamp),
    /// The person is suspended no longer and has the roles again that they had, as far as their places are still there.
    ResumeUser(UserId, Timestamp),
    /// The sessions of these agents are closed and have left all their tasks.
    CloseSessionsOf(Vec<AgentId>, Timestamp),
    /// The sessions of these agents have left the tasks of this project.
    EndCheckinsIn(ProjectId, Vec<AgentId>, Timestamp),
    /// A new key.
    NewKey(ApiKey),
    /// The key no longer works.
    RevokeKey(KeyId, Timestamp),
    /// A new group.
    NewGroup(Group),
    /// A user's role in a group, new or changed.
    PutGroupMember(GroupMember),
    /// A new project.
    NewProject(Project),
    /// A user's role in a project, new or changed.
    PutProjectMember(ProjectMember),
    /// A new idea.
    NewIdea(Idea),
    /// The idea as it is now; its `version` is one more than the stored one, or the unit has lost a race.
    SaveIdea(Idea),
    /// A new round with its questions.
    NewRound(Round),
    /// The round's status.
    SetRoundStatus(RoundId, RoundStatus),
    /// Answers to questions of a round, by the questions' names.
    PutAnswers(RoundId, Vec<(String, Answer)>),
    /// A new proposal with its inputs, without drafts.
    NewProposal(Proposal),
    /// The proposal as it is now, its inputs and drafts apart; `version` as with ideas.
    SaveProposal(Proposal),
    /// A document draft at the end of the proposal's list.
    AddDocumentDraft(ProposalId, DocumentDraft),
    /// A task draft at the end of the proposal's list.
    AddTaskDraft(ProposalId, TaskDraft),
    /// New documents.
    NewDocuments(Vec<Document>),
    /// New tasks.
    NewTasks(Vec<Task>),
    /// The task as it is now; `version` as with ideas.
    SaveTask(Task),
    /// New acceptance criteria.
    NewCriteria(Vec<Criterion>),
    /// All criteria of the task go.
    DropCriteria(TaskId),
    /// The assignee's own judgement of some criteria.
    SetDevMarks(Vec<(CriterionId, Judgement)>),
    /// The reviewer's verdict on some criteria.
    SetVerdicts(Vec<(CriterionId, Judgement)>),
    /// All marks of all criteria of the task go back to pending.
    ResetMarks(TaskId),
    /// New dependencies.
    AddEdges(Vec<Edge>),
    /// Dependencies that go; one that is not there is fine.
    RemoveEdges(Vec<Edge>),
    /// A new comment.
    NewComment(Comment),
    /// New references, to things that exist or that the batch makes.
    NewReferences(Vec<Reference>),
    /// The reference as it is now.
    SaveReference(Reference),
    /// The reference goes.
    DropReference(ReferenceId),
    /// Who was newly mentioned.
    NewMentions(Vec<Mention>),
    /// The agent has just checked in.
    TouchAgent(AgentId, Timestamp),
    /// These notifications have been read; one that was read before keeps its time.
    MarkRead(Vec<NotificationId>, Timestamp),
    /// Everything that hangs on the idea follows it from one project into another: the ideas below it; the proposals of
    /// the old project that start from one of them, with their documents and tasks; the activities of all of these. The
    /// idea itself is saved before.
    MoveAlong(IdeaId, ProjectId, ProjectId, Timestamp),
    /// The idea goes with its rounds, comments, mentions and references. The ideas directly below it become roots.
    DropIdea(IdeaId, Timestamp),
    /// The task goes with its criteria, dependencies on both sides, check-ins, comments, mentions and references.
    DropTask(TaskId),
    /// The documents go with their past versions, comments and mentions.
    DropDocuments(Vec<DocumentId>),
    /// The proposal goes with its inputs, drafts, comments, mentions and references. What an approval of it made stays.
    DropProposal(ProposalId),
    /// The document as it is now; `version` as with ideas.
    SaveDocument(Document),
    /// What a document said before a change.
    KeepVersion(PastVersion),
    /// The draft as it is now, in its place.
    SaveDocumentDraft(ProposalId, DocumentDraft),
    /// The same for a task draft.
    SaveTaskDraft(ProposalId, TaskDraft),
    /// What these task drafts depend on.
    SetDraftDependencies(ProposalId, Vec<(DraftId, Vec<DraftId>)>),
    /// The document draft goes.
    DropDocumentDraft(ProposalId, DraftId),
    /// The task draft goes.
    DropTaskDraft(ProposalId, DraftId),
    /// Every task of the proposal that is not closed is: marks of submitted work are taken back, check-ins go, and so
    /// do dependencies of other tasks on them.
    CloseTasksOf(ProposalId, ProjectId, Timestamp),
    /// Notifications about these things are put away: what they are about is gone.
    ArchiveAbout(Kind, Vec<Uuid>, Timestamp),
    /// The group as it is now.
    SaveGroup(Group),
    /// The project as it is now: name, description, group and visibility.
    SaveProject(Project),
    /// A user is no longer an explicit member of a group; one who is none is fine.
    RemoveGroupMember(GroupId, UserId),
    /// A user is no longer a member of a project by itself; one who is none is fine.
    RemoveProjectMember(ProjectId, UserId),
    /// The group goes. Its projects went before it, or are in no group any more.
    DeleteGroup(GroupId),
    /// The projects go with everything in them; one that is gone already is fine.
    DeleteProjects(Vec<ProjectId>),
    /// Everything unread of somebody that the scope sees and that is not newer than this moment has been read then.
    MarkAllRead(Party, Scope, Timestamp),
    /// The notification is put away; one that was before keeps its time.
    ArchiveNotification(NotificationId, Timestamp),
    /// What somebody wants to hear about, as far as it is named.
    SetPreferences(CompanyId, Party, BTreeMap<Preference, bool>, Timestamp),
    /// The person has the project at hand, since this moment if they had not before.
    PinProject(UserId, ProjectId, Timestamp),
    /// They no longer have.
    UnpinProject(UserId, ProjectId),
    /// A new session.
    NewSession(Session),
    /// The session has this status since now; that counts as use.
    SetSessionStatus(SessionId, SessionStatus, Timestamp),
    /// The session was used, which a closed one does not notice.
    TouchSession(SessionId, Timestamp),
    /// The session is at the task, since now if it was there before.
    PutCheckin(Checkin),
    /// The session has left the task; where it is not at it, nothing changes.
    EndCheckin(SessionId, TaskId, Timestamp),
    /// The session has left all its tasks.
    EndCheckins(SessionId, Timestamp),
}

/// Everything that one decision wants written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Rows, in an order that satisfies their references.
    pub writes: Vec<Write>,
    /// Entries for activity streams.
    pub activities: Vec<Activity>,
    /// Change events.
    pub events: Vec<Event>,
    /// Notifications, their recipients still to be worked out.
    pub notices: Vec<Notice>,
}

impl Batch {
    /// Whether nothing at all is to be written.
    pub const fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.activities.is_empty() && self.events.is_empty() && self.notices.is_empty()
    }

    /// The projects that it deletes.
    pub fn deleted_projects(&self) -> impl Iterator<Item = ProjectId> {
        let deleted = |write: &Write| match write {
            Write::DeleteProjects(projects) => projects.clone(),
            _ => Vec::new(),
        };
        self.writes.iter().flat_map(deleted)
    }

    /// Adds what another decision wants written, behind what is here.
    pub fn extend(&mut self, other: Self) {
        self.writes.extend(other.writes);
        self.activities.extend(other.activities);
        self.events.extend(other.events);
        self.notices.extend(other.notices);
    }
}
