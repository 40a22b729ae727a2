//! Sessions of people's browsers, and links that let them in once.

use async_trait::async_trait;
use chorus_domain::{
    Subject,
    account::{BrowserSession, Ending, Lasting, LinkKind, OneTimeLink, SESSION_MICROS},
    identity::User,
};
use chorus_ids::{BrowserSessionId, CompanyId, LinkId, Timestamp, UserId, Uuid};
use chorus_store::{Accounts, Claimant, Result, Visitor};
use diesel::{
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{BigInt, Nullable},
};

use super::{
    Conn, Db,
    columns::columns,
    identity::{UserRow, email_key},
    run::execute,
    unit::Unit,
};
use crate::{
    fragment::{Constant, constant},
    schema::{app_user, browser_session, company, one_time_link},
    stored::subject,
    types::{Stamp, Uid, Val},
};

/// The first user of the visitor's company (visibility specification §3.4).
const FIRST_USER: Constant<Nullable<Uid>> = constant(
    "(SELECT fu.id FROM app_user fu WHERE fu.company_id = app_user.company_id AND fu.suspended_at IS NULL \
     ORDER BY fu.created_at, fu.id LIMIT 1)",
);

#[derive(Queryable, Selectable)]
#[diesel(table_name = browser_session, check_for_backend(Db))]
struct SessionRow {
    id: BrowserSessionId,
    user_id: UserId,
    token_hash: String,
    remembered: bool,
    client: String,
    created_at: Timestamp,
    last_seen_at: Timestamp,
}

impl SessionRow {
    fn read(self) -> BrowserSession {
        BrowserSession {
            id: self.id,
            user: self.user_id,
            token_hash: self.token_hash,
            lasting: if self.remembered { Lasting::Remembered } else { Lasting::Brief },
            client: self.client,
            created_at: self.created_at,
            last_seen_at: self.last_seen_at,
        }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = one_time_link, check_for_backend(Db))]
struct LinkRow {
    id: LinkId,
    company_id: CompanyId,
    user_id: UserId,
    kind: LinkKind,
    token_hash: String,
    made_by_type: String,
    made_by_id: Uuid,
    created_at: Timestamp,
    expires_at: Timestamp,
    used_at: Option<Timestamp>,
}

impl LinkRow {
    fn read(self) -> Result<OneTimeLink> {
        Ok(OneTimeLink {
            id: self.id,
            company: self.company_id,
            user: self.user_id,
            kind: self.kind,
            token_hash: self.token_hash,
            made_by: subject(&self.made_by_type, self.made_by_id)?,
            created_at: self.created_at,
            expires_at: self.expires_at,
            used_at: self.used_at,
        })
    }
}

#[async_trait]
impl Accounts for Unit {
    async fn visitor(&mut self, token_hash: &str) -> Result<Option<Visitor>> {
        let found = browser_session::table
            .inner_join(app_user::table)
            .filter(browser_session::token_hash.eq(token_hash))
            .select((columns::<SessionRow>(), columns::<UserRow>(), FIRST_USER));
        let found: Option<(SessionRow, UserRow, Option<UserId>)> = self.row(found).await?;
        Ok(found.map(|(session, user, first_user)| Visitor { session: session.read(), user: user.read(), first_user }))
    }

    async fn claimants(&mut self, email: &str) -> Result<Vec<Claimant>> {
        let claimants = app_user::table
            .inner_join(company::table)
            .filter(app_user::email_key.eq(email_key(email)))
            .order((app_user::created_at, app_user::id))
            .select((columns::<UserRow>(), company::name));
        let claimants: Vec<(UserRow, String)> = self.rows(claimants).await?;
        Ok(claimants.into_iter().map(|(user, company_name)| Claimant { user: user.read(), company_name }).collect())
    }

