//! Prompts: pieces of work, step by step.

use std::{collections::BTreeMap, fmt::Write as _};

use chorus_dispatch::{Visitor, render};
use chorus_domain::{Kind, Refusal};
use chorus_ids::ProjectId;
use chorus_mcp::{Content, PromptArgument, PromptDef, PromptMessage, PromptResult, Role, RpcError};

use crate::{
    ChorusLibrary,
    family::Family,
    reading::{Thing, rendered},
};

mod plan_idea;
mod review_proposal;
mod start_work;
mod verify_task;

/// Every prompt, in the order in which they are listed.
const PROMPTS: [&Prompt; 4] = [&start_work::PROMPT, &plan_idea::PROMPT, &review_proposal::PROMPT, &verify_task::PROMPT];

/// A prompt: one row of the table.
pub(crate) struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// What it is about; its argument is the id of one.
    about: Kind,
    /// What the argument means.
    argument: &'static str,
    /// What the model is to do, as the beginning of a sentence that ends with the thing's title.
    goal: &'static str,
    /// Tools without which there is nothing to be done: the prompt does not exist then.
    needs: &'static [&'static str],
    steps: &'static [Step],
}

/// A step of a prompt.
struct Step {
    /// The tools that it names beside those that the prompt needs.
    needs: &'static [&'static str],
    /// What to do.
    says: &'static str,
    /// What to do without those tools; without such words the step is left out.
    otherwise: Option<&'static str>,
}

impl Step {
    /// A step that names no tools but those that the prompt needs.
    const fn always(says: &'static str) -> Self {
        Self { needs: &[], says, otherwise: None }
    }

    /// A step for those who have these tools.
    const fn with(needs: &'static [&'static str], says: &'static str) -> Self {
        Self { needs, says, otherwise: None }
    }

    /// What those do instead who don't have the tools.
    const fn or(self, otherwise: &'static str) -> Self {
        Self { otherwise: Some(otherwise), ..self }
    }
}

impl Prompt {
    pub(crate) fn family(&self) -> Option<&'static Family> {
        Family::of(self.about)
    }

    fn definition(&self, family: &Family) -> PromptDef {
        PromptDef {
            name: self.name.to_owned(),
            title: Some(self.title.to_owned()),
            description: Some(self.description.to_owned()),
            arguments: vec![PromptArgument {
                name: family.variable.to_owned(),
                title: Some(family.title.to_owned()),
                description: Some(self.argument.to_owned()),
                required: true,
            }],
            meta: None,
        }
    }

    /// What the model is told about this thing, with the tools that exist.
    fn text(&self, thing: &Thing, exists: impl Fn(&str) -> bool) -> String {
        let title: Vec<&str> = thing.text("/title").split_whitespace().collect();
        let mut text = format!(
            "{} \"{}\" in Chorus ({}). How it stands now comes with the next message. Go step by step; if a call is \
             refused, do what the refusal says. Give every call that changes something an idempotencyKey.\n",
            self.goal,
            title.join(" "),
            thing.text("/uuid"),
        );
        let says = |step: &Step| {
            if step.needs.iter().all(|tool| exists(tool)) { Some(step.says) } else { step.otherwise }
        };
        for (step, number) in self.steps.iter().filter_map(says).zip(1..) {
            // INVARIANT: writing to a text can't fail.
            let _ = write!(text, "\n{number}. {step}");
        }
        text
    }
}

