//! The agents of a company as everybody in it sees them, and the keys of one.

use chorus_domain::{
    Write,
    identity::{Agent, ApiKey, User},
};

use super::world::{SCRIPTS, Shared, WHOLE, World, items};
use crate::AgentLine;

pub async fn agents_are_listed_by_name_with_their_owners(store: &Shared) {
    let w = World::new(store).await;
    let named = w.put(User { name: Some(SCRIPTS.into()), ..w.new_user() }).await;
    let addressed = w.put(User { name: None, email: Some("only@example.invalid".into()), ..w.new_user() }).await;
    let abroad = w.abroad().await;
    let agent = async |name: &str, owner| w.put(Agent { name: name.into(), owner, ..w.new_agent() }).await;
    let first = agent("First", Some(named.id)).await;
    let second = agent(SCRIPTS, Some(addressed.id)).await;
    let third = agent("Third", None).await;
    let listed = items(w.read().await.agents(&w.scope(), &WHOLE).await.unwrap());
    let line = |agent: &Agent, owner| AgentLine {
        id: agent.id,
        name: agent.name.clone(),
        owner,
        created_at: agent.created_at,
    };
    let expected = [
        line(&third, None),
        line(&second, Some((addressed.id, "only@example.invalid".to_owned()))),
        line(&first, Some((named.id, SCRIPTS.to_owned()))),
    ];
    assert_eq!(listed[..3], expected);
    assert_eq!((listed[3].id, listed.len()), (w.agent, 4));
    let theirs = items(abroad.read().await.agents(&abroad.scope(), &WHOLE).await.unwrap());
    assert_eq!(theirs.into_iter().map(|line| line.id).collect::<Vec<_>>(), [abroad.agent]);
}

pub async fn the_keys_of_an_agent_are_those_that_were_not_revoked(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_agent()).await.id;
    let old = w.put(ApiKey { name: Some(SCRIPTS.into()), ..w.new_key(w.agent) }).await;
    let expired = w.put(ApiKey { expires_at: Some(w.tick()), ..w.new_key(w.agent) }).await;
    let revoked = w.put(w.new_key(w.agent)).await;
    let theirs = w.put(w.new_key(other)).await;
    w.write([Write::RevokeKey(revoked.id, w.tick())]).await;
    let keys = async |agent| w.read().await.directory().keys_of(agent).await.unwrap();
    assert_eq!(keys(w.agent).await, [expired, old]);
    assert_eq!(keys(other).await, [theirs]);
    assert_eq!(keys(w.id()).await, []);
}
