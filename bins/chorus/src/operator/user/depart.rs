//! `chorus user suspend`, `chorus user remove` and `chorus user resume`.

use async_trait::async_trait;
use chorus_app::{
    Call,
    person::{self, Departed, Departure, Passed, Resumed},
};
use chorus_domain::Batch;
use chorus_ids::Uuid;
use chorus_store::{Outcome, Result, Tx};
use serde::Serialize;

use super::find;
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        CompanyArgs, FormatArgs, parting,
        use_case::{UseCase, carry_out},
    },
    output,
};

/// Somebody goes, for a while or for good.
pub(super) struct Depart {
    email: String,
    company: CompanyArgs,
    departure: Departure,
    yes: bool,
}

impl Depart {
    pub(super) fn new(email: String, company: CompanyArgs, departure: Departure, yes: bool) -> Self {
        Self { email, company, departure, yes }
    }
}

#[async_trait]
impl UseCase for Depart {
    type Answer = Departed;

    fn name(&self) -> &'static str {
        match self.departure {
            Departure::Suspension => "user suspend",
            Departure::Removal => "user remove",
        }
    }

    fn company(&self) -> &CompanyArgs {
        &self.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Departed>> {
        let user = find(tx, call.caller.company, &self.email).await?;
        let outcome = person::depart(call, tx, user.id, self.departure).await?;
        Ok(if self.yes { outcome } else { Outcome { batch: Batch::default(), ..outcome } })
    }
}

/// What is said about a departure.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    user_uuid: String,
    email: Option<String>,
    name: String,
    applied: bool,
    /// Since when they were suspended before.
    suspended_at: Option<String>,
    agents: Vec<AgentLine>,
    keys_stopped: u64,
    sessions_closed: u64,
    /// What they alone administered.
    passed: Vec<PassedLine>,
    #[serde(flatten)]
    held: parting::Told,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentLine {
    agent_uuid: String,
    name: String,
}

#[derive(Serialize)]
struct PassedLine {
    #[serde(rename = "type")]
    kind: &'static str,
    uuid: Uuid,
    name: String,
    /// Who answers for it afterwards.
    to: String,
}

impl From<Passed> for PassedLine {
    fn from(passed: Passed) -> Self {
        Self { kind: passed.kind.as_str(), uuid: passed.id, name: passed.name, to: passed.to }
    }
}

impl Told {
    fn of(departed: Departed, applied: bool) -> Self {
        let Departed { user, agents, parting, keys, sessions, passed } = departed;
        Self {
            user_uuid: user.id.to_string(),
            name: user.display_name().to_owned(),
            applied,
            suspended_at: user.suspended_at.map(|at| at.to_string()),
            agents: agents
                .into_iter()
                .map(|agent| AgentLine { agent_uuid: agent.id.to_string(), name: agent.name })
                .collect(),
            keys_stopped: keys,
            sessions_closed: sessions,
            passed: passed.into_iter().map(PassedLine::from).collect(),
            held: parting.into(),
            email: user.email,
        }
    }

    fn text(&self, departure: Departure) -> String {
        let (name, uuid) = (&self.name, &self.user_uuid);
        if departure == Departure::Suspension && self.suspended_at.is_some() {
            return format!("{name}, {uuid}, is suspended already.");
        }
        let does = match (departure, self.applied) {
            (Departure::Suspension, true) => "Suspended",
            (Departure::Suspension, false) => "This would suspend",
            (Departure::Removal, true) => "Removed",
            (Departure::Removal, false) => "This would remove",
        };
        let mut lines = vec![format!(
            "{does} {name}, {uuid}. Keys that stop working: {}. Sessions that end: {}.",
            self.keys_stopped, self.sessions_closed
        )];
        if !self.agents.is_empty() {
            let agents: Vec<&str> = self.agents.iter().map(|agent| agent.name.as_str()).collect();
            let fate = match departure {
                Departure::Suspension => "Agents that are not let in either",
                Departure::Removal => "Agents that go too",
            };
            lines.push(format!("{fate}: {}.", agents.join(", ")));
        }
        for passed in &self.passed {
            let kind = passed.kind.replace('_', " ");
            let (name, to) = (&passed.name, &passed.to);
            lines.push(format!("They alone administer the {kind} {name}, which passes to {to}."));
        }
        lines.extend(self.held.lines("Free for others then:", "their"));
        if !self.applied {
            lines.push("Nothing was changed. Repeat the command with --yes to do it.".to_owned());
        }
        lines.join("\n")
    }
}

pub(super) async fn run(place: &Place, depart: Depart, format: FormatArgs) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let (departure, yes) = (depart.departure, depart.yes);
    let told = Told::of(carry_out(&services, depart).await?, yes);
    output::answer(format.format(), &told, || told.text(departure))
}

/// Somebody comes back.
struct Resume {
    email: String,
    company: CompanyArgs,
}

#[async_trait]
impl UseCase for Resume {
    type Answer = Resumed;

    fn name(&self) -> &'static str {
        "user resume"
    }

    fn company(&self) -> &CompanyArgs {
        &self.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Resumed>> {
        let user = find(tx, call.caller.company, &self.email).await?;
        person::resume(call, tx, user.id).await
    }
}

/// What is said about somebody who is back.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Back {
    user_uuid: String,
    email: Option<String>,
    name: String,
    /// False if they were not suspended.
    resumed: bool,
    agents: usize,
    projects: usize,
    groups: usize,
}

pub(super) async fn resume(
    place: &Place,
    email: String,
    company: CompanyArgs,
    format: FormatArgs,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let Resumed { user, agents, roles } = carry_out(&services, Resume { email, company }).await?;
    let back = Back {
        user_uuid: user.id.to_string(),
        name: user.display_name().to_owned(),
        resumed: user.suspended_at.is_some(),
        agents,
        projects: roles.projects.len(),
        groups: roles.groups.len(),
        email: user.email,
    };
    output::answer(format.format(), &back, || {
        let (name, uuid) = (&back.name, &back.user_uuid);
        if !back.resumed {
            return format!("{name}, {uuid}, is not suspended.");
        }
        format!(
            "{name}, {uuid}, is let in again. Agents whose keys work again: {}. Roles that count again: {} in projects, {} \
             in groups.",
            back.agents, back.projects, back.groups
        )
    })
}
