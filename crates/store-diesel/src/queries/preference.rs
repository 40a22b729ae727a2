//! Which notifications somebody wants.

use std::collections::BTreeMap;

use chorus_domain::{Party, notification::Preference};
use chorus_ids::{CompanyId, Timestamp, Uuid};
use chorus_store::Result;
use diesel::{
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::Bool,
};

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{fixed, padded},
    schema::notification_preference,
    stored::party,
    types::{Label, Stamp, Uid, Val},
};

/// What somebody wants to hear about; `true` is yes.
#[derive(Queryable, Selectable)]
#[diesel(table_name = notification_preference, check_for_backend(Db))]
struct PreferenceRow {
    owner_type: String,
    owner_id: Uuid,
    task_assigned: bool,
    task_status_changed: bool,
    task_verified: bool,
    task_reopened: bool,
    proposal_submitted: bool,
    proposal_approved: bool,
    proposal_rejected: bool,
    idea_claimed: bool,
    comment_added: bool,
    elaboration_requested: bool,
    elaboration_answered: bool,
    mentioned: bool,
}

impl PreferenceRow {
    fn muted(&self) -> Vec<Preference> {
        Preference::ALL.into_iter().filter(|preference| !self.wants(*preference)).collect()
    }

    const fn wants(&self, preference: Preference) -> bool {
        match preference {
            Preference::TaskAssigned => self.task_assigned,
            Preference::TaskStatusChanged => self.task_status_changed,
            Preference::TaskVerified => self.task_verified,
            Preference::TaskReopened => self.task_reopened,
            Preference::ProposalSubmitted => self.proposal_submitted,
            Preference::ProposalApproved => self.proposal_approved,
            Preference::ProposalRejected => self.proposal_rejected,
            Preference::IdeaClaimed => self.idea_claimed,
            Preference::CommentAdded => self.comment_added,
            Preference::ElaborationRequested => self.elaboration_requested,
            Preference::ElaborationAnswered => self.elaboration_answered,
            Preference::Mentioned => self.mentioned,
        }
    }
}

/// The column of a preference.
const fn column(preference: Preference) -> &'static str {
    match preference {
        Preference::TaskAssigned => "task_assigned",
        Preference::TaskStatusChanged => "task_status_changed",
        Preference::TaskVerified => "task_verified",
        Preference::TaskReopened => "task_reopened",
        Preference::ProposalSubmitted => "proposal_submitted",
        Preference::ProposalApproved => "proposal_approved",
        Preference::ProposalRejected => "proposal_rejected",
        Preference::IdeaClaimed => "idea_claimed",
        Preference::CommentAdded => "comment_added",
        Preference::ElaborationRequested => "elaboration_requested",
        Preference::ElaborationAnswered => "elaboration_answered",
        Preference::Mentioned => "mentioned",
    }
}

/// What each of these turned off; who never chose wants everything.
pub(super) async fn muted(unit: &mut Unit, parties: &[Party]) -> Result<BTreeMap<Party, Vec<Preference>>> {
    if parties.is_empty() {
        return Ok(BTreeMap::new());
    }
    let chosen = notification_preference::table
        .filter(notification_preference::owner_id.eq_any(padded(parties.iter().map(|party| Val(party.uuid())))))
        .select(columns::<PreferenceRow>());
    let chosen: Vec<PreferenceRow> = unit.rows(fixed(chosen)).await?;
    chosen.into_iter().map(|row| Ok((party(&row.owner_type, row.owner_id)?, row.muted()))).collect()
}

/// What one party of this company turned off.
pub(super) async fn muted_by(unit: &mut Unit, company: CompanyId, owner: Party) -> Result<Vec<Preference>> {
    let chosen = notification_preference::table
        .find((Val(owner.kind()), Val(owner.uuid())))
        .filter(notification_preference::company_id.eq(Val(company)))
        .select(columns::<PreferenceRow>());
    let chosen: Option<PreferenceRow> = unit.row(chosen).await?;
    Ok(chosen.map(|row| row.muted()).unwrap_or_default())
}

/// Sets what is named and leaves the rest as it was, so that two who name different things both have their way.
pub(super) async fn set_preferences(
    conn: &mut Conn,
    (company, owner): (CompanyId, Party),
    wanted: &BTreeMap<Preference, bool>,
    at: Timestamp,
) -> QueryResult<usize> {
    let owner = (owner.kind(), owner.uuid());
    execute(conn, SetPreferences { company, owner, wanted, at }).await
}

/// A whole statement.
struct SetPreferences<'w> {
    company: CompanyId,
    owner: (&'static str, Uuid),
    wanted: &'w BTreeMap<Preference, bool>,
    at: Timestamp,
}

impl QueryId for SetPreferences<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for SetPreferences<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("INSERT INTO notification_preference (owner_type, owner_id, company_id, created_at, updated_at");
        for preference in self.wanted.keys() {
            out.push_sql(", ");
            out.push_sql(column(*preference));
        }
        out.push_sql(") VALUES (");
        out.push_bind_param::<Label, _>(self.owner.0)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.owner.1)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.company)?;
        out.push_sql(", ");
        out.push_bind_param::<Stamp, _>(&self.at)?;
        out.push_sql(", ");
        out.push_bind_param::<Stamp, _>(&self.at)?;
        for wanted in self.wanted.values() {
            out.push_sql(", ");
            out.push_bind_param::<Bool, _>(wanted)?;
        }
        out.push_sql(") ON CONFLICT (owner_type, owner_id) DO UPDATE SET updated_at = excluded.updated_at");
        for preference in self.wanted.keys() {
            out.push_sql(", ");
            out.push_sql(column(*preference));
            out.push_sql(" = excluded.");
            out.push_sql(column(*preference));
        }
        Ok(())
    }
}
