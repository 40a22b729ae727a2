//! Tools: what happened in a project.

use async_trait::async_trait;
use chorus_app::{Call, project};
use chorus_dispatch::{Access, At, Hints, ListTool, Requirement, Tool, tool::list};
use chorus_domain::{Kind, Subject, activity::Activity};
use chorus_ids::{ProjectId, SessionId, Timestamp, Uuid};
use chorus_store::{Page, PageRequest, Reads, Result, Row};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::view::Names;

/// Lists activities.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetActivity {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
}

#[async_trait]
impl ListTool for GetActivity {
    type Row = ActivityRow;

    const COLLECTION: &'static str = "activities";

    async fn run(self, call: &Call, reads: &mut dyn Reads, page: &PageRequest) -> Result<Page<ActivityRow>> {
        let page = project::activities(call, reads, self.project_uuid, page).await?;
        let actors = page.rows.iter().filter_map(|row| row.item.actor.party());
        let names = Names::load(reads, &call.scope, actors).await?;
        let show = |row: Row<Activity>| Row { at: row.at, item: ActivityRow::of(row.item, &names) };
        Ok(Page { rows: page.rows.into_iter().map(show).collect(), total: page.total, more: page.more })
    }
}

/// An entry of an activity stream, whole: there is no other way to read one.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActivityRow {
    uuid: Uuid,
    target_type: &'static str,
    target_uuid: Uuid,
    target_title: String,
    actor_type: &'static str,
    actor_uuid: Uuid,
    actor_name: String,
    action: &'static str,
    value: Option<Value>,
    session_uuid: Option<Uuid>,
    session_name: Option<String>,
    #[schemars(with = "String")]
    created_at: Timestamp,
}

impl ActivityRow {
    /// The entry, with the names of those who act.
    pub(crate) fn of(activity: Activity, names: &Names) -> Self {
        let actor_name = match activity.actor {
            Subject::User(_) | Subject::Agent(_) => {
                let named = activity.actor.party().map(|party| names.author(party).name);
                named.unwrap_or_default()
            }
            Subject::Operator => "Operator".to_owned(),
        };
        let (session, session_name): (Option<SessionId>, _) = activity.session.unzip();
        Self {
            uuid: activity.id.uuid(),
            target_type: activity.target.as_str(),
            target_uuid: activity.target_id,
            target_title: activity.target_title,
            actor_type: activity.actor.kind(),
            actor_uuid: activity.actor.uuid(),
            actor_name,
            action: activity.action.as_str(),
            value: activity.value,
            session_uuid: session.map(SessionId::uuid),
            session_name,
            created_at: activity.created_at,
        }
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[Tool {
    name: "chorus_get_activity",
    family: "activity",
    title: "Read the activity stream",
    description: "Page through what happened in a project, newest first: who did what to which idea, proposal, document \
                  or task. Long texts are excerpts; read the whole with the entity's own tool or chorus_get_comments.",
    requirement: Requirement::PUBLIC,
    access: Access::resource(&[At::id("projectUuid", Kind::Project, Need::Viewer)]),
    hints: Hints::READ,
    refuses: &[],
    example: r#"{"projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"}"#,
    run: list::<GetActivity>(),
}];

#[cfg(test)]
mod tests {
    use chorus_domain::activity::Action;
    use chorus_ids::{ActivityId, AgentId, CompanyId};
    use serde_json::json;

    use super::*;

    fn shown(actor: Subject, session: Option<(SessionId, String)>) -> Value {
        let activity = Activity {
            id: ActivityId::from_u128(1),
            company: CompanyId::from_u128(2),
            project: ProjectId::from_u128(3),
            target: Kind::Task,
            target_id: Uuid::from_u128(4),
            target_title: "Parse".into(),
            actor,
            action: Action::Released,
            value: None,
            session,
            created_at: Timestamp::from_micros(0),
        };
        serde_json::to_value(ActivityRow::of(activity, &Names::default())).unwrap_or_default()
    }

    #[test]
    fn an_activity_is_shown_whole() {
        let agent = Subject::Agent(AgentId::from_u128(5));
        let row = |kind: &str, uuid: Uuid, name: &str, session: Value, session_name: Value| {
            json!({
                "uuid": Uuid::from_u128(1), "targetType": "task", "targetUuid": Uuid::from_u128(4),
                "targetTitle": "Parse", "actorType": kind, "actorUuid": uuid, "actorName": name, "action": "released",
                "value": null, "sessionUuid": session, "sessionName": session_name,
                "createdAt": "1970-01-01T00:00:00.000Z"
            })
        };
        let session = SessionId::from_u128(6);
        assert_eq!(
            shown(agent, Some((session, "tests".into()))),
            row("agent", Uuid::from_u128(5), "Unknown", json!(session), json!("tests"))
        );
        assert_eq!(shown(Subject::Operator, None), row("operator", Uuid::nil(), "Operator", json!(null), json!(null)));
    }
}
