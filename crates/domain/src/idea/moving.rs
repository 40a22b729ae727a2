//! Moving an idea to another project, with all that follows it (lifecycle specification §2.5).

use chorus_ids::{ProjectId, Timestamp};

use super::Idea;
use crate::Refusal;

/// How much moves with an idea.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Following {
    /// Ideas, itself included.
    pub ideas: u64,
    /// Proposals of the old project that start from one of them.
    pub proposals: u64,
    /// Documents of those proposals.
    pub documents: u64,
    /// Tasks of those proposals.
    pub tasks: u64,
    /// Entries of the activity stream about any of these.
    pub activities: u64,
}

/// The idea in another project. Its parent stays behind, so it has none any more.
///
/// # Errors
/// `invalid_arguments` if it is there already.
pub fn relocate(idea: &Idea, to: ProjectId, now: Timestamp) -> Result<Idea, Refusal> {
    if idea.project == to {
        return Err(Refusal::invalid(
            "targetProjectUuid",
            "is the project that the idea is in already; name the one that it shall move to",
        ));
    }
    Ok(Idea { project: to, parent: None, version: idea.version + 1, updated_at: now, ..idea.clone() })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_ids::IdeaId;

    use super::{
        super::fixtures::{LATER, idea},
        *,
    };
    use crate::Code;

    #[test]
    fn a_moved_idea_leaves_its_parent_and_keeps_the_rest() {
        let child = Idea { parent: Some(IdeaId::from_u128(7)), ..idea() };
        let target = ProjectId::from_u128(99);
        let moved = relocate(&child, target, LATER).unwrap();
        assert_eq!(moved, Idea { project: target, version: child.version + 1, updated_at: LATER, ..idea() });
    }

    #[test]
    fn an_idea_does_not_move_to_where_it_is() {
        assert_eq!(relocate(&idea(), idea().project, LATER).unwrap_err().code, Code::InvalidArguments);
    }
}
