#![doc = include_str!("../README.md")]

mod authority;
mod canonical;
mod change;
mod creation;
mod facts;
mod group;
mod level;
mod member;
mod preview;
mod redact;
mod role;
mod roster;
mod scope;
mod snapshot;
#[cfg(feature = "serde")]
mod wire;

pub use authority::{Operation, authorise_change};
pub use canonical::{ActorRef, Confirmer};
pub use change::{
    ChangeRefusal, DeletionPlan, GroupDeletion, GroupPlan, GroupVisibilityChange, MoveChange, MovePlan, OtherSettings,
    ProjectPlan, ProjectVisibilityChange, RoleEffect,
};
pub use creation::{CreationRefusal, NewGroup, NewProject, new_group, new_project};
pub use facts::{GroupFacts, Principal, ProjectFacts};
pub use group::{ChildAccess, GroupAccess, group_access};
pub use level::{Access, Denied, Need, is_automatic_group_admin, is_automatic_project_admin, level, permits};
pub use member::{
    MemberChange, MemberRefusal, MemberSource, MemberWrite, ProjectMember, change_group_member, change_project_member,
    group_member_impacts, project_member_impact, project_members,
};
pub use preview::{CompanyAccess, ProjectImpact, RoleChange, Summary};
pub use redact::Redacted;
pub use role::{Level, Role, UnknownWord, Visibility};
pub use scope::{MAX_RESTRICTION, Restriction, Scope, TooManyProjects, scope};
pub use snapshot::{CompanySnapshot, GroupSnapshot, ProjectSnapshot, level_in, responsible};
