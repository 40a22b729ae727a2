//! Making a proposal of an idea.

use chorus_domain::Kind;

use super::{Prompt, Step};

pub(super) const PROMPT: Prompt = Prompt {
    name: "plan_idea",
    title: "Plan an idea",
    description: "Find out what is meant by an idea, and hand in a proposal with documents and tasks for it.",
    about: Kind::Idea,
    argument: "The idea to plan.",
    goal: "Plan the idea",
    needs: &[
        "chorus_claim_idea",
        "chorus_pm_start_elaboration",
        "chorus_pm_skip_elaboration",
        "chorus_pm_create_proposal",
        "chorus_pm_add_document_draft",
        "chorus_pm_add_task_draft",
        "chorus_pm_submit_proposal",
    ],
    steps: &[
        Step::always(
            "Read the idea below. If it is a theme (`isContainer`), or if somebody else holds it, say so and stop: \
             proposals are made from single ideas that you hold.",
        ),
        Step::with(
            &["chorus_search"],
            "See what is there already with chorus_search: similar ideas, documents that decide something about it, \
             tasks that touch the same things.",
        ),
        Step::always("If nobody holds the idea and it is not elaborated yet, take it with chorus_claim_idea."),
        Step::always(
            "Write down what you would have to guess. If there is anything, ask it with chorus_pm_start_elaboration: few \
             questions, each with options that lead to different plans. If there is nothing, ask the person who talks \
             with you whether the idea is clear enough, and say so with chorus_pm_skip_elaboration.",
        ),
        Step::with(
            &["chorus_get_elaboration"],
            "Wait until the questions are answered by people; don't answer them yourself. Read the answers with \
             chorus_get_elaboration, and ask again if they contradict each other or leave something open.",
        )
        .or("Wait until the questions are answered by people; don't answer them yourself."),
        Step::with(
            &["chorus_pm_validate_elaboration"],
            "When the answers are sufficient, declare that with chorus_pm_validate_elaboration.",
        )
        .or("Ask somebody with the permission idea:admin to declare the answers sufficient; nothing can be proposed from \
             the idea before."),
        Step::always(
            "Start the proposal with chorus_pm_create_proposal: `inputType` is `idea`, and `inputUuids` names this idea. \
             Its description says what is proposed and why in this way.",
        ),
        Step::always(
            "Write down how it is to be done with chorus_pm_add_document_draft: at least a document of the type \
             `tech_design`, with the alternatives that you rejected.",
        ),
        Step::always(
            "Cut the work into tasks with chorus_pm_add_task_draft. Each is small enough to be done and verified by \
             itself, has acceptance criteria that somebody else can check, and waits only for what it needs \
             (`dependsOnDraftUuids`).",
        ),
        Step::with(
            &["chorus_pm_validate_proposal"],
            "Check it with chorus_pm_validate_proposal and mend what it lists, warnings too, if they are right.",
        ),
        Step::always(
            "Hand it in with chorus_pm_submit_proposal, and tell the person who asked you what they are going to review.",
        ),
    ],
};
