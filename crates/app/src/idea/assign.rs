//! Giving an idea to somebody.

use chorus_domain::{
    Batch, Party,
    activity::Action,
    idea::{self as decide, Idea},
    notification::{Recipient, Topic},
};
use chorus_ids::IdeaId;
use chorus_permissions::IDEA_WRITE;
use chorus_store::{Outcome, Result, Tx};
use serde_json::json;

use super::{load, notice, saved, target};
use crate::{Call, assignee};

/// Gives an idea to somebody, whoever held it before. Giving it to its holder writes nothing.
///
/// # Errors
/// See [`chorus_domain::assignee::require`] and [`decide::assign`].
pub async fn assign(call: &Call, tx: &mut dyn Tx, id: IdeaId, to: Party) -> Result<Outcome<Idea>> {
    let before = load(call, tx, id).await?;
    assignee::check(call, tx, before.project, (to, IDEA_WRITE)).await?;
    let Some(given) = decide::assign(&before, to, call.party()?, call.now)? else {
        return Ok(Outcome { batch: Batch::default(), answer: before });
    };
    let mut batch = saved(call, &given);
    let value = json!({ "assigneeType": to.kind(), "assigneeUuid": to.uuid() });
    batch.activities.push(call.activity(given.project, target(&given), Action::Assigned, Some(value)));
    let told = vec![Recipient::Party(given.created_by), Recipient::Party(to)];
    batch.notices.push(notice(&given, Topic::IdeaClaimed, told, format!("{} assigned", call.caller.name)));
    Ok(Outcome { batch, answer: given })
}
