//! What is outside the scope is absent, in every read.

use std::collections::BTreeMap;

use chorus_domain::{
    Assignment, Kind, Write,
    document::Document,
    idea::Idea,
    project::{Group, Project},
    proposal::Proposal,
    task::{Edge, Task},
};
use chorus_ids::{DocumentId, GroupId, IdeaId, PageSize, ProjectId, ProposalId, TaskId, UserId, Uuid};
use chorus_lifecycle::{document::DocumentType, idea::IdeaStatus, proposal::ProposalStatus};
use chorus_visibility::{
    GroupFacts, MAX_RESTRICTION, Principal, ProjectFacts, Restriction, Role, Scope, Visibility, scope,
};

use super::world::{Shared, WHOLE, World, sorted};
use crate::{DraftBodies, Order, Page, PageRequest, TaskFilter};

/// A project with one of everything in it.
struct Inhabited {
    project: ProjectId,
    group: Option<GroupId>,
    idea: IdeaId,
    proposal: ProposalId,
    document: DocumentId,
    task: TaskId,
}

impl Inhabited {
    async fn new(w: &World, visibility: Visibility, group: Option<GroupId>) -> Self {
        let project = w.put(Project { visibility, group, ..w.new_project() }).await.id;
        let assignee = Some(Assignment { to: w.by(), at: w.tick(), by: None });
        let idea = w.put(Idea { assignee, status: IdeaStatus::Elaborated, ..w.new_idea(project) }).await.id;
        w.put(Idea { parent: Some(idea), ..w.new_idea(project) }).await;
        w.put(w.new_round(idea, 1)).await;
        let new = w.new_proposal(project, &[idea]);
        let proposal = w.put(Proposal { status: ProposalStatus::Approved, ..new }).await.id;
        w.write([
            Write::AddDocumentDraft(proposal, w.new_document_draft()),
            Write::AddTaskDraft(proposal, w.new_task_draft()),
        ])
        .await;
        let new = w.new_document(project);
        let report = Document { kind: DocumentType::Report, proposal: Some(proposal), ..new };
        let document = w.put(report).await.id;
        let task = w.put(Task { assignee, proposal: Some(proposal), ..w.new_task(project) }).await.id;
        w.put(w.new_criterion(task, 0)).await;
        let it = Self { project, group, idea, proposal, document, task };
        w.put_all(it.targets().map(|(kind, id)| w.new_comment(kind, id))).await;
        w.put(w.new_activity(project)).await;
        w.notify([w.new_notification(w.by(), project)]).await;
        it
    }

    fn targets(&self) -> [(Kind, Uuid); 4] {
        [
            (Kind::Idea, self.idea.uuid()),
            (Kind::Proposal, self.proposal.uuid()),
            (Kind::Document, self.document.uuid()),
            (Kind::Task, self.task.uuid()),
        ]
    }

