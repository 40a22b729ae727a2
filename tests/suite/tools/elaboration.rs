//! pm_start_elaboration, answer_elaboration, get_elaboration, pm_validate_elaboration, pm_skip_elaboration.

use chorus_domain::{Caller, Party};
use chorus_testkit::Backend;
use serde_json::{Value, json};

use super::{
    like::assert_like,
    maker::questions,
    stage::{Stage, rows, text},
};
use crate::backends;

fn party(who: &Caller) -> Value {
    json!({ "type": "agent", "uuid": who.subject.uuid() })
}

fn start(idea: &str, questions: Value) -> Value {
    json!({ "ideaUuid": idea, "depth": "standard", "questions": questions })
}

fn question(id: &str) -> Value {
    json!({
        "id": id, "text": "Which?", "category": "technical_context",
        "options": [{ "id": "a", "label": "A" }, { "id": "b", "label": "B" }]
    })
}

fn answer(idea: &str, answers: Value) -> Value {
    json!({ "ideaUuid": idea, "answers": answers })
}

/// The round of [`questions`], whose questions have these answers.
fn round(who: &Caller, number: u32, status: &str, appended: bool, answers: [Value; 2]) -> Value {
    let options = json!([{ "id": "a", "label": "This" }, { "id": "b", "label": "That", "description": "Rather" }]);
    let [first, second] = answers;
    json!({
        "uuid": "<uuid>", "roundNumber": number, "status": status, "isAppended": appended, "createdBy": party(who),
        "validatedAt": null, "createdAt": "<time>",
        "questions": [
            { "uuid": "<uuid>", "questionId": "q1", "text": "Which?", "category": "functional", "options": options,
              "required": true, "answer": first, "issue": null },
            { "uuid": "<uuid>", "questionId": "q2", "text": "How?", "category": "scope", "options": options,
              "required": false, "answer": second, "issue": null },
        ]
    })
}

fn given(option: Value, text: Value, by: &Caller) -> Value {
    json!({ "selectedOptionId": option, "customText": text, "answeredAt": "<time>", "answeredBy": party(by) })
}

async fn a_round_is_opened_on_an_idea_that_one_holds(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    let opened = s.ok(&s.pm, "pm_start_elaboration", start(&idea, questions())).await;
    assert_like(&opened, &round(&s.pm, 1, "pending_answers", false, [Value::Null, Value::Null]));
    let read = s.ok(&s.dev, "get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_like(
        &read,
        &json!({
            "ideaUuid": idea, "depth": "standard", "status": "pending_answers", "rounds": [opened],
            "summary": { "totalQuestions": 2, "answeredQuestions": 0, "validatedRounds": 0, "pendingRound": 1 }
        }),
    );
    s.unknown(&s.dev, "pm_start_elaboration").await;
}

async fn an_idea_nobody_asked_about_has_an_empty_elaboration(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    let read = s.ok(&s.dev, "get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_like(
        &read,
        &json!({
            "ideaUuid": idea, "depth": null, "status": null, "rounds": [],
            "summary": { "totalQuestions": 0, "answeredQuestions": 0, "validatedRounds": 0, "pendingRound": null }
        }),
    );
    let missing = s.refused(&s.dev, "get_elaboration", json!({ "ideaUuid": s.nothing() }), "not_found").await;
    assert_eq!(missing.text, "Idea not found");
}

async fn only_the_agent_that_holds_an_idea_asks(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let open = pm.idea().await;
    let refused = s.refused(&s.pm, "pm_start_elaboration", start(&open, questions()), "invalid_state").await;
    assert!(refused.text.contains("chorus_claim_idea"), "{}", refused.text);
    let claimed = pm.claimed().await;
    s.refused(&s.admin, "pm_start_elaboration", start(&claimed, questions()), "not_assignee").await;
    // What its owner holds is not the agent's own.
    let of_owner = pm.claimed().await;
    s.give_idea(&of_owner, Party::User(s.pat)).await;
    s.refused(&s.pm, "pm_start_elaboration", start(&of_owner, questions()), "not_assignee").await;
    s.refused(&s.pm, "pm_skip_elaboration", json!({ "ideaUuid": of_owner, "reason": "x" }), "not_assignee").await;
}

