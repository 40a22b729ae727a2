//! What rows say that can't be true together. Constraints of the database rule out the rest.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::Kind;
use chorus_ids::Uuid;
use chorus_store::{Contradiction, Result};
use diesel::{
    prelude::*,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::BigInt,
};

use super::{Db, unit::Unit};
use crate::{
    schema::task_dependency,
    types::{Label, Uid},
};

/// A rule and a statement whose rows break it, as kind and id.
struct Rule {
    says: &'static str,
    broken_by: &'static str,
}

/// One of the five kinds that a mark, a link or a remark can be about is gone.
macro_rules! without_target {
    ($kind:literal, $table:literal, $type:literal, $id:literal) => {
        concat!(
            "SELECT '",
            $kind,
            "', x.id FROM ",
            $table,
            " x WHERE NOT (",
            "(x.",
            $type,
            " = 'idea' AND EXISTS (SELECT 1 FROM idea t WHERE t.id = x.",
            $id,
            "))",
            " OR (x.",
            $type,
            " = 'proposal' AND EXISTS (SELECT 1 FROM proposal t WHERE t.id = x.",
            $id,
            "))",
            " OR (x.",
            $type,
            " = 'document' AND EXISTS (SELECT 1 FROM document t WHERE t.id = x.",
            $id,
            "))",
            " OR (x.",
            $type,
            " = 'task' AND EXISTS (SELECT 1 FROM task t WHERE t.id = x.",
            $id,
            "))",
            " OR (x.",
            $type,
            " = 'comment' AND EXISTS (SELECT 1 FROM comment t WHERE t.id = x.",
            $id,
            "))",
            " OR x.",
            $type,
            " = 'project_group')"
        )
    };
}

/// The row's company is not that of its project.
macro_rules! of_another_company {
    ($kind:literal, $table:literal) => {
        concat!(
            "SELECT '",
            $kind,
            "', x.id FROM ",
            $table,
            " x JOIN project p ON p.id = x.project_id ",
            "WHERE p.company_id <> x.company_id"
        )
    };
}

/// `x.project_id` is a project that the person in `u` and the agent in `a`, whose owner that is, can't edit; at least one
/// of the two has to be there, and the person not suspended (visibility specification §3.1).
macro_rules! without_access {
    ($select:literal, $from:literal, $where:literal) => {
        concat!(
            "SELECT ",
            $select,
            " FROM ",
            $from,
            " LEFT JOIN project p ON p.id = x.project_id WHERE ",
            $where,
            " AND NOT (COALESCE(u.id, a.id) IS NOT NULL AND u.suspended_at IS NULL AND (p.visibility = 'public'",
            " OR EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.user_id = u.id",
            " AND m.role IN ('editor', 'admin'))",
            " OR EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = p.group_id AND m.user_id = u.id",
            " AND m.role IN ('editor', 'admin'))",
            " OR (u.id = (SELECT f.id FROM app_user f WHERE f.company_id = p.company_id AND f.suspended_at IS NULL",
            " ORDER BY f.created_at, f.id LIMIT 1) AND CASE WHEN p.group_id IS NULL",
            " THEN NOT EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.role = 'admin')",
            " ELSE NOT EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = p.group_id AND m.role = 'admin') END)))"
        )
    };
}

const HELD: &str = concat!(
    without_access!(
        "'task', x.id",
        "task x LEFT JOIN agent a ON x.assignee_type = 'agent' AND a.id = x.assignee_id \
         LEFT JOIN app_user u ON u.id = CASE x.assignee_type WHEN 'user' THEN x.assignee_id ELSE a.owner_id END",
        "x.status IN ('assigned', 'in_progress') AND x.assignee_id IS NOT NULL"
    ),
    " UNION ALL ",
    without_access!(
        "'idea', x.id",
        "idea x LEFT JOIN agent a ON x.assignee_type = 'agent' AND a.id = x.assignee_id \
         LEFT JOIN app_user u ON u.id = CASE x.assignee_type WHEN 'user' THEN x.assignee_id ELSE a.owner_id END",
        "x.assignee_id IS NOT NULL AND x.status <> 'elaborated'"
    )
);

