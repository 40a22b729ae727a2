//! Tools for the elaboration of ideas.

use async_trait::async_trait;
use chorus_app::{
    Call,
    elaboration::{self, Elaboration},
};
use chorus_dispatch::{
    Access, At, Hints, ReadTool, Requirement, Tool, WriteTool,
    tool::{read, write},
};
use chorus_domain::{
    Code, Kind, Party,
    elaboration::{Answer, AnswerGiven, Choice, NewQuestion, Question, Round, summary},
};
use chorus_ids::{IdeaId, RoundId, Timestamp, Uuid};
use chorus_lifecycle::{elaboration::Category, idea::Depth};
use chorus_permissions::{IDEA_ADMIN, IDEA_WRITE};
use chorus_store::{Hold, Outcome, Reads, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::words;

/// Opens a round of questions.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartElaboration {
    /// The idea to ask about; you must hold it.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
    /// How thoroughly the idea is asked about.
    #[schemars(schema_with = "words::depth")]
    depth: Depth,
    /// The questions. Don't offer an option for anything else: free text is always possible.
    #[schemars(length(min = 1, max = 15))]
    questions: Vec<QuestionInput>,
}

#[derive(Deserialize, JsonSchema)]
struct QuestionInput {
    /// Your name for the question, unique in the round.
    id: String,
    /// The question.
    text: String,
    /// What the question is about.
    #[schemars(schema_with = "words::category")]
    category: Category,
    /// What can be chosen.
    #[schemars(length(min = 2, max = 5))]
    options: Vec<OptionInput>,
    /// Whether the round waits for an answer to it.
    #[serde(default = "yes")]
    required: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
struct OptionInput {
    /// Your name for the option, unique in the question.
    id: String,
    /// What people read.
    label: String,
    /// More about it.
    description: Option<String>,
}

impl From<QuestionInput> for NewQuestion {
    fn from(QuestionInput { id, text, category, options, required }: QuestionInput) -> Self {
        let options = options.into_iter().map(|OptionInput { id, label, description }| Choice {
            id,
            label,
            description: chorus_domain::text::present(description),
        });
        Self { name: id, text, category, options: options.collect(), required }
    }
}

/// A round with its questions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundView {
    uuid: Uuid,
    round_number: i32,
    status: &'static str,
    is_appended: bool,
    created_by: PartyView,
    // Written by older versions only.
    validated_at: Option<String>,
    #[schemars(with = "String")]
    created_at: Timestamp,
    questions: Vec<QuestionView>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuestionView {
    uuid: Uuid,
    question_id: String,
    text: String,
    category: &'static str,
    options: Vec<OptionView>,
    required: bool,
    answer: Option<AnswerView>,
    // Written by older versions only.
    issue: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
struct OptionView {
    id: String,
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnswerView {
    selected_option_id: Option<String>,
    custom_text: Option<String>,
    #[schemars(with = "String")]
    answered_at: Timestamp,
    answered_by: PartyView,
}

/// A user or agent without its name.
#[derive(Serialize, JsonSchema)]
struct PartyView {
    #[serde(rename = "type")]
    kind: &'static str,
    uuid: Uuid,
}

impl From<Party> for PartyView {
    fn from(party: Party) -> Self {
        Self { kind: party.kind(), uuid: party.uuid() }
    }
}

impl From<Round> for RoundView {
    fn from(round: Round) -> Self {
        Self {
            uuid: round.id.uuid(),
            round_number: round.number,
            status: round.status.as_str(),
            is_appended: round.is_appended,
            created_by: round.created_by.into(),
            validated_at: None,
            created_at: round.created_at,
            questions: round.questions.into_iter().map(QuestionView::from).collect(),
        }
    }
}

impl From<Question> for QuestionView {
    fn from(question: Question) -> Self {
        let options = question.options.into_iter();
        Self {
            uuid: question.id.uuid(),
            question_id: question.name,
            text: question.text,
            category: question.category.as_str(),
            options: options.map(|Choice { id, label, description }| OptionView { id, label, description }).collect(),
            required: question.required,
            answer: question.answer.map(AnswerView::from),
            issue: None,
        }
    }
}

impl From<Answer> for AnswerView {
    fn from(Answer { option, text, at, by }: Answer) -> Self {
        Self { selected_option_id: option, custom_text: text, answered_at: at, answered_by: by.into() }
    }
}

#[async_trait]
impl WriteTool for StartElaboration {
    type Output = RoundView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<RoundView>> {
        let questions = self.questions.into_iter().map(NewQuestion::from).collect();
        let started = elaboration::start(call, tx, self.idea_uuid, (self.depth, questions)).await?;
        Ok(started.map(RoundView::from))
    }
}

/// Answers questions.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerElaboration {
    /// The idea that was asked about.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
    /// The round; may be left out while only one waits for answers.
    #[schemars(with = "Option<Uuid>")]
    round_uuid: Option<RoundId>,
    /// The answers. They may cover some of the questions only; answering again replaces an answer.
    #[schemars(length(min = 1))]
    answers: Vec<AnswerInput>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnswerInput {
    /// The question's `questionId`.
    question_id: String,
    /// The id of the chosen option; none for an answer in free text.
    selected_option_id: Option<String>,
    /// The free text, needed without an option; beside one it is a note.
    custom_text: Option<String>,
}

#[async_trait]
impl WriteTool for AnswerElaboration {
    type Output = RoundView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<RoundView>> {
        let given = self.answers.into_iter().map(|answer| AnswerGiven {
            question: answer.question_id,
            option: answer.selected_option_id,
            text: answer.custom_text,
        });
        let which = (self.idea_uuid, self.round_uuid);
        Ok(elaboration::answer(call, tx, which, given.collect()).await?.map(RoundView::from))
    }
}

/// Reads an elaboration.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetElaboration {
    /// The idea whose questions and answers are read.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
}

/// The elaboration of an idea.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ElaborationView {
    idea_uuid: Uuid,
    depth: Option<&'static str>,
    status: Option<&'static str>,
    rounds: Vec<RoundView>,
    summary: SummaryView,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SummaryView {
    total_questions: u32,
    answered_questions: u32,
    validated_rounds: u32,
    pending_round: Option<i32>,
}

impl From<Elaboration> for ElaborationView {
    fn from(Elaboration { idea, depth, status, rounds }: Elaboration) -> Self {
        let sum = summary(&rounds);
        Self {
            idea_uuid: idea.uuid(),
            depth: depth.map(|depth| depth.as_str()),
            status: status.map(|status| status.as_str()),
            rounds: rounds.into_iter().map(RoundView::from).collect(),
            summary: SummaryView {
                total_questions: sum.total_questions,
                answered_questions: sum.answered_questions,
                validated_rounds: sum.validated_rounds,
                pending_round: sum.pending_round,
            },
        }
    }
}

#[async_trait]
impl ReadTool for GetElaboration {
    type Output = ElaborationView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<ElaborationView> {
        Ok(elaboration::read(call, reads, self.idea_uuid).await?.into())
    }
}

/// Finishes an elaboration.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateElaboration {
    /// The idea whose answers are sufficient.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
}

#[async_trait]
impl WriteTool for ValidateElaboration {
    type Output = ElaborationView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<ElaborationView>> {
        Ok(elaboration::resolve(call, tx, self.idea_uuid).await?.map(ElaborationView::from))
    }
}

/// Skips an elaboration.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkipElaboration {
    /// The idea that needs no questions.
    #[schemars(with = "Uuid")]
    idea_uuid: IdeaId,
    /// Why; kept in the activity stream.
    reason: String,
}