async fn questions_are_checked_before_anything_else_and_all_at_once(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).idea().await;
    let option = |id: &str, label: &str| json!({ "id": id, "label": label });
    let with_options = |options: Value| json!([{ "id": "q", "text": "?", "category": "scope", "options": options }]);
    let fifteen: Vec<Value> = (0..15).map(|n| question(&format!("q{n}"))).collect();
    let sixteen: Vec<Value> = (0..16).map(|n| question(&format!("q{n}"))).collect();
    let six: Vec<Value> = (0..6).map(|n| option(&format!("o{n}"), "O")).collect();
    let blank =
        json!({ "id": "q2", "text": " ", "category": "scope", "options": [option("a", "A"), option("b", " ")] });
    let cases: [(Value, &[&str]); 9] = [
        (json!([]), &["questions"]),
        (json!(sixteen), &["questions"]),
        (with_options(json!([option("a", "A")])), &["questions[0].options"]),
        (with_options(json!(six)), &["questions[0].options"]),
        (with_options(json!([option("a", "A"), option("a", "B")])), &["questions[0].options[1].id"]),
        (with_options(json!([option(" ", "A"), option("b", "B")])), &["questions[0].options[0].id"]),
        (json!([question("q"), question("q")]), &["questions[1].id"]),
        (json!([question("q1"), blank]), &["questions[1].text", "questions[1].options[1].label"]),
        (
            json!([{ "id": "q", "text": "?", "category": "mood", "options": [option("a", "A"), option("b", "B")] }]),
            &["questions[0].category"],
        ),
    ];
    for (questions, fields) in cases {
        // The idea is open and nobody's: the questions are looked at first all the same.
        let refused = s.refused(&s.pm, "pm_start_elaboration", start(&idea, questions), "invalid_arguments").await;
        assert_eq!(refused.fields(), fields);
    }
    let mut deep = start(&idea, json!([question("q")]));
    deep["depth"] = json!("bottomless");
    assert_eq!(s.refused(&s.pm, "pm_start_elaboration", deep, "invalid_arguments").await.fields(), ["depth"]);
    s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": idea })).await;
    s.ok(&s.pm, "pm_start_elaboration", start(&idea, json!(fifteen))).await;
}

async fn an_idea_has_ten_rounds_at_most(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    for number in 1..=10 {
        let opened = s.ok(&s.pm, "pm_start_elaboration", start(&idea, json!([question("q")]))).await;
        assert_eq!(opened["roundNumber"], number);
    }
    let eleventh = start(&idea, json!([question("q")]));
    let refused = s.refused(&s.pm, "pm_start_elaboration", eleventh, "precondition_failed").await;
    assert_eq!(refused.details["limit"], 10);
}

async fn a_round_on_an_elaborated_idea_is_appended_and_blocks_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).elaborated().await;
    let opened = s.ok(&s.pm, "pm_start_elaboration", start(&idea, questions())).await;
    assert_eq!((&opened["isAppended"], &opened["roundNumber"]), (&json!(true), &json!(1)));
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!(
        (&read["status"], &read["elaborationStatus"], &read["elaborationDepth"]),
        (&json!("elaborated"), &json!("resolved"), &json!("standard"))
    );
    s.by(&s.pm).answered(&idea).await;
    let state = s.ok(&s.pm, "get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_eq!((&state["status"], &state["rounds"][0]["status"]), (&json!("resolved"), &json!("answered")));
}

