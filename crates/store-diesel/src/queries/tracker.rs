//! What somebody has to do.

use async_trait::async_trait;
use chorus_domain::Party;
use chorus_ids::{ProposalId, Timestamp};
use chorus_lifecycle::task::TaskStatus;
use chorus_store::{Position, Result, Row, TrackedIdea, TrackedTask, Trackers};
use chorus_visibility::Scope;
use diesel::{dsl::not, prelude::*, sql_types::BigInt};

use super::{
    Db,
    columns::columns,
    idea::{DERIVES_DONE, FactCounts, Falling, IdeaRow, LATEST, WithFacts, summary},
    task::TaskRow,
    unit::Unit,
};
use crate::{
    fragment::{Constant, behind, constant, fixed, padded},
    schema::{idea, project, task},
    stored::{by_kind, count32},
    types::Val,
    visible::visible,
};

const CRITERIA: Constant<BigInt> =
    constant("(SELECT count(*) FROM acceptance_criterion tc WHERE tc.task_id = task.id)");

/// Those that a reviewer marked as passed; the assignee's own marks don't count.
const CRITERIA_PASSED: Constant<BigInt> =
    constant("(SELECT count(*) FROM acceptance_criterion tc WHERE tc.task_id = task.id AND tc.status = 'passed')");

/// The row of this table is held by one of the users or agents; both lists may be empty.
macro_rules! held_by {
    ($table:ident, $users:expr, $agents:expr) => {
        ($table::assignee_type
            .eq(Some(Val("user")))
            .and($table::assignee_id.assume_not_null().eq_any(padded($users.iter().map(Val)))))
        .or($table::assignee_type
            .eq(Some(Val("agent")))
            .and($table::assignee_id.assume_not_null().eq_any(padded($agents.iter().map(Val)))))
        .assume_not_null()
    };
}

#[async_trait]
impl Trackers for Unit {
    async fn tracked_ideas(
        &mut self,
        scope: &Scope,
        holders: &[Party],
        after: Option<Position>,
        limit: u32,
    ) -> Result<Vec<Row<TrackedIdea>>> {
        if holders.is_empty() {
            return Ok(Vec::new());
        }
        let (users, agents) = by_kind(holders);
        let list = idea::table
            .inner_join(project::table)
            .filter(held_by!(idea, users, agents))
            .filter(visible(scope, idea::project_id))
            // A status of old that is never written any more (data model specification §9).
            .filter(idea::status.ne(Val("closed")))
            .filter(idea::is_container.or(not(DERIVES_DONE)))
            .into_boxed::<Db>();
        let list = match after {
            Some(place) => list.filter(behind(idea::updated_at, idea::id, &place)),
            None => list,
        };
        let ideas = list.order((idea::updated_at.desc(), idea::id.desc())).limit(limit.into()).select((
            columns::<IdeaRow>(),
            project::name,
            LATEST,
        ));
        let ideas = WithFacts { ideas, order: Falling::Updated };
        let loaded: Vec<(FactCounts, (IdeaRow, String, Option<ProposalId>))> = self.rows(fixed(ideas)).await?;
        let rows = loaded.into_iter().map(|(counts, (row, project_name, latest))| {
            let summary = summary(row, None, latest, counts)?;
            let at = Position { rank: 0, at: summary.idea.updated_at, id: summary.idea.id.uuid() };
            Ok(Row { at, item: TrackedIdea { summary, project_name } })
        });
        rows.collect()
    }

    async fn tracked_tasks(
        &mut self,
        scope: &Scope,
        holders: &[Party],
        after: Option<Position>,
        limit: u32,
    ) -> Result<Vec<Row<TrackedTask>>> {
        if holders.is_empty() {
            return Ok(Vec::new());
        }
        let (users, agents) = by_kind(holders);
        let finished = TaskStatus::ALL.into_iter().filter(|status| status.is_finished());
        let list = task::table
            .inner_join(project::table)
            .filter(held_by!(task, users, agents))
            .filter(visible(scope, task::project_id))
            .filter(task::status.ne_all(finished.map(Val)))
            .into_boxed::<Db>();
        // INVARIANT (held): a held task has the time since when, by a constraint.
        let since = task::assigned_at.assume_not_null();
        let list = match after {
            Some(place) => {
                list.filter(task::priority_rank.gt(place.rank).or(task::priority_rank.eq(place.rank).and(behind(
                    since,
                    task::id,
                    &place,
                ))))
            }
            None => list,
        };
        let tasks = list
            .order((task::priority_rank, task::assigned_at.desc(), task::id.desc()))
            .limit(limit.into())
            .select((columns::<TaskRow>(), since, project::name, CRITERIA_PASSED, CRITERIA));
        let loaded: Vec<(TaskRow, Timestamp, String, i64, i64)> = self.rows(fixed(tasks)).await?;
        let rows = loaded.into_iter().map(|(row, since, project_name, passed, total)| {
            let at = Position { rank: row.priority_rank, at: since, id: row.id.uuid() };
            let (criteria_passed, criteria_total) = (count32(passed), count32(total));
            Ok(Row { at, item: TrackedTask { task: row.read(None)?, project_name, criteria_passed, criteria_total } })
        });
        rows.collect()
    }
}
