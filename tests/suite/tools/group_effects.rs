//! What changes of groups leave besides their answers: lines in the streams of their projects, change events, the
//! protected log. All of it listed by hand; what is not listed must not be there.

use std::collections::BTreeSet;

use chorus_domain::Party;
use chorus_ids::{AgentId, ProjectId};
use chorus_testkit::{Backend, EventRow};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::stage::{Stage, rows, text};
use crate::backends;

/// How things stood before a call.
struct Watch<'s> {
    stage: &'s Stage,
    /// Projects whose streams are watched, with their names here.
    projects: Vec<(ProjectId, &'static str)>,
    activities: BTreeSet<String>,
    events: BTreeSet<EventRow>,
    log: usize,
}

impl<'s> Watch<'s> {
    async fn start(stage: &'s Stage, projects: &[(ProjectId, &'static str)]) -> Self {
        let mut watch =
            Self { stage, projects: projects.to_vec(), activities: BTreeSet::new(), events: BTreeSet::new(), log: 0 };
        watch.news(&[]).await;
        watch
    }

    /// What has happened since: lines as `project: action of target value`, events as `entity id change`, the log as
    /// `action value`; ids by their names here.
    async fn news(&mut self, names: &[(String, &str)]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let s = self.stage;
        let mut lines = Vec::new();
        for (project, name) in self.projects.clone() {
            let listed = s.call(&s.admin, "get_activity", json!({ "projectUuid": project, "pageSize": 100 })).await;
            let chorus_testkit::CallResult::Answer(listed) = listed else { continue };
            for row in rows(&listed, "activities").iter().rev() {
                if self.activities.insert(text(&row["uuid"])) {
                    let target = format!("{} {}", text(&row["targetType"]), text(&row["targetUuid"]));
                    lines.push(format!("{name}: {} of {target} {}", text(&row["action"]), row["value"]));
                }
            }
        }
        let events = s.database.events().await.into_iter().filter(|event| self.events.insert(*event));
        let mut events: Vec<String> =
            events.map(|event| format!("{} {} {}", event.entity, event.id, event.change)).collect();
        let all = s.database.group_logs().await;
        let read = |line: &String| {
            let entry: Value = serde_json::from_str(line).unwrap();
            format!("{} {}", text(&entry["action"]), entry["value"])
        };
        let mut log: Vec<String> = all.iter().skip(self.log).map(read).collect();
        self.log = all.len();
        for list in [&mut lines, &mut events, &mut log] {
            for line in list.iter_mut() {
                for (id, name) in names {
                    *line = line.replace(id, name);
                }
            }
        }
        events.sort();
        (lines, events, log)
    }

    /// Passes if exactly this has happened since, and nobody was told.
    async fn expect(&mut self, names: &[(String, &str)], lines: &[&str], events: &[&str], log: &[&str]) {
        let news = self.news(names).await;
        let owned = |list: &[&str]| list.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert_eq!(news, (owned(lines), owned(events), owned(log)));
        let s = self.stage;
        let agent = |who: &chorus_domain::Caller| Party::Agent(AgentId::from_uuid(who.subject.uuid()));
        for (party, user) in [(agent(&s.pm), s.pat), (Party::User(s.pat), s.pat), (Party::User(s.dora), s.dora)] {
            assert_eq!(s.unread(party, user).await, []);
        }
    }
}

