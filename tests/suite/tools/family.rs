//! get_available_ideas; get_idea and get_ideas with many ideas below one (report 25).

use chorus_domain::{Party, Write, idea::Idea};
use chorus_ids::{AgentId, IdeaId};
use chorus_lifecycle::idea::IdeaStatus;
use chorus_testkit::Backend;
use chorus_visibility::{Role, Visibility};
use serde_json::{Value, json};

use super::{
    like::assert_like,
    stage::{Stage, rows, text, uuid, uuids},
};
use crate::backends;

async fn open_ideas_are_listed_newest_first(backend: Backend) {
    let s = Stage::new(backend).await;
    let pm = s.by(&s.pm);
    let first = pm.idea_with(json!({ "title": "字".repeat(400) })).await;
    pm.claimed().await;
    pm.elaborated().await;
    let last = pm.idea_with(json!({ "parentUuid": first })).await;
    let listed = s.ok(&s.dev, "get_available_ideas", json!({ "projectUuid": s.project })).await;
    let row = |uuid: &str, title: &str, parent: Value| {
        json!({
            "uuid": uuid, "title": title, "status": "open", "derivedStatus": "todo", "badgeHint": "open",
            "parentUuid": parent, "version": 1, "createdAt": "<time>"
        })
    };
    let long = format!("{}...", "字".repeat(253));
    assert_like(
        &listed,
        &json!({
            "ideas": [row(&last, "Works offline", json!(first)), row(&first, &long, Value::Null)],
            "returned": 2, "page": 1, "pageSize": 100, "total": 2
        }),
    );
    let missing = s.refused(&s.dev, "get_available_ideas", json!({ "projectUuid": s.nothing() }), "not_found").await;
    assert_eq!(missing.text, "Project not found");
}

async fn at_most_fifty_open_ideas_are_listed_and_the_rest_can_be_reached(backend: Backend) {
    let s = Stage::new(backend).await;
    let made = below(&s, None, 60).await;
    let list = async |cursor: Value| {
        s.ok(&s.dev, "get_available_ideas", json!({ "projectUuid": s.project, "cursor": cursor })).await
    };
    let first = list(Value::Null).await;
    assert_eq!((&first["returned"], &first["total"]), (&json!(50), &json!(50)));
    let rest = list(first["nextCursor"].clone()).await;
    let mut all = uuids(&first, "ideas");
    all.extend(uuids(&rest, "ideas"));
    let expected: Vec<String> = made.iter().rev().map(ToString::to_string).collect();
    assert_eq!((all, rest.get("nextCursor")), (expected, None));
}

/// Writes this many ideas below another, each at its own moment.
async fn below(s: &Stage, parent: Option<&str>, number: usize) -> Vec<IdeaId> {
    let start = s.world.now();
    let ideas: Vec<Idea> = (0..number)
        .map(|nth| {
            let at = start.plus_micros(i64::try_from(nth).unwrap());
            Idea {
                id: s.world.id(),
                company: s.world.company,
                project: s.project,
                title: format!("Idea {nth} {}", "x".repeat(200)),
                content: None,
                status: IdeaStatus::Open,
                elaboration_status: None,
                depth: None,
                parent: parent.map(|parent| IdeaId::from_uuid(uuid(parent))),
                is_container: false,
                assignee: None,
                created_by: Party::Agent(AgentId::from_uuid(s.pm.subject.uuid())),
                version: 1,
                created_at: at,
                updated_at: at,
            }
        })
        .collect();
    let ids = ideas.iter().map(|idea| idea.id).collect();
    s.world.write(ideas.into_iter().map(Write::NewIdea).collect()).await;
    ids
}

/// An answer has at most 25,000 tokens, and ids have hardly more than two letters to each.
const MOST_BYTES: usize = 50_000;

async fn an_idea_with_thousands_below_it_is_read_within_the_budget(backend: Backend) {
    let s = Stage::new(backend).await;
    for is_theme in [false, true] {
        let top = s.by(&s.pm).idea_with(json!({ "isContainer": is_theme })).await;
        let children = below(&s, Some(&top), 3_000).await;
        below(&s, Some(&children[7].to_string()), 2_000).await;
        let read = s.ok(&s.dev, "get_idea", json!({ "ideaUuid": top })).await;
        assert!(read.to_string().len() < MOST_BYTES, "{} bytes", read.to_string().len());
        let first: Vec<String> = children[..100].iter().map(ToString::to_string).collect();
        assert_eq!(uuids(&read, "children"), first, "the oldest");
        assert_eq!(rows(&read, "descendantUuids").len(), 100);
        assert_eq!(text(&read["children"][0]["title"]).chars().count(), 128);
        let omitted = &read["omitted"];
        assert_eq!((&omitted["childCount"], &omitted["descendantCount"]), (&json!(3_000), &json!(5_000)));
        assert!(text(&omitted["message"]).contains("chorus_get_ideas and `parentUuid`"), "{omitted}");
        let progress = if is_theme { json!({ "done": 0, "total": 3_000 }) } else { Value::Null };
        assert_eq!(read["childProgress"], progress);

        // The rest is reached as the answer says.
        let (mut met, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let page = json!({
                "projectUuid": s.project, "parentUuid": top, "pageSize": 100, "cursor": cursor
            });
            let page = s.ok(&s.dev, "get_ideas", page).await;
            assert_eq!(page["total"], 3_000);
            met.extend(uuids(&page, "ideas"));
            match page.get("nextCursor") {
                Some(next) => cursor = next.clone(),
                None => break,
            }
        }
        let expected: Vec<String> = children.iter().rev().map(ToString::to_string).collect();
        assert_eq!(met, expected);
    }
}

async fn a_small_family_is_listed_whole(backend: Backend) {
    let s = Stage::new(backend).await;
    let top = s.by(&s.pm).idea().await;
    let children = below(&s, Some(&top), 100).await;
    let read = s.ok(&s.dev, "get_idea", json!({ "ideaUuid": top })).await;
    assert_eq!((rows(&read, "children").len(), read.get("omitted")), (100, None));
    let nobody = json!({ "projectUuid": s.project, "parentUuid": children[0] });
    assert_eq!(s.ok(&s.dev, "get_ideas", nobody).await["total"], 0);
    s.ok(&s.pm, "claim_idea", json!({ "ideaUuid": children[3] })).await;
    let at_work = json!({ "projectUuid": s.project, "parentUuid": top, "status": "elaborating" });
    assert_eq!(uuids(&s.ok(&s.dev, "get_ideas", at_work).await, "ideas"), [children[3].to_string()]);
    // An idea of another project is none of this one.
    let other = s.world.project("other", Visibility::Private, &[(s.dora, Role::Editor)]).await;
    let elsewhere = json!({ "projectUuid": other, "parentUuid": top });
    assert_eq!(s.refused(&s.dev, "get_ideas", elsewhere, "not_found").await.text, "Idea not found");
}

backends!(
    open_ideas_are_listed_newest_first,
    at_most_fifty_open_ideas_are_listed_and_the_rest_can_be_reached,
    an_idea_with_thousands_below_it_is_read_within_the_budget,
    a_small_family_is_listed_whole,
);
