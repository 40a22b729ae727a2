//! Companies, users, agents and keys, and the names that others see.

use chorus_domain::{
    Batch, Kind, Party, Write,
    access::Granted,
    idea::Idea,
    identity::{Agent, ApiKey, Company, FormerAgent, User},
    notification::Recipient,
    project::{Group, Project},
    proposal::Proposal,
    removal::{HeldIdea, Holdings, Proposed},
    task::Task,
};
use chorus_ids::{AgentId, CompanyId, KeyId, Timestamp, UserId};
use chorus_lifecycle::{proposal::ProposalStatus, task::TaskStatus};

use super::world::{DAWN, SCRIPTS, Shared, World, at_once, sorted};
use crate::{AgentProfile, Credential, Hold, KeyRow, Mentionables, PersonName, Reach, Roots};

async fn users(w: &World) -> Vec<User> {
    w.read().await.operator().users(w.company).await.unwrap()
}

async fn keys(w: &World) -> Vec<KeyRow> {
    w.read().await.operator().keys(w.company, None).await.unwrap()
}

async fn credential(w: &World, hash: &str) -> Option<Credential> {
    w.read().await.directory().credential(hash).await.unwrap()
}

/// Notes a use of the key in a unit of its own.
async fn note_use(w: &World, key: KeyId, at: Timestamp) {
    let mut tx = w.begin().await;
    tx.operator().note_key_use(key, at).await.unwrap();
    tx.commit().await.unwrap();
}

pub async fn an_empty_database_has_no_company(store: &Shared) {
    assert_eq!(store.read().await.unwrap().operator().companies().await.unwrap(), []);
}

pub async fn companies_are_listed_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let company = |name: &str, created_at| Company { id: w.id(), name: name.into(), created_at };
    let young = w.put(company(SCRIPTS, w.tick())).await;
    let old = w.put(company("Old", DAWN)).await;
    let listed = w.read().await.operator().companies().await.unwrap();
    assert_eq!([&listed[0], &listed[2]], [&old, &young]);
    assert_eq!((listed.len(), listed[1].id), (3, w.company));
}

pub async fn users_round_trip_oldest_first(store: &Shared) {
    let w = World::new(store).await;
    let bare = w.put(User { email: None, name: None, ..w.new_user() }).await;
    let full = w
        .put(User {
            email: Some("Someone.Élan@Example.invalid".into()),
            name: Some(SCRIPTS.into()),
            password_hash: Some("$argon2id$v=19$x".into()),
            created_at: DAWN,
            ..w.new_user()
        })
        .await;
    let other = w.abroad().await;
    let listed = users(&w).await;
    assert_eq!([&listed[0], &listed[3]], [&full, &bare]);
    assert_eq!(listed.iter().map(|user| user.id).collect::<Vec<_>>(), [full.id, w.first, w.user, bare.id]);
    assert_eq!(users(&other).await.len(), 2);
}

pub async fn an_address_is_found_without_case_and_in_its_company_only(store: &Shared) {
    let w = World::new(store).await;
    let user = w.put(User { email: Some("Ada.Müller@Example.invalid".into()), ..w.new_user() }).await;
    let other = w.abroad().await;
    for (company, email, found) in [
        (w.company, "Ada.Müller@Example.invalid", true),
        (w.company, "ADA.MÜLLER@EXAMPLE.INVALID", true),
        (w.company, "ada.müller@example.invalid", true),
        (w.company, "ada.muller@example.invalid", false),
        (w.company, "ada.müller@example.invali_", false),
        (w.company, "", false),
        (other.company, "Ada.Müller@Example.invalid", false),
    ] {
        let expected = found.then(|| user.clone());
        assert_eq!(w.read().await.operator().user_by_email(company, email).await.unwrap(), expected, "{email}");
    }
}

pub async fn one_address_may_be_used_in_two_companies_and_none_by_many(store: &Shared) {
    let w = World::new(store).await;
    let other = w.abroad().await;
    for world in [&w, &other] {
        world.put(User { email: Some("same@example.invalid".into()), ..world.new_user() }).await;
        world.put(User { email: None, ..world.new_user() }).await;
        world.put(User { email: None, ..world.new_user() }).await;
        assert_eq!(users(world).await.len(), 5);
    }
}

