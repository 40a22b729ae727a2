//! Edits of an idea: title, text, parent and theme flag (lifecycle specification §2.2 and §2.4).

use std::collections::BTreeMap;

use chorus_ids::{IdeaId, ProjectId, Timestamp};
use chorus_lifecycle::idea::{ParentError, check_parent};
use serde_json::json;

use super::Idea;
use crate::{
    Code, Refusal,
    notification::quoted,
    refusal::Problem,
    text::{self, Use},
    version,
};

/// What an edit names. What it does not name stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdeaEdit {
    /// Another title.
    pub title: Option<String>,
    /// Another text; a blank one clears it.
    pub content: Option<String>,
    /// Another parent, or none.
    pub parent: Option<Option<IdeaId>>,
    /// Whether it is a theme.
    pub is_container: Option<bool>,
    /// The version that the caller saw.
    pub expected_version: Option<i32>,
}

/// An idea on the way from another up to its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// The idea.
    pub id: IdeaId,
    /// What it is called.
    pub title: String,
    /// The idea above it.
    pub parent: Option<IdeaId>,
}

/// Where the parent that an edit names stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewParent {
    /// Its project.
    pub project: Option<ProjectId>,
    /// It and everything above it, in no order.
    pub line: Vec<Ancestor>,
}

/// An idea after an edit, and what really changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The idea as it is now; the one before, to the version, if nothing changed.
    pub idea: Idea,
    /// Those of `title` and `content` that changed.
    pub changed_fields: Vec<&'static str>,
    /// The parents before and after, if they differ.
    pub reparented: Option<(Option<IdeaId>, Option<IdeaId>)>,
}

/// Edits an idea in whatever state it is; its status stays. `parent` is where the parent that the edit names stands.
///
/// # Errors
/// `invalid_arguments` for an edit that names nothing, for texts that can't be stored, for a parent that is the idea
/// itself or lies in another project; `precondition_failed` for a version that is not the current one; `cycle` with the
/// path for a parent that is below the idea.
pub fn edit(idea: &Idea, edit: IdeaEdit, parent: Option<&NewParent>, now: Timestamp) -> Result<Edited, Refusal> {
    let IdeaEdit { title, content, parent: to, is_container, expected_version } = edit;
    if title.is_none() && content.is_none() && to.is_none() && is_container.is_none() {
        return Err(Refusal::invalid(
            "ideaUuid",
            "is all that was given; name what to change: `title`, `content`, `parentUuid` or `isContainer`",
        ));
    }
    let mut problems: Vec<Problem> = [
        title.as_deref().map(|title| text::check("title", title, Use::Title)),
        content.as_deref().map(|content| text::check("content", content, Use::Body)),
    ]
    .into_iter()
    .flatten()
    .filter_map(Result::err)
    .collect();
    let lineage = match (to, parent) {
        (Some(Some(to)), Some(parent)) => check_parent(idea.id, to, parent.line.iter().map(|ancestor| ancestor.id)),
        (Some(Some(_) | None) | None, _) => Ok(()),
    };
    if lineage == Err(ParentError::Itself) {
        problems.push(Problem::new("parentUuid", "is the idea itself; name another idea, or null to detach it"));
    } else if parent.is_some_and(|parent| parent.project != Some(idea.project)) {
        problems.push(Problem::new(
            "parentUuid",
            "is an idea of another project; both must be in one project (chorus_get_ideas lists its ideas)",
        ));
    }
    Refusal::unless_fine(problems)?;
    version::require("idea", "chorus_get_idea", idea.version, expected_version)?;
    if let (Err(ParentError::Descendant), Some(parent)) = (lineage, parent) {
        return Err(circle(idea, to.flatten(), &parent.line));
    }

    let mut after = idea.clone();
    after.title = title.unwrap_or(after.title);
    after.content = content.map_or(after.content, |content| text::present(Some(content)));
    after.parent = to.unwrap_or(after.parent);
    after.is_container = is_container.unwrap_or(after.is_container);
    let changed_fields = [("title", after.title != idea.title), ("content", after.content != idea.content)]
        .into_iter()
        .filter_map(|(field, changed)| changed.then_some(field))
        .collect();
    let reparented = (after.parent != idea.parent).then_some((idea.parent, after.parent));
    if after != *idea {
        after.version = idea.version.saturating_add(1);
        after.updated_at = now;
    }
    Ok(Edited { idea: after, changed_fields, reparented })
}

/// The refusal of a parent that is below the idea, with the path from the idea up to itself.
fn circle(idea: &Idea, to: Option<IdeaId>, line: &[Ancestor]) -> Refusal {
    let known: BTreeMap<IdeaId, &Ancestor> = line.iter().map(|ancestor| (ancestor.id, ancestor)).collect();
    let mut path = vec![(idea.id, idea.title.as_str())];
    let mut at = to;
    // Stored parents may go round in a circle of their own: no path is longer than what there is.
    while let Some(ancestor) = at.and_then(|id| known.get(&id)).filter(|_| path.len() <= known.len()) {
        path.push((ancestor.id, ancestor.title.as_str()));
        at = ancestor.parent.filter(|_| ancestor.id != idea.id);
    }
    let shown: Vec<String> = path.iter().map(|(_, title)| quoted(title)).collect();
    let shown = match shown.as_slice() {
        [first, second, .., last] if shown.len() > MOST_SHOWN => format!("{first} -> {second} -> ... -> {last}"),
        all => all.join(" -> "),
    };
    let text = format!(
        "An idea can't be below itself: {shown}. Name a parent that is not below it, or give that one another parent \
         first."
    );
    let path: Vec<_> = path.iter().map(|(id, title)| json!({ "uuid": id, "title": title })).collect();
    Refusal::new(Code::Cycle, text).with(json!({ "path": path }))
}

