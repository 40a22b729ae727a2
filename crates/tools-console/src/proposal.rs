//! What a draft of a proposal says about itself, and the end of a proposal that nothing came of.

use async_trait::async_trait;
use chorus_app::{
    Call,
    proposal::{delete::delete, redraft::edit},
};
use chorus_dispatch::{Access, At, Hints, Requirement, Tool, WriteTool, tool::write};
use chorus_domain::{Code, Kind, proposal::ProposalEdit};
use chorus_ids::{ProposalId, Uuid};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_tools::tools::deleted::DeletedView;
use chorus_visibility::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Renames and describes a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditProposal {
    /// The proposal; it must be `draft`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
    /// Its new title, not blank.
    title: Option<String>,
    /// What it is about from now on; empty for nothing.
    description: Option<String>,
    /// The `version` you saw: refused if it is stale.
    #[schemars(range(min = 1))]
    expected_version: Option<i32>,
}

/// A proposal that was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditedProposal {
    /// Its id.
    #[schemars(with = "Uuid")]
    uuid: ProposalId,
    /// What it is called.
    title: String,
    /// Its version now.
    version: i32,
}

#[async_trait]
impl WriteTool for EditProposal {
    type Output = EditedProposal;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<EditedProposal>> {
        let said = ProposalEdit { title: self.title, description: self.description };
        let edited = edit(call, tx, self.proposal_uuid, (said, self.expected_version)).await?;
        Ok(edited.map(|proposal| EditedProposal {
            uuid: proposal.id,
            title: proposal.title,
            version: proposal.version,
        }))
    }
}

/// Deletes a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteProposal {
    /// The proposal; it must be `draft` or `closed`.
    #[schemars(with = "Uuid")]
    proposal_uuid: ProposalId,
}

#[async_trait]
impl WriteTool for DeleteProposal {
    type Output = DeletedView;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<DeletedView>> {
        Ok(delete(call, tx, self.proposal_uuid).await?.map(DeletedView::of))
    }
}

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_edit_proposal",
        family: "proposal",
        title: "Change a proposal",
        description: "Change the title and the description of a `draft` proposal.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("proposalUuid", Kind::Proposal, Need::Editor).held(Hold::Own)]),
        hints: Hints::SETS,
        refuses: &[
            (Code::InvalidState, "the proposal is no draft"),
            (Code::PreconditionFailed, "`expectedVersion` is not the current version"),
        ],
        example: r#"{
            "proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004",
            "title": "Local copy with merge",
            "expectedVersion": 3
        }"#,
        run: write::<EditProposal>(),
    },
    Tool {
        name: "console_delete_proposal",
        family: "proposal",
        title: "Delete a proposal",
        description: "Delete a `draft` or `closed` proposal for good, with its drafts, comments and references.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(&[At::id("proposalUuid", Kind::Proposal, Need::Editor).held(Hold::Remove)]),
        hints: Hints::ENDS,
        refuses: &[(Code::InvalidState, "the proposal is pending or approved")],
        example: r#"{"proposalUuid": "0192f3a0-7d4c-7b1e-9a55-000000000004"}"#,
        run: write::<DeleteProposal>(),
    },
];
