//! The application as a service.

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use chorus_app::Services;
use chorus_auth::{Authenticator, Ticket};
use chorus_dispatch::{Library, Surface};
use chorus_domain::Caller;
use chorus_mcp::{Head, ServerInfo};
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderName, HeaderValue, Request, StatusCode, header, request::Parts};
use hyper::{body::Body, service::Service};
use tracing::Instrument as _;

use crate::{
    Answer, Config, Metrics, Origin, SsePaths, admission, answer, body, cors,
    desk::Desk,
    door, endpoint, health,
    live::{Live, watcher::Watch},
    load::Load,
    meter,
    narrowing::Asked,
    route::{Methods, Paths, Route},
    site::{self, Site},
    sse::{self, Sessions},
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The policy of an answer that is no page: should a browser take it for one, it loads nothing and stands in no frame.
const NOTHING_IS_LOADED: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// A tool surface on a path.
#[derive(Clone)]
pub struct Mount {
    pub(crate) path: &'static str,
    pub(crate) surface: Arc<Surface>,
    pub(crate) library: Option<Arc<dyn Library>>,
    pub(crate) info: ServerInfo,
    pub(crate) sse: Option<SsePaths>,
}

impl Mount {
    /// `surface` as the MCP endpoint at `path`, which begins with a slash and does not end with one. Clients are told
    /// `info` about it.
    pub fn new(path: &'static str, surface: Arc<Surface>, info: ServerInfo) -> Self {
        let mut mount = Self { path, surface, library: None, info, sse: None };
        // What a caller may do changes with its permissions.
        mount.info.offer.tools_list_changed = true;
        mount
    }

    /// The same with resources, prompts and completion, which clients are told of.
    #[must_use]
    pub fn with_library(mut self, library: Arc<dyn Library>) -> Self {
        let offer = &mut self.info.offer;
        offer.resources = true;
        offer.resources_list_changed = true;
        offer.resources_subscribe = true;
        offer.prompts = true;
        offer.prompts_list_changed = true;
        offer.completions = true;
        self.library = Some(library);
        self
    }

    /// The same, reached by the transport of 2024-11-05 as well.
    #[must_use]
    pub fn with_sse(self, paths: SsePaths) -> Self {
        Self { sse: Some(paths), ..self }
    }
}

/// The application: a service that answers requests. Clones share everything.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) services: Services,
    pub(crate) authenticator: Authenticator,
    pub(crate) config: Config,
    pub(crate) live: Arc<Live>,
    pub(crate) sessions: Sessions,
    mounts: Vec<Mount>,
    site: Option<Arc<dyn Site>>,
    pub(crate) load: Load,
}

impl App {
    /// An application with these mounts.
    pub fn new(services: Services, mounts: impl IntoIterator<Item = Mount>, config: Config) -> Self {
        Self::with_site(services, mounts, None, config)
    }

    /// An application with these mounts, and pages on all other paths.
    pub fn with_site(
        services: Services,
        mounts: impl IntoIterator<Item = Mount>,
        site: Option<Arc<dyn Site>>,
        config: Config,
    ) -> Self {
        let authenticator = Authenticator::new(services.clone(), config.unscoped);
        let (live, sessions) = (Live::new(config.limits.streams), Sessions::default());
        let load = Load::new(&config.limits);
        let mounts = mounts.into_iter().collect();
        Self(Arc::new(Inner { services, authenticator, config, live, sessions, mounts, site, load }))
    }

    /// Ends every stream that would otherwise stay open, as [`serve`](crate::serve) does when it is told to end.
    pub fn close_streams(&self) {
        self.0.live.close();
    }

    /// How it was configured.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Answers a request, always.
    pub async fn handle<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Data: Send> + Send + 'static,
    {
        let inner = &self.0;
        let (head, body) = request.into_parts();
        let id = inner.services.ids.uuid(inner.services.clock.now()).to_string();
        let route = inner.route(&head);
        let origin = admission::configured(&inner.config, &head.headers);
        // Whatever is logged at all names the request.
        let span = tracing::error_span!("request", id, route = route.name());
        let answered = async {
            let started = Instant::now();
            let answered = AssertUnwindSafe(inner.answer(head, route, body)).catch_unwind().await;
            let answered = answered.unwrap_or_else(|_| {
                tracing::error!("answering a request panicked");
                answer::closing(answer::internal())
            });
            let took = started.elapsed();
            meter::answered(route, answered.status(), took);
            // Calls of tools say so themselves.
            if route == Route::Unknown && took >= inner.config.limits.slow {
                tracing::warn!(status = answered.status().as_u16(), millis = took.as_millis(), "a slow page");
            }
            tracing::debug!(status = answered.status().as_u16(), millis = took.as_millis(), "answered");
            answered
        };
        let mut answered = answered.instrument(span).await;
        let headers = answered.headers_mut();
        // INVARIANT: a UUID is visible ASCII.
        headers.insert(REQUEST_ID, HeaderValue::try_from(id).expect("a UUID is a header value"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(NOTHING_IS_LOADED);
        if inner.config.public.as_ref().is_some_and(Origin::is_https) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
        }
        if !inner.config.origins.is_empty() {
            headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(origin) = origin {
            cors::expose(&mut answered, origin);
        }
        answered
    }
}

impl Mount {
    fn paths(&self) -> Paths<'_> {
        Paths { endpoint: self.path, sse: self.sse.map(|paths| (paths.stream, paths.message)) }
    }
}

impl Inner {
    /// Where a request leads. For whom they are not meant there are no metrics.
    fn route(&self, head: &Parts) -> Route {
        match Route::find(self.mounts.iter().map(Mount::paths), &head.method, head.uri.path()) {
            Route::Metrics if !self.config.metrics.as_ref().is_some_and(|metrics| metrics.are_for(head)) => {
                Route::Unknown
            }
            route => route,
        }
    }

