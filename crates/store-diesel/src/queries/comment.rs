//! Comments.

use async_trait::async_trait;
use chorus_domain::{Kind, comment::Comment};
use chorus_ids::{CommentId, CompanyId, Timestamp, Uuid};
use chorus_store::{Comments, Order, Page, PageRequest, Position, Result, Row, Start};
use chorus_visibility::Scope;
use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
};

use super::{Conn, Db, columns::columns, run::execute, unit::Unit};
use crate::{
    fragment::{Total, behind, page_of, rows_of},
    schema::comment,
    stored::party,
    types::{Uid, Val},
    visible::visible,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = comment, check_for_backend(Db))]
struct CommentRow {
    id: CommentId,
    company_id: CompanyId,
    target_type: Kind,
    target_id: Uuid,
    content: String,
    author_type: String,
    author_id: Uuid,
    created_at: Timestamp,
}

impl CommentRow {
    fn read(self) -> Result<Comment> {
        Ok(Comment {
            id: self.id,
            company: self.company_id,
            target: self.target_type,
            target_id: self.target_id,
            content: self.content,
            author: party(&self.author_type, self.author_id)?,
            created_at: self.created_at,
        })
    }
}

/// The project of something that can be commented on.
#[derive(Clone, Copy, Debug)]
struct ProjectOf {
    select: &'static str,
    id: Uuid,
}

/// See [`ProjectOf`]; `None` for what has no comments that a list shows.
const fn project_of(kind: Kind, id: Uuid) -> Option<ProjectOf> {
    let select = match kind {
        Kind::Idea => "(SELECT ct.project_id FROM idea ct WHERE ct.id = ",
        Kind::Proposal => "(SELECT ct.project_id FROM proposal ct WHERE ct.id = ",
        Kind::Document => "(SELECT ct.project_id FROM document ct WHERE ct.id = ",
        Kind::Task => "(SELECT ct.project_id FROM task ct WHERE ct.id = ",
        // The comments of a group are its protected log.
        Kind::Group
        | Kind::Project
        | Kind::Comment
        | Kind::Reference
        | Kind::Session
        | Kind::Notification
        | Kind::Agent
        | Kind::User
        | Kind::Key
        | Kind::Round => return None,
    };
    Some(ProjectOf { select, id })
}

impl Expression for ProjectOf {
    type SqlType = Uid;
}
impl<T> AppearsOnTable<T> for ProjectOf {}
impl<T> SelectableExpression<T> for ProjectOf {}
impl ValidGrouping<()> for ProjectOf {
    type IsAggregate = is_aggregate::Never;
}
impl QueryId for ProjectOf {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl QueryFragment<Db> for ProjectOf {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(self.select);
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(")");
        Ok(())
    }
}

#[async_trait]
impl Comments for Unit {
    async fn comments(
        &mut self,
        scope: &Scope,
        target: Kind,
        id: Uuid,
        order: Order,
        page: &PageRequest,
    ) -> Result<Page<Comment>> {
        let Some(project) = project_of(target, id) else { return Ok(page_of(Vec::new(), 0, page)) };
        let list = || {
            comment::table
                .filter(comment::target_type.eq(Val(target)))
                .filter(comment::target_id.eq(Val(id)))
                .filter(visible(scope, project))
                .into_boxed::<Db>()
        };
        let rows = match (page.start, order) {
            (Start::Page(_), _) => list().offset(page.offset()),
            (Start::After(place), Order::Newest) => list().filter(behind(comment::created_at, comment::id, &place)),
            // The first condition follows from the second; it lets an index begin at the place.
            (Start::After(place), Order::Oldest) => list().filter(
                comment::created_at
                    .ge(Val(place.at))
                    .and(comment::created_at.gt(Val(place.at)).or(comment::id.gt(Val(place.id)))),
            ),
        };
        let rows = match order {
            Order::Oldest => rows.order((comment::created_at.asc(), comment::id.asc())),
            Order::Newest => rows.order((comment::created_at.desc(), comment::id.desc())),
        };
        let rows = rows.limit(rows_of(page)).select((columns::<CommentRow>(), Total(list().count())));
        let loaded: Vec<(CommentRow, i64)> = self.rows(rows).await?;
        let total = loaded.first().map(|(_, total)| *total);
        let total = self.total(total, page, || list().count()).await?;
        let rows = loaded.into_iter().map(|(row, _)| {
            let item = row.read()?;
            Ok(Row { at: Position { rank: 0, at: item.created_at, id: item.id.uuid() }, item })
        });
        Ok(page_of(rows.collect::<Result<_>>()?, total, page))
    }
}

/// Stores a new comment.
pub(super) async fn insert_comment(conn: &mut Conn, new: &Comment) -> QueryResult<usize> {
    let statement = diesel::insert_into(comment::table).values((
        comment::id.eq(Val(new.id)),
        comment::company_id.eq(Val(new.company)),
        comment::target_type.eq(Val(new.target)),
        comment::target_id.eq(Val(new.target_id)),
        comment::content.eq(&new.content),
        comment::author_type.eq(Val(new.author.kind())),
        comment::author_id.eq(Val(new.author.uuid())),
        comment::created_at.eq(Val(new.created_at)),
    ));
    execute(conn, statement).await
}
