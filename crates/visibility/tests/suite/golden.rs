//! The grid of levels as a committed file, judged by a list written by hand.

use std::fmt::Write as _;

use chorus_visibility::{Level, Role, Visibility, level};

use crate::assert_committed;
use crate::world::{Group, Place, Private, Public, ROLES, Who, World};

/// Who looks, and who else is admin. The world's users are: 0 the one who looks, 1 somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Viewpoint {
    User,
    FirstAlone,
    FirstBesideProjectAdmin,
    FirstBesideGroupAdmin,
    Ownerless,
    Stranger,
}

use Viewpoint::{FirstAlone, FirstBesideGroupAdmin, FirstBesideProjectAdmin, Ownerless, Stranger, User};

impl Viewpoint {
    const ALL: [Self; 6] = [User, FirstAlone, FirstBesideProjectAdmin, FirstBesideGroupAdmin, Ownerless, Stranger];

    const fn title(self) -> &'static str {
        match self {
            User => "a user",
            FirstAlone => "the first user, nobody else being admin",
            FirstBesideProjectAdmin => "the first user beside an admin of the project",
            FirstBesideGroupAdmin => "the first user beside an admin of the group",
            Ownerless => "an agent without owner",
            Stranger => "a user of another company",
        }
    }
}

const PLACES: [(Place, Visibility, &str); 4] = [
    (Place::Nowhere, Public, "in no group"),
    (Place::Missing, Public, "in a missing group"),
    (Place::In(0), Public, "in a public group"),
    (Place::In(0), Private, "in a private group"),
];

const ALL_ADMIN: [&str; 4] = ["aaaa", "aaaa", "aaaa", "aaaa"];
const FLOOR: [&str; 4] = ["eeea", "eeea", "eeea", "aaaa"];
const HIGHER: [&str; 4] = ["nvea", "vvea", "eeea", "aaaa"];

/// What is expected, written by hand: rows are no local role, viewer, editor, admin; columns the same in the group,
/// one column where there is no group. Letters are none, viewer, editor, admin.
#[rustfmt::skip]
const EXPECTED: &[(Visibility, &str, Viewpoint, [&str; 4])] = &[
    (Public,  "in no group",        User,                    ["e", "e", "e", "a"]),
    (Public,  "in no group",        FirstAlone,              ["a", "a", "a", "a"]),
    (Public,  "in no group",        FirstBesideProjectAdmin, ["e", "e", "e", "a"]),
    (Public,  "in no group",        Ownerless,               ["e", "e", "e", "e"]),
    (Public,  "in no group",        Stranger,                ["n", "n", "n", "n"]),
    (Public,  "in a missing group", User,                    ["e", "e", "e", "a"]),
    (Public,  "in a missing group", FirstAlone,              ["a", "a", "a", "a"]),
    (Public,  "in a missing group", FirstBesideProjectAdmin, ["e", "e", "e", "a"]),
    (Public,  "in a missing group", Ownerless,               ["e", "e", "e", "e"]),
    (Public,  "in a missing group", Stranger,                ["n", "n", "n", "n"]),
    (Public,  "in a public group",  User,                    FLOOR),
    (Public,  "in a public group",  FirstAlone,              ALL_ADMIN),
    (Public,  "in a public group",  FirstBesideProjectAdmin, ALL_ADMIN),
    (Public,  "in a public group",  FirstBesideGroupAdmin,   FLOOR),
    (Public,  "in a public group",  Ownerless,               ["eeee", "eeee", "eeee", "eeee"]),
    (Public,  "in a public group",  Stranger,                ["nnnn", "nnnn", "nnnn", "nnnn"]),
    (Private, "in no group",        User,                    ["n", "v", "e", "a"]),
    (Private, "in no group",        FirstAlone,              ["a", "a", "a", "a"]),
    (Private, "in no group",        FirstBesideProjectAdmin, ["n", "v", "e", "a"]),
    (Private, "in no group",        Ownerless,               ["n", "n", "n", "n"]),
    (Private, "in no group",        Stranger,                ["n", "n", "n", "n"]),
    (Private, "in a missing group", User,                    ["n", "v", "e", "a"]),
    (Private, "in a missing group", FirstAlone,              ["a", "a", "a", "a"]),
    (Private, "in a missing group", FirstBesideProjectAdmin, ["n", "v", "e", "a"]),
    (Private, "in a missing group", Ownerless,               ["n", "n", "n", "n"]),
    (Private, "in a missing group", Stranger,                ["n", "n", "n", "n"]),
    (Private, "in a public group",  User,                    HIGHER),
    (Private, "in a public group",  FirstAlone,              ALL_ADMIN),
    (Private, "in a public group",  FirstBesideProjectAdmin, ALL_ADMIN),
    (Private, "in a public group",  FirstBesideGroupAdmin,   HIGHER),
    (Private, "in a public group",  Ownerless,               ["nnnn", "nnnn", "nnnn", "nnnn"]),
    (Private, "in a public group",  Stranger,                ["nnnn", "nnnn", "nnnn", "nnnn"]),
    (Private, "in a private group", User,                    HIGHER),
    (Private, "in a private group", FirstAlone,              ALL_ADMIN),
    (Private, "in a private group", FirstBesideProjectAdmin, ALL_ADMIN),
    (Private, "in a private group", FirstBesideGroupAdmin,   HIGHER),
    (Private, "in a private group", Ownerless,               ["nnnn", "nnnn", "nnnn", "nnnn"]),
    (Private, "in a private group", Stranger,                ["nnnn", "nnnn", "nnnn", "nnnn"]),
];

