//! Members of projects (visibility specification §6.2).

use async_trait::async_trait;
use chorus_app::{Call, leaving::Released, member::change};
use chorus_dispatch::{
    Access, At, Hints, Requirement, Tool, WriteTool,
    tool::{Destructive, Idempotent, write},
};
use chorus_domain::{Code, Kind};
use chorus_ids::{ProjectId, UserId, Uuid};
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_tools::{tools::group::access::ReleasedView, words};
use chorus_visibility::{MemberChange, Need, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes somebody a member of a project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddMember {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// Anybody of the company.
    #[schemars(with = "Uuid")]
    user_uuid: UserId,
    /// What they may do.
    #[schemars(schema_with = "words::role")]
    role: Role,
}

/// Gives a member of a project another role.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SetRole {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// A member of its own; who has a role from the group is not one.
    #[schemars(with = "Uuid")]
    user_uuid: UserId,
    /// What they may do from now on.
    #[schemars(schema_with = "words::role")]
    role: Role,
}

/// Ends a membership.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RemoveMember {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// A member of its own.
    #[schemars(with = "Uuid")]
    user_uuid: UserId,
}

/// A membership that was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Changed {
    /// The project.
    #[schemars(with = "Uuid")]
    project_uuid: ProjectId,
    /// The member.
    #[schemars(with = "Uuid")]
    user_uuid: UserId,
    /// What the member and their agents had to let go of.
    released: ReleasedView,
}

async fn changed(
    call: &Call,
    tx: &mut dyn Tx,
    project: ProjectId,
    (user, wanted): (UserId, MemberChange),
) -> Result<Outcome<Changed>> {
    let outcome = change(call, tx, project, wanted).await?;
    let view = |released: Released| Changed { project_uuid: project, user_uuid: user, released: released.into() };
    Ok(outcome.map(|changed| view(changed.released)))
}

#[async_trait]
impl WriteTool for AddMember {
    type Output = Changed;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Changed>> {
        let Self { project_uuid, user_uuid: user, role } = self;
        changed(call, tx, project_uuid, (user, MemberChange::Add { user, role })).await
    }
}

#[async_trait]
impl WriteTool for SetRole {
    type Output = Changed;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Changed>> {
        let Self { project_uuid, user_uuid: user, role } = self;
        changed(call, tx, project_uuid, (user, MemberChange::SetRole { user, role })).await
    }
}

#[async_trait]
impl WriteTool for RemoveMember {
    type Output = Changed;

    async fn run(self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Changed>> {
        let Self { project_uuid, user_uuid: user } = self;
        changed(call, tx, project_uuid, (user, MemberChange::Remove { user })).await
    }
}

/// Where the ids stand: the project is owned, since what people hold in it may be freed.
const IDS: &[At] = &[
    At::id("projectUuid", Kind::Project, Need::Admin).held(Hold::Own).owning_project(),
    At::Part { path: "userUuid", reason: "anybody of the company, looked up among its people" },
];

/// The rows of this file.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "console_add_project_member",
        family: "member",
        title: "Add a member",
        description: "Make somebody of the company a member of a project, with a role. It takes effect at once.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(IDS),
        hints: Hints::ADDS,
        refuses: &[
            (Code::NotFound, "the user is not in the company"),
            (Code::AlreadyMember, "the user is a member already"),
            (Code::LastAdmin, "the user stands in as administrator, and would have a lower role"),
        ],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "userUuid": "0192f3a0-7d4c-7b1e-9a55-000000000009",
            "role": "editor"
        }"#,
        run: write::<AddMember>(),
    },
    Tool {
        name: "console_set_project_role",
        family: "member",
        title: "Change a role",
        description: "Give a member of a project another role. Who can't edit any more lets go of what they hold there.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(IDS),
        hints: Hints { destructive: Destructive::Yes, idempotent: Idempotent::Yes },
        refuses: &[
            (Code::NotFound, "the user has no membership of their own in the project"),
            (Code::LastAdmin, "the project would be left without an administrator"),
        ],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "userUuid": "0192f3a0-7d4c-7b1e-9a55-000000000009",
            "role": "viewer"
        }"#,
        run: write::<SetRole>(),
    },
    Tool {
        name: "console_remove_project_member",
        family: "member",
        title: "Remove a member",
        description: "End a membership in a project. Who can't edit any more lets go of what they hold there.",
        requirement: Requirement::PUBLIC,
        access: Access::resource(IDS),
        hints: Hints::ENDS,
        refuses: &[
            (Code::NotFound, "the user has no membership of their own in the project"),
            (Code::LastAdmin, "the project would be left without an administrator"),
        ],
        example: r#"{
            "projectUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001",
            "userUuid": "0192f3a0-7d4c-7b1e-9a55-000000000009"
        }"#,
        run: write::<RemoveMember>(),
    },
];
