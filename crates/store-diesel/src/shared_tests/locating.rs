//! Where things are.

use std::collections::BTreeMap;

use chorus_domain::{Kind, access::Located};
use chorus_visibility::{GroupFacts, Principal, ProjectFacts, Role, Visibility};

use super::*;
use crate::locate::{Locate, LocatedRow};

const GROUP: GroupId = GroupId::from_u128(0x61);
const INSIDE: ProjectId = ProjectId::from_u128(0xB3);

async fn locate(unit: &mut Unit, principal: &Principal, things: &[(Kind, Uuid)]) -> Vec<Located> {
    let statement = Locate::new(principal, things).expect("something to locate");
    let rows = statement.load::<LocatedRow>(unit.conn()).await;
    unit.checked(rows).unwrap().into_iter().map(Located::from).collect()
}

/// Raw rows for tables that only the locator looks at here.
async fn insert(unit: &mut Unit, table: &str, columns: &str, ids: &[Uuid], rest: &str) {
    // Ids and times differ per backend; everything else is spelled alike.
    let mut places = Vec::new();
    for i in 0..ids.len() {
        places.push(if ROW_LOCKS { format!("${}", i + 1) } else { "?".to_owned() });
    }
    let sql = format!("INSERT INTO {table} ({columns}) VALUES ({}{rest})", places.join(", "));
    let mut query = diesel::sql_query(sql).into_boxed();
    for id in ids {
        query = query.bind::<Uid, _>(Val(*id));
    }
    let done = query.execute(unit.conn()).await;
    unit.checked(done).unwrap();
}

use super::super::ROW_LOCKS;

