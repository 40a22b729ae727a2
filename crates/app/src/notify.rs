//! Who is told about what a batch holds (data model specification §6, README decision 26).

use std::collections::{BTreeMap, BTreeSet};

use chorus_domain::{
    Batch, Kind, Party, Subject,
    notification::{Notice, Notification, Recipient, Topic},
};
use chorus_ids::ProjectId;
use chorus_store::{Addressee, Result, Tx};

use crate::Call;

mod damping;

/// The notifications of a batch: each notice goes once to everybody it concerns, but not to the actor, nor to those
/// who can't see the project or turned the topic off. Mentions that two agents keep sending each other are damped.
///
/// # Errors
/// What the store reports.
pub async fn address(call: &Call, tx: &mut dyn Tx, batch: &Batch) -> Result<Vec<Notification>> {
    let notices = batch.notices.as_slice();
    // What is told of a project that goes belongs to no project, or it would go with it.
    let gone: BTreeSet<ProjectId> = batch.deleted_projects().collect();
    let mut audiences = BTreeMap::new();
    let mut names = BTreeMap::new();
    for project in notices.iter().map(|notice| notice.project).collect::<BTreeSet<ProjectId>>() {
        let recipients: BTreeSet<Recipient> = notices
            .iter()
            .filter(|notice| notice.project == project)
            .flat_map(|notice| notice.to.iter().copied())
            .collect();
        let recipients: Vec<Recipient> = recipients.into_iter().collect();
        let mut audience: BTreeMap<Recipient, Vec<Addressee>> = BTreeMap::new();
        for (recipient, addressee) in tx.directory().audience(project, &recipients).await? {
            audience.entry(recipient).or_default().push(addressee);
        }
        audiences.insert(project, audience);
        names.insert(project, project_name(call, tx, project).await?);
    }
    let mut notifications = Vec::new();
    let mut mentions = Vec::new();
    for notice in notices {
        let audience = audiences.get(&notice.project);
        let concerned = notice.to.iter().filter_map(|recipient| audience?.get(recipient)).flatten();
        let mut told = BTreeSet::new();
        for addressee in concerned {
            if wants(addressee, notice) && Subject::from(addressee.party) != call.caller.subject {
                told.insert(addressee.party);
            }
        }
        told.extend(notice.to.iter().filter_map(|recipient| entitled(call, *recipient)));
        let project_name = names.get(&notice.project).map_or("", String::as_str);
        let home = (!gone.contains(&notice.project)).then_some((notice.project, project_name));
        let addressed = told.into_iter().map(|party| notification(call, notice, party, home));
        if notice.topic == Topic::Mentioned {
            mentions.extend(addressed);
        } else {
            notifications.extend(addressed);
        }
    }
    notifications.extend(damping::damped(call, tx, mentions).await?);
    Ok(notifications)
}

/// Somebody who is told whatever access they had before the batch.
fn entitled(call: &Call, recipient: Recipient) -> Option<Party> {
    match recipient {
        Recipient::Entitled(user) => {
            Some(Party::User(user)).filter(|party| Subject::from(*party) != call.caller.subject)
        }
        Recipient::Party(_) | Recipient::OwnerOf(_) | Recipient::ProjectAdmins => None,
    }
}

fn wants(addressee: &Addressee, notice: &Notice) -> bool {
    notice.topic.preference().is_none_or(|preference| !addressee.muted.contains(&preference))
}

/// What a project is called; of one that the call did not name, such as that of a waiting task which was moved.
async fn project_name(call: &Call, tx: &mut dyn Tx, project: ProjectId) -> Result<String> {
    if let Some(granted) = call.granted.project(project) {
        return Ok(granted.name.clone());
    }
    let located = tx.directory().locate(&call.caller.principal, &[(Kind::Project, project.uuid())]).await?;
    Ok(located.into_iter().next().map(|place| place.project_name).unwrap_or_default())
}

fn notification(call: &Call, notice: &Notice, recipient: Party, home: Option<(ProjectId, &str)>) -> Notification {
    let (project, project_name) = home.unzip();
    Notification {
        id: call.new_id(),
        company: call.caller.company,
        recipient,
        project,
        project_name: project_name.unwrap_or_default().to_owned(),
        entity: notice.entity,
        entity_id: notice.entity_id,
        entity_title: notice.entity_title.clone(),
        topic: notice.topic,
        message: notice.message.clone(),
        actor: call.caller.subject,
        actor_name: call.caller.name.clone(),
        count: 1,
        read_at: None,
        archived_at: None,
        created_at: call.now,
    }
}
