//! Pages from which ideas are made, changed, moved and deleted.

use askama::Template;
use chorus_app::idea::{delete::impact, relocate as moving};
use chorus_domain::{
    Kind,
    idea::{Following, Idea},
};
use chorus_ids::{IdeaId, PageSize, ProjectId};
use chorus_store::PageRequest;
use chorus_visibility::Need;
use http::StatusCode;

use crate::{
    answer::{self, Answer},
    desk::{Desk, Reading, found},
    fault::Fault,
    frame::{Frame, Tab},
    pages::deletion::{Deletion, counted},
};

#[derive(Template)]
#[template(path = "ideas/fresh.html")]
struct Fresh {
    f: Frame,
    project: ProjectId,
    parents: Parents,
    theme: bool,
}

#[derive(Template)]
#[template(path = "ideas/edit.html")]
struct Edit {
    f: Frame,
    project: ProjectId,
    idea: Idea,
    parents: Parents,
}

#[derive(Template)]
#[template(path = "ideas/relocate.html")]
struct Relocate {
    f: Frame,
    project: ProjectId,
    idea: Idea,
    following: Following,
    to: Vec<(ProjectId, String)>,
}

/// What an idea can be put below.
struct Parents {
    /// The newest of the project.
    choices: Vec<(IdeaId, String)>,
    chosen: Option<IdeaId>,
    /// Whether there are more than these.
    more: bool,
}

impl Parents {
    async fn load(
        reading: &mut Reading,
        project: ProjectId,
        (without, chosen): (Option<IdeaId>, Option<IdeaId>),
    ) -> Result<Self, Fault> {
        let (call, reads) = reading.parts();
        let page = reads.ideas(&call.scope, project, None, &PageRequest::first(PageSize::MAX)).await?;
        let mut choices: Vec<(IdeaId, String)> = page
            .rows
            .into_iter()
            .map(|row| (row.item.idea.id, row.item.idea.title))
            .filter(|(id, _)| Some(*id) != without)
            .collect();
        let mut kept = None;
        if let Some(chosen) = chosen {
            if choices.iter().any(|(id, _)| *id == chosen) {
                kept = Some(chosen);
            } else if let Some(parent) = reads.idea(&call.scope, chosen).await?.filter(|idea| idea.project == project) {
                kept = Some(parent.id);
                choices.insert(0, (parent.id, parent.title));
            }
        }
        Ok(Self { choices, chosen: kept, more: page.more })
    }

    fn is(&self, id: &IdeaId) -> bool {
        self.chosen == Some(*id)
    }
}

/// `GET /projects/{project}/ideas/new`.
pub(crate) async fn fresh(desk: &Desk) -> Result<Answer, Fault> {
    let project: ProjectId = desk.id("project")?;
    let mut reading = desk.read_about(Kind::Project, project.uuid(), Need::Editor).await?;
    let below = desk.query.get("below").and_then(|id| id.parse().ok()).map(IdeaId::from_uuid);
    let parents = Parents::load(&mut reading, project, (None, below)).await?;
    let f = desk.project_frame(&reading, desk.say("idea-new-title"), Tab::Ideas);
    let theme = desk.query.get("theme").is_some();
    answer::page(StatusCode::OK, &Fresh { f, project, parents, theme })
}

/// An idea that the person may change.
async fn open(desk: &Desk) -> Result<(Reading, Idea), Fault> {
    let id: IdeaId = desk.id("idea")?;
    let mut reading = desk.read_about(Kind::Idea, id.uuid(), Need::Editor).await?;
    let (call, reads) = reading.parts();
    let idea = reads.idea(&call.scope, id).await?.ok_or(Fault::Missing)?;
    Ok((reading, idea))
}

/// `GET /projects/{project}/ideas/{idea}/edit`.
pub(crate) async fn edit(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, idea) = open(desk).await?;
    let project = idea.project;
    let parents = Parents::load(&mut reading, project, (Some(idea.id), idea.parent)).await?;
    let f = desk.project_frame(&reading, desk.say("idea-edit-title"), Tab::Ideas);
    answer::page(StatusCode::OK, &Edit { f, project, idea, parents })
}

/// `GET /projects/{project}/ideas/{idea}/move`.
pub(crate) async fn relocate(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, idea) = open(desk).await?;
    let project = idea.project;
    let (call, reads) = reading.parts();
    let following = found(moving::following(call, reads, idea.id).await)?;
    let to = found(moving::destinations(call, reads, project).await)?;
    let f = desk.project_frame(&reading, desk.say("idea-move-title"), Tab::Ideas);
    answer::page(StatusCode::OK, &Relocate { f, project, idea, following, to })
}

/// `GET /projects/{project}/ideas/{idea}/delete`.
pub(crate) async fn delete(desk: &Desk) -> Result<Answer, Fault> {
    let (mut reading, idea) = open(desk).await?;
    let (call, reads) = reading.parts();
    let gone = found(impact(call, reads, idea.id).await)?;
    let f = desk.project_frame(&reading, desk.say("idea-delete-title"), Tab::Ideas);
    let hanging = &gone.hanging;
    let goes = counted(
        &f,
        &[
            ("work-count-comments", hanging.comments),
            ("work-count-rounds", hanging.rounds),
            ("work-count-references", hanging.references),
        ],
    );
    let kept = [
        ("idea-delete-children", gone.kept.children as u64),
        ("work-delete-keeps-proposals", gone.kept.proposals as u64),
    ];
    let beside = counted(&f, &kept);
    let form = ("chorus_admin_delete_idea", "ideaUuid", idea.id.uuid());
    let page = Deletion::of_piece(f, (gone.title, goes), beside, (idea.project, "", "/ideas"), form);
    answer::page(StatusCode::OK, &page)
}
