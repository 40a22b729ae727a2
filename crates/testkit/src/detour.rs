//! A way to a PostgreSQL server that can be blocked.

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A forwarder in front of a database server.
pub struct Detour {
    url: String,
    here: String,
    there: String,
    open: Option<JoinHandle<()>>,
}

impl Detour {
    /// A way to the database of this URL, open.
    ///
    /// # Panics
    /// If the URL names no host and port, or no port is free.
    pub async fn to(url: &str) -> Self {
        let there = url.split('@').nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().to_string();
        let mut detour = Self { url: url.replacen(&there, &here, 1), here, there, open: None };
        detour.accept(listener);
        detour
    }

    /// The URL that leads over it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Breaks all connections and refuses new ones.
    ///
    /// # Panics
    /// If forwarding failed.
    pub async fn block(&mut self) {
        if let Some(open) = self.open.take() {
            open.abort();
            assert!(open.await.unwrap_err().is_cancelled());
        }
    }

    /// Lets connections through again.
    ///
    /// # Panics
    /// If its port has been taken.
    pub async fn unblock(&mut self) {
        let listener = TcpListener::bind(&self.here).await.unwrap();
        self.accept(listener);
    }

    fn accept(&mut self, listener: TcpListener) {
        let there = self.there.clone();
        self.open = Some(tokio::spawn(async move {
            // Its connections end with it.
            let mut connections = JoinSet::new();
            while let Ok((mut from, _)) = listener.accept().await {
                let there = there.clone();
                connections.spawn(async move {
                    let Ok(mut to) = TcpStream::connect(&there).await else { return };
                    let _ = copy_bidirectional(&mut from, &mut to).await;
                });
            }
        }));
    }
}
