//! New tasks, several at a time: all or none (README decision 7, lifecycle specification §6.6).

use std::collections::BTreeMap;

use chorus_ids::{CompanyId, IdSource, ProjectId, ProposalId, TaskId, Timestamp};
use chorus_lifecycle::{
    dependency::{EdgeProblem, check_edges},
    task::{Priority, TASK},
};
use serde_json::{Value, json};

use super::{Criterion, Edge, Task, criteria};
use crate::{
    Code, Party, Refusal,
    proposal::CriterionDraft,
    refusal::{Problem, Reason},
    text,
};

/// Most tasks of a batch.
pub const MAX_BATCH: usize = 200;

/// Greatest effort of a task, in agent hours.
pub const MAX_POINTS: f64 = 1000.0;

/// Longest label inside a problem, in characters.
const SHOWN_LABEL: usize = 80;

/// A task as asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Its title.
    pub title: String,
    /// What is to be done.
    pub description: Option<String>,
    /// How urgent; `medium` if nothing is said.
    pub priority: Option<Priority>,
    /// Expected effort.
    pub story_points: Option<f64>,
    /// When it counts as done; at least one.
    pub criteria: Vec<CriterionDraft>,
    /// A name for it within the batch.
    pub label: Option<String>,
    /// Tasks of the batch that come first, by label.
    pub after_labels: Vec<String>,
    /// Tasks there already that come first.
    pub after: Vec<TaskId>,
}

/// A task that can be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// As asked for, its criteria tidied and duplicates of its prerequisites merged.
    pub form: Form,
    /// Tasks of the batch that come first, by index.
    pub after_batch: Vec<usize>,
}

/// Checks a batch. `projects` says where the tasks are that it names.
///
/// # Errors
/// Everything that is wrong with any of the tasks: `cycle` if that is only tasks that would wait for each other, else
/// `invalid_arguments`.
pub fn plan(
    forms: Vec<Form>,
    project: ProjectId,
    projects: &BTreeMap<TaskId, ProjectId>,
) -> Result<Vec<Planned>, Refusal> {
    let mut problems = Vec::new();
    if forms.len() > MAX_BATCH {
        problems
            .push(Problem::new("tasks", format_args!("has {} items; at most {MAX_BATCH} are allowed", forms.len())));
    }
    let labels = labels(&forms, &mut problems);
    let mut named = Vec::new();
    let mut planned = Vec::with_capacity(forms.len());
    for (index, mut form) in forms.into_iter().enumerate() {
        let field = |name: &str| format!("tasks[{index}].{name}");
        problems.extend(text::check(&field("title"), &form.title, text::Use::Title).err());
        let description = form.description.as_deref().unwrap_or_default();
        problems.extend(text::check(&field("description"), description, text::Use::Body).err());
        problems.extend(form.story_points.and_then(|points| check_points(&field("storyPoints"), points).err()));
        let given = std::mem::take(&mut form.criteria);
        form.criteria = criteria::tidy(&field("acceptanceCriteriaItems"), given, &mut problems);
        for (place, label) in form.after_labels.iter().enumerate() {
            let field = field(&format!("dependsOnDraftUuids[{place}]"));
            match labels.get(label.as_str()) {
                None => problems.push(Problem::new(
                    field,
                    format_args!("names `{}`, which is no `draftUuid` of this batch", shown(label)),
                )),
                Some(&other) if other == index => {
                    problems.push(Problem::new(field, "names the task itself; a task can't depend on itself"));
                }
                Some(&other) => named.push(((index, other), field)),
            }
        }
        for (place, prerequisite) in form.after.iter().enumerate() {
            if projects.get(prerequisite) != Some(&project) {
                problems.push(Problem::new(
                    field(&format!("dependsOnTaskUuids[{place}]")),
                    "is a task of another project; both must be in one project",
                ));
            }
        }
        form.after.sort_unstable();
        form.after.dedup();
        form.description = text::present(form.description);
        planned.push(Planned { form, after_batch: Vec::new() });
    }
    let edges: Vec<(usize, usize)> = named.iter().map(|(edge, _)| *edge).collect();
    match check_edges([], &edges) {
        Ok(new) if problems.is_empty() => {
            for (index, other) in new {
                if let Some(task) = planned.get_mut(index) {
                    task.after_batch.push(other);
                }
            }
            Ok(planned)
        }
        Ok(_) => Err(Refusal::problems(problems)),
        Err(refused) => {
            let circles = refused.into_iter().filter_map(|edge| match edge.reason {
                // Refused above already, by label.
                EdgeProblem::Itself => None,
                EdgeProblem::Cycle(path) => {
                    let (_, field) = named.get(edge.index)?;
                    Some((field.clone(), path.into_iter().map(|index| name(&planned, index)).collect::<Vec<_>>()))
                }
            });
            Err(circles_refused(problems, circles.collect()))
        }
    }
}

