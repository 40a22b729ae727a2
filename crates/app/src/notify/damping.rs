//! Mentions between two agents that don't stop: see [`chorus_domain::notification::damping`].

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Kind, Party, Subject,
    notification::{
        Notification, Recipient, Topic,
        damping::{Alarm, Damped, Exchange, WINDOW_MICROS, damp, may_circle},
        quoted,
    },
};
use chorus_ids::{AgentId, Uuid};
use chorus_store::{Result, Tx};

use crate::Call;

/// These mentions, those that are too many kept as read: they wake nobody, and can be read. The first one that is held
/// back tells a person.
pub(super) async fn damped(call: &Call, tx: &mut dyn Tx, mentions: Vec<Notification>) -> Result<Vec<Notification>> {
    let exchanges = exchanges(call, tx, &mentions).await?;
    let mut kept = Vec::with_capacity(mentions.len());
    for mention in mentions {
        let exchange = match mention.recipient {
            Party::Agent(other) => exchanges.get(&(mention.entity, mention.entity_id, other)).copied(),
            Party::User(_) => None,
        };
        match damp(exchange.unwrap_or_default()) {
            Damped::Told => kept.push(mention),
            Damped::HeldBack(alarm) => {
                if alarm == Alarm::Raise {
                    kept.extend(alarmed(call, tx, &mention).await?);
                }
                kept.push(Notification { read_at: Some(mention.created_at), ..mention });
            }
        }
    }
    Ok(kept)
}

/// How often the caller and each agent it mentions have mentioned each other lately, by what it is about.
async fn exchanges(
    call: &Call,
    tx: &mut dyn Tx,
    mentions: &[Notification],
) -> Result<BTreeMap<(Kind, Uuid, AgentId), Exchange>> {
    let Subject::Agent(actor) = call.caller.subject else { return Ok(BTreeMap::new()) };
    let mut others: BTreeMap<(Kind, Uuid), BTreeSet<AgentId>> = BTreeMap::new();
    for mention in mentions.iter().filter(|mention| may_circle(mention.actor, mention.recipient)) {
        if let Party::Agent(other) = mention.recipient {
            others.entry((mention.entity, mention.entity_id)).or_default().insert(other);
        }
    }
    let mut found = BTreeMap::new();
    for (about, others) in others {
        let others: Vec<AgentId> = others.into_iter().collect();
        let since = call.now.plus_micros(-WINDOW_MICROS);
        for (other, exchange) in tx.directory().exchanges(actor, &others, about, since).await? {
            found.insert((about.0, about.1, other), exchange);
        }
    }
    Ok(found)
}

/// What one person is told: the owner of the agent that was mentioned, else that of the one that mentions it, else an
/// administrator of the project.
async fn alarmed(call: &Call, tx: &mut dyn Tx, mention: &Notification) -> Result<Option<Notification>> {
    let (Some(project), Some(actor)) = (mention.project, call.caller.subject.party()) else { return Ok(None) };
    let order = [Recipient::OwnerOf(mention.recipient), Recipient::OwnerOf(actor), Recipient::ProjectAdmins];
    let audience = tx.directory().audience(project, &order).await?;
    let first = order.iter().find_map(|wanted| audience.iter().find(|(recipient, _)| recipient == wanted));
    let Some((_, person)) = first else { return Ok(None) };
    let names = tx.names(&call.scope, &[mention.recipient]).await?;
    let other = names.first().map_or("another agent", |named| named.name.as_str());
    let message = format!(
        "{} and {other} keep mentioning each other on {}. Further mentions wake neither of them for now; they are kept \
         as read.",
        call.caller.name,
        quoted(&mention.entity_title)
    );
    Ok(Some(Notification {
        id: call.new_id(),
        recipient: person.party,
        topic: Topic::MentionsHeldBack,
        message,
        ..mention.clone()
    }))
}
