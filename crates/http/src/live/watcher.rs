//! What the owner of a stream is told: changes of what it may see, and of what it may do.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chorus_app::Services;
use chorus_auth::{AuthError, Authenticator, Ticket};
use chorus_dispatch::{Library, Shown, Surface, Visitor};
use chorus_domain::{
    Caller, Kind,
    event::{Change, Event},
};
use chorus_ids::ProjectId;
use chorus_mcp::{Changed, Filter};
use chorus_store::{Error, Feed, Heard, Result};
use chorus_visibility::{Restriction, scope};
use tokio::time::{Instant, sleep_until};

use crate::{StreamLimits, narrowing::Asked};

/// Most projects whose coming and going is noticed.
const PROJECTS: u32 = 10_000;

/// Who watches, and with what.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) services: Services,
    pub(crate) authenticator: Authenticator,
    pub(crate) surface: Arc<Surface>,
    pub(crate) library: Option<Arc<dyn Library>>,
    pub(crate) ticket: Ticket,
    pub(crate) asked: Asked,
    pub(crate) limits: StreamLimits,
}

/// Hears what was committed and makes of it what one caller may be told.
///
/// INVARIANT (access): a change of a resource is told only after it was looked up that the caller may read it now. What
/// it may no longer read, and what is gone, is dropped without a word: the two look alike.
pub(crate) struct Watcher {
    watch: Watch,
    feed: Box<dyn Feed>,
    wants: Filter,
    caller: Caller,
    known: Known,
    subscribed: BTreeMap<String, Shown>,
    gathered: Gathered,
    look_again: Instant,
}

/// What the caller saw when it was last looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    tools: Vec<&'static str>,
    prompts: Vec<String>,
    projects: BTreeSet<ProjectId>,
}

/// What was heard and not yet told. Not larger than what is subscribed to.
#[derive(Default)]
struct Gathered {
    /// The caller's access may have changed.
    access: bool,
    /// What the caller is, or has access to, may be shown differently.
    caller: bool,
    /// Anything may have changed.
    missed: bool,
    resources: BTreeSet<String>,
    /// When to tell.
    due: Option<Instant>,
}

/// The stream has to end: its key no longer works, or the store is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Over;

impl Watcher {
    /// Watches for what the filter names from now on. The second value is what of it is granted: a resource that the
    /// caller may not read is not, exactly like one that does not exist.
    ///
    /// # Errors
    /// `Unavailable` when nobody can be asked; `Internal`.
    pub(crate) async fn open(watch: Watch, caller: Caller, filter: Filter) -> Result<(Self, Filter)> {
        // First of all, so that nothing falls between what is looked up and what is heard.
        let feed = watch.services.store.feed().await;
        let look_again = Instant::now() + watch.limits.look_again;
        let wants = Filter { resource_subscriptions: Vec::new(), tasks: Vec::new(), ..filter.clone() };
        let mut watcher = Self {
            watch,
            feed,
            wants,
            caller,
            known: Known::default(),
            subscribed: BTreeMap::new(),
            gathered: Gathered::default(),
            look_again,
        };
        // What was loaded to let the caller in is older than the feed.
        watcher.caller = watcher.check_again().await.map_err(|end| match end {
            End::Later(error) => error,
            End::Over => Error::Unavailable("the key stopped working meanwhile".into()),
        })?;
        watcher.known = watcher.look(&watcher.caller).await?;
        let mut granted = Vec::new();
        for uri in filter.resource_subscriptions {
            if !granted.contains(&uri) && granted.len() < watcher.watch.limits.subscriptions {
                granted.push(uri);
            }
        }
        let shown = watcher.shown(&granted).await?;
        watcher.subscribed = granted.iter().cloned().zip(shown).filter_map(|(uri, it)| Some((uri, it?))).collect();
        granted.retain(|uri| watcher.subscribed.contains_key(uri));
        let granted = Filter { resource_subscriptions: granted, ..watcher.wants.clone() };
        Ok((watcher, granted))
    }

