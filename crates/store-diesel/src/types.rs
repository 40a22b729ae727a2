//! Column types that the two databases spell differently, each written once.
//!
//! Domain types are loaded as they are (`id: TaskId` in a row) and bound through [`Val`], which Rust's orphan rule asks
//! for.

use std::io::Write as _;

use chorus_domain::{Kind, account::LinkKind, activity::Action, event::Change, notification::Topic};
use chorus_ids::{
    ActivityId, AgentId, AuditId, BrowserSessionId, CheckinId, CommentId, CompanyId, CriterionId, DocumentId, DraftId,
    EventId, GroupId, IdeaId, KeyId, LinkId, MentionId, NotificationId, ProjectId, ProposalId, QuestionId, ReferenceId,
    RoundId, SessionId, TaskId, Timestamp, UserId, Uuid,
};
use chorus_lifecycle::{
    criterion::Mark,
    document::DocumentType,
    elaboration::{Category, RoundStatus},
    idea::{Depth, ElaborationStatus, IdeaStatus},
    proposal::{InputType, ProposalStatus},
    reference::ReferenceType,
    session::SessionStatus,
    task::{Priority, TaskStatus},
};
use chorus_visibility::{Role, Visibility};
use diesel::{
    backend::Backend,
    deserialize::{self, FromSql, Queryable},
    expression::AsExpression,
    pg::{Pg, PgValue},
    query_builder::QueryId,
    serialize::{self, IsNull, Output, ToSql},
    sql_types::SqlType,
    sqlite::{Sqlite, SqliteValue},
};
use serde_json::Value;

// Fixed oids spare a look-up in the catalogue on every new connection.

/// An id: `uuid`, or a BLOB of 16 bytes. Both sort alike.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951), sqlite_type(name = "Binary"))]
pub struct Uid;

/// A moment in whole microseconds: `timestamptz`, or an integer since 1970.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185), sqlite_type(name = "Long"))]
pub struct Stamp;

/// JSON: `jsonb`, or text. Does not keep the order of keys.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 3802, array_oid = 3807), sqlite_type(name = "Text"))]
pub struct Json;

/// A word of a closed vocabulary: text with a check constraint.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 25, array_oid = 1009), sqlite_type(name = "Text"))]
pub struct Label;

/// A value on its way into a statement: `task::id.eq(Val(id))`, `task::proposal_id.eq(id.map(Val))`,
/// `task::id.eq_any(ids.iter().map(Val))`.
#[derive(AsExpression, Clone, Copy, Debug)]
#[diesel(sql_type = Uid)]
#[diesel(sql_type = Stamp)]
#[diesel(sql_type = Json)]
#[diesel(sql_type = Label)]
pub(crate) struct Val<T>(pub(crate) T);

macro_rules! bound {
    ($($sql:ty),+) => { $(
        impl<T: ToSql<$sql, DB>, DB: Backend> ToSql<$sql, DB> for Val<T> {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
                self.0.to_sql(out)
            }
        }
    )+ };
}

bound!(Uid, Stamp, Json, Label);

/// Lets a foreign type be loaded from a column of `$sql`.
macro_rules! column_value {
    ($sql:ty: $name:ty) => {
        impl<DB: Backend> Queryable<$sql, DB> for $name
        where
            Self: FromSql<$sql, DB>,
        {
            type Row = Self;
            fn build(row: Self) -> deserialize::Result<Self> {
                Ok(row)
            }
        }
    };
}

impl ToSql<Uid, Pg> for Uuid {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(self.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl ToSql<Uid, Sqlite> for Uuid {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.as_bytes().as_slice());
        Ok(IsNull::No)
    }
}

impl FromSql<Uid, Pg> for Uuid {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self::from_slice(value.as_bytes())?)
    }
}

impl FromSql<Uid, Sqlite> for Uuid {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self::from_slice(value.read_blob())?)
    }
}

column_value!(Uid: Uuid);

macro_rules! ids {
    ($($name:ident),+ $(,)?) => { $(
        impl ToSql<Uid, Pg> for $name {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                out.write_all(self.uuid().as_bytes())?;
                Ok(IsNull::No)
            }
        }
        impl ToSql<Uid, Sqlite> for $name {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                out.set_value(self.uuid().as_bytes().to_vec());
                Ok(IsNull::No)
            }
        }
        impl<DB: Backend> FromSql<Uid, DB> for $name
        where
            Uuid: FromSql<Uid, DB>,
        {
            fn from_sql(value: DB::RawValue<'_>) -> deserialize::Result<Self> {
                Ok(Self::from_uuid(Uuid::from_sql(value)?))
            }
        }
        column_value!(Uid: $name);
    )+ };
}

