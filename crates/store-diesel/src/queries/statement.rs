//! Statements that are easier to read as SQL: text with values between.

use std::marker::PhantomData;

use chorus_domain::Kind;
use chorus_ids::{Timestamp, Uuid};
use diesel::{
    QueryResult,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

use super::Db;
use crate::{
    types::{Label, Stamp, Uid},
    visible::list,
};

/// A whole statement. `ST` is what it selects; nothing for one that returns no rows.
pub(super) struct Statement<'s, ST = ()> {
    pieces: Vec<Piece<'s>>,
    selects: PhantomData<fn() -> ST>,
}

enum Piece<'s> {
    Sql(&'static str),
    Id(Uuid),
    Ids(&'s [Uuid]),
    Kind(Kind),
    At(Timestamp),
}

impl<'s, ST> Statement<'s, ST> {
    /// A statement that begins with this text.
    pub(super) fn new(sql: &'static str) -> Self {
        Self { pieces: vec![Piece::Sql(sql)], selects: PhantomData }
    }

    fn with(mut self, piece: Piece<'s>) -> Self {
        self.pieces.push(piece);
        self
    }

    /// More text.
    pub(super) fn sql(self, sql: &'static str) -> Self {
        self.with(Piece::Sql(sql))
    }

    /// An id.
    pub(super) fn id(self, id: Uuid) -> Self {
        self.with(Piece::Id(id))
    }

    /// A list of ids in parentheses, not empty.
    pub(super) fn ids(self, ids: &'s [Uuid]) -> Self {
        self.with(Piece::Ids(ids))
    }

    /// A kind of entity.
    pub(super) fn kind(self, kind: Kind) -> Self {
        self.with(Piece::Kind(kind))
    }

    /// A moment.
    pub(super) fn at(self, at: Timestamp) -> Self {
        self.with(Piece::At(at))
    }
}

impl<ST> Query for Statement<'_, ST> {
    type SqlType = ST;
}
impl<ST> QueryId for Statement<'_, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<ST> QueryFragment<Db> for Statement<'_, ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        for piece in &self.pieces {
            match piece {
                Piece::Sql(sql) => out.push_sql(sql),
                Piece::Id(id) => out.push_bind_param::<Uid, _>(id)?,
                Piece::Ids(ids) => list(&mut out, ids)?,
                Piece::Kind(kind) => out.push_bind_param::<Label, _>(kind)?,
                Piece::At(at) => out.push_bind_param::<Stamp, _>(at)?,
            }
        }
        Ok(())
    }
}