pub async fn a_password_is_replaced(store: &Shared) {
    let w = World::new(store).await;
    for hash in ["$argon2id$one", "$argon2id$two"] {
        w.write([Write::SetPassword(w.user, hash.into())]).await;
        let hashes: Vec<_> = users(&w).await.into_iter().map(|user| (user.id, user.password_hash)).collect();
        assert_eq!(hashes, [(w.first, None), (w.user, Some(hash.to_owned()))]);
    }
}

pub async fn a_credential_is_the_key_its_agent_and_the_first_user(store: &Shared) {
    let w = World::new(store).await;
    let agent = w
        .put(Agent {
            name: SCRIPTS.into(),
            roles: vec!["pm_agent".into(), "an old name".into()],
            permissions: vec!["task:admin".into()],
            persona: Some(SCRIPTS.into()),
            system_prompt: Some(SCRIPTS.into()),
            last_active_at: Some(w.tick()),
            ..w.new_agent()
        })
        .await;
    let key = w
        .put(ApiKey {
            name: Some(SCRIPTS.into()),
            last_used: Some(w.tick()),
            expires_at: Some(w.tick()),
            revoked_at: Some(w.tick()),
            ..w.new_key(agent.id)
        })
        .await;
    let abroad = w.abroad().await;
    let foreign = abroad.put(abroad.new_key(abroad.agent)).await;
    let first_user = Some(w.first);
    assert_eq!(
        credential(&w, &key.hash).await,
        Some(Credential { key: Some(key), agent: agent.clone(), owner_suspended: None, first_user })
    );
    assert_eq!(credential(&w, &foreign.hash).await.unwrap().first_user, Some(abroad.first));
    for unknown in ["", "unknown", &foreign.hash.to_uppercase()] {
        assert_eq!(credential(&w, unknown).await, None, "{unknown}");
    }
    let keyless = w.read().await.directory().agent_credential(agent.id).await.unwrap();
    assert_eq!(keyless, Some(Credential { key: None, agent, owner_suspended: None, first_user }));
    assert_eq!(w.read().await.directory().agent_credential(w.id()).await.unwrap(), None);
}

pub async fn an_ownerless_agent_has_a_credential_too(store: &Shared) {
    let w = World::new(store).await;
    let agent = w.put(Agent { owner: None, ..w.new_agent() }).await;
    let key = w.put(w.new_key(agent.id)).await;
    let found = credential(&w, &key.hash).await.unwrap();
    assert_eq!((found.agent, found.first_user), (agent, Some(w.first)));
}

pub async fn the_first_user_is_the_earliest_then_the_one_with_the_lowest_id(store: &Shared) {
    let w = World::new(store).await;
    let company = w.put(Company { id: w.id(), name: "New".into(), created_at: w.tick() }).await.id;
    let agent = w.put(Agent { company, owner: None, ..w.new_agent() }).await;
    let first = async || w.read().await.directory().agent_credential(agent.id).await.unwrap().unwrap().first_user;
    assert_eq!(first().await, None);
    let user = |id: UserId, created_at| User { id, company, created_at, ..w.new_user() };
    let (low, high): (UserId, UserId) = (w.id(), w.id());
    for (id, created_at, expected) in [(w.id(), w.tick(), None), (high, DAWN, Some(high)), (low, DAWN, Some(low))] {
        w.put(user(id, created_at)).await;
        assert_eq!(first().await, expected.or(Some(id)));
    }
}

pub async fn a_revoked_key_says_since_when(store: &Shared) {
    let w = World::new(store).await;
    let (key, kept) = (w.put(w.new_key(w.agent)).await, w.put(w.new_key(w.agent)).await);
    let now = w.tick();
    w.write([Write::RevokeKey(key.id, now)]).await;
    let revoked = ApiKey { revoked_at: Some(now), ..key };
    assert_eq!(credential(&w, &revoked.hash).await.unwrap().key, Some(revoked));
    assert_eq!(credential(&w, &kept.hash).await.unwrap().key, Some(kept));
}

