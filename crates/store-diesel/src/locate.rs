//! Where things are, and how a principal stands there: one statement for any mix of kinds.

use chorus_domain::{Kind, access::Located};
use chorus_ids::{CompanyId, GroupId, ProjectId, Uuid};
use chorus_visibility::{GroupFacts, Principal, ProjectFacts, Role, Visibility};
use diesel::{
    QueryResult, Queryable,
    backend::Backend,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::{Bool, HasSqlType, Nullable, Text},
};

use crate::{
    types::{Label, Uid},
    visible::list,
};

/// A whole statement: the projects of these things, with the principal's roles. A thing without a project (missing, or a
/// session that is checked in nowhere) has no row; a session has one per project it is checked in to.
///
/// Roles are read as of this statement. One that takes locks must not do that: it would wait for a member's removal and
/// still see the old role. So: locate, lock, locate again.
#[derive(Debug)]
pub(crate) struct Locate {
    principal: Option<Uuid>,
    // INVARIANT (locate): kinds that have a source, each once, none empty.
    things: Vec<(Kind, Vec<Uuid>)>,
}

impl Locate {
    /// The statement for these things; `None` if none of them can be in a project.
    pub(crate) fn new(principal: &Principal, things: &[(Kind, Uuid)]) -> Option<Self> {
        let mut by_kind = std::collections::BTreeMap::<Kind, Vec<Uuid>>::new();
        for (kind, id) in things.iter().filter(|(kind, _)| source(*kind).is_some()) {
            by_kind.entry(*kind).or_default().push(*id);
        }
        for ids in by_kind.values_mut() {
            ids.sort_unstable();
            ids.dedup();
        }
        let things: Vec<_> = by_kind.into_iter().collect();
        if things.is_empty() { None } else { Some(Self { principal: principal.user.map(|user| user.uuid()), things }) }
    }
}

/// Rows of (kind, id, project) of a kind, up to the list of ids.
pub(crate) const fn source(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Project => Some("SELECT 'project' AS kind, x.id, x.id AS project_id FROM project x WHERE x.id IN "),
        Kind::Idea => Some("SELECT 'idea' AS kind, x.id, x.project_id FROM idea x WHERE x.id IN "),
        Kind::Proposal => Some("SELECT 'proposal' AS kind, x.id, x.project_id FROM proposal x WHERE x.id IN "),
        Kind::Document => Some("SELECT 'document' AS kind, x.id, x.project_id FROM document x WHERE x.id IN "),
        Kind::Task => Some("SELECT 'task' AS kind, x.id, x.project_id FROM task x WHERE x.id IN "),
        Kind::Comment => Some(
            "SELECT 'comment' AS kind, x.id, COALESCE(i.project_id, o.project_id, d.project_id, t.project_id) \
             AS project_id FROM comment x \
             LEFT JOIN idea i ON x.target_type = 'idea' AND i.id = x.target_id \
             LEFT JOIN proposal o ON x.target_type = 'proposal' AND o.id = x.target_id \
             LEFT JOIN document d ON x.target_type = 'document' AND d.id = x.target_id \
             LEFT JOIN task t ON x.target_type = 'task' AND t.id = x.target_id WHERE x.id IN ",
        ),
        Kind::Reference => Some(
            "SELECT 'reference' AS kind, x.id, COALESCE(i.project_id, o.project_id, t.project_id) AS project_id \
             FROM reference_artifact x \
             LEFT JOIN idea i ON x.target_type = 'idea' AND i.id = x.target_id \
             LEFT JOIN proposal o ON x.target_type = 'proposal' AND o.id = x.target_id \
             LEFT JOIN task t ON x.target_type = 'task' AND t.id = x.target_id WHERE x.id IN ",
        ),
        Kind::Session => Some(
            "SELECT DISTINCT 'session' AS kind, x.session_id AS id, t.project_id FROM session_checkin x \
             JOIN task t ON t.id = x.task_id WHERE x.checkout_at IS NULL AND x.session_id IN ",
        ),
        Kind::Round => Some(
            "SELECT 'round' AS kind, x.id, i.project_id FROM elaboration_round x \
             JOIN idea i ON i.id = x.idea_id WHERE x.id IN ",
        ),
        // A group is located by itself; the others are nobody's but their owner's.
        Kind::Group | Kind::Notification | Kind::Agent | Kind::User | Kind::Key => None,
    }
}

impl Query for Locate {
    type SqlType = (
        Label,
        Uid,
        Uid,
        Uid,
        Text,
        Label,
        Nullable<Label>,
        Bool,
        Nullable<Uid>,
        Nullable<Label>,
        Nullable<Label>,
        Bool,
    );
}

impl QueryId for Locate {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false; // its text depends on the kinds
}

impl<DB: Backend + HasSqlType<Uid>> QueryFragment<DB> for Locate
where
    Uuid: ToSql<Uid, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("SELECT e.kind, e.id, p.id, p.company_id, p.name, p.visibility, ");
        self.role(&mut out, "project_member m WHERE m.project_id = p.id")?;
        out.push_sql(", EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.role = 'admin'), ");
        out.push_sql("g.id, g.visibility, ");
        self.role(&mut out, "group_member m WHERE m.group_id = g.id")?;
        out.push_sql(", EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = g.id AND m.role = 'admin') FROM (");
        for (i, (kind, ids)) in self.things.iter().enumerate() {
            if i > 0 {
                out.push_sql(" UNION ALL ");
            }
            if let Some(source) = source(*kind) {
                out.push_sql(source);
                list(&mut out, ids)?;
            }
        }
        out.push_sql(") e JOIN project p ON p.id = e.project_id LEFT JOIN project_group g ON g.id = p.group_id");
        out.push_sql(" AND g.company_id = p.company_id");
        Ok(())
    }
}

impl Locate {
    /// The principal's role in `members`.
    fn role<'b, DB>(&'b self, out: &mut AstPass<'_, 'b, DB>, members: &str) -> QueryResult<()>
    where
        DB: Backend + HasSqlType<Uid>,
        Uuid: ToSql<Uid, DB>,
    {
        match &self.principal {
            None => out.push_sql("CAST(NULL AS text)"),
            Some(user) => {
                out.push_sql("(SELECT m.role FROM ");
                out.push_sql(members);
                out.push_sql(" AND m.user_id = ");
                out.push_bind_param::<Uid, _>(user)?;
                out.push_sql(")");
            }
        }
        Ok(())
    }
}

/// A row of [`Locate`].
#[derive(Debug, Queryable)]
pub(crate) struct LocatedRow {
    kind: Kind,
    id: Uuid,
    project: ProjectId,
    company: CompanyId,
    project_name: String,
    visibility: Visibility,
    role: Option<String>,
    has_admin: bool,
    group: Option<GroupId>,
    group_visibility: Option<Visibility>,
    group_role: Option<String>,
    group_has_admin: bool,
}

impl From<LocatedRow> for Located {
    fn from(row: LocatedRow) -> Self {
        let group = row.group.map(|id| GroupFacts {
            id,
            visibility: row.group_visibility.unwrap_or(Visibility::Private),
            role: row.group_role.as_deref().and_then(Role::read),
            has_admin: row.group_has_admin,
        });
        Self {
            kind: row.kind,
            id: row.id,
            project_name: row.project_name,
            facts: ProjectFacts {
                company: row.company,
                project: row.project,
                visibility: row.visibility,
                role: row.role.as_deref().and_then(Role::read),
                has_admin: row.has_admin,
                group,
            },
        }
    }
}
