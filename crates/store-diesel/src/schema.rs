//! The tables as Diesel sees them. The migrations are the source; a test compares them with both databases.

/// Declares the tables, and lists them as data: for that test, and for whoever carries all rows elsewhere. A table stands
/// behind those that it refers to.
macro_rules! tables {
    ($($table:ident ($($key:ident),+) { $($column:ident: $kind:ty,)+ })+) => {
        $(diesel::table! {
            use diesel::sql_types::*;
            use crate::types::{Json, Label, Stamp, Uid};
            $table ($($key),+) { $($column -> $kind,)+ }
        })+

        diesel::allow_tables_to_appear_in_same_query!($($table,)+);

        /// Every table, its key, and its columns with their types.
        pub(crate) const TABLES: &[Declared] =
            &[$((stringify!($table), &[$(stringify!($key)),+], &[$((stringify!($column), stringify!($kind))),+])),+];
    };
}

/// Tables whose rows are secrets of one database: they let somebody in there, and are carried nowhere.
pub(crate) const NOT_CARRIED: &[&str] = &["browser_session", "one_time_link"];

/// A table: name, key, columns with types.
pub(crate) type Declared = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

tables! {
    company (id) {
        id: Uid, name: Text, created_at: Stamp,
    }
    app_user (id) {
        id: Uid, company_id: Uid, oidc_sub: Nullable<Text>, email: Nullable<Text>, email_key: Nullable<Text>,
        name: Nullable<Text>, avatar_url: Nullable<Text>, password_hash: Nullable<Text>, created_at: Stamp,
        name_key: Text, suspended_at: Nullable<Stamp>,
    }
    former_user (id) {
        id: Uid, company_id: Uid, name: Text, removed_at: Stamp,
    }
    agent (id) {
        id: Uid, company_id: Uid, name: Text, roles: Json, permissions: Json, persona: Nullable<Text>,
        system_prompt: Nullable<Text>, owner_id: Nullable<Uid>, last_active_at: Nullable<Stamp>,
        created_at: Stamp, name_key: Text,
    }
    former_agent (id) {
        id: Uid, company_id: Uid, name: Text, removed_at: Stamp,
    }
    api_key (id) {
        id: Uid, company_id: Uid, agent_id: Uid, key_hash: Text, key_prefix: Text, name: Nullable<Text>,
        last_used_at: Nullable<Stamp>, expires_at: Nullable<Stamp>, revoked_at: Nullable<Stamp>,
        created_at: Stamp,
    }
    browser_session (id) {
        id: Uid, user_id: Uid, token_hash: Text, remembered: Bool, client: Text, created_at: Stamp,
        last_seen_at: Stamp,
    }
    one_time_link (id) {
        id: Uid, company_id: Uid, user_id: Uid, kind: Label, token_hash: Text, made_by_type: Label, made_by_id: Uid,
        created_at: Stamp, expires_at: Stamp, used_at: Nullable<Stamp>,
    }
    project_group (id) {
        id: Uid, company_id: Uid, name: Text, description: Text, visibility: Label,
        created_by_type: Nullable<Label>, created_by_id: Nullable<Uid>, access_version: Integer,
        created_at: Stamp, updated_at: Stamp,
    }
    group_member (group_id, user_id) {
        group_id: Uid, user_id: Uid, role: Label, added_by_type: Nullable<Label>, added_by_id: Nullable<Uid>,
        created_at: Stamp,
    }
    project (id) {
        id: Uid, company_id: Uid, name: Text, description: Nullable<Text>, group_id: Nullable<Uid>,
        visibility: Label, created_by_type: Nullable<Label>, created_by_id: Nullable<Uid>, created_at: Stamp,
        updated_at: Stamp,
    }
    project_member (project_id, user_id) {
        project_id: Uid, user_id: Uid, role: Label, added_by_type: Nullable<Label>, added_by_id: Nullable<Uid>,
        created_at: Stamp,
    }
    parked_group_member (group_id, user_id) {
        group_id: Uid, user_id: Uid, role: Label, added_by_type: Nullable<Label>, added_by_id: Nullable<Uid>,
        created_at: Stamp,
    }
    parked_project_member (project_id, user_id) {
        project_id: Uid, user_id: Uid, role: Label, added_by_type: Nullable<Label>, added_by_id: Nullable<Uid>,
        created_at: Stamp,
    }
    idea (id) {
        id: Uid, company_id: Uid, project_id: Uid, title: Text, content: Nullable<Text>, status: Label,
        elaboration_depth: Nullable<Label>, elaboration_status: Nullable<Label>, parent_id: Nullable<Uid>,
        is_container: Bool, assignee_type: Nullable<Label>, assignee_id: Nullable<Uid>,
        assigned_at: Nullable<Stamp>, assigned_by_type: Nullable<Label>, assigned_by_id: Nullable<Uid>,
        created_by_type: Label, created_by_id: Uid, version: Integer, created_at: Stamp, updated_at: Stamp,
    }
    elaboration_round (id) {
        id: Uid, company_id: Uid, idea_id: Uid, number: Integer, status: Label, is_appended: Bool,
        created_by_type: Label, created_by_id: Uid, created_at: Stamp,
    }
    elaboration_question (id) {
        id: Uid, round_id: Uid, position: Integer, name: Text, text: Text, category: Label, options: Json,
        required: Bool, selected_option_id: Nullable<Text>, custom_text: Nullable<Text>,
        answered_at: Nullable<Stamp>, answered_by_type: Nullable<Label>, answered_by_id: Nullable<Uid>,
    }
    proposal (id) {
        id: Uid, company_id: Uid, project_id: Uid, title: Text, description: Nullable<Text>, input_type: Label,
        status: Label, created_by_type: Label, created_by_id: Uid, reviewed_by_type: Nullable<Label>,
        reviewed_by_id: Nullable<Uid>, review_note: Nullable<Text>, reviewed_at: Nullable<Stamp>,
        version: Integer, created_at: Stamp, updated_at: Stamp,
    }
    proposal_input (proposal_id, position) {
        proposal_id: Uid, position: Integer, input_id: Uid,
    }
    document_draft (id) {
        id: Uid, proposal_id: Uid, position: Integer, kind: Label, title: Text, content: Text,
    }
    task_draft (id) {
        id: Uid, proposal_id: Uid, position: Integer, title: Text, description: Nullable<Text>,
        priority: Nullable<Label>, story_points: Nullable<Double>, criteria: Json, depends_on: Json,
    }
    document (id) {
        id: Uid, company_id: Uid, project_id: Uid, kind: Label, title: Text, content: Nullable<Text>,
        proposal_id: Nullable<Uid>, created_by_type: Label, created_by_id: Uid, version: Integer,
        created_at: Stamp, updated_at: Stamp,
    }
    document_version (document_id, version) {
        document_id: Uid, version: Integer, title: Text, content: Nullable<Text>, created_by_type: Label,
        created_by_id: Uid, created_at: Stamp,
    }
    task (id) {
        id: Uid, company_id: Uid, project_id: Uid, title: Text, description: Nullable<Text>, status: Label,
        priority: Label, priority_rank: SmallInt, story_points: Nullable<Double>,
        assignee_type: Nullable<Label>, assignee_id: Nullable<Uid>, assigned_at: Nullable<Stamp>,
        assigned_by_type: Nullable<Label>, assigned_by_id: Nullable<Uid>, proposal_id: Nullable<Uid>,
        created_by_type: Label, created_by_id: Uid, version: Integer, created_at: Stamp, updated_at: Stamp,
    }
    task_dependency (task_id, depends_on_id) {
        task_id: Uid, depends_on_id: Uid,
    }
    acceptance_criterion (id) {
        id: Uid, task_id: Uid, position: Integer, description: Text, required: Bool, dev_status: Label,
        dev_evidence: Nullable<Text>, dev_marked_by_type: Nullable<Label>, dev_marked_by_id: Nullable<Uid>,
        dev_marked_at: Nullable<Stamp>, status: Label, evidence: Nullable<Text>,
        marked_by_type: Nullable<Label>, marked_by_id: Nullable<Uid>, marked_at: Nullable<Stamp>,
    }
    comment (id) {
        id: Uid, company_id: Uid, target_type: Label, target_id: Uid, content: Text, author_type: Label,
        author_id: Uid, created_at: Stamp,
    }
    reference_artifact (id) {
        id: Uid, company_id: Uid, target_type: Label, target_id: Uid, kind: Label, url: Text, title: Text,
        notes: Nullable<Text>, created_by_type: Label, created_by_id: Uid, created_at: Stamp, updated_at: Stamp,
    }
    activity (id) {
        id: Uid, company_id: Uid, project_id: Uid, target_type: Label, target_id: Uid, target_title: Text,
        actor_type: Label, actor_id: Uid, action: Label, value: Nullable<Json>, session_id: Nullable<Uid>,
        session_name: Nullable<Text>, created_at: Stamp,
    }
    agent_session (id) {
        id: Uid, company_id: Uid, agent_id: Uid, name: Text, description: Nullable<Text>, status: Label,
        last_active_at: Stamp, created_at: Stamp, updated_at: Stamp,
    }
    session_checkin (id) {
        id: Uid, session_id: Uid, task_id: Uid, checkin_at: Stamp, checkout_at: Nullable<Stamp>,
    }
    notification (id) {
        id: Uid, company_id: Uid, project_id: Nullable<Uid>, project_name: Text, recipient_type: Label,
        recipient_id: Uid, entity_type: Label, entity_id: Uid, entity_title: Text, action: Label, joins: Bool,
        message: Text, actor_type: Label, actor_id: Uid, actor_name: Text, count: Integer, read_at: Nullable<Stamp>,
        archived_at: Nullable<Stamp>, created_at: Stamp,
    }
    notification_preference (owner_type, owner_id) {
        owner_type: Label, owner_id: Uid, company_id: Uid, task_assigned: Bool, task_status_changed: Bool,
        task_verified: Bool, task_reopened: Bool, proposal_submitted: Bool, proposal_approved: Bool,
        proposal_rejected: Bool, idea_claimed: Bool, comment_added: Bool, elaboration_requested: Bool,
        elaboration_answered: Bool, mentioned: Bool, created_at: Stamp, updated_at: Stamp,
    }
    mention (id) {
        id: Uid, company_id: Uid, source_type: Label, source_id: Uid, mentioned_type: Label, mentioned_id: Uid,
        actor_type: Label, actor_id: Uid, created_at: Stamp,
    }
    project_visit (user_id, project_id) {
        user_id: Uid, project_id: Uid, last_visited_at: Stamp, pinned_at: Nullable<Stamp>,
    }
    event (id) {
        id: Uid, company_id: Uid, project_id: Nullable<Uid>, entity_type: Label, entity_id: Uid, seq: BigInt,
        action: Label, actor_type: Label, actor_id: Uid, created_at: Stamp,
    }
    audit (id) {
        id: Uid, company_id: Nullable<Uid>, subject_type: Label, subject_id: Uid, via: Label, surface: Text,
        operation: Text, outcome: Text, entities: Json, created_at: Stamp,
    }
    idempotency (caller, surface, tool, key) {
        caller: Uid, surface: Text, tool: Text, key: Text, fingerprint: Text, answer: Nullable<Text>,
        projects: Json, created_at: Stamp,
    }
}