pub async fn keys_are_listed_of_one_agent_or_of_all(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(Agent { name: "Other".into(), ..w.new_agent() }).await;
    let name = w.read().await.directory().profile(w.agent, DAWN).await.unwrap().unwrap().agent.name;
    let old = w.put(w.new_key(w.agent)).await;
    let theirs = w.put(w.new_key(other.id)).await;
    let revoked = w.put(ApiKey { revoked_at: Some(w.tick()), ..w.new_key(w.agent) }).await;
    let abroad = w.abroad().await;
    abroad.put(abroad.new_key(abroad.agent)).await;
    let row = |key: &ApiKey, agent_name: &str| KeyRow { key: key.clone(), agent_name: agent_name.into() };
    let mine = [row(&old, &name), row(&revoked, &name)];
    assert_eq!(keys(&w).await, [row(&old, &name), row(&theirs, "Other"), row(&revoked, &name)]);
    let of = async |agent| w.read().await.operator().keys(w.company, Some(agent)).await.unwrap();
    assert_eq!(of(w.agent).await, mine);
    assert_eq!(of(abroad.agent).await, []);
}

pub async fn use_of_a_key_is_noted_at_most_once_a_minute(store: &Shared) {
    const SECOND: i64 = 1_000_000;
    let w = World::new(store).await;
    let key = w.put(w.new_key(w.agent)).await;
    let start = w.tick();
    for (seconds, noted) in [(0, 0), (1, 0), (59, 0), (61, 61), (100, 61), (122, 122)] {
        note_use(&w, key.id, start.plus_micros(seconds * SECOND)).await;
        let last = credential(&w, &key.hash).await.unwrap().key.unwrap().last_used;
        assert_eq!(last, Some(start.plus_micros(noted * SECOND)), "after {seconds} s");
    }
    note_use(&w, w.id(), start).await;
}

pub async fn agents_are_listed_with_their_owners_addresses(store: &Shared) {
    let w = World::new(store).await;
    let ownerless = w.put(Agent { owner: None, ..w.new_agent() }).await;
    let nameless = w.put(User { email: None, ..w.new_user() }).await;
    let silent = w.put(Agent { owner: Some(nameless.id), ..w.new_agent() }).await;
    w.abroad().await;
    let listed = w.read().await.operator().agents(w.company).await.unwrap();
    let email = users(&w).await.into_iter().find(|user| user.id == w.user).unwrap().email;
    assert_eq!(listed[1..], [(ownerless, None), (silent, None)]);
    assert_eq!((listed[0].0.id, &listed[0].1), (w.agent, &email));
}

pub async fn what_the_operator_names_is_found_by_id_or_by_its_whole_name(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let agent = |name: &str| Agent { name: name.into(), ..w.new_agent() };
    let (one, twin, other) = (w.put(agent(SCRIPTS)).await, w.put(agent("Twin")).await, w.put(agent("Twin")).await);
    let foreign = abroad.put(Agent { name: "Twin".into(), ..abroad.new_agent() }).await;
    // A name may look like an id.
    let sly = w.put(agent(&one.id.to_string())).await;
    let mut reads = w.read().await;
    for (wanted, expected) in [
        (SCRIPTS, &[one.id][..]),
        ("Twin", &[twin.id, other.id]),
        (&twin.id.to_string(), &[twin.id]),
        (&one.id.to_string(), &[one.id, sly.id]),
        ("twin", &[]),
        ("Twi", &[]),
        ("", &[]),
        (&foreign.id.to_string(), &[]),
    ] {
        let found = reads.operator().agents_called(w.company, wanted).await.unwrap();
        assert_eq!(found.iter().map(|(agent, _)| agent.id).collect::<Vec<_>>(), expected, "{wanted}");
    }
    let owner = reads.operator().agents_called(w.company, "Twin").await.unwrap().remove(0).1;
    assert_eq!(owner, users(&w).await.into_iter().find(|user| user.id == w.user).unwrap().email);

    let project = w.put(Project { name: SCRIPTS.into(), ..w.new_project() }).await;
    let group = w.put(Group { name: SCRIPTS.into(), ..w.new_group() }).await;
    for wanted in [SCRIPTS, &project.id.to_string()] {
        let found = reads.operator().projects_called(w.company, wanted).await.unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), [&project], "{wanted}");
        assert_eq!(reads.operator().projects_called(abroad.company, wanted).await.unwrap(), [], "{wanted}");
    }
    for wanted in [SCRIPTS, &group.id.to_string()] {
        let found = reads.operator().groups_called(w.company, wanted).await.unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), [&group], "{wanted}");
        assert_eq!(reads.operator().groups_called(abroad.company, wanted).await.unwrap(), [], "{wanted}");
    }
    let key = w.put(w.new_key(w.agent)).await;
    assert_eq!(reads.operator().key(w.company, key.id).await.unwrap(), Some(key.clone()));
    assert_eq!(reads.operator().key(abroad.company, key.id).await.unwrap(), None);
}

