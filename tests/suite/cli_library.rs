//! Client commands for what is offered beside the tools, and for what a client asks to be offered.

use chorus_testkit::{Backend, Ran, Recorder, Site, chorus, chorus_binary, run};
use chorus_visibility::Visibility;
use serde_json::{Value, json};

/// Runs a client command as the agent of a site; what the server sends it is held against its schema.
async fn mcp(site: &Site, arguments: &[&str]) -> Ran {
    let recorder = Recorder::before(site.server.base()).await;
    let mut command = chorus();
    command.arg("mcp").args(arguments).env("CHORUS_URL", recorder.base());
    let ran = run(command.env("CHORUS_API_KEY", &site.admin.key)).await;
    drop(recorder.exchanges());
    ran
}

/// A site with a project and a task in it.
async fn with_task() -> (Site, String, String) {
    let site = Site::new(Backend::Sqlite).await;
    let project = site.world.project("Compiler", Visibility::Public, &[]).await.to_string();
    let criteria = json!([{ "description": "It works" }]);
    let tasks = json!([{ "title": "Parse", "acceptanceCriteriaItems": criteria }]);
    let made = site.client().call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await.ok();
    let task = made["tasks"][0]["uuid"].as_str().unwrap().to_owned();
    (site, project, task)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_explained_with_its_arguments_and_a_call() {
    let site = Site::new(Backend::Sqlite).await;
    let listed = site.client().rpc("tools/list", json!({})).await["result"]["tools"].clone();
    for tool in listed.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let text = mcp(&site, &["describe", name]).await.ok();
        assert!(text.starts_with(&format!("{name}: {}\n\n", tool["title"].as_str().unwrap())), "{text}");
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let line =
                text.lines().find(|line| line.split(' ').next() == Some(argument)).unwrap_or_else(|| panic!("{text}"));
            let meaning: Vec<&str> = schema["description"].as_str().unwrap().split_whitespace().collect();
            assert!(line.ends_with(&meaning.join(" ")), "{line}");
            let required = tool["inputSchema"]["required"].as_array().is_some_and(|all| all.contains(&json!(argument)));
            assert_eq!(line.contains(", required"), required, "{line}");
        }
        assert!(text.contains(&format!("\nExample:\n  chorus mcp call {name}")), "{text}");
    }
    let text = mcp(&site, &["describe", "chorus_update_task"]).await.ok();
    assert!(text.contains("It writes.") && text.contains("\nANSWER "), "{text}");
    let text = mcp(&site, &["describe", "chorus_list_tasks"]).await.ok();
    assert!(text.contains("1 to 100, default 20") && text.contains("It only reads."), "{text}");
    let definition = mcp(&site, &["describe", "chorus_search", "--json"]).await.json();
    assert!(listed.as_array().unwrap().contains(&definition));
    let line = mcp(&site, &["describe", "chorus_nonsense"]).await.failed(2);
    assert!(line.contains("`chorus_nonsense`") && line.contains("chorus mcp list"), "{line}");
}