#[tokio::test(flavor = "multi_thread")]
async fn one_statement_locates_every_kind_with_the_principals_roles() {
    let (_db, backend) = inhabited().await;
    let mut unit = backend.begin().await.unwrap();
    group(unit.conn(), GROUP, COMPANY, "private").await.unwrap();
    group_member(unit.conn(), GROUP, USER, "editor").await.unwrap();
    project(unit.conn(), INSIDE, COMPANY, Some(GROUP), "private").await.unwrap();
    project_member(unit.conn(), PROJECT, USER, "admin").await.unwrap();
    let (idea_id, task_id) = (IdeaId::from_u128(0x11), TaskId::from_u128(0x12));
    idea(unit.conn(), idea_id, INSIDE, "Idea").await.unwrap();
    task(unit.conn(), task_id, PROJECT, "low").await.unwrap();

    let id = Uuid::from_u128;
    let at = if ROW_LOCKS { "now()" } else { "0" };
    let by = format!(", 'user', {at}");
    let [agent, session, closed] = [0x21, 0x22, 0x23].map(id);
    insert(&mut unit, "agent", "id, company_id, name, created_at", &[agent, COMPANY.uuid()], &format!(", 'A', {at}"))
        .await;
    for session in [session, closed] {
        let columns = "id, company_id, agent_id, name, last_active_at, created_at, updated_at";
        insert(
            &mut unit,
            "agent_session",
            columns,
            &[session, COMPANY.uuid(), agent],
            &format!(", 'S', {at}, {at}, {at}"),
        )
        .await;
    }
    let columns = "id, session_id, task_id, checkin_at, checkout_at";
    insert(&mut unit, "session_checkin", columns, &[id(0x24), session, task_id.uuid()], &format!(", {at}, NULL")).await;
    insert(&mut unit, "session_checkin", columns, &[id(0x25), closed, task_id.uuid()], &format!(", {at}, {at}")).await;
    let columns = "id, company_id, target_id, author_id, target_type, content, author_type, created_at";
    for (comment, target, kind) in
        [(0x31, idea_id.uuid(), "idea"), (0x32, task_id.uuid(), "task"), (0x33, id(404), "task")]
    {
        let rest = format!(", '{kind}', 'text'{by}");
        insert(&mut unit, "comment", columns, &[id(comment), COMPANY.uuid(), target, USER.uuid()], &rest).await;
    }
    let columns = "id, company_id, target_id, created_by_id, target_type, kind, url, title, created_by_type, created_at, \
                   updated_at";
    let rest = format!(", 'idea', 'docs', 'https://x', 'T'{by}, {at}");
    insert(&mut unit, "reference_artifact", columns, &[id(0x41), COMPANY.uuid(), idea_id.uuid(), USER.uuid()], &rest)
        .await;
    let columns = "id, company_id, idea_id, created_by_id, number, created_by_type, created_at";
    let rest = format!(", 1{by}");
    insert(&mut unit, "elaboration_round", columns, &[id(0x51), COMPANY.uuid(), idea_id.uuid(), USER.uuid()], &rest)
        .await;
    let columns =
        "id, company_id, project_id, created_by_id, title, input_type, created_by_type, created_at, updated_at";
    let rest = format!(", 'P', 'idea'{by}, {at}");
    insert(&mut unit, "proposal", columns, &[id(0x61), COMPANY.uuid(), INSIDE.uuid(), USER.uuid()], &rest).await;
    let columns = "id, company_id, project_id, created_by_id, kind, title, created_by_type, created_at, updated_at";
    let rest = format!(", 'prd', 'D'{by}, {at}");
    insert(&mut unit, "document", columns, &[id(0x71), COMPANY.uuid(), PROJECT.uuid(), USER.uuid()], &rest).await;
    unit.commit().await.unwrap();

    let mine = ProjectFacts {
        company: COMPANY,
        project: PROJECT,
        visibility: Visibility::Public,
        role: Some(Role::Admin),
        has_admin: true,
        group: None,
    };
    let inside = ProjectFacts {
        company: COMPANY,
        project: INSIDE,
        visibility: Visibility::Private,
        role: None,
        has_admin: false,
        group: Some(GroupFacts {
            id: GROUP,
            visibility: Visibility::Private,
            role: Some(Role::Editor),
            has_admin: false,
        }),
    };
    let expected = BTreeMap::from([
        ((Kind::Project, PROJECT.uuid()), mine),
        ((Kind::Idea, idea_id.uuid()), inside),
        ((Kind::Proposal, id(0x61)), inside),
        ((Kind::Document, id(0x71)), mine),
        ((Kind::Task, task_id.uuid()), mine),
        ((Kind::Comment, id(0x31)), inside),
        ((Kind::Comment, id(0x32)), mine),
        ((Kind::Reference, id(0x41)), inside),
        ((Kind::Session, session), mine),
        ((Kind::Round, id(0x51)), inside),
    ]);
    let mut things: Vec<_> = expected.keys().copied().collect();
    // Without a project, or without a row: nothing comes back.
    things.extend([(Kind::Comment, id(0x33)), (Kind::Session, closed), (Kind::Task, id(404)), (Kind::Agent, agent)]);
    things.extend(things.clone());
    let user = Principal { company: COMPANY, user: Some(USER), first_user: Some(USER) };
    let mut unit = backend.read().await.unwrap();
    let found = locate(&mut unit, &user, &things).await;
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().all(|l| l.project_name == "Project"));
    assert_eq!(found.into_iter().map(|l| ((l.kind, l.id), l.facts)).collect::<BTreeMap<_, _>>(), expected);

    let nobody = Principal { user: None, ..user };
    for located in locate(&mut unit, &nobody, &things).await {
        let group = located.facts.group;
        assert!(located.facts.role.is_none() && group.is_none_or(|group| group.role.is_none()), "{located:?}");
    }
}

#[test]
fn what_has_no_project_needs_no_statement() {
    let principal = Principal { company: COMPANY, user: None, first_user: None };
    assert!(Locate::new(&principal, &[]).is_none());
    assert!(Locate::new(&principal, &[(Kind::Group, Uuid::nil()), (Kind::User, Uuid::nil())]).is_none());
}
