//! References: links to evidence outside (lifecycle specification §12). Nothing behind a link is ever fetched.

use chorus_ids::{CompanyId, ReferenceId, Timestamp, Uuid};
use chorus_lifecycle::reference::ReferenceType;

use crate::{
    Kind, Party, Refusal,
    origin::Origin,
    refusal::{Problem, Reason},
    text::{self, Use},
};

/// Longest link, in characters.
pub const MAX_URL: usize = 2_048;

/// Longest note, in characters: it is shown wherever the reference is.
pub const MAX_NOTES: usize = 2_000;

/// A link to evidence, attached to an idea, proposal or task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its id.
    pub id: ReferenceId,
    /// Its tenant.
    pub company: CompanyId,
    /// What kind of thing it is attached to.
    pub target: Kind,
    /// Which one.
    pub target_id: Uuid,
    /// What it leads to.
    pub kind: ReferenceType,
    /// The link, `http` or `https`.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// Why it matters, as it was given.
    pub notes: Option<String>,
    /// Who attached it.
    pub created_by: Party,
    /// When it was attached.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A reference as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceForm {
    /// What it leads to.
    pub kind: ReferenceType,
    /// The link.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// Why it matters.
    pub notes: Option<String>,
}

impl ReferenceForm {
    fn problems(&self) -> Vec<Problem> {
        [check_url(&self.url), text::check("title", &self.title, Use::Title), check_notes(self.notes.as_deref())]
            .into_iter()
            .filter_map(Result::err)
            .collect()
    }
}

/// Attaches a reference to a thing.
///
/// # Errors
/// `invalid_arguments` with everything that is wrong with the link, the title and the notes.
pub fn create(
    id: ReferenceId,
    form: ReferenceForm,
    (target, target_id): (Kind, Uuid),
    origin: Origin,
) -> Result<Reference, Refusal> {
    Refusal::unless_fine(form.problems())?;
    Ok(made(id, form, (target, target_id), origin))
}

fn made(id: ReferenceId, form: ReferenceForm, (target, target_id): (Kind, Uuid), origin: Origin) -> Reference {
    Reference {
        id,
        company: origin.company,
        target,
        target_id,
        kind: form.kind,
        url: form.url.trim().to_owned(),
        title: form.title,
        notes: form.notes,
        created_by: origin.by,
        created_at: origin.now,
        updated_at: origin.now,
    }
}

/// A reference that was passed over because something is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its place in the list.
    pub index: usize,
    /// Its link, as given.
    pub url: String,
    /// Its title, as given.
    pub title: String,
    /// What is wrong with it.
    pub error: String,
}

/// Attaches those of several references that are fine to something new, and says what is wrong with the others: a bad
/// link must not keep an idea from being written down (lifecycle specification §12).
pub fn create_sound(
    forms: Vec<ReferenceForm>,
    target: (Kind, Uuid),
    origin: Origin,
    mut new_id: impl FnMut() -> ReferenceId,
) -> (Vec<Reference>, Vec<Skipped>) {
    let (mut sound, mut skipped) = (Vec::new(), Vec::new());
    for (index, form) in forms.into_iter().enumerate() {
        match form.problems().as_slice() {
            [] => sound.push(made(new_id(), form, target, origin)),
            problems => {
                let error = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                let error = format!("{error}. Attach it with chorus_add_reference once that is put right.");
                skipped.push(Skipped { index, url: form.url, title: form.title, error });
            }
        }
    }
    (sound, skipped)
}

/// What an edit of a reference names. What it does not name stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceEdit {
    /// Another kind.
    pub kind: Option<ReferenceType>,
    /// Another link.
    pub url: Option<String>,
    /// Another title.
    pub title: Option<String>,
    /// Other notes, or none.
    pub notes: Option<Option<String>>,
}

/// The reference with what an edit names.
///
/// # Errors
/// `invalid_arguments` for an edit that names nothing, and for what can't be stored.
pub fn edit(reference: &Reference, edit: ReferenceEdit, now: Timestamp) -> Result<Reference, Refusal> {
    let ReferenceEdit { kind, url, title, notes } = edit;
    if kind.is_none() && url.is_none() && title.is_none() && notes.is_none() {
        return Err(Refusal::invalid(
            "uuid",
            "is all that was given; name what to change: `type`, `url`, `title` or `notes`",
        ));
    }
    let problems = [
        url.as_deref().map(check_url),
        title.as_deref().map(|title| text::check("title", title, Use::Title)),
        notes.as_ref().map(|notes| check_notes(notes.as_deref())),
    ];
    Refusal::unless_fine(problems.into_iter().flatten().filter_map(Result::err).collect())?;
    let mut after = reference.clone();
    after.kind = kind.unwrap_or(after.kind);
    after.url = url.map_or(after.url, |url| url.trim().to_owned());
    after.title = title.unwrap_or(after.title);
    after.notes = notes.unwrap_or(after.notes);
    if after != *reference {
        after.updated_at = now;
    }
    Ok(after)
}

