//! Ideas.

use std::collections::BTreeMap;

use chorus_ids::{CompanyId, IdeaId, ProjectId, ProposalId, Timestamp};
use chorus_lifecycle::idea::{
    self as lifecycle, Depth, Derived, DerivedInput, ElaborationStatus, IDEA, IdeaEvent, IdeaState, IdeaStatus, Node,
    RolledUp, TaskCounts,
};

use serde_json::json;

use crate::{
    Assignment, Caller, Code, Party, Refusal, Subject, next,
    origin::Origin,
    text::{self, Use},
};

mod assigning;
pub mod edit;
#[cfg(test)]
pub(crate) mod fixtures;
mod moving;

pub use assigning::assign;
pub use moving::{Following, relocate};

/// An idea: where work begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// Its id.
    pub id: IdeaId,
    /// Its tenant.
    pub company: CompanyId,
    /// Its project.
    pub project: ProjectId,
    /// Its title.
    pub title: String,
    /// Its text.
    pub content: Option<String>,
    /// Its stored status, normalised.
    pub status: IdeaStatus,
    /// How far its elaboration is.
    pub elaboration_status: Option<ElaborationStatus>,
    /// How deep its elaboration goes.
    pub depth: Option<Depth>,
    /// The idea it was derived from, in the same project.
    pub parent: Option<IdeaId>,
    /// Whether it is a theme: it groups other ideas and can't be proposed from.
    pub is_container: bool,
    /// Who holds it.
    pub assignee: Option<Assignment>,
    /// Who made it.
    pub created_by: Party,
    /// 1 when made, one more with every change.
    pub version: i32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Idea {
    /// The pair that its lifecycle is about.
    pub const fn state(&self) -> IdeaState {
        IdeaState { status: self.status, elaboration: self.elaboration_status }
    }
}

/// What an idea's derived status is computed from, beside the idea (lifecycle specification §2.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdeaFacts {
    /// Pending proposals of its project that name it.
    pub pending_proposals: u32,
    /// Approved proposals of its project that name it.
    pub approved_proposals: u32,
    /// The tasks of the most recently created approved one, if there is one.
    pub tasks: Option<TaskTally>,
    /// Completion reports under its approved or closed proposals.
    pub reports: u32,
    /// Ideas directly below it.
    pub children: u32,
}

/// Tasks of one proposal, counted by what matters to the idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskTally {
    /// The proposal.
    pub proposal: ProposalId,
    /// All of them.
    pub total: u32,
    /// Waiting for verification.
    pub to_verify: u32,
    /// Done or closed.
    pub finished: u32,
}

/// An idea's progress by its own facts; a theme that has children takes theirs instead ([`roll_up`]).
pub fn own_progress(idea: &Idea, facts: &IdeaFacts) -> Derived {
    lifecycle::derive(&DerivedInput {
        status: idea.status,
        elaboration: idea.elaboration_status,
        has_pending_proposal: facts.pending_proposals > 0,
        approved: facts.tasks.map(|tasks| TaskCounts {
            total: tasks.total,
            to_verify: tasks.to_verify,
            finished: tasks.finished,
        }),
    })
}

/// Whether the idea's progress is that of the ideas below it, so that they have to be loaded to know it.
pub const fn follows_children(idea: &Idea, facts: &IdeaFacts) -> bool {
    idea.is_container && facts.children > 0
}

/// The progress of these ideas, each given once, with themes taking theirs from the leaves up (lifecycle
/// specification §2.7).
pub fn roll_up<'a>(ideas: impl IntoIterator<Item = (&'a Idea, &'a IdeaFacts)>) -> BTreeMap<IdeaId, RolledUp> {
    let nodes: BTreeMap<IdeaId, Node<IdeaId>> = ideas
        .into_iter()
        .map(|(idea, facts)| {
            let own = own_progress(idea, facts);
            (idea.id, Node { id: idea.id, parent: idea.parent, is_theme: idea.is_container, own })
        })
        .collect();
    lifecycle::roll_up(&nodes.into_values().collect::<Vec<_>>())
}