    /// Whether a resource is watched from now on: not one that the caller may not read, nor one too many.
    ///
    /// # Errors
    /// `Unavailable` when nobody can be asked.
    pub(crate) async fn subscribe(&mut self, uri: String) -> Result<Subscribed> {
        if self.subscribed.contains_key(&uri) {
            return Ok(Subscribed::Yes);
        }
        let Some(Some(shown)) = self.shown(std::slice::from_ref(&uri)).await?.into_iter().next() else {
            return Ok(Subscribed::Missing);
        };
        if self.subscribed.len() >= self.watch.limits.subscriptions {
            return Ok(Subscribed::Full);
        }
        self.subscribed.insert(uri, shown);
        Ok(Subscribed::Yes)
    }

    /// A resource is no longer watched; one that was not is fine.
    pub(crate) fn unsubscribe(&mut self, uri: &str) {
        self.subscribed.remove(uri);
        self.gathered.resources.remove(uri);
    }

    /// Whether any resource is watched.
    pub(crate) fn is_subscribed(&self) -> bool {
        !self.subscribed.is_empty()
    }

    /// Waits until there may be something to tell. Nothing is lost when the wait is given up.
    ///
    /// # Errors
    /// [`Over`].
    pub(crate) async fn wait(&mut self) -> std::result::Result<(), Over> {
        loop {
            let due = self.gathered.due.map_or(self.look_again, |due| due.min(self.look_again));
            tokio::select! {
                biased;
                () = sleep_until(due) => return Ok(()),
                heard = self.feed.next() => match heard {
                    None => return Err(Over),
                    Some(Heard::Missed) => {
                        self.gathered.missed = true;
                        self.gather();
                    }
                    Some(Heard::Changes(events)) => events.iter().for_each(|event| self.hear(event)),
                },
            }
        }
    }

    fn gather(&mut self) {
        self.gathered.due.get_or_insert(Instant::now() + self.watch.limits.gather);
    }

    fn hear(&mut self, event: &Event) {
        if event.company != self.caller.company {
            return;
        }
        if self.may_change_access(event) {
            self.gathered.access = true;
            self.gathered.caller |= self.shows_in_caller(event);
            self.gather();
        }
        let thing = Shown::Thing(event.entity, event.entity_id);
        // A project shows how much is in it.
        let around = event.project.filter(|_| event.change != Change::Updated);
        let around = around.map(|project| Shown::Thing(Kind::Project, project.uuid()));
        let touched = |shown: &Shown| *shown == thing || Some(*shown) == around;
        let touched: Vec<&String> =
            self.subscribed.iter().filter(|(_, shown)| touched(shown)).map(|(uri, _)| uri).collect();
        if !touched.is_empty() {
            self.gathered.resources.extend(touched.into_iter().cloned());
            self.gather();
        }
    }

    /// Whether the caller may see or do something else after this.
    fn may_change_access(&self, event: &Event) -> bool {
        let id = event.entity_id;
        event.concerns_access()
            && (event.entity != Kind::Agent || id == self.caller.subject.uuid())
            && (event.entity != Kind::Key || id == self.watch.ticket.key.uuid())
    }

    /// Whether what the caller is told about itself says something else after this: its name and that of its owner, and
    /// the projects that it saw. Those that come and go are noticed by looking.
    fn shows_in_caller(&self, event: &Event) -> bool {
        let id = event.entity_id;
        event.entity == Kind::Agent
            || event.entity == Kind::User && self.caller.owner.is_some_and(|owner| owner.uuid() == id)
            || event.entity == Kind::Project && self.known.projects.contains(&ProjectId::from_uuid(id))
    }

    /// What there is to tell, looked up now. If nobody can be asked, it is told later.
    ///
    /// # Errors
    /// [`Over`].
    pub(crate) async fn settle(&mut self) -> std::result::Result<Vec<Changed>, Over> {
        let gathered = std::mem::take(&mut self.gathered);
        match self.tell(&gathered).await {
            Ok(news) => Ok(news),
            Err(End::Over) => Err(Over),
            Err(End::Later(error)) => {
                tracing::debug!(%error, "what a stream is to be told can't be looked up; trying again");
                self.gathered = gathered;
                let later = Instant::now() + std::time::Duration::from_secs(1);
                self.gathered.due = Some(later);
                self.look_again = later;
                Ok(Vec::new())
            }
        }
    }

