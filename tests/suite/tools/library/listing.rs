//! resources/list and resources/templates/list.

use std::collections::BTreeSet;

use chorus_app::Narrowing;
use chorus_dispatch::{Effects, Library as _, Selection, Visitor};
use chorus_domain::{Assignment, Party, Write, task::Task};
use chorus_ids::{AgentId, GroupId, ProjectId, TaskId};
use chorus_lifecycle::task::{Priority, TaskStatus};
use chorus_testkit::{Backend, World};
use chorus_visibility::{Role, Visibility};
use serde_json::json;

use super::{
    super::stage::{PROJECT, Stage, text, uuid},
    Shelves, uri,
};
use crate::backends;

const CONTEXT: &str = "chorus://context";

fn project_uri(id: impl std::fmt::Display) -> String {
    format!("chorus://projects/{id}")
}

async fn a_caller_finds_itself_its_work_and_its_projects(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let idea = s.by(&s.pm).claimed().await;
    let of_owner = s.by(&s.pm).idea_with(json!({ "title": "Pat's\n idea" })).await;
    s.give_idea(&of_owner, Party::User(s.pat)).await;
    s.by(&s.admin).claimed().await; // somebody else's
    s.by(&s.pm).idea().await; // nobody's
    let low = s.by(&s.pm).task_with(json!({ "title": "Low", "priority": "low" })).await;
    let high = s.by(&s.pm).task_with(json!({ "title": "High", "priority": "high" })).await;
    for task in [&low, &high] {
        s.ok(&s.pm, "claim_task", json!({ "taskUuid": task })).await;
    }
    s.by(&s.pm).task_in("done").await;
    let other = s.world.project("Other", Visibility::Public, &[(s.ada, Role::Admin)]).await;

    let visitor = shelves.visitor(&s.pm);
    let pages = shelves.pages(&visitor).await;
    assert_eq!(pages.len(), 1);
    let uris: Vec<&str> = pages[0].iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(
        uris,
        [
            CONTEXT,
            &uri(&s, "ideas", &of_owner),
            &uri(&s, "ideas", &idea),
            &uri(&s, "tasks", &high),
            &uri(&s, "tasks", &low),
            &project_uri(other),
            &project_uri(s.project),
        ]
    );
    let task = &pages[0][3];
    assert_eq!((task.name.as_str(), task.title.as_deref()), ("High", Some("High")));
    assert_eq!(task.description, Some(format!("Task, assigned, in the project {PROJECT}")));
    assert_eq!(task.mime_type.as_deref(), Some("application/json"));
    let updated = text(&s.ok(&s.pm, "get_task", json!({ "taskUuid": high })).await["updatedAt"]);
    assert_eq!(task.annotations.last_modified, Some(updated));
    assert_eq!(pages[0][6].description.as_deref(), Some("Project"));
    // Whatever is listed can be read.
    for uri in uris {
        shelves.part(&s.pm, uri).await.unwrap();
    }
}