/// What somebody says about a new idea.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdeaForm {
    /// Its title.
    pub title: String,
    /// Its text; a blank one counts as none.
    pub content: Option<String>,
    /// The idea of the same project it is derived from.
    pub parent: Option<IdeaId>,
    /// Whether it is a theme.
    pub is_container: bool,
}

/// Makes an idea: open, nobody's, at version 1 (lifecycle specification §2.2).
///
/// # Errors
/// `invalid_arguments` for a title or text that can't be stored.
pub fn create(id: IdeaId, form: IdeaForm, origin: Origin) -> Result<Idea, Refusal> {
    let IdeaForm { title, content, parent, is_container } = form;
    let checks = [
        text::check("title", &title, Use::Title),
        text::check("content", content.as_deref().unwrap_or_default(), Use::Body),
    ];
    Refusal::unless_fine(checks.into_iter().filter_map(Result::err).collect())?;
    let IdeaState { status, elaboration } = IDEA.initial;
    Ok(Idea {
        id,
        company: origin.company,
        project: origin.project,
        title,
        content: text::present(content),
        status,
        elaboration_status: elaboration,
        depth: None,
        parent,
        is_container,
        assignee: None,
        created_by: origin.by,
        version: 1,
        created_at: origin.now,
        updated_at: origin.now,
    })
}

impl Idea {
    /// The next version of the idea, in another state.
    pub(crate) fn moved(&self, to: IdeaState, now: Timestamp) -> Self {
        Self {
            status: to.status,
            elaboration_status: to.elaboration,
            version: self.version + 1,
            updated_at: now,
            ..self.clone()
        }
    }

    /// The state after an event.
    ///
    /// # Errors
    /// `invalid_state` naming the state, what can happen in it, and `hint`: what to do instead.
    pub(crate) fn after(&self, event: IdeaEvent, hint: &str) -> Result<IdeaState, Refusal> {
        IDEA.apply(self.state(), event).map_err(|illegal| {
            let possible: Vec<&str> = IDEA.events_from(illegal.from).map(IdeaEvent::as_str).collect();
            let ways: Vec<&str> = IDEA.events_from(illegal.from).map(next::idea).collect();
            let text = format!(
                "The idea is `{}`, so `{}` is not possible. What is possible now: {}. {hint}",
                illegal.from,
                illegal.event,
                next::listed(&ways, "nothing")
            );
            Refusal::new(Code::InvalidState, text.trim_end()).with(json!({
                "status": self.status.as_str(),
                "elaborationStatus": self.elaboration_status.map(ElaborationStatus::as_str),
                "possible": possible,
            }))
        })
    }
}

/// Takes an idea that nobody holds (lifecycle specification §2.2, README decision 4). `holder` is what its holder is
/// called, if it has one that still exists.
///
/// # Errors
/// `already_claimed` with the holder; `invalid_state` if it is elaborated.
pub fn claim(idea: &Idea, holder: Option<&str>, by: Party, now: Timestamp) -> Result<Idea, Refusal> {
    if let Some(assignment) = idea.assignee {
        let (kind, id) = (assignment.to.kind(), assignment.to.uuid());
        let text = if assignment.to == by {
            "You hold this idea already; go on with chorus_pm_start_elaboration or chorus_pm_skip_elaboration."
                .to_owned()
        } else {
            format!(
                "The idea is held by {kind} `{}`. Take another one (see chorus_get_available_ideas), or wait until it \
                 is released.",
                holder.unwrap_or("Unknown")
            )
        };
        return Err(Refusal::new(Code::AlreadyClaimed, text)
            .with(json!({ "holder": { "type": kind, "uuid": id, "name": holder } })));
    }
    let state = idea.after(
        IdeaEvent::Claim,
        "An elaborated idea is not claimed; who is to propose from it is decided with chorus_pm_assign_idea.",
    )?;
    let own = match by {
        Party::Agent(_) => None, // an agent's claim for itself has no provenance (lifecycle specification §1.4)
        Party::User(_) => Some(by),
    };
    Ok(Idea { assignee: Some(Assignment { to: by, at: now, by: own }), ..idea.moved(state, now) })
}