    async fn tell(&mut self, gathered: &Gathered) -> std::result::Result<Vec<Changed>, End> {
        let mut news = Vec::new();
        let (mut caller_changed, mut caller, mut known) = (gathered.caller, None, None);
        if gathered.access || gathered.missed || Instant::now() >= self.look_again {
            let now = self.check_again().await?;
            let sees = self.look(&now).await?;
            caller_changed |= now != self.caller || sees.projects != self.known.projects;
            for (wanted, changed, what) in [
                (self.wants.tools_list_changed, sees.tools != self.known.tools, Changed::Tools),
                (self.wants.prompts_list_changed, sees.prompts != self.known.prompts, Changed::Prompts),
                (self.wants.resources_list_changed, sees.projects != self.known.projects, Changed::Resources),
            ] {
                if wanted && changed {
                    news.push(what);
                }
            }
            (caller, known) = (Some(now), Some(sees));
        }
        let touched: Vec<String> = self
            .subscribed
            .iter()
            .filter(|(uri, shown)| {
                gathered.missed || gathered.resources.contains(*uri) || **shown == Shown::Caller && caller_changed
            })
            .map(|(uri, _)| uri.clone())
            .collect();
        let shown = self.shown_to(caller.as_ref().unwrap_or(&self.caller), &touched).await?;
        // From here on nothing fails, so that what was looked up and what is known stay together.
        for (uri, shown) in touched.into_iter().zip(shown) {
            match shown {
                Some(shown) => {
                    self.subscribed.insert(uri.clone(), shown);
                    news.push(Changed::Resource(uri));
                }
                None => {
                    self.subscribed.remove(&uri);
                }
            }
        }
        if let (Some(caller), Some(known)) = (caller, known) {
            self.caller = caller;
            self.known = known;
            self.look_again = Instant::now() + self.watch.limits.look_again;
        }
        Ok(news)
    }

    async fn check_again(&self) -> std::result::Result<Caller, End> {
        self.watch.authenticator.check_again(&self.watch.ticket).await.map_err(|error| match error {
            AuthError::Unavailable(error) => End::Later(error),
            AuthError::Missing
            | AuthError::Malformed
            | AuthError::Unknown
            | AuthError::Revoked
            | AuthError::Expired
            | AuthError::Suspended
            | AuthError::Unscoped => End::Over,
        })
    }

    /// What a caller sees now.
    async fn look(&self, caller: &Caller) -> Result<Known> {
        let Watch { services, surface, library, asked, .. } = &self.watch;
        let mut reads = services.store.read().await?;
        let scope = scope(&caller.principal, Restriction::Everything);
        let projects = reads.all_visible_projects(&scope, PROJECTS).await?;
        let prompts = library.as_ref().map(|library| library.prompts(&self.visitor(caller))).unwrap_or_default();
        Ok(Known {
            tools: surface.listed(caller, &asked.selection).map(|tool| tool.row.name).collect(),
            prompts: prompts.into_iter().map(|prompt| prompt.name).collect(),
            projects: projects.into_iter().collect(),
        })
    }

    fn visitor(&self, caller: &Caller) -> Visitor {
        Visitor {
            services: self.watch.services.clone(),
            caller: caller.clone(),
            narrowing: self.watch.asked.narrowing.clone(),
            selection: self.watch.asked.selection.clone(),
        }
    }

    async fn shown(&self, uris: &[String]) -> Result<Vec<Option<Shown>>> {
        self.shown_to(&self.caller, uris).await
    }

    async fn shown_to(&self, caller: &Caller, uris: &[String]) -> Result<Vec<Option<Shown>>> {
        match &self.watch.library {
            Some(library) if !uris.is_empty() => library.shown(&self.visitor(caller), uris).await,
            Some(_) | None => Ok(vec![None; uris.len()]),
        }
    }
}

/// What came of a wish to be told about a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subscribed {
    /// It is.
    Yes,
    /// There is no such resource, as far as the caller may know.
    Missing,
    /// It would be one too many.
    Full,
}

/// Why there is nothing to tell.
enum End {
    /// The key no longer works.
    Over,
    /// Nobody can be asked just now.
    Later(Error),
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self::Later(error)
    }
}
