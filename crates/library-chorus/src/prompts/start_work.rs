//! Working on a task.

use chorus_domain::Kind;

use super::{Prompt, Step};

pub(super) const PROMPT: Prompt = Prompt {
    name: "start_work",
    title: "Work on a task",
    description: "Take a task, do it, report on it and hand it over for verification.",
    about: Kind::Task,
    argument: "The task to work on.",
    goal: "Work on the task",
    needs: &["chorus_claim_task", "chorus_update_task", "chorus_submit_for_verify"],
    steps: &[
        Step::with(
            &["chorus_get_comments"],
            "Read the task below, and what was said about it with chorus_get_comments. Its acceptance criteria are what \
             the work will be judged by.",
        )
        .or("Read the task below. Its acceptance criteria are what the work will be judged by."),
        Step::always(
            "Look at `status`, `assignee` and `dependsOn`. If the task is `done`, `closed` or waits for verification, or \
             if somebody else holds it, say so and stop. If a prerequisite is neither `done` nor `closed`, say which one \
             and stop.",
        ),
        Step::with(
            &["chorus_get_documents", "chorus_get_document"],
            "If the task came from a proposal, read the documents that bear the same `proposalUuid`: find them with \
             chorus_get_documents and read them with chorus_get_document.",
        ),
        Step::always("If the task is `open`, take it with chorus_claim_task."),
        Step::always("Begin: chorus_update_task with `status` set to `in_progress`, unless it is that already."),
        Step::with(
            &["chorus_report_work"],
            "Do the work. After each piece that somebody could look at, tell with chorus_report_work what you did, what \
             you decided and what comes next.",
        )
        .or("Do the work."),
        Step::with(
            &["chorus_report_criteria_self_check"],
            "Check each acceptance criterion by looking at the result, not at your intention, and record what you found \
             with chorus_report_criteria_self_check, with evidence.",
        ),
        Step::always(
            "Once every required criterion holds, hand the task over with chorus_submit_for_verify, with a summary for \
             whoever verifies it. While one does not hold, go on working.",
        ),
        Step::with(
            &["chorus_add_comment"],
            "If you can't go on, say in a comment what stands in the way (chorus_add_comment) and tell the person who \
             asked you.",
        )
        .or("If you can't go on, tell the person who asked you what stands in the way."),
    ],
};
