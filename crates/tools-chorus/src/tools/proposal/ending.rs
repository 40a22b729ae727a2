//! Tools that close a proposal for good, and take an approval back.

use async_trait::async_trait;
use chorus_app::{
    Call,
    proposal::ending::{self, Revoked},
};
use chorus_dispatch::{Access, At, Expand, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind};
use chorus_ids::{ProposalId, Uuid};
use chorus_permissions::{PROPOSAL_ADMIN, PROPOSAL_WRITE};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PROPOSAL, basic, show::Basic};

/// Takes an approval back.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RevokeProposal {
    /// The proposal; it must be `approved`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// Why it is taken back.
    review_note: Option<String>,
}

/// A proposal that is a draft again, and what was undone.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RevokedProposal {
    #[serde(flatten)]
    proposal: Basic,
    closed_tasks: Vec<Undone>,
    deleted_documents: Vec<Undone>,
}

#[derive(Serialize, JsonSchema)]
struct Undone {
    uuid: Uuid,
    title: String,
}

#[async_trait]
impl WriteTool for RevokeProposal {
    type Output = RevokedProposal;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<RevokedProposal>> {
        let Outcome { batch, answer } = ending::revoke(call, tx, self.proposal_uuid, self.review_note).await?;
        let Revoked { proposal, closed, deleted } = answer;
        let answer = RevokedProposal {
            proposal: Basic::load(call, tx, proposal).await?,
            closed_tasks: closed.into_iter().map(|(id, title)| Undone { uuid: id.uuid(), title }).collect(),
            deleted_documents: deleted.into_iter().map(|(id, title)| Undone { uuid: id.uuid(), title }).collect(),
        };
        Ok(Outcome { batch, answer })
    }
}

/// Closes a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CloseProposal {
    /// The proposal; it must be `pending`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// Why it is turned down.
    review_note: String,
}

#[async_trait]
impl WriteTool for CloseProposal {
    type Output = Basic;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Basic>> {
        let closed = ending::close(call, tx, self.proposal_uuid, &self.review_note).await?;
        basic(call, tx, closed).await
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "chorus_pm_revoke_proposal",
        family: "proposal",
        title: "Revoke an approval",
        description: "Take back an `approved` proposal: it is `draft` again with its drafts, its tasks are closed for \
                      good, done ones too, and its documents deleted. For its maker and for holders of proposal:admin. \
                      Approving it again makes new tasks and documents.",
        requirement: Requirement::bit(PROPOSAL_WRITE),
        access: Access::resource(&[
            At::id("proposalUuid", Kind::Proposal, Need::Editor).held(Hold::Own).owning_project(),
            At::Via { path: "proposalUuid", expand: Expand::Results },
        ]),
        hints: Hints::ENDS,
        refuses: &[
            (Code::Forbidden, "the caller neither made it nor has `proposal:admin`"),
            (Code::InvalidState, "the proposal is not approved"),
        ],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004", "reviewNote": "We go another way"}"#,
        run: write::<RevokeProposal>(),
    },
    Tool {
        name: "chorus_admin_close_proposal",
        family: "proposal",
        title: "Close a proposal",
        description: "Turn a `pending` proposal down for good, with a reason. To have it reworked, use \
                      chorus_pm_reject_proposal instead.",
        requirement: Requirement::bit(PROPOSAL_ADMIN),
        access: Access::resource(&[PROPOSAL]),
        hints: Hints::ENDS,
        refuses: &[(Code::InvalidState, "the proposal is not pending")],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004", "reviewNote": "Overtaken"}"#,
        run: write::<CloseProposal>(),
    },
];
