//! A server with something on every page, and people who are signed in.

use chorus_auth::{
    Moment,
    accounts::{LinkKind, NewToken, create_link},
};
use chorus_domain::{Subject, Write};
use chorus_ids::{ProjectId, UserId};
use chorus_testkit::{Around, Backend, Client, Database, Scenery, Server, World};
use chorus_visibility::{Role, Visibility};

use crate::chromium::{Chromium, Tab};

/// A server with a project in which work is going on.
pub(crate) struct Town {
    pub(crate) server: Server,
    pub(crate) world: World,
    pub(crate) owner: UserId,
    pub(crate) project: ProjectId,
    /// What is in it.
    pub(crate) ids: Scenery,
    /// The key of an agent of the owner that may do everything.
    pub(crate) key: String,
    pub(crate) _database: Database,
}

impl Town {
    /// A town in which everything that agents write says `marker` somewhere.
    pub(crate) async fn new(backend: Backend, marker: &str) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let owner = world.user("lan").await;
        let member = world.user("editor").await;
        let roles = [(owner, Role::Admin), (member, Role::Editor)];
        let group = world.group("Mobile", Visibility::Private, &roles).await;
        let project = world.project_in("Offline sync", Visibility::Private, Some(group), &roles).await;
        let agent = world.agent("builder", Some(owner), &["admin_agent"], &[]).await;
        let server = Server::start(&database).await;
        let client = server.client(&agent.key);
        let around = Around { project, group, member, agent: agent.id };
        let call = async |tool: &str, arguments| client.call(tool, arguments).await.ok();
        let ids = Scenery::make(call, around, marker).await;
        Self { server, world, owner, project, ids, key: agent.key, _database: database }
    }

    pub(crate) fn client(&self) -> Client {
        self.server.client(&self.key)
    }

    /// A link that signs this person in once.
    pub(crate) async fn link(&self, user: UserId) -> String {
        link(&self.world, user, LinkKind::SignIn).await
    }

    /// The pages that are for people who are not signed in, with links that work.
    pub(crate) async fn for_strangers(&self) -> Vec<String> {
        let mut pages = vec!["/sign-in".to_owned()];
        for kind in LinkKind::ALL {
            pages.push(link(&self.world, self.ids.around.member, kind).await);
            pages.push(format!("/{}/guess", kind.path()));
        }
        pages
    }

    /// A tab in which this person is signed in, at home.
    pub(crate) async fn signed_in(&self, chromium: &Chromium, user: UserId) -> Tab {
        enter(chromium, self.server.base(), &self.link(user).await).await
    }

    /// A path of the console's table with what is here in its places; `None` for a place of which there is nothing.
    pub(crate) fn fill(&self, path: &str) -> Option<String> {
        self.ids.fill(path)
    }
}

/// A link that lets this person in once.
pub(crate) async fn link(world: &World, user: UserId, kind: LinkKind) -> String {
    let services = &world.services;
    let row = services.store.read().await.unwrap().directory().user(user).await.unwrap().unwrap();
    let token = NewToken::generate(&mut rand::rng());
    let moment = Moment { now: services.clock.now(), ids: services.ids.as_ref() };
    world.write(vec![Write::NewLink(create_link(moment, &row, kind, Subject::Operator, &token))]).await;
    format!("/{}/{}", kind.path(), token.reveal())
}

/// A tab, at home, of somebody who came in by such a link.
pub(crate) async fn enter(chromium: &Chromium, base: &str, link: &str) -> Tab {
    let tab = chromium.open(base, link).await;
    tab.click("form [name='later'] ~ button").await;
    tab.until_at("/").await;
    tab
}