/// Gives an idea back. One that is not elaborated yet is open again and forgets how far its questions were; the rounds
/// themselves stay (lifecycle specification §2.2). People may give back what anybody holds.
///
/// # Errors
/// `not_claimed` if nobody holds it; `not_assignee` if an agent asks and somebody else does.
pub fn release(idea: &Idea, caller: &Caller, now: Timestamp) -> Result<Idea, Refusal> {
    let Some(assignment) = idea.assignee else {
        return Err(Refusal::new(
            Code::NotClaimed,
            "Nobody holds this idea, so there is nothing to release; chorus_claim_idea takes it.",
        ));
    };
    if !matches!(caller.subject, Subject::User(_)) && !caller.holds(Some(assignment.to)) {
        return Err(not_assignee(
            idea,
            &format!("Only its assignee, or an agent of its assignee, can release an idea. {ASK}"),
        ));
    }
    let state = idea.after(IdeaEvent::Release, "")?;
    Ok(Idea { assignee: None, depth: kept_depth(idea, state), ..idea.moved(state, now) })
}

/// The idea as it is once its holder was removed: given back, whoever held it.
///
/// # Errors
/// `invalid_state` where the lifecycle has no release, which is nowhere.
pub fn vacate(idea: &Idea, now: Timestamp) -> Result<Idea, Refusal> {
    let state = idea.after(IdeaEvent::Release, "")?;
    Ok(Idea { assignee: None, depth: kept_depth(idea, state), ..idea.moved(state, now) })
}

/// An idea that is open again forgets how thoroughly it was to be asked about.
const fn kept_depth(idea: &Idea, state: IdeaState) -> Option<Depth> {
    match state.status {
        IdeaStatus::Open | IdeaStatus::Elaborating => None,
        IdeaStatus::Elaborated => idea.depth,
    }
}

/// What to do about an idea of somebody else.
pub(crate) const ASK: &str = "The error's details name the assignee: ask there (chorus_add_comment), or have it assigned \
                              to you (chorus_pm_assign_idea).";