/// The call that is shown for a tool is one that a shell and the server understand: at most what it names is not there.
#[tokio::test(flavor = "multi_thread")]
async fn the_call_that_is_shown_can_be_made() {
    let site = Site::new(Backend::Sqlite).await;
    for tool in [
        "chorus_get_task",
        "chorus_create_tasks",
        "chorus_search",
        "chorus_get_my_assignments",
        "chorus_report_work",
        "chorus_pm_start_elaboration",
        "chorus_admin_create_project",
    ] {
        let text = mcp(&site, &["describe", tool]).await.ok();
        let call = text.lines().last().unwrap().trim().strip_prefix("chorus ").unwrap().to_owned();
        let mut shell = tokio::process::Command::new("sh");
        shell.arg("-c").arg(format!("{} {call}", chorus_binary().display()));
        shell.env("CHORUS_URL", site.server.base()).env("CHORUS_API_KEY", &site.admin.key);
        let ran = run(&mut shell).await;
        assert!(ran.code == Some(0) || ran.err.contains("not found; chorus_"), "{call}: {ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_are_listed_and_printed() {
    let (site, project, task) = with_task().await;
    let listed = mcp(&site, &["resources"]).await.ok();
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("chorus://context — Who I am in Chorus: "), "{listed}");
    assert_eq!(lines[1], format!("chorus://projects/{project} — Compiler: Project"));
    let templates = mcp(&site, &["resources", "--templates"]).await.ok();
    assert_eq!(templates.lines().count(), 5);
    assert!(templates.contains("chorus://projects/{projectUuid}/tasks/{taskUuid} — Task: "), "{templates}");
    let json = mcp(&site, &["resources", "--json"]).await.json();
    assert_eq!(json["resources"][0]["uri"], "chorus://context");
    let json = mcp(&site, &["resources", "--templates", "--json"]).await.json();
    assert_eq!(json["resourceTemplates"].as_array().unwrap().len(), 5);

    let uri = format!("chorus://projects/{project}/tasks/{task}");
    let shown = mcp(&site, &["read", &uri]).await.json();
    assert_eq!((&shown["uuid"], &shown["title"]), (&json!(task), &json!("Parse")));
    let context = mcp(&site, &["read", "chorus://context"]).await.json();
    assert_eq!(context["caller"]["name"], "admin");
    let line = mcp(&site, &["read", "chorus://nothing"]).await.failed(2);
    assert!(line.contains("chorus://nothing"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_listed_and_printed_with_what_they_are_about() {
    let (site, project, task) = with_task().await;
    let listed = mcp(&site, &["prompts"]).await.ok();
    assert_eq!(listed.lines().count(), 4);
    assert!(listed.starts_with("start_work --arg taskUuid=… — "), "{listed}");
    assert_eq!(mcp(&site, &["prompts", "--json"]).await.json()["prompts"][3]["name"], "verify_task");
    let argument = format!("taskUuid={task}");
    let text = mcp(&site, &["prompt", "start_work", "--arg", &argument]).await.ok();
    assert!(text.starts_with("Work on the task \"Parse\"") && text.contains("\n1. "), "{text}");
    assert!(text.contains(&format!("\n\nchorus://projects/{project}/tasks/{task}\n{{")), "{text}");
    let json = mcp(&site, &["prompt", "start_work", "--arg", &argument, "--json"]).await.json();
    assert_eq!(json["messages"][1]["content"]["type"], "resource");
    for (arguments, named) in [
        (&["prompt", "nonsense"][..], "nonsense"),
        (&["prompt", "start_work"], "taskUuid"),
        (&["prompt", "start_work", "--arg", "taskUuid=x"], "Task not found"),
        (&["prompt", "start_work", "--arg", "taskUuid"], "--arg"),
    ] {
        let line = mcp(&site, arguments).await.failed(2);
        assert!(line.contains(named), "{line}");
    }
    let none = mcp(&site, &["prompts", "--readonly"]).await.ok();
    assert!(none.contains("no prompts") && none.contains("permissions"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_are_completed_one_a_line() {
    let (site, project, task) = with_task().await;
    let of_task = format!("{task}\n");
    assert_eq!(mcp(&site, &["complete", "--prompt", "start_work", "taskUuid", "par"]).await.ok(), of_task);
    assert_eq!(mcp(&site, &["complete", "--prompt", "start_work", "taskUuid"]).await.ok(), of_task);
    let template = "chorus://projects/{projectUuid}/tasks/{taskUuid}";
    let here = format!("projectUuid={project}");
    let within = ["complete", "--template", template, "taskUuid", &task[..8], "--arg", &here];
    assert_eq!(mcp(&site, &within).await.ok(), of_task);
    let elsewhere = format!("projectUuid={task}");
    let nothing = ["complete", "--template", template, "taskUuid", "--arg", &elsewhere];
    assert_eq!(mcp(&site, &nothing).await.ok(), "");
    assert_eq!(mcp(&site, &["complete", "--template", template, "projectUuid"]).await.ok(), format!("{project}\n"));
    let line = mcp(&site, &["complete", "--prompt", "nonsense", "taskUuid"]).await.failed(2);
    assert!(line.contains("`ref`"), "{line}");
    for arguments in [&["complete", "taskUuid"][..], &["complete", "--prompt", "a", "--template", "b", "taskUuid"]] {
        let ran = mcp(&site, arguments).await;
        assert!(ran.code == Some(2) && ran.err.contains("--prompt"), "{ran:?}");
    }
    // More than fit: that is said beside them.
    let task = |n: usize| json!({ "title": format!("Many {n}"), "acceptanceCriteriaItems": [{ "description": "c" }] });
    let many: Value = (0..101).map(task).collect();
    site.client().call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": many })).await.ok();
    let ran = mcp(&site, &["complete", "--prompt", "start_work", "taskUuid"]).await;
    assert!(ran.out.lines().count() == 100 && ran.err.contains("more"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_narrow_what_the_server_offers() {
    let (site, project, _) = with_task().await;
    let names = async |arguments: &[&str]| {
        let listed = mcp(&site, arguments).await.ok();
        listed.lines().map(|line| line.split_once(" — ").unwrap().0.to_owned()).collect::<Vec<_>>()
    };
    let all = names(&["list"]).await;
    let reading = names(&["list", "--readonly"]).await;
    assert!(reading.len() < all.len() && reading.contains(&"chorus_checkin".to_owned()));
    assert!(!reading.contains(&"chorus_create_tasks".to_owned()));
    assert_eq!(names(&["--tools", "search,chorus_checkin", "list"]).await, ["chorus_checkin", "chorus_search"]);
    assert_eq!(
        names(&["list", "--tools", "document", "--readonly"]).await,
        ["chorus_get_documents", "chorus_get_document"]
    );
    let new = format!(r#"{{"projectUuid": "{project}", "title": "x"}}"#);
    let line = mcp(&site, &["call", "chorus_pm_create_idea", &new, "--readonly"]).await.failed(2);
    assert!(line.contains("unknown tool"), "{line}");
    let line = mcp(&site, &["describe", "chorus_search", "--tools", "task"]).await.failed(2);
    assert!(line.contains("chorus_search"), "{line}");
    for nothing in ["", " , "] {
        let line = mcp(&site, &["list", "--tools", nothing]).await.failed(2);
        assert!(line.contains("--tools"), "{line}");
    }
    let line = mcp(&site, &["list", "--tools", "a\nb"]).await.failed(2);
    assert!(line.contains("--tools"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_who_one_is_reads_no_notification() {
    let (site, _, task) = with_task().await;
    let other = site.world.agent("other", Some(site.world.first_user), &["admin_agent"], &[]).await;
    let remark = json!({ "targetType": "task", "targetUuid": task, "content": "Why?" });
    site.server.client(&other.key).call("chorus_add_comment", remark).await.ok();
    let home = tempfile::TempDir::new().unwrap();
    let login = ["login", "--url", site.server.base(), "--api-key", &site.admin.key];
    run(chorus().args(login).env("HOME", home.path())).await.ok();
    assert_eq!(mcp(&site, &["whoami"]).await.ok(), format!("{}\n", site.admin.id));
    let checkin = mcp(&site, &["call", "chorus_checkin", "--readonly"]).await.json();
    assert_eq!(checkin["notifications"]["unread"], 1);
    let mut reads = site.world.services.store.read().await.unwrap();
    let profile = reads.directory().profile(site.admin.id, site.world.now()).await.unwrap().unwrap();
    assert_eq!(profile.agent.last_active_at, None);
    drop(reads);
    let checkin = mcp(&site, &["call", "chorus_checkin"]).await.json();
    assert_eq!(checkin["notifications"]["unread"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn help_teaches_each_command() {
    let asked = ["--readonly", "--tools", "--url", "--api-key", "--agent"];
    for (command, words) in [
        ("describe", &["<TOOL>", "--json", "chorus mcp describe"][..]),
        ("resources", &["--templates", "--json", "chorus mcp resources"]),
        ("read", &["<URI>", "chorus mcp read chorus://context"]),
        ("prompts", &["--json", "chorus mcp prompts"]),
        ("prompt", &["<NAME>", "--arg ", "--arg-file", "chorus mcp prompt start_work"]),
        ("complete", &["--prompt", "--template", "<ARGUMENT>", "projectUuid", "chorus mcp complete"]),
    ] {
        let help = run(chorus().args(["mcp", command, "--help"])).await.ok();
        for word in words.iter().chain(&asked) {
            assert!(help.contains(word), "`chorus mcp {command} --help` does not mention {word}:\n{help}");
        }
    }
}
