//! What a client wants to be restricted to, by its headers and the query of its URL (tool specification §5, visibility
//! specification §8). All of it narrows; nothing that a client can say here widens what its key may do.

use std::collections::BTreeSet;

use chorus_app::Narrowing;
use chorus_dispatch::{Effects, Selection};
use chorus_ids::ProjectId;
use http::HeaderMap;

const PROJECT: &str = "x-chorus-project";
const GROUP: &str = "x-chorus-project-group";
const READONLY: (&str, &str) = ("x-chorus-readonly", "readonly");
const TOOLS: (&str, &str) = ("x-chorus-tools", "tools");

/// What a request asks to be restricted to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Projects whose things are shown in trackers and lists of what can be opened.
    pub(crate) narrowing: Narrowing,
    /// The tools that exist.
    pub(crate) selection: Selection,
}

/// The restrictions of a request, by headers and by the query of its URL; where both speak, both hold.
pub(crate) fn read(headers: &HeaderMap, query: Option<&str>) -> Asked {
    let mut selection = Selection::default();
    for said in [value(headers, READONLY.0), parameter(query, READONLY.1)].into_iter().flatten() {
        selection = selection.with(effects(&said));
    }
    for said in [value(headers, TOOLS.0), parameter(query, TOOLS.1)].into_iter().flatten() {
        let words: Vec<String> = parts(&said).map(str::to_ascii_lowercase).collect();
        // Nothing but separators names nothing, like an empty value.
        if !words.is_empty() {
            selection = selection.among(words);
        }
    }
    Asked { narrowing: projects(headers), selection }
}

/// Whatever does not plainly say no means yes, since a client that sends it wants to be safe.
fn effects(said: &str) -> Effects {
    let no = |word: &str| ["false", "0", "no", "off"].iter().any(|no| word.eq_ignore_ascii_case(no));
    if parts(said).all(no) { Effects::Any } else { Effects::ReadOnly }
}

/// A header that says something always narrows: what is no id in it is no project, and if nothing is left, nothing is
/// seen (README decision 16).
fn projects(headers: &HeaderMap) -> Narrowing {
    if let Some(group) = value(headers, GROUP) {
        return group.parse().map_or(Narrowing::Projects(Vec::new()), Narrowing::Group);
    }
    let Some(projects) = value(headers, PROJECT) else { return Narrowing::Nothing };
    let mut parts = parts(&projects).peekable();
    // Nothing but separators names nothing, like an empty value.
    if parts.peek().is_none() {
        return Narrowing::Nothing;
    }
    let projects: BTreeSet<ProjectId> = parts.filter_map(|part| part.parse().ok()).collect();
    Narrowing::Projects(projects.into_iter().collect())
}

fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The lines of a header joined by commas, as HTTP allows anybody on the way to do; `None` if that is blank.
fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    joined(headers.get_all(name).iter().map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned()))
}

/// The values of a parameter of the query, joined alike.
fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    joined(pairs.filter(|(key, _)| key == name).map(|(_, value)| value.into_owned()))
}

fn joined(lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use chorus_ids::GroupId;
    use http::HeaderValue;

    use super::*;

    const A: &str = "00000000-0000-0000-0000-00000000000a";
    const B: &str = "00000000-0000-0000-0000-00000000000b";

    fn check(lines: &[(&'static str, &str)], expected: Narrowing) {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        assert_eq!(read(&headers, None).narrowing, expected, "{lines:?}");
    }

    fn projects(ids: &[u128]) -> Narrowing {
        Narrowing::Projects(ids.iter().map(|id| ProjectId::from_u128(*id)).collect())
    }

    #[test]
    fn projects_are_split_trimmed_and_taken_once() {
        check(&[(PROJECT, A)], projects(&[0xa]));
        check(&[(PROJECT, &format!(" {B} ,, {A}, {B},"))], projects(&[0xa, 0xb]));
        check(&[(PROJECT, A), (PROJECT, B)], projects(&[0xa, 0xb]));
    }

    #[test]
    fn what_says_nothing_is_absent() {
        check(&[], Narrowing::Nothing);
        check(&[(PROJECT, "")], Narrowing::Nothing);
        check(&[(PROJECT, "  ")], Narrowing::Nothing);
        check(&[(PROJECT, " , ,")], Narrowing::Nothing);
        check(&[(GROUP, "")], Narrowing::Nothing);
        check(&[(GROUP, ""), (PROJECT, A)], projects(&[0xa]));
    }

    #[test]
    fn what_is_no_id_narrows_to_nothing_rather_than_to_everything() {
        check(&[(PROJECT, "x")], projects(&[]));
        check(&[(PROJECT, &format!("x,{A},{{{B}}}"))], projects(&[0xa]));
        check(&[(PROJECT, "\u{e9}")], projects(&[]));
        check(&[(GROUP, "x")], projects(&[]));
        check(&[(GROUP, &format!("{A},{B}"))], projects(&[]));
        check(&[(GROUP, A), (GROUP, B)], projects(&[]));
    }

    #[test]
    fn the_group_wins() {
        let group = Narrowing::Group(GroupId::from_u128(0xa));
        check(&[(GROUP, &format!(" {A} "))], group.clone());
        check(&[(PROJECT, B), (GROUP, A)], group);
        check(&[(PROJECT, B), (GROUP, "x")], projects(&[]));
    }

    fn selected(lines: &[(&'static str, &str)], query: &str) -> Selection {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        read(&headers, Some(query)).selection
    }

    fn among(lists: &[&[&str]]) -> Selection {
        let words = |list: &&[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        lists.iter().fold(Selection::default(), |selection, list| selection.among(words(list)))
    }

    #[test]
    fn only_a_plain_no_leaves_tools_that_write() {
        let reading = Selection::default().with(Effects::ReadOnly);
        for yes in ["true", "TRUE", "1", "yes", "on", " true ", "true,false", "?"] {
            assert_eq!(selected(&[(READONLY.0, yes)], ""), reading, "{yes}");
        }
        for no in ["", "  ", "false", "False", "0", "no", "off", ",", "false,0"] {
            assert_eq!(selected(&[(READONLY.0, no)], ""), Selection::default(), "{no}");
        }
        assert_eq!(selected(&[], "readonly=true"), reading);
        assert_eq!(selected(&[], "x=1&readonly=%74rue&y"), reading);
        assert_eq!(selected(&[], "readonly&readonly=false"), Selection::default());
        // Neither takes back what the other one says.
        assert_eq!(selected(&[(READONLY.0, "false")], "readonly=true"), reading);
        assert_eq!(selected(&[(READONLY.0, "true")], "readonly=false"), reading);
    }

    #[test]
    fn tools_are_split_trimmed_and_told_apart_by_where_they_are_said() {
        assert_eq!(selected(&[(TOOLS.0, " task , chorus_Checkin,,")], ""), among(&[&["task", "chorus_checkin"]]));
        assert_eq!(selected(&[(TOOLS.0, "a"), (TOOLS.0, "b")], ""), among(&[&["a", "b"]]));
        assert_eq!(selected(&[], "tools=a%2Cb&tools=c+,d"), among(&[&["a", "b", "c", "d"]]));
        assert_eq!(selected(&[(TOOLS.0, "a,b")], "tools=b,c"), among(&[&["a", "b"], &["b", "c"]]));
        for nothing in ["", " ", ",,"] {
            assert_eq!(selected(&[(TOOLS.0, nothing)], "tools"), Selection::default(), "{nothing}");
        }
        assert_eq!(selected(&[(TOOLS.0, "none")], ""), among(&[&["none"]]));
    }
}
