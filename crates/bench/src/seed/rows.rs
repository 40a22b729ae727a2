//! The rows, as `chorus export` writes them.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use rand::Rng as _;
use serde_json::{Value, json};

use super::{
    Thing, WORKERS, made_at,
    model::{Model, Status, key, prerequisite, status},
    words,
};

/// The schema of the rows: its migrations. Later ones are the product's to apply.
const SCHEMA: [&str; 6] =
    ["0001_init", "0002_search", "0003_name_keys", "0004_leaving", "0005_events", "0006_accounts"];

/// How many groups there are; every third project is in one.
const GROUPS: u32 = 5;
/// Unread notifications of each worker.
const UNREAD: u32 = 10;
/// Criteria of each task.
const CRITERIA: u32 = 2;

/// Writes all rows.
///
/// # Errors
/// `to` can't be written.
pub(crate) fn write(model: &Model, to: impl Write) -> io::Result<()> {
    let mut out = Out { to, counts: BTreeMap::new() };
    out.line(&json!({ "header": { "format": "chorus-export", "version": 1, "schema": SCHEMA } }))?;
    people(model, &mut out)?;
    projects(model, &mut out)?;
    plans(model, &mut out)?;
    tasks(model, &mut out)?;
    talk(model, &mut out)?;
    traces(model, &mut out)?;
    let counts = json!({ "end": out.counts });
    out.line(&counts)?;
    out.to.flush()
}

struct Out<W> {
    to: W,
    counts: BTreeMap<&'static str, u64>,
}

impl<W: Write> Out<W> {
    fn line(&mut self, line: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.to, line)?;
        self.to.write_all(b"\n")
    }

    #[expect(clippy::needless_pass_by_value, reason = "rows are written where they are made")]
    fn row(&mut self, table: &'static str, row: Value) -> io::Result<()> {
        *self.counts.entry(table).or_default() += 1;
        self.line(&json!({ "row": { table: row } }))
    }
}

fn people<W: Write>(model: &Model, out: &mut Out<W>) -> io::Result<()> {
    let company = model.company;
    out.row("company", json!({ "id": company, "name": "Bench", "created_at": made_at(0) }))?;
    for n in 0..model.users {
        let (name, email) = (format!("User {n}"), format!("user{n}@example.com"));
        out.row("app_user", json!({
            "id": model.id(Thing::User, n), "company_id": company, "oidc_sub": null, "email": email, "email_key": email,
            "name": name, "avatar_url": null, "password_hash": null, "created_at": made_at(n),
            "name_key": name.to_lowercase(), "suspended_at": null,
        }))?;
    }
    for (n, owner) in (0..).zip(&model.agents) {
        let name = format!("Agent {n}");
        out.row(
            "agent",
            json!({
                "id": model.id(Thing::Agent, n), "company_id": company, "name": name, "roles": ["admin_agent"],
                "permissions": [], "persona": "Works with care.", "system_prompt": null,
                "owner_id": model.id(Thing::User, *owner), "last_active_at": null, "created_at": made_at(n),
                "name_key": name.to_lowercase(),
            }),
        )?;
    }
    for n in 0..WORKERS {
        let key = key(model.shape, n);
        out.row(
            "api_key",
            json!({
                "id": model.id(Thing::Key, n), "company_id": company, "agent_id": model.id(Thing::Agent, n),
                "key_hash": key.hash(), "key_prefix": key.prefix(), "name": "bench", "last_used_at": null,
                "expires_at": null, "revoked_at": null, "created_at": made_at(n),
            }),
        )?;
    }
    Ok(())
}

fn projects<W: Write>(model: &Model, out: &mut Out<W>) -> io::Result<()> {
    let company = model.company;
    for n in 0..GROUPS {
        out.row(
            "project_group",
            json!({
                "id": model.id(Thing::Group, n), "company_id": company, "name": format!("Group {n}"), "description": "",
                "visibility": "public", "created_by_type": "user", "created_by_id": model.id(Thing::User, 0),
                "access_version": 1, "created_at": made_at(n), "updated_at": made_at(n),
            }),
        )?;
    }
    let visibility = |private| if private { "private" } else { "public" };
    for (n, project) in (0..).zip(&model.projects) {
        let group: Option<_> = (!project.private && n % 3 == 1).then(|| model.id(Thing::Group, n % GROUPS));
        out.row("project", json!({
            "id": project.id, "company_id": company, "name": model.shape.title(Thing::Project, n),
            "description": words::paragraph(&mut model.shape.chance(Thing::Project, n), 2), "group_id": group,
            "visibility": visibility(project.private), "created_by_type": "user",
            "created_by_id": model.id(Thing::User, project.user), "created_at": made_at(n), "updated_at": made_at(n),
        }))?;
    }
    for project in model.projects.iter().filter(|project| project.private) {
        for (user, role) in [(project.user, "admin"), (0, "viewer"), (1, "editor")] {
            out.row(
                "project_member",
                json!({
                    "project_id": project.id, "user_id": model.id(Thing::User, user), "role": role,
                    "added_by_type": null, "added_by_id": null, "created_at": made_at(0),
                }),
            )?;
        }
    }
    Ok(())
}

