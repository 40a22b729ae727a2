//! What a task is loaded with: its criteria, its references and the tasks beside it.

use chorus_domain::{
    Kind, Party,
    reference::Reference,
    task::{Criterion, Judgement, Task, TaskRef},
};
use chorus_ids::{CriterionId, ReferenceId, TaskId, Timestamp, Uuid};
use chorus_lifecycle::{criterion::Mark, reference::ReferenceType, task::TaskStatus};
use chorus_store::{Error, Related, Result, TaskDetail};
use chorus_visibility::Scope;
use diesel::{
    QueryResult, Queryable,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Bool, Integer, Nullable, Text},
};

use super::Db;
use crate::{
    fragment::{Constant, constant},
    stored::optional_party,
    types::{Label, Stamp, Uid},
    visible::{Visible, visible},
};

/// What a row beside a task is.
const CRITERION: &str = "criterion";
const PREREQUISITE: &str = "prerequisite";
const DEPENDANT: &str = "dependant";
const REFERENCE: &str = "reference";

/// A criterion of a task, a reference attached to it, or a task beside it. Those have a shape of their own in common, so
/// that one statement loads all of them.
#[derive(Queryable)]
pub(super) struct PartRow {
    /// [`CRITERION`], [`PREREQUISITE`], [`DEPENDANT`] or [`REFERENCE`].
    part: String,
    id: Uuid,
    /// What the criterion says; the title.
    text: String,
    /// Of a criterion.
    position: i32,
    /// Whether the criterion is required; whether the task is in the scope.
    flag: bool,
    /// Of a task.
    task_status: Option<TaskStatus>,
    dev_status: Option<Mark>,
    /// Of a mark; where the reference leads.
    dev_evidence: Option<String>,
    /// Who made the mark; who holds the task; who attached the reference.
    dev_marked_by_type: Option<String>,
    dev_marked_by_id: Option<Uuid>,
    /// When the mark was made; when the task or the reference was.
    dev_marked_at: Option<Timestamp>,
    status: Option<Mark>,
    /// Of a mark; the notes of the reference.
    evidence: Option<String>,
    /// Of a mark; what the reference leads to.
    marked_by_type: Option<String>,
    marked_by_id: Option<Uuid>,
    /// Of a mark; when the reference was last changed.
    marked_at: Option<Timestamp>,
}

/// The SQL types of a [`PartRow`].
type PartSql = (
    Text,
    Uid,
    Text,
    Integer,
    Bool,
    Nullable<Label>,
    Nullable<Label>,
    Nullable<Text>,
    Nullable<Label>,
    Nullable<Uid>,
    Nullable<Stamp>,
    Nullable<Label>,
    Nullable<Text>,
    Nullable<Label>,
    Nullable<Uid>,
    Nullable<Stamp>,
);

impl PartRow {
    fn criterion(self, task: TaskId) -> Result<Criterion> {
        let (Some(dev), Some(mark)) = (self.dev_status, self.status) else {
            return Err(Error::internal("stored: a criterion without its marks"));
        };
        let dev_by = optional_party(self.dev_marked_by_type.as_deref(), self.dev_marked_by_id)?;
        let by = optional_party(self.marked_by_type.as_deref(), self.marked_by_id)?;
        Ok(Criterion {
            id: CriterionId::from_uuid(self.id),
            task,
            description: self.text,
            required: self.flag,
            dev: judgement(dev, self.dev_evidence, dev_by, self.dev_marked_at)?,
            verdict: judgement(mark, self.evidence, by, self.marked_at)?,
            position: self.position,
        })
    }

    fn reference(self, task: &Task) -> Result<Reference> {
        let missing = || Error::internal("stored: half of a reference is missing");
        let kind =
            self.marked_by_type.as_deref().and_then(|word| word.parse::<ReferenceType>().ok()).ok_or_else(missing)?;
        let by = optional_party(self.dev_marked_by_type.as_deref(), self.dev_marked_by_id)?;
        Ok(Reference {
            id: ReferenceId::from_uuid(self.id),
            company: task.company,
            target: Kind::Task,
            target_id: task.id.uuid(),
            kind,
            url: self.dev_evidence.ok_or_else(missing)?,
            title: self.text,
            notes: self.evidence,
            created_by: by.ok_or_else(missing)?,
            created_at: self.dev_marked_at.ok_or_else(missing)?,
            updated_at: self.marked_at.ok_or_else(missing)?,
        })
    }

