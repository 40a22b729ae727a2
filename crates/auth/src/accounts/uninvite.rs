//! Invitations that are taken back.

use chorus_domain::{
    Party, Write,
    event::Change,
    identity::{FormerUser, User},
};
use chorus_ids::Timestamp;
use chorus_store::{Hold, Reach, Result, Tx};

use super::act::hold;

/// What becomes of somebody whose invitation is taken back.
#[derive(Debug)]
pub struct Uninvited {
    /// What to write.
    pub writes: Vec<Write>,
    /// What whoever listens is told about the person.
    pub change: Change,
}

impl Uninvited {
    /// Whether the person goes with the invitation.
    pub fn is_removed(&self) -> bool {
        self.change == Change::Deleted
    }
}

/// Takes the invitation of somebody back: its link no longer works. Whoever never came in and has nothing yet, no role, no
/// agent and no work, goes with it, so that their address is free. The person is held, so that nobody gives them anything
/// meanwhile.
///
/// # Errors
/// What the store reports.
pub async fn uninvite(tx: &mut dyn Tx, user: &User, now: Timestamp) -> Result<Uninvited> {
    hold(tx, user.id, Hold::Remove).await?;
    let mut writes = vec![Write::DropLinks(user.id)];
    if !is_untouched(tx, user).await? {
        return Ok(Uninvited { writes, change: Change::Updated });
    }
    let name = user.display_name().to_owned();
    writes.push(Write::RemoveUser(FormerUser { id: user.id, company: user.company, name, removed_at: now }));
    Ok(Uninvited { writes, change: Change::Deleted })
}

/// Whether somebody never came in, and nothing hangs on them. The only person of a company stays.
async fn is_untouched(tx: &mut dyn Tx, user: &User) -> Result<bool> {
    let came = user.password_hash.is_some() || user.suspended_at.is_some();
    if came || tx.accounts().links_of(user.id).await?.iter().any(|link| link.used_at.is_some()) {
        return Ok(false);
    }
    let roles = tx.directory().memberships(user.id).await?;
    if !roles.projects.is_empty() || !roles.groups.is_empty() || !tx.directory().agents_of(user.id).await?.is_empty() {
        return Ok(false);
    }
    let held = tx.directory().holdings(&[Party::User(user.id)], Reach::Everywhere).await?;
    let free = held.tasks.is_empty() && held.ideas.is_empty() && held.finished_tasks == 0;
    Ok(free && tx.operator().users(user.company).await?.iter().any(|other| other.id != user.id))
}