diesel::joinable!(app_user -> company (company_id));
diesel::joinable!(agent -> company (company_id));
diesel::joinable!(agent -> app_user (owner_id));
diesel::joinable!(api_key -> agent (agent_id));
diesel::joinable!(browser_session -> app_user (user_id));
diesel::joinable!(one_time_link -> app_user (user_id));
diesel::joinable!(project_group -> company (company_id));
diesel::joinable!(group_member -> project_group (group_id));
diesel::joinable!(group_member -> app_user (user_id));
diesel::joinable!(project -> company (company_id));
diesel::joinable!(project -> project_group (group_id));
diesel::joinable!(project_member -> project (project_id));
diesel::joinable!(project_member -> app_user (user_id));
diesel::joinable!(idea -> project (project_id));
diesel::joinable!(elaboration_round -> idea (idea_id));
diesel::joinable!(elaboration_question -> elaboration_round (round_id));
diesel::joinable!(proposal -> project (project_id));
diesel::joinable!(proposal_input -> proposal (proposal_id));
diesel::joinable!(document_draft -> proposal (proposal_id));
diesel::joinable!(task_draft -> proposal (proposal_id));
diesel::joinable!(document -> project (project_id));
diesel::joinable!(document_version -> document (document_id));
diesel::joinable!(task -> project (project_id));
diesel::joinable!(acceptance_criterion -> task (task_id));
diesel::joinable!(comment -> company (company_id));
diesel::joinable!(reference_artifact -> company (company_id));
diesel::joinable!(activity -> project (project_id));
diesel::joinable!(agent_session -> agent (agent_id));
diesel::joinable!(session_checkin -> agent_session (session_id));
diesel::joinable!(session_checkin -> task (task_id));
diesel::joinable!(notification -> company (company_id));
diesel::joinable!(notification -> project (project_id));
diesel::joinable!(notification_preference -> company (company_id));
diesel::joinable!(mention -> company (company_id));
diesel::joinable!(project_visit -> app_user (user_id));
diesel::joinable!(project_visit -> project (project_id));