fn check_url(url: &str) -> Result<(), Problem> {
    let problem = |message: &str| Problem::new("url", message);
    let url = url.trim();
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    match rest {
        _ if url.chars().count() > MAX_URL => {
            Err(problem("is longer than 2,048 characters; give a shorter link").because(Reason::TooLong(MAX_URL)))
        }
        None => Err(problem("must be a link that begins with `http://` or `https://`").because(Reason::NoLink)),
        Some("") => Err(problem("names no host; give the whole link").because(Reason::NoLink)),
        Some(rest) if rest.chars().any(|c| c.is_whitespace() || c.is_control()) => {
            Err(problem("contains a blank or a control character; write it percent-encoded, such as `%20`"))
        }
        Some(_) => Ok(()),
    }
}

fn check_notes(notes: Option<&str>) -> Result<(), Problem> {
    let notes = notes.unwrap_or_default();
    text::check("notes", notes, Use::Body)?;
    if notes.chars().count() > MAX_NOTES {
        return Err(Problem::new(
            "notes",
            format_args!("has more than {MAX_NOTES} characters; one sentence is enough"),
        )
        .because(Reason::TooLong(MAX_NOTES)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::*;
    use crate::idea::fixtures::{LATER, NOW, idea, owner};

    fn form(url: &str, title: &str) -> ReferenceForm {
        ReferenceForm { kind: ReferenceType::Docs, url: url.into(), title: title.into(), notes: None }
    }

    fn origin() -> Origin {
        let host = idea();
        Origin { company: host.company, project: host.project, by: owner(), now: NOW }
    }

    fn attach(form: ReferenceForm) -> Result<Reference, Refusal> {
        create(ReferenceId::from_u128(1), form, (Kind::Idea, idea().id.uuid()), origin())
    }

    fn fields(refusal: &Refusal) -> Vec<String> {
        let problems = refusal.details.as_ref().unwrap()["problems"].as_array().unwrap().iter();
        problems.map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn links_are_of_the_web_in_any_letter_case() {
        for url in ["https://example.com", "HTTP://Example.com/a?b#c", " https://例え.jp/道 ", "http://[::1]:80/"] {
            assert_eq!(attach(form(url, "x")).map(|made| made.url), Ok(url.trim().to_owned()));
        }
        for url in
            ["", " ", "ftp://example.com", "javascript:alert(1)", "example.com", "https://", "https://a b", "http"]
        {
            assert_eq!(fields(&attach(form(url, "x")).unwrap_err()), ["url"], "{url}");
        }
        let longest = format!("https://{}", "x".repeat(MAX_URL - 8));
        assert!(attach(form(&longest, "x")).is_ok());
        assert!(attach(form(&format!("{longest}x"), "x")).is_err());
    }

    #[test]
    fn notes_are_kept_as_given_and_everything_wrong_is_told() {
        let made = attach(ReferenceForm { notes: Some("  why\n".into()), ..form("https://a.example", "A") }).unwrap();
        assert_eq!((made.notes.as_deref(), made.created_at, made.updated_at), (Some("  why\n"), NOW, NOW));
        let notes = Some("x".repeat(MAX_NOTES + 1));
        let refused = attach(ReferenceForm { notes, ..form("mailto:x", " ") }).unwrap_err();
        assert_eq!(fields(&refused), ["url", "title", "notes"]);
    }

    #[test]
    fn of_several_only_the_sound_ones_are_attached() {
        let forms = vec![form("nowhere", "One"), form("https://a.example", "Two"), form("https://b.example", " ")];
        let mut ids = 0;
        let (sound, skipped) = create_sound(forms, (Kind::Task, Uuid::from_u128(5)), origin(), || {
            ids += 1;
            ReferenceId::from_u128(ids)
        });
        assert_eq!(sound.iter().map(|made| made.title.as_str()).collect::<Vec<_>>(), ["Two"]);
        assert_eq!(skipped.iter().map(|skipped| skipped.index).collect::<Vec<_>>(), [0, 2]);
        assert!(skipped[0].error.starts_with("`url` must be a link"), "{}", skipped[0].error);
        assert_eq!((skipped[0].url.as_str(), skipped[0].title.as_str()), ("nowhere", "One"));
    }

    #[test]
    fn an_edit_changes_what_it_names() {
        let before = attach(ReferenceForm { notes: Some("why".into()), ..form("https://a.example", "A") }).unwrap();
        let titled =
            edit(&before, ReferenceEdit { title: Some("B".into()), ..ReferenceEdit::default() }, LATER).unwrap();
        assert_eq!(titled, Reference { title: "B".into(), updated_at: LATER, ..before.clone() });
        let cleared = edit(&before, ReferenceEdit { notes: Some(None), ..ReferenceEdit::default() }, LATER).unwrap();
        assert_eq!(cleared, Reference { notes: None, updated_at: LATER, ..before.clone() });
        let same = edit(&before, ReferenceEdit { title: Some("A".into()), ..ReferenceEdit::default() }, LATER);
        assert_eq!(same, Ok(before.clone()));
        let nothing = edit(&before, ReferenceEdit::default(), LATER).unwrap_err();
        assert!(nothing.text.contains("name what to change"), "{}", nothing.text);
        let url = Some("gopher://x".into());
        assert_eq!(
            fields(&edit(&before, ReferenceEdit { url, ..ReferenceEdit::default() }, LATER).unwrap_err()),
            ["url"]
        );
    }
}
