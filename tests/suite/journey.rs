//! An idea goes to done, through a crash, by three agents in three scripts.

use chorus_testkit::{Backend, Client, Database, Server, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::backends;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

const TITLE: &str = "离线同步 · 오프라인 동기화 · Đồng bộ ngoại tuyến";
const CONTENT: &str =
    "用户在地铁里也能编辑。\n사용자는 지하철에서도 편집할 수 있어야 합니다.\nNgười dùng sửa được cả khi mất mạng. 🚇";

async fn an_idea_goes_to_done_through_a_crash(backend: Backend) {
    let database = Database::fresh(backend).await;
    let world = World::new(database.services().await).await;
    let owner = world.user("lan").await;
    let project = world.project("Mạng 网络 네트워크", Visibility::Private, &[(owner, Role::Admin)]).await;
    let pm = world.agent("기획자", Some(owner), &["pm_agent"], &[]).await;
    let developer = world.agent("开发者", Some(owner), &["developer_agent"], &[]).await;
    let admin = world.agent("Quản trị", Some(owner), &["admin_agent"], &[]).await;
    let mut server = Server::start(&database).await;
    let project = project.to_string();

    // Idea and elaboration.
    let by_pm = server.client(&pm.key);
    let created = by_pm
        .call("chorus_pm_create_idea", json!({ "projectUuid": project, "title": TITLE, "content": CONTENT }))
        .await
        .ok();
    let idea = text(&created["uuid"]);
    assert_eq!(created["title"], TITLE);
    by_pm.call("chorus_claim_idea", json!({ "ideaUuid": idea })).await.ok();
    let round = by_pm.call("chorus_pm_start_elaboration", questions(&idea)).await.ok();
    assert_eq!(round["status"], "pending_answers");
    assert_eq!(derived(&by_pm, &idea).await, ("human_conduct_required".into(), "answer_questions".into()));
    let by_developer = server.client(&developer.key);
    let answers = json!([{ "questionId": "q1", "selectedOptionId": "crdt", "customText": "用 CRDT 合并" }]);
    let answered =
        by_developer.call("chorus_answer_elaboration", json!({ "ideaUuid": idea, "answers": answers })).await.ok();
    assert_eq!(answered["status"], "answered");
    let by_admin = server.client(&admin.key);
    let state = by_admin.call("chorus_pm_validate_elaboration", json!({ "ideaUuid": idea })).await.ok();
    assert_eq!(state["status"], "resolved");
    assert_eq!(derived(&by_pm, &idea).await, ("in_progress".into(), "planning".into()));

    // Proposal with a document draft and two dependent task drafts.
    let proposal = by_pm
        .call(
            "chorus_pm_create_proposal",
            json!({ "projectUuid": project, "title": "동기화 제안", "description": "Hai bước.", "inputType": "idea", "inputUuids": [idea] }),
        )
        .await
        .ok();
    let proposal = text(&proposal["uuid"]);
    let refused = by_pm.call("chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
    assert_eq!(refused.code(), "precondition_failed");
    assert!(refused.text().contains("[error]"), "{}", refused.text());
    by_pm
        .call(
            "chorus_pm_add_document_draft",
            json!({ "proposalUuid": proposal, "type": "tech_design", "title": "设计", "content": "合并规则。".repeat(30) }),
        )
        .await
        .ok();
    let first = draft(&by_pm, &proposal, "本地日志", &[]).await;
    let second = draft(&by_pm, &proposal, "병합", &[&first]).await;
    let valid = by_pm.call("chorus_pm_validate_proposal", json!({ "proposalUuid": proposal })).await.ok();
    assert_eq!(valid["valid"], true, "{valid}");
    by_pm.call("chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await.ok();

    // The server dies between submit and approve, and nothing is lost.
    server.crash_and_restart().await;
    let (by_pm, by_developer, by_admin) =
        (server.client(&pm.key), server.client(&developer.key), server.client(&admin.key));
    assert_eq!(derived(&by_pm, &idea).await, ("human_conduct_required".into(), "review_proposal".into()));
    let approved = by_admin
        .call("chorus_admin_approve_proposal", json!({ "proposalUuid": proposal, "reviewNote": "좋습니다" }))
        .await
        .ok();
    let tasks = approved["materializedTasks"].as_array().unwrap();
    let task_of = |draft: &str| {
        let made = tasks.iter().find(|made| made["draftUuid"] == draft).unwrap_or_else(|| panic!("{draft} is missing"));
        text(&made["taskUuid"])
    };
    let (first, second) = (task_of(&first), task_of(&second));
    assert_eq!(approved["materializedDocuments"].as_array().unwrap().len(), 1);

    // The second task waits for the first.
    by_developer.call("chorus_claim_task", json!({ "taskUuid": second })).await.ok();
    let blocked = by_developer.call("chorus_update_task", json!({ "taskUuid": second, "status": "in_progress" })).await;
    assert_eq!(blocked.code(), "blocked_by_dependencies");
    assert_eq!(blocked.details()["blockers"][0]["uuid"], first);
    let claimed = by_developer.call("chorus_claim_task", json!({ "taskUuid": first })).await.ok();
    assert_eq!(claimed["status"], "assigned");
    let unblocked = by_developer.call("chorus_get_unblocked_tasks", json!({ "projectUuid": project })).await.ok();
    assert_eq!(unblocked["tasks"].as_array().unwrap().len(), 1);
    work(&by_developer, &by_admin, &first).await;
    assert_eq!(derived(&by_pm, &idea).await, ("in_progress".into(), "building".into()));
    work(&by_developer, &by_admin, &second).await;
    assert_eq!(derived(&by_pm, &idea).await, ("done".into(), "done".into()));

    let report = json!({
        "proposalUuid": proposal, "title": "Báo cáo hoàn thành",
        "content": "## Summary\n完成\n## Decisions\n없음\n## Follow-ups\nkhông"
    });
    by_pm.call("chorus_create_report", report.clone()).await.ok();
    assert_eq!(by_pm.call("chorus_create_report", report).await.code(), "precondition_failed", "one report is enough");

    everything_is_there(&by_pm, &project, &idea, &proposal, [&first, &second]).await;
    assert_eq!(server.stop().await, Some(0));
}

/// Reads back every row and every activity that the journey left.
async fn everything_is_there(client: &Client, project: &str, idea: &str, proposal: &str, tasks: [&str; 2]) {
    let read = client.call("chorus_get_idea", json!({ "ideaUuid": idea })).await.ok();
    assert_eq!((&read["title"], &read["content"]), (&json!(TITLE), &json!(CONTENT)));
    assert_eq!(read["reports"].as_array().unwrap().len(), 1);
    let elaboration = client.call("chorus_get_elaboration", json!({ "ideaUuid": idea })).await.ok();
    assert_eq!(elaboration["rounds"][0]["questions"][0]["answer"]["customText"], "用 CRDT 合并");
    let whole = client.call("chorus_get_proposal", json!({ "proposalUuid": proposal, "section": "full" })).await.ok();
    assert_eq!(whole["status"], "approved");
    assert_eq!(whole["review"]["reviewNote"], "좋습니다");
    assert_eq!(whole["taskDrafts"].as_array().unwrap().len(), 2);
    let documents = client.call("chorus_get_documents", json!({ "projectUuid": project })).await.ok();
    assert_eq!(documents["total"], 2, "the design and the report");
    let listed = client.call("chorus_list_tasks", json!({ "projectUuid": project, "status": "done" })).await.ok();
    assert_eq!(listed["total"], 2);
    for task in tasks {
        let detail = client.call("chorus_get_task", json!({ "taskUuid": task })).await.ok();
        assert_eq!(detail["acceptanceStatus"], "passed");
        assert_eq!(detail["acceptanceCriteriaItems"][0]["devStatus"], "passed");
        assert_eq!(detail["commentCount"], 1, "the work report");
        let target = json!({ "targetType": "task", "targetUuid": task });
        let comments = client.call("chorus_get_comments", target).await.ok();
        assert_eq!(comments["comments"][0]["content"], "시작");
        assert_eq!(comments["comments"][0]["author"]["name"], "开发者");
    }
    let stream = client.call("chorus_get_activity", json!({ "projectUuid": project, "pageSize": 100 })).await.ok();
    let mut told: Vec<(String, String)> = stream["activities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (text(&row["targetType"]), text(&row["action"])))
        .collect();
    told.reverse();
    let expected = [
        ("idea", "assigned"),
        ("idea", "elaboration_started"),
        ("idea", "elaboration_answered"),
        ("idea", "elaboration_verified"),
        ("proposal", "submitted"),
        ("proposal", "approved"),
        ("task", "assigned"),
        ("task", "assigned"),
        ("task", "comment_added"),
        ("task", "submitted"),
        ("task", "verified"),
        ("task", "unblocked"),
        ("task", "comment_added"),
        ("task", "submitted"),
        ("task", "verified"),
        ("idea", "report_created"),
    ];
    let told: Vec<(&str, &str)> = told.iter().map(|(target, action)| (target.as_str(), action.as_str())).collect();
    // Rows of one moment (a verification and what it unblocks) may come in either order.
    let (mut told, mut expected) = (told, expected.to_vec());
    for rows in [&mut told, &mut expected] {
        let at = rows.iter().position(|row| *row == ("task", "verified")).unwrap();
        rows[at..at + 2].sort_unstable();
    }
    assert_eq!(told, expected);
}

async fn derived(client: &Client, idea: &str) -> (String, String) {
    let idea = client.call("chorus_get_idea", json!({ "ideaUuid": idea })).await.ok();
    (text(&idea["derivedStatus"]), text(&idea["badgeHint"]))
}

fn questions(idea: &str) -> Value {
    json!({
        "ideaUuid": idea, "depth": "standard",
        "questions": [
            {
                "id": "q1", "text": "冲突如何解决？충돌은? Xung đột?", "category": "technical_context",
                "options": [{ "id": "crdt", "label": "CRDT" }, { "id": "lww", "label": "最后写入者" }]
            },
            {
                "id": "q2", "text": "언제까지?", "category": "scope", "required": false,
                "options": [{ "id": "a", "label": "Q1" }, { "id": "b", "label": "Q2" }]
            }
        ]
    })
}

async fn draft(client: &Client, proposal: &str, title: &str, depends_on: &[&str]) -> String {
    let added = client
        .call(
            "chorus_pm_add_task_draft",
            json!({
                "proposalUuid": proposal, "title": title, "description": "설명", "priority": "high", "storyPoints": 2.5,
                "acceptanceCriteriaItems": [
                    { "description": "数据不丢失" }, { "description": "빠르다", "required": false }
                ],
                "dependsOnDraftUuids": depends_on
            }),
        )
        .await
        .ok();
    assert_eq!(added["draftTitle"], title);
    text(&added["draftUuid"])
}

/// Start, report, self-check, submit, mark, verify.
async fn work(developer: &Client, admin: &Client, task: &str) {
    let started = developer
        .call("chorus_report_work", json!({ "taskUuid": task, "report": "시작", "status": "in_progress" }))
        .await
        .ok();
    assert_eq!(started["status"], "in_progress");
    let detail = developer.call("chorus_get_task", json!({ "taskUuid": task })).await.ok();
    let criteria = detail["acceptanceCriteriaItems"].as_array().unwrap();
    let marks = |field: &str| -> Vec<Value> {
        criteria.iter().map(|criterion| json!({ "uuid": criterion["uuid"], field: "passed" })).collect()
    };
    developer
        .call("chorus_report_criteria_self_check", json!({ "taskUuid": task, "criteria": marks("devStatus") }))
        .await
        .ok();
    developer.call("chorus_submit_for_verify", json!({ "taskUuid": task, "summary": "Xong rồi" })).await.ok();
    assert_eq!(
        admin.call("chorus_admin_verify_task", json!({ "taskUuid": task })).await.code(),
        "precondition_failed",
        "a self-check verifies nothing"
    );
    let marked = admin
        .call("chorus_mark_acceptance_criteria", json!({ "taskUuid": task, "criteria": marks("status") }))
        .await
        .ok();
    assert_eq!(marked["status"], "passed");
    let done = admin.call("chorus_admin_verify_task", json!({ "taskUuid": task })).await.ok();
    assert_eq!(done["status"], "done");
}

backends!(an_idea_goes_to_done_through_a_crash);
