//! What stands around every page.

use std::borrow::Cow;

use chorus_ids::{ProjectId, Timestamp};
use chorus_visibility::{Level, Visibility};

use crate::{
    Language, Texts,
    assets::ASSETS,
    cookies::{self, Name},
    desk::{Desk, Reading},
    html::Html,
    markdown, moment,
    texts::Value,
};

/// How light a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }
}

/// The part of the console that a page belongs to, which is marked in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Home,
    Projects,
    Notifications,
    Agents,
    Settings,
    /// Pages that the navigation does not lead to.
    Elsewhere,
}

/// The part of a project that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Ideas,
    Proposals,
    Documents,
    Tasks,
    Sessions,
    Activity,
    Settings,
}

/// The project that a page is about.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub(crate) id: ProjectId,
    pub(crate) name: String,
    pub(crate) private: bool,
    pub(crate) level: Level,
    pub(crate) tab: Tab,
}

/// What stands around a page. Templates reach it as `f`.
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) theme: Theme,
    pub(crate) section: Section,
    pub(crate) project: Option<Around>,
    /// What is to be said once.
    pub(crate) notice: Option<String>,
    /// Who is signed in.
    pub(crate) person: Option<Person>,
    /// The path of the page, for forms that come back to it.
    pub(crate) here: String,
    texts: &'static Texts,
    form_key: String,
}

/// Who is signed in, as the frame shows it.
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) csrf: String,
    pub(crate) unread: u64,
}

impl Desk {
    /// The frame of a page for whoever is signed in.
    pub(crate) fn frame(&self, reading: &Reading, title: impl Into<String>, section: Section) -> Frame {
        let mut frame = self.bare_frame(title);
        frame.section = section;
        if let Some(person) = &mut frame.person {
            person.unread = reading.unread;
        }
        frame
    }

    /// The frame of a page about a project that the call named.
    pub(crate) fn project_frame(&self, reading: &Reading, title: impl Into<String>, tab: Tab) -> Frame {
        let mut frame = self.frame(reading, title, Section::Projects);
        frame.project = reading.call.granted.projects().next().map(|(id, project)| Around {
            id,
            name: project.name.clone(),
            private: project.visibility == Visibility::Private,
            level: project.level,
            tab,
        });
        frame
    }

    /// The frame of a page that stands alone: signing in, and what is said when something went wrong.
    pub(crate) fn bare_frame(&self, title: impl Into<String>) -> Frame {
        let services = &self.console.services;
        let notice = cookies::read(&self.head.headers, Name::Notice).filter(|key| key.starts_with("done-"));
        Frame {
            title: title.into(),
            theme: self.theme,
            section: Section::Elsewhere,
            project: None,
            notice: notice.filter(|key| self.texts.has(key)).map(|key| self.texts.say(&key, &[]).into_owned()),
            person: self.signed.as_ref().map(|signed| Person {
                name: signed.caller.name.clone(),
                csrf: signed.csrf.clone(),
                unread: 0,
            }),
            here: self.here().to_owned(),
            texts: self.texts,
            form_key: services.ids.uuid(services.clock.now()).to_string(),
        }
    }
}

impl Person {
    /// What stands for them where there is little room.
    pub(crate) fn initial(&self) -> String {
        self.name.chars().find(|letter| letter.is_alphanumeric()).unwrap_or('?').to_uppercase().collect()
    }
}

/// For templates.
impl Frame {
    /// The text of this key.
    pub(crate) fn t<'k>(&'k self, key: &'k str) -> Cow<'k, str> {
        self.texts.say(key, &[])
    }

    /// The text of this key for `count` things.
    pub(crate) fn tn(&self, key: &str, count: &u64) -> String {
        self.texts.say(key, &[("count", Value::Number(*count))]).into_owned()
    }

    /// The text of this key with a text in it.
    pub(crate) fn tv(&self, key: &str, name: &str, value: &str) -> String {
        self.texts.say(key, &[(name, Value::Text(value))]).into_owned()
    }

    /// The text of a word of a closed list, such as a status: of `task-status` and `to_verify` the key is
    /// `task-status-to-verify`.
    pub(crate) fn word(&self, list: &str, word: &str) -> String {
        self.texts.say(&format!("{list}-{}", word.replace('_', "-")), &[]).into_owned()
    }

    /// A number as the language writes it.
    pub(crate) fn number(&self, number: &u64) -> String {
        self.texts.number(*number)
    }

    /// A moment.
    pub(crate) fn time(&self, at: &Timestamp) -> Html {
        moment::element(self.texts.language(), *at)
    }

    /// Markdown as sanitised HTML.
    pub(crate) fn md(&self, text: &str) -> Html {
        markdown::render(text)
    }

    /// The tag of the language.
    pub(crate) fn lang(&self) -> &'static str {
        self.texts.language().tag()
    }

    pub(crate) fn languages(&self) -> [Language; 5] {
        Language::ALL
    }

    pub(crate) fn themes(&self) -> [Theme; 3] {
        Theme::ALL
    }

    pub(crate) fn style(&self) -> &'static str {
        &ASSETS.style.path
    }

    pub(crate) fn script(&self) -> &'static str {
        &ASSETS.script.path
    }

    pub(crate) fn icon(&self) -> &'static str {
        &ASSETS.icon.path
    }

    /// What proves that a form comes from a page of this session.
    pub(crate) fn csrf(&self) -> &str {
        self.person.as_ref().map_or("", |person| person.csrf.as_str())
    }

    /// The idempotency key of a form of this page: sent twice, it is done once.
    pub(crate) fn form_key(&self, form: &str) -> String {
        format!("{}.{form}", self.form_key)
    }

    /// Whether the page is in this section, by name.
    pub(crate) fn is_in(&self, section: &str) -> bool {
        let name = match self.section {
            Section::Home => "home",
            Section::Projects => "projects",
            Section::Notifications => "notifications",
            Section::Agents => "agents",
            Section::Settings => "settings",
            Section::Elsewhere => "",
        };
        name == section
    }

    /// Whether the page is under this tab of its project, by name.
    pub(crate) fn is_under(&self, tab: &str) -> bool {
        let name = self.project.as_ref().map(|around| match around.tab {
            Tab::Ideas => "ideas",
            Tab::Proposals => "proposals",
            Tab::Documents => "documents",
            Tab::Tasks => "tasks",
            Tab::Sessions => "sessions",
            Tab::Activity => "activity",
            Tab::Settings => "settings",
        });
        name == Some(tab)
    }

    /// Whether the person may write in the page's project.
    pub(crate) fn edits(&self) -> bool {
        self.project.as_ref().is_some_and(|around| around.level >= Level::Editor)
    }
}
