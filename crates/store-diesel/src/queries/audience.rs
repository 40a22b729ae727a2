//! Whom recipients of a notification stand for.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{Party, notification::Recipient};
use chorus_ids::{CompanyId, GroupId, ProjectId, UserId, Uuid};
use chorus_store::{Addressee, Result};
use chorus_visibility::{GroupFacts, Level, Principal, ProjectFacts, Role, Visibility, level};
use diesel::{
    QueryResult, Queryable,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Bool, Nullable},
};

use super::{Db, preference::muted, unit::Unit};
use crate::{
    stored::{by_kind, party},
    types::{Label, Uid},
    visible::list,
};

/// See [`Directory::audience`](chorus_store::Directory::audience). Two statements: who stands how to the project, and
/// what they muted. Who may see it, and who administers it, the rules of visibility say.
pub(super) async fn audience(
    unit: &mut Unit,
    project: ProjectId,
    recipients: &[Recipient],
) -> Result<Vec<(Recipient, Addressee)>> {
    let recipients: BTreeSet<Recipient> = recipients.iter().copied().collect();
    let Some(statement) = Standings::new(project, &recipients) else { return Ok(Vec::new()) };
    let rows: Vec<StandingRow> = unit.rows(statement).await?;
    let mut standings = BTreeMap::new();
    for row in rows {
        let (party, standing) = row.read(project)?;
        standings.insert(party, standing);
    }
    let sees = |party: Party| standings.get(&party).filter(|standing| standing.level >= Level::Viewer);
    let mut found: Vec<(Recipient, Party)> = Vec::new();
    for recipient in recipients {
        match recipient {
            Recipient::Party(party) => found.extend(sees(party).map(|_| (recipient, party))),
            Recipient::OwnerOf(agent @ Party::Agent(_)) => {
                // The agent has its owner's access, so this is the owner's level too.
                let owner = sees(agent).and_then(|standing| standing.principal);
                found.extend(owner.map(|owner| (recipient, Party::User(owner))));
            }
            // A person has no owner; whoever is entitled is not looked up.
            Recipient::OwnerOf(Party::User(_)) | Recipient::Entitled(_) => {}
            Recipient::ProjectAdmins => {
                let admins = standings.iter().filter(|(party, standing)| match party {
                    Party::User(_) => standing.level == Level::Admin,
                    Party::Agent(_) => false,
                });
                found.extend(admins.map(|(party, _)| (recipient, *party)));
            }
        }
    }
    let parties: BTreeSet<Party> = found.iter().map(|(_, party)| *party).collect();
    let muted = muted(unit, &parties.into_iter().collect::<Vec<_>>()).await?;
    let addressed = found.into_iter().map(|(recipient, party)| {
        let muted = muted.get(&party).cloned().unwrap_or_default();
        (recipient, Addressee { party, muted })
    });
    Ok(addressed.collect())
}

/// See [`Directory::level_of`](chorus_store::Directory::level_of).
pub(super) async fn level_of(unit: &mut Unit, project: ProjectId, party: Party) -> Result<Option<Level>> {
    let Some(statement) = Standings::new(project, &BTreeSet::from([Recipient::Party(party)])) else { return Ok(None) };
    let found: Option<StandingRow> = unit.row(statement).await?;
    Ok(found.map(|row| row.read(project)).transpose()?.map(|(_, standing)| standing.level))
}

/// How a party stands to the project.
struct Standing {
    /// Whose memberships count.
    principal: Option<UserId>,
    level: Level,
}

/// A whole statement: users and agents of the project's company, each with what its level follows from. Includes
/// whoever may be an administrator, if asked for them.
struct Standings {
    project: Uuid,
    users: Vec<Uuid>,
    agents: Vec<Uuid>,
    admins: bool,
}

impl Standings {
    /// `None` if nobody is asked for.
    fn new(project: ProjectId, recipients: &BTreeSet<Recipient>) -> Option<Self> {
        let mut parties = BTreeSet::new();
        let mut admins = false;
        for recipient in recipients {
            match recipient {
                Recipient::Party(party) | Recipient::OwnerOf(party @ Party::Agent(_)) => {
                    parties.insert(*party);
                }
                Recipient::OwnerOf(Party::User(_)) | Recipient::Entitled(_) => {}
                Recipient::ProjectAdmins => admins = true,
            }
        }
        let (users, agents) = by_kind(&parties.into_iter().collect::<Vec<_>>());
        let nobody = users.is_empty() && agents.is_empty() && !admins;
        (!nobody).then_some(Self { project: project.uuid(), users, agents, admins })
    }
}

