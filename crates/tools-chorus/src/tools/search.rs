//! Tools: search.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chorus_app::{
    Call,
    search::{self, Found, Hit, Why},
};
use chorus_dispatch::{Access, At, Hints, ReadTool, Requirement, Tool, list::MAX_LIST_BYTES, schema, tool::read};
use chorus_domain::{
    Kind, Refusal,
    search::{MAX_QUERY, SEARCHED},
};
use chorus_ids::{GroupId, ProjectId, Timestamp, Uuid};
use chorus_store::{MAX_MATCHES, Reads, Result, Within};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::view::row_title;

/// Searches.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Search {
    /// A uuid, or words in any language.
    #[schemars(length(min = 1, max = MAX_QUERY))]
    query: String,
    /// Where to look.
    #[serde(default)]
    #[schemars(schema_with = "scope")]
    scope: Option<ScopeWord>,
    /// The group or project of `scope`.
    scope_uuid: Option<Uuid>,
    /// Only these kinds.
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    entity_types: Option<Vec<KindWord>>,
    /// Say why each row was found.
    explain: Option<bool>,
}

/// Where to search, as the caller writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScopeWord {
    #[default]
    Global,
    Group,
    Project,
}

fn scope(_: &mut SchemaGenerator) -> Schema {
    let mut words = schema::words(["global", "group", "project"]);
    words.insert("default".to_owned(), "global".into());
    words
}

/// A kind that can be found, as the caller writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct KindWord(Kind);

impl TryFrom<String> for KindWord {
    type Error = String;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        let kind = SEARCHED.into_iter().find(|kind| kind.as_str() == word);
        kind.map(Self).ok_or_else(|| format!("`{word}` can't be searched for"))
    }
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    let mut list = Schema::default();
    list.insert("type".to_owned(), "array".into());
    list.insert("items".to_owned(), schema::words(SEARCHED.into_iter().map(Kind::as_str)).to_value());
    list
}

#[async_trait]
impl ReadTool for Search {
    type Output = SearchView;

    async fn run(self, call: &Call, reads: &mut dyn Reads) -> Result<SearchView> {
        let within = match (self.scope.unwrap_or_default(), self.scope_uuid) {
            (ScopeWord::Global, _) => Within::Everything,
            (ScopeWord::Group, Some(id)) => Within::Group(GroupId::from_uuid(id)),
            (ScopeWord::Project, Some(id)) => Within::Project(ProjectId::from_uuid(id)),
            (ScopeWord::Group | ScopeWord::Project, None) => {
                let problem = "is missing; give the uuid of the group or project, or leave `scope` out";
                return Err(Refusal::invalid("scopeUuid", problem).into());
            }
        };
        let kinds = self.entity_types.unwrap_or_default().into_iter().map(|KindWord(kind)| kind).collect();
        let found = search::search(call, reads, &self.query, within, kinds).await?;
        Ok(SearchView::of(found, self.explain.unwrap_or_default()))
    }
}

/// What was found.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchView {
    results: Vec<SearchRowView>,
    returned: usize,
    page: u32,
    page_size: u32,
    total: u64,
    counts: Counts,
}

