//! Where connections come in.

use std::{io, net::SocketAddr};

use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// How many connections may wait to be accepted, if the system lets so many. Of those that come when there is no room the
/// system tells nobody anything: clients try again after one second, two, four, and so on.
const BACKLOG: u32 = 4_096;

/// Listens on the first address of this name that can be had.
///
/// # Errors
/// There is none, or none can be had.
pub(crate) async fn on(name: &str) -> io::Result<TcpListener> {
    let mut failed = io::Error::new(io::ErrorKind::InvalidInput, "that is no address");
    for address in lookup_host(name).await? {
        match bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of a server that has just ended must not keep the next one from its address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
