//! A company with a few people, on a database of one test.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chorus_app::{Clock, Services};
use chorus_auth::{
    Accounts, Moment, NewUser,
    accounts::{
        AccountError, Client, Entered, Lasting, LinkKind, NewToken, Opened, SignIn, SignedIn, create_link,
        replace_password,
    },
    create_company, create_user, hash_password,
};
use chorus_domain::{Batch, Subject, Write, access::Granted, account::BrowserSession, identity::User};
use chorus_ids::{CompanyId, Timestamp};
use chorus_store_diesel::testing::{Statements, TestDb};

/// Ada's password.
pub(crate) const PASSWORD: &str = "correct horse battery staple";
/// Another good one.
pub(crate) const OTHER: &str = "a quite different sentence";
/// Ada's address.
pub(crate) const ADA: &str = "Ada@Example.com";

pub(crate) const SECOND: i64 = 1_000_000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// A clock that stands until a test moves it.
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// A company with its first user, and with Ada, who has a password.
pub(crate) struct Site {
    pub(crate) db: TestDb,
    pub(crate) services: Services,
    pub(crate) accounts: Accounts,
    pub(crate) company: CompanyId,
    pub(crate) first: User,
    pub(crate) ada: User,
    pub(crate) statements: Statements,
    hands: Arc<Hands>,
}

impl Site {
    pub(crate) async fn sqlite() -> Self {
        Self::on(TestDb::sqlite().await).await
    }

    pub(crate) async fn postgres() -> Self {
        Self::on(TestDb::postgres().await).await
    }

    async fn on(db: TestDb) -> Self {
        let (store, statements) = db.open_watched().await;
        let hands = Arc::new(Hands(AtomicI64::new(1_800_000_000_123_456)));
        let services = Services { clock: Arc::clone(&hands) as Arc<dyn Clock>, ..Services::new(Arc::new(store)) };
        let accounts = Accounts::new(services.clone());
        let moment = Moment { now: hands.now(), ids: services.ids.as_ref() };
        let company = create_company(moment, "Company").unwrap();
        let user = |email: &str, name: &str| NewUser { email: email.into(), name: name.into(), password_hash: None };
        let first = create_user(moment, company.id, user("first@example.com", "First")).unwrap();
        let mut ada = create_user(moment, company.id, user(ADA, "Ada")).unwrap();
        ada.created_at = moment.now.plus_micros(SECOND);
        ada.password_hash = Some(hash_password(PASSWORD, &mut rand::rng()).unwrap());
        let site = Self {
            db,
            accounts,
            company: company.id,
            first: first.clone(),
            ada: ada.clone(),
            statements,
            hands,
            services,
        };
        site.write(vec![Write::NewCompany(company), Write::NewUser(first), Write::NewUser(ada)]).await;
        site
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, micros: i64) {
        self.hands.0.fetch_add(micros, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.hands.now()
    }

    pub(crate) fn moment(&self) -> Moment<'_> {
        Moment { now: self.now(), ids: self.services.ids.as_ref() }
    }

    /// Writes as the operator does.
    pub(crate) async fn write(&self, writes: Vec<Write>) {
        let mut tx = self.services.store.begin().await.unwrap();
        tx.apply(&Granted::operator(), &Batch { writes, ..Batch::default() }, &[]).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Adds somebody to a company.
    pub(crate) async fn person(&self, company: CompanyId, email: &str, password: Option<&str>) -> User {
        let password_hash = password.map(|password| hash_password(password, &mut rand::rng()).unwrap());
        let new = NewUser { email: email.into(), name: email.into(), password_hash };
        let user = create_user(self.moment(), company, new).unwrap();
        self.write(vec![Write::NewUser(user.clone())]).await;
        user
    }

    /// Another company, with somebody who has this address and password.
    pub(crate) async fn abroad(&self, name: &str, email: &str, password: &str) -> User {
        let company = create_company(self.moment(), name).unwrap();
        let id = company.id;
        self.write(vec![Write::NewCompany(company)]).await;
        self.person(id, email, Some(password)).await
    }

    pub(crate) async fn suspend(&self, user: &User) {
        self.write(vec![Write::SuspendUser(user.id, self.now())]).await;
    }

    /// Gives somebody another password, as the operator does.
    pub(crate) async fn set_password(&self, user: &User, password: &str) {
        let hash = hash_password(password, &mut rand::rng()).unwrap();
        self.write(replace_password(user.id, &hash).to_vec()).await;
    }

    /// A link that the operator makes.
    pub(crate) async fn link(&self, user: &User, kind: LinkKind) -> String {
        let token = NewToken::generate(&mut rand::rng());
        let link = create_link(self.moment(), user, kind, Subject::Operator, &token);
        self.write(vec![Write::NewLink(link)]).await;
        token.reveal().to_owned()
    }

    pub(crate) async fn attempt(
        &self,
        client: Client<'_>,
        email: &str,
        password: &str,
    ) -> Result<Entered, AccountError> {
        let wanted = SignIn { email, password, lasting: Lasting::Brief, instead_of: None };
        self.accounts.sign_in(client, wanted).await
    }

    /// Ada signs in.
    pub(crate) async fn enter(&self, lasting: Lasting) -> Opened {
        let wanted = SignIn { email: ADA, password: PASSWORD, lasting, instead_of: None };
        opened(self.accounts.sign_in(client(1), wanted).await)
    }

    /// Who presents the token of a session.
    pub(crate) async fn visit(&self, opened: &Opened) -> Option<SignedIn> {
        self.accounts.visit(opened.token.reveal()).await.unwrap()
    }

    /// Whoever presents the token of a session, who must be let in.
    pub(crate) async fn signed_in(&self, opened: &Opened) -> SignedIn {
        self.visit(opened).await.expect("a session")
    }

    /// What is stored of a person's sessions.
    pub(crate) async fn sessions(&self, user: &User) -> Vec<BrowserSession> {
        self.services.store.read().await.unwrap().accounts().browser_sessions(user.id).await.unwrap()
    }

    /// Waits until the use of a session at this moment was noted.
    pub(crate) async fn noted(&self, user: &User) {
        for _ in 0..500 {
            if self.sessions(user).await.iter().any(|session| session.last_seen_at == self.now()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the use of a session was not noted");
    }

    /// What was done, as the audit log says it, sorted.
    pub(crate) async fn acts(&self) -> Vec<String> {
        let query = "SELECT surface || ' ' || via || ' ' || subject_type || ' ' || operation AS line FROM audit";
        let mut acts = self.db.lines(query).await;
        acts.sort_unstable();
        acts
    }
}

/// A browser at the `n`th address.
pub(crate) fn client(n: u8) -> Client<'static> {
    Client { address: IpAddr::V4(Ipv4Addr::new(192, 0, 2, n)), agent: "Browser/1.0 (Test)" }
}

/// The session of an attempt that has to lead to one.
#[track_caller]
pub(crate) fn opened(result: Result<Entered, AccountError>) -> Opened {
    match result.unwrap() {
        Entered::In(opened) => opened,
        Entered::Choose(choices) => panic!("a choice among {choices:?}"),
    }
}

/// What an attempt is refused with.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, AccountError>) -> AccountError {
    result.unwrap_err()
}

/// The fields that a refusal names.
pub(crate) fn fields(error: &AccountError) -> Vec<String> {
    let AccountError::Refused(refusal) = error else { panic!("{error:?}") };
    let problems = refusal.details.as_ref().and_then(|details| details["problems"].as_array()).cloned();
    problems.unwrap_or_default().iter().map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
}