async fn what_is_hidden_is_not_listed(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let outsider = s.agent_of("outsider", None).await;
    let ownerless = s.world.new_caller("ownerless", None, &["admin_agent"], &[]).await;
    let abroad = World::new(s.world.services.clone()).await;
    let foreigner = abroad.new_caller("foreigner", Some(abroad.first_user), &["admin_agent"], &[]).await;
    let public = s.world.project("public", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    // What somebody held before they lost access is no longer theirs to see.
    let leaver = s.agent_of("leaver", Some(Role::Editor)).await;
    let held = s.by(&leaver).claimed().await;
    assert!(shelves.listed(&shelves.visitor(&leaver)).await.contains(&uri(&s, "ideas", &held)));
    let member = s.world.user("nobody").await;
    s.give_idea(&held, Party::Agent(AgentId::from_uuid(outsider.subject.uuid()))).await;
    s.world.member(s.project, member, Role::Viewer).await;
    for (who, seen) in [(&outsider, vec![public]), (&ownerless, vec![public]), (&foreigner, vec![])] {
        let expected: Vec<String> = [CONTEXT.to_owned()].into_iter().chain(seen.into_iter().map(project_uri)).collect();
        assert_eq!(shelves.listed(&shelves.visitor(who)).await, expected, "{}", who.name);
    }
}

async fn a_long_list_is_walked_in_pages_that_meet_each_thing_once(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let me = Party::Agent(AgentId::from_uuid(s.dev.subject.uuid()));
    let new_task = |n: u32| {
        let at = s.world.now();
        Task {
            id: s.world.id::<TaskId>(),
            company: s.world.company,
            project: s.project,
            title: format!("Task {n}"),
            description: None,
            status: TaskStatus::Assigned,
            priority: Priority::Medium,
            story_points: None,
            assignee: Some(Assignment { to: me, at, by: None }),
            proposal: None,
            created_by: me,
            version: 1,
            created_at: at,
            updated_at: at,
        }
    };
    let tasks: Vec<Task> = (0..120).map(new_task).collect();
    let mut expected: BTreeSet<String> = tasks.iter().map(|task| uri(&s, "tasks", &task.id.to_string())).collect();
    s.world.write(vec![Write::NewTasks(tasks)]).await;
    for n in 0..60 {
        let project = s.world.project(&format!("P{n}"), Visibility::Public, &[(s.ada, Role::Admin)]).await;
        expected.insert(project_uri(project));
    }
    expected.extend([CONTEXT.to_owned(), project_uri(s.project)]);

    let visitor = shelves.visitor(&s.dev);
    let (mut met, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let (page, next) = shelves.library.resources(&visitor, cursor.as_deref()).await.unwrap();
        assert!(page.len() <= 151, "{}", page.len());
        met.extend(page.into_iter().map(|resource| resource.uri));
        pages += 1;
        // What comes meanwhile disturbs nothing that was there.
        s.world.write(vec![Write::NewTasks(vec![new_task(1_000 + pages)])]).await;
        s.world.project("New", Visibility::Public, &[(s.ada, Role::Admin)]).await;
        match next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert!(pages >= 4, "{pages}");
    let distinct: BTreeSet<String> = met.iter().cloned().collect();
    assert_eq!(distinct.len(), met.len(), "nothing is met twice");
    assert!(expected.is_subset(&distinct));
}

async fn headers_narrow_the_list_and_never_widen_it(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let group = s.world.group("group", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let grouped = s.world.project_in("grouped", Visibility::Public, Some(group), &[]).await;
    let hidden = s.world.project("hidden", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let here = s.by(&s.pm).claimed().await;
    let there = s.by(&s.pm).within(&grouped.to_string()).claimed().await;
    let there = format!("chorus://projects/{grouped}/ideas/{there}");
    let only = |projects: &[ProjectId]| Narrowing::Projects(projects.to_vec());
    for (narrowing, expected) in [
        (only(&[s.project]), vec![uri(&s, "ideas", &here), project_uri(s.project)]),
        (only(&[grouped, hidden]), vec![there.clone(), project_uri(grouped)]),
        (only(&[hidden]), vec![]),
        (only(&[]), vec![]),
        (Narrowing::Group(group), vec![there, project_uri(grouped)]),
        (Narrowing::Group(s.world.id::<GroupId>()), vec![]),
    ] {
        let expected: Vec<String> = [CONTEXT.to_owned()].into_iter().chain(expected).collect();
        let visitor = shelves.narrowed(&s.pm, narrowing.clone());
        assert_eq!(shelves.listed(&visitor).await, expected, "{narrowing:?}");
    }
}

async fn a_cursor_of_another_list_is_refused(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    s.by(&s.pm).task().await;
    s.by(&s.pm).task().await;
    let page = s.ok(&s.pm, "list_tasks", json!({ "projectUuid": s.project, "pageSize": 1 })).await;
    let visitor = shelves.visitor(&s.pm);
    for cursor in ["x", "AAAA", &text(&page["nextCursor"])] {
        let refused = shelves.library.resources(&visitor, Some(cursor)).await.unwrap_err();
        assert_eq!(refused, chorus_mcp::RpcError::invalid_cursor(), "{cursor}");
    }
}

async fn templates_lead_to_everything_that_can_be_read(backend: Backend) {
    let s = Stage::new(backend).await;
    let shelves = Shelves::of(&s);
    let made = s.by(&s.pm).approved().await;
    let nobody = s.world.new_caller("nobody", None, &[], &[]).await;
    let templates = shelves.library.templates(&shelves.visitor(&nobody));
    let shown: Vec<(&str, &str)> = templates
        .iter()
        .map(|template| (template.uri_template.as_str(), template.mime_type.as_deref().unwrap()))
        .collect();
    let json = "application/json";
    assert_eq!(
        shown,
        [
            ("chorus://projects/{projectUuid}", json),
            ("chorus://projects/{projectUuid}/ideas/{ideaUuid}", json),
            ("chorus://projects/{projectUuid}/proposals/{proposalUuid}", json),
            ("chorus://projects/{projectUuid}/documents/{documentUuid}", "text/markdown"),
            ("chorus://projects/{projectUuid}/tasks/{taskUuid}", json),
        ]
    );
    assert!(templates.iter().all(|template| template.title.is_some() && template.description.is_some()));
    for (template, media) in shown {
        let filled = [
            ("{projectUuid}", s.project.to_string()),
            ("{ideaUuid}", made.idea.clone()),
            ("{proposalUuid}", made.proposal.clone()),
            ("{documentUuid}", made.document.clone()),
            ("{taskUuid}", made.tasks[0].clone()),
        ]
        .iter()
        .fold(template.to_owned(), |uri, (variable, id)| uri.replace(variable, id));
        let part = shelves.part(&s.dev, &filled).await.unwrap();
        assert_eq!(part.mime_type.as_deref(), Some(media), "{filled}");
    }
    // Resources stand beside the tools: asking for few of these takes nothing away.
    let selection = Selection::default().with(Effects::ReadOnly).among(["none".to_owned()]);
    let few = Visitor { selection, ..shelves.visitor(&s.dev) };
    assert_eq!(shelves.library.templates(&few), templates);
    assert!(shelves.listed(&few).await.contains(&project_uri(s.project)));
    assert!(shelves.library.read(&few, &uri(&s, "tasks", &made.tasks[0])).await.is_ok());
    assert_eq!(uuid(&made.tasks[0]).to_string(), made.tasks[0]);
}

backends!(
    a_caller_finds_itself_its_work_and_its_projects,
    what_is_hidden_is_not_listed,
    a_long_list_is_walked_in_pages_that_meet_each_thing_once,
    headers_narrow_the_list_and_never_widen_it,
    a_cursor_of_another_list_is_refused,
    templates_lead_to_everything_that_can_be_read,
);
