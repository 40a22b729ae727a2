//! The rules a second time, as the decision tables of the visibility specification instead of its formula.
//!
//! Nothing here calls the crate's rules; of the crate it borrows the words only.

use chorus_visibility::{Level, Role, Visibility};

use crate::world::{Place, Private, Project, Public, Roles, Who, World};

/// Cells of the tables. `Some role` is any of the three.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Any,
    Nothing,
    V,
    E,
    A,
}

/// A row's answer.
#[derive(Clone, Copy)]
enum Answer {
    Fixed(Level),
    Local,
    Group,
}

use Answer::{Fixed, Group as FromGroup, Local as FromLocal};
use Cell::{A, Any, E, Nothing, V};

/// Decision table §3.2 with automatic admins (§3.4) already entered as admins: project, local role, role in the group
/// (nothing where there is no group), level. The first row that fits counts. `r1` and `r2` are written out.
const LEVELS: &[(Visibility, Cell, Cell, Answer)] = &[
    (Public, A, Any, Fixed(Level::Admin)),
    (Public, Any, A, Fixed(Level::Admin)),
    (Public, Nothing, Nothing, Fixed(Level::Editor)),
    (Public, V, Nothing, Fixed(Level::Editor)),
    (Public, E, Nothing, Fixed(Level::Editor)),
    (Public, Nothing, V, Fixed(Level::Editor)),
    (Public, Nothing, E, Fixed(Level::Editor)),
    (Public, V, V, Fixed(Level::Editor)),
    (Public, V, E, Fixed(Level::Editor)),
    (Public, E, V, Fixed(Level::Editor)),
    (Public, E, E, Fixed(Level::Editor)),
    (Private, Nothing, Nothing, Fixed(Level::None)),
    (Private, Any, Nothing, FromLocal),
    (Private, Nothing, Any, FromGroup),
    (Private, V, V, Fixed(Level::Viewer)),
    (Private, V, E, Fixed(Level::Editor)),
    (Private, V, A, Fixed(Level::Admin)),
    (Private, E, V, Fixed(Level::Editor)),
    (Private, E, E, Fixed(Level::Editor)),
    (Private, E, A, Fixed(Level::Admin)),
    (Private, A, V, Fixed(Level::Admin)),
    (Private, A, E, Fixed(Level::Admin)),
    (Private, A, A, Fixed(Level::Admin)),
];

fn cell(role: Option<Role>) -> Cell {
    match role {
        None => Nothing,
        Some(Role::Viewer) => V,
        Some(Role::Editor) => E,
        Some(Role::Admin) => A,
    }
}

fn plain(role: Option<Role>) -> Level {
    match role {
        None => Level::None,
        Some(Role::Viewer) => Level::Viewer,
        Some(Role::Editor) => Level::Editor,
        Some(Role::Admin) => Level::Admin,
    }
}

/// §3.4, in its own words: without any admin on the list, the first user is one.
fn with_stand_in(roles: &Roles, first: Option<usize>, index: usize) -> Option<Role> {
    let mut found_admin = false;
    for role in roles {
        found_admin |= *role == Some(Role::Admin);
    }
    if !found_admin && first == Some(index) { Some(Role::Admin) } else { roles[index] }
}

pub(crate) fn level(world: &World, project: usize, who: Who) -> Level {
    level_in(world, &world.projects[project], who)
}

/// The level in a project that takes the place of one of the world's.
pub(crate) fn level_in(world: &World, project: &Project, who: Who) -> Level {
    let index = match who {
        Who::User(index) => index,
        // The table's last two rows.
        Who::Ownerless if project.visibility == Public => return Level::Editor,
        Who::Ownerless | Who::Stranger(_) => return Level::None,
    };
    let (local, group) = match project.place {
        Place::In(group) => (project.roles[index], with_stand_in(&world.groups[group].roles, world.first, index)),
        Place::Nowhere | Place::Missing | Place::Foreign => (with_stand_in(&project.roles, world.first, index), None),
    };
    let fits = |pattern: Cell, role| pattern == Any || pattern == cell(role);
    for (visibility, on_local, on_group, answer) in LEVELS {
        if *visibility == project.visibility && fits(*on_local, local) && fits(*on_group, group) {
            return match answer {
                Fixed(level) => *level,
                FromLocal => plain(local),
                FromGroup => plain(group),
            };
        }
    }
    panic!("no row for {project:?} and {who:?}")
}