pub async fn checking_in_touches_the_agent_alone(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_agent()).await;
    let now = w.tick();
    w.write([Write::TouchAgent(w.agent, now)]).await;
    let active =
        async |agent| w.read().await.directory().profile(agent, DAWN).await.unwrap().unwrap().agent.last_active_at;
    assert_eq!((active(w.agent).await, active(other.id).await), (Some(now), None));
}

pub async fn a_profile_is_the_agent_and_its_owner(store: &Shared) {
    let w = World::new(store).await;
    let ownerless = w.put(Agent { owner: None, ..w.new_agent() }).await;
    let owned = w.put(w.new_agent()).await;
    let owner = users(&w).await.into_iter().find(|user| user.id == w.user);
    let profile = async |agent: AgentId| w.read().await.directory().profile(agent, DAWN).await.unwrap();
    assert_eq!(profile(owned.id).await, Some(AgentProfile { agent: owned, owner, active_sessions: 0 }));
    assert_eq!(profile(ownerless.id).await, Some(AgentProfile { agent: ownerless, owner: None, active_sessions: 0 }));
    assert_eq!(profile(w.id()).await, None);
}

pub async fn names_are_those_of_the_scopes_company(store: &Shared) {
    let w = World::new(store).await;
    let named = w.put(User { name: Some(SCRIPTS.into()), ..w.new_user() }).await;
    let addressed = w.put(User { name: None, email: Some("Only@example.invalid".into()), ..w.new_user() }).await;
    let unknown = w.put(User { name: None, email: None, ..w.new_user() }).await;
    let agent = w.put(Agent { name: "Machine".into(), ..w.new_agent() }).await;
    let abroad = w.abroad().await;
    let expected = [
        (Party::User(named.id), SCRIPTS),
        (Party::User(addressed.id), "Only@example.invalid"),
        (Party::User(unknown.id), "Unknown"),
        (Party::Agent(agent.id), "Machine"),
    ];
    let mut asked: Vec<Party> = expected.iter().map(|(party, _)| *party).collect();
    asked.extend([Party::User(named.id), Party::User(abroad.user), Party::Agent(abroad.agent)]);
    asked.extend([Party::User(w.id()), Party::Agent(w.id()), Party::Agent(AgentId::from_uuid(named.id.uuid()))]);
    let names = w.read().await.names(&w.scope(), &asked).await.unwrap();
    let expected = expected.map(|(party, name)| PersonName { party, name: name.into() });
    assert_eq!(sorted(names), sorted(expected.into()));
    assert_eq!(w.read().await.names(&w.scope(), &[]).await.unwrap(), []);
    let seen = abroad.read().await.names(&abroad.scope(), &asked).await.unwrap();
    assert_eq!(
        sorted(seen.into_iter().map(|name| name.party).collect()),
        [Party::Agent(abroad.agent), Party::User(abroad.user)]
    );
}

