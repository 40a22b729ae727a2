//! One request of a person, with what is needed to answer it.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use chorus_app::{Books, Call, Context, Narrowing};
use chorus_auth::accounts::SignedIn;
use chorus_dispatch::{CallRequest, Halt, Selection};
use chorus_domain::{
    Code, Kind,
    access::{Demand, authorise},
};
use chorus_http::Peer;
use chorus_ids::{Id, Uuid};
use chorus_store::{Reads, Result as Stored};
use chorus_visibility::{Level, Need};
use http::request::Parts;
use serde_json::{Map, Value as Json};

use crate::{
    Language, Texts,
    console::Inner,
    cookies::{self, Name},
    fault::Fault,
    form::Form,
    frame::Theme,
    texts::Value,
};

/// One request.
pub(crate) struct Desk {
    pub(crate) console: Arc<Inner>,
    pub(crate) head: Parts,
    pub(crate) body: Bytes,
    /// Where it comes from.
    pub(crate) from: Peer,
    /// What stands in the places of the route's path.
    pub(crate) places: Vec<(String, String)>,
    /// The query.
    pub(crate) query: Form,
    pub(crate) texts: &'static Texts,
    pub(crate) theme: Theme,
    /// Who is signed in.
    pub(crate) signed: Option<SignedIn>,
}

/// A connection to read from, and the call as whose part everything is read.
pub(crate) struct Reading {
    pub(crate) call: Call,
    pub(crate) reads: Box<dyn Reads>,
    /// How many notifications the person has not read.
    pub(crate) unread: u64,
}

impl Reading {
    /// For a use case.
    pub(crate) fn parts(&mut self) -> (&Call, &mut dyn Reads) {
        (&self.call, self.reads.as_mut())
    }

    /// The person's level in the only project that the page is about.
    pub(crate) fn level(&self) -> Level {
        self.call.granted.projects().next().map_or(Level::None, |(_, project)| project.level)
    }
}

impl Desk {
    /// The language of a request, chosen or accepted.
    pub(crate) fn language(head: &Parts) -> Language {
        let chosen = cookies::read(&head.headers, Name::Language).and_then(|tag| Language::of_tag(&tag));
        chosen.unwrap_or_else(|| {
            let accepted = head.headers.get(http::header::ACCEPT_LANGUAGE).and_then(|line| line.to_str().ok());
            accepted.map_or_else(Language::default, Language::negotiate)
        })
    }

    /// Who is signed in.
    ///
    /// # Errors
    /// [`Fault::SignedOut`].
    pub(crate) fn person(&self) -> Result<&SignedIn, Fault> {
        self.signed.as_ref().ok_or(Fault::SignedOut)
    }

    /// The text of this key.
    pub(crate) fn say(&self, key: &'static str) -> Cow<'static, str> {
        self.texts.say(key, &[])
    }

    /// What stands above a refusal of this kind.
    pub(crate) fn refused(&self, code: Code) -> String {
        self.texts.say(&format!("refused-{}", code.as_str().replace('_', "-")), &[]).into_owned()
    }

    /// The text of this key with one value.
    pub(crate) fn say_with(&self, key: &str, name: &str, value: Value<'_>) -> String {
        self.texts.say(key, &[(name, value)]).into_owned()
    }

    /// An id that stands in the path.
    ///
    /// # Errors
    /// [`Fault::Missing`] for what is no id: there can be nothing of that name.
    pub(crate) fn id<T: Id>(&self, place: &str) -> Result<T, Fault> {
        Ok(T::from_uuid(self.uuid(place)?))
    }

    /// The same, of a kind that is not known yet.
    ///
    /// # Errors
    /// As [`Desk::id`].
    pub(crate) fn uuid(&self, place: &str) -> Result<Uuid, Fault> {
        let found = self.places.iter().find(|(name, _)| name == place);
        found.and_then(|(_, text)| text.parse().ok()).ok_or(Fault::Missing)
    }

    /// What was sent with a form.
    pub(crate) fn form(&self) -> Form {
        Form::read(&self.body)
    }

    /// Whether the console's script asks, which wants JSON, rather than a browser that shows what it gets.
    pub(crate) fn wants_json(&self) -> bool {
        let accept = self.head.headers.get(http::header::ACCEPT).and_then(|line| line.to_str().ok());
        accept.is_some_and(|accept| accept.starts_with("application/json"))
    }

    /// The path and query of the request.
    pub(crate) fn here(&self) -> &str {
        self.head.uri.path_and_query().map_or("/", |path| path.as_str())
    }

    /// Reads that are about no project in particular: what the person sees of all.
    ///
    /// # Errors
    /// Nobody is signed in, or the database can't be reached.
    pub(crate) async fn read(&self) -> Result<Reading, Fault> {
        self.read_at(&[]).await
    }

    /// Reads about one thing, once it is known that the person has this level where it is.
    ///
    /// # Errors
    /// [`Fault::Missing`] for what does not exist or is hidden, a refusal where the level is too low.
    pub(crate) async fn read_about(&self, kind: Kind, id: Uuid, need: Need) -> Result<Reading, Fault> {
        self.read_at(&[Demand { kind, id, need, inside: None }]).await
    }

    /// Reads about several things: each must be where the person has the level that it needs.
    ///
    /// # Errors
    /// As [`Desk::read_about`].
    pub(crate) async fn read_at(&self, demands: &[Demand]) -> Result<Reading, Fault> {
        let signed = self.person()?;
        let services = &self.console.services;
        let mut reads = services.store.read().await?;
        let principal = &signed.caller.principal;
        let things: Vec<(Kind, Uuid)> = demands.iter().map(|demand| (demand.kind, demand.id)).collect();
        let located = if things.is_empty() { Vec::new() } else { reads.directory().locate(principal, &things).await? };
        let granted = authorise(principal, demands, &located)?;
        let context = Context { books: Books::Shut, ..Context::default() };
        let (now, ids) = (services.clock.now(), services.ids.clone());
        let call = Call::new(signed.caller.clone(), granted, Narrowing::Nothing, now, context, ids);
        let unread = reads.unread(&call.scope, call.party()?, 0).await?.unread;
        Ok(Reading { call, reads, unread })
    }

    /// Calls a tool of the console's table as the person who is signed in.
    ///
    /// # Errors
    /// What the tool refuses.
    pub(crate) async fn call(&self, tool: &str, arguments: Map<String, Json>) -> Result<Json, Fault> {
        let request = CallRequest {
            caller: self.person()?.caller.clone(),
            narrowing: Narrowing::Nothing,
            selection: Selection::default(),
            tool: tool.to_owned(),
            arguments,
            context: Context::default(),
        };
        match self.console.surface.call(&self.console.services, request).await {
            Ok(reply) => Ok(reply.answer),
            Err(halt) => Err(stopped(halt)),
        }
    }
}

/// Why a tool did not answer.
fn stopped(halt: Halt) -> Fault {
    match halt {
        Halt::UnknownTool => Fault::Missing,
        Halt::Error(error) => error.into(),
    }
}

/// What a use case answered, or the fault that its error is.
pub(crate) fn found<T>(stored: Stored<T>) -> Result<T, Fault> {
    stored.map_err(Fault::from)
}
