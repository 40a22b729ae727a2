//! Use case: searching.

use std::collections::BTreeMap;

use chorus_domain::{
    Kind, Refusal,
    search::{Query, SEARCHED, behind, snippet},
    text,
};
use chorus_ids::Uuid;
use chorus_store::{Ground, MAX_MATCHES, Neighbour, Reads, Relation, Result, SearchRow, Within};

use crate::Call;

/// Neighbours shown at most.
const MAX_NEIGHBOURS: u32 = 20;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best first; what stands beside them behind.
    pub hits: Vec<Hit>,
    /// How many things of each kind match; those that only stand beside a match don't count.
    pub counts: BTreeMap<Kind, u64>,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What.
    pub row: SearchRow,
    /// A piece of its text, around the first word asked for.
    pub snippet: String,
    /// How good it is, beside others of the same answer.
    pub score: f64,
    /// Why it is here.
    pub why: Why,
}

/// Why something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The query is its id.
    Id,
    /// It has words of the query.
    Words {
        /// Those it has in its title or the part of its text that was looked at.
        matched: Vec<String>,
        /// Those of them in its title.
        titled: Vec<String>,
        /// The other ones of the query.
        missing: Vec<String>,
    },
    /// It stands beside something that was found.
    Beside {
        /// What it is to that.
        relation: Relation,
        /// That.
        of: (Kind, Uuid),
    },
}

/// Finds things by their id or by words. What the caller does not see is neither shown nor counted; headers that narrow
/// trackers don't narrow this.
///
/// # Errors
/// `invalid_arguments` for a blank query or one with a NUL character.
pub async fn search(
    call: &Call,
    reads: &mut dyn Reads,
    query: &str,
    within: Within,
    kinds: Vec<Kind>,
) -> Result<Found> {
    text::check("query", query, text::Use::Note).map_err(|problem| Refusal::problems(vec![problem]))?;
    let query = query.trim();
    let kinds = SEARCHED.into_iter().filter(|kind| kinds.is_empty() || kinds.contains(kind)).collect();
    let ground = Ground { within, kinds };
    if let Some(id) = canonical(query)
        && let Some(row) = reads.found_by_id(&call.scope, &ground, id).await?
    {
        let mut counts: BTreeMap<_, _> = ground.kinds.iter().map(|kind| (*kind, 0)).collect();
        counts.insert(row.kind, 1);
        return Ok(Found { hits: vec![Hit { row, snippet: String::new(), score: 0.0, why: Why::Id }], counts });
    }
    by_words(call, reads, &ground, &Query::new(query)).await
}

/// The id that a text is, in its usual form.
fn canonical(text: &str) -> Option<Uuid> {
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten()
}

async fn by_words(call: &Call, reads: &mut dyn Reads, ground: &Ground, query: &Query) -> Result<Found> {
    let found = reads.matches(&call.scope, ground, query).await?;
    let terms = query.terms().len();
    let mut hits: Vec<Hit> = Vec::with_capacity(found.rows.len());
    for (row, score) in found.rows {
        let snippet = snippet(row.text.as_deref().unwrap_or(&row.title), query);
        let why = words(&row, query);
        hits.push(Hit { snippet, why, score: score.value(terms), row });
    }
    let room = MAX_MATCHES.saturating_sub(u32::try_from(hits.len()).unwrap_or(u32::MAX)).min(MAX_NEIGHBOURS);
    if room > 0 {
        let of: Vec<(Kind, Uuid)> = hits.iter().map(|hit| (hit.row.kind, hit.row.id)).collect();
        for Neighbour { row, of, relation } in reads.neighbours(&call.scope, ground, &of, room).await? {
            let Some(near) = hits.get(of) else { continue };
            let (score, of) = (behind(near.score, terms), (near.row.kind, near.row.id));
            let snippet = snippet(row.text.as_deref().unwrap_or(&row.title), query);
            hits.push(Hit { snippet, score, why: Why::Beside { relation, of }, row });
        }
    }
    Ok(Found { hits, counts: found.counts })
}

/// Which words of a query a row has.
fn words(row: &SearchRow, query: &Query) -> Why {
    let (titled, inside) = (query.found_in(&row.title), query.found_in(row.text.as_deref().unwrap_or_default()));
    let mut why = (Vec::new(), Vec::new(), Vec::new());
    for term in query.terms() {
        if titled.contains(&term) {
            why.1.push(term.word.clone());
        }
        let has = titled.contains(&term) || inside.contains(&term);
        if has { &mut why.0 } else { &mut why.2 }.push(term.word.clone());
    }
    let (matched, titled, missing) = why;
    Why::Words { matched, titled, missing }
}

#[cfg(test)]
mod tests {
    use chorus_ids::Timestamp;

    use super::*;

    #[test]
    fn only_the_usual_form_is_an_id() {
        let id = "01920000-0000-7000-8000-00000000abcd";
        assert_eq!(canonical(id), Uuid::try_parse(id).ok());
        assert_eq!(canonical(&id.to_uppercase()), Uuid::try_parse(id).ok());
        for other in [&id.replace('-', ""), &format!("{{{id}}}"), "", &"x".repeat(36)] {
            assert_eq!(canonical(other), None, "{other}");
        }
    }

    #[test]
    fn a_row_says_which_words_it_has_and_where() {
        let row = SearchRow {
            kind: Kind::Task,
            id: Uuid::nil(),
            title: "Login fails".into(),
            status: "open".into(),
            text: Some("数据 of the login".into()),
            project: None,
            updated_at: Timestamp::from_micros(0),
        };
        let why = words(&row, &Query::new("login 数据 zebra"));
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let expected =
            Why::Words { matched: list(&["login", "数据"]), titled: list(&["login"]), missing: list(&["zebra"]) };
        assert_eq!(why, expected);
    }
}