/// The labels of the batch with the indices of their tasks.
fn labels(forms: &[Form], problems: &mut Vec<Problem>) -> BTreeMap<String, usize> {
    let mut labels = BTreeMap::new();
    for (index, form) in forms.iter().enumerate() {
        let Some(label) = &form.label else { continue };
        let field = format!("tasks[{index}].draftUuid");
        problems.extend(text::check(&field, label, text::Use::Title).err());
        match labels.get(label) {
            Some(first) => problems.push(Problem::new(
                field,
                format_args!("is `{}`, which `tasks[{first}]` is called already; labels must differ", shown(label)),
            )),
            None => {
                labels.insert(label.clone(), index);
            }
        }
    }
    labels
}

fn name(planned: &[Planned], index: usize) -> String {
    let label = planned.get(index).and_then(|task| task.form.label.as_deref());
    label.map_or_else(|| format!("tasks[{index}]"), shown)
}

/// A label as it stands in a problem: cut if it is long.
fn shown(label: &str) -> String {
    text::shorten(label, SHOWN_LABEL)
}

fn circles_refused(mut problems: Vec<Problem>, circles: Vec<(String, Vec<String>)>) -> Refusal {
    let only_circles = problems.is_empty();
    let closed = |path: &[String]| path.iter().chain(path.first()).cloned().collect::<Vec<_>>();
    let path: Option<Vec<String>> = circles.first().map(|(_, path)| closed(path));
    for (field, path) in &circles {
        problems.push(Problem::new(
            field.clone(),
            format_args!(
                "would make tasks wait for each other: {}; leave out one of these dependencies",
                closed(path).join(" -> ")
            ),
        ));
    }
    let mut refusal = Refusal::problems(problems);
    if only_circles {
        refusal.code = Code::Cycle;
    }
    if let (Some(Value::Object(details)), Some(path)) = (&mut refusal.details, path) {
        details.insert("path".into(), json!(path));
    }
    refusal
}

/// Whether an effort is one.
///
/// # Errors
/// A problem unless it is from 0 to [`MAX_POINTS`].
pub fn check_points(field: &str, points: f64) -> Result<(), Problem> {
    if (0.0..=MAX_POINTS).contains(&points) {
        Ok(())
    } else {
        Err(Problem::new(field, format_args!("must be from 0 to {MAX_POINTS}")).because(Reason::OutOfRange))
    }
}

/// Where new tasks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Their tenant.
    pub company: CompanyId,
    /// Their project.
    pub project: ProjectId,
    /// The proposal they belong to; none for quick tasks.
    pub proposal: Option<ProposalId>,
    /// Who makes them.
    pub by: Party,
    /// When.
    pub now: Timestamp,
}

/// New tasks with what belongs to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The tasks, in the order asked for, each with its label.
    pub tasks: Vec<(Task, Option<String>)>,
    /// Their criteria.
    pub criteria: Vec<Criterion>,
    /// Their dependencies.
    pub edges: Vec<Edge>,
}

