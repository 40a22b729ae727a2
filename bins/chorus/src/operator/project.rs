//! `chorus project`.

use chorus_domain::{Code, Refusal, group::Settings, project::Project};
use chorus_ids::{CompanyId, GroupId};
use chorus_store::Reads;
use chorus_visibility::{Role, Visibility};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use super::{
    FormatArgs, Sure,
    company::{CompanyArgs, workspace},
};
use crate::{database::Place, failure::Failure, output};

mod access;
mod hold;
mod manage;
mod member;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a project; `chorus project move` puts it into a group
    Create {
        /// What it is called
        #[arg(long)]
        name: String,
        /// What it is about
        #[arg(long)]
        description: Option<String>,
        /// Who sees it: the whole workspace, or its members only
        #[arg(long, value_enum, default_value_t = Shown::Public)]
        visibility: Shown,
        /// E-mail address of its administrator; a private project needs one
        #[arg(long, value_name = "EMAIL")]
        admin: Option<String>,
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List projects, those included that only their members see
    List {
        #[command(flatten)]
        company: CompanyArgs,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Give a project another name or description
    Rename {
        #[command(flatten)]
        which: Which,
        /// Its new name
        #[arg(long, required_unless_present = "description")]
        name: Option<String>,
        /// Its new description; an empty one takes it away
        #[arg(long)]
        description: Option<String>,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Tell what is in a project and, with --yes, delete it with everything in it, for good
    Delete {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        sure: Sure,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Say who has which role in a project
    #[command(subcommand)]
    Member(member::Command),
    /// Tell whose access another visibility would change and, with --yes, set it
    Visibility {
        #[command(flatten)]
        which: Which,
        /// Who shall see it: the whole workspace, or its members only
        #[arg(long, value_enum)]
        to: Shown,
        #[command(flatten)]
        sure: Sure,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Tell whose access a move to another group would change and, with --yes, make it
    Move {
        #[command(flatten)]
        which: Which,
        /// The group to be in, by name or UUID
        #[arg(long, value_name = "GROUP", required_unless_present = "no_group")]
        group: Option<String>,
        /// Take it out of its group; its members keep what they had from there
        #[arg(long, conflicts_with = "group")]
        no_group: bool,
        #[command(flatten)]
        sure: Sure,
        #[command(flatten)]
        format: FormatArgs,
    },
}

/// The project that a command is about.
#[derive(Args, Clone, Debug)]
pub(crate) struct Which {
    /// The project, by name or UUID
    #[arg(long)]
    project: String,
    #[command(flatten)]
    company: CompanyArgs,
}

/// Who sees a project, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shown {
    Public,
    Private,
}

impl From<Shown> for Visibility {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Public => Self::Public,
            Shown::Private => Self::Private,
        }
    }
}

/// A role, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    Viewer,
    Editor,
    Admin,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Viewer => Self::Viewer,
            RoleArg::Editor => Self::Editor,
            RoleArg::Admin => Self::Admin,
        }
    }
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { name, description, visibility, admin, company, format } => {
            if visibility == Shown::Private && admin.is_none() {
                return Err(Failure::usage("a private project needs --admin EMAIL: nobody else could let others in"));
            }
            manage::create(place, manage::Create { company, name, description, visibility, admin }, format.format())
                .await
        }
        Command::List { company, format } => list(place, &company, format).await,
        Command::Rename { which, name, description, format } => {
            manage::rename(place, which, Settings { name, description }, format.format()).await
        }
        Command::Delete { which, sure, format } => manage::delete(place, which, sure.yes, format.format()).await,
        Command::Member(command) => member::run(place, command).await,
        Command::Visibility { which, to, sure, format } => {
            access::visibility(place, which, to.into(), sure.yes, format.format()).await
        }
        Command::Move { which, group, no_group: _, sure, format } => {
            access::relocate(place, which, group, sure.yes, format.format()).await
        }
    }
}

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    project_uuid: String,
    name: String,
    visibility: &'static str,
    group_uuid: Option<String>,
    group_name: Option<String>,
    created_at: String,
}

async fn list(place: &Place, company: &CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut(), company).await?.id;
    let groups = reads.operator().all_groups(company).await?;
    let projects = reads.operator().all_projects(company).await?.into_iter().map(|project| Listed {
        project_uuid: project.id.to_string(),
        name: project.name,
        visibility: project.visibility.as_str(),
        group_uuid: project.group.map(|group| group.to_string()),
        group_name: groups.iter().find(|group| Some(group.id) == project.group).map(|group| group.name.clone()),
        created_at: project.created_at.to_string(),
    });
    let projects: Vec<Listed> = projects.collect();
    output::list(format.format(), ("projects", &projects), ["UUID", "NAME", "VISIBILITY", "GROUP"], |project| {
        let group = output::or_dash(project.group_name.as_deref());
        [project.project_uuid.clone(), project.name.clone(), project.visibility.to_owned(), group]
    })
}

/// The project of this id or name.
async fn find(reads: &mut dyn Reads, company: CompanyId, wanted: &str) -> chorus_store::Result<Project> {
    let found = reads.operator().projects_called(company, wanted).await?;
    Ok(only("project", wanted, found, |project| project.id.to_string())?)
}

/// The group of this id or name.
async fn find_group(reads: &mut dyn Reads, company: CompanyId, wanted: &str) -> chorus_store::Result<GroupId> {
    let found = reads.operator().groups_called(company, wanted).await?;
    Ok(only("group", wanted, found, |group| group.id.to_string())?.id)
}

/// The only one of these.
fn only<T>(what: &str, wanted: &str, mut found: Vec<T>, id: impl Fn(&T) -> String) -> Result<T, Refusal> {
    match (found.pop(), found.as_slice()) {
        (Some(one), []) => Ok(one),
        (Some(one), others) => {
            let ids: Vec<String> = others.iter().chain([&one]).map(id).collect();
            Err(Refusal::invalid(what, format_args!("`{wanted}` means several; name one of {}", ids.join(", "))))
        }
        (None, _) => {
            let hint = match what {
                "project" => " `chorus project list` shows those that exist.",
                _ => " `chorus project list` shows the groups of projects.",
            };
            Err(Refusal::new(Code::NotFound, format!("There is no {what} `{wanted}`.{hint}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_to_mean_one() {
        let pick = |found: Vec<u8>| only("project", "x", found, ToString::to_string).map_err(|refusal| refusal.text);
        assert_eq!(pick(vec![7]), Ok(7));
        assert!(pick(vec![1, 2]).is_err_and(|text| text.contains("name one of 1, 2")));
        assert!(pick(vec![]).is_err_and(|text| text.contains("chorus project list")));
    }
}
