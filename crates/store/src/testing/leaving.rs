//! People and agents who go, stay away for a while, or may not edit a project any more.

use chorus_domain::{
    Batch, Kind, Party, Write,
    access::Granted,
    idea::Idea,
    identity::{Agent, FormerAgent, FormerUser, User},
    notification::Recipient,
    project::Project,
    removal::{Absence, Absent, OpenCheckin, Stake},
    task::Task,
};
use chorus_ids::{AgentId, ProjectId, UserId};
use chorus_lifecycle::{idea::IdeaStatus, session::SessionStatus, task::TaskStatus};
use chorus_visibility::{Role, Visibility};

use super::world::{DAWN, SCRIPTS, Shared, World, assert_discreet, sorted};
use crate::{Error, Hold, Memberships, Mentionables, PersonName, Reach, Roots};

async fn held(w: &World, project: ProjectId, holder: Party, status: TaskStatus) -> Task {
    w.put(Task { status, assignee: w.held_by(holder), ..w.new_task(project) }).await
}

async fn absent(w: &World, parties: &[Party]) -> Vec<Absent> {
    sorted(w.read().await.directory().absent(w.company, parties).await.unwrap())
}

async fn first_user(w: &World) -> Option<UserId> {
    w.read().await.directory().agent_credential(w.agent).await.unwrap().unwrap().first_user
}

async fn suspend(w: &World, user: UserId) -> chorus_ids::Timestamp {
    let now = w.tick();
    w.write([Write::SuspendUser(user, now)]).await;
    now
}

pub async fn holdings_are_looked_for_in_some_projects_too(store: &Shared) {
    let w = World::new(store).await;
    let (other, person) = (w.put(w.new_project()).await.id, Party::User(w.user));
    let here = held(&w, w.project, w.by(), TaskStatus::Assigned).await;
    let there = held(&w, other, person, TaskStatus::InProgress).await;
    held(&w, other, w.by(), TaskStatus::Done).await;
    let idea = w.put(Idea { assignee: w.held_by(person), ..w.new_idea(w.project) }).await;
    let session = w.put(w.new_session()).await;
    w.put(w.new_checkin(session.id, there.id)).await;
    w.put(w.new_key(w.agent)).await;
    let parties = [w.by(), person];
    let mut reads = w.read().await;
    let everything = reads.directory().holdings(&parties, Reach::Everywhere).await.unwrap();
    assert_eq!(everything.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [here.id, there.id]);
    assert_eq!(everything.ideas.iter().map(|held| held.idea.id).collect::<Vec<_>>(), [idea.id]);
    let at = OpenCheckin { project: other, agent: w.agent, session: session.id, task: there.id };
    assert_eq!(everything.checkins, [at]);
    assert_eq!((everything.finished_tasks, everything.keys, everything.sessions), (1, 1, 1));

    let there_only = reads.directory().holdings(&parties, Reach::Projects(&[other])).await.unwrap();
    assert_eq!(there_only.tasks.iter().map(|task| task.id).collect::<Vec<_>>(), [there.id]);
    assert_eq!((there_only.ideas, there_only.checkins, there_only.finished_tasks), (vec![], vec![at], 1));
    assert_eq!((there_only.keys, there_only.sessions), (0, 0));
    // Of one of the two, the other's is not shown.
    let hers = reads.directory().holdings(&[person], Reach::Projects(&[w.project])).await.unwrap();
    assert_eq!((hers.tasks, hers.ideas.len(), hers.checkins), (vec![], 1, vec![]));
    for (parties, within) in [(&parties[..], Reach::Projects(&[])), (&[], Reach::Everywhere)] {
        assert_eq!(reads.directory().holdings(parties, within).await.unwrap(), Default::default());
    }
}