/// A block of the grid: levels by local role, then by role in the group.
struct Block {
    project: Visibility,
    place: &'static str,
    viewpoint: Viewpoint,
    levels: [Vec<Level>; 4],
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for project in Visibility::ALL {
        for (place, around, title) in PLACES {
            if (project, around) == (Public, Private) {
                continue; // A private group contains private projects only.
            }
            let grouped = place == Place::In(0);
            for viewpoint in Viewpoint::ALL.into_iter().filter(|view| grouped || *view != FirstBesideGroupAdmin) {
                let inherited = if grouped { &ROLES[..] } else { &ROLES[..1] };
                let levels = ROLES.map(|local| {
                    let cell = |group: &Option<Role>| one(project, place, around, viewpoint, local, *group);
                    inherited.iter().map(cell).collect()
                });
                blocks.push(Block { project, place: title, viewpoint, levels });
            }
        }
    }
    blocks
}

fn one(
    project: Visibility,
    place: Place,
    around: Visibility,
    viewpoint: Viewpoint,
    local: Option<Role>,
    inherited: Option<Role>,
) -> Level {
    let admin = |is: bool| is.then_some(Role::Admin);
    let group = Group { visibility: around, roles: vec![inherited, admin(viewpoint == FirstBesideGroupAdmin)] };
    let roles = vec![local, admin(viewpoint == FirstBesideProjectAdmin)];
    let (who, first) = match viewpoint {
        User => (Who::User(0), Some(1)),
        FirstAlone | FirstBesideProjectAdmin | FirstBesideGroupAdmin => (Who::User(0), Some(0)),
        Ownerless => (Who::Ownerless, Some(1)),
        Stranger => (Who::Stranger(0), Some(0)),
    };
    let world = World::of(project, place, roles, vec![group]).with_first(first);
    level(&world.principal(who), &world.facts(0, who))
}

fn letters(levels: &[Level]) -> String {
    levels.iter().filter_map(|level| level.as_str().chars().next()).collect()
}

#[test]
fn the_grid_is_what_was_written_by_hand() {
    let found: Vec<_> = blocks()
        .iter()
        .map(|block| (block.project, block.place, block.viewpoint, block.levels.clone().map(|row| letters(&row))))
        .collect();
    for (found, expected) in found.iter().zip(EXPECTED) {
        let expected = (expected.0, expected.1, expected.2, expected.3.map(str::to_owned));
        assert_eq!(*found, expected);
    }
    assert_eq!(found.len(), EXPECTED.len());
}

#[test]
fn the_grid_is_committed() {
    let mut text = String::from(
        "Generated from the rules by `tests/suite/golden.rs`; UPDATE=1 rewrites it.\n\
         The level in a project. Rows: the role in the project itself. Columns: the role in its group.\n",
    );
    for block in blocks() {
        writeln!(text, "\n{} project {}: {}", block.project, block.place, block.viewpoint.title()).unwrap();
        let columns: Vec<_> =
            if block.levels[0].len() == 1 { vec!["-"] } else { ROLES.map(|role| Level::from(role).as_str()).to_vec() };
        let line = |head: &str, cells: Vec<&str>| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:<7}")).collect();
            format!("  {head:<7} |{}", cells.trim_end())
        };
        writeln!(text, "{}", line("", columns)).unwrap();
        for (local, levels) in ROLES.iter().zip(&block.levels) {
            let cells = levels.iter().map(|level| level.as_str()).collect();
            writeln!(text, "{}", line(Level::from(*local).as_str(), cells)).unwrap();
        }
    }
    assert_committed("tests/golden/levels.txt", &text);
}
