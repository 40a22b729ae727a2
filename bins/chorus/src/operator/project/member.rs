//! `chorus project member`.

use async_trait::async_trait;
use chorus_app::{
    Call,
    member::{MemberChanged, Members, change, list as list_members},
};
use chorus_domain::Batch;
use chorus_store::{Hold, Outcome, Result, Tx};
use chorus_visibility::{MemberChange, MemberWrite, Role};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::{RoleArg, Which, find, hold::hold};
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        FormatArgs,
        company::CompanyArgs,
        parting::ReleasedLine,
        use_case::{UseCase, carry_out},
        user,
    },
    output::{self, Format},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make somebody a member; it takes effect at once
    Add {
        #[command(flatten)]
        who: Who,
        /// What they may do: read, write too, or also manage access
        #[arg(long, value_enum)]
        role: RoleArg,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Give a member another role
    Update {
        #[command(flatten)]
        who: Who,
        /// What they may do from now on
        #[arg(long, value_enum)]
        role: RoleArg,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// End a membership; what somebody has from the project's group stays
    Remove {
        #[command(flatten)]
        who: Who,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List everybody with a role in a project, and where they have it from
    List {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        format: FormatArgs,
    },
}

/// A person and a project.
#[derive(Args, Clone, Debug)]
pub(crate) struct Who {
    #[command(flatten)]
    which: Which,
    /// Their e-mail address
    #[arg(long, value_name = "EMAIL")]
    user: String,
}

/// What to do with somebody.
#[derive(Clone, Copy, Debug)]
enum Act {
    Add(Role),
    Update(Role),
    Remove,
}

struct ChangeMember {
    who: Who,
    act: Act,
}

/// What is said about a membership.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    project_uuid: String,
    user_uuid: String,
    email: Option<String>,
    name: String,
    role: Option<&'static str>,
    changed: bool,
    /// What they and their agents had to let go of.
    released: ReleasedLine,
}

#[async_trait]
impl UseCase for ChangeMember {
    type Answer = Told;

    fn name(&self) -> &'static str {
        match self.act {
            Act::Add(_) => "project member add",
            Act::Update(_) => "project member update",
            Act::Remove => "project member remove",
        }
    }

    fn company(&self) -> &CompanyArgs {
        &self.who.which.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Told>> {
        let project = find(tx, call.caller.company, &self.who.which.project).await?.id;
        let user = match self.act {
            Act::Add(_) | Act::Update(_) => user::find_present(tx, call.caller.company, &self.who.user).await?,
            Act::Remove => user::find(tx, call.caller.company, &self.who.user).await?,
        };
        hold(call, tx, project, (Hold::Own, None)).await?;
        let (wanted, role) = match self.act {
            Act::Add(role) => (MemberChange::Add { user: user.id, role }, Some(role)),
            Act::Update(role) => (MemberChange::SetRole { user: user.id, role }, Some(role)),
            Act::Remove => (MemberChange::Remove { user: user.id }, None),
        };
        let outcome = change(call, tx, project, wanted).await?;
        Ok(outcome.map(|MemberChanged { written, released }| Told {
            project_uuid: project.to_string(),
            user_uuid: user.id.to_string(),
            name: user.display_name().to_owned(),
            email: user.email,
            role: role.map(Role::as_str),
            changed: written != MemberWrite::Unchanged,
            released: released.into(),
        }))
    }
}

struct ListMembers {
    which: Which,
}

#[async_trait]
impl UseCase for ListMembers {
    type Answer = Members;

    fn name(&self) -> &'static str {
        "project member list"
    }

    fn company(&self) -> &CompanyArgs {
        &self.which.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Members>> {
        let project = find(tx, call.caller.company, &self.which.project).await?.id;
        Ok(Outcome { batch: Batch::default(), answer: list_members(call, tx, project).await? })
    }
}

pub(super) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add { who, role, format } => act(place, who, Act::Add(role.into()), format.format()).await,
        Command::Update { who, role, format } => act(place, who, Act::Update(role.into()), format.format()).await,
        Command::Remove { who, format } => act(place, who, Act::Remove, format.format()).await,
        Command::List { which, format } => list(place, which, format.format()).await,
    }
}

async fn act(place: &Place, who: Who, act: Act, format: Format) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let told = carry_out(&services, ChangeMember { who, act }).await?;
    output::answer(format, &told, || {
        let mut text = match (told.role, told.changed) {
            (Some(role), true) => format!("{} is {role} of the project {} now.", told.name, told.project_uuid),
            (Some(role), false) => format!("{} is {role} of the project {} already.", told.name, told.project_uuid),
            (None, _) => format!("{} is no member of the project {} any more.", told.name, told.project_uuid),
        };
        text.extend(told.released.sentence("They let go of").map(|sentence| format!("\n{sentence}")));
        text
    })
}

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    user_uuid: String,
    name: String,
    email: Option<String>,
    role: &'static str,
    direct_role: Option<&'static str>,
    inherited_role: Option<&'static str>,
    source: &'static str,
    automatic_admin: bool,
}

async fn list(place: &Place, which: Which, format: Format) -> Result<(), Failure> {
    let services = place.open().await?;
    let Members { rows, people } = carry_out(&services, ListMembers { which }).await?;
    let members = rows.into_iter().map(|row| {
        let person = people.get(&row.user);
        Listed {
            user_uuid: row.user.to_string(),
            name: person.map_or_else(|| "Unknown".to_owned(), |person| person.name.clone()),
            email: person.and_then(|person| person.email.clone()),
            role: row.effective.as_str(),
            direct_role: row.direct.map(Role::as_str),
            inherited_role: row.inherited.map(Role::as_str),
            source: row.source.as_str(),
            automatic_admin: row.automatic_admin,
        }
    });
    let members: Vec<Listed> = members.collect();
    output::list(format, ("members", &members), ["E-MAIL", "NAME", "ROLE", "FROM"], |member| {
        [
            member.email.clone().unwrap_or_else(|| member.user_uuid.clone()),
            member.name.clone(),
            member.role.to_owned(),
            if member.automatic_admin { "stands in".to_owned() } else { member.source.to_owned() },
        ]
    })
}
