//! Rounds of questions and their answers.

use chorus_domain::{
    Party, Write,
    elaboration::{Answer, Choice, Question, Round},
};
use chorus_ids::IdeaId;
use chorus_lifecycle::elaboration::{Category, RoundStatus};

use super::world::{SCRIPTS, Shared, World};

async fn rounds(w: &World, idea: IdeaId) -> Vec<Round> {
    w.read().await.rounds(&w.scope(), idea).await.unwrap()
}

pub async fn rounds_round_trip_by_number(store: &Shared) {
    let w = World::new(store).await;
    let (idea, bystander) = (w.put(w.new_idea(w.project)).await.id, w.put(w.new_idea(w.project)).await.id);
    let choice = |id: &str, description: Option<&str>| Choice {
        id: id.into(),
        label: SCRIPTS.into(),
        description: description.map(str::to_owned),
    };
    let questions = Category::ALL.into_iter().enumerate().map(|(index, category)| Question {
        id: w.id(),
        name: format!("{} {SCRIPTS}", 9 - index),
        text: SCRIPTS.into(),
        category,
        options: vec![choice("b", None), choice("a", Some(SCRIPTS)), choice("c", Some(""))],
        required: index % 2 == 0,
        answer: (index == 3).then(|| Answer {
            option: Some("a".into()),
            text: Some(SCRIPTS.into()),
            at: w.tick(),
            by: Party::User(w.user),
        }),
    });
    let full = Round {
        status: RoundStatus::Answered,
        is_appended: true,
        created_by: Party::User(w.first),
        questions: questions.collect(),
        ..w.new_round(idea, 10)
    };
    let second = w.put(w.new_round(idea, 2)).await;
    let tenth = w.put(full).await;
    let first = w.put(w.new_round(idea, 1)).await;
    let theirs = w.put(w.new_round(bystander, 1)).await;
    assert_eq!(rounds(&w, idea).await, [first, second, tenth]);
    assert_eq!(rounds(&w, bystander).await, [theirs]);
    assert_eq!(rounds(&w, w.id()).await, []);
}

pub async fn answers_are_put_by_the_names_of_the_questions(store: &Shared) {
    let w = World::new(store).await;
    let idea = w.put(w.new_idea(w.project)).await.id;
    let (mut round, other) = (w.put(w.new_round(idea, 1)).await, w.put(w.new_round(idea, 2)).await);
    let chosen = Answer { option: Some("y".into()), text: None, at: w.tick(), by: Party::User(w.user) };
    let free = Answer { option: None, text: Some(SCRIPTS.into()), at: w.tick(), by: w.by() };
    w.write([Write::PutAnswers(round.id, vec![("b".into(), chosen.clone())])]).await;
    round.questions[1].answer = Some(chosen.clone());
    assert_eq!(rounds(&w, idea).await, [round.clone(), other.clone()]);
    // Answering again overwrites.
    w.write([Write::PutAnswers(round.id, vec![("b".into(), free.clone()), ("a".into(), chosen.clone())])]).await;
    round.questions[1].answer = Some(free);
    round.questions[0].answer = Some(chosen);
    assert_eq!(rounds(&w, idea).await, [round, other]);
}

pub async fn the_status_of_one_round_is_set(store: &Shared) {
    let w = World::new(store).await;
    let idea = w.put(w.new_idea(w.project)).await.id;
    let (one, two) = (w.put(w.new_round(idea, 1)).await, w.put(w.new_round(idea, 2)).await);
    w.write([Write::SetRoundStatus(two.id, RoundStatus::Answered)]).await;
    assert_eq!(rounds(&w, idea).await, [one, Round { status: RoundStatus::Answered, ..two }]);
}