    /// Adds the task by name if the scope sees it, else to the numbers.
    fn beside(self, related: &mut Related) -> Result<()> {
        let status = self.task_status.ok_or_else(|| Error::internal("stored: a task without a status"))?;
        if self.flag {
            let assignee = optional_party(self.dev_marked_by_type.as_deref(), self.dev_marked_by_id)?;
            related.visible.push(TaskRef { id: TaskId::from_uuid(self.id), title: self.text, status, assignee });
        } else {
            related.hidden += 1;
            related.hidden_open += u32::from(!status.is_finished());
        }
        Ok(())
    }
}

/// A whole statement: the criteria of a task, its references and the tasks beside it.
pub(super) struct Parts<'s> {
    task: TaskId,
    shown: Visible<'s, Constant<Uid>>,
}

impl<'s> Parts<'s> {
    pub(super) fn of(scope: &'s Scope, task: TaskId) -> Self {
        Self { task, shown: visible(scope, constant("t.project_id")) }
    }
}

impl Query for Parts<'_> {
    type SqlType = PartSql;
}
impl QueryId for Parts<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Parts<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "SELECT 'criterion' AS part, c.id, c.description, c.position, c.required, NULL AS task_status, c.dev_status, \
             c.dev_evidence, c.dev_marked_by_type, c.dev_marked_by_id, c.dev_marked_at, c.status, c.evidence, \
             c.marked_by_type, c.marked_by_id, c.marked_at FROM acceptance_criterion c WHERE c.task_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.task)?;
        for (part, end) in [
            (PREREQUISITE, "t.id = d.depends_on_id WHERE d.task_id = "),
            (DEPENDANT, "t.id = d.task_id WHERE d.depends_on_id = "),
        ] {
            out.push_sql(" UNION ALL SELECT '");
            out.push_sql(part);
            out.push_sql("', t.id, t.title, 0, ");
            self.shown.walk_ast(out.reborrow())?;
            out.push_sql(
                ", t.status, NULL, NULL, t.assignee_type, t.assignee_id, t.created_at, NULL, NULL, NULL, NULL, NULL \
                 FROM task_dependency d JOIN task t ON ",
            );
            out.push_sql(end);
            out.push_bind_param::<Uid, _>(&self.task)?;
        }
        out.push_sql(
            " UNION ALL SELECT 'reference', r.id, r.title, 0, TRUE, NULL, NULL, r.url, \
             r.created_by_type, r.created_by_id, r.created_at, NULL, r.notes, r.kind, NULL, r.updated_at \
             FROM reference_artifact r WHERE r.target_type = 'task' AND r.target_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.task)
    }
}

/// The task with its criteria, its references and the tasks beside it. Of tasks outside the scope only numbers are left: nothing of them
/// leaves.
pub(super) fn detail(task: Task, mut parts: Vec<PartRow>, comments: u64) -> Result<TaskDetail> {
    parts.sort_unstable_by_key(|part| (part.position, part.dev_marked_at, part.id));
    let (mut depends_on, mut depended_by) = (Related::default(), Related::default());
    let (mut criteria, mut references) = (Vec::new(), Vec::new());
    for part in parts {
        match part.part.as_str() {
            CRITERION => criteria.push(part.criterion(task.id)?),
            REFERENCE => references.push(part.reference(&task)?),
            PREREQUISITE => part.beside(&mut depends_on)?,
            _ => part.beside(&mut depended_by)?,
        }
    }
    criteria.sort_unstable_by_key(|criterion| (criterion.position, criterion.id));
    Ok(TaskDetail { task, criteria, references, depends_on, depended_by, comments })
}

fn judgement(mark: Mark, evidence: Option<String>, by: Option<Party>, at: Option<Timestamp>) -> Result<Judgement> {
    let by = match (by, at) {
        (Some(by), Some(at)) => Some((by, at)),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(Error::internal("stored: half of a mark is missing")),
    };
    Ok(Judgement { mark, evidence, by })
}