pub async fn stakes_are_those_of_whoever_has_something_unfinished_with_whose_access_counts(store: &Shared) {
    let w = World::new(store).await;
    let (other, person) = (w.put(w.new_project()).await.id, Party::User(w.user));
    let ownerless = w.put(Agent { owner: None, ..w.new_agent() }).await.id;
    for status in [TaskStatus::Assigned, TaskStatus::InProgress] {
        held(&w, w.project, w.by(), status).await;
    }
    let waiting = held(&w, w.project, person, TaskStatus::ToVerify).await;
    held(&w, w.project, person, TaskStatus::Done).await;
    held(&w, other, Party::Agent(ownerless), TaskStatus::Assigned).await;
    w.put(Idea { assignee: w.held_by(person), status: IdeaStatus::Elaborated, ..w.new_idea(other) }).await;
    // Whoever is at a task has a stake as well, as long as they are.
    let session = w.put(w.new_session()).await;
    w.put(w.new_checkin(session.id, waiting.id)).await;
    let stake = |project, party, principal| Stake { project, party, principal };
    let mine = stake(w.project, w.by(), Some(w.user));
    let expected = vec![mine, stake(other, Party::Agent(ownerless), None), stake(other, person, Some(w.user))];
    let found = async |projects: &[ProjectId]| sorted(w.read().await.directory().stakes(projects).await.unwrap());
    assert_eq!(found(&[w.project, other]).await, sorted(expected));
    assert_eq!(found(&[w.project]).await, [mine]);
    assert_eq!(found(&[]).await, []);
    let third = w.put(w.new_project()).await.id;
    let task = w.put(w.new_task(third)).await.id;
    w.put(w.new_checkin(session.id, task)).await;
    assert_eq!(found(&[third]).await, [stake(third, w.by(), Some(w.user))]);
    w.write([Write::EndCheckinsIn(third, vec![w.agent], w.tick())]).await;
    assert_eq!(found(&[third]).await, []);
    let still = w.read().await.checkins(&w.scope(), session.id).await.unwrap();
    assert_eq!(still.iter().map(|checkin| checkin.task).collect::<Vec<_>>(), [waiting.id]);
}

pub async fn a_suspended_person_is_nowhere_until_they_are_back(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    let hidden = w.put(Project { visibility: Visibility::Private, ..w.new_project() }).await.id;
    w.join(hidden, w.user, Role::Admin).await;
    w.join_group(group, w.user, Role::Viewer).await;
    w.join_group(group, w.first, Role::Admin).await;
    let (party, agent) = (Party::User(w.user), w.by());
    let roles = w.read().await.directory().memberships(w.user).await.unwrap();
    assert_eq!((roles.projects.len(), roles.groups.len()), (1, 1));
    let version =
        async || w.read().await.directory().groups_by_id(w.company, &[group]).await.unwrap()[0].access_version;
    let before = version().await;
    let since = suspend(&w, w.user).await;

    let mut reads = w.read().await;
    let user = reads.directory().user(w.user).await.unwrap().unwrap();
    assert_eq!(user.suspended_at, Some(since));
    let credential = reads.directory().agent_credential(w.agent).await.unwrap().unwrap();
    assert_eq!((credential.owner_suspended, credential.first_user), (Some(since), Some(w.first)));
    let people = reads.directory().people(w.company).await.unwrap();
    assert_eq!(people.iter().map(|person| person.id).collect::<Vec<_>>(), [w.first]);
    for party in [party, agent] {
        assert_eq!(reads.directory().audience(w.project, &[Recipient::Party(party)]).await.unwrap(), []);
        assert_eq!(reads.directory().level_of(w.project, party).await.unwrap(), None);
    }
    assert_eq!(reads.directory().project_members(&[hidden]).await.unwrap(), []);
    let members = reads.directory().group_members(&[group]).await.unwrap();
    assert_eq!(members.iter().map(|member| member.user).collect::<Vec<_>>(), [w.first]);
    // What they had is kept for them.
    assert_eq!(reads.directory().memberships(w.user).await.unwrap(), roles);
    // Nobody finds them to mention them, and nobody can keep them.
    let anybody = Mentionables { piece: Some(String::new()), seeing: None, active_since: DAWN, limit: 50 };
    let found = reads.mentionables(&w.scope_of(w.first), &anybody).await.unwrap();
    assert_eq!(found.iter().map(|found| found.party).collect::<Vec<_>>(), [Party::User(w.first)]);
    let mut unit = w.begin().await;
    assert_eq!(unit.keep(&[party, agent, Party::User(w.first)]).await.unwrap(), [Party::User(w.first)]);
    unit.rollback().await.unwrap();
    // Whoever asks learns who they are.
    let names = reads.names(&w.scope_of(w.first), &[party]).await.unwrap();
    assert_eq!(names, [PersonName { party, name: user.display_name().to_owned() }]);
    assert_eq!(version().await, before + 1);

    w.write([Write::ResumeUser(w.user, w.tick())]).await;
    let mut reads = w.read().await;
    assert_eq!(reads.directory().user(w.user).await.unwrap().unwrap().suspended_at, None);
    assert_eq!(reads.directory().memberships(w.user).await.unwrap(), roles);
    assert_eq!(reads.directory().project_members(&[hidden]).await.unwrap(), roles.projects);
    assert_eq!(reads.directory().group_members(&[group]).await.unwrap().len(), 2);
    assert_eq!(reads.directory().audience(w.project, &[Recipient::Party(agent)]).await.unwrap().len(), 1);
    assert_eq!(version().await, before + 2);
}