pub async fn a_saved_agent_keeps_its_times(store: &Shared) {
    let w = World::new(store).await;
    let agent = w.put(Agent { last_active_at: Some(w.tick()), ..w.new_agent() }).await;
    let other = w.put(w.new_agent()).await;
    let saved = Agent {
        name: SCRIPTS.into(),
        roles: vec!["pm_agent".into()],
        permissions: vec!["task:admin".into()],
        persona: Some(SCRIPTS.into()),
        system_prompt: Some(SCRIPTS.into()),
        owner: Some(w.first),
        ..agent
    };
    let changed = Agent { created_at: DAWN, last_active_at: None, ..saved.clone() };
    w.write([Write::SaveAgent(changed)]).await;
    // It is found by its new name.
    let piece = Some(SCRIPTS.chars().take(2).collect());
    let wanted = Mentionables { piece, seeing: None, active_since: DAWN, limit: 5 };
    let found = w.read().await.mentionables(&w.scope_of(w.first), &wanted).await.unwrap();
    assert_eq!(found.into_iter().map(|found| found.party).collect::<Vec<_>>(), [Party::Agent(saved.id)]);
    let profile = async |id| w.read().await.directory().profile(id, DAWN).await.unwrap().unwrap().agent;
    assert_eq!((profile(saved.id).await, profile(other.id).await), (saved, other));
}

pub async fn holdings_are_what_an_agent_holds_and_what_it_comes_in_with(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_agent()).await.id;
    let task = |status, holder| Task {
        status,
        assignee: w.held_by(holder),
        description: Some(SCRIPTS.into()),
        ..w.new_task(w.project)
    };
    let mine: Vec<Task> = [TaskStatus::Assigned, TaskStatus::InProgress, TaskStatus::ToVerify]
        .map(|status| task(status, w.by()))
        .to_vec();
    let finished = [TaskStatus::Done, TaskStatus::Closed].map(|status| task(status, w.by()));
    let theirs = [task(TaskStatus::Assigned, Party::Agent(other)), task(TaskStatus::Assigned, Party::User(w.user))];
    w.put_all(mine.iter().cloned().chain(finished).chain(theirs).chain([w.new_task(w.project)])).await;

    let idea = |holder| Idea { assignee: w.held_by(holder), content: Some(SCRIPTS.into()), ..w.new_idea(w.project) };
    let (approved, pending) = (w.put(idea(w.by())).await, w.put(idea(w.by())).await);
    w.put(idea(Party::Agent(other))).await;
    let proposal = |idea: &Idea, status| Proposal { status, ..w.new_proposal(w.project, &[idea.id]) };
    w.put(proposal(&approved, ProposalStatus::Approved)).await;
    w.put(proposal(&approved, ProposalStatus::Closed)).await;
    w.put(proposal(&pending, ProposalStatus::Pending)).await;

    w.put(w.new_key(w.agent)).await;
    w.put(ApiKey { revoked_at: Some(w.tick()), ..w.new_key(w.agent) }).await;
    w.put(w.new_key(other)).await;
    let held = w.read().await.directory().holdings(&[w.by()], Reach::Everywhere).await.unwrap();
    let expected = Holdings {
        tasks: mine,
        ideas: vec![
            HeldIdea { idea: approved, proposed: Proposed::Approved },
            HeldIdea { idea: pending, proposed: Proposed::NotYet },
        ],
        checkins: Vec::new(),
        finished_tasks: 2,
        keys: 1,
        sessions: 0,
    };
    assert_eq!(held, expected);
    let nobody = [Party::Agent(w.id())];
    let found = w.read().await.directory().holdings(&nobody, Reach::Everywhere).await.unwrap();
    assert_eq!(found, Holdings::default());
}

/// The agent's row goes.
fn removal(w: &World, agent: &Agent) -> Write {
    let (id, company, name) = (agent.id, agent.company, agent.name.clone());
    Write::RemoveAgents(vec![FormerAgent { id, company, name, removed_at: w.tick() }])
}