impl ChorusLibrary {
    /// The prompt of this name, if it exists for the visitor.
    pub(crate) fn offered(&self, visitor: &Visitor, name: &str) -> Option<&'static Prompt> {
        PROMPTS.into_iter().find(|prompt| prompt.name == name && self.can_follow(visitor, prompt))
    }

    fn can_follow(&self, visitor: &Visitor, prompt: &Prompt) -> bool {
        prompt.needs.iter().all(|tool| self.has(visitor, tool))
    }

    /// Whether the visitor can call a tool, by its permissions and by what its client asked for.
    fn has(&self, visitor: &Visitor, tool: &str) -> bool {
        self.surface.visible(&visitor.caller, &visitor.selection, tool).is_some()
    }

    /// The prompts that the visitor can follow.
    pub(crate) fn definitions(&self, visitor: &Visitor) -> Vec<PromptDef> {
        let offered = PROMPTS.into_iter().filter(|prompt| self.can_follow(visitor, prompt));
        offered.filter_map(|prompt| Some(prompt.definition(prompt.family()?))).collect()
    }

    /// A prompt about a thing, which is embedded as it is now.
    pub(crate) async fn filled_in(
        &self,
        visitor: &Visitor,
        name: &str,
        arguments: &BTreeMap<String, String>,
    ) -> Result<PromptResult, RpcError> {
        let prompt = self.offered(visitor, name).ok_or_else(|| RpcError::unknown_prompt(name))?;
        let family = prompt.family().ok_or_else(RpcError::internal)?;
        let given = arguments.get(family.variable).map(|id| id.trim()).filter(|id| !id.is_empty());
        let given = given.ok_or_else(|| RpcError::missing_argument(family.variable))?;
        // A text that is no id names nothing, like one that is hidden.
        let thing = match given.parse::<ProjectId>() {
            Ok(id) => self.thing(visitor, family, id.uuid()).await.map_err(|error| render::protocol(&error))?,
            Err(_) => None,
        };
        let thing = thing.ok_or_else(|| RpcError::invalid_params(Refusal::not_found(family.kind).text))?;
        let uri = thing.address.to_string();
        let text = prompt.text(&thing, |tool| self.has(visitor, tool));
        let state = Content::Resource(rendered(&thing, family, &uri));
        Ok(PromptResult {
            description: Some(prompt.description.to_owned()),
            messages: vec![PromptMessage::user(text), PromptMessage { role: Role::User, content: state }],
            meta: None,
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeSet;

    use super::*;

    fn table() -> BTreeSet<&'static str> {
        chorus_tools::table().iter().map(|tool| tool.name).collect()
    }

    /// The names of tools in a text.
    fn named(text: &str) -> BTreeSet<&str> {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.starts_with("chorus_"))
            .collect()
    }

    #[test]
    fn prompts_name_tools_that_there_are_and_only_those_they_need() {
        let table = table();
        for prompt in PROMPTS {
            let needed: BTreeSet<&str> = prompt.needs.iter().copied().collect();
            assert!(needed.is_subset(&table), "{}", prompt.name);
            let mut used = BTreeSet::new();
            for step in prompt.steps {
                let own: BTreeSet<&str> = step.needs.iter().copied().collect();
                assert!(own.is_subset(&table) && own.is_disjoint(&needed), "{}: {}", prompt.name, step.says);
                let said = named(step.says);
                assert!(own.is_subset(&said), "{}: {}", prompt.name, step.says);
                assert!(said.iter().all(|tool| own.contains(tool) || needed.contains(tool)), "{}", step.says);
                let instead = named(step.otherwise.unwrap_or_default());
                assert!(instead.is_subset(&needed), "{}", step.otherwise.unwrap_or_default());
                used.extend(said);
            }
            assert!(needed.iter().all(|tool| used.contains(tool)), "{}: every needed tool is used", prompt.name);
        }
    }

    #[test]
    fn steps_without_their_tools_are_left_out_or_replaced() {
        static STEPS: [Step; 3] = [
            Step::always("Begin."),
            Step::with(&["chorus_search"], "Look around with chorus_search."),
            Step::with(&["chorus_claim_task"], "Take it with chorus_claim_task.").or("Wait for it."),
        ];
        let prompt = Prompt {
            name: "x",
            title: "X",
            description: "X.",
            about: Kind::Task,
            argument: "The task.",
            goal: "Do the task",
            needs: &[],
            steps: &STEPS,
        };
        let project = ProjectId::from_u128(1);
        let family = Family::of(Kind::Task).unwrap();
        let address = crate::address::Address::Thing { project, family, id: project.uuid() };
        let answer = serde_json::json!({ "uuid": project, "title": "Two\n lines" });
        let thing = Thing { address, answer };
        let steps = |exists: fn(&str) -> bool| {
            let text = prompt.text(&thing, exists);
            assert!(text.starts_with(&format!("Do the task \"Two lines\" in Chorus ({project}).")), "{text}");
            text.split_once("\n\n").unwrap().1.to_owned()
        };
        assert_eq!(
            steps(|_| true),
            "1. Begin.\n2. Look around with chorus_search.\n3. Take it with chorus_claim_task."
        );
        assert_eq!(steps(|_| false), "1. Begin.\n2. Wait for it.");
    }
}
