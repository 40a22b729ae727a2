//! What a proposal lacks (lifecycle specification §4.3).

use std::{collections::BTreeMap, fmt};

use super::{InputType, Level};
use crate::{dependency::find_cycle, document::DocumentType, idea::ElaborationStatus, task::Priority};

/// How much content a document draft needs, in Unicode scalar values.
pub const MIN_DOCUMENT_CHARS: usize = 100;

/// What is known of a proposal when it is validated. `Id` names a draft.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalFacts<'a, Id> {
    /// What the proposal says about itself.
    pub description: Option<&'a str>,
    /// What it starts from.
    pub input_type: InputType,
    /// How many inputs it names.
    pub inputs: usize,
    /// The input ideas that still exist; looked at only if it starts from ideas.
    pub ideas: Vec<IdeaInput<'a>>,
    /// Its document drafts, in order.
    pub documents: Vec<DocumentFacts<'a>>,
    /// Its task drafts, in order.
    pub tasks: Vec<TaskFacts<'a, Id>>,
}

/// An idea that a proposal starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdeaInput<'a> {
    /// Its title.
    pub title: &'a str,
    /// How far the questions about it are.
    pub elaboration: Option<ElaborationStatus>,
}

/// A document draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentFacts<'a> {
    /// Its title.
    pub title: &'a str,
    /// What it is.
    pub kind: DocumentType,
    /// Its text; empty if it has none.
    pub content: &'a str,
}

/// A task draft.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFacts<'a, Id> {
    /// The draft itself.
    pub id: Id,
    /// Its title.
    pub title: &'a str,
    /// What is to be done.
    pub description: Option<&'a str>,
    /// How urgent it is, if it says so.
    pub priority: Option<Priority>,
    /// How much work it is, if it says so.
    pub story_points: Option<f64>,
    /// How many criteria with a description it has.
    pub criteria: usize,
    /// The drafts it depends on.
    pub depends_on: Vec<Id>,
}

/// Something that a proposal lacks.
///
/// Shown as one line, the level in brackets before the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The rule that found it: `E1`, `W2`, `E-DEP`.
    pub id: &'static str,
    /// How much it matters.
    pub level: Level,
    /// What is lacking, as a sentence without a full stop.
    pub message: String,
    /// The title of the draft or the idea that is meant, if it is one of several.
    pub field: Option<String>,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}: {}", self.level, self.id, self.message)
    }
}

/// Whether none of `issues` keeps a proposal from being submitted or approved.
pub fn is_valid(issues: &[Issue]) -> bool {
    issues.iter().all(|issue| issue.level != Level::Error)
}

/// Everything that a proposal lacks, rule by rule: E1, E2, E3, E4, E5, W1, W2,
/// E-AC, E-DEP, W4, W5, I1, I2 (there is no W3); within a rule in draft order.
pub fn validate<Id: Ord + Copy + fmt::Display>(facts: &ProposalFacts<'_, Id>) -> Vec<Issue> {
    let mut found = Findings(Vec::new());
    documents_and_inputs(facts, &mut found);
    tasks(facts, &mut found);
    found.0
}

fn documents_and_inputs<Id>(facts: &ProposalFacts<'_, Id>, found: &mut Findings) {
    if facts.documents.is_empty() {
        found.general("E1", Level::Error, "the proposal needs at least one document draft");
    }
    for draft in &facts.documents {
        let length = draft.content.chars().count();
        if length < MIN_DOCUMENT_CHARS {
            let message = format!(
                "document draft `{}` has {length} characters of content and needs at least {MIN_DOCUMENT_CHARS}",
                draft.title
            );
            found.about(draft.title, "E2", Level::Error, message);
        }
    }
    if facts.tasks.is_empty() {
        found.general("E3", Level::Error, "the proposal needs at least one task draft");
    }
    if facts.inputs == 0 {
        found.general("E4", Level::Error, "the proposal needs at least one input");
    }
    match facts.input_type {
        InputType::Document => {}
        InputType::Idea => {
            for idea in facts.ideas.iter().filter(|idea| idea.elaboration != Some(ElaborationStatus::Resolved)) {
                let message = format!("the elaboration of idea `{}` has to be resolved or skipped first", idea.title);
                found.about(idea.title, "E5", Level::Error, message);
            }
        }
    }
    if !facts.documents.iter().any(|draft| draft.kind == DocumentType::TechDesign) {
        found.general("W1", Level::Warning, "there is no document draft of type `tech_design`");
    }
}

