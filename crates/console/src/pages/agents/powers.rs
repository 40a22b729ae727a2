//! What an agent may do, and which tools it sees with that.

use chorus_domain::identity::Agent;
use chorus_permissions::{Action, Permission, PermissionSet, Preset, Resource, effective};

use crate::{desk::Desk, texts::Value};

/// No preset.
pub(super) const CUSTOM: &str = "custom";

/// A preset to choose, or none.
pub(super) struct PresetChoice {
    pub(super) name: &'static str,
    /// What it holds, for the script; nothing for no preset.
    pub(super) bits: Option<String>,
    pub(super) chosen: bool,
}

/// A row of the grid: a resource with its three actions.
pub(super) struct GridRow {
    pub(super) resource: &'static str,
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Cell {
    pub(super) bit: String,
    pub(super) action: &'static str,
    pub(super) held: bool,
}

/// A tool, and what it takes to see it.
pub(super) struct ToolLine {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Empty for a tool that everybody sees.
    pub(super) bit: String,
    pub(super) visible: bool,
}

/// What was chosen for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Powers {
    pub(super) preset: Option<Preset>,
    pub(super) set: PermissionSet,
}

impl Powers {
    /// What an agent has. One with several presets is shown by what they amount to.
    pub(super) fn of(agent: &Agent) -> Self {
        let set = set_of(agent);
        let preset = match agent.roles.as_slice() {
            [only] => Preset::ALL.into_iter().find(|preset| preset.name() == only),
            _ => None,
        };
        Self { preset, set }
    }

    /// What a form says, which may be anything.
    pub(super) fn chosen<'n>(preset: &str, bits: impl Iterator<Item = &'n str>) -> Self {
        let preset = Preset::ALL.into_iter().find(|known| known.name() == preset);
        let bits = bits.filter_map(|name| name.parse::<Permission>().ok());
        let held = preset.map_or(PermissionSet::EMPTY, Preset::permissions);
        Self { preset, set: bits.fold(held, PermissionSet::with) }
    }

    pub(super) fn presets(&self) -> Vec<PresetChoice> {
        let known = Preset::ALL.into_iter().map(|preset| PresetChoice {
            name: preset.name(),
            bits: Some(words(preset.permissions())),
            chosen: self.preset.map(Preset::name) == Some(preset.name()),
        });
        known.chain([PresetChoice { name: CUSTOM, bits: None, chosen: self.preset.is_none() }]).collect()
    }

    pub(super) fn grid(&self) -> Vec<GridRow> {
        let cell = |resource, action| {
            let permission = Permission::new(resource, action);
            Cell { bit: permission.to_string(), action: Action::as_str(action), held: self.set.contains(permission) }
        };
        let row = |resource: Resource| GridRow {
            resource: resource.as_str(),
            cells: Action::ALL.into_iter().map(|action| cell(resource, action)).collect(),
        };
        Resource::ALL.into_iter().map(row).collect()
    }

    /// All tools that agents can have, from the table that they are served from.
    pub(super) fn tools(&self, desk: &Desk) -> Vec<ToolLine> {
        let tools = desk.console.surface.tools().iter().map(|tool| &tool.row);
        // What only people may do stands in the same table.
        let tools = tools.filter(|row| !row.name.starts_with("console_"));
        tools
            .map(|row| ToolLine {
                name: row.name,
                title: row.title,
                bit: row.requirement.bit.map(|bit| bit.to_string()).unwrap_or_default(),
                visible: row.requirement.met_by(self.set),
            })
            .collect()
    }
}

fn set_of(agent: &Agent) -> PermissionSet {
    effective(agent.roles.iter().map(String::as_str), agent.permissions.iter().map(String::as_str))
}

fn words(set: PermissionSet) -> String {
    set.iter().map(|permission| permission.to_string()).collect::<Vec<_>>().join(" ")
}

/// What an agent may do, in a few words.
pub(super) fn said(desk: &Desk, agent: &Agent) -> String {
    let set = set_of(agent);
    match Preset::ALL.into_iter().find(|preset| preset.permissions() == set) {
        Some(preset) => desk.texts.say(&format!("preset-{}", preset.name().replace('_', "-")), &[]).into_owned(),
        None => desk.say_with("agent-permissions-count", "count", Value::Number(set.len() as u64)),
    }
}