pub async fn another_stands_in_where_the_first_user_is_suspended(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.put(Project { visibility: Visibility::Private, ..w.new_project() }).await.id;
    let admins = async || {
        let found = w.read().await.directory().audience(hidden, &[Recipient::ProjectAdmins]).await.unwrap();
        found.into_iter().map(|(_, addressee)| addressee.party).collect::<Vec<_>>()
    };
    assert_eq!((first_user(&w).await, admins().await), (Some(w.first), vec![Party::User(w.first)]));
    suspend(&w, w.first).await;
    assert_eq!((first_user(&w).await, admins().await), (Some(w.user), vec![Party::User(w.user)]));
    let seeing = Mentionables { piece: Some(String::new()), seeing: Some(hidden), active_since: DAWN, limit: 50 };
    let found = w.read().await.mentionables(&w.scope(), &seeing).await.unwrap();
    let found: Vec<Party> = found.into_iter().map(|found| found.party).collect();
    assert_eq!(sorted(found), sorted(vec![Party::User(w.user), w.by()]));
    w.write([Write::ResumeUser(w.first, w.tick())]).await;
    assert_eq!((first_user(&w).await, admins().await), (Some(w.first), vec![Party::User(w.first)]));
}

pub async fn whoever_is_not_there_is_told_apart(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let gone = w.put(User { name: None, email: Some("Gone@example.invalid".into()), ..w.new_user() }).await;
    let program = w.put(Agent { name: SCRIPTS.into(), ..w.new_agent() }).await;
    let everybody = [
        Party::User(w.first),
        Party::User(w.user),
        w.by(),
        Party::User(gone.id),
        Party::Agent(program.id),
        Party::User(w.id()),
        Party::User(abroad.user),
    ];
    assert_eq!(absent(&w, &everybody).await, []);
    let former = FormerUser { id: gone.id, company: w.company, name: "Gone".into(), removed_at: w.tick() };
    let agent = FormerAgent { id: program.id, company: w.company, name: SCRIPTS.into(), removed_at: w.tick() };
    w.write([Write::RemoveUser(former), Write::RemoveAgents(vec![agent])]).await;
    suspend(&w, w.user).await;
    suspend(&abroad, abroad.user).await;
    let user = w.read().await.directory().user(w.user).await.unwrap().unwrap();
    let mine = w.read().await.directory().agent_credential(w.agent).await.unwrap().unwrap().agent;
    let expected = vec![
        Absent { party: Party::User(w.user), name: user.display_name().into(), absence: Absence::Suspended },
        Absent { party: w.by(), name: mine.name, absence: Absence::Suspended },
        Absent { party: Party::User(gone.id), name: "Gone".into(), absence: Absence::Removed },
        Absent { party: Party::Agent(program.id), name: SCRIPTS.into(), absence: Absence::Removed },
    ];
    assert_eq!(absent(&w, &everybody).await, sorted(expected));
    assert_eq!(absent(&w, &[]).await, []);
    let names = w.read().await.names(&w.scope(), &[Party::User(gone.id)]).await.unwrap();
    assert_eq!(names, [PersonName { party: Party::User(gone.id), name: "Gone".into() }]);
}

pub async fn a_removed_person_leaves_their_name_and_nothing_else(store: &Shared) {
    let w = World::new(store).await;
    let group = w.put(w.new_group()).await.id;
    let person = w.put(User { name: Some(SCRIPTS.into()), ..w.new_user() }).await;
    let party = Party::User(person.id);
    w.join(w.project, person.id, Role::Editor).await;
    w.join_group(group, person.id, Role::Editor).await;
    let done = held(&w, w.project, party, TaskStatus::Done).await;
    w.notify([w.new_notification(party, w.project), w.new_notification(Party::User(w.user), w.project)]).await;
    let former = || FormerUser { id: person.id, company: w.company, name: SCRIPTS.into(), removed_at: DAWN };
    // Who owns an agent can't go before it.
    let agent = w.put(Agent { owner: Some(person.id), ..w.new_agent() }).await;
    assert_discreet(&w.try_write([Write::RemoveUser(former())]).await.unwrap_err());
    let program = FormerAgent { id: agent.id, company: w.company, name: agent.name, removed_at: DAWN };
    w.write([Write::RemoveAgents(vec![program]), Write::RemoveUser(former())]).await;

    let mut reads = w.read().await;
    assert_eq!(reads.directory().user(person.id).await.unwrap(), None);
    assert_eq!(reads.directory().agents_of(person.id).await.unwrap(), []);
    assert_eq!(reads.directory().memberships(person.id).await.unwrap(), Memberships::default());
    assert_eq!(reads.operator().user_by_email(w.company, person.email.as_deref().unwrap()).await.unwrap(), None);
    assert_eq!(reads.unread(&w.scope(), party, 5).await.unwrap().unread, 0);
    assert_eq!(reads.unread(&w.scope(), Party::User(w.user), 5).await.unwrap().unread, 1);
    assert_eq!(reads.task(&w.scope(), done.id).await.unwrap(), Some(done));
    let names = reads.names(&w.scope(), &[party]).await.unwrap();
    assert_eq!(names, [PersonName { party, name: SCRIPTS.into() }]);
    // The address is free for somebody else.
    w.put(User { email: person.email, ..w.new_user() }).await;
}