async fn answers_complete_a_round_by_and_by(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    s.by(&s.pm).round(&idea).await;
    let note = json!([{ "questionId": "q2", "selectedOptionId": null, "customText": "Our own way" }]);
    let partly = s.ok(&s.dev, "answer_elaboration", answer(&idea, note)).await;
    let free = given(Value::Null, json!("Our own way"), &s.dev);
    assert_like(&partly, &round(&s.pm, 1, "pending_answers", false, [Value::Null, free]));
    assert_eq!(s.ok(&s.dev, "get_elaboration", json!({ "ideaUuid": idea })).await["status"], "pending_answers");

    // Answering again overwrites; absent keys are fine; beside an option a text is a note.
    let rest = json!([
        { "questionId": "q2", "selectedOptionId": "b" },
        { "questionId": "q1", "selectedOptionId": "a", "customText": "mostly" },
    ]);
    let whole = s.ok(&s.admin, "answer_elaboration", answer(&idea, rest)).await;
    let answers = [given(json!("a"), json!("mostly"), &s.admin), given(json!("b"), Value::Null, &s.admin)];
    assert_like(&whole, &round(&s.pm, 1, "answered", false, answers));
    let read = s.ok(&s.dev, "get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_like(&read["rounds"], &json!([whole]));
    assert_eq!(read["status"], "validating");
    assert_eq!(
        read["summary"],
        json!({ "totalQuestions": 2, "answeredQuestions": 2, "validatedRounds": 1, "pendingRound": null })
    );
    // Another round brings it back to waiting.
    s.by(&s.pm).round(&idea).await;
    let read = s.ok(&s.dev, "get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_eq!((&read["status"], &read["summary"]["pendingRound"]), (&json!("pending_answers"), &json!(2)));
}

async fn a_round_of_optional_questions_closes_with_the_first_answer(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    let optional = |id: &str| {
        let mut question = question(id);
        question["required"] = json!(false);
        question
    };
    s.ok(&s.pm, "pm_start_elaboration", start(&idea, json!([optional("q1"), optional("q2")]))).await;
    let one = json!([{ "questionId": "q2", "selectedOptionId": "a" }]);
    assert_eq!(s.ok(&s.dev, "answer_elaboration", answer(&idea, one)).await["status"], "answered");
}

async fn answers_that_fit_no_question_are_refused_all_or_nothing(backend: Backend) {
    let s = Stage::new(backend).await;
    let idea = s.by(&s.pm).claimed().await;
    s.by(&s.pm).round(&idea).await;
    let wrong = json!([
        { "questionId": "q1", "selectedOptionId": "a" },
        { "questionId": "q2", "selectedOptionId": "z" },
        { "questionId": "q9", "selectedOptionId": "a" },
    ]);
    let refused = s.refused(&s.dev, "answer_elaboration", answer(&idea, wrong), "invalid_arguments").await;
    assert_eq!(refused.fields(), ["answers[1].selectedOptionId", "answers[2].questionId"]);
    for nothing in [json!({ "questionId": "q1" }), json!({ "questionId": "q1", "customText": " \t" })] {
        let refused =
            s.refused(&s.dev, "answer_elaboration", answer(&idea, json!([nothing])), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["answers[0].customText"]);
    }
    let none = s.refused(&s.dev, "answer_elaboration", answer(&idea, json!([])), "invalid_arguments").await;
    assert_eq!(none.fields(), ["answers"]);
    let read = s.ok(&s.dev, "get_elaboration", json!({ "ideaUuid": idea })).await;
    assert_eq!(read["summary"]["answeredQuestions"], 0);
}

async fn the_round_must_be_named_unless_only_one_waits(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let idea = pm.claimed().await;
    let one = json!([{ "questionId": "q1", "selectedOptionId": "a" }]);
    s.refused(&s.dev, "answer_elaboration", answer(&idea, one.clone()), "precondition_failed").await;
    let (first, second) = (pm.round(&idea).await, pm.round(&idea).await);
    let refused = s.refused(&s.dev, "answer_elaboration", answer(&idea, one.clone()), "ambiguous_round").await;
    let named: Vec<String> = rows(&refused.details, "rounds").iter().map(|round| text(&round["uuid"])).collect();
    assert_eq!(named, [first, second.clone()]);

    let mut named = answer(&idea, one);
    named["roundUuid"] = json!(second);
    assert_eq!(s.ok(&s.dev, "answer_elaboration", named.clone()).await["roundNumber"], 2);
    let again = s.refused(&s.dev, "answer_elaboration", named.clone(), "invalid_state").await;
    assert!(again.text.contains("`answered`"), "{}", again.text);

    // A round of another idea is none of this one's.
    let other = pm.claimed().await;
    let foreign = pm.round(&other).await;
    for round in [foreign, s.nothing()] {
        named["roundUuid"] = json!(round);
        let refused = s.refused(&s.dev, "answer_elaboration", named.clone(), "not_found").await;
        assert_eq!(refused.text, "Elaboration round not found");
    }
}

async fn an_elaboration_is_finished_once_no_round_waits(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let idea = pm.claimed().await;
    let on = json!({ "ideaUuid": idea });
    s.refused(&s.admin, "pm_validate_elaboration", on.clone(), "precondition_failed").await;
    pm.round(&idea).await;
    let refused = s.refused(&s.admin, "pm_validate_elaboration", on.clone(), "precondition_failed").await;
    assert_eq!(refused.details["openRounds"], 1);
    assert!(refused.text.starts_with("1 of 1"), "{}", refused.text);
    pm.answered(&idea).await;
    let state = s.ok(&s.admin, "pm_validate_elaboration", on.clone()).await;
    assert_like(&state, &s.ok(&s.dev, "get_elaboration", on.clone()).await);
    assert_eq!((&state["status"], rows(&state, "rounds").len()), (&json!("resolved"), 1));
    assert_eq!(s.ok(&s.pm, "get_idea", on.clone()).await["status"], "elaborated");
    // A second time is harmless.
    let version = s.ok(&s.pm, "get_idea", on.clone()).await["version"].clone();
    assert_eq!(s.ok(&s.admin, "pm_validate_elaboration", on.clone()).await, state);
    assert_eq!(s.ok(&s.pm, "get_idea", on).await["version"], version);
    s.unknown(&s.pm, "pm_validate_elaboration").await;
}

async fn an_elaboration_is_skipped_for_a_reason(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let idea = pm.claimed().await;
    pm.round(&idea).await; // open rounds don't matter
    let skip = |idea: &str, reason: &str| json!({ "ideaUuid": idea, "reason": reason });
    for reason in ["", " \n"] {
        let refused = s.refused(&s.pm, "pm_skip_elaboration", skip(&idea, reason), "invalid_arguments").await;
        assert_eq!(refused.fields(), ["reason"]);
    }
    let skipped = s.ok(&s.pm, "pm_skip_elaboration", skip(&idea, "Obvious")).await;
    assert_like(
        &skipped,
        &json!({
            "ideaUuid": idea, "action": "elaboration_skipped", "reason": "Obvious", "status": "elaborated",
            "version": "<number>"
        }),
    );
    let read = s.ok(&s.pm, "get_idea", json!({ "ideaUuid": idea })).await;
    assert_eq!((&read["elaborationStatus"], &read["elaborationDepth"]), (&json!("resolved"), &json!("minimal")));
    s.refused(&s.pm, "pm_skip_elaboration", skip(&idea, "Again"), "invalid_state").await;
    let open = pm.idea().await;
    s.refused(&s.pm, "pm_skip_elaboration", skip(&open, "x"), "invalid_state").await;

    // Whoever holds idea:admin may skip for others; another planner may not.
    let other = s.world.new_caller("other", Some(s.pat), &["pm_agent"], &[]).await;
    let held = pm.claimed().await;
    s.refused(&other, "pm_skip_elaboration", skip(&held, "x"), "not_assignee").await;
    s.ok(&s.admin, "pm_skip_elaboration", skip(&held, "x")).await;
}

backends!(
    a_round_is_opened_on_an_idea_that_one_holds,
    an_idea_nobody_asked_about_has_an_empty_elaboration,
    only_the_agent_that_holds_an_idea_asks,
    questions_are_checked_before_anything_else_and_all_at_once,
    an_idea_has_ten_rounds_at_most,
    a_round_on_an_elaborated_idea_is_appended_and_blocks_nothing,
    answers_complete_a_round_by_and_by,
    a_round_of_optional_questions_closes_with_the_first_answer,
    answers_that_fit_no_question_are_refused_all_or_nothing,
    the_round_must_be_named_unless_only_one_waits,
    an_elaboration_is_finished_once_no_round_waits,
    an_elaboration_is_skipped_for_a_reason,
);