/// An idea whose elaboration was skipped.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    idea_uuid: Uuid,
    action: &'static str,
    reason: String,
    status: &'static str,
    version: i32,
}

#[async_trait]
impl WriteTool for SkipElaboration {
    type Output = Skipped;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Skipped>> {
        let Self { idea_uuid, reason } = self;
        Ok(elaboration::skip(call, tx, idea_uuid, &reason).await?.map(|idea| Skipped {
            idea_uuid: idea.id.uuid(),
            action: "elaboration_skipped",
            reason,
            status: idea.status.as_str(),
            version: idea.version,
        }))
    }
}

/// An idea that is changed.
const IDEA: At = At::id("ideaUuid", Kind::Idea, Need::Editor).held(Hold::Own);

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_start_elaboration",
        family: "elaboration",
        title: "Ask about an idea",
        description: "Open a round of 1 to 15 questions about an idea that you hold (chorus_claim_idea), so that a \
                      person can say what is meant. They are answered with chorus_answer_elaboration. An idea has at \
                      most 10 rounds; one asked after it was elaborated blocks nothing.",
        requirement: Requirement::bit(IDEA_WRITE),
        access: Access::resource(&[IDEA]),
        hints: Hints::ADDS,
        refuses: &[
            (Code::NotAssignee, "the calling agent does not hold the idea"),
            (Code::InvalidState, "the idea is not being elaborated"),
            (Code::PreconditionFailed, "the idea has ten rounds already"),
        ],
        example: r#"{
            "ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003",
            "depth": "standard",
            "questions": [
                {"id": "q1", "text": "Which data must work offline?", "category": "functional", "options": [{"id": "a", "label": "Notes"},
                {"id": "b", "label": "Everything"}]}]
        }"#,
        run: write::<StartElaboration>(),
    },
    Tool {
        name: "chorus_answer_elaboration",
        family: "elaboration",
        title: "Answer questions about an idea",
        description: "Record answers to an open round of an idea, all or none. Once every required question has one, \
                      the round is `answered`. Answer for a person only what that person said. Questions: \
                      chorus_get_elaboration. Next: chorus_pm_validate_elaboration.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[
            IDEA,
            At::Part { path: "roundUuid", reason: "rounds are looked up among those of the idea" },
        ]),
        hints: Hints::ADDS,
        refuses: &[
            (Code::PreconditionFailed, "no round waits for answers"),
            (Code::AmbiguousRound, "several rounds wait; name one with `roundUuid`"),
            (Code::NotFound, "the round is not one of this idea's"),
            (Code::InvalidState, "the round has been answered"),
        ],
        example: r#"{
            "ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003",
            "answers": [{"questionId": "q1", "selectedOptionId": "a"}]
        }"#,
        run: write::<AnswerElaboration>(),
    },
    Tool {
        name: "chorus_get_elaboration",
        family: "elaboration",
        title: "Read the questions about an idea",
        description: "Read all rounds of questions about an idea with their answers, and how many are still open.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("ideaUuid", Kind::Idea, Need::Viewer)]),
        hints: Hints::READ,
        refuses: &[],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003"}"#,
        run: read::<GetElaboration>(),
    },
    Tool {
        name: "chorus_pm_validate_elaboration",
        family: "elaboration",
        title: "Finish an elaboration",
        description: "Declare the answers about an idea sufficient: it becomes `elaborated` and can be proposed from \
                      (chorus_pm_create_proposal). It needs at least one round, and none that waits for answers.",
        requirement: Requirement::bit(IDEA_ADMIN),
        access: Access::resource(&[IDEA]),
        hints: Hints::SETS,
        refuses: &[(Code::PreconditionFailed, "there is no round, or one still waits for answers")],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003"}"#,
        run: write::<ValidateElaboration>(),
    },
    Tool {
        name: "chorus_pm_skip_elaboration",
        family: "elaboration",
        title: "Skip an elaboration",
        description: "Declare an idea that you hold and that is `elaborating` clear enough without (further) \
                      questions: it becomes `elaborated`. Ask a person before; open rounds stay unanswered. Next: \
                      chorus_pm_create_proposal.",
        requirement: Requirement::bit(IDEA_WRITE),
        access: Access::resource(&[IDEA]),
        hints: Hints::MOVES,
        refuses: &[
            (Code::NotAssignee, "the caller neither holds the idea nor has `idea:admin`"),
            (Code::InvalidState, "the idea is not being elaborated"),
        ],
        example: r#"{"ideaUuid": "0192f3a0-7d4c-7b1e-9a55-000000000003", "reason": "The change is one line"}"#,
        run: write::<SkipElaboration>(),
    },
];

