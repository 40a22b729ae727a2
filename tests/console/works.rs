//! A project with its administrator, a viewer, a stranger, and an agent that proposes.

use chorus_domain::{Caller, Party};
use chorus_ids::{ProjectId, UserId};
use chorus_testkit::{Backend, CallResult, Tools};
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use crate::house::{Browser, House};

/// A private project and those around it.
pub(crate) struct Works {
    pub(crate) house: House,
    pub(crate) project: ProjectId,
    /// Its administrator.
    pub(crate) ann: UserId,
    /// Who may only look.
    pub(crate) bob: UserId,
    /// From whom it is hidden.
    pub(crate) eve: UserId,
    /// Ann's agent, which may do everything.
    pub(crate) agent: Caller,
    tools: Tools,
}

impl Works {
    pub(crate) async fn new(backend: Backend) -> Self {
        let house = House::new(backend).await;
        let world = &house.world;
        let (ann, bob, eve) = (world.user("ann").await, world.user("bob").await, world.user("eve").await);
        let members = [(ann, Role::Admin), (bob, Role::Viewer)];
        let project = world.project("Works", Visibility::Private, &members).await;
        let agent = world.new_caller("Builder", Some(ann), &["admin_agent"], &[]).await;
        let tools = Tools::new(world.services.clone());
        Self { project, ann, bob, eve, agent, tools, house }
    }

    pub(crate) async fn ann(&self) -> Browser<'_> {
        self.house.signed_in(self.ann).await
    }

    pub(crate) async fn bob(&self) -> Browser<'_> {
        self.house.signed_in(self.bob).await
    }

    /// The agent as whom work is given to.
    pub(crate) fn party(&self) -> Party {
        self.agent.subject.party().unwrap()
    }

    /// The path of a page of the project.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/projects/{}{rest}", self.project)
    }

    /// What a tool answers to the agent.
    pub(crate) async fn tool(&self, tool: &str, arguments: Value) -> Value {
        match self.tools.call(&self.agent, &format!("chorus_{tool}"), arguments).await {
            CallResult::Answer(answer) => answer,
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// The agent writes an idea down; its id.
    pub(crate) async fn idea(&self, title: &str) -> String {
        let made = self.tool("pm_create_idea", json!({ "projectUuid": self.project, "title": title })).await;
        id(&made)
    }

    /// An idea that the agent holds and that is clear.
    pub(crate) async fn clear_idea(&self, title: &str) -> String {
        let idea = self.idea(title).await;
        self.tool("claim_idea", json!({ "ideaUuid": idea })).await;
        self.tool("pm_skip_elaboration", json!({ "ideaUuid": idea, "reason": "Clear" })).await;
        idea
    }

    /// A proposal of the agent's with a document draft and two task drafts, one after the other; its id.
    pub(crate) async fn proposal(&self, title: &str) -> String {
        let idea = self.clear_idea(&format!("Idea of {title}")).await;
        let new = json!({
            "projectUuid": self.project, "title": title, "description": "How **it** is done", "inputType": "idea",
            "inputUuids": [idea]
        });
        let proposal = id(&self.tool("pm_create_proposal", new).await);
        let document = json!({
            "proposalUuid": proposal, "type": "tech_design", "title": "Design",
            "content": format!("# Rules\n\n{}<script>alert(1)</script>", "Rules. ".repeat(30))
        });
        self.tool("pm_add_document_draft", document).await;
        let mut before: Vec<Value> = Vec::new();
        for title in ["First step", "Second step"] {
            let draft = json!({
                "proposalUuid": proposal, "title": title, "description": "Do it", "priority": "high", "storyPoints": 1.5,
                "acceptanceCriteriaItems": [{ "description": format!("{title} works") }], "dependsOnDraftUuids": before
            });
            before = vec![self.tool("pm_add_task_draft", draft).await.get("draftUuid").unwrap().clone()];
        }
        proposal
    }

    /// The same, handed in.
    pub(crate) async fn submitted(&self, title: &str) -> String {
        let proposal = self.proposal(title).await;
        self.tool("pm_submit_proposal", json!({ "proposalUuid": proposal })).await;
        proposal
    }
}

/// The id of what a tool made.
pub(crate) fn id(made: &Value) -> String {
    made.get("uuid").and_then(Value::as_str).unwrap().to_owned()
}
