//! `chorus user invitations` and `chorus user uninvite`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_auth::{
    Moment,
    accounts::{LinkKind, uninvite},
};
use chorus_domain::{Code, Kind, Refusal, Subject};
use chorus_ids::UserId;
use chorus_store::{Result, Tx};
use serde::Serialize;

use super::{Shown, named};
use crate::{
    database::Place,
    failure::Failure,
    operator::{CompanyArgs, Decision, FormatArgs, Operation, perform, workspace},
    output,
};

/// Most invitations that are listed.
const LISTED: u32 = 10_000;

/// A row of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    user_uuid: String,
    email: Option<String>,
    name: String,
    /// The address of whoever made it; nothing for the operator, and for who is gone.
    invited_by: Option<String>,
    created_at: String,
    expires_at: String,
}

pub(super) async fn list(place: &Place, company: &CompanyArgs, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open().await?;
    let mut reads = services.store.read().await?;
    let company = workspace(reads.as_mut(), company).await?.id;
    let users = reads.operator().users(company).await?;
    let addresses: BTreeMap<UserId, String> =
        users.into_iter().filter_map(|user| Some((user.id, user.email?))).collect();
    let open = reads.accounts().invitations(company, services.clock.now(), LISTED).await?;
    let open: Vec<Listed> = open
        .into_iter()
        .map(|(link, user)| Listed {
            user_uuid: user.id.to_string(),
            name: user.display_name().to_owned(),
            email: user.email,
            invited_by: match link.made_by {
                Subject::User(by) => addresses.get(&by).cloned(),
                Subject::Agent(_) | Subject::Operator => None,
            },
            created_at: link.created_at.to_string(),
            expires_at: link.expires_at.to_string(),
        })
        .collect();
    let heading = ["E-MAIL", "NAME", "INVITED BY", "MADE", "WORKS UNTIL"];
    output::list(format.format(), ("invitations", &open), heading, |row| {
        [
            output::or_dash(row.email.as_deref()),
            row.name.clone(),
            output::or_dash(row.invited_by.as_deref()),
            row.created_at.clone(),
            row.expires_at.clone(),
        ]
    })
}

/// What is said of an invitation that was taken back.
#[derive(Serialize)]
struct TakenBack {
    #[serde(flatten)]
    user: Shown,
    /// Whether the person went with it.
    removed: bool,
}

/// An invitation is taken back.
struct TakeBack {
    email: String,
    company: CompanyArgs,
}

#[async_trait]
impl Operation for TakeBack {
    const NAME: &'static str = "user uninvite";
    type Answer = TakenBack;

    async fn decide(&self, tx: &mut dyn Tx, moment: Moment<'_>) -> Result<Decision<TakenBack>> {
        let (company, user) = named(tx, &self.company, &self.email).await?;
        let links = tx.accounts().links_of(user.id).await?;
        let works = |kind| kind == LinkKind::Invitation;
        if !links.iter().any(|link| works(link.kind) && link.used_at.is_none() && link.expires_at > moment.now) {
            let text = format!(
                "There is no invitation of `{}` that still works. `chorus user invitations` lists all.",
                self.email
            );
            return Err(Refusal::new(Code::NotFound, text).into());
        }
        let taken = uninvite(tx, &user, moment.now).await?;
        let answer = TakenBack { user: Shown::of(&user), removed: taken.is_removed() };
        let changes = vec![(Kind::User, user.id.uuid(), taken.change)];
        Ok(Decision { company, writes: taken.writes, changes, answer })
    }
}

pub(super) async fn take_back(
    place: &Place,
    email: String,
    company: CompanyArgs,
    format: FormatArgs,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let done = perform(&services, TakeBack { email, company }).await?;
    output::answer(format.format(), &done, || {
        let (name, email) = (&done.user.name, &done.user.email);
        let stays = if done.removed { "They are removed" } else { "They stay in the list of people" };
        format!("The invitation of {name} <{email}> no longer works. {stays}.")
    })
}
