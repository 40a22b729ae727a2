//! `chorus company`, and which company other commands are about.

use async_trait::async_trait;
use chorus_auth::{Moment, create_company};
use chorus_domain::{Code, Refusal, Write, identity::Company};
use chorus_ids::CompanyId;
use chorus_store::{Reads, Result, Tx};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::{Decision, FormatArgs, Operation, perform};
use crate::{database::Place, failure::Failure, output, setup::WORKSPACE};

/// Which company a command is about.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CompanyArgs {
    /// Name or UUID of the company; needed only where there are several
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a company: people, agents and projects of one know nothing of another's
    ///
    /// Most servers need one only, which the first run makes. Where there are several, the commands for users, agents
    /// and keys ask for --company.
    #[command(after_help = "Example:\n  chorus company create --name \"Second team\"\n  chorus user create --company \
        \"Second team\" --email ada@example.com --name Ada")]
    Create {
        /// What it is called; no other company may have the name
        #[arg(long)]
        name: String,
        #[command(flatten)]
        format: FormatArgs,
    },
    /// List companies, oldest first
    List {
        #[command(flatten)]
        format: FormatArgs,
    },
}

pub(crate) async fn run(place: &Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { name, format } => {
            let services = place.open_migrated().await?;
            let created = perform(&services, Create { name }).await?;
            output::answer(format.format(), &created, || {
                format!("Added the company {}, {}.", created.name, created.company_uuid)
            })
        }
        Command::List { format } => list(place, format).await,
    }
}

/// What is said about a company.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    company_uuid: String,
    name: String,
    created_at: String,
}

impl Shown {
    fn of(company: &Company) -> Self {
        let (company_uuid, created_at) = (company.id.to_string(), company.created_at.to_string());
        Self { company_uuid, name: company.name.clone(), created_at }
    }
}

struct Create {
    name: String,
}

#[async_trait]
impl Operation for Create {
    const NAME: &'static str = "company create";
    type Answer = Shown;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<Shown>> {
        // Names are not unique in the database, since a first run may race with this.
        tx.lock_setup().await?;
        let company = create_company(moment, &self.name)?;
        let known = tx.operator().companies().await?;
        if known.iter().any(|known| same_name(&known.name, &company.name)) {
            let text = format!("There is a company `{}` already. Choose another name.", company.name);
            return Err(Refusal::new(Code::InvalidState, text).into());
        }
        let (id, answer) = (company.id, Shown::of(&company));
        Ok(Decision { company: id, writes: vec![Write::NewCompany(company)], changes: Vec::new(), answer })
    }
}

async fn list(place: &Place, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let companies: Vec<Shown> = reads.operator().companies().await?.iter().map(Shown::of).collect();
    output::list(format.format(), ("companies", &companies), ["UUID", "NAME", "CREATED"], |company| {
        [company.company_uuid.clone(), company.name.clone(), company.created_at.clone()]
    })
}

/// The company that a command is about: the one that is named, else the only one.
///
/// # Errors
/// There is none, none that is meant, or several and none is named.
pub(crate) async fn workspace(reads: &mut dyn Reads, wanted: &CompanyArgs) -> Result<Company> {
    let none = || {
        Refusal::new(
            Code::InvalidState,
            "There is no company yet. `chorus serve` makes one on its first run, and so does `chorus user create`.",
        )
    };
    Ok(existing(reads, wanted).await?.ok_or_else(none)?)
}

/// The same; where there is no company at all and none is named, a first one, which is written with what follows. Held until
/// then are a server's first run and other commands like this, so that none makes a second company or the same user.
///
/// # Errors
/// There is none that is meant, or several and none is named.
pub(super) async fn existing_or_first(
    tx: &mut dyn Tx,
    wanted: &CompanyArgs,
    moment: Moment<'_>,
    writes: &mut Vec<Write>,
) -> Result<CompanyId> {
    tx.lock_setup().await?;
    if let Some(company) = existing(tx, wanted).await? {
        return Ok(company.id);
    }
    let company = create_company(moment, WORKSPACE)?;
    let id = company.id;
    writes.push(Write::NewCompany(company));
    Ok(id)
}

async fn existing(reads: &mut dyn Reads, wanted: &CompanyArgs) -> Result<Option<Company>> {
    Ok(pick(reads.operator().companies().await?, wanted.company.as_deref())?)
}

fn pick(companies: Vec<Company>, wanted: Option<&str>) -> Result<Option<Company>, Refusal> {
    let all =
        companies.iter().map(|company| format!("{} ({})", company.name, company.id)).collect::<Vec<_>>().join(", ");
    let id = wanted.and_then(|wanted| wanted.parse::<CompanyId>().ok());
    let means =
        |company: &Company| wanted.is_none_or(|wanted| Some(company.id) == id || same_name(&company.name, wanted));
    let mut found: Vec<Company> = companies.into_iter().filter(means).collect();
    match (found.pop(), found.as_slice(), wanted) {
        (None, _, None) => Ok(None),
        (None, _, Some(wanted)) => Err(Refusal::new(
            Code::NotFound,
            format!("There is no company `{wanted}`. `chorus company list` shows those that exist."),
        )),
        (Some(company), [], _) => Ok(Some(company)),
        (Some(_), _, None) => Err(Refusal::invalid(
            "company",
            format_args!("must be named with --company, since there are several: {all}"),
        )),
        (Some(last), others, Some(wanted)) => {
            let ids: Vec<String> = others.iter().chain([&last]).map(|company| company.id.to_string()).collect();
            let text = format_args!("`{wanted}` means several; name one of {}", ids.join(", "));
            Err(Refusal::invalid("company", text))
        }
    }
}

fn same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use chorus_ids::Timestamp;

    use super::*;

    fn companies(names: &[&str]) -> Vec<Company> {
        let company = |(id, name): (u128, &&str)| Company {
            id: CompanyId::from_u128(id),
            name: (*name).to_owned(),
            created_at: Timestamp::from_micros(0),
        };
        (1..).zip(names).map(company).collect()
    }

    fn picked(names: &[&str], wanted: Option<&str>) -> Result<Option<CompanyId>, (Code, String)> {
        let picked = pick(companies(names), wanted).map_err(|refusal| (refusal.code, refusal.text))?;
        Ok(picked.map(|company| company.id))
    }

    #[test]
    fn the_only_company_need_not_be_named() {
        assert_eq!(picked(&[], None), Ok(None));
        assert_eq!(picked(&["a"], None), Ok(Some(CompanyId::from_u128(1))));
    }

    #[test]
    fn of_several_one_is_named_by_name_or_id() {
        let second = Ok(Some(CompanyId::from_u128(2)));
        assert_eq!(picked(&["a", "Große"], Some("große ")), second);
        assert_eq!(picked(&["a", "b"], Some("00000000-0000-0000-0000-000000000002")), second);
        let (code, text) = picked(&["a", "b"], None).err().unwrap_or((Code::Internal, String::new()));
        assert!(code == Code::InvalidArguments && text.contains("a (") && text.contains("b ("), "{text}");
        let (code, text) = picked(&["a", "A", "b"], Some("a")).err().unwrap_or((Code::Internal, String::new()));
        assert!(code == Code::InvalidArguments && text.contains("-000000000002"), "{text}");
    }

    #[test]
    fn a_name_that_means_nothing_is_not_passed_over() {
        for names in [&[][..], &["a"], &["a", "b"]] {
            assert_eq!(picked(names, Some("c")).map_err(|(code, _)| code), Err(Code::NotFound));
        }
    }
}
