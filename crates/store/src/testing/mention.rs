//! Mentions, and who can be mentioned.

use chorus_domain::{
    Batch, Kind, Party, Write,
    identity::{Agent, User},
    mention::Mention,
    project::{Group, Project},
};
use chorus_ids::{AgentId, ProjectId, UserId, Uuid};
use chorus_visibility::{Restriction, Role, Scope, Visibility, scope};

use super::world::{Shared, World, sorted};
use crate::{Error, Mentionables};

fn wanted(piece: &str) -> Mentionables {
    let since = super::world::DAWN;
    Mentionables { piece: Some(piece.into()), seeing: None, active_since: since, limit: 50 }
}

async fn names(w: &World, scope: &Scope, wanted: &Mentionables) -> Vec<String> {
    let found = w.read().await.mentionables(scope, wanted).await.unwrap();
    found.into_iter().map(|found| found.name).collect()
}

async fn person(w: &World, name: &str) -> UserId {
    w.put(User { name: Some(name.into()), email: None, ..w.new_user() }).await.id
}

async fn program(w: &World, name: &str, owner: Option<UserId>) -> AgentId {
    w.put(Agent { name: name.into(), owner, ..w.new_agent() }).await.id
}

pub async fn people_are_found_by_any_piece_of_their_names_without_case(store: &Shared) {
    let w = World::new(store).await;
    for name in ["Ada Müller", "ÉMILE 100%", "张伟", "Ёлка_Иванова", "Tiếng\\Việt", "100x"] {
        person(&w, name).await;
    }
    for (piece, expected) in [
        ("ada", &["Ada Müller"][..]),
        ("DA MÜL", &["Ada Müller"]),
        ("émile", &["ÉMILE 100%"]),
        ("伟", &["张伟"]),
        ("张伟", &["张伟"]),
        ("ёЛКА", &["Ёлка_Иванова"]),
        ("tiếng\\", &["Tiếng\\Việt"]),
        // Wildcards are letters like others.
        ("0%", &["ÉMILE 100%"]),
        ("100", &["100x", "ÉMILE 100%"]),
        ("а_и", &["Ёлка_Иванова"]),
        ("a_a", &[]),
        ("nobody", &[]),
    ] {
        assert_eq!(names(&w, &w.scope(), &wanted(piece)).await, expected, "{piece}");
    }
    let abroad = w.abroad().await;
    assert_eq!(names(&abroad, &abroad.scope(), &wanted("ada")).await, [""; 0]);
}

pub async fn people_are_found_by_their_addresses_too(store: &Shared) {
    let w = World::new(store).await;
    let (named, unnamed) = ("Grete.Hopper@Example.invalid", "Only.An.Address@Example.invalid");
    w.put(User { name: Some("Grace".into()), email: Some(named.into()), ..w.new_user() }).await;
    w.put(User { name: None, email: Some(unnamed.into()), ..w.new_user() }).await;
    assert_eq!(names(&w, &w.scope(), &wanted("HOPPER@")).await, ["Grace"]);
    assert_eq!(names(&w, &w.scope(), &wanted("an.address")).await, [unnamed]);
}

pub async fn agents_are_found_by_those_they_belong_to(store: &Shared) {
    let w = World::new(store).await;
    let (own, foreign) = (program(&w, "Robot B", Some(w.user)).await, program(&w, "Robot A", Some(w.first)).await);
    let ownerless = program(&w, "Robot C", None).await;
    let agents = async |scope: Scope| -> Vec<Party> {
        let found = w.read().await.mentionables(&scope, &wanted("robot")).await.unwrap();
        found.into_iter().map(|found| found.party).collect()
    };
    assert_eq!(agents(w.scope()).await, [Party::Agent(own)]);
    assert_eq!(agents(w.scope_of(w.first)).await, [Party::Agent(foreign)]);
    let nobody = scope(&w.principal(None), Restriction::Everything);
    assert_eq!(agents(nobody).await, [foreign, own, ownerless].map(Party::Agent));
}

pub async fn agents_come_before_people_and_never_more_than_asked_for(store: &Shared) {
    let w = World::new(store).await;
    for name in ["x b", "X a", "x c"] {
        person(&w, name).await;
        program(&w, &format!("{name} agent"), Some(w.user)).await;
    }
    let all = ["X a agent", "x b agent", "x c agent", "X a", "x b", "x c"];
    for limit in [1, 3, 4, 6, 9] {
        let found = names(&w, &w.scope(), &Mentionables { limit, ..wanted("x ") }).await;
        assert_eq!(found, all[..all.len().min(limit as usize)]);
    }
}

