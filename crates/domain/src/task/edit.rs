//! Edits of a task: fields, criteria, dependencies and status in one call, all or nothing (README decisions 7 and 18).

use std::collections::{BTreeMap, BTreeSet};

use chorus_ids::{ProjectId, TaskId, Timestamp};
use chorus_lifecycle::{
    dependency::{EdgeProblem, check_edges},
    task::{Priority, TaskStatus},
};
use serde_json::{Map, Value, json};

use super::{Edge, Task, create, criteria};
use crate::{Code, Refusal, notification::quoted, proposal::CriterionDraft, refusal::Problem, text};

/// What an edit names. What it does not name stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Another title.
    pub title: Option<String>,
    /// Another description; a blank one clears it.
    pub description: Option<String>,
    /// Another priority.
    pub priority: Option<Priority>,
    /// Another effort.
    pub story_points: Option<f64>,
    /// Criteria that take the place of all there are.
    pub criteria: Option<Vec<CriterionDraft>>,
    /// Another status, set by the assignee.
    pub status: Option<TaskStatus>,
    /// Prerequisites to add.
    pub add: Vec<TaskId>,
    /// Prerequisites to remove.
    pub remove: Vec<TaskId>,
    /// The version that the caller knows; another one refuses the edit.
    pub expected_version: Option<i32>,
}

impl Edit {
    /// Whether it names a field other than dependencies. Dependencies count only where they change something: adding
    /// one that is there, or removing one that is not, is harmless.
    pub const fn names_a_field(&self) -> bool {
        self.title.is_some()
            || self.description.is_some()
            || self.priority.is_some()
            || self.story_points.is_some()
            || self.criteria.is_some()
            || self.status.is_some()
    }

    /// The edit with its criteria tidied, if nothing is wrong with it in itself. `projects` says where the tasks are
    /// that it names.
    ///
    /// # Errors
    /// `precondition_failed` if the task is no longer what the caller knows; else every text that can't be stored, every
    /// dependency of the task on itself or into another project, every contradiction.
    pub fn checked(self, task: &Task, projects: &BTreeMap<TaskId, ProjectId>) -> Result<Self, Refusal> {
        if let Some(expected) = self.expected_version
            && expected != task.version
        {
            return Err(stale(task.version, expected));
        }
        let mut problems = Vec::new();
        let texts = [("title", &self.title, text::Use::Title), ("description", &self.description, text::Use::Body)];
        for (field, given, usage) in texts {
            problems.extend(given.as_deref().and_then(|given| text::check(field, given, usage).err()));
        }
        problems.extend(self.story_points.and_then(|points| create::check_points("storyPoints", points).err()));
        let criteria = self.criteria.map(|given| criteria::tidy("acceptanceCriteriaItems", given, &mut problems));
        for (index, prerequisite) in self.add.iter().enumerate() {
            let field = format!("addDependsOn[{index}]");
            if *prerequisite == task.id {
                problems.push(Problem::new(field, "is the task itself; a task can't depend on itself"));
            } else if projects.get(prerequisite) != Some(&task.project) {
                problems.push(Problem::new(field, "is a task of another project; both must be in one project"));
            }
        }
        for (index, prerequisite) in self.remove.iter().enumerate() {
            if self.add.contains(prerequisite) {
                problems.push(Problem::new(
                    format!("removeDependsOn[{index}]"),
                    "stands in `addDependsOn` too; keep one of them",
                ));
            }
        }
        if problems.is_empty() { Ok(Self { criteria, ..self }) } else { Err(Refusal::problems(problems)) }
    }

    /// The task with the fields of this edit. `moved` is the task with the status that the edit asks for, if it asks
    /// for one.
    #[must_use]
    pub fn applied(&self, task: &Task, moved: Option<&Task>, now: Timestamp) -> Task {
        let mut after = moved.unwrap_or(task).clone();
        if let Some(title) = &self.title {
            after.title.clone_from(title);
        }
        if let Some(description) = &self.description {
            after.description = text::present(Some(description.clone()));
        }
        if let Some(priority) = self.priority {
            after.priority = priority;
        }
        if let Some(points) = self.story_points {
            after.story_points = Some(points);
        }
        after.version = task.version.saturating_add(1);
        after.updated_at = now;
        after
    }

    /// What its activity tells: the fields named, and how many dependencies really came and went.
    pub fn told(&self, added: usize, removed: usize) -> Value {
        let mut value = Map::new();
        let mut put = |key: &str, told: Option<Value>| {
            if let Some(told) = told {
                value.insert(key.to_owned(), told);
            }
        };
        put("status", self.status.map(|status| json!(status.as_str())));
        put("title", self.title.as_deref().map(|title| json!(text::excerpt(title))));
        put("descriptionUpdated", self.description.as_ref().map(|_| json!(true)));
        put("priority", self.priority.map(|priority| json!(priority.as_str())));
        put("storyPoints", self.story_points.map(|points| json!(points)));
        put("acceptanceCriteriaReplaced", self.criteria.as_ref().map(|_| json!(true)));
        put("addedDependencies", (added > 0).then(|| json!(added)));
        put("removedDependencies", (removed > 0).then(|| json!(removed)));
        Value::Object(value)
    }
}

