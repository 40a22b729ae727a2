//! A server with something on it.

use crate::{Backend, Client, Database, Server, World, WorldAgent};

/// A server on a fresh database with an agent that may do everything.
pub struct Site {
    /// The server.
    pub server: Server,
    /// What is in its database.
    pub world: World,
    /// An agent with the admin preset, of the world's first user.
    pub admin: WorldAgent,
    /// The database.
    pub database: Database,
}

impl Site {
    /// A new one.
    ///
    /// # Panics
    /// If it can't be made.
    pub async fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend).await;
        let world = World::new(database.services().await).await;
        let admin = world.agent("admin", Some(world.first_user), &["admin_agent"], &[]).await;
        Self { server: Server::start(&database).await, world, admin, database }
    }

    /// A client of the agent.
    pub fn client(&self) -> Client {
        self.server.client(&self.admin.key)
    }
}