pub async fn without_a_piece_the_agents_made_last_are_found(store: &Shared) {
    let w = World::new(store).await;
    for name in ["d", "c", "b", "a"] {
        program(&w, name, Some(w.user)).await;
        program(&w, &format!("foreign {name}"), Some(w.first)).await;
    }
    let newest = Mentionables { piece: None, limit: 3, ..wanted("") };
    assert_eq!(names(&w, &w.scope(), &newest).await, ["a", "b", "c"]);
}

pub async fn with_a_project_only_those_who_see_it_are_found(store: &Shared) {
    let w = World::new(store).await;
    let mut people = vec![w.first, w.user];
    for _ in 0..5 {
        people.push(w.put(w.new_user()).await.id);
    }
    for user in &people {
        program(&w, "Agent of somebody", Some(*user)).await;
    }
    program(&w, "Agent of nobody", None).await;
    let mut projects: Vec<ProjectId> = Vec::new();
    for (index, (around, visibility)) in [None, Some(Visibility::Public), Some(Visibility::Private)]
        .into_iter()
        .flat_map(|around| Visibility::ALL.map(|visibility| (around, visibility)))
        .enumerate()
    {
        for local in [None, Some(Role::Viewer), Some(Role::Admin)] {
            for outer in [None, Some(Role::Editor), Some(Role::Admin)] {
                let group = match around {
                    Some(visibility) => Some(w.put(Group { visibility, ..w.new_group() }).await.id),
                    None => None,
                };
                let project = w.put(Project { group, visibility, ..w.new_project() }).await.id;
                if let Some(role) = local {
                    w.join(project, people[1 + index % 3], role).await;
                }
                if let (Some(role), Some(group)) = (outer, group) {
                    w.join_group(group, people[2 + index % 4], role).await;
                }
                projects.push(project);
            }
        }
    }
    let everybody = scope(&w.principal(None), Restriction::Everything);
    for project in projects {
        let mut expected: Vec<Party> = Vec::new();
        for user in people.iter().copied().map(Some).chain([None]) {
            let own = scope(&w.principal(user), Restriction::Everything);
            if w.read().await.visible_projects(&own, &[project]).await.unwrap() == [project] {
                expected.extend(user.map(Party::User));
                let agents = w.read().await.operator().agents(w.company).await.unwrap();
                expected.extend(
                    agents.iter().filter(|(agent, _)| agent.owner == user).map(|(agent, _)| Party::Agent(agent.id)),
                );
            }
        }
        let search = Mentionables { seeing: Some(project), ..wanted("e") };
        let found = w.read().await.mentionables(&everybody, &search).await.unwrap();
        let found: Vec<Party> = found.into_iter().map(|found| found.party).collect();
        assert_eq!(sorted(found), sorted(expected), "{project}");
    }
}

pub async fn mentions_need_a_grant_for_what_holds_the_text(store: &Shared) {
    let w = World::new(store).await;
    let other = w.put(w.new_project()).await.id;
    let granted = w.granted(&[w.project]).await;
    let mention = |source: Kind, source_id: Uuid| {
        Write::NewMentions(vec![Mention {
            id: w.id(),
            company: w.company,
            source,
            source_id,
            mentioned: Party::User(w.first),
            actor: w.by().into(),
            created_at: w.tick(),
        }])
    };
    let apply = async |writes: Vec<Write>| w.apply_as(&granted, &Batch { writes, ..Batch::default() }, &[]).await;
    for (project, fine) in [(w.project, true), (other, false)] {
        let idea = w.put(w.new_idea(project)).await.id.uuid();
        let task = w.put(w.new_task(project)).await.id.uuid();
        for (kind, id) in [(Kind::Idea, idea), (Kind::Task, task)] {
            assert_eq!(apply(vec![mention(kind, id)]).await.is_ok(), fine, "{kind}");
            let comment = w.new_comment(kind, id);
            let told = mention(Kind::Comment, comment.id.uuid());
            let written = apply(vec![Write::NewComment(comment), told]).await;
            assert!(fine == written.is_ok() && (fine || matches!(written, Err(Error::Internal(_)))), "{written:?}");
        }
    }
}
