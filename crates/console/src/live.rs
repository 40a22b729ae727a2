//! `GET /api/events`: what has changed, for pages that are open (surface specification §4).

use std::{collections::BTreeSet, pin::Pin, sync::Arc, time::Duration};

use chorus_auth::accounts::SignedIn;
use chorus_domain::{Kind, event::Event};
use chorus_http::Shown;
use chorus_ids::{GroupId, ProjectId};
use chorus_store::{Error, Feed, Heard, Result};
use chorus_visibility::{Restriction, scope};
use futures_util::{Stream, stream};
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::{console::Inner, desk::Desk, fault::Fault};

/// Most projects whose changes one stream tells.
const PROJECTS: u32 = 10_000;
/// How long a stream goes without looking whether its session still holds and what it may see.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Opens a stream for whoever is signed in.
///
/// INVARIANT (access): a change is told only to those who may see where it happened. When anything is said that may change
/// who sees what, that is looked up before another word is told; what changes outside of that is noticed within half a
/// minute.
pub(crate) async fn open(desk: &Desk) -> std::result::Result<Shown, Fault> {
    let signed = desk.person()?.clone();
    let console = Arc::clone(&desk.console);
    // First of all, so that nothing falls between what is looked up and what is heard.
    let feed = console.services.store.feed().await;
    let owner = signed.session.id.uuid();
    let mut watcher =
        Watcher { console, signed, feed, seen: BTreeSet::new(), look_again: Instant::now() + LOOK_AGAIN, over: false };
    watcher.look().await?;
    let begun = stream::once(async { ": connected\n\n".to_owned() });
    let events: Pin<Box<dyn Stream<Item = String> + Send>> =
        Box::pin(futures_util::StreamExt::chain(begun, stream::unfold(watcher, Watcher::next)));
    Ok(Shown::Events { owner, events })
}

struct Watcher {
    console: Arc<Inner>,
    signed: SignedIn,
    feed: Box<dyn Feed>,
    seen: BTreeSet<ProjectId>,
    look_again: Instant,
    over: bool,
}

impl Watcher {
    /// The next thing to tell; `None` at the end.
    async fn next(mut self) -> Option<(String, Self)> {
        loop {
            if self.over {
                return None;
            }
            tokio::select! {
                biased;
                () = sleep_until(self.look_again) => {
                    if let Some(told) = self.look_and_tell().await {
                        return Some((told, self));
                    }
                }
                heard = self.feed.next() => {
                    let told = match heard? {
                        Heard::Missed => self.look_and_tell().await.map(|told| told + &event("missed", "{}")),
                        Heard::Changes(events) => self.hear(&events).await,
                    };
                    if let Some(told) = told.filter(|told| !told.is_empty()) {
                        return Some((told, self));
                    }
                }
            }
        }
    }

    async fn hear(&mut self, events: &[Event]) -> Option<String> {
        let ours = |event: &&Event| event.company == self.signed.caller.company;
        let mut told = String::new();
        if events.iter().filter(ours).any(Event::concerns_access) {
            told = self.look_and_tell().await?;
        }
        for changed in events.iter().filter(|event| event.company == self.signed.caller.company) {
            if self.may_see(changed).await {
                let data = json!({
                    "entity": changed.entity.as_str(),
                    "uuid": changed.entity_id,
                    "project": changed.project,
                    "change": changed.change.as_str(),
                });
                told.push_str(&event("change", &data.to_string()));
            }
        }
        Some(told)
    }

    async fn may_see(&self, event: &Event) -> bool {
        match (event.project, event.entity) {
            (Some(project), _) => self.seen.contains(&project),
            (None, Kind::Group) => self.discovers(GroupId::from_uuid(event.entity_id)).await.unwrap_or(false),
            // Who is in a company, and which agents there are, is no secret in it.
            (None, Kind::User | Kind::Agent) => true,
            (None, _) => false,
        }
    }

    async fn discovers(&self, group: GroupId) -> Result<bool> {
        let mut reads = self.console.services.store.read().await?;
        let scope = scope(&self.signed.caller.principal, Restriction::Everything);
        Ok(reads.group(&scope, group).await?.is_some())
    }

    /// Looks up who this is and what they see now, and says if that is something else than before. `None` for what could
    /// not be looked up: nothing is told until it can.
    async fn look_and_tell(&mut self) -> Option<String> {
        let before = self.seen.clone();
        match self.look().await {
            Ok(()) if self.over => Some(event("signed-out", "{}")),
            Ok(()) if before == self.seen => Some(String::new()),
            Ok(()) => Some(event("access", "{}")),
            Err(error) => {
                tracing::debug!(%error, "what a page may be told can't be looked up; it is told nothing until it can");
                self.seen.clear();
                self.look_again = Instant::now() + Duration::from_secs(1);
                None
            }
        }
    }

    async fn look(&mut self) -> Result<()> {
        match self.console.accounts.check_again(&self.signed).await {
            Ok(Some(signed)) => self.signed = signed,
            Err(error) => return Err(Error::Unavailable(Box::new(error))),
            Ok(None) => {
                self.over = true;
                return Ok(());
            }
        }
        let mut reads = self.console.services.store.read().await?;
        let scope = scope(&self.signed.caller.principal, Restriction::Everything);
        self.seen = reads.all_visible_projects(&scope, PROJECTS).await?.into_iter().collect();
        self.look_again = Instant::now() + LOOK_AGAIN;
        Ok(())
    }
}

fn event(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
