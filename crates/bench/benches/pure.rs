//! The pure crates by themselves: `cargo bench -p chorus-bench`.

use std::hint::black_box;

use chorus_dispatch::{Effect, Selection, Surface, arguments};
use chorus_domain::{Caller, Subject, Via};
use chorus_ids::{AgentId, CompanyId, GroupId, ProjectId, UserId};
use chorus_lifecycle::task::{TASK, TaskEvent, TaskStatus};
use chorus_mcp::Version;
use chorus_permissions::PermissionSet;
use chorus_visibility::{GroupFacts, Principal, ProjectFacts, Role, Visibility, level};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, Value, json};

const COMPANY: CompanyId = CompanyId::from_u128(1);
const USER: UserId = UserId::from_u128(2);
const PRINCIPAL: Principal = Principal { company: COMPANY, user: Some(USER), first_user: Some(UserId::from_u128(3)) };

/// The level of a person in a private project of a group, by both roles.
fn effective_level(criterion: &mut Criterion) {
    let group = GroupFacts {
        id: GroupId::from_u128(4),
        visibility: Visibility::Private,
        role: Some(Role::Editor),
        has_admin: true,
    };
    let facts = ProjectFacts {
        company: COMPANY,
        project: ProjectId::from_u128(5),
        visibility: Visibility::Private,
        role: Some(Role::Viewer),
        has_admin: true,
        group: Some(group),
    };
    criterion.bench_function("effective level", |bencher| {
        bencher.iter(|| level(black_box(&PRINCIPAL), black_box(&facts)));
    });
}

/// A move that is in the table, and one that is not.
fn lifecycle_step(criterion: &mut Criterion) {
    for (name, status) in [("legal", TaskStatus::Open), ("illegal", TaskStatus::Done)] {
        criterion.bench_function(&format!("lifecycle step, {name}"), |bencher| {
            bencher.iter(|| TASK.apply(black_box(status), black_box(TaskEvent::Claim)));
        });
    }
}

/// A batch of ten tasks as it should be, and one whose list came as a string that holds JSON.
fn argument_coercion(criterion: &mut Criterion) {
    let Ok(surface) = chorus_tools::surface() else { return };
    let Some(tool) = surface.tools().iter().find(|tool| tool.row.name == "chorus_create_tasks") else { return };
    let task =
        json!({ "title": "Parse", "storyPoints": 3, "acceptanceCriteriaItems": [{ "description": "It works" }] });
    let tasks = Value::Array(vec![task; 10]);
    let mangled = Value::String(tasks.to_string());
    for (name, tasks) in [("as declared", tasks), ("a string of JSON", mangled)] {
        let given = Map::from_iter([
            ("projectUuid".to_owned(), Value::String(ProjectId::from_u128(5).to_string())),
            ("tasks".to_owned(), tasks),
        ]);
        criterion.bench_function(&format!("argument coercion, {name}"), |bencher| {
            bencher.iter_batched(
                || given.clone(),
                |given| arguments::read(&tool.input, black_box(given), Effect::Write),
                criterion::BatchSize::SmallInput,
            );
        });
    }
}

fn caller() -> Caller {
    Caller {
        subject: Subject::Agent(AgentId::from_u128(6)),
        via: Via::Key,
        company: COMPANY,
        name: "Agent".to_owned(),
        owner: Some(USER),
        principal: PRINCIPAL,
        permissions: PermissionSet::ALL,
    }
}

/// All tools for a caller who may do everything: written anew, and as every further caller gets it.
fn listing_of_tools(criterion: &mut Criterion) {
    let caller = caller();
    let list = |surface: &Surface| surface.listing(&caller, &Selection::default(), Version::V2025_11_25);
    criterion.bench_function("listing of tools, the first", |bencher| {
        bencher.iter_batched(
            chorus_tools::surface,
            |surface| surface.as_ref().map(list).ok(),
            criterion::BatchSize::PerIteration,
        );
    });
    let Ok(surface) = chorus_tools::surface() else { return };
    criterion.bench_function("listing of tools, a further one", |bencher| bencher.iter(|| list(black_box(&surface))));
}

criterion_group!(pure, effective_level, lifecycle_step, argument_coercion, listing_of_tools);
criterion_main!(pure);