/// Ideas and what became of them: each proposal had one, and each fourth waits for a decision on another.
fn plans<W: Write>(model: &Model, out: &mut Out<W>) -> io::Result<()> {
    let company = model.company;
    let project = |n: usize| model.projects.get(n).map(|project| project.id);
    let plans =
        || (0_u32..).zip(&model.proposals).map(|(n, (at, agent))| (n, project(super::model::index(*at)), *agent));
    for (n, project, agent) in plans() {
        let mut rng = model.shape.chance(Thing::Idea, n);
        let agent = model.id(Thing::Agent, agent);
        for (n, status) in [(2 * n, "elaborated"), (2 * n + 1, "open")] {
            let held = status == "elaborated";
            out.row("idea", json!({
                "id": model.id(Thing::Idea, n), "company_id": company, "project_id": project,
                "title": words::sentence(&mut rng, 6), "content": words::paragraph(&mut rng, 4), "status": status,
                "elaboration_depth": null, "elaboration_status": held.then_some("resolved"), "parent_id": null,
                "is_container": false, "assignee_type": held.then_some("agent"), "assignee_id": held.then_some(agent),
                "assigned_at": held.then_some(made_at(n)), "assigned_by_type": null, "assigned_by_id": null,
                "created_by_type": "agent", "created_by_id": agent, "version": 1, "created_at": made_at(n),
                "updated_at": made_at(n),
            }))?;
        }
    }
    for (n, project, agent) in plans() {
        let mut rng = model.shape.chance(Thing::Proposal, n);
        let mut proposal =
            |n, status| {
                out.row("proposal", json!({
                "id": model.id(Thing::Proposal, n), "company_id": company, "project_id": project,
                "title": words::sentence(&mut rng, 5), "description": words::paragraph(&mut rng, 4),
                "input_type": "idea", "status": status, "created_by_type": "agent",
                "created_by_id": model.id(Thing::Agent, agent), "reviewed_by_type": null, "reviewed_by_id": null,
                "review_note": null, "reviewed_at": null, "version": 1, "created_at": made_at(n),
                "updated_at": made_at(n),
            }))
            };
        proposal(2 * n, "approved")?;
        if n % 4 == 0 {
            proposal(2 * n + 1, "pending")?;
        }
    }
    for (n, ..) in plans() {
        out.row("proposal_input", json!({
            "proposal_id": model.id(Thing::Proposal, 2 * n), "position": 0, "input_id": model.id(Thing::Idea, 2 * n),
        }))?;
    }
    for (n, ..) in plans().filter(|(n, ..)| n % 4 == 0) {
        let mut rng = model.shape.chance(Thing::Draft, n);
        out.row(
            "task_draft",
            json!({
                "id": model.id(Thing::Draft, n), "proposal_id": model.id(Thing::Proposal, 2 * n + 1), "position": 0,
                "title": words::sentence(&mut rng, 5), "description": words::paragraph(&mut rng, 2), "priority": "high",
                "story_points": 3.0, "criteria": [{ "description": "It works", "required": true }], "depends_on": [],
            }),
        )?;
    }
    for (n, project, agent) in plans().filter(|(n, ..)| n % 2 == 0) {
        let mut rng = model.shape.chance(Thing::Document, n);
        out.row(
            "document",
            json!({
                "id": model.id(Thing::Document, n), "company_id": company, "project_id": project, "kind": "tech_design",
                "title": words::sentence(&mut rng, 4), "content": words::paragraph(&mut rng, 20),
                "proposal_id": model.id(Thing::Proposal, 2 * n), "created_by_type": "agent",
                "created_by_id": model.id(Thing::Agent, agent), "version": 1, "created_at": made_at(n),
                "updated_at": made_at(n),
            }),
        )?;
    }
    Ok(())
}