ids! {
    ActivityId, AgentId, AuditId, BrowserSessionId, CheckinId, CommentId, CompanyId, CriterionId, DocumentId, DraftId,
    EventId, GroupId, IdeaId, KeyId, LinkId, MentionId, NotificationId, ProjectId, ProposalId, QuestionId, ReferenceId,
    RoundId, SessionId, TaskId, UserId,
}

/// 2000-01-01T00:00:00Z, from which PostgreSQL counts, in microseconds since 1970.
const PG_EPOCH: i64 = 946_684_800_000_000;

impl ToSql<Stamp, Pg> for Timestamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&self.micros().saturating_sub(PG_EPOCH).to_be_bytes())?;
        Ok(IsNull::No)
    }
}

impl ToSql<Stamp, Sqlite> for Timestamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.micros());
        Ok(IsNull::No)
    }
}

impl FromSql<Stamp, Pg> for Timestamp {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let micros = i64::from_be_bytes(value.as_bytes().try_into()?);
        Ok(Self::from_micros(micros.saturating_add(PG_EPOCH)))
    }
}

impl FromSql<Stamp, Sqlite> for Timestamp {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self::from_micros(value.read_long()))
    }
}

column_value!(Stamp: Timestamp);

/// The first byte of `jsonb` in the binary protocol.
const JSONB_VERSION: u8 = 1;

impl ToSql<Json, Pg> for Value {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&[JSONB_VERSION])?;
        serde_json::to_writer(out, self)?;
        Ok(IsNull::No)
    }
}

impl ToSql<Json, Sqlite> for Value {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(self)?);
        Ok(IsNull::No)
    }
}

impl FromSql<Json, Pg> for Value {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes() {
            [JSONB_VERSION, text @ ..] => Ok(serde_json::from_slice(text)?),
            _ => Err("a jsonb of an unknown version".into()),
        }
    }
}

impl FromSql<Json, Sqlite> for Value {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(serde_json::from_str(value.read_text())?)
    }
}

column_value!(Json: Value);

impl ToSql<Label, Pg> for str {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(self.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl ToSql<Label, Sqlite> for str {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self);
        Ok(IsNull::No)
    }
}

impl FromSql<Label, Pg> for String {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(std::str::from_utf8(value.as_bytes())?.to_owned())
    }
}

impl FromSql<Label, Sqlite> for String {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(value.read_text().to_owned())
    }
}

/// Vocabularies that have `as_str` and a function from a stored word to the value, `None` for an unknown word.
macro_rules! labels {
    ($($name:ty = $read:expr),+ $(,)?) => { $(
        impl ToSql<Label, Pg> for $name {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                <str as ToSql<Label, Pg>>::to_sql(self.as_str(), &mut out.reborrow())
            }
        }
        impl ToSql<Label, Sqlite> for $name {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                out.set_value(self.as_str());
                Ok(IsNull::No)
            }
        }
        impl<DB: Backend> FromSql<Label, DB> for $name
        where
            String: FromSql<Label, DB>,
        {
            fn from_sql(value: DB::RawValue<'_>) -> deserialize::Result<Self> {
                let word = <String as FromSql<Label, DB>>::from_sql(value)?;
                let read: fn(&str) -> Option<Self> = $read;
                read(&word).ok_or_else(|| format!("unknown word `{word}` in a column of {}", stringify!($name)).into())
            }
        }
        column_value!(Label: $name);
    )+ };
}

labels! {
    Action = Action::parse,
    Category = parse,
    Change = Change::parse,
    Depth = parse,
    DocumentType = parse,
    ElaborationStatus = parse,
    IdeaStatus = IdeaStatus::read,
    InputType = parse,
    Kind = Kind::parse,
    LinkKind = LinkKind::parse,
    Mark = parse,
    Priority = parse,
    ProposalStatus = parse,
    ReferenceType = parse,
    Role = Role::read,
    RoundStatus = RoundStatus::read,
    SessionStatus = parse,
    TaskStatus = parse,
    Topic = Topic::parse,
    // An unknown visibility fails closed (visibility specification §1).
    Visibility = |word| Some(Visibility::read(word)),
}

fn parse<T: std::str::FromStr>(word: &str) -> Option<T> {
    word.parse().ok()
}
