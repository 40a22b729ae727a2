//! The fixture as a program: `chorus-mcp-fixture [PORT]`.

use std::{io::Write as _, net::Ipv4Addr, process::ExitCode, sync::Arc};

use chorus_mcp_fixture::{Fixture, serve};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "chorus-mcp-fixture: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let port = match std::env::args().nth(1) {
        Some(port) => port.parse().map_err(|_| format!("`{port}` is no port; give a number up to 65535, or none"))?,
        None => 0,
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    // Whoever starts this waits for the line.
    writeln!(std::io::stdout(), "listening on http://{}/mcp", listener.local_addr()?)?;
    serve(listener, Arc::new(Fixture::new())).await;
    Ok(())
}
