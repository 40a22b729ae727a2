//! The predicates in SQL equal the pure rules, over random worlds.

use chorus_visibility::{
    ChildAccess, GroupFacts, Level, Principal, ProjectFacts, Restriction, Role, Scope, Visibility, group_access, level,
    scope,
};
use diesel_async::SimpleAsyncConnection;
use proptest::{
    collection::vec,
    option,
    prelude::{Strategy, any},
    sample::select,
    test_runner::{Config, TestRunner},
};

use super::*;
use crate::visible::{editable, group_visible, visible};

const USERS: usize = 4;
const GROUPS: usize = 4;
const PROJECTS: usize = 7;

/// Two companies, users in either, and groups, projects and memberships in any combination, impossible ones included:
/// members from the other company, projects in the other company's groups or in groups that don't exist.
#[derive(Clone, Debug)]
struct World {
    users: Vec<usize>,
    groups: Vec<(usize, Visibility)>,
    projects: Vec<(usize, Visibility, Option<usize>)>,
    group_members: Vec<(usize, usize, Role)>,
    project_members: Vec<(usize, usize, Role)>,
    restrictions: Vec<Vec<bool>>,
}

fn worlds() -> impl Strategy<Value = World> {
    let company = || 0..2_usize;
    let visibility = || select(&Visibility::ALL);
    let role = || select(&Role::ALL);
    (
        vec(company(), USERS),
        vec((company(), visibility()), GROUPS),
        // One more group than there is.
        vec((company(), visibility(), option::of(0..=GROUPS)), PROJECTS),
        vec((0..GROUPS, 0..USERS, role()), 0..7),
        vec((0..PROJECTS, 0..USERS, role()), 0..9),
        vec(vec(any::<bool>(), PROJECTS), 2),
    )
        .prop_map(|(users, groups, projects, mut group_members, mut project_members, restrictions)| {
            group_members.sort_unstable();
            group_members.dedup_by_key(|member| (member.0, member.1));
            project_members.sort_unstable();
            project_members.dedup_by_key(|member| (member.0, member.1));
            World { users, groups, projects, group_members, project_members, restrictions }
        })
}

const fn company_id(n: usize) -> CompanyId {
    CompanyId::from_u128(0xC00 + n as u128)
}
const fn user_id(n: usize) -> UserId {
    UserId::from_u128(0xA00 + n as u128)
}
const fn group_id(n: usize) -> GroupId {
    GroupId::from_u128(0x600 + n as u128)
}
const fn project_id(n: usize) -> ProjectId {
    ProjectId::from_u128(0xB00 + n as u128)
}

impl World {
    async fn store(&self, backend: &Backend) -> QueryResult<()> {
        let mut unit = backend.bare().await;
        let conn = &mut *unit;
        conn.batch_execute(harness::FOREIGN_KEYS_OFF).await?;
        conn.batch_execute("BEGIN").await?;
        for table in ["project_member", "group_member", "project", "project_group", "app_user", "company"] {
            conn.batch_execute(&format!("DELETE FROM {table}")).await?;
        }
        for n in 0..2 {
            company(conn, company_id(n)).await?;
        }
        for (n, of) in self.users.iter().enumerate() {
            user(conn, user_id(n), company_id(*of)).await?;
        }
        for (n, (of, visibility)) in self.groups.iter().enumerate() {
            group(conn, group_id(n), company_id(*of), visibility.as_str()).await?;
        }
        for (n, (of, visibility, inside)) in self.projects.iter().enumerate() {
            project(conn, project_id(n), company_id(*of), inside.map(group_id), visibility.as_str()).await?;
        }
        for (of, who, role) in &self.group_members {
            group_member(conn, group_id(*of), user_id(*who), role.as_str()).await?;
        }
        for (of, who, role) in &self.project_members {
            project_member(conn, project_id(*of), user_id(*who), role.as_str()).await?;
        }
        conn.batch_execute("COMMIT").await?;
        conn.batch_execute(harness::FOREIGN_KEYS_ON).await
    }

