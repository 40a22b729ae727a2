//! Deciding about a proposal.

use chorus_domain::Kind;

use super::{Prompt, Step};

pub(super) const PROMPT: Prompt = Prompt {
    name: "review_proposal",
    title: "Review a proposal",
    description: "Examine a proposal that was handed in, and approve it or send it back with reasons.",
    about: Kind::Proposal,
    argument: "The proposal to review.",
    goal: "Review the proposal",
    needs: &["chorus_admin_approve_proposal", "chorus_pm_reject_proposal"],
    steps: &[
        Step::always(
            "Look at the proposal's `status` below. Only one that is `pending` can be decided about; of any other say how \
             it stands, and stop.",
        ),
        Step::with(
            &["chorus_get_idea", "chorus_get_document"],
            "Read what it is made from, everything in `inputUuids`: ideas with chorus_get_idea, documents with \
             chorus_get_document.",
        ),
        Step::with(
            &["chorus_get_elaboration"],
            "Read with chorus_get_elaboration what people answered about each of the ideas. The proposal has to agree \
             with it.",
        ),
        Step::with(
            &["chorus_get_comments"],
            "Read with chorus_get_comments what was said about the proposal, also in earlier reviews.",
        ),
        Step::with(&["chorus_pm_validate_proposal"], "List its formal flaws with chorus_pm_validate_proposal."),
        Step::always(
            "Read every document draft. Does it solve what the inputs ask for, and not something else? What does it leave \
             open, and which risk does it pass over?",
        ),
        Step::always(
            "Read every task draft. Together, do they give everything that the documents promise? Can each be done and \
             verified by itself, can each of its criteria be checked by somebody else, and does it wait for what it needs \
             and for nothing more?",
        ),
        Step::always(
            "Tell the person who asked you what you found, the most important first, and what you would decide. Let them \
             decide if they want to.",
        ),
        Step::always(
            "If it is good enough to work by, accept it with chorus_admin_approve_proposal; its drafts become documents \
             and tasks. Otherwise send it back with chorus_pm_reject_proposal: the `reviewNote` says what has to be \
             changed and why, so that its maker need not ask.",
        ),
    ],
};
