//! Verifying a task.

use chorus_domain::Kind;

use super::{Prompt, Step};

pub(super) const PROMPT: Prompt = Prompt {
    name: "verify_task",
    title: "Verify a task",
    description: "Check a finished task against its acceptance criteria, and accept it or send it back.",
    about: Kind::Task,
    argument: "The task to verify.",
    goal: "Verify the task",
    needs: &["chorus_mark_acceptance_criteria", "chorus_admin_verify_task", "chorus_admin_reopen_task"],
    steps: &[
        Step::always(
            "Look at the task's `status` below. Only one that is `to_verify` can be verified; of any other say how it \
             stands, and stop. Don't verify what you did yourself: leave that to somebody else.",
        ),
        Step::with(
            &["chorus_get_comments"],
            "Read the reports and the summary of whoever did it with chorus_get_comments, and the evidence given for each \
             criterion (`devEvidence`).",
        )
        .or("Read the evidence given for each criterion (`devEvidence`)."),
        Step::always(
            "Examine the result itself, criterion by criterion: run it, read it, try what could break it. What was \
             reported is where to look, and no proof.",
        ),
        Step::always(
            "Record a verdict on every criterion with chorus_mark_acceptance_criteria, each with what you saw as evidence.",
        ),
        Step::always(
            "If every required criterion is `passed`, accept the task with chorus_admin_verify_task: it is `done` for \
             good, and what waited for it may start.",
        ),
        Step::with(
            &["chorus_add_comment"],
            "If one is not, say in a comment what is missing and how you saw it (chorus_add_comment), and send the task \
             back with chorus_admin_reopen_task. That clears all marks, so the comment has to say everything.",
        )
        .or("If one is not, send the task back with chorus_admin_reopen_task, and tell whoever did it what is missing."),
    ],
};