    async fn link(&mut self, token_hash: &str) -> Result<Option<(OneTimeLink, Claimant)>> {
        let found = one_time_link::table
            .inner_join(app_user::table.inner_join(company::table))
            .filter(one_time_link::token_hash.eq(token_hash))
            .select((columns::<LinkRow>(), columns::<UserRow>(), company::name));
        let found: Option<(LinkRow, UserRow, String)> = self.row(found).await?;
        let read = |(link, user, company_name): (LinkRow, UserRow, String)| {
            Ok((link.read()?, Claimant { user: user.read(), company_name }))
        };
        found.map(read).transpose()
    }

    async fn links_of(&mut self, user: UserId) -> Result<Vec<OneTimeLink>> {
        let links = one_time_link::table
            .filter(one_time_link::user_id.eq(Val(user)))
            .order((one_time_link::created_at.desc(), one_time_link::id.desc()))
            .select(columns::<LinkRow>());
        self.rows(links).await?.into_iter().map(LinkRow::read).collect()
    }

    async fn invitations(
        &mut self,
        company: CompanyId,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<(OneTimeLink, User)>> {
        let open = one_time_link::table
            .inner_join(app_user::table)
            .filter(one_time_link::company_id.eq(Val(company)))
            .filter(one_time_link::kind.eq(Val(LinkKind::Invitation)))
            .filter(one_time_link::used_at.is_null())
            .filter(one_time_link::expires_at.gt(Val(now)))
            .order((one_time_link::created_at.desc(), one_time_link::id.desc()))
            .limit(limit.into())
            .select((columns::<LinkRow>(), columns::<UserRow>()));
        let open: Vec<(LinkRow, UserRow)> = self.rows(open).await?;
        open.into_iter().map(|(link, user)| Ok((link.read()?, user.read()))).collect()
    }

    async fn browser_sessions(&mut self, user: UserId) -> Result<Vec<BrowserSession>> {
        let sessions = browser_session::table
            .filter(browser_session::user_id.eq(Val(user)))
            .order((browser_session::last_seen_at.desc(), browser_session::id.desc()))
            .select(columns::<SessionRow>());
        Ok(self.rows(sessions).await?.into_iter().map(SessionRow::read).collect())
    }

    async fn note_visit(&mut self, session: BrowserSessionId, at: Timestamp) -> Result<()> {
        let older = browser_session::table.find(Val(session)).filter(browser_session::last_seen_at.lt(Val(at)));
        let noted = execute(self.conn(), diesel::update(older).set(browser_session::last_seen_at.eq(Val(at)))).await;
        self.checked(noted).map(drop)
    }

    async fn forget_browser_sessions(&mut self, now: Timestamp, limit: u32) -> Result<u64> {
        let forget = ForgetSessions {
            brief: now.plus_micros(-Lasting::Brief.idle_micros()),
            unused: now.plus_micros(-Lasting::Remembered.idle_micros()),
            made: now.plus_micros(-SESSION_MICROS),
            limit: limit.into(),
        };
        let forgotten = execute(self.conn(), forget).await;
        self.checked(forgotten).map(|rows| rows as u64)
    }

    async fn forget_links(&mut self, before: Timestamp, limit: u32) -> Result<u64> {
        let forgotten = execute(self.conn(), ForgetLinks { before, limit: limit.into() }).await;
        self.checked(forgotten).map(|rows| rows as u64)
    }
}

/// Stores a new session.
pub(super) async fn insert_browser_session(conn: &mut Conn, new: &BrowserSession) -> QueryResult<usize> {
    let statement = diesel::insert_into(browser_session::table).values((
        browser_session::id.eq(Val(new.id)),
        browser_session::user_id.eq(Val(new.user)),
        browser_session::token_hash.eq(&new.token_hash),
        browser_session::remembered.eq(new.lasting == Lasting::Remembered),
        browser_session::client.eq(&new.client),
        browser_session::created_at.eq(Val(new.created_at)),
        browser_session::last_seen_at.eq(Val(new.last_seen_at)),
    ));
    execute(conn, statement).await
}

/// Ends sessions of a person.
pub(super) async fn end_browser_sessions(conn: &mut Conn, user: UserId, ending: Ending) -> QueryResult<usize> {
    let sessions = diesel::delete(browser_session::table).filter(browser_session::user_id.eq(Val(user)));
    match ending {
        Ending::One(session) => execute(conn, sessions.filter(browser_session::id.eq(Val(session)))).await,
        Ending::AllBut(session) => execute(conn, sessions.filter(browser_session::id.ne(Val(session)))).await,
        Ending::All => execute(conn, sessions).await,
    }
}

/// Stores a new link.
pub(super) async fn insert_link(conn: &mut Conn, new: &OneTimeLink) -> QueryResult<usize> {
    let statement = diesel::insert_into(one_time_link::table).values((
        one_time_link::id.eq(Val(new.id)),
        one_time_link::company_id.eq(Val(new.company)),
        one_time_link::user_id.eq(Val(new.user)),
        one_time_link::kind.eq(Val(new.kind)),
        one_time_link::token_hash.eq(&new.token_hash),
        one_time_link::made_by_type.eq(Val(Subject::kind(new.made_by))),
        one_time_link::made_by_id.eq(Val(new.made_by.uuid())),
        one_time_link::created_at.eq(Val(new.created_at)),
        one_time_link::expires_at.eq(Val(new.expires_at)),
        one_time_link::used_at.eq(new.used_at.map(Val)),
    ));
    execute(conn, statement).await
}

/// Uses a link up; none if somebody else has.
pub(super) async fn use_link(conn: &mut Conn, link: LinkId, at: Timestamp) -> QueryResult<usize> {
    let unused = one_time_link::table.find(Val(link)).filter(one_time_link::used_at.is_null());
    execute(conn, diesel::update(unused).set(one_time_link::used_at.eq(Some(Val(at))))).await
}

/// Takes back the links of a person that were not used.
pub(super) async fn drop_links(conn: &mut Conn, user: UserId) -> QueryResult<usize> {
    let unused =
        one_time_link::table.filter(one_time_link::user_id.eq(Val(user))).filter(one_time_link::used_at.is_null());
    execute(conn, diesel::delete(unused)).await
}

/// A whole statement: no builder has a `DELETE` with a limit. [`BrowserSession::ends_at`] says when a session is over.
struct ForgetSessions {
    /// Brief ones not used since.
    brief: Timestamp,
    /// Any not used since.
    unused: Timestamp,
    /// Any older than that.
    made: Timestamp,
    limit: i64,
}

impl QueryId for ForgetSessions {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}
impl QueryFragment<Db> for ForgetSessions {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("DELETE FROM browser_session WHERE id IN (SELECT id FROM browser_session WHERE ");
        self.is_over(&mut out)?;
        out.push_sql(" ORDER BY last_seen_at LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        // Once more, for one that is used while this waits for it.
        out.push_sql(") AND ");
        self.is_over(&mut out)
    }
}

impl ForgetSessions {
    /// Whether the session of a row is over.
    fn is_over<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("(last_seen_at <= ");
        out.push_bind_param::<Stamp, _>(&self.brief)?;
        out.push_sql(" AND NOT remembered OR last_seen_at <= ");
        out.push_bind_param::<Stamp, _>(&self.unused)?;
        out.push_sql(" OR created_at <= ");
        out.push_bind_param::<Stamp, _>(&self.made)?;
        out.push_sql(")");
        Ok(())
    }
}

/// The same for links.
struct ForgetLinks {
    before: Timestamp,
    limit: i64,
}

impl QueryId for ForgetLinks {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}
impl QueryFragment<Db> for ForgetLinks {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("DELETE FROM one_time_link WHERE id IN (SELECT o.id FROM one_time_link o WHERE o.expires_at < ");
        out.push_bind_param::<Stamp, _>(&self.before)?;
        out.push_sql(" ORDER BY o.expires_at LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(")");
        Ok(())
    }
}