/// The refusal of an edit of a task that has changed since its caller read it (README decision 18).
fn stale(current: i32, expected: i32) -> Refusal {
    Refusal::new(
        Code::PreconditionFailed,
        format!(
            "The task is at version {current}, not {expected}: somebody changed it after you read it. Nothing was \
             changed. Read it again with chorus_get_task, then repeat the call with its version."
        ),
    )
    .with(json!({ "currentVersion": current, "expectedVersion": expected }))
}

/// A prerequisite that would close a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// Its place among those to add.
    pub index: usize,
    /// The circle: each task depends on the next, and the last on the first, which is the edited one.
    pub path: Vec<TaskId>,
}

/// Which of these prerequisites are new to the task, each once. `existing` are the edges below the task and below
/// what is to be added.
///
/// # Errors
/// Every one that would close a circle.
pub fn new_prerequisites(task: TaskId, add: &[TaskId], existing: &[Edge]) -> Result<Vec<TaskId>, Vec<Circle>> {
    let added: Vec<(TaskId, TaskId)> = add.iter().map(|prerequisite| (task, *prerequisite)).collect();
    match check_edges(existing.iter().map(|edge| (edge.task, edge.depends_on)), &added) {
        Ok(new) => Ok(new.into_iter().map(|(_, prerequisite)| prerequisite).collect()),
        Err(refused) => Err(refused
            .into_iter()
            .map(|edge| Circle {
                index: edge.index,
                path: match edge.reason {
                    EdgeProblem::Itself => vec![task],
                    EdgeProblem::Cycle(path) => path,
                },
            })
            .collect()),
    }
}

/// The refusal of prerequisites that would close circles. `titles` are those of the tasks that the caller sees; the
/// others stay unnamed.
pub fn circles_refused(circles: &[Circle], titles: &BTreeMap<TaskId, String>) -> Refusal {
    let shown = |circle: &Circle| {
        let title = |id: &TaskId| titles.get(id).map_or("a task you can't see".to_owned(), |title| quoted(title));
        circle.path.iter().chain(circle.path.first()).map(title).collect::<Vec<_>>().join(" -> ")
    };
    let ids = |circle: &Circle| -> Vec<Option<TaskId>> {
        circle.path.iter().chain(circle.path.first()).map(|id| titles.contains_key(id).then_some(*id)).collect()
    };
    let problems: Vec<Value> = circles
        .iter()
        .map(|circle| {
            json!({
                "field": format!("addDependsOn[{}]", circle.index),
                "message": format!("would make tasks wait for each other: {}", shown(circle))
            })
        })
        .collect();
    let first = circles.first();
    Refusal::new(
        Code::Cycle,
        format!(
            "Tasks would wait for each other: {}. Remove one of these dependencies first \
             (chorus_update_task with `removeDependsOn`), or leave out the new one.",
            first.map(shown).unwrap_or_default()
        ),
    )
    .with(json!({ "path": first.map(ids), "problems": problems }))
}