    /// Every read with whether it finds anything of this project.
    async fn looked_at(&self, w: &World, scope: &Scope) -> Vec<(&'static str, bool)> {
        let (mut reads, holders) = (w.read().await, [w.by()]);
        let mut found = vec![
            ("project", reads.project(scope, self.project).await.unwrap().is_some()),
            ("visible_projects", !reads.visible_projects(scope, &[self.project]).await.unwrap().is_empty()),
            ("idea", reads.idea(scope, self.idea).await.unwrap().is_some()),
            ("ideas_by_id", !reads.ideas_by_id(scope, &[self.idea]).await.unwrap().is_empty()),
            ("ideas", any(reads.ideas(scope, self.project, None, &WHOLE).await.unwrap())),
            ("idea_summary", reads.idea_summary(scope, self.idea).await.unwrap().is_some()),
            ("ideas_below", !reads.ideas_below(scope, &[self.idea]).await.unwrap().is_empty()),
            ("rounds", !reads.rounds(scope, self.idea).await.unwrap().is_empty()),
            ("proposal", reads.proposal(scope, self.proposal).await.unwrap().is_some()),
            ("proposals", any(reads.proposals(scope, self.project, None, &WHOLE).await.unwrap())),
            ("document_drafts", !reads.document_drafts(scope, self.proposal).await.unwrap().is_empty()),
            ("document_draft_index", !reads.document_draft_index(scope, self.proposal).await.unwrap().is_empty()),
            ("task_drafts", !reads.task_drafts(scope, self.proposal, DraftBodies::Full).await.unwrap().is_empty()),
            ("proposals_naming", !reads.proposals_naming(scope, &[self.idea.uuid()]).await.unwrap().is_empty()),
            ("document", reads.document(scope, self.document).await.unwrap().is_some()),
            ("documents", any(reads.documents(scope, self.project, None, &WHOLE).await.unwrap())),
            ("reports_of_idea", !reads.reports_of_idea(scope, self.idea).await.unwrap().is_empty()),
            ("report_count", reads.report_count(scope, self.proposal).await.unwrap() > 0),
            ("task", reads.task(scope, self.task).await.unwrap().is_some()),
            ("task_detail", reads.task_detail(scope, self.task).await.unwrap().is_some()),
            ("task_refs", !reads.task_refs(scope, &[self.task]).await.unwrap().is_empty()),
            ("tasks", any(reads.tasks(scope, self.project, &TaskFilter::default(), &WHOLE).await.unwrap())),
            ("activities", any(reads.activities(scope, self.project, &WHOLE).await.unwrap())),
        ];
        let here = |project: ProjectId| project == self.project;
        let projects = reads.projects(scope, &WHOLE).await.unwrap();
        assert_eq!(projects.total, projects.rows.len() as u64);
        found.push(("projects", projects.rows.iter().any(|row| here(row.item.project.id))));
        let ideas = reads.tracked_ideas(scope, &holders, None, 99).await.unwrap();
        found.push(("tracked_ideas", ideas.iter().any(|row| here(row.item.summary.idea.project))));
        let tasks = reads.tracked_tasks(scope, &holders, None, 99).await.unwrap();
        found.push(("tracked_tasks", tasks.iter().any(|row| here(row.item.task.project))));
        let digest = reads.unread(scope, w.by(), 99).await.unwrap();
        assert_eq!(digest.unread, digest.recent.len() as u64);
        found.push(("unread", digest.recent.iter().any(|row| row.project.is_some_and(here))));
        for (kind, id) in self.targets() {
            found.push((kind.as_str(), any(reads.comments(scope, kind, id, Order::Oldest, &WHOLE).await.unwrap())));
        }
        if let Some(group) = self.group {
            let children = reads.projects_of_group(scope, group).await.unwrap();
            found.push(("projects_of_group", children.contains(&self.project)));
        }
        found
    }