/// Most ideas of a path that the sentence names; the details have all of them.
const MOST_SHOWN: usize = 6;

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::idea::fixtures::{LATER, idea};

    fn id(id: u128) -> IdeaId {
        IdeaId::from_u128(id)
    }

    fn above(own: u128, parent: Option<u128>) -> Ancestor {
        Ancestor { id: id(own), title: format!("Idea {own}"), parent: parent.map(id) }
    }

    fn line(line: Vec<Ancestor>) -> NewParent {
        NewParent { project: Some(idea().project), line }
    }

    fn under(to: u128) -> IdeaEdit {
        IdeaEdit { parent: Some(Some(id(to))), ..IdeaEdit::default() }
    }

    fn fields(refusal: &Refusal) -> Vec<String> {
        let problems = refusal.details.as_ref().unwrap()["problems"].as_array().unwrap().iter();
        problems.map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn an_edit_changes_what_it_names_and_never_the_status() {
        let before = Idea { content: Some("Old".into()), ..idea() };
        let titled = IdeaEdit { title: Some("New".into()), ..IdeaEdit::default() };
        let edited = edit(&before, titled, None, LATER).unwrap();
        let expected = Idea { title: "New".into(), version: 3, updated_at: LATER, ..before.clone() };
        assert_eq!(edited, Edited { idea: expected, changed_fields: vec!["title"], reparented: None });
        let cleared = IdeaEdit { content: Some(" \n".into()), is_container: Some(true), ..IdeaEdit::default() };
        let edited = edit(&before, cleared, None, LATER).unwrap();
        assert_eq!((edited.idea.content, edited.idea.is_container), (None, true));
        assert_eq!(edited.changed_fields, ["content"]);
        // A flag alone is a change without a field to tell of.
        let flagged = IdeaEdit { is_container: Some(true), ..IdeaEdit::default() };
        let edited = edit(&before, flagged, None, LATER).unwrap();
        assert_eq!((edited.idea.version, edited.changed_fields.len()), (3, 0));
    }

    #[test]
    fn an_edit_that_changes_nothing_leaves_the_version() {
        let same = IdeaEdit {
            title: Some(idea().title),
            content: Some(String::new()),
            parent: Some(None),
            is_container: Some(false),
            expected_version: Some(2),
        };
        let edited = edit(&idea(), same, None, LATER).unwrap();
        assert_eq!(edited, Edited { idea: idea(), changed_fields: vec![], reparented: None });
    }

    #[test]
    fn what_an_edit_can_t_do_is_told_at_once() {
        assert_eq!(fields(&edit(&idea(), IdeaEdit::default(), None, LATER).unwrap_err()), ["ideaUuid"]);
        let only_version = IdeaEdit { expected_version: Some(2), ..IdeaEdit::default() };
        assert_eq!(fields(&edit(&idea(), only_version, None, LATER).unwrap_err()), ["ideaUuid"]);
        let wrong =
            IdeaEdit { title: Some(" ".into()), content: Some("\0".into()), expected_version: Some(9), ..under(100) };
        let itself = line(vec![above(100, None)]);
        assert_eq!(
            fields(&edit(&idea(), wrong, Some(&itself), LATER).unwrap_err()),
            ["title", "content", "parentUuid"]
        );
        let elsewhere = NewParent { project: Some(ProjectId::from_u128(99)), line: vec![] };
        assert_eq!(fields(&edit(&idea(), under(7), Some(&elsewhere), LATER).unwrap_err()), ["parentUuid"]);
    }

    #[test]
    fn a_stale_version_is_refused_with_the_current_one() {
        let stale = IdeaEdit { title: Some("x".into()), expected_version: Some(1), ..IdeaEdit::default() };
        let refused = edit(&idea(), stale, None, LATER).unwrap_err();
        let details = json!({ "currentVersion": 2, "expectedVersion": 1 });
        assert_eq!((refused.code, refused.details), (Code::PreconditionFailed, Some(details)));
    }

    #[test]
    fn parents_change_and_go() {
        let free = line(vec![above(8, None), above(7, Some(8))]);
        let edited = edit(&idea(), under(7), Some(&free), LATER).unwrap();
        assert_eq!((edited.idea.parent, edited.reparented), (Some(id(7)), Some((None, Some(id(7))))));
        assert!(edited.changed_fields.is_empty());
        let child = edited.idea;
        let detached = edit(&child, IdeaEdit { parent: Some(None), ..IdeaEdit::default() }, None, LATER).unwrap();
        assert_eq!((detached.idea.parent, detached.reparented), (None, Some((Some(id(7)), None))));
    }

    #[test]
    fn a_parent_below_the_idea_is_refused_with_the_path() {
        // 7 is below 8, which is below the idea.
        let below = line(vec![above(100, Some(1)), above(1, None), above(8, Some(100)), above(7, Some(8))]);
        let refused = edit(&idea(), under(7), Some(&below), LATER).unwrap_err();
        assert_eq!(refused.code, Code::Cycle);
        let path: Vec<_> = refused.details.as_ref().unwrap()["path"].as_array().unwrap().clone();
        let ids: Vec<_> = path.iter().map(|step| step["uuid"].clone()).collect();
        assert_eq!(ids, [id(100), id(7), id(8), id(100)].map(|id| json!(id)));
        assert!(refused.text.contains("\"A thought\" -> \"Idea 7\" -> \"Idea 8\" -> \"Idea 100\""), "{}", refused.text);
    }

    #[test]
    fn stored_parents_that_go_round_end() {
        let round = line(vec![above(7, Some(8)), above(8, Some(7))]);
        assert!(edit(&idea(), under(7), Some(&round), LATER).is_ok());
    }
}
