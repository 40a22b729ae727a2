//! Which projects a batch writes in. Compiled once per backend.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{Kind, Write, access::Granted};
use chorus_ids::{CriterionId, ProjectId, Uuid};
use chorus_store::{Error, Result};
use diesel::{
    QueryResult,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

use super::{Db, unit::Unit};
use crate::{
    locate::source,
    types::{Label, Uid},
    visible::list,
};

/// No project has this id, so only a grant of everything covers it.
const NOWHERE: ProjectId = ProjectId::from_u128(0);

/// What a batch writes to, as far as that belongs to projects.
///
/// The stored project counts: a row says where its thing shall be, not where it is. What the batch itself makes is where
/// the batch says; what the call was authorised for is where that was found, under locks.
#[derive(Default)]
pub(super) struct Touched {
    /// Projects that rows name.
    projects: BTreeSet<ProjectId>,
    /// What the batch makes.
    made: BTreeSet<(Kind, Uuid)>,
    /// Whose projects have to be looked up.
    things: BTreeMap<Kind, Vec<Uuid>>,
    /// The same for criteria, which have no kind.
    criteria: Vec<CriterionId>,
    /// Targets of comments and references: nothing but this look sees whether they exist.
    commented: BTreeSet<(Kind, Uuid)>,
}

impl Touched {
    /// What these writes touch, under this grant.
    pub(super) fn by(writes: &[Write], granted: &Granted) -> Self {
        let mut touched = Self::default();
        for write in writes {
            touched.add(write);
        }
        for (kind, ids) in &mut touched.things {
            ids.sort_unstable();
            ids.dedup();
            ids.retain(|id| !touched.made.contains(&(*kind, *id)) && granted.project_of(*kind, *id).is_none());
        }
        touched.things.retain(|_, ids| !ids.is_empty());
        touched
    }

    fn add(&mut self, write: &Write) {
        match write {
            Write::NewProject(new) => {
                self.made.insert((Kind::Project, new.id.uuid()));
            }
            Write::PutProjectMember(member) => {
                self.projects.insert(member.project);
            }
            Write::NewIdea(new) => self.make(Kind::Idea, new.id.uuid(), new.project),
            Write::SaveIdea(new) => self.save(Kind::Idea, new.id.uuid(), new.project),
            Write::NewRound(new) => {
                self.made.insert((Kind::Round, new.id.uuid()));
                self.touch(Kind::Idea, new.idea.uuid());
            }
            Write::SetRoundStatus(round, _) | Write::PutAnswers(round, _) => self.touch(Kind::Round, round.uuid()),
            Write::NewProposal(new) => self.make(Kind::Proposal, new.id.uuid(), new.project),
            Write::SaveProposal(new) => self.save(Kind::Proposal, new.id.uuid(), new.project),
            Write::AddDocumentDraft(proposal, _) | Write::AddTaskDraft(proposal, _) => {
                self.touch(Kind::Proposal, proposal.uuid());
            }
            Write::NewDocuments(new) => {
                new.iter().for_each(|new| self.make(Kind::Document, new.id.uuid(), new.project));
            }
            Write::NewTasks(new) => new.iter().for_each(|new| self.make(Kind::Task, new.id.uuid(), new.project)),
            Write::SaveTask(new) => self.save(Kind::Task, new.id.uuid(), new.project),
            Write::NewCriteria(new) => new.iter().for_each(|new| self.touch(Kind::Task, new.task.uuid())),
            Write::DropCriteria(task) | Write::ResetMarks(task) => self.touch(Kind::Task, task.uuid()),
            Write::SetDevMarks(marks) | Write::SetVerdicts(marks) => {
                self.criteria.extend(marks.iter().map(|(criterion, _)| *criterion));
            }
            // The prerequisite is read, not written.
            Write::AddEdges(edges) | Write::RemoveEdges(edges) => {
                edges.iter().for_each(|edge| self.touch(Kind::Task, edge.task.uuid()));
            }
            Write::NewComment(new) => {
                self.touch(new.target, new.target_id);
                self.commented.insert((new.target, new.target_id));
                self.made.insert((Kind::Comment, new.id.uuid()));
            }
            Write::NewReferences(new) => {
                for new in new {
                    self.touch(new.target, new.target_id);
                    self.commented.insert((new.target, new.target_id));
                }
            }
            Write::SaveReference(new) => self.touch(Kind::Reference, new.id.uuid()),
            Write::DropReference(id) => self.touch(Kind::Reference, id.uuid()),
            Write::NewMentions(new) => new.iter().for_each(|new| self.touch(new.source, new.source_id)),
            Write::MoveAlong(idea, from, to, _) => {
                self.touch(Kind::Idea, idea.uuid());
                self.projects.extend([*from, *to]);
            }
            Write::DropIdea(idea, _) => self.touch(Kind::Idea, idea.uuid()),
            Write::DropTask(task) => self.touch(Kind::Task, task.uuid()),
            Write::DropDocuments(documents) => documents.iter().for_each(|id| self.touch(Kind::Document, id.uuid())),
            Write::DropProposal(proposal) => self.touch(Kind::Proposal, proposal.uuid()),
            Write::SaveDocument(new) => self.save(Kind::Document, new.id.uuid(), new.project),
            Write::KeepVersion(past) => self.touch(Kind::Document, past.document.uuid()),
            Write::SaveDocumentDraft(proposal, _)
            | Write::SaveTaskDraft(proposal, _)
            | Write::SetDraftDependencies(proposal, _)
            | Write::DropDocumentDraft(proposal, _)
            | Write::DropTaskDraft(proposal, _) => self.touch(Kind::Proposal, proposal.uuid()),
            Write::CloseTasksOf(proposal, project, _) => self.save(Kind::Proposal, proposal.uuid(), *project),
            Write::SaveProject(saved) => {
                self.projects.insert(saved.id);
            }
            Write::RemoveProjectMember(project, _) => {
                self.projects.insert(*project);
            }
            Write::PinProject(_, project, _) | Write::UnpinProject(_, project) => {
                self.projects.insert(*project);
            }
            Write::DeleteProjects(gone) => self.projects.extend(gone),
            Write::PutCheckin(new) => self.touch(Kind::Task, new.task.uuid()),
            Write::EndCheckinsIn(project, ..) => {
                self.projects.insert(*project);
            }
            Write::EndCheckin(_, task, _) => self.touch(Kind::Task, task.uuid()),
            // What belongs to a company or to somebody, not to a project.
            Write::NewCompany(_)
            | Write::NewUser(_)
            | Write::SetPassword(..)
            | Write::NewBrowserSession(_)
            | Write::EndBrowserSessions(..)
            | Write::NewLink(_)
            | Write::UseLink(..)
            | Write::DropLinks(_)
            | Write::NewAgent(_)
            | Write::SaveAgent(_)
            | Write::RemoveAgents(_)
            | Write::RemoveUser(_)
            | Write::SuspendUser(..)
            | Write::ResumeUser(..)
            // Whoever is not let in any more leaves all tasks.
            | Write::CloseSessionsOf(..)
            | Write::NewKey(_)
            | Write::RevokeKey(..)
            | Write::NewGroup(_)
            | Write::PutGroupMember(_)
            | Write::TouchAgent(..)
            | Write::MarkRead(..)
            | Write::ArchiveAbout(..)
            | Write::SaveGroup(_)
            | Write::RemoveGroupMember(..)
            | Write::DeleteGroup(_)
            | Write::MarkAllRead(..)
            | Write::ArchiveNotification(..)
            | Write::SetPreferences(..)
            | Write::NewSession(_)
            | Write::SetSessionStatus(..)
            | Write::TouchSession(..)
            // Whoever ends a session leaves all its tasks, those that it may no longer see too.
            | Write::EndCheckins(..) => {}
        }
    }

    fn make(&mut self, kind: Kind, id: Uuid, project: ProjectId) {
        self.made.insert((kind, id));
        self.projects.insert(project);
    }

    fn save(&mut self, kind: Kind, id: Uuid, project: ProjectId) {
        self.touch(kind, id);
        self.projects.insert(project);
    }

    fn touch(&mut self, kind: Kind, id: Uuid) {
        if source(kind).is_some() {
            self.things.entry(kind).or_default().push(id);
        }
    }

    /// Refuses whatever the grant does not cover, with at most one statement. What does not exist is left to the
    /// statement that writes it, where a foreign key or a count of rows tells.
    pub(super) async fn check(self, unit: &mut Unit, granted: &Granted) -> Result<()> {
        let places = if self.things.is_empty() && self.criteria.is_empty() {
            Vec::new()
        } else {
            unit.rows::<(Kind, Uuid, ProjectId), _>(Places(&self)).await?
        };
        let found: BTreeSet<(Kind, Uuid)> = places.iter().map(|(kind, id, _)| (*kind, *id)).collect();
        let lost = self.commented.iter().any(|(kind, id)| {
            self.things.get(kind).is_some_and(|ids| ids.contains(id)) && !found.contains(&(*kind, *id))
        });
        let projects = places.iter().map(|(_, _, project)| *project).chain(self.projects.iter().copied());
        let covered =
            |project: ProjectId| granted.covers(project) || self.made.contains(&(Kind::Project, project.uuid()));
        match projects.chain(lost.then_some(NOWHERE)).find(|project| !covered(*project)) {
            None => Ok(()),
            Some(project) => {
                Err(unit.over(Error::internal(format!("a write touches project {project}, which was not granted"))))
            }
        }
    }
}

/// A whole statement: where things are. Criteria count as their tasks.
struct Places<'t>(&'t Touched);

impl Query for Places<'_> {
    type SqlType = (Label, Uid, Uid);
}
impl QueryId for Places<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Places<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT e.kind, e.id, e.project_id FROM (");
        let mut union = "";
        for (kind, ids) in &self.0.things {
            if let Some(source) = source(*kind) {
                out.push_sql(union);
                out.push_sql(source);
                list(&mut out, ids)?;
                union = " UNION ALL ";
            }
        }
        if !self.0.criteria.is_empty() {
            out.push_sql(union);
            out.push_sql(
                "SELECT DISTINCT 'task' AS kind, t.id, t.project_id FROM acceptance_criterion x \
                 JOIN task t ON t.id = x.task_id WHERE x.id IN ",
            );
            list(&mut out, &self.0.criteria)?;
        }
        out.push_sql(") e WHERE e.project_id IS NOT NULL");
        Ok(())
    }
}