const CHECKED_IN: &str = without_access!(
    "DISTINCT 'session', s.id",
    "session_checkin c JOIN agent_session s ON s.id = c.session_id JOIN task x ON x.id = c.task_id \
     JOIN agent a ON a.id = s.agent_id LEFT JOIN app_user u ON u.id = a.owner_id",
    "c.checkout_at IS NULL"
);

const COMPANIES: &str = concat!(
    of_another_company!("idea", "idea"),
    " UNION ALL ",
    of_another_company!("proposal", "proposal"),
    " UNION ALL ",
    of_another_company!("document", "document"),
    " UNION ALL ",
    of_another_company!("task", "task"),
    " UNION ALL ",
    "SELECT 'project', x.id FROM project x JOIN project_group g ON g.id = x.group_id WHERE g.company_id <> x.company_id"
);

const RULES: &[Rule] = &[
    Rule {
        says: "work on a task begins when its prerequisites are finished, unless somebody forced it",
        broken_by: "SELECT DISTINCT 'task', t.id FROM task t JOIN task_dependency d ON d.task_id = t.id \
                    JOIN task p ON p.id = d.depends_on_id \
                    WHERE t.status IN ('in_progress', 'to_verify') AND p.status NOT IN ('done', 'closed') \
                    AND NOT EXISTS (SELECT 1 FROM activity a WHERE a.target_type = 'task' AND a.target_id = t.id \
                    AND a.action = 'force_status_change')",
    },
    Rule {
        says: "an open task has no holder, and one that is worked on has one",
        broken_by: "SELECT 'task', t.id FROM task t WHERE (t.status = 'open' AND t.assignee_id IS NOT NULL) \
                    OR (t.status IN ('assigned', 'in_progress', 'to_verify') AND t.assignee_id IS NULL)",
    },
    Rule { says: "whoever holds something unfinished can edit its project", broken_by: HELD },
    Rule { says: "a session is at tasks only that its agent can edit", broken_by: CHECKED_IN },
    Rule {
        says: "whoever is suspended has no role",
        broken_by: "SELECT DISTINCT 'user', u.id FROM app_user u WHERE u.suspended_at IS NOT NULL \
                    AND (EXISTS (SELECT 1 FROM project_member m WHERE m.user_id = u.id) \
                    OR EXISTS (SELECT 1 FROM group_member m WHERE m.user_id = u.id))",
    },
    Rule {
        says: "whoever is suspended is signed in nowhere",
        broken_by: "SELECT DISTINCT 'user', u.id FROM app_user u JOIN browser_session s ON s.user_id = u.id \
                    WHERE u.suspended_at IS NOT NULL",
    },
    Rule {
        says: "a link lets people into their own company",
        broken_by: "SELECT DISTINCT 'user', u.id FROM app_user u JOIN one_time_link l ON l.user_id = u.id \
                    WHERE l.company_id <> u.company_id",
    },
    Rule {
        says: "a task was made from a proposal of its project, or from none",
        broken_by: "SELECT 'task', t.id FROM task t LEFT JOIN proposal p ON p.id = t.proposal_id \
                    WHERE t.proposal_id IS NOT NULL AND (p.id IS NULL OR p.project_id <> t.project_id)",
    },
    Rule {
        says: "an idea is in the project of the idea above it",
        broken_by: "SELECT 'idea', i.id FROM idea i JOIN idea p ON p.id = i.parent_id WHERE p.project_id <> i.project_id",
    },
    Rule { says: "things belong to the company of their project", broken_by: COMPANIES },
    Rule {
        says: "a comment is on something that exists",
        broken_by: without_target!("comment", "comment", "target_type", "target_id"),
    },
    Rule {
        says: "a reference is attached to something that exists",
        broken_by: without_target!("reference", "reference_artifact", "target_type", "target_id"),
    },
    Rule {
        says: "a mention stands in something that exists",
        broken_by: without_target!("mention", "mention", "source_type", "source_id"),
    },
    Rule {
        says: "a closed session is checked in nowhere",
        broken_by: "SELECT DISTINCT 'session', s.id FROM agent_session s JOIN session_checkin c ON c.session_id = s.id \
                    WHERE s.status = 'closed' AND c.checkout_at IS NULL",
    },
    Rule {
        says: "the events of a thing are numbered without a gap",
        broken_by: "SELECT e.entity_type, e.entity_id FROM event e GROUP BY e.entity_type, e.entity_id \
                    HAVING count(*) <> max(e.seq)",
    },
    Rule {
        says: "whoever did something is known",
        broken_by: "SELECT 'activity', a.id FROM activity a \
                    WHERE (a.actor_type = 'agent' AND NOT EXISTS (SELECT 1 FROM agent g WHERE g.id = a.actor_id) \
                    AND NOT EXISTS (SELECT 1 FROM former_agent g WHERE g.id = a.actor_id)) \
                    OR (a.actor_type = 'user' AND NOT EXISTS (SELECT 1 FROM app_user u WHERE u.id = a.actor_id) \
                    AND NOT EXISTS (SELECT 1 FROM former_user u WHERE u.id = a.actor_id))",
    },
];

