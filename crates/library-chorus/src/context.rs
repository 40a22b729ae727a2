//! `chorus://context`: who the caller is, and what it may do where.

use chorus_app::library::Standing;
use chorus_domain::{Caller, Kind, project::Project};
use chorus_permissions::Action;
use serde_json::{Map, Value, json};

use crate::address::Address;

/// The context as JSON.
pub(crate) fn shown(caller: &Caller, standing: &Standing) -> Value {
    let mut who = Map::new();
    who.insert("type".into(), json!(caller.subject.kind()));
    who.insert("uuid".into(), json!(caller.subject.uuid()));
    who.insert("name".into(), json!(caller.name));
    if let Some(profile) = &standing.profile {
        who.insert("presets".into(), json!(profile.agent.roles));
        let owner = profile.owner.as_ref();
        let owner = owner.map(|user| json!({ "uuid": user.id, "name": user.display_name(), "email": user.email }));
        who.insert("owner".into(), json!(owner));
    }
    let mut context = Map::new();
    context.insert("caller".into(), Value::Object(who));
    context.insert("permissions".into(), permissions(caller));
    let projects = standing.projects.iter().map(|(project, level)| {
        json!({
            "uuid": project.id,
            "name": project.name,
            "visibility": project.visibility.as_str(),
            "accessLevel": level.as_str(),
            "uri": uri(project),
        })
    });
    context.insert("projects".into(), projects.collect());
    if standing.more_projects > 0 {
        context.insert("moreProjects".into(), json!(standing.more_projects));
    }
    Value::Object(context)
}

/// The actions allowed on each kind of thing, as a check-in tells them.
fn permissions(caller: &Caller) -> Value {
    let grouped = caller.permissions.grouped().into_iter();
    let named = grouped.map(|(resource, actions)| {
        let actions: Vec<&str> = actions.into_iter().map(Action::as_str).collect();
        (resource.as_str().to_owned(), json!(actions))
    });
    Value::Object(named.collect())
}

fn uri(project: &Project) -> Option<String> {
    Address::of(project.id, Kind::Project, project.id.uuid()).map(|address| address.to_string())
}