    async fn check(&self, w: &World, scope: &Scope, sees: Sees, case: &str) {
        for (read, found) in self.looked_at(w, scope).await {
            assert_eq!(found, sees == Sees::Everything, "{case}: {read}");
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sees {
    Everything,
    Nothing,
}
use Sees::{Everything, Nothing};

/// Whether a page has rows; its total says the same.
fn any<T>(page: Page<T>) -> bool {
    assert_eq!(page.total, page.rows.len() as u64);
    !page.rows.is_empty()
}

fn unrestricted(principal: Principal) -> Scope {
    scope(&principal, Restriction::Everything)
}

async fn stranger(w: &World) -> Scope {
    let user = w.put(w.new_user()).await.id;
    w.scope_of(user)
}

/// A group, its first administrator included where one is wanted.
async fn group(w: &World, visibility: Visibility, admin: Option<UserId>) -> GroupId {
    let group = w.put(Group { visibility, ..w.new_group() }).await.id;
    if let Some(admin) = admin {
        w.join_group(group, admin, Role::Admin).await;
    }
    group
}

pub async fn a_public_project_is_seen_by_its_whole_company(store: &Shared) {
    let w = World::new(store).await;
    let around = group(&w, Visibility::Public, None).await;
    for around in [None, Some(around)] {
        let it = Inhabited::new(&w, Visibility::Public, around).await;
        it.check(&w, &w.scope(), Everything, "anybody").await;
        it.check(&w, &w.scope_of(w.first), Everything, "the first user").await;
        it.check(&w, &unrestricted(w.principal(None)), Everything, "an ownerless agent").await;
        w.join(it.project, w.user, Role::Viewer).await;
        it.check(&w, &w.scope(), Everything, "a viewer").await;
    }
}

pub async fn a_private_project_is_seen_by_its_members(store: &Shared) {
    let w = World::new(store).await;
    let admin = w.put(w.new_user()).await.id;
    for visibility in Visibility::ALL {
        let around = group(&w, visibility, Some(admin)).await;
        for around in [None, Some(around)] {
            let it = Inhabited::new(&w, Visibility::Private, around).await;
            it.check(&w, &w.scope(), Nothing, "before").await;
            for role in Role::ALL {
                w.join(it.project, w.user, role).await;
                it.check(&w, &w.scope(), Everything, role.as_str()).await;
            }
            it.check(&w, &stranger(&w).await, Nothing, "a stranger").await;
        }
    }
}

pub async fn a_private_project_is_seen_by_the_members_of_its_group(store: &Shared) {
    let w = World::new(store).await;
    for visibility in Visibility::ALL {
        let around = group(&w, visibility, None).await;
        let it = Inhabited::new(&w, Visibility::Private, Some(around)).await;
        it.check(&w, &w.scope(), Nothing, "before").await;
        for role in Role::ALL {
            w.join_group(around, w.user, role).await;
            it.check(&w, &w.scope(), Everything, role.as_str()).await;
        }
        it.check(&w, &stranger(&w).await, Nothing, "a stranger").await;
        // Whoever belongs to a sibling only does not see this one.
        let sibling = Inhabited::new(&w, Visibility::Private, Some(around)).await;
        let neighbour = w.put(w.new_user()).await.id;
        w.join(sibling.project, neighbour, Role::Admin).await;
        it.check(&w, &w.scope_of(neighbour), Nothing, "a member of a sibling").await;
        sibling.check(&w, &w.scope_of(neighbour), Everything, "a member of the sibling").await;
    }
}

pub async fn the_first_user_sees_a_private_project_while_it_has_no_administrator(store: &Shared) {
    let w = World::new(store).await;
    let it = Inhabited::new(&w, Visibility::Private, None).await;
    let first = w.scope_of(w.first);
    w.join(it.project, w.user, Role::Editor).await;
    it.check(&w, &first, Everything, "without an administrator").await;
    w.join(it.project, w.user, Role::Admin).await;
    it.check(&w, &first, Nothing, "with an administrator").await;
    w.join(it.project, w.first, Role::Viewer).await;
    it.check(&w, &first, Everything, "as a member").await;
}

pub async fn the_first_user_sees_a_groups_projects_while_the_group_has_no_administrator(store: &Shared) {
    let w = World::new(store).await;
    for visibility in Visibility::ALL {
        let around = group(&w, visibility, None).await;
        let it = Inhabited::new(&w, Visibility::Private, Some(around)).await;
        let first = w.scope_of(w.first);
        w.join(it.project, w.user, Role::Admin).await;
        it.check(&w, &first, Everything, "an administrator of the project alone").await;
        w.join_group(around, w.user, Role::Admin).await;
        it.check(&w, &first, Nothing, "an administrator of the group").await;
        // The project's own fallback does not exist inside a group.
        let bare = Inhabited::new(&w, Visibility::Private, Some(around)).await;
        bare.check(&w, &first, Nothing, "no administrator of the project").await;
    }
}

pub async fn an_ownerless_agent_sees_public_projects_only(store: &Shared) {
    let w = World::new(store).await;
    let around = group(&w, Visibility::Public, None).await;
    let ownerless = unrestricted(w.principal(None));
    for around in [None, Some(around)] {
        Inhabited::new(&w, Visibility::Private, around).await.check(&w, &ownerless, Nothing, "private").await;
    }
    // Not even where the company has no first user to compare with.
    let it = Inhabited::new(&w, Visibility::Private, None).await;
    let nobody = Principal { company: w.company, user: None, first_user: None };
    it.check(&w, &unrestricted(nobody), Nothing, "nobody at all").await;
}

pub async fn another_company_sees_nothing(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    for visibility in Visibility::ALL {
        let around = group(&w, visibility, None).await;
        let it = Inhabited::new(&w, visibility, Some(around)).await;
        w.join(it.project, w.user, Role::Admin).await;
        for user in [Some(abroad.first), Some(abroad.user), None] {
            it.check(&w, &unrestricted(abroad.principal(user)), Nothing, "another company").await;
        }
        // A membership counts in its own company only.
        let posing = Principal { company: abroad.company, user: Some(w.user), first_user: Some(w.user) };
        it.check(&w, &unrestricted(posing), Nothing, "a member from another company").await;
        let narrowed = scope(&abroad.principal(Some(abroad.first)), Restriction::Only(vec![it.project]));
        it.check(&w, &narrowed, Nothing, "another company that names the project").await;
    }
}

pub async fn a_restriction_narrows_and_never_widens(store: &Shared) {
    let w = World::new(store).await;
    let (open, closed) =
        (Inhabited::new(&w, Visibility::Public, None).await, Inhabited::new(&w, Visibility::Private, None).await);
    w.join(closed.project, w.first, Role::Admin).await;
    let only = |projects: &[ProjectId]| scope(&w.principal(Some(w.user)), Restriction::Only(projects.to_vec()));
    let (both, full) = ([open.project, closed.project], {
        let others = (1..MAX_RESTRICTION).map(|_| w.id());
        others.chain([open.project]).collect::<Vec<_>>()
    });
    for (case, scope, sees) in [
        ("named", only(&[open.project]), Everything),
        ("named with a hidden one", only(&both), Everything),
        (
            "named among as many as can be",
            Restriction::only(full).map(|r| scope(&w.principal(Some(w.user)), r)).unwrap(),
            Everything,
        ),
        ("not named", only(&[w.project, w.id()]), Nothing),
        ("nothing named", only(&[]), Nothing),
        ("narrowed to it", w.scope().narrowed(&both), Everything),
        ("narrowed away", only(&[open.project]).narrowed(&[w.project]), Nothing),
        ("narrowed to nothing", w.scope().narrowed(&[]), Nothing),
        ("freed", only(&[]).unrestricted(), Everything),
    ] {
        open.check(&w, &scope, sees, case).await;
        closed.check(&w, &scope, Nothing, case).await;
    }
}

pub async fn prerequisites_are_named_to_those_who_see_them_and_counted_for_others(store: &Shared) {
    let w = World::new(store).await;
    let hidden = w.hidden_project().await;
    let (near, far) = (w.put(w.new_task(w.project)).await.id, w.put(w.new_task(hidden)).await.id);
    w.put(Edge { task: near, depends_on: far }).await;
    let around = async |scope: &Scope| {
        let related = w.read().await.task_detail(scope, near).await.unwrap().unwrap().depends_on;
        (related.visible.len(), related.hidden, related.hidden_open)
    };
    assert_eq!(around(&w.scope()).await, (0, 1, 1));
    w.join(hidden, w.user, Role::Viewer).await;
    assert_eq!(around(&w.scope()).await, (1, 0, 0));
    // A restriction hides as well.
    assert_eq!(around(&w.scope().narrowed(&[w.project])).await, (0, 1, 1));
}

pub async fn a_place_outlives_its_rights_and_shows_nothing(store: &Shared) {
    let w = World::new(store).await;
    let project = w.put(Project { visibility: Visibility::Private, ..w.new_project() }).await.id;
    w.put_all((0..4).map(|_| w.new_task(project))).await;
    w.put_all((0..4).map(|_| w.new_idea(project))).await;
    w.put_all((0..4).map(|_| w.new_activity(project))).await;
    let (first, filter, size) = (w.scope_of(w.first), TaskFilter::default(), PageSize::new(2).unwrap());
    let start = PageRequest::first(size);
    let mut reads = w.read().await;
    let places = [
        reads.tasks(&first, project, &filter, &start).await.unwrap().rows[1].at,
        reads.ideas(&first, project, None, &start).await.unwrap().rows[1].at,
        reads.activities(&first, project, &start).await.unwrap().rows[1].at,
    ]
    .map(|at| PageRequest::after(at, size));
    // Somebody becomes administrator, which ends the first user's standing in.
    w.join(project, w.user, Role::Admin).await;
    let tasks = reads.tasks(&first, project, &filter, &places[0]).await.unwrap();
    let ideas = reads.ideas(&first, project, None, &places[1]).await.unwrap();
    let activities = reads.activities(&first, project, &places[2]).await.unwrap();
    assert_eq!((tasks.rows.len(), tasks.total, tasks.more), (0, 0, false));
    assert_eq!((ideas.rows.len(), ideas.total, ideas.more), (0, 0, false));
    assert_eq!((activities.rows.len(), activities.total, activities.more), (0, 0, false));
}

/// A small generator of numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn role(&mut self) -> Option<Role> {
        [None, None, None, Some(Role::Viewer), Some(Role::Editor), Some(Role::Admin)][self.below(6) as usize]
    }
}

type Members = BTreeMap<UserId, Role>;

fn has_admin(members: &Members) -> bool {
    members.values().any(|role| *role == Role::Admin)
}

pub async fn random_worlds_are_seen_as_the_rules_say(store: &Shared) {
    let w = World::new(store).await;
    let abroad = w.abroad().await;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut users = vec![w.first, w.user];
    for _ in 0..3 {
        users.push(w.put(w.new_user()).await.id);
    }
    let mut groups: Vec<(GroupId, Visibility, Members)> = Vec::new();
    for index in 0..6 {
        let visibility = Visibility::ALL[index % 2];
        let id = group(&w, visibility, None).await;
        let mut members = Members::new();
        for user in &users {
            if let Some(role) = dice.role() {
                w.join_group(id, *user, role).await;
                members.insert(*user, role);
            }
        }
        groups.push((id, visibility, members));
    }
    let mut projects: Vec<(ProjectId, Visibility, Option<usize>, Members)> = Vec::new();
    for _ in 0..30 {
        let around = Some(dice.below(8) as usize).filter(|index| *index < groups.len());
        let private = dice.below(3) > 0 || around.is_some_and(|index| groups[index].1 == Visibility::Private);
        let visibility = Visibility::ALL[usize::from(private)];
        let new = Project { visibility, group: around.map(|index| groups[index].0), ..w.new_project() };
        let id = w.put(new).await.id;
        let mut members = Members::new();
        for user in &users {
            if let Some(role) = dice.role().filter(|_| dice.below(2) == 0) {
                w.join(id, *user, role).await;
                members.insert(*user, role);
            }
        }
        projects.push((id, visibility, around, members));
    }
    let all: Vec<_> = projects.iter().map(|(id, ..)| *id).collect();
    let things: Vec<_> = all.iter().map(|id| (Kind::Project, id.uuid())).collect();
    let callers = users.iter().map(|user| w.principal(Some(*user))).chain([w.principal(None)]);
    let foreign =
        [abroad.principal(Some(abroad.first)), Principal { company: abroad.company, ..w.principal(Some(w.user)) }];
    for principal in callers.chain(foreign) {
        let role = |members: &Members| principal.user.and_then(|user| members.get(&user).copied());
        let facts: Vec<_> = projects
            .iter()
            .map(|(id, visibility, around, members)| ProjectFacts {
                company: w.company,
                project: *id,
                visibility: *visibility,
                role: role(members),
                has_admin: has_admin(members),
                group: around.map(|index| {
                    let (id, visibility, members) = &groups[index];
                    GroupFacts { id: *id, visibility: *visibility, role: role(members), has_admin: has_admin(members) }
                }),
            })
            .collect();
        let some: Vec<_> = all.iter().copied().filter(|_| dice.below(3) == 0).collect();
        for restriction in [Restriction::Everything, Restriction::Only(some), Restriction::Only(Vec::new())] {
            let scope = scope(&principal, restriction);
            let visible: Vec<_> = facts.iter().filter(|facts| scope.allows(facts)).map(|facts| facts.project).collect();
            let mut reads = w.read().await;
            assert_eq!(
                sorted(reads.visible_projects(&scope, &all).await.unwrap()),
                sorted(visible.clone()),
                "{scope:?}"
            );
            for id in &all {
                let found = reads.project(&scope, *id).await.unwrap().is_some();
                assert_eq!(found, visible.contains(id), "{id} for {scope:?}");
            }
        }
        if principal.company != w.company {
            continue; // Whether things of another company are located is the store's affair.
        }
        let located = w.read().await.directory().locate(&principal, &things).await.unwrap();
        assert_eq!(sorted(located.into_iter().map(|located| located.facts).collect()), sorted(facts.clone()));
        let own = unrestricted(principal);
        for (id, ..) in &groups {
            let view = w.read().await.directory().group(&principal, *id).await.unwrap().unwrap();
            let child = |facts: &&ProjectFacts| facts.group.is_some_and(|group| group.id == *id);
            let sees_child = facts.iter().filter(child).any(|facts| own.allows(facts));
            assert_eq!(view.sees_child, sees_child, "{id} for {principal:?}");
        }
    }
}
