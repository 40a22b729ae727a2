//! What a decision wants written, all or nothing.

use chorus_ids::{
    AgentId, CriterionId, GroupId, KeyId, NotificationId, ProjectId, ProposalId, RoundId, TaskId, Timestamp, UserId,
};
use chorus_lifecycle::elaboration::RoundStatus;

use crate::{
    activity::Activity,
    comment::Comment,
    document::Document,
    elaboration::{Answer, Round},
    event::Event,
    idea::Idea,
    identity::{Agent, ApiKey, Company, User},
    notification::Notice,
    project::{Group, GroupMember, Project, ProjectMember},
    proposal::{DocumentDraft, Proposal, TaskDraft},
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
    /// A new agent.
    NewAgent(Agent),
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
    /// The agent has just checked in.
    TouchAgent(AgentId, Timestamp),
    /// These notifications have been read; one that was read before keeps its time.
    MarkRead(Vec<NotificationId>, Timestamp),
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