async fn a_group_from_its_making_to_its_end(backend: Backend) {
    let s = Stage::new(backend).await;
    let mut watch = Watch::start(&s, &[]).await;
    let made = s.ok(&s.admin, "admin_create_project_group", json!({ "name": "G" })).await;
    let group = text(&made["uuid"]);
    let id = group.parse().unwrap();
    let only = [(group.clone(), "G")];
    watch
        .expect(&only, &[], &["project_group G created"], &[r#"group_created {"name":"G","visibility":"public"}"#])
        .await;

    let open = s.world.project_in("open", Visibility::Public, Some(id), &[]).await;
    let closed = s.world.project_in("closed", Visibility::Private, Some(id), &[]).await;
    let projects = [(open, "open"), (closed, "closed")];
    let names = [(group.clone(), "G"), (open.to_string(), "O"), (closed.to_string(), "C"), (s.dora.to_string(), "D")];
    let mut watch = Watch::start(&s, &projects).await;
    let update = async |more: Value| {
        let mut arguments = json!({ "groupUuid": group });
        super::maker::merge(&mut arguments, more);
        s.ok(&s.admin, "admin_update_project_group", arguments).await
    };

    update(json!({ "description": "Why" })).await;
    let told = r#"group_updated of project_group G {"changed":["description"]}"#;
    watch
        .expect(
            &names,
            &[&format!("open: {told}"), &format!("closed: {told}")],
            &["project_group G updated"],
            &[r#"group_updated {"changed":["description"],"name":"G","visibility":null}"#],
        )
        .await;

    // The streams tell nothing of the roster.
    let told = r#"group_updated of project_group G {"changed":["members"]}"#;
    let everywhere = ["project C updated", "project O updated", "project_group G updated"];
    for (change, logged) in [
        (
            json!({ "memberAction": "add", "userUuid": s.dora, "role": "viewer" }),
            r#"group_member_changed {"from":null,"role":"viewer","userUuid":"D"}"#,
        ),
        (
            json!({ "memberAction": "update", "userUuid": s.dora, "role": "editor" }),
            r#"group_member_changed {"from":"viewer","role":"editor","userUuid":"D"}"#,
        ),
        (
            json!({ "memberAction": "remove", "userUuid": s.dora }),
            r#"group_member_removed {"from":"editor","userUuid":"D"}"#,
        ),
    ] {
        update(change).await;
        watch.expect(&names, &[&format!("open: {told}"), &format!("closed: {told}")], &everywhere, &[logged]).await;
    }

    let seen = update(json!({ "visibility": "private", "preview": true })).await;
    watch.expect(&names, &[], &[], &[]).await;
    update(json!({ "visibility": "private", "confirmationToken": seen["confirmationToken"] })).await;
    let told = r#"group_updated of project_group G {"changed":["visibility"]}"#;
    watch
        .expect(
            &names,
            &[
                &format!("open: {told}"),
                r#"open: project_visibility_changed of project O {"from":"public","to":"private"}"#,
                &format!("closed: {told}"),
            ],
            &everywhere,
            &[r#"group_updated {"changed":["visibility"],"name":"G","visibility":{"from":"public","to":"private"}}"#],
        )
        .await;

    s.ok(&s.admin, "admin_delete_project_group", json!({ "groupUuid": group })).await;
    watch
        .expect(
            &names,
            &["open: group_deleted of project_group G null", "closed: group_deleted of project_group G null"],
            &["project C updated", "project O updated", "project_group G deleted"],
            &[r#"group_deleted {"name":"G","projectsDeleted":0,"projectsKept":2}"#],
        )
        .await;
    let audit = s.database.audit().await;
    let changes = audit.iter().filter(|line| line.contains("project_group")).count();
    assert_eq!(changes, 7, "previews are no changes: {audit:?}");
}

async fn a_project_that_moves(backend: Backend) {
    let s = Stage::new(backend).await;
    let source = s.world.group("S", Visibility::Public, &[(s.ada, Role::Admin)]).await;
    let target = s.world.group("T", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let project = s.world.project_in("P", Visibility::Public, Some(source), &[]).await;
    let names = [(source.to_string(), "S"), (target.to_string(), "T"), (project.to_string(), "P")];
    let mut watch = Watch::start(&s, &[(project, "P")]).await;
    for (group, lines, groups) in [
        (
            json!(target),
            vec![
                r#"P: project_group_changed of project P {"groupUuid":"T"}"#,
                r#"P: project_visibility_changed of project P {"from":"public","to":"private"}"#,
            ],
            vec!["S", "T"],
        ),
        (json!(null), vec![r#"P: project_group_changed of project P {"groupUuid":null}"#], vec!["T"]),
    ] {
        let ask = json!({ "projectUuid": project, "groupUuid": group, "preview": true });
        let seen = s.ok(&s.admin, "admin_move_project_to_group", ask).await;
        watch.expect(&names, &[], &[], &[]).await;
        let token = json!({
            "projectUuid": project, "groupUuid": group, "confirmationToken": seen["confirmationToken"]
        });
        s.ok(&s.admin, "admin_move_project_to_group", token).await;
        let mut events = vec!["project P updated".to_owned()];
        events.extend(groups.iter().map(|group| format!("project_group {group} updated")));
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let (from, to) = if groups.len() == 2 { ("\"S\"", "\"T\"") } else { ("\"T\"", "null") };
        let entry = format!(r#"project_moved {{"from":{from},"projectUuid":"P","to":{to}}}"#);
        let log: Vec<&str> = groups.iter().map(|_| entry.as_str()).collect();
        watch.expect(&names, &lines, &events, &log).await;
    }
    let kept = s.world.services.store.read().await.unwrap().directory().project_members(&[project]).await.unwrap();
    assert_eq!(kept.iter().map(|row| (row.user, row.role)).collect::<Vec<_>>(), [(s.ada, Role::Admin)]);
}

async fn projects_that_are_deleted_with_their_group(backend: Backend) {
    let s = Stage::new(backend).await;
    let group = s.world.group("G", Visibility::Private, &[(s.ada, Role::Admin)]).await;
    let project = s.world.project_in("P", Visibility::Private, Some(group), &[]).await;
    let names = [(group.to_string(), "G"), (project.to_string(), "P")];
    let mut watch = Watch::start(&s, &[(project, "P")]).await;
    s.ok(&s.admin, "admin_delete_project_group", json!({ "groupUuid": group, "deleteProjects": true })).await;
    watch
        .expect(
            &names,
            &[],
            &["project P deleted", "project_group G deleted"],
            &[r#"group_deleted {"name":"G","projectsDeleted":1,"projectsKept":0}"#],
        )
        .await;
}

async fn nobody_reads_the_log_of_a_group_as_comments(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = s.ok(&s.admin, "admin_create_project_group", json!({ "name": "G" })).await;
    assert_eq!(s.database.group_logs().await.len(), 1);
    for kind in ["project_group", "group"] {
        let ask = json!({ "targetType": kind, "targetUuid": made["uuid"] });
        assert_eq!(s.refused(&s.admin, "get_comments", ask, "invalid_arguments").await.fields(), ["targetType"]);
    }
    for kind in ["idea", "proposal", "document", "task"] {
        let ask = json!({ "targetType": kind, "targetUuid": made["uuid"] });
        s.refused(&s.admin, "get_comments", ask, "not_found").await;
    }
}

backends!(
    a_group_from_its_making_to_its_end,
    a_project_that_moves,
    projects_that_are_deleted_with_their_group,
    nobody_reads_the_log_of_a_group_as_comments,
);
