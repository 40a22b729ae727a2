//! Closing a proposal for good, taking an approval back, and deleting what nothing hangs on (lifecycle specification §4.1,
//! §4.5).

use chorus_ids::Timestamp;
use chorus_lifecycle::proposal::ProposalEvent;
use serde_json::json;

use super::{Proposal, Review, review::require_maker_or_admin};
use crate::{
    Caller, Code, Party, Refusal,
    text::{self, Use},
};

/// Turns a pending proposal down for good.
///
/// # Errors
/// `invalid_arguments` for a blank note; `invalid_state` unless it is pending.
pub fn close(proposal: &Proposal, note: &str, by: Party, now: Timestamp) -> Result<Proposal, Refusal> {
    Refusal::unless_fine(text::check("reviewNote", note, Use::Note).err().into_iter().collect())?;
    let status = proposal.after(ProposalEvent::Close, "Only a pending proposal is closed.")?;
    let review = Some(Review { by, note: Some(note.to_owned()), at: now });
    Ok(Proposal { review, ..proposal.moved(status, now) })
}

/// Takes the approval of a proposal back: it is a draft again, its drafts as they were. What the approval made is undone
/// beside this.
///
/// # Errors
/// `invalid_arguments` for a note that can't be stored; `forbidden` unless the caller made it or holds
/// `proposal:admin`; `invalid_state` unless it is approved.
pub fn revoke(
    proposal: &Proposal,
    note: Option<String>,
    (caller, by): (&Caller, Party),
    now: Timestamp,
) -> Result<Proposal, Refusal> {
    let check = text::check("reviewNote", note.as_deref().unwrap_or_default(), Use::Body);
    Refusal::unless_fine(check.err().into_iter().collect())?;
    require_maker_or_admin(proposal, (caller, by), "revoke")?;
    let status = proposal.after(ProposalEvent::Revoke, "Only an approved proposal is revoked.")?;
    let review = Some(Review { by, note: text::present(note), at: now });
    Ok(Proposal { review, ..proposal.moved(status, now) })
}

/// A proposal that may be deleted: nobody waits for it, and nothing is there because of it.
///
/// # Errors
/// `invalid_state` while it is pending or approved.
pub fn deletable(proposal: Proposal) -> Result<Proposal, Refusal> {
    if proposal.status.is_deletable() {
        return Ok(proposal);
    }
    let text = format!(
        "The proposal is `{}`; only a draft or a closed one is deleted. Reject, close or revoke it first.",
        proposal.status
    );
    Err(Refusal::new(Code::InvalidState, text).with(json!({ "status": proposal.status.as_str() })))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_lifecycle::proposal::ProposalStatus;

    use super::{super::drafting::tests::in_status, *};
    use crate::{
        Code,
        idea::fixtures::{LATER, agent, owner, reviewer, someone, strange_agent},
    };

    #[test]
    fn only_a_pending_proposal_is_closed_and_with_a_reason() {
        for status in ProposalStatus::ALL {
            let closed = close(&in_status(status), "Too late", someone(), LATER);
            if status == ProposalStatus::Pending {
                let closed = closed.unwrap();
                assert_eq!((closed.status, closed.version), (ProposalStatus::Closed, 2));
                let review = Review { by: someone(), note: Some("Too late".into()), at: LATER };
                assert_eq!(closed.review, Some(review));
            } else {
                assert_eq!(closed.unwrap_err().code, Code::InvalidState, "{status}");
            }
        }
        let blank = close(&in_status(ProposalStatus::Pending), " \n", someone(), LATER).unwrap_err();
        assert_eq!(blank.code, Code::InvalidArguments);
    }

    #[test]
    fn what_waits_or_was_approved_is_not_deleted() {
        let codes = ProposalStatus::ALL.map(|status| deletable(in_status(status)).err().map(|refusal| refusal.code));
        assert_eq!(codes, [None, Some(Code::InvalidState), Some(Code::InvalidState), None]);
    }

    #[test]
    fn only_an_approved_proposal_is_revoked_by_its_maker_or_a_proposal_admin() {
        for status in ProposalStatus::ALL {
            let by = agent().subject.party().unwrap();
            let revoked = revoke(&in_status(status), None, (&agent(), by), LATER);
            if status == ProposalStatus::Approved {
                let revoked = revoked.unwrap();
                assert_eq!((revoked.status, revoked.version), (ProposalStatus::Draft, 2));
                assert_eq!(revoked.review, Some(Review { by, note: None, at: LATER }));
            } else {
                assert_eq!(revoked.unwrap_err().code, Code::InvalidState, "{status}");
            }
        }
        let approved = in_status(ProposalStatus::Approved);
        let code = |caller: &Caller, proposal: &Proposal| {
            let by = caller.subject.party().unwrap();
            revoke(proposal, Some("Why".into()), (caller, by), LATER).map(|p| p.status).map_err(|r| r.code)
        };
        assert_eq!(code(&reviewer(), &approved), Ok(ProposalStatus::Draft));
        assert_eq!(code(&strange_agent(), &approved), Err(Code::Forbidden));
        // Whose agent it is does not matter.
        assert_eq!(code(&agent(), &Proposal { created_by: owner(), ..approved }), Err(Code::Forbidden));
    }
}
