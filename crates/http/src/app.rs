//! The application as a service.

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use chorus_app::Services;
use chorus_auth::Authenticator;
use chorus_dispatch::{Library, Surface};
use chorus_mcp::ServerInfo;
use futures_util::{FutureExt as _, future::BoxFuture};
use http::{HeaderName, HeaderValue, Request, StatusCode, header, request::Parts};
use hyper::{body::Body, service::Service};
use tracing::Instrument as _;

use crate::{Answer, Config, admission, answer, body, cors, endpoint, health, route::Route};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A tool surface on a path.
#[derive(Clone)]
pub struct Mount {
    pub(crate) path: &'static str,
    pub(crate) surface: Arc<Surface>,
    pub(crate) library: Option<Arc<dyn Library>>,
    pub(crate) info: ServerInfo,
}

impl Mount {
    /// `surface` as the MCP endpoint at `path`, which begins with a slash and does not end with one. Clients are told
    /// `info` about it.
    pub fn new(path: &'static str, surface: Arc<Surface>, info: ServerInfo) -> Self {
        Self { path, surface, library: None, info }
    }

    /// The same with resources, prompts and completion, which clients are told of.
    #[must_use]
    pub fn with_library(mut self, library: Arc<dyn Library>) -> Self {
        self.info.offer.resources = true;
        self.info.offer.prompts = true;
        self.info.offer.completions = true;
        self.library = Some(library);
        self
    }
}

/// The application: a service that answers requests. Clones share everything.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    services: Services,
    authenticator: Authenticator,
    mounts: Vec<Mount>,
    config: Config,
}

impl App {
    /// An application with these mounts.
    pub fn new(services: Services, mounts: impl IntoIterator<Item = Mount>, config: Config) -> Self {
        let authenticator = Authenticator::new(services.clone(), config.unscoped);
        Self(Arc::new(Inner { services, authenticator, mounts: mounts.into_iter().collect(), config }))
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
        let route = Route::find(inner.mounts.iter().map(|mount| mount.path), &head.method, head.uri.path());
        let span = tracing::info_span!("request", id, route = route.name());
        let answered = async {
            let started = Instant::now();
            let answered = AssertUnwindSafe(inner.answer(&head, route, body)).catch_unwind().await;
            let answered = answered.unwrap_or_else(|_| {
                tracing::error!("answering a request panicked");
                answer::closing(answer::internal())
            });
            let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::debug!(status = answered.status().as_u16(), millis, "answered");
            answered
        };
        let mut answered = answered.instrument(span).await;
        let headers = answered.headers_mut();
        // INVARIANT: a UUID is visible ASCII.
        headers.insert(REQUEST_ID, HeaderValue::try_from(id).expect("a UUID is a header value"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if !inner.config.origins.is_empty() {
            headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(origin) = admission::configured(&inner.config, &head.headers) {
            cors::expose(&mut answered, origin);
        }
        answered
    }
}

impl Inner {
    /// The order of checks: host and origin, route and method, credential, body (README decision 21).
    async fn answer<B>(&self, head: &Parts, route: Route, body: B) -> Answer
    where
        B: Body<Data: Send> + Send + 'static,
    {
        let limits = &self.config.limits;
        if let Err(stranger) = admission::admit(&self.config, &head.uri, &head.headers) {
            let rest = body::discard(body, &head.headers, limits).await;
            return endpoint::ending(answer::error(StatusCode::FORBIDDEN, stranger.text()), rest);
        }
        let mount = match route {
            Route::Message(index) => self.mounts.get(index),
            Route::Preflight | Route::NotPost | Route::Health | Route::NotGet | Route::Unknown => None,
        };
        if let Some(mount) = mount {
            return endpoint::post(&self.services, &self.authenticator, mount, limits, head, body).await;
        }
        let rest = body::discard(body, &head.headers, limits).await;
        let answered = match route {
            Route::Preflight if admission::configured(&self.config, &head.headers).is_some() => {
                let mut answered = answer::empty(StatusCode::NO_CONTENT);
                cors::preflight(answered.headers_mut(), "POST, OPTIONS");
                answered
            }
            // Before authentication: a 401 to the GET with which clients look for a stream would start a needless search
            // for an authorization server (protocol checklist §2.1).
            Route::Preflight | Route::NotPost => {
                answer::allowing(answer::reply(chorus_mcp::method_not_allowed()), "POST")
            }
            Route::Health => health::check(&self.services, limits).await,
            Route::NotGet => answer::allowing(
                answer::error(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD are served here."),
                "GET, HEAD",
            ),
            Route::Message(_) | Route::Unknown => answer::not_found(),
        };
        endpoint::ending(answered, rest)
    }
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
