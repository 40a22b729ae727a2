//! Who sees a project, and which group it is in. Both are told before they are done.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_app::{
    Call,
    leaving::Released,
    project::{
        place::{Moved, relocate as move_project},
        visibility::{Shown, set_visibility},
    },
};
use chorus_domain::{Batch, group::Settings, membership::Person, membership::Step, project::Project};
use chorus_ids::{GroupId, UserId};
use chorus_store::{Error, Hold, Outcome, Result, Tx};
use chorus_visibility::{ProjectImpact, Visibility};
use serde::Serialize;

use super::{Which, find, find_group, hold::hold};
use crate::{
    database::Place,
    failure::Failure,
    operator::{
        company::CompanyArgs,
        parting::ReleasedLine,
        use_case::{UseCase, carry_out},
    },
    output::{self, Format},
};

/// What a change of access does, and whether it was made.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Impact {
    project_uuid: String,
    name: String,
    applied: bool,
    from_visibility: &'static str,
    visibility: &'static str,
    from_group_uuid: Option<String>,
    group_uuid: Option<String>,
    changes: Vec<Change>,
    gained_access_count: usize,
    lost_access_count: usize,
    /// What those let go of who can't edit any more.
    released: ReleasedLine,
}

/// One person's role before and after.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    user_uuid: String,
    name: String,
    email: Option<String>,
    before_role: &'static str,
    after_role: &'static str,
}

impl Impact {
    fn of(
        project: &Project,
        group: Option<GroupId>,
        (impact, released): (&ProjectImpact, Released),
        people: Option<&BTreeMap<UserId, Person>>,
        applied: bool,
    ) -> Self {
        let person = |user: UserId| people.and_then(|people| people.get(&user));
        let summary = impact.summary();
        Self {
            project_uuid: project.id.to_string(),
            name: project.name.clone(),
            applied,
            from_visibility: impact.from.as_str(),
            visibility: impact.to.as_str(),
            from_group_uuid: project.group.map(|group| group.to_string()),
            group_uuid: group.map(|group| group.to_string()),
            changes: impact
                .changes
                .iter()
                .map(|change| Change {
                    user_uuid: change.user.to_string(),
                    name: person(change.user).map_or_else(|| "Unknown".to_owned(), |person| person.name.clone()),
                    email: person(change.user).and_then(|person| person.email.clone()),
                    before_role: change.before.as_str(),
                    after_role: change.after.as_str(),
                })
                .collect(),
            gained_access_count: summary.gained_access,
            lost_access_count: summary.lost_access,
            released: released.into(),
        }
    }

    fn tell(&self, did: &str) -> String {
        let mut lines = vec![format!("{did} {}, {}.", self.name, self.project_uuid)];
        if self.from_visibility == self.visibility {
            lines.push(format!("It {} {}.", if self.applied { "is still" } else { "would stay" }, self.visibility));
        } else {
            let verb = if self.applied { "was" } else { "is" };
            lines.push(format!(
                "It {verb} {} and {} {}.",
                self.from_visibility,
                if self.applied { "is now" } else { "would become" },
                self.visibility
            ));
        }
        if self.changes.is_empty() {
            lines.push("Nobody's role changes.".to_owned());
        } else {
            let row = |change: &Change| {
                [
                    change.name.clone(),
                    change.email.clone().unwrap_or_else(|| "-".to_owned()),
                    change.before_role.to_owned(),
                    change.after_role.to_owned(),
                ]
            };
            let rows: Vec<_> = self.changes.iter().map(row).collect();
            lines.push(output::table(["NAME", "E-MAIL", "BEFORE", "AFTER"], &rows).trim_end().to_owned());
        }
        let who =
            if self.applied { "Those who can't edit any more let go of" } else { "Who can't edit then lets go of" };
        lines.extend(self.released.sentence(who));
        if !self.applied {
            lines.push("Nothing was changed. Repeat the command with --yes to do it.".to_owned());
        }
        lines.join("\n")
    }
}

/// Keeps what a step that applies wants written; a preview that came in its place is a fault of ours.
fn unexpected() -> Error {
    Error::internal("a preview and a change were mixed up")
}

struct SetVisibility {
    which: Which,
    to: Visibility,
    yes: bool,
}

#[async_trait]
impl UseCase for SetVisibility {
    type Answer = Impact;

    fn name(&self) -> &'static str {
        "project visibility"
    }

    fn company(&self) -> &CompanyArgs {
        &self.which.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Impact>> {
        let project = find(tx, call.caller.company, &self.which.project).await?;
        hold(call, tx, project.id, (Hold::Own, None)).await?;
        let none = Settings::default;
        let asked = set_visibility(call, tx, project.id, self.to, none(), Step::Preview).await?.answer;
        let Shown::Preview(preview) = asked else { return Err(unexpected()) };
        let people = preview.people.as_ref();
        let answer = Impact::of(&project, project.group, (&preview.plan.impact, preview.released), people, self.yes);
        if !self.yes {
            return Ok(Outcome { batch: Batch::default(), answer });
        }
        let step = Step::Apply(Some(preview.token));
        Ok(set_visibility(call, tx, project.id, self.to, none(), step).await?.map(|_| answer))
    }
}

pub(super) async fn visibility(
    place: &Place,
    which: Which,
    to: Visibility,
    yes: bool,
    format: Format,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let impact = carry_out(&services, SetVisibility { which, to, yes }).await?;
    let did = if yes { "Set the visibility of" } else { "This would set the visibility of" };
    output::answer(format, &impact, || impact.tell(did))
}

struct Relocate {
    which: Which,
    group: Option<String>,
    yes: bool,
}

#[async_trait]
impl UseCase for Relocate {
    type Answer = Impact;

    fn name(&self) -> &'static str {
        "project move"
    }

    fn company(&self) -> &CompanyArgs {
        &self.which.company
    }

    async fn run(&self, call: &Call, tx: &mut dyn Tx) -> Result<Outcome<Impact>> {
        let project = find(tx, call.caller.company, &self.which.project).await?;
        let target = match &self.group {
            None => None,
            Some(group) => Some(find_group(tx, call.caller.company, group).await?),
        };
        hold(call, tx, project.id, (Hold::Own, target)).await?;
        let asked = move_project(call, tx, project.id, target, Step::Preview).await?.answer;
        let Moved::Preview(preview) = asked else { return Err(unexpected()) };
        let people = preview.people.as_ref();
        let answer = Impact::of(&project, target, (&preview.plan.project.impact, preview.released), people, self.yes);
        if !self.yes {
            return Ok(Outcome { batch: Batch::default(), answer });
        }
        let step = Step::Apply(Some(preview.token));
        Ok(move_project(call, tx, project.id, target, step).await?.map(|_| answer))
    }
}

pub(super) async fn relocate(
    place: &Place,
    which: Which,
    group: Option<String>,
    yes: bool,
    format: Format,
) -> Result<(), Failure> {
    let services = place.open_migrated().await?;
    let impact = carry_out(&services, Relocate { which, group, yes }).await?;
    output::answer(format, &impact, || impact.tell(if yes { "Moved" } else { "This would move" }))
}