/// Of the prerequisites to remove those that the task has, each once.
pub fn removed(current: impl IntoIterator<Item = TaskId>, remove: &[TaskId]) -> BTreeSet<TaskId> {
    let remove: BTreeSet<TaskId> = remove.iter().copied().collect();
    current.into_iter().filter(|id| remove.contains(id)).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::{
        super::samples::{NOW, PROJECT, task},
        *,
    };

    fn id(id: u128) -> TaskId {
        TaskId::from_u128(id)
    }

    fn fields(edit: Edit) -> Vec<String> {
        let places = BTreeMap::from([(id(1), PROJECT), (id(2), ProjectId::from_u128(99)), (id(100), PROJECT)]);
        let Err(refusal) = edit.checked(&task(TaskStatus::Open, None), &places) else { return Vec::new() };
        assert_eq!(refusal.code, Code::InvalidArguments);
        let details = refusal.details.unwrap();
        let problems = details.get("problems").and_then(Value::as_array).unwrap().clone();
        problems.iter().map(|p| p.get("field").and_then(Value::as_str).unwrap().to_owned()).collect()
    }

    #[test]
    fn an_edit_of_another_version_is_refused_before_anything_else() {
        let now = task(TaskStatus::Open, None);
        let edit = |expected_version| Edit { title: Some(" ".into()), expected_version, ..Edit::default() };
        let refused = edit(Some(now.version - 1)).checked(&now, &BTreeMap::new()).unwrap_err();
        assert_eq!(refused.code, Code::PreconditionFailed);
        assert_eq!(refused.details, Some(json!({ "currentVersion": 3, "expectedVersion": 2 })));
        assert!(refused.text.contains("version 3, not 2") && refused.text.contains("chorus_get_task"), "{refused}");
        for known in [None, Some(now.version)] {
            let refused = edit(known).checked(&now, &BTreeMap::new()).unwrap_err();
            assert_eq!(refused.code, Code::InvalidArguments);
        }
    }

    #[test]
    fn every_problem_of_an_edit_is_told_at_once() {
        let found = fields(Edit {
            title: Some(" ".into()),
            description: Some("a\0".into()),
            story_points: Some(-1.0),
            criteria: Some(vec![]),
            add: vec![id(1), id(100), id(2), id(3)],
            remove: vec![id(9), id(1)],
            ..Edit::default()
        });
        assert_eq!(
            found,
            [
                "title",
                "description",
                "storyPoints",
                "acceptanceCriteriaItems",
                "addDependsOn[1]",
                "addDependsOn[2]",
                "addDependsOn[3]",
                "removeDependsOn[1]"
            ]
        );
        assert_eq!(fields(Edit { description: Some("  ".into()), add: vec![id(1)], ..Edit::default() }), [""; 0]);
    }

    #[test]
    fn only_the_fields_named_change() {
        let before = task(TaskStatus::Open, None);
        let renamed = Edit { title: Some("New".into()), ..Edit::default() }.applied(&before, None, NOW);
        assert_eq!(renamed, Task { title: "New".into(), version: 4, updated_at: NOW, ..before.clone() });
        let cleared = Edit { description: Some(" \n".into()), ..Edit::default() }.applied(&before, None, NOW);
        assert_eq!(cleared, Task { description: None, version: 4, updated_at: NOW, ..before.clone() });
        let weighed = Edit { priority: Some(Priority::High), story_points: Some(2.5), ..Edit::default() };
        let weighed = weighed.applied(&before, None, NOW);
        assert_eq!((weighed.priority, weighed.story_points), (Priority::High, Some(2.5)));
        // A move has raised the version already; the edit counts as one change all the same.
        let moved = Task { status: TaskStatus::InProgress, version: 4, ..before.clone() };
        let both = Edit { title: Some("New".into()), ..Edit::default() }.applied(&before, Some(&moved), NOW);
        assert_eq!((both.status, both.version, both.title.as_str()), (TaskStatus::InProgress, 4, "New"));
    }

    #[test]
    fn an_activity_tells_what_was_named_and_what_came_of_it() {
        assert_eq!(Edit::default().told(0, 0), json!({}));
        let edit = Edit {
            title: Some("New".into()),
            description: Some(String::new()),
            priority: Some(Priority::Low),
            story_points: Some(3.0),
            criteria: Some(vec![]),
            status: Some(TaskStatus::ToVerify),
            ..Edit::default()
        };
        assert_eq!(
            edit.told(2, 1),
            json!({
                "status": "to_verify", "title": "New", "descriptionUpdated": true, "priority": "low",
                "storyPoints": 3.0, "acceptanceCriteriaReplaced": true, "addedDependencies": 2,
                "removedDependencies": 1
            })
        );
    }

    #[test]
    fn a_prerequisite_counts_once_and_one_that_is_there_is_harmless() {
        let existing = [Edge { task: id(100), depends_on: id(1) }];
        assert_eq!(new_prerequisites(id(100), &[id(1), id(2), id(2)], &existing), Ok(vec![id(2)]));
        assert_eq!(removed([id(1), id(2)], &[id(2), id(3), id(2)]), BTreeSet::from([id(2)]));
    }

    #[test]
    fn a_circle_is_refused_with_its_path_and_hidden_tasks_stay_unnamed() {
        let existing = [Edge { task: id(1), depends_on: id(2) }, Edge { task: id(2), depends_on: id(100) }];
        let circles = new_prerequisites(id(100), &[id(7), id(1)], &existing).unwrap_err();
        assert_eq!(circles, [Circle { index: 1, path: vec![id(100), id(1), id(2)] }]);
        let titles = BTreeMap::from([(id(100), "Parse".to_owned()), (id(1), "Lex".to_owned())]);
        let refusal = circles_refused(&circles, &titles);
        assert_eq!(refusal.code, Code::Cycle);
        assert!(refusal.text.contains("\"Parse\" -> \"Lex\" -> a task you can't see -> \"Parse\""), "{refusal}");
        let details = refusal.details.unwrap();
        assert_eq!(details.get("path"), Some(&json!([id(100), id(1), null, id(100)])));
        assert!(!details.to_string().contains(&id(2).to_string()));
    }
}