/// What somebody is to a group.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Tie {
    Admin,
    Editor,
    Viewer,
    Child,
    Nothing,
}

/// A row of table §4: what is presented and granted.
#[derive(Debug, PartialEq)]
pub(crate) struct GroupRow {
    pub(crate) visible: bool,
    pub(crate) access_level: Level,
    pub(crate) rename: bool,
    pub(crate) create: bool,
    pub(crate) roster: bool,
    pub(crate) admin: bool,
}

const fn row(visible: bool, access_level: Level, rights: [bool; 4]) -> GroupRow {
    let [rename, create, roster, admin] = rights;
    GroupRow { visible, access_level, rename, create, roster, admin }
}

const YES: bool = true;
const NO: bool = false;

/// Table §4, column by column. Rights: rename, create a project, read the roster, administer.
const GROUPS: &[(Visibility, Tie, GroupRow)] = &[
    (Public, Tie::Admin, row(YES, Level::Admin, [YES, YES, YES, YES])),
    (Public, Tie::Editor, row(YES, Level::Editor, [YES, YES, YES, NO])),
    (Public, Tie::Viewer, row(YES, Level::Editor, [YES, YES, YES, NO])),
    (Public, Tie::Child, row(YES, Level::Editor, [YES, YES, NO, NO])),
    (Public, Tie::Nothing, row(YES, Level::Editor, [YES, YES, NO, NO])),
    (Private, Tie::Admin, row(YES, Level::Admin, [YES, YES, YES, YES])),
    (Private, Tie::Editor, row(YES, Level::Editor, [NO, YES, YES, NO])),
    (Private, Tie::Viewer, row(YES, Level::Viewer, [NO, NO, YES, NO])),
    (Private, Tie::Child, row(YES, Level::Viewer, [NO, NO, NO, NO])),
    (Private, Tie::Nothing, row(NO, Level::None, [NO, NO, NO, NO])),
];

pub(crate) fn tie(world: &World, group: usize, who: Who, sees_a_child: bool) -> Tie {
    let role = match who {
        Who::User(index) => with_stand_in(&world.groups[group].roles, world.first, index),
        Who::Ownerless | Who::Stranger(_) => None,
    };
    match role {
        Some(Role::Admin) => Tie::Admin,
        Some(Role::Editor) => Tie::Editor,
        Some(Role::Viewer) => Tie::Viewer,
        None if sees_a_child => Tie::Child,
        None => Tie::Nothing,
    }
}

pub(crate) fn group(visibility: Visibility, tie: Tie) -> &'static GroupRow {
    &GROUPS.iter().find(|row| row.0 == visibility && row.1 == tie).unwrap().2
}

/// What a move makes of a project (§6.4); nothing if that would have no admin.
pub(crate) fn moved(world: &World, project: usize, target: Option<usize>) -> Option<Project> {
    let mut moving = world.projects[project].clone();
    let source = match moving.place {
        Place::In(group) => Some(group),
        Place::Nowhere | Place::Missing | Place::Foreign => None,
    };
    if source == target {
        return Some(moving);
    }
    match target {
        Some(group) => {
            moving.place = Place::In(group);
            if world.groups[group].visibility == Private {
                moving.visibility = Private;
            }
        }
        None => {
            moving.place = Place::Nowhere;
            for (own, old) in moving.roles.iter_mut().zip(&world.groups[source?].roles) {
                // Written out instead of compared: whichever of the two says more.
                *own = match (*own, *old) {
                    (Some(Role::Admin), _) | (_, Some(Role::Admin)) => Some(Role::Admin),
                    (Some(Role::Editor), _) | (_, Some(Role::Editor)) => Some(Role::Editor),
                    (Some(Role::Viewer), _) | (_, Some(Role::Viewer)) => Some(Role::Viewer),
                    (None, None) => None,
                };
            }
            if !moving.roles.contains(&Some(Role::Admin)) {
                return None;
            }
        }
    }
    Some(moving)
}
