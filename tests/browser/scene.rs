//! A server in whose workspace work is in full swing, with people and texts as they might be: for pictures.

use std::sync::Arc;

use chorus_domain::Caller;
use chorus_ids::{GroupId, UserId};
use chorus_testkit::{Around, Backend, CallResult, Client, Database, Scenery, Server, Tools, World};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::town::Town;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

const OFFLINE: &str = "Crews lose their connection in tunnels and lifts, and with it what they were typing. Everything on a \
    tablet has to keep working without a connection, and to come together again when there is one.\n\n\
    - An edit is never lost, and never waited for.\n\
    - Two people may change the same page; both see what became of it.\n\
    - Nothing is asked that a rule can decide.\n";

const DESIGN: &str = "## What is kept\n\nEvery edit is appended to a log on the tablet before it is shown. The log is the truth; the page \
    is made from it.\n\n## How two logs become one\n\n1. Entries are sorted by their clock, then by tablet.\n2. For a field, the \
    later entry wins.\n3. For a list, both additions stay; a removal wins over a change.\n\n| case | what both see |\n|---|---|\n\
    | same field, two values | the later one, the earlier one in the history |\n| text of one paragraph | both, merged by line |\n\
    | changed here, removed there | removed, with a note |\n\n```rust\npub fn merge(ours: Log, theirs: Log) -> Log {\n    \
    ours.into_iter().merge_by(theirs, Entry::precedes).dedup().collect()\n}\n```\n\n> A tablet whose clock is wrong must not win \
    every conflict: clocks are corrected by the server's at each exchange.\n";

/// Who is there.
struct Crew {
    planner: Client,
    builder: Client,
    fixer: Client,
    tools: Tools,
    lan: Caller,
    mika: Caller,
    lan_id: UserId,
    builder_id: String,
}

impl Crew {
    async fn says(&self, who: &Caller, kind: &str, id: &str, content: &str) {
        self.person(who, "chorus_add_comment", json!({ "targetType": kind, "targetUuid": id, "content": content }))
            .await;
    }

    /// What a person does in their browser.
    async fn person(&self, who: &Caller, tool: &str, arguments: Value) -> Value {
        match self.tools.call(who, tool, arguments).await {
            CallResult::Answer(answer) => answer,
            other => panic!("{tool}: {other:?}"),
        }
    }
}

async fn does(client: &Client, tool: &str, arguments: Value) -> Value {
    client.call(tool, arguments).await.ok()
}

impl Town {
    /// A town as its people would know it, instead of one that says the same everywhere.
    pub(crate) async fn in_full_swing() -> Self {
        let database = Database::fresh(Backend::Sqlite).await;
        let world = World::of(database.services().await, "Northwind", "Lan Nguyen", "lan@northwind.example").await;
        let lan = world.first_user;
        let mika = world.person("Mika Sato", "mika@northwind.example").await;
        let priya = world.person("Priya Rao", "priya@northwind.example").await;
        let tom = world.person("Tom Becker", "tom@northwind.example").await;
        let group = world.group("Field app", Visibility::Private, &[(lan, Role::Admin), (mika, Role::Editor)]).await;
        let server = Server::start(&database).await;
        let agents = [("planner", "pm_agent"), ("builder", "admin_agent"), ("fixer", "developer_agent")];
        let mut made = Vec::new();
        for (name, preset) in agents {
            made.push(world.agent(name, Some(lan), &[preset], &[]).await);
        }
        let [planner, builder, fixer] = made.as_slice() else { panic!("three agents") };
        let tools =
            Tools { surface: Arc::new(chorus_tools_console::surface().unwrap()), services: world.services.clone() };
        let crew = Crew {
            planner: server.client(&planner.key),
            builder: server.client(&builder.key),
            fixer: server.client(&fixer.key),
            tools,
            lan: world.person_caller(lan).await,
            mika: world.person_caller(mika).await,
            lan_id: lan,
            builder_id: builder.id.to_string(),
        };
        for client in [&crew.planner, &crew.builder, &crew.fixer] {
            does(client, "chorus_checkin", json!({})).await;
        }
        world.person("Nadia Costa", "nadia@northwind.example").await;
        let project = new_project(&crew, group).await;
        let project = project.parse().unwrap();
        for (user, role) in [(mika, Role::Editor), (priya, Role::Viewer), (tom, Role::Editor)] {
            world.member(project, user, role).await;
        }
        let ids = work(&crew, Around { project, group, member: mika, agent: builder.id }).await;
        let key = builder.key.clone();
        Self { server, world, owner: lan, project, ids, key, _database: database }
    }
}

