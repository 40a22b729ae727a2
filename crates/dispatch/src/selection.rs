//! Which of a surface's tools a client asked for. That narrows what its caller's permissions give, and never widens it.

use std::collections::BTreeSet;

use crate::tool::{Effect, Tool};

/// Which tools a client asked for; by default all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    effects: Effects,
    /// Each list has to name the tool.
    lists: Vec<BTreeSet<String>>,
}

/// What the tools that a client asked for may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Effects {
    /// Anything.
    #[default]
    Any,
    /// Reading. Tools that keep books beside an answer are among them, and keep none then (README decision 29).
    ReadOnly,
}

impl Selection {
    /// The same with tools of these effects only; what was read-only stays so.
    #[must_use]
    pub fn with(mut self, effects: Effects) -> Self {
        if effects == Effects::ReadOnly {
            self.effects = effects;
        }
        self
    }

    /// The same with those tools only that are listed by their names or their families. What stands for nothing adds
    /// nothing: of a list that names no tool, no tool is left. Several lists leave what all of them name.
    #[must_use]
    pub fn among(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.lists.push(words.into_iter().collect());
        self
    }

    /// What the tools asked for may do.
    pub const fn effects(&self) -> Effects {
        self.effects
    }

    /// Whether this tool was asked for.
    pub fn admits(&self, tool: &Tool) -> bool {
        let effect = match (self.effects, tool.run.effect) {
            (Effects::Any, _) | (Effects::ReadOnly, Effect::Read | Effect::Books | Effect::Trace) => true,
            (Effects::ReadOnly, Effect::Write) => false,
        };
        effect && self.lists.iter().all(|words| words.contains(tool.name) || words.contains(tool.family))
    }
}
