//! What a change of access does to people, shown before it is confirmed (visibility specification §6.5).

use std::collections::BTreeMap;

use chorus_app::leaving::Released;
use chorus_domain::membership::Person;
use chorus_ids::{ProjectId, UserId};
use chorus_visibility::{ProjectImpact, Summary};
use serde_json::Value as Json;

/// What a change does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Impact {
    /// `opened`, `closed` or `unchanged`: whether the whole company gets or loses access.
    pub(crate) company: String,
    pub(crate) gained: u64,
    pub(crate) lost: u64,
    pub(crate) raised: u64,
    pub(crate) lowered: u64,
    /// Unfinished work that is free again.
    pub(crate) tasks: u64,
    pub(crate) ideas: u64,
    /// Sessions that leave a task.
    pub(crate) checkins: u64,
    /// Who is affected, in each project.
    pub(crate) projects: Vec<Affected>,
    /// Confirms exactly this; blank for what needs no confirmation.
    pub(crate) token: String,
}

/// What happens in one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Affected {
    pub(crate) name: String,
    /// The words of its visibility before and after.
    pub(crate) visibility: (String, String),
    pub(crate) changes: Vec<RoleLine>,
}

/// One person's level before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleLine {
    /// Blank where names are not told.
    pub(crate) name: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Impact {
    /// Of the preview that a tool answered, of one project or of a group.
    pub(crate) fn of(preview: &Json) -> Self {
        let (summary, released) = (&preview["summary"], &preview["released"]);
        let count = |of: &Json, key: &str| of.get(key).and_then(Json::as_u64).unwrap_or_default();
        let projects = match preview.get("projects").and_then(Json::as_array) {
            Some(projects) => projects.iter().map(Affected::of).filter(Affected::is_affected).collect(),
            None => vec![Affected::of(preview)],
        };
        Self {
            company: text(preview, "companyAccess"),
            gained: count(summary, "gainedAccessCount"),
            lost: count(summary, "lostAccessCount"),
            raised: count(summary, "increasedPermissionsCount"),
            lowered: count(summary, "decreasedPermissionsCount"),
            tasks: count(released, "tasks"),
            ideas: count(released, "ideas"),
            checkins: count(released, "checkins"),
            projects,
            token: text(preview, "confirmationToken"),
        }
    }

    /// Of a change of a membership, in one project or several, whose names are given.
    pub(crate) fn of_members(
        impacts: &[ProjectImpact],
        released: Released,
        names: &BTreeMap<ProjectId, String>,
        people: &BTreeMap<UserId, Person>,
    ) -> Self {
        let summary = Summary::of(impacts);
        let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let affected = |impact: &ProjectImpact| Affected {
            name: names.get(&impact.project).cloned().unwrap_or_default(),
            visibility: (impact.from.as_str().to_owned(), impact.to.as_str().to_owned()),
            changes: impact
                .changes
                .iter()
                .map(|change| RoleLine {
                    name: people.get(&change.user).map(|person| person.name.clone()).unwrap_or_default(),
                    before: change.before.as_str().to_owned(),
                    after: change.after.as_str().to_owned(),
                })
                .collect(),
        };
        Self {
            company: "unchanged".to_owned(),
            gained: wide(summary.gained_access),
            lost: wide(summary.lost_access),
            raised: wide(summary.increased),
            lowered: wide(summary.decreased),
            tasks: wide(released.tasks),
            ideas: wide(released.ideas),
            checkins: wide(released.checkins),
            projects: impacts.iter().filter(|impact| impact.is_affected()).map(affected).collect(),
            token: String::new(),
        }
    }

    /// Whether anybody's access changes.
    pub(crate) fn touches_anybody(&self) -> bool {
        self.gained + self.lost + self.raised + self.lowered > 0
    }
}

impl Affected {
    fn of(preview: &Json) -> Self {
        let line = |change: &Json| RoleLine {
            name: text(change, "name"),
            before: text(change, "beforeRole"),
            after: text(change, "afterRole"),
        };
        let changes = preview.get("changes").and_then(Json::as_array);
        Self {
            name: text(preview, "name"),
            visibility: (text(preview, "fromVisibility"), text(preview, "visibility")),
            changes: changes.into_iter().flatten().map(line).collect(),
        }
    }

    fn is_affected(&self) -> bool {
        !self.changes.is_empty() || self.visibility.0 != self.visibility.1
    }
}

/// The text at a key; blank where there is none.
pub(crate) fn text(value: &Json, key: &str) -> String {
    value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_preview_is_read_whether_it_is_of_a_project_or_a_group() {
        let change = json!({ "userUuid": "x", "name": "Ann", "beforeRole": "editor", "afterRole": "none" });
        let project = json!({
            "name": "Compiler", "fromVisibility": "public", "visibility": "private", "changes": [change],
            "companyAccess": "closed", "confirmationToken": "t",
            "summary": { "lostAccessCount": 1, "gainedAccessCount": 0 }, "released": { "tasks": 3, "ideas": 0 }
        });
        let one = Impact::of(&project);
        assert_eq!((one.lost, one.tasks, one.company.as_str(), one.token.as_str()), (1, 3, "closed", "t"));
        assert_eq!(one.projects[0].changes[0].name, "Ann");
        assert!(one.touches_anybody());
        let same = json!({ "name": "Other", "fromVisibility": "private", "visibility": "private", "changes": [] });
        let group = Impact::of(&json!({ "projects": [project, same], "summary": {}, "released": {} }));
        assert_eq!(group.projects.iter().map(|project| project.name.as_str()).collect::<Vec<_>>(), ["Compiler"]);
        assert!(!group.touches_anybody());
    }
}