fn tasks<Id: Ord + Copy + fmt::Display>(facts: &ProposalFacts<'_, Id>, found: &mut Findings) {
    for draft in facts.tasks.iter().filter(|draft| is_blank(draft.description)) {
        found.about(draft.title, "W2", Level::Warning, format!("task draft `{}` has no description", draft.title));
    }
    for draft in facts.tasks.iter().filter(|draft| draft.criteria == 0) {
        let message = format!("task draft `{}` needs at least one acceptance criterion", draft.title);
        found.about(draft.title, "E-AC", Level::Error, message);
    }
    dependencies(&facts.tasks, found);
    if facts.tasks.len() >= 2 && facts.tasks.iter().all(|draft| draft.depends_on.is_empty()) {
        found.general("W4", Level::Warning, "no task draft depends on another: say so if their order matters");
    }
    if is_blank(facts.description) {
        found.general("W5", Level::Warning, "the proposal has no description");
    }
    for draft in facts.tasks.iter().filter(|draft| draft.priority.is_none()) {
        found.about(draft.title, "I1", Level::Info, format!("task draft `{}` has no priority", draft.title));
    }
    for draft in facts.tasks.iter().filter(|draft| draft.story_points.is_none()) {
        found.about(draft.title, "I2", Level::Info, format!("task draft `{}` has no story points", draft.title));
    }
}

/// E-DEP: drafts that depend on what is no draft of the proposal, then drafts
/// that wait for each other.
fn dependencies<Id: Ord + Copy + fmt::Display>(drafts: &[TaskFacts<'_, Id>], found: &mut Findings) {
    let titles: BTreeMap<Id, &str> = drafts.iter().map(|draft| (draft.id, draft.title)).collect();
    for draft in drafts {
        for unknown in draft.depends_on.iter().filter(|id| !titles.contains_key(id)) {
            let message = format!("task draft `{}` depends on `{unknown}`, which is no task draft here", draft.title);
            found.about(draft.title, "E-DEP", Level::Error, message);
        }
    }

    // One issue for each cycle; the next is looked for among the drafts that
    // are in none yet, so there are never more issues than drafts.
    let mut edges: Vec<(Id, Id)> =
        drafts.iter().flat_map(|draft| draft.depends_on.iter().map(|&on| (draft.id, on))).collect();
    while let Some(cycle) = find_cycle(edges.iter().copied()) {
        let path: Vec<&str> = cycle.iter().filter_map(|id| titles.get(id).copied()).collect();
        let first = path.first().copied().unwrap_or_default();
        let message = match path.as_slice() {
            [only] => format!("task draft `{only}` depends on itself"),
            path => format!("task drafts wait for each other: `{}` -> `{first}`", path.join("` -> `")),
        };
        found.about(first, "E-DEP", Level::Error, message);
        edges.retain(|(draft, on)| !cycle.contains(draft) && !cycle.contains(on));
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

struct Findings(Vec<Issue>);

impl Findings {
    fn general(&mut self, id: &'static str, level: Level, message: &str) {
        self.0.push(Issue { id, level, message: message.to_owned(), field: None });
    }

    fn about(&mut self, title: &str, id: &'static str, level: Level, message: String) {
        self.0.push(Issue { id, level, message, field: Some(title.to_owned()) });
    }
}