pub async fn a_removed_agent_leaves_its_name_and_nothing_else(store: &Shared) {
    let w = World::new(store).await;
    let agent = w.put(Agent { name: SCRIPTS.into(), ..w.new_agent() }).await;
    let party = Party::Agent(agent.id);
    let (key, kept) = (w.put(w.new_key(agent.id)).await, w.put(w.new_key(w.agent)).await);
    let done = Task { status: TaskStatus::Done, assignee: w.held_by(party), ..w.new_task(w.project) };
    let done = w.put(Task { created_by: party, ..done }).await;
    w.notify([w.new_notification(party, w.project), w.new_notification(w.by(), w.project)]).await;
    w.write([removal(&w, &agent)]).await;

    let mut reads = w.read().await;
    assert_eq!(reads.directory().agent_credential(agent.id).await.unwrap(), None);
    assert_eq!(reads.directory().profile(agent.id, DAWN).await.unwrap(), None);
    assert_eq!(reads.directory().credential(&key.hash).await.unwrap(), None);
    let listed = reads.operator().agents(w.company).await.unwrap();
    assert_eq!(listed.iter().map(|(agent, _)| agent.id).collect::<Vec<_>>(), [w.agent]);
    let keys = reads.operator().keys(w.company, None).await.unwrap();
    assert_eq!(keys.iter().map(|row| row.key.id).collect::<Vec<_>>(), [kept.id]);
    // Nobody is addressed any more, and what it made is as it was.
    assert_eq!(reads.directory().audience(w.project, &[Recipient::Party(party)]).await.unwrap(), []);
    assert_eq!(reads.unread(&w.scope(), party, 5).await.unwrap().unread, 0);
    assert_eq!(reads.unread(&w.scope(), w.by(), 5).await.unwrap().unread, 1);
    assert_eq!(reads.task(&w.scope(), done.id).await.unwrap(), Some(done));
    let names = reads.names(&w.scope(), &[party, w.by()]).await.unwrap();
    assert!(names.contains(&PersonName { party, name: SCRIPTS.into() }), "{names:?}");
    assert_eq!(names.len(), 2);
    let abroad = w.abroad().await;
    assert_eq!(reads.names(&abroad.scope(), &[party]).await.unwrap(), []);
}

pub async fn whoever_is_kept_is_not_removed_meanwhile(store: &Shared) {
    let w = World::new(store).await;
    let agent = w.put(w.new_agent()).await;
    let (party, stranger) = (Party::Agent(agent.id), Party::Agent(w.id()));
    let mut keeper = w.begin().await;
    let kept = keeper.keep(&[party, stranger, Party::User(w.user), Party::User(w.id())]).await.unwrap();
    assert_eq!(sorted(kept), [party, Party::User(w.user)]);
    let (other, write) = (store.clone(), removal(&w, &agent));
    let id = agent.id.uuid();
    let removing = tokio::spawn(async move {
        let mut tx = other.begin().await?;
        let mut roots = Roots::default();
        roots.add(Kind::Agent, id, Hold::Remove);
        tx.lock(&roots).await?;
        tx.apply(&Granted::operator(), &Batch { writes: vec![write], ..Batch::default() }, &[]).await?;
        tx.commit().await
    });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert!(!removing.is_finished(), "it waits for whoever keeps the agent");
    keeper.commit().await.unwrap();
    removing.await.unwrap().unwrap();
    let mut late = w.begin().await;
    assert_eq!(late.keep(&[party]).await.unwrap(), []);
    late.rollback().await.unwrap();
}

pub async fn an_unknown_company_has_nobody(store: &Shared) {
    let w = World::new(store).await;
    let (nowhere, mut reads) = (w.id::<CompanyId>(), w.read().await);
    let operator = reads.operator();
    assert_eq!(operator.users(nowhere).await.unwrap(), []);
    assert_eq!(operator.agents(nowhere).await.unwrap(), []);
    assert_eq!(operator.keys(nowhere, None).await.unwrap(), []);
}

pub async fn one_of_several_first_runs_sets_the_database_up(store: &Shared) {
    let made = at_once(4, |index| {
        let store = store.clone();
        async move {
            let mut tx = store.begin().await?;
            tx.lock_setup().await?;
            if !tx.operator().companies().await?.is_empty() {
                return tx.rollback().await.map(|()| false);
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            let id = CompanyId::from_u128(index as u128 + 1);
            let company = Company { id, name: format!("Company {index}"), created_at: DAWN };
            let batch = Batch { writes: vec![Write::NewCompany(company)], ..Batch::default() };
            tx.apply(&Granted::operator(), &batch, &[]).await?;
            tx.commit().await.map(|()| true)
        }
    })
    .await;
    assert_eq!(made.into_iter().filter(|made| *made.as_ref().unwrap()).count(), 1);
    assert_eq!(store.read().await.unwrap().operator().companies().await.unwrap().len(), 1);
}