/// The project that pictures are of, and others around it.
async fn new_project(crew: &Crew, group: GroupId) -> String {
    let new = async |name: &str, about: &str, group: Option<GroupId>| {
        let mut new = json!({ "name": name, "description": about });
        if let Some(group) = group {
            new["groupUuid"] = json!(group.to_string());
        }
        text(&crew.person(&crew.lan, "chorus_admin_create_project", new).await["uuid"])
    };
    let about = json!({ "groupUuid": group.to_string(), "description": "What crews carry on their tablets." });
    crew.person(&crew.lan, "chorus_admin_update_project_group", about).await;
    let offline = new("Offline sync", OFFLINE, Some(group)).await;
    let maps = new("Maps", "Routes and tiles that are there before the tunnel is.", Some(group)).await;
    let website = new("Website", "The public pages and the shop.", None).await;
    for (project, ideas) in [
        (&maps, ["Load tiles ahead of a trip", "Draw a route by hand"]),
        (&website, ["Prices in the visitor's currency", "A page for each depot"]),
    ] {
        for title in ideas {
            does(&crew.planner, "chorus_pm_create_idea", json!({ "projectUuid": project, "title": title })).await;
        }
        let tasks = ["Measure what is slow", "Cache what was measured", "Write it down"]
            .map(|title| json!({ "title": title, "acceptanceCriteriaItems": [{ "description": "Numbers before and after" }] }));
        let made = does(&crew.builder, "chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await;
        finish(crew, &text(&made["tasks"][0]["uuid"]), "p95 is 840 ms; half of it is one query.").await;
    }
    offline
}

/// Everything that goes on in the project.
async fn work(crew: &Crew, around: Around) -> Scenery {
    let project = &around.project.to_string();
    let idea = async |title: &str, content: &str, parent: Option<&str>| {
        let mut new = json!({ "projectUuid": project, "title": title, "content": content });
        if let Some(parent) = parent {
            new["parentUuid"] = json!(parent);
        }
        text(&does(&crew.planner, "chorus_pm_create_idea", new).await["uuid"])
    };
    let theme = json!({ "projectUuid": project, "title": "Nothing typed is ever lost", "content": OFFLINE, "isContainer": true });
    let theme = text(&does(&crew.planner, "chorus_pm_create_idea", theme).await["uuid"]);

    let merged = idea("Merge edits that were made offline", OFFLINE, Some(&theme)).await;
    let editing = "People overwrite each other because they can't see that somebody is at the same page.\n\n\
        A name beside the paragraph would be enough. It must not need a connection to be *useful*: what was last known counts, \
        with its age.";
    let editing = idea("Show who is editing a page", editing, Some(&theme)).await;
    let direct = "In a tunnel two tablets are often beside each other and have no network. They could hand each other their logs.";
    let direct = idea("Sync directly when two tablets meet", direct, Some(&theme)).await;
    let large = idea("Warn before a large download on mobile data", "Photos of a site are 2 GB a day.", None).await;
    let export = idea("Export a route as GPX", "Surveyors load routes into their own devices.", None).await;
    let photos = idea("Upload photos in the background", "The tablet may be locked meanwhile.", Some(&theme)).await;
    let voice = idea("Voice notes on a task", "With gloves nobody types.", None).await;
    idea("Dark map tiles for night shifts", "White tiles blind in a dark cab.", None).await;
    idea("A larger font for the cab", "Read at arm's length, in the sun.", None).await;
    idea("Sign a delivery with a finger", "", None).await;

    questions(crew, &editing).await;
    clear(crew, &photos, "Mika and the crews agreed on it in the workshop.").await;
    let approved = merging(crew, project, &merged).await;
    build(crew, project, &approved).await;
    let session = shift(crew, project, &approved).await;
    let Approved { id: approved, tasks, document } = approved;
    let (task, blocked) = (tasks[1].clone(), tasks[2].clone());
    done(crew, project, &export).await;
    let proposal = meeting(crew, project, &direct).await;
    let (drafted, document_draft, task_draft) = downloading(crew, project, &large).await;
    others(crew, project, &voice).await;

    let quick = json!({ "projectUuid": project, "tasks": [
        { "title": "Raise the log level of the sync service", "priority": "low",
          "acceptanceCriteriaItems": [{ "description": "A failed exchange can be followed by its id" }] },
        { "title": "Flaky test: clocks_that_jump_back", "priority": "high",
          "acceptanceCriteriaItems": [{ "description": "A thousand runs without a failure" }] },
        { "title": "Remove the old queue", "acceptanceCriteriaItems": [{ "description": "Nothing refers to it" }] },
    ] });
    let quick = does(&crew.builder, "chorus_create_tasks", quick).await;
    let of = |nth: usize| json!({ "taskUuid": quick["tasks"][nth]["uuid"] });
    does(&crew.fixer, "chorus_claim_task", of(1)).await;
    crew.person(&crew.lan, "chorus_admin_close_task", of(2)).await;
    crew.says(
        &crew.mika,
        "task",
        &task,
        &format!(
            "Nice. @[builder](agent:{}) could the note say *who* removed it? Crews ask that first.",
            crew.builder_id
        ),
    )
    .await;
    does(&crew.builder, "chorus_add_comment", json!({ "targetType": "task", "targetUuid": task,
        "content": format!("It does now: `removed by NAME, 14:02`. @[Lan Nguyen](user:{}) ready when you are.", crew.lan_id) })).await;
    Scenery {
        around,
        idea: editing,
        proposal,
        approved,
        drafted,
        document_draft,
        task_draft,
        document,
        task,
        blocked,
        session,
    }
}

/// An idea about which everything is known.
async fn clear(crew: &Crew, idea: &str, reason: &str) {
    does(&crew.planner, "chorus_claim_idea", json!({ "ideaUuid": idea })).await;
    does(&crew.planner, "chorus_pm_skip_elaboration", json!({ "ideaUuid": idea, "reason": reason })).await;
}

/// One round that was answered, and one that waits.
async fn questions(crew: &Crew, idea: &str) {
    does(&crew.planner, "chorus_claim_idea", json!({ "ideaUuid": idea })).await;
    let first = json!({ "ideaUuid": idea, "depth": "standard", "questions": [
        { "id": "where", "text": "Where should the name be seen?", "category": "functional",
          "options": [{ "id": "line", "label": "Beside the paragraph", "description": "Precise, but moves while one reads" },
                      { "id": "head", "label": "At the top of the page" }] },
        { "id": "age", "text": "For how long does what was last known count?", "category": "non_functional",
          "options": [{ "id": "5", "label": "Five minutes" }, { "id": "60", "label": "An hour" }] },
    ] });
    let asked = does(&crew.planner, "chorus_pm_start_elaboration", first).await;
    let answers = json!({ "ideaUuid": idea, "roundUuid": asked["uuid"], "answers": [
        { "questionId": "where", "selectedOptionId": "line" },
        { "questionId": "age", "customText": "Until the tablet was offline for ten minutes." },
    ] });
    crew.person(&crew.mika, "chorus_answer_elaboration", answers).await;
    let second = json!({ "ideaUuid": idea, "depth": "standard", "questions": [
        { "id": "crew", "text": "Do people of another crew see the name too?", "category": "scope",
          "options": [{ "id": "all", "label": "Yes, everybody who can open the page" },
                      { "id": "own", "label": "No, only the same crew", "description": "Others see that somebody is there" }] },
        { "id": "quiet", "text": "May somebody hide that they are editing?", "category": "functional", "required": false,
          "options": [{ "id": "yes", "label": "Yes, in their settings" }, { "id": "no", "label": "No" }] },
    ] });
    does(&crew.planner, "chorus_pm_start_elaboration", second).await;
    crew.says(&crew.mika, "idea", idea, "The depot in **Bergen** asks for this every week.").await;
}

/// A task draft: its title, what is to be done, how urgent it is and for how many hours.
type Step<'s> = (&'s str, &'s str, &'s str, u32, &'s [&'s str]);

