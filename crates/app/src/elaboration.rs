//! Use cases: elaboration.

use chorus_domain::{
    Batch, Kind, Party, Refusal, Write,
    activity::Action,
    elaboration::{self, AnswerGiven, Answered, Finisher, NewQuestion, Round, Started},
    idea::Idea,
    notification::{Recipient, Topic},
    text,
};
use chorus_ids::{IdeaId, RoundId};
use chorus_lifecycle::idea::{Depth, ElaborationStatus};
use chorus_store::{Outcome, Reads, Result, Tx};
use serde_json::{Map, Value, json};

use crate::{
    Call,
    idea::{concerned, load, notice, saved, target, updated},
};

/// How far the elaboration of an idea is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elaboration {
    /// The idea.
    pub idea: IdeaId,
    /// How deep it goes.
    pub depth: Option<Depth>,
    /// How far it is.
    pub status: Option<ElaborationStatus>,
    /// The rounds, by number.
    pub rounds: Vec<Round>,
}

impl Elaboration {
    fn of(idea: &Idea, rounds: Vec<Round>) -> Self {
        Self { idea: idea.id, depth: idea.depth, status: idea.elaboration_status, rounds }
    }
}

/// Reads the elaboration of an idea.
///
/// # Errors
/// Not found.
pub async fn read(call: &Call, reads: &mut dyn Reads, id: IdeaId) -> Result<Elaboration> {
    let idea = reads.idea(&call.scope, id).await?.ok_or_else(|| Refusal::not_found(Kind::Idea))?;
    let rounds = reads.rounds(&call.scope, id).await?;
    Ok(Elaboration::of(&idea, rounds))
}

/// Opens a round of questions.
///
/// # Errors
/// What [`elaboration::start`] refuses.
pub async fn start(
    call: &Call,
    tx: &mut dyn Tx,
    id: IdeaId,
    (depth, questions): (Depth, Vec<NewQuestion>),
) -> Result<Outcome<Round>> {
    let by = call.party()?;
    let before = load(call, tx, id).await?;
    let rounds = tx.rounds(&call.scope, id).await?;
    let who = (&call.caller, by);
    let Started { idea, round } =
        elaboration::start((&before, &rounds), (depth, questions), who, call.now, &mut call.ids())?;
    let mut batch = saved(call, &idea);
    batch.writes.push(Write::NewRound(round.clone()));
    let value = json!({
        "depth": depth.as_str(), "questionCount": round.questions.len(), "roundNumber": round.number
    });
    batch.activities.push(call.activity(idea.project, target(&idea), Action::ElaborationStarted, Some(value)));
    let to = vec![Recipient::Party(idea.created_by), Recipient::OwnerOf(by)];
    let did = format!("{} has {} about", call.caller.name, counted(round.questions.len(), "question"));
    batch.notices.push(notice(&idea, Topic::ElaborationRequested, to, did));
    Ok(Outcome { batch, answer: round })
}

/// Takes answers to questions of one round, all or none.
///
/// # Errors
/// What [`elaboration::answer`] refuses.
pub async fn answer(
    call: &Call,
    tx: &mut dyn Tx,
    (id, round): (IdeaId, Option<RoundId>),
    given: Vec<AnswerGiven>,
) -> Result<Outcome<Round>> {
    let before = load(call, tx, id).await?;
    let rounds = tx.rounds(&call.scope, id).await?;
    let Answered { round, answers, idea: moved } =
        elaboration::answer((&before, &rounds), round, given, call.party()?, call.now)?;
    let status_before = rounds.iter().find(|earlier| earlier.id == round.id).map(|earlier| earlier.status);
    let count = answers.len();
    let mut batch = match &moved {
        Some(idea) => saved(call, idea),
        None => Batch { events: vec![updated(call, &before)], ..Batch::default() },
    };
    batch.writes.push(Write::PutAnswers(round.id, answers));
    if status_before != Some(round.status) {
        batch.writes.push(Write::SetRoundStatus(round.id, round.status));
    }
    let value = json!({ "roundNumber": round.number, "answeredCount": count });
    batch.activities.push(call.activity(before.project, target(&before), Action::ElaborationAnswered, Some(value)));
    let did = format!("{} answered {} about", call.caller.name, counted(count, "question"));
    batch.notices.push(notice(&before, Topic::ElaborationAnswered, parties(concerned(&before)), did));
    Ok(Outcome { batch, answer: round })
}

/// Finds the answers sufficient: the idea is elaborated. A second time nothing happens.
///
/// # Errors
/// What [`elaboration::resolve`] refuses.
pub async fn resolve(call: &Call, tx: &mut dyn Tx, id: IdeaId) -> Result<Outcome<Elaboration>> {
    let before = load(call, tx, id).await?;
    let rounds = tx.rounds(&call.scope, id).await?;
    let Some((idea, finisher)) = elaboration::resolve(&before, &rounds, &call.caller, call.now)? else {
        return Ok(Outcome { batch: Batch::default(), answer: Elaboration::of(&before, rounds) });
    };
    let value = Map::from_iter([("totalRounds".to_owned(), rounds.len().into())]);
    let batch = finished(call, &idea, finisher, (Action::ElaborationResolved, "finished"), value);
    Ok(Outcome { batch, answer: Elaboration::of(&idea, rounds) })
}

/// Declares an idea clear without questions.
///
/// # Errors
/// What [`elaboration::skip`] refuses.
pub async fn skip(call: &Call, tx: &mut dyn Tx, id: IdeaId, reason: &str) -> Result<Outcome<Idea>> {
    let (idea, finisher) = elaboration::skip(&load(call, tx, id).await?, reason, &call.caller, call.now)?;
    let mut value = Map::from_iter([("reason".to_owned(), Value::String(text::excerpt(reason)))]);
    match finisher {
        Finisher::Assignee => {}
        Finisher::Other => {
            value.insert("viaSkip".to_owned(), true.into());
        }
    }
    let batch = finished(call, &idea, finisher, (Action::ElaborationSkipped, "skipped"), value);
    Ok(Outcome { batch, answer: idea })
}

/// Saves an idea whose elaboration is finished. Done by the assignee, `own` is recorded and those concerned are told;
/// done by somebody else, it counts as verified and wakes the assigned agent (tool guide §9).
fn finished(
    call: &Call,
    idea: &Idea,
    finisher: Finisher,
    (own, did): (Action, &str),
    value: Map<String, Value>,
) -> Batch {
    let mut batch = saved(call, idea);
    let (action, topic, to, did) = match finisher {
        Finisher::Assignee => (own, Topic::ElaborationAnswered, parties(concerned(idea)), did),
        Finisher::Other => {
            let agent = idea.assignee.map(|held| held.to).filter(|to| matches!(to, Party::Agent(_)));
            (Action::ElaborationVerified, Topic::ElaborationVerified, parties(agent.into_iter()), "verified")
        }
    };
    batch.activities.push(call.activity(idea.project, target(idea), action, Some(Value::Object(value))));
    let did = format!("{} {did} the elaboration of", call.caller.name);
    batch.notices.push(notice(idea, topic, to, did));
    batch
}

fn parties(parties: impl Iterator<Item = Party>) -> Vec<Recipient> {
    parties.map(Recipient::Party).collect()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
