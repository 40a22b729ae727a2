//! Arguments with which each tool succeeds, and ways to put other values into them.

use chorus_domain::Caller;
use chorus_ids::GroupId;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    maker::{long_text, questions},
    stage::Stage,
};

/// Arguments with which this caller, who has every permission and may write in the project, can call the tool once.
/// Each id that the tool takes stands in some of them.
///
/// # Panics
/// For a tool that this list does not know: every tool has to be in it.
pub(crate) async fn arguments(s: &Stage, me: &Caller, tool: &str) -> Vec<Value> {
    let m = s.by(me);
    let project = s.project.to_string();
    let task = |task: String| vec![json!({ "taskUuid": task })];
    let idea = |idea: String| vec![json!({ "ideaUuid": idea })];
    let proposal = |proposal: String| vec![json!({ "proposalUuid": proposal })];
    let criteria = json!([{ "description": "It works" }]);
    let link = json!({ "type": "docs", "url": "https://example.com", "title": "x", "notes": "x" });
    match tool {
        "checkin" | "get_my_assignments" | "list_projects" => vec![json!({})],
        "get_project" | "get_available_ideas" | "get_proposals" | "get_documents" | "get_activity" => {
            vec![json!({ "projectUuid": project })]
        }
        "admin_create_project" => {
            let owner = me.owner.unwrap();
            let group = s.world.group("open to me", Visibility::Private, &[(owner, Role::Editor)]).await;
            vec![json!({ "name": "New", "groupUuid": group, "visibility": "private" })]
        }
        "pm_create_idea" => {
            vec![json!({
                "projectUuid": project, "title": "x", "parentUuid": m.idea().await, "isContainer": false,
                "references": [link]
            })]
        }
        "claim_idea" | "get_idea" | "get_elaboration" => idea(m.idea().await),
        "release_idea" => idea(m.claimed().await),
        "pm_start_elaboration" => {
            vec![json!({ "ideaUuid": m.claimed().await, "depth": "minimal", "questions": questions() })]
        }
        "answer_elaboration" => {
            let idea = m.claimed().await;
            let round = m.round(&idea).await;
            let answers = json!([{ "questionId": "q1", "selectedOptionId": "a", "customText": "so" }]);
            vec![json!({ "ideaUuid": idea, "roundUuid": round, "answers": answers })]
        }
        "pm_validate_elaboration" => {
            let found = m.claimed().await;
            m.round(&found).await;
            m.answered(&found).await;
            idea(found)
        }
        "pm_skip_elaboration" => vec![json!({ "ideaUuid": m.claimed().await, "reason": "Clear" })],
        "pm_create_proposal" => {
            let (source, document) = (m.elaborated().await, m.approved().await.document);
            let from = |kind: &str, id: String| {
                json!({
                    "projectUuid": project, "title": "x", "description": "x", "inputType": kind, "inputUuids": [id],
                    "references": [link]
                })
            };
            vec![from("idea", source), from("document", document)]
        }
        "pm_add_document_draft" => {
            vec![json!({ "proposalUuid": m.proposal().await, "type": "prd", "title": "x", "content": long_text() })]
        }
        "pm_add_task_draft" => {
            let proposal = m.proposal().await;
            let first = m.task_draft(&proposal, "First", &[]).await;
            vec![json!({
                "proposalUuid": proposal, "title": "x", "description": "x", "priority": "low", "storyPoints": 1,
                "acceptanceCriteriaItems": criteria, "dependsOnDraftUuids": [first]
            })]
        }
        "pm_validate_proposal" | "pm_submit_proposal" => proposal(m.filled().await),
        "get_proposal" => vec![json!({ "proposalUuid": m.filled().await, "section": "full" })],
        "admin_approve_proposal" | "pm_reject_proposal" => {
            vec![json!({ "proposalUuid": m.pending().await, "reviewNote": "Because" })]
        }
        "get_document" => vec![json!({ "documentUuid": m.approved().await.document })],
        "create_report" => {
            let proposal = m.approved().await.proposal;
            vec![json!({ "proposalUuid": proposal, "title": "x", "content": "x", "force": true })]
        }
        "create_tasks" => {
            let tasks = json!([
                { "title": "x", "description": "x", "priority": "low", "storyPoints": 1, "draftUuid": "x",
                  "acceptanceCriteriaItems": criteria, "dependsOnDraftUuids": ["y"],
                  "dependsOnTaskUuids": [m.task().await] },
                { "title": "y", "draftUuid": "y", "acceptanceCriteriaItems": criteria, "references": [link] }
            ]);
            vec![json!({ "projectUuid": project, "proposalUuid": m.approved().await.proposal, "tasks": tasks })]
        }
        "update_task" => {
            let (before, another) = (m.task().await, m.task().await);
            let waiting = m.task().await;
            m.after(&waiting, &[&before]).await;
            vec![json!({
                "taskUuid": waiting, "title": "x", "description": "x", "priority": "low", "storyPoints": 1,
                "acceptanceCriteriaItems": criteria, "addDependsOn": [another], "removeDependsOn": [before],
                "sessionUuid": m.session().await, "expectedVersion": 2
            })]
        }
        "search" => {
            let title = json!({ "title": "Findable" });
            m.idea_with(title.clone()).await;
            m.task_with(title).await;
            let group = s.world.group("findable", Visibility::Public, &[]).await.to_string();
            let within = |scope: &str, id: String| {
                json!({
                    "query": "findable", "scope": scope, "scopeUuid": id, "entityTypes": ["task", "idea"],
                    "explain": true
                })
            };
            vec![within("project", project), within("group", group)]
        }
        "list_tasks" | "get_available_tasks" | "get_unblocked_tasks" => {
            vec![json!({ "projectUuid": project, "proposalUuids": [m.approved().await.proposal] })]
        }
        "get_task" | "claim_task" | "admin_close_task" => task(m.task().await),
        "release_task" => task(m.task_in("assigned").await),
        "report_work" => {
            vec![json!({
                "taskUuid": m.task_in("assigned").await, "report": "x", "status": "in_progress",
                "sessionUuid": m.session().await
            })]
        }
        "report_criteria_self_check" => {
            let task = m.task_in("assigned").await;
            let marks = json!([{ "uuid": m.criterion(&task).await, "devStatus": "passed", "devEvidence": "x" }]);
            vec![json!({ "taskUuid": task, "criteria": marks })]
        }
        "mark_acceptance_criteria" => {
            let task = m.task().await;
            let marks = json!([{ "uuid": m.criterion(&task).await, "status": "passed", "evidence": "x" }]);
            vec![json!({ "taskUuid": task, "criteria": marks })]
        }
        "submit_for_verify" => vec![json!({ "taskUuid": m.task_in("in_progress").await, "summary": "x" })],
        "admin_verify_task" => {
            let found = m.task_in("to_verify").await;
            let marks = json!([{ "uuid": m.criterion(&found).await, "status": "passed" }]);
            s.ok(me, "mark_acceptance_criteria", json!({ "taskUuid": found, "criteria": marks })).await;
            task(found)
        }
        "admin_reopen_task" => vec![json!({ "taskUuid": m.task_in("to_verify").await, "force": false })],
        "add_comment" | "get_comments" => {
            let made = m.approved().await;
            let on = |kind: &str, id: &str| match tool {
                "add_comment" => json!({ "targetType": kind, "targetUuid": id, "content": "x" }),
                _ => json!({ "targetType": kind, "targetUuid": id }),
            };
            vec![
                on("idea", &made.idea),
                on("proposal", &made.proposal),
                on("document", &made.document),
                on("task", &made.tasks[0]),
            ]
        }
        "edit_idea" => {
            let (edited, parent) = (m.idea().await, m.idea().await);
            vec![json!({
                "ideaUuid": edited, "title": "x", "content": "x", "parentUuid": parent, "isContainer": true,
                "expectedVersion": 1
            })]
        }
        "add_reference" => {
            let made = m.approved().await;
            let on = |kind: &str, id: &str| {
                json!({
                    "targetType": kind, "targetUuid": id, "type": "repo", "url": "https://example.com", "title": "x",
                    "notes": "x"
                })
            };
            vec![on("idea", &made.idea), on("proposal", &made.proposal), on("task", &made.tasks[0])]
        }
        "update_reference" => {
            let reference = m.reference("task", &m.task().await).await;
            vec![json!({
                "uuid": reference, "type": "issue_pr", "url": "http://example.com", "title": "x", "notes": "x"
            })]
        }
        "remove_reference" => {
            let (idea, task) = (m.idea().await, m.task().await);
            vec![
                json!({ "uuid": m.reference("idea", &idea).await }),
                json!({ "uuid": m.reference("task", &task).await }),
            ]
        }
        "search_mentionables" => {
            let made = m.approved().await;
            let on = |kind: &str, id: &str| json!({ "query": "a", "limit": 5, "entityType": kind, "entityUuid": id });
            vec![
                on("idea", &made.idea),
                on("proposal", &made.proposal),
                on("document", &made.document),
                on("task", &made.tasks[0]),
            ]
        }
        "get_project_groups" => vec![json!({})],
        "get_project_group" => vec![json!({ "groupUuid": group_of(s, me, "read").await, "includeMembers": true })],
        "get_group_dashboard" => vec![json!({ "groupUuid": group_of(s, me, "seen").await })],
        "admin_create_project_group" => vec![json!({ "name": "x", "description": "x", "visibility": "private" })],
        "admin_update_project_group" => {
            let member = s.world.user(&format!("member-{}", s.nothing())).await;
            let (named, joined, opened) =
                (group_of(s, me, "named").await, group_of(s, me, "joined").await, group_of(s, me, "opened").await);
            let preview = json!({ "groupUuid": opened, "visibility": "public", "preview": true });
            let token = s.ok(me, tool, preview.clone()).await["confirmationToken"].clone();
            vec![
                json!({ "groupUuid": named, "name": "x", "description": "x" }),
                json!({ "groupUuid": joined, "memberAction": "add", "userUuid": member, "role": "viewer" }),
                preview,
                json!({ "groupUuid": opened, "visibility": "public", "confirmationToken": token }),
            ]
        }
        "admin_delete_project_group" => {
            let (left, taken) = (group_of(s, me, "left").await, group_of(s, me, "taken").await);
            for group in [left, taken] {
                s.world.project_in("inside", Visibility::Private, Some(group), &[]).await;
            }
            vec![json!({ "groupUuid": left }), json!({ "groupUuid": taken, "deleteProjects": true })]
        }
        "admin_move_project_to_group" => {
            let owner = [(me.owner.unwrap(), Role::Admin)];
            let (from, to) = (group_of(s, me, "from").await, group_of(s, me, "to").await);
            let entering = s.world.project("entering", Visibility::Private, &owner).await;
            let leaving = s.world.project_in("leaving", Visibility::Private, Some(from), &owner).await;
            let mut moves = Vec::new();
            for (project, group) in [(entering, json!(to)), (leaving, json!(null))] {
                let preview = json!({ "projectUuid": project, "groupUuid": group, "preview": true });
                let token = s.ok(me, tool, preview).await["confirmationToken"].clone();
                moves.push(json!({ "projectUuid": project, "groupUuid": group, "confirmationToken": token }));
            }
            moves.push(json!({ "projectUuid": entering, "groupUuid": to, "preview": true }));
            moves
        }
        "list_sessions" => vec![json!({ "status": "active" })],
        "create_session" => vec![json!({ "name": "builder", "description": "x" })],
        "get_session" | "close_session" | "session_heartbeat" => {
            vec![json!({ "sessionUuid": m.session_at(&m.task().await).await })]
        }
        "reopen_session" => {
            let session = m.session().await;
            s.ok(me, "close_session", json!({ "sessionUuid": session })).await;
            vec![json!({ "sessionUuid": session })]
        }
        "session_checkin_task" => vec![json!({ "sessionUuid": m.session().await, "taskUuid": m.task().await })],
        "session_checkout_task" => {
            let task = m.task().await;
            vec![json!({ "sessionUuid": m.session_at(&task).await, "taskUuid": task })]
        }
        "get_notifications" => {
            vec![json!({ "status": "all", "limit": 5, "offset": 1, "autoMarkRead": false }), json!({})]
        }
        "mark_notification_read" => {
            let other = if me.subject == s.dev.subject { &s.pm } else { &s.dev };
            s.by(other).comment("task", &m.task().await, "Why?").await;
            let told = s.ok(me, "get_notifications", json!({ "limit": 1, "autoMarkRead": false })).await;
            vec![json!({ "notificationUuid": told["notifications"][0]["uuid"], "all": false }), json!({ "all": true })]
        }
        "get_ideas" => vec![json!({ "projectUuid": project, "parentUuid": m.idea().await })],
        "pm_assign_idea" => {
            let to = |idea: String, kind: &str, uuid: String| json!({ "ideaUuid": idea, "assigneeType": kind, "assigneeUuid": uuid });
            vec![
                to(m.idea().await, "agent", s.pm.subject.uuid().to_string()),
                to(m.claimed().await, "user", s.pat.to_string()),
            ]
        }
        "move_idea" => {
            let target = s.world.project("target", Visibility::Private, &[(me.owner.unwrap(), Role::Editor)]).await;
            vec![json!({ "ideaUuid": m.idea().await, "targetProjectUuid": target })]
        }
        "admin_delete_idea" => idea(m.claimed().await),
        "pm_update_document_draft" | "pm_remove_document_draft" => {
            let proposal = m.proposal().await;
            let draft = m.document_draft(&proposal).await;
            let on = json!({ "proposalUuid": proposal, "draftUuid": draft });
            vec![match tool {
                "pm_update_document_draft" => json!({
                    "proposalUuid": proposal, "draftUuid": draft, "type": "adr", "title": "x", "content": "x"
                }),
                _ => on,
            }]
        }
        "pm_update_task_draft" => {
            let proposal = m.proposal().await;
            let first = m.task_draft(&proposal, "First", &[]).await;
            vec![json!({
                "proposalUuid": proposal, "draftUuid": m.task_draft(&proposal, "Second", &[]).await, "title": "x",
                "description": "x", "priority": "low", "storyPoints": 1, "acceptanceCriteriaItems": criteria,
                "dependsOnDraftUuids": [first]
            })]
        }
        "pm_remove_task_draft" => {
            let proposal = m.proposal().await;
            vec![json!({ "proposalUuid": proposal, "draftUuid": m.task_draft(&proposal, "First", &[]).await })]
        }
        "pm_revoke_proposal" => {
            vec![json!({ "proposalUuid": m.approved().await.proposal, "reviewNote": "Because" })]
        }
        "admin_close_proposal" => vec![json!({ "proposalUuid": m.pending().await, "reviewNote": "Because" })],
        "pm_assign_task" => vec![json!({ "taskUuid": m.task().await, "agentUuid": s.dev.subject.uuid() })],
        "admin_delete_task" => task(m.task().await),
        "pm_create_document" => vec![json!({
            "projectUuid": project, "type": "guide", "title": "x", "content": "x",
            "proposalUuid": m.approved().await.proposal
        })],
        "pm_update_document" => {
            vec![json!({ "documentUuid": m.approved().await.document, "title": "x", "content": "x" })]
        }
        "admin_delete_document" => vec![json!({ "documentUuid": m.approved().await.document })],
        other => panic!("no valid arguments are known for `{other}`: add them here"),
    }
}