/// `not_assignee`, with the assignee in the details.
pub(crate) fn not_assignee(idea: &Idea, text: &str) -> Refusal {
    let assignee = idea.assignee.map(|held| json!({ "type": held.to.kind(), "uuid": held.to.uuid() }));
    Refusal::new(Code::NotAssignee, text).with(json!({ "assignee": assignee }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use chorus_ids::UserId;
    use chorus_lifecycle::idea::{BadgeHint, ChildProgress, DerivedStatus};
    use serde_json::json;

    use super::{
        fixtures::{LATER, NOW, agent, idea, owner, someone, strange_agent, thought},
        *,
    };

    fn form(title: &str, content: Option<&str>) -> IdeaForm {
        IdeaForm { title: title.into(), content: content.map(Into::into), parent: None, is_container: false }
    }

    fn origin() -> Origin {
        let Idea { company, project, .. } = idea();
        Origin { company, project, by: agent().subject.party().unwrap(), now: NOW }
    }

    #[test]
    fn a_new_idea_is_open_and_nobody_s() {
        let made = create(IdeaId::from_u128(9), form("A title", Some(" \n")), origin()).unwrap();
        assert_eq!((made.status, made.elaboration_status, made.depth), (IdeaStatus::Open, None, None));
        assert_eq!((made.assignee, made.version, made.content), (None, 1, None));
        assert_eq!((made.created_at, made.updated_at, made.created_by), (NOW, NOW, origin().by));
    }

    #[test]
    fn every_problem_of_a_new_idea_is_listed() {
        let refused = create(IdeaId::from_u128(9), form(" ", Some("a\0")), origin()).unwrap_err();
        assert_eq!(refused.code, Code::InvalidArguments);
        let fields: Vec<_> =
            refused.details.unwrap()["problems"].as_array().unwrap().iter().map(|p| p["field"].clone()).collect();
        assert_eq!(fields, ["title", "content"]);
    }

    #[test]
    fn a_claimed_idea_is_elaborating_and_the_agent_s_own() {
        let claimed = claim(&thought(), None, agent().subject.party().unwrap(), LATER).unwrap();
        assert_eq!((claimed.status, claimed.version, claimed.updated_at), (IdeaStatus::Elaborating, 2, LATER));
        let to = agent().subject.party().unwrap();
        assert_eq!(claimed.assignee, Some(Assignment { to, at: LATER, by: None }));
        // A person's claim says whose doing it was.
        let by = owner();
        assert_eq!(claim(&thought(), None, by, LATER).unwrap().assignee.unwrap().by, Some(by));
    }

    #[test]
    fn a_released_idea_with_rounds_keeps_its_elaboration_when_claimed() {
        let started = Idea { elaboration_status: Some(ElaborationStatus::PendingAnswers), ..thought() };
        let claimed = claim(&started, None, owner(), LATER).unwrap();
        assert_eq!(claimed.elaboration_status, Some(ElaborationStatus::PendingAnswers));
    }

    #[test]
    fn a_held_idea_is_not_claimed_again_whatever_its_status() {
        for status in IdeaStatus::ALL {
            let held = Idea { status, ..idea() };
            let refused = claim(&held, Some("Somebody"), someone(), LATER).unwrap_err();
            assert_eq!(refused.code, Code::AlreadyClaimed, "{status}");
            assert!(refused.text.contains("held by agent `Somebody`"), "{}", refused.text);
            let uuid = held.assignee.unwrap().to.uuid();
            assert_eq!(refused.details, Some(json!({"holder": {"type": "agent", "uuid": uuid, "name": "Somebody"}})));
        }
        let own = claim(&idea(), Some("Me"), agent().subject.party().unwrap(), LATER).unwrap_err();
        assert_eq!(own.code, Code::AlreadyClaimed);
        assert!(own.text.starts_with("You hold"), "{}", own.text);
    }

    #[test]
    fn an_elaborated_idea_without_holder_is_not_claimed() {
        let elaborated = Idea { status: IdeaStatus::Elaborated, ..thought() };
        let refused = claim(&elaborated, None, someone(), LATER).unwrap_err();
        assert_eq!(refused.code, Code::InvalidState);
        assert!(refused.text.contains("`elaborated`") && refused.text.contains("assign"), "{}", refused.text);
        let details = refused.details.unwrap();
        assert_eq!((&details["status"], &details["elaborationStatus"]), (&json!("elaborated"), &json!(null)));
        assert_eq!(details["possible"], json!(["assign", "start_round", "answer_last", "resolve", "release"]));
    }

    #[test]
    fn release_opens_an_idea_again_and_forgets_its_elaboration() {
        let at_work =
            Idea { depth: Some(Depth::Standard), elaboration_status: Some(ElaborationStatus::Validating), ..idea() };
        let released = release(&at_work, &agent(), LATER).unwrap();
        assert_eq!((released.status, released.elaboration_status, released.depth), (IdeaStatus::Open, None, None));
        assert_eq!((released.assignee, released.version), (None, at_work.version + 1));
    }

    #[test]
    fn release_of_an_elaborated_idea_clears_the_assignee_only() {
        let elaborated = Idea {
            status: IdeaStatus::Elaborated,
            depth: Some(Depth::Standard),
            elaboration_status: Some(ElaborationStatus::Resolved),
            ..idea()
        };
        let released = release(&elaborated, &agent(), LATER).unwrap();
        let expected = Idea { assignee: None, version: elaborated.version + 1, updated_at: LATER, ..elaborated };
        assert_eq!(released, expected);
    }

    #[test]
    fn an_agent_releases_what_it_or_its_owner_holds_and_nothing_else() {
        let of_owner = Idea { assignee: Some(Assignment { to: owner(), at: NOW, by: None }), ..idea() };
        assert!(release(&of_owner, &agent(), LATER).is_ok());
        let refused = release(&idea(), &strange_agent(), LATER).unwrap_err();
        assert_eq!(refused.code, Code::NotAssignee);
        let uuid = idea().assignee.unwrap().to.uuid();
        assert_eq!(refused.details, Some(json!({"assignee": {"type": "agent", "uuid": uuid}})));
        assert_eq!(release(&thought(), &agent(), LATER).unwrap_err().code, Code::NotClaimed);
    }

    #[test]
    fn a_person_gives_back_what_anybody_holds() {
        let person = Caller { subject: Subject::User(UserId::from_u128(22)), ..strange_agent() };
        assert_eq!(release(&idea(), &person, LATER).unwrap().assignee, None);
        assert_eq!(release(&thought(), &person, LATER).unwrap_err().code, Code::NotClaimed);
    }

    fn tasks(total: u32, to_verify: u32, finished: u32) -> IdeaFacts {
        let proposal = ProposalId::from_u128(1);
        let tasks = Some(TaskTally { proposal, total, to_verify, finished });
        IdeaFacts { approved_proposals: 1, tasks, ..IdeaFacts::default() }
    }

    #[test]
    fn own_progress_follows_the_facts() {
        let elaborated = Idea { status: IdeaStatus::Elaborated, ..thought() };
        let check = |facts: IdeaFacts, status, badge| {
            assert_eq!(own_progress(&elaborated, &facts), Derived { status, badge }, "{facts:?}");
        };
        check(IdeaFacts::default(), DerivedStatus::InProgress, BadgeHint::Planning);
        check(tasks(2, 1, 1), DerivedStatus::HumanConductRequired, BadgeHint::VerifyWork);
        check(tasks(2, 0, 2), DerivedStatus::Done, BadgeHint::Done);
        check(tasks(2, 0, 1), DerivedStatus::InProgress, BadgeHint::Building);
        let pending = IdeaFacts { pending_proposals: 1, ..tasks(2, 0, 2) };
        check(pending, DerivedStatus::HumanConductRequired, BadgeHint::ReviewProposal);
    }

    #[test]
    fn a_theme_takes_its_progress_from_its_children() {
        let theme = Idea { is_container: true, ..thought() };
        let child = |id, status| Idea { id: IdeaId::from_u128(id), parent: Some(theme.id), status, ..thought() };
        let (begun, done) = (child(101, IdeaStatus::Open), child(102, IdeaStatus::Elaborated));
        let (none, all) = (IdeaFacts::default(), tasks(1, 0, 1));
        let facts = IdeaFacts { children: 2, ..none };
        assert!(follows_children(&theme, &facts) && !follows_children(&theme, &none));
        assert!(!follows_children(&thought(), &facts));
        let progress = roll_up([(&theme, &facts), (&begun, &none), (&done, &all)]);
        assert_eq!(progress[&theme.id].children, ChildProgress { done: 1, total: 2 });
        assert_eq!(progress[&theme.id].derived.status, DerivedStatus::InProgress);
        // Naming an idea twice counts it once.
        let twice = roll_up([(&theme, &facts), (&done, &all), (&done, &all)]);
        assert_eq!(twice[&theme.id].children, ChildProgress { done: 1, total: 1 });
        assert_eq!(twice[&theme.id].derived.status, DerivedStatus::Done);
    }
}