/// Makes the tasks of a plan.
pub fn make(plan: Vec<Planned>, origin: &Origin, ids: &mut dyn IdSource) -> Made {
    let task_ids: Vec<TaskId> = plan.iter().map(|_| ids.make()).collect();
    let mut made = Made { tasks: Vec::with_capacity(plan.len()), criteria: Vec::new(), edges: Vec::new() };
    for (Planned { form, after_batch }, &id) in plan.into_iter().zip(&task_ids) {
        made.criteria.extend(criteria::new(id, form.criteria, ids));
        let in_batch = after_batch.iter().filter_map(|index| task_ids.get(*index)).copied();
        made.edges.extend(in_batch.chain(form.after).map(|depends_on| Edge { task: id, depends_on }));
        let task = Task {
            id,
            company: origin.company,
            project: origin.project,
            title: form.title,
            description: form.description,
            status: TASK.initial,
            priority: form.priority.unwrap_or_default(),
            story_points: form.story_points,
            assignee: None,
            proposal: origin.proposal,
            created_by: origin.by,
            version: 1,
            created_at: origin.now,
            updated_at: origin.now,
        };
        made.tasks.push((task, form.label));
    }
    made
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::{AgentId, SequentialIds};
    use chorus_lifecycle::task::TaskStatus;

    use super::{
        super::samples::{COMPANY, NOW, PROJECT},
        *,
    };

    fn id(id: u128) -> TaskId {
        TaskId::from_u128(id)
    }

    fn form(label: &str, after: &[&str]) -> Form {
        Form {
            title: format!("Task {label}"),
            criteria: vec![CriterionDraft { description: " holds ".into(), required: true }],
            label: (!label.is_empty()).then(|| label.to_owned()),
            after_labels: after.iter().map(|&label| label.to_owned()).collect(),
            ..Form::default()
        }
    }

    fn planned(forms: Vec<Form>) -> Result<Vec<Planned>, Refusal> {
        plan(forms, PROJECT, &BTreeMap::from([(id(1), PROJECT), (id(2), ProjectId::from_u128(99))]))
    }

    fn fields(refusal: &Refusal) -> Vec<String> {
        let problems = refusal.details.as_ref().unwrap()["problems"].as_array().unwrap().iter();
        problems.map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn labels_may_point_forward_and_duplicates_are_merged() {
        let mut last = form("c", &["b", "b", "a"]);
        last.after = vec![id(1), id(1)];
        let plan = planned(vec![form("a", &["b"]), form("b", &[]), last]).unwrap();
        let after: Vec<&[usize]> = plan.iter().map(|task| task.after_batch.as_slice()).collect();
        assert_eq!(after, [&[1][..], &[], &[1, 0]]);
        assert_eq!(plan[2].form.after, [id(1)]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once_with_its_place() {
        let mut broken = form("x", &["x", "nobody"]);
        broken.title = " ".into();
        broken.description = Some("\0".into());
        broken.story_points = Some(1000.5);
        broken.criteria = vec![CriterionDraft { description: " ".into(), required: true }];
        broken.after = vec![id(2)];
        let refusal = planned(vec![form("x", &[]), broken, form("y", &["z"]), form("z", &["y"])]).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidArguments);
        assert_eq!(
            fields(&refusal),
            [
                "tasks[1].draftUuid",
                "tasks[1].title",
                "tasks[1].description",
                "tasks[1].storyPoints",
                "tasks[1].acceptanceCriteriaItems",
                "tasks[1].dependsOnDraftUuids[1]",
                "tasks[1].dependsOnTaskUuids[0]",
                "tasks[3].dependsOnDraftUuids[0]"
            ]
        );
    }

    #[test]
    fn a_task_that_names_itself_is_refused() {
        let refusal = planned(vec![form("a", &["a"])]).unwrap_err();
        assert_eq!(
            (refusal.code, fields(&refusal)),
            (Code::InvalidArguments, vec!["tasks[0].dependsOnDraftUuids[0]".into()])
        );
    }

    #[test]
    fn tasks_that_would_wait_for_each_other_are_refused_with_the_path() {
        let refusal =
            planned(vec![form("a", &["b"]), form("b", &["c"]), form("c", &["a"]), form("d", &["a"])]).unwrap_err();
        assert_eq!(refusal.code, Code::Cycle);
        assert_eq!(fields(&refusal), ["tasks[2].dependsOnDraftUuids[0]"]);
        assert_eq!(refusal.details.unwrap()["path"], json!(["c", "a", "b", "c"]));
    }

    #[test]
    fn a_batch_has_at_most_two_hundred_tasks() {
        let batch = |count: usize| planned(vec![form("", &[]); count]);
        assert_eq!(batch(MAX_BATCH).unwrap().len(), 200);
        assert_eq!(fields(&batch(MAX_BATCH + 1).unwrap_err()), ["tasks"]);
        assert_eq!(batch(0), Ok(vec![]));
    }

    #[test]
    fn tasks_are_made_open_with_their_criteria_and_edges() {
        let origin = Origin {
            company: COMPANY,
            project: PROJECT,
            proposal: Some(ProposalId::from_u128(8)),
            by: Party::Agent(AgentId::from_u128(1)),
            now: NOW,
        };
        let mut second = form("b", &["a"]);
        second.after = vec![id(1)];
        second.priority = Some(Priority::High);
        second.description = Some("  ".into());
        let plan = planned(vec![form("a", &[]), second]).unwrap();
        let made = make(plan, &origin, &mut SequentialIds::starting_at(NOW));
        let [(first, label), (second, _)] = made.tasks.as_slice() else { return assert_eq!(made.tasks.len(), 2) };
        assert_eq!((label.as_deref(), first.status, first.version), (Some("a"), TaskStatus::Open, 1));
        assert_eq!((first.priority, second.priority), (Priority::Medium, Priority::High));
        assert_eq!((second.description.as_deref(), second.proposal), (None, origin.proposal));
        let edge = |depends_on| Edge { task: second.id, depends_on };
        assert_eq!(made.edges, [edge(first.id), edge(id(1))]);
        let criteria: Vec<_> = made.criteria.iter().map(|c| (c.task, c.description.as_str())).collect();
        assert_eq!(criteria, [(first.id, "holds"), (second.id, "holds")]);
    }
}
