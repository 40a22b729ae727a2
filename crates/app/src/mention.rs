//! Who is mentioned in a text: the one place where mentions are found, kept and told (data model specification §7).

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    mention::{Mention, newly_mentioned, snippet},
    notification::{Notice, Recipient, Topic, quoted},
    refusal::Problem,
};
use chorus_ids::{ProjectId, Uuid};
use chorus_store::{Mentionable, Mentionables, Reads, Result};
use serde_json::json;

use crate::Call;

/// A text that a call writes.
pub(crate) struct Text<'t> {
    /// The comment, idea or task that holds it.
    pub(crate) source: (Kind, Uuid),
    /// What those mentioned are pointed to, with its title: the idea or task, or what a comment is about.
    pub(crate) entity: (Kind, Uuid, &'t str),
    /// The text before, if there was one.
    pub(crate) before: Option<&'t str>,
    /// The text now.
    pub(crate) after: Option<&'t str>,
    /// The argument that holds it; `None` for a text that was written long before this call, in which mentions of
    /// whoever is gone are nobody's mistake.
    pub(crate) argument: Option<String>,
}

/// Adds to the batch what the new mentions in these texts mean: a row, an activity and a notification for each, with
/// as many statements for many texts as for one, and none where nobody is mentioned.
///
/// Whoever is unknown, of another company or without access to the project is passed over without a word, since the
/// writer must not learn which of these it is (visibility specification §8). Whoever is suspended or was removed is not:
/// everybody may know that, and the writer would wait for an answer that never comes.
///
/// # Errors
/// `invalid_arguments` for a mention of somebody who is suspended or was removed.
pub(crate) async fn tell(
    call: &Call,
    reads: &mut dyn Reads,
    project: ProjectId,
    texts: &[Text<'_>],
    batch: &mut Batch,
) -> Result<()> {
    let mentioned: Vec<(&Text<'_>, Vec<Party>)> = texts
        .iter()
        .filter_map(|text| Some((text, newly_mentioned(text.before, text.after?, call.caller.subject))))
        .filter(|(_, parties)| !parties.is_empty())
        .collect();
    let parties: BTreeSet<Party> = mentioned.iter().flat_map(|(_, parties)| parties.iter().copied()).collect();
    let names = seeing(call, reads, project, parties.clone()).await?;
    let missed: Vec<Party> = parties.into_iter().filter(|party| !names.contains_key(party)).collect();
    refuse_absent(call, reads, &missed, &mentioned).await?;
    let mut rows = Vec::new();
    for (text, parties) in mentioned {
        let parties: Vec<(Party, &String)> =
            parties.into_iter().filter_map(|party| Some((party, names.get(&party)?))).collect();
        if parties.is_empty() {
            continue;
        }
        let (source, source_id) = text.source;
        for (party, name) in &parties {
            rows.push(Mention {
                id: call.new_id(),
                company: call.caller.company,
                source,
                source_id,
                mentioned: *party,
                actor: call.caller.subject,
                created_at: call.now,
            });
            let value = json!({
                "mentionedType": party.kind(), "mentionedUuid": party.uuid(), "mentionedName": name,
                "sourceType": source.as_str(), "sourceUuid": source_id
            });
            batch.activities.push(call.activity(project, text.entity, Action::Mentioned, Some(value)));
        }
        let (entity, entity_id, title) = text.entity;
        batch.notices.push(Notice {
            to: parties.into_iter().map(|(party, _)| Recipient::Party(party)).collect(),
            topic: Topic::Mentioned,
            project,
            entity,
            entity_id,
            entity_title: title.to_owned(),
            message: format!(
                "{} mentioned you on {}: {}",
                call.caller.name,
                quoted(title),
                snippet(text.after.unwrap_or_default())
            ),
        });
    }
    if !rows.is_empty() {
        batch.writes.push(Write::NewMentions(rows));
    }
    Ok(())
}

/// Passes if nobody of those who can't be told is suspended or was removed; asks only where there is somebody.
async fn refuse_absent(
    call: &Call,
    reads: &mut dyn Reads,
    missed: &[Party],
    mentioned: &[(&Text<'_>, Vec<Party>)],
) -> Result<()> {
    let absent = reads.directory().absent(call.caller.company, missed).await?;
    let mut problems = Vec::new();
    for (text, parties) in mentioned {
        let Some(argument) = &text.argument else { continue };
        for absent in absent.iter().filter(|absent| parties.contains(&absent.party)) {
            problems.push(Problem::new(
                argument,
                format_args!(
                    "mentions somebody who will not read it: {}. Leave the mention out, or mention somebody else \
                     (chorus_search_mentionables)",
                    absent.sentence()
                ),
            ));
        }
    }
    Ok(Refusal::unless_fine(problems)?)
}

/// Those of these who exist and see the project, with what they are called.
async fn seeing(
    call: &Call,
    reads: &mut dyn Reads,
    project: ProjectId,
    parties: BTreeSet<Party>,
) -> Result<BTreeMap<Party, String>> {
    if parties.is_empty() {
        return Ok(BTreeMap::new());
    }
    let recipients: Vec<Recipient> = parties.into_iter().map(Recipient::Party).collect();
    let audience = reads.directory().audience(project, &recipients).await?;
    let parties: Vec<Party> = audience.into_iter().map(|(_, addressee)| addressee.party).collect();
    let names = reads.names(&call.scope, &parties).await?;
    Ok(names.into_iter().map(|named| (named.party, named.name)).collect())
}

/// Most people and agents that a search shows.
pub const MAX_FOUND: u32 = 50;

/// Most agents that are suggested before anything is typed.
const MAX_SUGGESTED: u32 = 5;

/// For how long a session that did nothing still counts as being at work, in microseconds (README decision 30).
const ACTIVE_MICROS: i64 = 3_600 * 1_000_000;

/// Who can be mentioned: by a piece of their name, or the agents made last if nothing is typed. With a project, only
/// those who see it.
///
/// # Errors
/// What the store reports.
pub async fn search(
    call: &Call,
    reads: &mut dyn Reads,
    (query, limit): (&str, u32),
    seeing: Option<ProjectId>,
) -> Result<Vec<Mentionable>> {
    let query = query.trim();
    let piece = (!query.is_empty()).then(|| query.to_owned());
    let most = if piece.is_some() { MAX_FOUND } else { MAX_SUGGESTED };
    let active_since = call.now.plus_micros(-ACTIVE_MICROS);
    reads.mentionables(&call.scope, &Mentionables { piece, seeing, active_since, limit: limit.min(most) }).await
}

/// Everybody who can be mentioned in a project and given work there: agents of the caller's first, then people, by name;
/// at most `limit`.
///
/// # Errors
/// What the store reports.
pub async fn around(call: &Call, reads: &mut dyn Reads, project: ProjectId, limit: u32) -> Result<Vec<Mentionable>> {
    let active_since = call.now.plus_micros(-ACTIVE_MICROS);
    let wanted = Mentionables { piece: Some(String::new()), seeing: Some(project), active_since, limit };
    reads.mentionables(&call.scope, &wanted).await
}