/// Matches of each kind.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Counts {
    tasks: u64,
    ideas: u64,
    proposals: u64,
    documents: u64,
    projects: u64,
    project_groups: u64,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchRowView {
    entity_type: &'static str,
    uuid: Uuid,
    title: String,
    status: String,
    project_uuid: Option<Uuid>,
    project_name: Option<String>,
    #[schemars(with = "String")]
    updated_at: Timestamp,
    score: f64,
    snippet: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// Why a row was found.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "via")]
#[schemars(with = "BTreeMap<String, serde_json::Value>")]
enum Explanation {
    Uuid,
    #[serde(rename_all = "camelCase")]
    Text {
        matched: Vec<String>,
        in_title: Vec<String>,
        missing: Vec<String>,
    },
    #[serde(rename_all = "camelCase")]
    Lineage {
        relation: &'static str,
        of_type: &'static str,
        of_uuid: Uuid,
    },
}

/// What the members beside the rows take at most.
const ENVELOPE_BYTES: usize = 320;

impl SearchView {
    fn of(Found { hits, counts }: Found, explain: bool) -> Self {
        let count = |kind| counts.get(&kind).copied().unwrap_or_default();
        let mut results = Vec::with_capacity(hits.len());
        // The worst go if not all fit; the counts tell that there are more.
        let mut left = MAX_LIST_BYTES - ENVELOPE_BYTES;
        for hit in hits {
            let row = SearchRowView::of(hit, explain);
            let size = serde_json::to_string(&row).map_or(usize::MAX, |json| json.len().saturating_add(1));
            if size > left {
                break;
            }
            left -= size;
            results.push(row);
        }
        Self {
            returned: results.len(),
            results,
            page: 1,
            page_size: MAX_MATCHES,
            total: counts.values().sum(),
            counts: Counts {
                tasks: count(Kind::Task),
                ideas: count(Kind::Idea),
                proposals: count(Kind::Proposal),
                documents: count(Kind::Document),
                projects: count(Kind::Project),
                project_groups: count(Kind::Group),
            },
        }
    }
}

impl SearchRowView {
    fn of(Hit { row, snippet, score, why }: Hit, explain: bool) -> Self {
        let (project_uuid, project_name) = row.project.unzip();
        Self {
            entity_type: row.kind.as_str(),
            uuid: row.id,
            title: row_title(&row.title),
            status: row.status,
            project_uuid: project_uuid.map(ProjectId::uuid),
            project_name: project_name.map(|name| row_title(&name)),
            updated_at: row.updated_at,
            score,
            snippet,
            explain: explain.then(|| Explanation::of(why)),
        }
    }
}

impl Explanation {
    fn of(why: Why) -> Self {
        match why {
            Why::Id => Self::Uuid,
            Why::Words { matched, titled, missing } => Self::Text { matched, in_title: titled, missing },
            Why::Beside { relation, of: (kind, id) } => {
                Self::Lineage { relation: relation.as_str(), of_type: kind.as_str(), of_uuid: id }
            }
        }
    }
}

/// The rows of this file.
pub const TOOLS: &[Tool] = &[Tool {
    name: "chorus_search",
    family: "search",
    title: "Search",
    description: "Find tasks, ideas, proposals, documents, projects and groups that you can see, by uuid or by words in \
                  title or text: those with more of the words first, 50 at most. If `counts` says more, add words or \
                  narrow. Next: the kind's get tool.",
    requirement: Requirement::PUBLIC,
    access: Access::filtered("the store looks only at what the scope sees", &[At::Filter("scopeUuid")]),
    hints: Hints::READ,
    refuses: &[],
    example: r#"{
        "query": "write-ahead log",
        "scope": "project",
        "scopeUuid": "0192f3a0-7d4c-7b1e-9a55-000000000001"
    }"#,
    run: read::<Search>(),
}];

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "tests")]

    use chorus_store::{Relation, SearchRow};
    use serde_json::{Value, json};

    use super::*;

    fn hit(why: Why) -> Hit {
        let project = Some((ProjectId::from_u128(2), "Compiler".to_owned()));
        let row = SearchRow {
            kind: Kind::Document,
            id: Uuid::from_u128(1),
            title: "Design".into(),
            status: "prd".into(),
            text: None,
            project,
            updated_at: Timestamp::from_micros(0),
        };
        Hit { row, snippet: "Design".into(), score: 1.5, why }
    }

    fn shown(why: Why, explain: bool) -> Value {
        serde_json::to_value(SearchRowView::of(hit(why), explain)).unwrap_or_default()
    }

    #[test]
    fn a_row_is_explained_only_on_demand() {
        let mut row = json!({
            "entityType": "document", "uuid": Uuid::from_u128(1), "title": "Design", "status": "prd",
            "projectUuid": Uuid::from_u128(2), "projectName": "Compiler", "updatedAt": "1970-01-01T00:00:00.000Z",
            "score": 1.5, "snippet": "Design"
        });
        assert_eq!(shown(Why::Id, false), row);
        row["explain"] = json!({ "via": "uuid" });
        assert_eq!(shown(Why::Id, true), row);
        let why = Why::Words { matched: vec!["design".into()], titled: vec![], missing: vec!["zebra".into()] };
        let text = json!({ "via": "text", "matched": ["design"], "inTitle": [], "missing": ["zebra"] });
        assert_eq!(shown(why, true)["explain"], text);
        let why = Why::Beside { relation: Relation::Sibling, of: (Kind::Task, Uuid::from_u128(3)) };
        let beside = json!({ "via": "lineage", "relation": "sibling", "ofType": "task", "ofUuid": Uuid::from_u128(3) });
        assert_eq!(shown(why, true)["explain"], beside);
    }

    #[test]
    fn what_does_not_fit_is_left_out_but_counted() {
        let long = || Hit { snippet: "字".repeat(512), ..hit(Why::Id) };
        let hits: Vec<Hit> = (0..50).map(|_| long()).collect();
        let counts = BTreeMap::from([(Kind::Document, 50)]);
        let view = SearchView::of(Found { hits, counts }, true);
        let bytes = serde_json::to_string(&view).map_or(0, |json| json.len());
        assert!(view.returned < 50 && view.returned > 20, "{}", view.returned);
        assert!(bytes <= MAX_LIST_BYTES && bytes > MAX_LIST_BYTES - 3_000, "{bytes}");
        assert_eq!((view.total, view.counts.documents, view.counts.tasks), (50, 50, 0));
    }

    #[test]
    fn words_of_closed_lists_are_read_and_others_refused() {
        let read = |value: Value| serde_json::from_value::<Search>(value).ok();
        let full = read(json!({ "query": "x", "scope": "group", "entityTypes": ["project_group", "task"] }));
        assert_eq!(full.as_ref().and_then(|search| search.scope), Some(ScopeWord::Group));
        assert_eq!(
            full.and_then(|search| search.entity_types),
            Some(vec![KindWord(Kind::Group), KindWord(Kind::Task)])
        );
        assert!(read(json!({ "query": "x", "scope": "company" })).is_none());
        assert!(read(json!({ "query": "x", "entityTypes": ["comment"] })).is_none());
    }
}
