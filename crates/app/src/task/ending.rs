//! Telling those who wait that tasks ended.

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Kind,
    activity::Action,
    event::Change,
    notification::{Notice, Recipient, Topic, quoted},
    task::{
        Dependant, Task,
        ending::{Ending, concerned},
    },
};
use chorus_ids::TaskId;
use chorus_store::{Result, Tx};
use serde_json::json;

use crate::Call;

/// Adds to the batch what the end of these tasks means for those that wait for them: an activity and an event for
/// each, in its own project, and a notice to its assignee, else its creator (README decision 5).
///
/// # Errors
/// What the store reports.
pub async fn tell(call: &Call, tx: &mut dyn Tx, ending: Ending, ended: &[&Task], batch: &mut Batch) -> Result<()> {
    let tasks: BTreeMap<TaskId, &Task> = ended.iter().map(|task| (task.id, *task)).collect();
    let ids: Vec<TaskId> = tasks.keys().copied().collect();
    let waiting = tx.directory().dependants(&ids).await?;
    let mut with_event = BTreeSet::new();
    for dependant in concerned(ending, &ids, &waiting) {
        let Some(prerequisite) = tasks.get(&dependant.depends_on) else { continue };
        let (action, topic) = match ending {
            Ending::Done => (Action::Unblocked, Topic::Unblocked),
            Ending::GivenUp => (Action::DependencyClosed, Topic::DependencyClosed),
        };
        let id = dependant.id.uuid();
        // Edges may lead into another project, after an idea moved there. Whoever sees only one of the two learns
        // that something ended, not what.
        let value = (dependant.project == prerequisite.project)
            .then(|| json!({ "prerequisiteUuid": prerequisite.id, "prerequisiteTitle": prerequisite.title }));
        let about = (Kind::Task, id, dependant.title.as_str());
        batch.activities.push(call.activity(dependant.project, about, action, value));
        if with_event.insert(dependant.id) {
            batch.events.push(call.event(dependant.project, Kind::Task, id, Change::Updated));
        }
        batch.notices.push(Notice {
            to: vec![Recipient::Party(dependant.assignee.unwrap_or(dependant.created_by))],
            topic,
            project: dependant.project,
            entity: Kind::Task,
            entity_id: id,
            entity_title: dependant.title.clone(),
            message: message(&call.caller.name, ending, prerequisite, dependant),
        });
    }
    Ok(())
}

fn message(actor: &str, ending: Ending, prerequisite: &Task, dependant: &Dependant) -> String {
    let title = quoted(&dependant.title);
    let which = if prerequisite.project == dependant.project {
        quoted(&prerequisite.title)
    } else {
        "a task of another project".to_owned()
    };
    match ending {
        Ending::Done => format!("{actor} verified {which}, the last open prerequisite of {title}; it can start now"),
        Ending::GivenUp => format!("{actor} ended {which}, a prerequisite of {title}, before it was done"),
    }
}