    /// Every scope worth asking about.
    fn scopes(&self) -> Vec<Scope> {
        let mut restrictions = vec![Restriction::Everything, Restriction::Only(Vec::new())];
        for chosen in &self.restrictions {
            let chosen = (0..PROJECTS).filter(|n| chosen[*n]).map(project_id);
            restrictions.push(Restriction::Only(chosen.collect()));
        }
        let users = (0..USERS).map(|n| (self.users[n], Some(user_id(n)))).chain((0..2).map(|of| (of, None)));
        let mut scopes = Vec::new();
        for (of, user) in users {
            let first = (0..USERS).find(|n| self.users[*n] == of).map(user_id);
            let principal = Principal { company: company_id(of), user, first_user: first };
            for restriction in &restrictions {
                scopes.push(scope(&principal, restriction.clone()));
            }
        }
        scopes
    }

    fn group_facts(&self, n: usize, user: Option<UserId>) -> GroupFacts {
        let members = self.group_members.iter().filter(|member| member.0 == n);
        GroupFacts {
            id: group_id(n),
            visibility: self.groups[n].1,
            role: members.clone().find(|member| Some(user_id(member.1)) == user).map(|member| member.2),
            has_admin: members.clone().any(|member| member.2 == Role::Admin),
        }
    }

    fn project_facts(&self, n: usize, user: Option<UserId>) -> ProjectFacts {
        let (company, visibility, inside) = self.projects[n];
        let members = self.project_members.iter().filter(|member| member.0 == n);
        let group = inside.filter(|group| self.groups.get(*group).is_some_and(|group| group.0 == company));
        ProjectFacts {
            company: company_id(company),
            project: project_id(n),
            visibility,
            role: members.clone().find(|member| Some(user_id(member.1)) == user).map(|member| member.2),
            has_admin: members.clone().any(|member| member.2 == Role::Admin),
            group: group.map(|group| self.group_facts(group, user)),
        }
    }

    fn group_visible(&self, n: usize, scope: &Scope) -> bool {
        let user = scope.principal();
        let mut children = (0..PROJECTS).filter(|p| self.projects[*p].2 == Some(n));
        let child = children.any(|project| scope.allows(&self.project_facts(project, user)));
        let child = if child { ChildAccess::Some } else { ChildAccess::None };
        let company = company_id(self.groups[n].0);
        group_access(scope.as_principal(), company, &self.group_facts(n, user), child).visible
    }

    async fn check(&self, backend: &Backend) {
        self.store(backend).await.unwrap();
        let mut unit = backend.read().await.unwrap();
        for scope in self.scopes() {
            let user = scope.principal();
            let projects = (0..PROJECTS).map(|n| (project_id(n), scope.allows(&self.project_facts(n, user))));
            let groups = (0..GROUPS).map(|n| (group_id(n), self.group_visible(n, &scope)));

            use schema::{project as p, project_group as g};
            let found = p::table.order(p::id).select((p::id, visible(&scope, p::id))).load(unit.conn()).await;
            let found: Vec<(ProjectId, bool)> = unit.checked(found).unwrap();
            assert_eq!(found, projects.collect::<Vec<_>>(), "{scope:?} in {self:?}");

            let filtered = p::table.filter(visible(&scope, p::id)).order(p::id).select(p::id).load(unit.conn()).await;
            let filtered: Vec<ProjectId> = unit.checked(filtered).unwrap();
            assert_eq!(filtered, found.iter().filter(|row| row.1).map(|row| row.0).collect::<Vec<_>>());

            let edits = |n| {
                let facts = self.project_facts(n, user);
                scope.allows(&facts) && level(scope.as_principal(), &facts) >= Level::Editor
            };
            let expected: Vec<ProjectId> = (0..PROJECTS).filter(|n| edits(*n)).map(project_id).collect();
            let edited = p::table.filter(editable(&scope, p::id)).order(p::id).select(p::id).load(unit.conn()).await;
            assert_eq!(unit.checked::<Vec<ProjectId>>(edited).unwrap(), expected, "{scope:?} in {self:?}");

            let found = g::table.order(g::id).select((g::id, group_visible(&scope, g::id))).load(unit.conn()).await;
            let found: Vec<(GroupId, bool)> = unit.checked(found).unwrap();
            assert_eq!(found, groups.collect::<Vec<_>>(), "{scope:?} in {self:?}");
        }
    }
}

#[test]
fn the_predicates_equal_the_pure_rules() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (_db, backend) = runtime.block_on(async {
        let db = harness::migrated().await;
        let backend = harness::backend(db.url());
        (db, backend)
    });
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&worlds(), |world| {
            runtime.block_on(world.check(&backend));
            Ok(())
        })
        .unwrap();
}
