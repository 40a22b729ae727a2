//! Addresses of resources: `chorus://…`.

use std::fmt;

use chorus_domain::Kind;
use chorus_ids::{ProjectId, Uuid};

use crate::family::{FAMILIES, Family};

/// What every address begins with.
const SCHEME: &str = "chorus://";
/// Who the caller is.
const CONTEXT: &str = "context";
/// Where projects are.
const PROJECTS: &str = "projects/";

/// The address of a resource. It says nothing about whether there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Address {
    /// Who the caller is and what it may do where.
    Context,
    /// Something in a project, or the project itself.
    Thing { project: ProjectId, family: &'static Family, id: Uuid },
}

impl Address {
    /// The address that a text is, in exactly the form in which addresses are written; ids may have capitals.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(SCHEME)?;
        if path == CONTEXT {
            return Some(Self::Context);
        }
        let mut segments = path.strip_prefix(PROJECTS)?.split('/');
        let project: ProjectId = segments.next()?.parse().ok()?;
        let (family, id) = match (segments.next(), segments.next(), segments.next()) {
            (None, ..) => (Family::of(Kind::Project)?, project.uuid()),
            (Some(segment), Some(id), None) => {
                let family = FAMILIES.iter().find(|family| family.segment == Some(segment))?;
                // Any typed id reads an id in the one form that is accepted everywhere.
                (family, id.parse::<ProjectId>().ok()?.uuid())
            }
            (Some(_), ..) => return None,
        };
        Some(Self::Thing { project, family, id })
    }

    /// The address of something whose kind has addresses.
    pub(crate) fn of(project: ProjectId, kind: Kind, id: Uuid) -> Option<Self> {
        Family::of(kind).map(|family| Self::Thing { project, family, id })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context => write!(f, "{SCHEME}{CONTEXT}"),
            Self::Thing { project, family, id } => match family.segment {
                None => write!(f, "{SCHEME}{PROJECTS}{project}"),
                Some(segment) => write!(f, "{SCHEME}{PROJECTS}{project}/{segment}/{id}"),
            },
        }
    }
}

/// The pattern of the addresses of a family (RFC 6570).
pub(crate) fn template(family: &Family) -> String {
    match family.segment {
        None => format!("{SCHEME}{PROJECTS}{{{}}}", family.variable),
        Some(segment) => format!("{SCHEME}{PROJECTS}{{projectUuid}}/{segment}/{{{}}}", family.variable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "01920000-0000-7000-8000-00000000000a";
    const B: &str = "01920000-0000-7000-8000-00000000000b";

    #[test]
    fn an_address_is_read_as_it_is_written() {
        let inside = FAMILIES.iter().filter_map(|family| family.segment);
        let inside = inside.map(|segment| format!("chorus://projects/{A}/{segment}/{B}"));
        for uri in ["chorus://context".to_owned(), format!("chorus://projects/{A}")].into_iter().chain(inside) {
            assert_eq!(Address::parse(&uri).map(|address| address.to_string()), Some(uri));
        }
        let capitals = format!("chorus://projects/{}", A.to_uppercase());
        assert_eq!(
            Address::parse(&capitals).map(|address| address.to_string()),
            Some(format!("chorus://projects/{A}"))
        );
    }

    #[test]
    fn nothing_else_is_an_address() {
        for uri in [
            "",
            "chorus:",
            "chorus://",
            "chorus://context/",
            "CHORUS://context",
            "chorus://context?x",
            "chorus://projects",
            "chorus://projects/",
            "chorus://projects/x",
            &format!("chorus://projects/{A}/"),
            &format!("chorus://projects/{A}/tasks"),
            &format!("chorus://projects/{A}/tasks/"),
            &format!("chorus://projects/{A}/tasks/{B}/"),
            &format!("chorus://projects/{A}/tasks/{B}/x"),
            &format!("chorus://projects/{A}/sessions/{B}"),
            &format!("chorus://projects/{A}/../{B}"),
            &format!("chorus://projects/{A}/tasks/%30{}", &B[1..]),
            &format!("chorus://projects/{A}/tasks/{{{B}}}"),
            &format!("chorus://projects/{A}#x"),
            "file:///etc/passwd",
        ] {
            assert!(Address::parse(uri).is_none(), "{uri}");
        }
    }

    #[test]
    fn a_template_filled_in_is_an_address() {
        for family in &FAMILIES {
            let filled = template(family).replace("{projectUuid}", A).replace(&format!("{{{}}}", family.variable), B);
            assert!(
                matches!(Address::parse(&filled), Some(Address::Thing { family: found, .. }) if found.kind == family.kind)
            );
        }
    }
}