pub async fn the_roles_of_a_suspended_person_go_with_their_places(store: &Shared) {
    let w = World::new(store).await;
    let (group, gone) = (w.put(w.new_group()).await.id, w.put(w.new_project()).await.id);
    let kept = w.put(w.new_project()).await.id;
    w.join_group(group, w.user, Role::Editor).await;
    w.join(gone, w.user, Role::Editor).await;
    w.join(kept, w.user, Role::Viewer).await;
    suspend(&w, w.user).await;
    w.write([Write::DeleteProjects(vec![gone]), Write::DeleteGroup(group)]).await;
    w.write([Write::ResumeUser(w.user, w.tick())]).await;
    let roles = w.read().await.directory().memberships(w.user).await.unwrap();
    assert_eq!(
        roles.projects.iter().map(|member| (member.project, member.role)).collect::<Vec<_>>(),
        [(kept, Role::Viewer)]
    );
    assert_eq!(roles.groups, []);
}

pub async fn sessions_of_agents_are_closed_together(store: &Shared) {
    let w = World::new(store).await;
    let other: AgentId = w.put(w.new_agent()).await.id;
    let task = w.put(w.new_task(w.project)).await.id;
    let (mine, theirs) = (w.put(w.new_session()).await, w.new_session());
    let theirs = w.put(chorus_domain::session::Session { agent: other, ..theirs }).await;
    for session in [mine.id, theirs.id] {
        w.put(w.new_checkin(session, task)).await;
    }
    w.write([Write::CloseSessionsOf(vec![w.agent], w.tick())]).await;
    let mut reads = w.read().await;
    let status = |session: Option<chorus_domain::session::Session>| session.unwrap().status;
    assert_eq!(status(reads.session(&w.scope(), w.agent, mine.id).await.unwrap()), SessionStatus::Closed);
    assert_eq!(status(reads.session(&w.scope(), other, theirs.id).await.unwrap()), SessionStatus::Active);
    assert_eq!(reads.checkins(&w.scope(), mine.id).await.unwrap(), []);
    assert_eq!(reads.checkins(&w.scope(), theirs.id).await.unwrap().len(), 1);
}

pub async fn whoever_is_kept_is_not_suspended_meanwhile(store: &Shared) {
    let w = World::new(store).await;
    let mut keeper = w.begin().await;
    assert_eq!(keeper.keep(&[w.by()]).await.unwrap(), [w.by()]);
    let (other, user, now) = (store.clone(), w.user, w.tick());
    let suspending = tokio::spawn(async move {
        let mut tx = other.begin().await?;
        let mut roots = Roots::default();
        roots.add(Kind::User, user.uuid(), Hold::Remove);
        tx.lock(&roots).await?;
        let batch = Batch { writes: vec![Write::SuspendUser(user, now)], ..Batch::default() };
        tx.apply(&Granted::operator(), &batch, &[]).await?;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        tx.commit().await
    });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert!(!suspending.is_finished(), "it waits for whoever keeps the owner");
    keeper.commit().await.unwrap();
    // Whoever waits for the suspension finds it done.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let mut late = w.begin().await;
    assert_eq!(late.keep(&[w.by(), Party::User(w.user)]).await.unwrap(), []);
    late.rollback().await.unwrap();
    suspending.await.unwrap().unwrap();
}

pub async fn somebody_who_is_not_there_is_not_suspended(store: &Shared) {
    let w = World::new(store).await;
    let error = w.try_write([Write::SuspendUser(w.id(), w.tick())]).await;
    assert!(matches!(error, Err(Error::Again(_))), "{error:?}");
}
