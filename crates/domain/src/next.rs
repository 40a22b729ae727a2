//! What can be done next, in words of the tools: for the sentences of refusals.

use chorus_lifecycle::{idea::IdeaEvent, proposal::ProposalEvent, task::TaskEvent};

/// How an event of an idea is made to happen.
pub(crate) const fn idea(event: IdeaEvent) -> &'static str {
    match event {
        IdeaEvent::Claim => "claim it (chorus_claim_idea)",
        IdeaEvent::Assign => "assign it (chorus_pm_assign_idea)",
        IdeaEvent::StartRound => "ask questions (chorus_pm_start_elaboration)",
        IdeaEvent::AnswerLast => "answer them (chorus_answer_elaboration)",
        IdeaEvent::Skip => "skip the questions (chorus_pm_skip_elaboration)",
        IdeaEvent::Resolve => "accept the answers (chorus_pm_validate_elaboration)",
        IdeaEvent::Release => "give it back (chorus_release_idea)",
    }
}

/// How an event of a proposal is made to happen.
pub(crate) const fn proposal(event: ProposalEvent) -> &'static str {
    match event {
        ProposalEvent::Edit => "change its drafts (chorus_pm_add_document_draft, chorus_pm_add_task_draft)",
        ProposalEvent::Submit => "submit it (chorus_pm_submit_proposal)",
        ProposalEvent::Approve => "approve it (chorus_admin_approve_proposal)",
        ProposalEvent::Reject => "send it back (chorus_pm_reject_proposal)",
        ProposalEvent::Close => "turn it down (chorus_admin_close_proposal)",
        ProposalEvent::Revoke => "take the approval back (chorus_pm_revoke_proposal)",
    }
}

/// How an event of a task is made to happen; nothing for one that happens to its proposal or its
/// assignee.
pub(crate) const fn task(event: TaskEvent) -> Option<&'static str> {
    Some(match event {
        TaskEvent::Claim => "claim it (chorus_claim_task)",
        TaskEvent::Assign => "assign it (chorus_pm_assign_task)",
        TaskEvent::Release => "give it back (chorus_release_task)",
        TaskEvent::Start => "begin it (chorus_update_task with `in_progress`)",
        TaskEvent::Resume => "take it back to work (chorus_update_task with `in_progress`)",
        TaskEvent::Submit => "submit it (chorus_submit_for_verify)",
        TaskEvent::Verify => "accept it (chorus_admin_verify_task)",
        TaskEvent::Reopen => "send it back (chorus_admin_reopen_task)",
        TaskEvent::Close => "close it (chorus_admin_close_task)",
        TaskEvent::Revoke | TaskEvent::Vacate => return None,
    })
}

/// The ways as a part of a sentence; `otherwise` where there are none.
pub(crate) fn listed(ways: &[&str], otherwise: &str) -> String {
    match ways {
        [] => otherwise.to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_names_a_tool() {
        let ways = IdeaEvent::ALL.into_iter().map(idea).chain(ProposalEvent::ALL.into_iter().map(proposal));
        for way in ways.chain(TaskEvent::ALL.into_iter().filter_map(task)) {
            assert!(way.contains("(chorus_") && way.ends_with(')'), "{way}");
        }
    }

    #[test]
    fn ways_are_listed_as_people_write() {
        assert_eq!(listed(&[], "nothing"), "nothing");
        assert_eq!(listed(&["a"], ""), "a");
        assert_eq!(listed(&["a", "b", "c"], ""), "a, b or c");
    }
}
