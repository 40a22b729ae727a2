//! Where the pages of things are.

use std::fmt::Display;

use chorus_domain::Kind;
use chorus_ids::ProjectId;

/// The page of a thing; nothing for kinds without one, and for what is in a project where that is not known.
pub(crate) fn to(kind: Kind, id: impl Display, project: Option<ProjectId>) -> Option<String> {
    let inside = |part: &str| project.map(|project| format!("/projects/{project}/{part}/{id}"));
    match kind {
        Kind::Project => Some(format!("/projects/{id}")),
        Kind::Group => Some(format!("/groups/{id}")),
        Kind::Agent => Some(format!("/agents/{id}")),
        Kind::Idea => inside("ideas"),
        Kind::Proposal => inside("proposals"),
        Kind::Document => inside("documents"),
        Kind::Task => inside("tasks"),
        Kind::Comment | Kind::Reference | Kind::Session | Kind::Notification | Kind::User | Kind::Key | Kind::Round => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use chorus_ids::ProjectId;

    use super::*;

    #[test]
    fn a_thing_in_a_project_has_its_page_there() {
        let project = Some(ProjectId::from_u128(1));
        assert_eq!(
            to(Kind::Task, "t", project).as_deref(),
            Some(&*format!("/projects/{}/tasks/t", ProjectId::from_u128(1)))
        );
        assert_eq!(to(Kind::Task, "t", None), None);
        assert_eq!(to(Kind::Group, "g", None).as_deref(), Some("/groups/g"));
        assert_eq!(to(Kind::Session, "s", project), None);
    }
}