    /// What was measured, after a look at how things stand.
    fn metrics(&self) -> Answer {
        self.load.observe();
        self.services.store.observe();
        self.config.metrics.as_ref().map_or_else(answer::not_found, Metrics::answer)
    }

    /// What a stream of this mount is watched with.
    pub(crate) fn watch(&self, mount: &Mount, ticket: Ticket, asked: Asked) -> Watch {
        Watch {
            services: self.services.clone(),
            authenticator: self.authenticator.clone(),
            surface: Arc::clone(&mount.surface),
            library: mount.library.clone(),
            ticket,
            asked,
            limits: self.config.limits.streams,
        }
    }

    /// Where requests to this mount are worked on.
    pub(crate) fn desk(&self, mount: &Mount, caller: Caller, asked: Asked, head: Head) -> Desk {
        Desk {
            services: self.services.clone(),
            surface: Arc::clone(&mount.surface),
            library: mount.library.clone(),
            limits: self.config.limits,
            caller,
            asked,
            head,
        }
    }

    /// The order of checks: host and origin, route and method, credential, body (README decision 21).
    async fn answer<B>(&self, head: Parts, route: Route, body: B) -> Answer
    where
        B: Body<Data: Send> + Send + 'static,
    {
        let limits = &self.config.limits;
        if let Err(stranger) = admission::admit(&self.config, &head.uri, &head.headers) {
            let rest = body::discard(body, &head.headers, limits).await;
            return door::ending(answer::error(StatusCode::FORBIDDEN, stranger.text()), rest);
        }
        let mount = route.mount().and_then(|index| self.mounts.get(index));
        if let (Route::Message(_), Some(mount)) = (route, mount) {
            return endpoint::post(self, mount, &head, body).await;
        }
        if let (Route::SseMessage(_), Some(mount)) = (route, mount) {
            return sse::message::post(self, mount, &head, body).await;
        }
        if let (Route::Unknown, Some(site)) = (route, &self.site)
            && !is_looked_for_by_programs(head.uri.path())
        {
            return site::show(self, site, head, body).await;
        }
        let head = &head;
        let rest = body::discard(body, &head.headers, limits).await;
        if let (Route::SseStream(_), Some(mount)) = (route, mount)
            && let Some(paths) = mount.sse
        {
            return door::ending(sse::session::open(self, mount, paths, head).await, rest);
        }
        let answered = match route {
            Route::Preflight(methods) if admission::configured(&self.config, &head.headers).is_some() => {
                let mut answered = answer::empty(StatusCode::NO_CONTENT);
                cors::preflight(answered.headers_mut(), methods.preflight(), &head.headers);
                answered
            }
            // Before authentication: a 401 to the GET with which clients look for a stream would start a needless search
            // for an authorization server (protocol checklist §2.1).
            Route::Preflight(Methods::Post) | Route::NotPost => {
                answer::allowing(answer::reply(chorus_mcp::method_not_allowed()), "POST")
            }
            // A client that tries the newer transport first goes on with a GET after this, unless a JSON-RPC error stands
            // in it (protocol checklist §4).
            Route::Preflight(Methods::Get) | Route::SseNotGet => {
                answer::allowing(answer::error(StatusCode::METHOD_NOT_ALLOWED, "Open a stream here with GET."), "GET")
            }
            Route::Health => health::check(&self.services, limits).await,
            Route::Metrics => self.metrics(),
            Route::NotGet => answer::allowing(
                answer::error(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD are served here."),
                "GET, HEAD",
            ),
            Route::Message(_) | Route::SseMessage(_) | Route::SseStream(_) | Route::Unknown => answer::not_found(),
        };
        door::ending(answered, rest)
    }
}

/// Where clients look for an authorization server: a page there would be taken for one (protocol checklist §18.1).
fn is_looked_for_by_programs(path: &str) -> bool {
    path.contains("/.well-known/") || ["/register", "/authorize", "/token"].contains(&path)
}

impl<B> Service<Request<B>> for App
where
    B: Body<Data: Send, Error: Send> + Send + 'static,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Answer, Infallible>>;

    fn call(&self, request: Request<B>) -> Self::Future {
        let app = self.clone();
        Box::pin(async move { Ok(app.handle(request).await) })
    }
}