fn tasks<W: Write>(model: &Model, out: &mut Out<W>) -> io::Result<()> {
    let all = 0..model.shape.tasks;
    for n in all.clone() {
        let mut rng = model.shape.chance(Thing::Task, n);
        let (held, points) = (model.holder(n).map(|agent| model.id(Thing::Agent, agent)), rng.random_range(1..9));
        let priority = ["low", "medium", "medium", "high"].get(rng.random_range(0..4_usize)).copied();
        let creator = model.proposals.get(super::model::index(n / 10)).map_or(0, |(_, agent)| *agent);
        let sentences = rng.random_range(2..7);
        out.row(
            "task",
            json!({
                "id": model.id(Thing::Task, n), "company_id": model.company, "project_id": model.project_of_task(n),
                "title": model.shape.title(Thing::Task, n), "description": words::paragraph(&mut rng, sentences),
                "status": status(n).as_str(), "priority": priority,
                "story_points": f64::from(points), "assignee_type": held.map(|_| "agent"), "assignee_id": held,
                "assigned_at": held.map(|_| made_at(n)), "assigned_by_type": null, "assigned_by_id": null,
                "proposal_id": model.id(Thing::Proposal, 2 * (n / 10)), "created_by_type": "agent",
                "created_by_id": model.id(Thing::Agent, creator), "version": 1, "created_at": made_at(n),
                "updated_at": made_at(n),
            }),
        )?;
    }
    for (n, before) in all.clone().filter_map(|n| prerequisite(n).map(|before| (n, before))) {
        out.row(
            "task_dependency",
            json!({
                "task_id": model.id(Thing::Task, n), "depends_on_id": model.id(Thing::Task, before),
            }),
        )?;
    }
    for (n, place) in all.flat_map(|n| (0..CRITERIA).map(move |place| (n, place))) {
        let mark = if status(n) == Status::Done { "passed" } else { "pending" };
        out.row(
            "acceptance_criterion",
            json!({
                "id": model.id(Thing::Criterion, n * CRITERIA + place), "task_id": model.id(Thing::Task, n),
                "position": place, "description": "It works and is tested", "required": true, "dev_status": mark,
                "dev_evidence": null, "dev_marked_by_type": null, "dev_marked_by_id": null, "dev_marked_at": null,
                "status": mark, "evidence": null, "marked_by_type": null, "marked_by_id": null, "marked_at": null,
            }),
        )?;
    }
    Ok(())
}

/// Comments, and what workers should know.
fn talk<W: Write>(model: &Model, out: &mut Out<W>) -> io::Result<()> {
    for n in (0..model.shape.tasks).filter(|n| n % 2 == 0) {
        let mut rng = model.shape.chance(Thing::Comment, n);
        out.row(
            "comment",
            json!({
                "id": model.id(Thing::Comment, n), "company_id": model.company, "target_type": "task",
                "target_id": model.id(Thing::Task, n), "content": words::paragraph(&mut rng, 2), "author_type": "user",
                "author_id": model.id(Thing::User, n % model.users), "created_at": made_at(n),
            }),
        )?;
    }
    for n in 0..model.shape.tasks {
        let actor = model.id(Thing::Agent, model.holder(n).unwrap_or_default());
        out.row(
            "activity",
            json!({
                "id": model.id(Thing::Activity, n), "company_id": model.company, "project_id": model.project_of_task(n),
                "target_type": "task", "target_id": model.id(Thing::Task, n),
                "target_title": model.shape.title(Thing::Task, n), "actor_type": "agent", "actor_id": actor,
                "action": "created", "value": null, "session_id": null, "session_name": null, "created_at": made_at(n),
            }),
        )?;
    }
    for n in 0..WORKERS {
        out.row(
            "agent_session",
            json!({
                "id": model.id(Thing::Session, n), "company_id": model.company, "agent_id": model.id(Thing::Agent, n),
                "name": "main", "description": null, "status": "active", "last_active_at": made_at(n),
                "created_at": made_at(n), "updated_at": made_at(n),
            }),
        )?;
    }
    for n in 0..WORKERS * UNREAD {
        let task = n % model.shape.tasks;
        out.row(
            "notification",
            json!({
                "id": model.id(Thing::Notification, n), "company_id": model.company,
                "project_id": model.project_of_task(task), "project_name": "Project", "recipient_type": "agent",
                "recipient_id": model.id(Thing::Agent, n % WORKERS), "entity_type": "task",
                "entity_id": model.id(Thing::Task, task), "entity_title": model.shape.title(Thing::Task, task),
                "action": "comment_added", "joins": true, "message": "There is a new comment", "actor_type": "user",
                "actor_id": model.id(Thing::User, 0), "actor_name": "User 0", "count": 1, "read_at": null,
                "archived_at": null, "created_at": made_at(n),
            }),
        )?;
    }
    Ok(())
}

/// What machines read: events and the log of calls.
fn traces<W: Write>(model: &Model, out: &mut Out<W>) -> io::Result<()> {
    let actor = |n| model.id(Thing::Agent, model.holder(n).unwrap_or_default());
    for n in 0..model.shape.tasks {
        out.row(
            "event",
            json!({
                "id": model.id(Thing::Event, n), "company_id": model.company, "project_id": model.project_of_task(n),
                "entity_type": "task", "entity_id": model.id(Thing::Task, n), "seq": 1, "action": "created",
                "actor_type": "agent", "actor_id": actor(n), "created_at": made_at(n),
            }),
        )?;
    }
    for n in (0..model.shape.tasks).filter(|n| n % 4 == 0) {
        out.row(
            "audit",
            json!({
                "id": model.id(Thing::Audit, n), "company_id": model.company, "subject_type": "agent",
                "subject_id": actor(n), "via": "key", "surface": "chorus", "operation": "chorus_create_tasks",
                "outcome": "ok", "entities": [], "created_at": made_at(n),
            }),
        )?;
    }
    Ok(())
}