/// A private group that the caller's owner administers.
async fn group_of(s: &Stage, me: &Caller, name: &str) -> GroupId {
    s.world.group(name, Visibility::Private, &[(me.owner.unwrap(), Role::Admin)]).await
}

/// Puts a value wherever a path such as `tasks[].dependsOnTaskUuids` leads: in the place of a text, or as the only
/// item of a list. Says whether it leads anywhere.
pub(crate) fn put(arguments: &mut Value, path: &str, value: &Value) -> bool {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let (key, each) = key.strip_suffix("[]").map_or((key, false), |key| (key, true));
    let Some(found) = arguments.get_mut(key) else { return false };
    match (rest, found) {
        (Some(rest), Value::Array(items)) if each => {
            items.iter_mut().map(|item| put(item, rest, value)).filter(|led| *led).count() > 0
        }
        (None, Value::Array(items)) if value.is_string() => {
            *items = vec![value.clone()];
            true
        }
        (None, found) => {
            *found = value.clone();
            true
        }
        (Some(_), _) => false,
    }
}

/// The name of each tool of the table, without its prefix.
pub(crate) fn tools(s: &Stage) -> Vec<&'static str> {
    s.tools.surface.tools().iter().map(|tool| tool.row.name.strip_prefix("chorus_").unwrap()).collect()
}
