//! What is said about something, and who can be mentioned in it.

use chorus_app::{comment, mention};
use chorus_domain::{Kind, Party};
use chorus_ids::{PageSize, ProjectId, Timestamp, Uuid};
use chorus_store::{Order, PageRequest, Start};
use chorus_visibility::Level;

use crate::{
    desk::{Desk, Reading},
    fault::Fault,
    html::Html,
    markdown,
    pages::names::{Names, party_text},
};

/// How many comments stand on a page.
const SHOWN: u32 = 50;
/// How many people and agents are offered for mentioning and for giving work to.
const OFFERED: u32 = 100;

/// A comment.
pub(crate) struct Said {
    pub(crate) id: Uuid,
    pub(crate) author: String,
    pub(crate) agent: bool,
    pub(crate) at: Timestamp,
    pub(crate) text: Html,
}

/// Somebody who can be mentioned, or given work.
pub(crate) struct Choice {
    pub(crate) name: String,
    pub(crate) party: Party,
}

impl Choice {
    /// The mention as it stands in a text.
    pub(crate) fn token(&self) -> String {
        let name = self.name.replace(['[', ']', '(', ')'], " ");
        format!("@[{}]({})", name.trim(), self.value())
    }

    /// Kind and id, as one choice says them.
    pub(crate) fn value(&self) -> String {
        party_text(self.party)
    }

    pub(crate) fn is_agent(&self) -> bool {
        matches!(self.party, Party::Agent(_))
    }
}

/// The comments on something.
pub(crate) struct Talk {
    /// What it is about, as the tools name it.
    pub(crate) kind: &'static str,
    pub(crate) id: Uuid,
    /// The path of the page that shows it.
    pub(crate) path: String,
    pub(crate) said: Vec<Said>,
    pub(crate) total: u64,
    /// The page of earlier comments, and that of later ones.
    pub(crate) earlier: Option<u32>,
    pub(crate) later: Option<u32>,
    pub(crate) people: Vec<Choice>,
}

impl Talk {
    /// Where a new comment is seen.
    pub(crate) fn next(&self) -> String {
        format!("{}#comments", self.path)
    }

    /// The newest comments, oldest of them first; `?comments=2` has the ones before.
    ///
    /// # Errors
    /// The database can't be reached.
    pub(crate) async fn load(
        desk: &Desk,
        reading: &mut Reading,
        (kind, id): (Kind, Uuid),
        (project, path): (ProjectId, &str),
    ) -> Result<Self, Fault> {
        let page: u32 = desk.query.get("comments").and_then(|page| page.parse().ok()).unwrap_or(1).clamp(1, 100_000);
        let (call, reads) = reading.parts();
        let wanted = PageRequest { start: Start::Page(page), size: PageSize::new(SHOWN).unwrap_or_default() };
        let found = comment::list(call, reads, (kind, id), Order::Newest, &wanted).await?;
        let people = match call.project(project)?.level {
            Level::Editor | Level::Admin => mention::around(call, reads, project, OFFERED).await?,
            Level::Viewer | Level::None => Vec::new(),
        };
        let names = Names::of(reading, found.rows.iter().map(|row| row.item.author).collect()).await?;
        let said = found.rows.iter().rev().map(|row| Said {
            id: row.item.id.uuid(),
            author: names.get(row.item.author),
            agent: matches!(row.item.author, Party::Agent(_)),
            at: row.item.created_at,
            text: markdown::render(&row.item.content),
        });
        Ok(Self {
            kind: kind.as_str(),
            id,
            path: path.to_owned(),
            said: said.collect(),
            total: found.total,
            earlier: found.more.then_some(page + 1),
            later: (page > 1).then(|| page - 1),
            people: people.into_iter().map(|found| Choice { name: found.name, party: found.party }).collect(),
        })
    }
}