/// A proposal with one document and tasks of which each waits for the one before.
async fn propose(
    crew: &Crew,
    project: &str,
    idea: &str,
    (title, about): (&str, &str),
    document: (&str, &str),
    steps: &[Step<'_>],
) -> Drafted {
    let new = json!({ "projectUuid": project, "title": title, "description": about, "inputType": "idea", "inputUuids": [idea] });
    let id = text(&does(&crew.planner, "chorus_pm_create_proposal", new).await["uuid"]);
    let draft = json!({ "proposalUuid": id, "type": "tech_design", "title": document.0, "content": document.1 });
    let document = text(&does(&crew.planner, "chorus_pm_add_document_draft", draft).await["draftUuid"]);
    let mut tasks: Vec<String> = Vec::new();
    for (title, about, priority, hours, criteria) in steps {
        let criteria: Vec<Value> =
            criteria.iter().map(|text| json!({ "description": text, "required": true })).collect();
        let draft = json!({ "proposalUuid": id, "title": title, "description": about, "priority": priority, "storyPoints": hours,
            "acceptanceCriteriaItems": criteria, "dependsOnDraftUuids": tasks.last().into_iter().collect::<Vec<_>>() });
        tasks.push(text(&does(&crew.planner, "chorus_pm_add_task_draft", draft).await["draftUuid"]));
    }
    Drafted { id, document, tasks }
}

/// What a proposal holds while it is written.
struct Drafted {
    id: String,
    document: String,
    tasks: Vec<String>,
}

async fn submit(crew: &Crew, proposal: &str) {
    does(&crew.planner, "chorus_pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
}

/// What came of an approved proposal, in the order of its drafts.
struct Approved {
    id: String,
    tasks: Vec<String>,
    document: String,
}

async fn approve(crew: &Crew, proposal: String, note: &str) -> Approved {
    submit(crew, &proposal).await;
    let note = json!({ "proposalUuid": proposal, "reviewNote": note });
    let made = crew.person(&crew.lan, "chorus_admin_approve_proposal", note).await;
    let tasks = made["materializedTasks"].as_array().unwrap().iter().map(|task| text(&task["taskUuid"])).collect();
    Approved { id: proposal, tasks, document: text(&made["materializedDocuments"][0]["documentUuid"]) }
}

/// The plan that is being built.
async fn merging(crew: &Crew, project: &str, idea: &str) -> Approved {
    clear(crew, idea, "The rules were settled with the crews in the workshop.").await;
    let steps: &[Step<'_>] = &[
        (
            "Keep every edit in a log",
            "Append before it is shown; fsync once a second.",
            "high",
            3,
            &["Pulling the battery loses at most a second", "A log of a year opens in under 200 ms"],
        ),
        (
            "Merge two logs into one",
            "By the rules of the design, without a server.",
            "high",
            5,
            &[
                "The table of cases holds, both ways round",
                "Merging twice changes nothing",
                "What was removed says by whom",
            ],
        ),
        (
            "Exchange logs with the server",
            "In pieces, so that a tunnel does not start it over.",
            "medium",
            4,
            &["An exchange continues where it broke off", "10,000 entries take less than 2 s on 3G"],
        ),
        (
            "Show what a merge changed",
            "A line above the page, and marks in the text.",
            "medium",
            2,
            &["A screen reader says it too"],
        ),
        (
            "Measure conflicts in the field",
            "Counts only, no contents.",
            "low",
            1,
            &["A chart of conflicts per day and depot"],
        ),
    ];
    let about = "A log on each tablet, one rule for each kind of conflict, and an exchange that survives tunnels. Five steps; the \
        first two can be tried without a server.";
    let plan = propose(
        crew,
        project,
        idea,
        ("Offline edits: a log and a merge", about),
        ("How logs are merged", DESIGN),
        steps,
    )
    .await;
    let approved = approve(crew, plan.id, "Good. Start with the log; Mika tries it in Bergen.").await;
    let reference = json!({ "targetType": "proposal", "targetUuid": approved.id, "type": "paper_blog", "title": "Local-first software",
        "url": "https://www.inkandswitch.com/local-first/", "notes": "Where the log comes from" });
    does(&crew.builder, "chorus_add_reference", reference).await;
    approved
}

/// A task from open to done.
async fn finish(crew: &Crew, task: &str, evidence: &str) {
    hand_over(crew, task, evidence).await;
    let detail = does(&crew.builder, "chorus_get_task", json!({ "taskUuid": task })).await;
    let passed: Vec<Value> = detail["acceptanceCriteriaItems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| json!({ "uuid": item["uuid"], "status": "passed" }))
        .collect();
    crew.person(&crew.lan, "chorus_mark_acceptance_criteria", json!({ "taskUuid": task, "criteria": passed })).await;
    crew.person(&crew.lan, "chorus_admin_verify_task", json!({ "taskUuid": task })).await;
}

/// A task from open to where somebody has to look at it.
async fn hand_over(crew: &Crew, task: &str, evidence: &str) {
    does(&crew.builder, "chorus_claim_task", json!({ "taskUuid": task })).await;
    does(&crew.builder, "chorus_update_task", json!({ "taskUuid": task, "status": "in_progress" })).await;
    does(&crew.builder, "chorus_report_work", json!({ "taskUuid": task, "report": evidence })).await;
    let detail = does(&crew.builder, "chorus_get_task", json!({ "taskUuid": task })).await;
    let checked: Vec<Value> = detail["acceptanceCriteriaItems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| json!({ "uuid": item["uuid"], "devStatus": "passed", "devEvidence": evidence }))
        .collect();
    does(&crew.builder, "chorus_report_criteria_self_check", json!({ "taskUuid": task, "criteria": checked })).await;
    does(&crew.builder, "chorus_submit_for_verify", json!({ "taskUuid": task, "summary": evidence })).await;
}

/// How far the plan has come: one task is done, the next one waits for a verdict.
async fn build(crew: &Crew, project: &str, Approved { tasks, document, .. }: &Approved) {
    finish(crew, &tasks[0], "`cargo test -p log` passes; see `log/tests/power.rs`.").await;
    hand_over(crew, &tasks[1], "All 24 cases of the table pass in both directions: `cargo test -p merge`.").await;
    let verdict = does(&crew.builder, "chorus_get_task", json!({ "taskUuid": tasks[1] })).await;
    let first = json!({ "uuid": verdict["acceptanceCriteriaItems"][0]["uuid"], "status": "passed", "evidence": "Tried it on two tablets." });
    crew.person(&crew.lan, "chorus_mark_acceptance_criteria", json!({ "taskUuid": tasks[1], "criteria": [first] }))
        .await;
    let newer = format!(
        "{}\n## What is not merged\n\nPhotos. They are never changed, so that both stay.\n",
        DESIGN.replace("by line", "by sentence")
    );
    does(&crew.builder, "chorus_pm_update_document", json!({ "documentUuid": document, "content": newer })).await;
    crew.says(&crew.mika, "document", document, "By sentence is what the crews expect. Thanks!").await;
    let guide = json!({ "projectUuid": project, "type": "guide", "title": "Trying a build on a tablet", "content": "1. Plug it in.\n2. `just tablet`\n" });
    does(&crew.builder, "chorus_pm_create_document", guide).await;
    let rules = json!({ "projectUuid": project, "type": "adr", "title": "Clocks are corrected by the server", "content": "## Decision\n\nAt each exchange.\n" });
    does(&crew.builder, "chorus_pm_create_document", rules).await;
}

/// Who is at work now.
async fn shift(crew: &Crew, project: &str, Approved { tasks, .. }: &Approved) -> String {
    let session = async |client: &Client, name: &str, about: &str| {
        text(&does(client, "chorus_create_session", json!({ "name": name, "description": about })).await["uuid"])
    };
    let night = session(&crew.builder, "Night shift", "Offline sync, in order").await;
    does(&crew.builder, "chorus_session_checkin_task", json!({ "sessionUuid": night, "taskUuid": tasks[1] })).await;
    let bugs = session(&crew.fixer, "Bugs first", "Whatever is red").await;
    let new = json!({ "projectUuid": project, "tasks": [
        { "title": "Tablets of 2019 run out of memory", "priority": "high", "description": "After a day the log is read whole.",
          "acceptanceCriteriaItems": [{ "description": "A week of edits in 64 MB" }] },
        { "title": "Name the tablet in every log line", "acceptanceCriteriaItems": [{ "description": "Support finds a tablet by its name" }] },
    ] });
    let made = does(&crew.builder, "chorus_create_tasks", new).await;
    for nth in 0..2 {
        let task = json!({ "taskUuid": made["tasks"][nth]["uuid"] });
        does(&crew.fixer, "chorus_claim_task", task).await;
    }
    let urgent = &made["tasks"][0]["uuid"];
    does(&crew.fixer, "chorus_update_task", json!({ "taskUuid": urgent, "status": "in_progress" })).await;
    does(&crew.fixer, "chorus_session_checkin_task", json!({ "sessionUuid": bugs, "taskUuid": urgent })).await;
    does(
        &crew.fixer,
        "chorus_report_work",
        json!({ "taskUuid": urgent, "report": "Reproduced with a log of 300 MB. It is the index." }),
    )
    .await;
    night
}

/// A small idea that went all the way.
async fn done(crew: &Crew, project: &str, idea: &str) {
    clear(crew, idea, "GPX is a standard.").await;
    let steps: &[Step<'_>] = &[("Write GPX 1.1", "Waypoints and one track.", "medium", 1, &["Three devices load it"])];
    let design =
        format!("One file, written as it is read.\n\n{}", "A route is a list of points with a time each. ".repeat(5));
    let plan =
        propose(crew, project, idea, ("GPX export", "One button on the route."), ("GPX export", &design), steps).await;
    let approved = approve(crew, plan.id, "Do it.").await;
    finish(crew, &approved.tasks[0], "Loaded on a Garmin, a Suunto and in QGIS.").await;
    let report = json!({ "proposalUuid": approved.id, "title": "GPX export is in 4.2",
        "content": "## Summary\n\nSurveyors export a route with one button.\n\n## Decisions\n\nOne track per route.\n\n## Follow-ups\n\nNone.\n" });
    does(&crew.builder, "chorus_create_report", report).await;
}

/// The proposal that waits for a person.
async fn meeting(crew: &Crew, project: &str, idea: &str) -> String {
    clear(crew, idea, "Answered in the thread.").await;
    let steps: &[Step<'_>] = &[
        (
            "Find tablets nearby",
            "Over Bluetooth, only those of the same company.",
            "high",
            3,
            &["Two tablets in a tunnel find each other within 10 s", "A stranger's tablet is never shown"],
        ),
        (
            "Hand over a log",
            "Encrypted with the crew's key; the same format as with the server.",
            "high",
            5,
            &["An hour of edits in under 5 s", "A handover that breaks off leaves both logs as they were"],
        ),
        (
            "Ask before the first handover",
            "Once for each pair of tablets.",
            "medium",
            1,
            &["Nothing is sent before both said yes"],
        ),
    ];
    let about = "Tablets that see each other exchange their logs without a network. It uses the merge of *Offline edits* unchanged, \
        so that the order in which logs meet does not matter.\n\n**Cost:** about nine agent hours. **Risk:** Bluetooth on the tablets of 2019.";
    let design = DESIGN
        .replace("the server's at each exchange", "the server's when there is one")
        .replace("What is kept", "What is handed over");
    let plan = propose(
        crew,
        project,
        idea,
        ("Hand logs from tablet to tablet", about),
        ("Handover over Bluetooth", &design),
        steps,
    )
    .await;
    submit(crew, &plan.id).await;
    crew.says(&crew.mika, "proposal", &plan.id, "Works for us if the first question is in plain words.").await;
    plan.id
}

/// The proposal that is being written.
async fn downloading(crew: &Crew, project: &str, idea: &str) -> (String, String, String) {
    clear(crew, idea, "Small.").await;
    let steps: &[Step<'_>] = &[(
        "Ask above 50 MB on mobile data",
        "With the size and what it would cost.",
        "medium",
        1,
        &["On wifi nothing is asked"],
    )];
    let design = format!("## When it asks\n\n{}", "A download is large from 50 MB on. ".repeat(5));
    let plan =
        propose(crew, project, idea, ("Ask before large downloads", "One dialog."), ("When it asks", &design), steps)
            .await;
    (plan.id, plan.document, plan.tasks.first().cloned().unwrap_or_default())
}

/// Proposals that were decided otherwise.
async fn others(crew: &Crew, project: &str, idea: &str) {
    clear(crew, idea, "Settled.").await;
    let design = "Speech is turned into text on the tablet. ".repeat(6);
    let plan = async |title: &str| {
        let steps: &[Step<'_>] =
            &[("Record and transcribe", "On the tablet.", "medium", 6, &["Nine words of ten are right in a cab"])];
        propose(
            crew,
            project,
            idea,
            (title, "Speech becomes text on the tablet."),
            ("Speech on the tablet", &design),
            steps,
        )
        .await
        .id
    };
    let returned = plan("Voice notes, transcribed on the tablet").await;
    submit(crew, &returned).await;
    let why = json!({ "proposalUuid": returned, "reviewNote": "Say how much battery an hour of speech takes." });
    crew.person(&crew.lan, "chorus_pm_reject_proposal", why).await;
    let closed = plan("Voice notes, transcribed by a service").await;
    submit(crew, &closed).await;
    let why = json!({ "proposalUuid": closed, "reviewNote": "What is said in a cab stays in the cab." });
    crew.person(&crew.lan, "chorus_admin_close_proposal", why).await;
    let revoked = plan("Voice notes, sent as they are").await;
    let revoked = approve(crew, revoked, "Let us try it.").await.id;
    let why = json!({ "proposalUuid": revoked, "reviewNote": "Nobody listens to them: see the trial." });
    crew.person(&crew.lan, "chorus_pm_revoke_proposal", why).await;
}
