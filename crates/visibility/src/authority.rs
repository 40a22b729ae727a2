//! Who may change access (visibility specification §6.2 to §6.4).

use crate::change::crosses_private_boundary;
use crate::{
    ChildAccess, Denied, GroupAccess, Level, Need, Principal, ProjectFacts, RoleEffect, group_access, level, permits,
};

/// A change of access, as far as authority depends on it.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// Giving a project a visibility, or previewing that.
    ProjectVisibility(&'a ProjectFacts),
    /// Adding, changing or removing a member of a project.
    ProjectMembers(&'a ProjectFacts),
    /// Giving a group a visibility, or previewing that.
    GroupVisibility(&'a GroupAccess),
    /// Adding, changing or removing a member of a group.
    GroupMembers(&'a GroupAccess),
    /// Moving a project into a group or out of one, or previewing that.
    Move {
        /// The project, with the group that it is in.
        project: &'a ProjectFacts,
        /// The group to be in; `None` to be in none.
        target: Option<&'a GroupAccess>,
        /// What the move does to people; its plan says so.
        effect: RoleEffect,
    },
    /// Deleting a group, with its projects or without them.
    DeleteGroup {
        /// The group.
        group: &'a GroupAccess,
        /// Every project in it, those that the principal can't see included.
        children: &'a [ProjectFacts],
    },
}

/// Whether the principal may make the change. The facts are the principal's own; a preview asks the same question.
///
/// # Errors
/// [`Denied::Hidden`] if a thing that the operation names does not exist for the principal, before anything else;
/// [`Denied::Forbidden`] if they see everything but their role is too low.
pub fn authorise_change(principal: &Principal, operation: &Operation<'_>) -> Result<(), Denied> {
    let require = |facts: &ProjectFacts, need| permits(level(principal, facts), facts.visibility, need).granted();
    match *operation {
        Operation::ProjectVisibility(project) | Operation::ProjectMembers(project) => require(project, Need::Admin),
        Operation::GroupVisibility(group) | Operation::GroupMembers(group) => group.require_admin(),
        Operation::Move { project, target, effect } => {
            if target.is_some_and(|target| !target.visible) {
                return Err(Denied::Hidden);
            }
            require(project, Need::Manage)?;
            if project.group.map(|group| group.id) == target.map(|group| group.id) {
                return Ok(()); // Staying where it is changes nothing that would need more.
            }
            authorise_move(principal, project, target)?;
            match effect {
                RoleEffect::Kept => Ok(()),
                RoleEffect::Raised => require(project, Need::Admin),
            }
        }
        Operation::DeleteGroup { group, children } => {
            // The group first: somebody without authority over it must not learn from the kind of the refusal whether
            // it holds a project that is hidden from them.
            group.require_admin()?;
            let hidden = |facts: &ProjectFacts| level(principal, facts) == Level::None;
            if children.iter().any(hidden) {
                return Err(Denied::Hidden);
            }
            children.iter().try_for_each(|facts| require(facts, Need::Manage))
        }
    }
}

/// Both ends of a move that really changes the group, once both are known to be visible.
fn authorise_move(principal: &Principal, project: &ProjectFacts, target: Option<&GroupAccess>) -> Result<(), Denied> {
    let source = project.group.as_ref();
    let crosses = crosses_private_boundary(
        project.visibility,
        source.map(|group| group.visibility),
        target.map(|group| group.visibility),
    );
    if !crosses {
        return target.map_or(Ok(()), GroupAccess::require_create_project);
    }
    match source {
        Some(group) => group_access(principal, project.company, group, ChildAccess::Some).require_admin()?,
        None => permits(level(principal, project), project.visibility, Need::Admin).granted()?,
    }
    target.map_or(Ok(()), GroupAccess::require_admin)
}
