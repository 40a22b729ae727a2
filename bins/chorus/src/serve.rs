//! `chorus serve`.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use chorus_app::Services;
use chorus_auth::accounts::Accounts;
use chorus_console::{Console, Settings};
use chorus_http::{App, Config, Mount, Reach, Site, SsePaths, serve};
use chorus_library::ChorusLibrary;
use chorus_mcp::ServerInfo;
use chorus_store_diesel::Options;

use crate::{
    config::{PublicUrl, ServeSettings, Switch},
    descriptors,
    failure::Failure,
    housekeeping, listening, logging, metering, output, setup, signals,
    welcome::Welcome,
};

/// Where the tools of Chorus are.
const ENDPOINT: &str = "/api/mcp";

/// Where clients of the transport of 2024-11-05 find them.
const SSE: SsePaths = SsePaths { stream: "/sse", message: "/message" };

/// What a model is told about the server as a whole.
const INSTRUCTIONS: &str = "Chorus takes software work from idea to done: an idea is elaborated, becomes a proposal with \
     document and task drafts, and once approved its tasks are claimed, worked on, submitted and verified. Begin with \
     chorus_checkin, then chorus_get_my_assignments. Every refusal says what to do next. Give each call that changes \
     something an idempotencyKey, and repeat the call with the same key if you lose its answer.";

/// Serves until told to end.
///
/// # Errors
/// The address is taken, the database can't be used, or the first run failed.
pub(crate) async fn run(settings: ServeSettings) -> Result<(), Failure> {
    logging::start(settings.log_format, &settings.log_level, settings.log_spans)?;
    let shutdown =
        signals::shutdown().map_err(|error| Failure::refused(format_args!("can't wait for signals: {error}")))?;
    // First the address: a key that is made on the first run must not be lost because another server listens here.
    let taken = |error| Failure::refused(format_args!("can't listen on {}: {error}", settings.listen));
    let listener = listening::on(&settings.listen).await.map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    // Before anything that measures is made.
    let metrics = metering::start(settings.metrics)?;
    let opening = Options { events: settings.events, slow: settings.limits.slow, ..Options::default() };
    let services = settings.place.open_migrated_for(&opening).await?;
    let tools = chorus_tools::surface().map_err(|error| Failure::refused(format_args!("the tools: {error}")))?;
    let tools = tools.with_slow(settings.limits.slow);
    let server_url = base(settings.public_url.as_ref(), address);
    let made = setup::first_run(&services, &settings.place, &settings.setup, &server_url).await?;

    housekeeping::start(services.clone());
    let server = ServerInfo {
        title: Some("Chorus".to_owned()),
        instructions: Some(INSTRUCTIONS.to_owned()),
        ..ServerInfo::new("chorus", env!("CARGO_PKG_VERSION"))
    };
    let config = Config {
        reach: if address.ip().is_loopback() { Reach::Loopback } else { Reach::Network },
        public: settings.public_url.as_ref().map(|url| url.origin.clone()),
        origins: settings.origins.clone(),
        behind_proxy: settings.behind_proxy,
        unscoped: settings.unscoped,
        limits: descriptors::fit(settings.limits),
        metrics,
    };
    if config.reach == Reach::Network && config.public.is_none() {
        tracing::warn!("without --public-url the server answers to addresses and to localhost only, not to a name");
    }
    let tools = Arc::new(tools);
    let library = Arc::new(ChorusLibrary::new(Arc::clone(&tools)));
    let mount = Mount::new(ENDPOINT, tools, server).with_library(library);
    let mount = match settings.legacy_sse {
        Switch::On => mount.with_sse(SSE),
        Switch::Off => mount,
    };
    let site = match settings.console {
        Switch::On => Some(console(services.clone(), &server_url, settings.limits.slow)?),
        Switch::Off => None,
    };
    let app = App::with_site(services, [mount], site, config);

    if let Some(made) = made {
        let welcome = Welcome {
            made: &made,
            database: &settings.place.url.to_string(),
            server: &server_url,
            program: &program(),
            flags: &settings.place.flags(),
        };
        output::write(&welcome.text())?;
    }
    output::line(&format!("chorus is listening on http://{address}"))?;
    serve(listener, app, shutdown).await;
    tracing::info!("ended");
    Ok(())
}

/// The pages for people.
fn console(services: Services, base: &str, slow: Duration) -> Result<Arc<dyn Site>, Failure> {
    let tools = chorus_tools_console::surface();
    let tools = tools.map_err(|error| Failure::refused(format_args!("the console's tools: {error}")))?.with_slow(slow);
    let accounts = Accounts::new(services.clone());
    let settings = Settings { base: base.to_owned(), secure: base.starts_with("https://") };
    Ok(Arc::new(Console::new(services, Arc::new(tools), accounts, settings)))
}

/// The URL at which a client on this machine reaches the server.
fn base(public: Option<&PublicUrl>, address: SocketAddr) -> String {
    match (public, address) {
        (Some(url), _) => url.text.clone(),
        (None, SocketAddr::V4(v4)) if v4.ip().is_unspecified() => format!("http://127.0.0.1:{}", v4.port()),
        (None, SocketAddr::V6(v6)) if v6.ip().is_unspecified() => format!("http://[::1]:{}", v6.port()),
        (None, address) => format!("http://{address}"),
    }
}

fn program() -> String {
    std::env::current_exe().map_or_else(|_| "chorus".to_owned(), |path| path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_client_is_told_an_address_that_it_can_reach() {
        let public = PublicUrl { text: "https://c.example".into(), origin: "https://c.example".parse().unwrap() };
        let of = |public, address: &str| base(public, address.parse().unwrap());
        assert_eq!(of(Some(&public), "0.0.0.0:1"), "https://c.example");
        assert_eq!(of(None, "0.0.0.0:8637"), "http://127.0.0.1:8637");
        assert_eq!(of(None, "[::]:8637"), "http://[::1]:8637");
        assert_eq!(of(None, "192.0.2.1:80"), "http://192.0.2.1:80");
    }
}
