//! Elaboration rounds with their questions.

use async_trait::async_trait;
use chorus_domain::elaboration::{Answer, Question, Round};
use chorus_ids::{CompanyId, IdeaId, QuestionId, RoundId, Timestamp, Uuid};
use chorus_lifecycle::elaboration::{Category, RoundStatus};
use chorus_store::{Elaborations, Error, Result};
use chorus_visibility::Scope;
use diesel::{
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{Nullable, Text},
};
use serde_json::Value;

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{fixed, insert_all},
    schema::{elaboration_question, elaboration_round, idea},
    stored::{from_json, optional_party, party, to_json},
    types::{Label, Stamp, Uid, Val},
    visible::visible,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = elaboration_round, check_for_backend(Db))]
struct RoundRow {
    id: RoundId,
    company_id: CompanyId,
    idea_id: IdeaId,
    number: i32,
    status: RoundStatus,
    is_appended: bool,
    created_by_type: String,
    created_by_id: Uuid,
    created_at: Timestamp,
}

impl RoundRow {
    /// The round, still without questions.
    fn read(self) -> Result<Round> {
        Ok(Round {
            id: self.id,
            company: self.company_id,
            idea: self.idea_id,
            number: self.number,
            status: self.status,
            is_appended: self.is_appended,
            created_by: party(&self.created_by_type, self.created_by_id)?,
            created_at: self.created_at,
            questions: Vec::new(),
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = elaboration_question, check_for_backend(Db))]
struct QuestionRow {
    id: QuestionId,
    name: String,
    text: String,
    category: Category,
    options: Value,
    required: bool,
    selected_option_id: Option<String>,
    custom_text: Option<String>,
    answered_at: Option<Timestamp>,
    answered_by_type: Option<String>,
    answered_by_id: Option<Uuid>,
}

impl QuestionRow {
    fn read(self) -> Result<Question> {
        let by = optional_party(self.answered_by_type.as_deref(), self.answered_by_id)?;
        let answer = match (self.answered_at, by) {
            (Some(at), Some(by)) => Some(Answer { option: self.selected_option_id, text: self.custom_text, at, by }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                return Err(Error::internal("stored: half of an answer is missing"));
            }
        };
        Ok(Question {
            id: self.id,
            name: self.name,
            text: self.text,
            category: self.category,
            options: from_json(self.options)?,
            required: self.required,
            answer,
        })
    }
}

#[async_trait]
impl Elaborations for Unit {
    async fn rounds(&mut self, scope: &Scope, idea: IdeaId) -> Result<Vec<Round>> {
        let loaded = elaboration_round::table
            .inner_join(idea::table)
            .left_join(elaboration_question::table)
            .filter(elaboration_round::idea_id.eq(Val(idea)))
            .filter(visible(scope, idea::project_id))
            .order((elaboration_round::number, elaboration_question::position))
            .select((columns::<RoundRow>(), Option::<QuestionRow>::as_select()));
        let mut rounds: Vec<Round> = Vec::new();
        for (round, question) in self.rows::<(RoundRow, Option<QuestionRow>), _>(loaded).await? {
            if rounds.last().is_none_or(|last| last.id != round.id) {
                rounds.push(round.read()?);
            }
            if let (Some(round), Some(question)) = (rounds.last_mut(), question) {
                round.questions.push(question.read()?);
            }
        }
        Ok(rounds)
    }
}

/// Stores a new round with its questions, answered or not.
pub(crate) async fn insert_round(conn: &mut Conn, new: &Round) -> QueryResult<usize> {
    let statement = diesel::insert_into(elaboration_round::table).values((
        elaboration_round::id.eq(Val(new.id)),
        elaboration_round::company_id.eq(Val(new.company)),
        elaboration_round::idea_id.eq(Val(new.idea)),
        elaboration_round::number.eq(new.number),
        elaboration_round::status.eq(Val(new.status)),
        elaboration_round::is_appended.eq(new.is_appended),
        elaboration_round::created_by_type.eq(Val(new.created_by.kind())),
        elaboration_round::created_by_id.eq(Val(new.created_by.uuid())),
        elaboration_round::created_at.eq(Val(new.created_at)),
    ));
    let made = execute(conn, statement).await?;
    let mut questions = Vec::with_capacity(new.questions.len());
    for (position, question) in (0_i32..).zip(&new.questions) {
        let answer = question.answer.as_ref();
        questions.push((
            elaboration_question::id.eq(Val(question.id)),
            elaboration_question::round_id.eq(Val(new.id)),
            elaboration_question::position.eq(position),
            elaboration_question::name.eq(&question.name),
            elaboration_question::text.eq(&question.text),
            elaboration_question::category.eq(Val(question.category)),
            elaboration_question::options.eq(Val(to_json(&question.options)?)),
            elaboration_question::required.eq(question.required),
            elaboration_question::selected_option_id.eq(answer.and_then(|answer| answer.option.as_deref())),
            elaboration_question::custom_text.eq(answer.and_then(|answer| answer.text.as_deref())),
            elaboration_question::answered_at.eq(answer.map(|answer| Val(answer.at))),
            elaboration_question::answered_by_type.eq(answer.map(|answer| Val(answer.by.kind()))),
            elaboration_question::answered_by_id.eq(answer.map(|answer| Val(answer.by.uuid()))),
        ));
    }
    match insert_all(elaboration_question::table, questions) {
        Some(insert) => execute(conn, insert).await.map(|questions| made + questions),
        None => Ok(made),
    }
}

/// Sets the round's status; the number of rounds with this id.
pub(crate) async fn set_round_status(conn: &mut Conn, round: RoundId, status: RoundStatus) -> QueryResult<usize> {
    let statement =
        diesel::update(elaboration_round::table.find(Val(round))).set(elaboration_round::status.eq(Val(status)));
    execute(conn, fixed(statement)).await
}

/// Stores answers, over earlier ones; how many of the questions the round has.
pub(crate) async fn put_answers(conn: &mut Conn, round: RoundId, answers: &[(String, Answer)]) -> QueryResult<usize> {
    if answers.is_empty() {
        return Ok(0);
    }
    let rows = answers.iter().map(|(name, answer)| {
        (
            name.as_str().into_sql::<Text>(),
            answer.option.as_deref().into_sql::<Nullable<Text>>(),
            answer.text.as_deref().into_sql::<Nullable<Text>>(),
            Val(answer.at).into_sql::<Stamp>(),
            Val(answer.by.kind()).into_sql::<Label>(),
            Val(answer.by.uuid()).into_sql::<Uid>(),
        )
    });
    execute(conn, PutAnswers { round, rows: rows.collect() }).await
}

/// One statement for all answers of a call.
struct PutAnswers<V> {
    round: RoundId,
    rows: Vec<V>,
}

impl<V> QueryId for PutAnswers<V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<V: QueryFragment<Db>> QueryFragment<Db> for PutAnswers<V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("WITH given (name, chosen, note, given_at, by_type, by_id) AS (VALUES ");
        for (i, row) in self.rows.iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { ", (" });
            row.walk_ast(out.reborrow())?;
            out.push_sql(")");
        }
        out.push_sql(
            ") UPDATE elaboration_question SET selected_option_id = given.chosen, custom_text = given.note, \
             answered_at = given.given_at, answered_by_type = given.by_type, answered_by_id = given.by_id \
             FROM given WHERE elaboration_question.name = given.name AND elaboration_question.round_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.round)
    }
}