impl Query for Standings {
    type SqlType = (
        (Label, Uid, Nullable<Uid>),
        (Uid, Label, Nullable<Label>, Bool),
        (Nullable<Uid>, Nullable<Label>, Nullable<Label>, Bool),
        Nullable<Uid>,
    );
}
impl QueryId for Standings {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for Standings {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "SELECT c.kind, c.id, c.principal, p.company_id, p.visibility, \
             (SELECT m.role FROM project_member m WHERE m.project_id = p.id AND m.user_id = c.principal), \
             EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = p.id AND m.role = 'admin'), \
             g.id, g.visibility, \
             (SELECT m.role FROM group_member m WHERE m.group_id = g.id AND m.user_id = c.principal), \
             EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = g.id AND m.role = 'admin'), \
             (SELECT u.id FROM app_user u WHERE u.company_id = p.company_id AND u.suspended_at IS NULL \
             ORDER BY u.created_at, u.id LIMIT 1) \
             FROM project p LEFT JOIN project_group g ON g.id = p.group_id AND g.company_id = p.company_id JOIN (",
        );
        let mut union = "";
        if !self.users.is_empty() {
            out.push_sql(
                "SELECT 'user' AS kind, u.id, u.company_id, u.id AS principal FROM app_user u \
                 WHERE u.suspended_at IS NULL AND u.id IN ",
            );
            list(&mut out, &self.users)?;
            union = " UNION ";
        }
        if !self.agents.is_empty() {
            out.push_sql(union);
            out.push_sql(
                "SELECT 'agent' AS kind, a.id, a.company_id, a.owner_id AS principal FROM agent a \
                 LEFT JOIN app_user o ON o.id = a.owner_id WHERE o.suspended_at IS NULL AND a.id IN ",
            );
            list(&mut out, &self.agents)?;
            union = " UNION ";
        }
        if self.admins {
            out.push_sql(union);
            out.push_sql(
                "SELECT 'user' AS kind, u.id, u.company_id, u.id AS principal FROM app_user u WHERE u.id IN \
                 (SELECT m.user_id FROM project_member m WHERE m.role = 'admin' AND m.project_id = ",
            );
            out.push_bind_param::<Uid, _>(&self.project)?;
            out.push_sql(
                " UNION ALL SELECT m.user_id FROM group_member m JOIN project x ON x.group_id = m.group_id \
                 WHERE m.role = 'admin' AND x.id = ",
            );
            out.push_bind_param::<Uid, _>(&self.project)?;
            out.push_sql(
                " UNION ALL SELECT (SELECT f.id FROM app_user f WHERE f.company_id = x.company_id AND f.suspended_at IS NULL \
                 ORDER BY f.created_at, f.id LIMIT 1) FROM project x WHERE x.id = ",
            );
            out.push_bind_param::<Uid, _>(&self.project)?;
            out.push_sql(")");
        }
        out.push_sql(") c ON c.company_id = p.company_id WHERE p.id = ");
        out.push_bind_param::<Uid, _>(&self.project)
    }
}

/// A row of [`Standings`]: the party, its project, the project's group, the first user.
#[derive(Queryable)]
struct StandingRow {
    party: (String, Uuid, Option<UserId>),
    place: (CompanyId, Visibility, Option<String>, bool),
    around: (Option<GroupId>, Option<Visibility>, Option<String>, bool),
    first_user: Option<UserId>,
}

impl StandingRow {
    fn read(self, project: ProjectId) -> Result<(Party, Standing)> {
        let (kind, id, principal) = self.party;
        let (company, visibility, role, has_admin) = self.place;
        let (group, group_visibility, group_role, group_has_admin) = self.around;
        let group = group.map(|id| GroupFacts {
            id,
            visibility: group_visibility.unwrap_or(Visibility::Private),
            role: group_role.as_deref().and_then(Role::read),
            has_admin: group_has_admin,
        });
        let role = role.as_deref().and_then(Role::read);
        let facts = ProjectFacts { company, project, visibility, role, has_admin, group };
        let caller = Principal { company, user: principal, first_user: self.first_user };
        Ok((party(&kind, id)?, Standing { principal, level: level(&caller, &facts) }))
    }
}