/// Says of dependencies what no statement can say cheaply.
const CIRCLE: &str = "no dependency is part of a circle, nor waits for one";

/// See [`Operator::contradictions`](chorus_store::Operator::contradictions).
pub(super) async fn contradictions(unit: &mut Unit, limit: u32) -> Result<Vec<Contradiction>> {
    let mut found = Vec::new();
    for rule in RULES {
        let rows: Vec<(String, Uuid)> = unit.rows(Breaches { of: rule.broken_by, limit: limit.into() }).await?;
        found.extend(rows.into_iter().map(|(kind, id)| Contradiction { rule: rule.says, kind, id }));
    }
    let edges = task_dependency::table.select((task_dependency::task_id, task_dependency::depends_on_id));
    let edges: Vec<(chorus_ids::TaskId, chorus_ids::TaskId)> = unit.rows(edges).await?;
    let edges = edges.into_iter().map(|(task, before)| (task.uuid(), before.uuid()));
    let circle = in_circles(edges).into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX));
    found.extend(circle.map(|id| Contradiction { rule: CIRCLE, kind: Kind::Task.as_str().to_owned(), id }));
    Ok(found)
}

/// What is left when everything that waits for nothing is taken away, again and again.
fn in_circles(edges: impl Iterator<Item = (Uuid, Uuid)>) -> BTreeSet<Uuid> {
    let mut waits = BTreeMap::<Uuid, usize>::new();
    let mut before = BTreeMap::<Uuid, Vec<Uuid>>::new();
    for (task, prerequisite) in edges {
        *waits.entry(task).or_default() += 1;
        waits.entry(prerequisite).or_default();
        before.entry(prerequisite).or_default().push(task);
    }
    let mut free: Vec<Uuid> = waits.iter().filter(|(_, count)| **count == 0).map(|(task, _)| *task).collect();
    while let Some(task) = free.pop() {
        waits.remove(&task);
        for waiting in before.remove(&task).unwrap_or_default() {
            if let Some(count) = waits.get_mut(&waiting) {
                *count -= 1;
                if *count == 0 {
                    free.push(waiting);
                }
            }
        }
    }
    waits.into_keys().collect()
}

/// A whole statement: rows that break a rule, at most some.
struct Breaches {
    of: &'static str,
    limit: i64,
}

impl Query for Breaches {
    type SqlType = (Label, Uid);
}
impl QueryId for Breaches {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Breaches {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(self.of);
        out.push_sql(" LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        Ok(())
    }
}