#[cfg(test)]
mod tests {
    use chorus_domain::elaboration::Round;
    use chorus_ids::{AgentId, CompanyId, QuestionId, UserId};
    use chorus_lifecycle::{elaboration::RoundStatus, idea::ElaborationStatus};
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_796_062_951_123_000);

    fn round() -> Round {
        let option = |id: &str, description: Option<&str>| Choice {
            id: id.into(),
            label: id.to_uppercase(),
            description: description.map(Into::into),
        };
        let question = |id, name: &str, answer| Question {
            id: QuestionId::from_u128(id),
            name: name.into(),
            text: "Which?".into(),
            category: Category::Scope,
            options: vec![option("a", Some("More")), option("b", None)],
            required: true,
            answer,
        };
        let by = Party::User(UserId::from_u128(4));
        Round {
            id: RoundId::from_u128(1),
            company: CompanyId::from_u128(1),
            idea: IdeaId::from_u128(2),
            number: 1,
            status: RoundStatus::PendingAnswers,
            is_appended: false,
            created_by: Party::Agent(AgentId::from_u128(3)),
            created_at: NOW,
            questions: vec![
                question(10, "q1", Some(Answer { option: Some("a".into()), text: None, at: NOW, by })),
                question(11, "q2", None),
            ],
        }
    }

    #[test]
    fn a_round_shows_its_questions_with_and_without_answers() {
        let options = json!([{"id": "a", "label": "A", "description": "More"}, {"id": "b", "label": "B"}]);
        assert_eq!(
            serde_json::to_value(RoundView::from(round())).unwrap_or_default(),
            json!({
                "uuid": "00000000-0000-0000-0000-000000000001", "roundNumber": 1, "status": "pending_answers",
                "isAppended": false,
                "createdBy": {"type": "agent", "uuid": "00000000-0000-0000-0000-000000000003"},
                "validatedAt": null, "createdAt": "2026-11-30T18:22:31.123Z",
                "questions": [
                    {
                        "uuid": "00000000-0000-0000-0000-00000000000a", "questionId": "q1", "text": "Which?",
                        "category": "scope", "options": options, "required": true, "issue": null,
                        "answer": {
                            "selectedOptionId": "a", "customText": null,
                            "answeredAt": "2026-11-30T18:22:31.123Z",
                            "answeredBy": {"type": "user", "uuid": "00000000-0000-0000-0000-000000000004"}
                        }
                    },
                    {
                        "uuid": "00000000-0000-0000-0000-00000000000b", "questionId": "q2", "text": "Which?",
                        "category": "scope", "options": options, "required": true, "issue": null, "answer": null
                    }
                ]
            })
        );
    }

    #[test]
    fn an_elaboration_is_summed_up() {
        let elaboration = Elaboration {
            idea: IdeaId::from_u128(2),
            depth: Some(Depth::Minimal),
            status: Some(ElaborationStatus::PendingAnswers),
            rounds: vec![round()],
        };
        let view = serde_json::to_value(ElaborationView::from(elaboration)).unwrap_or_default();
        assert_eq!(view.pointer("/depth"), Some(&json!("minimal")));
        assert_eq!(view.pointer("/status"), Some(&json!("pending_answers")));
        assert_eq!(
            view.pointer("/summary"),
            Some(&json!({"totalQuestions": 2, "answeredQuestions": 1, "validatedRounds": 0, "pendingRound": 1}))
        );
    }
}
