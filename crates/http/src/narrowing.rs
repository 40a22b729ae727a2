//! What a client wants to be restricted to, by its headers (tool specification §5, visibility specification §8).

use std::collections::BTreeSet;

use chorus_app::Narrowing;
use chorus_ids::ProjectId;
use http::HeaderMap;

const PROJECT: &str = "x-chorus-project";
const GROUP: &str = "x-chorus-project-group";

/// The narrowing of a request. A header that says something always narrows: what is no id in it is no project, and if
/// nothing is left, nothing is seen (README decision 16).
pub(crate) fn read(headers: &HeaderMap) -> Narrowing {
    if let Some(group) = value(headers, GROUP) {
        return group.parse().map_or(Narrowing::Projects(Vec::new()), Narrowing::Group);
    }
    let Some(projects) = value(headers, PROJECT) else { return Narrowing::Nothing };
    let mut parts = projects.split(',').map(str::trim).filter(|part| !part.is_empty()).peekable();
    // Nothing but separators names nothing, like an empty value.
    if parts.peek().is_none() {
        return Narrowing::Nothing;
    }
    let projects: BTreeSet<ProjectId> = parts.filter_map(|part| part.parse().ok()).collect();
    Narrowing::Projects(projects.into_iter().collect())
}

/// The lines of a header joined by commas, as HTTP allows anybody on the way to do; `None` if that is blank.
fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines: Vec<_> =
        headers.get_all(name).iter().map(|line| String::from_utf8_lossy(line.as_bytes()).trim().to_owned()).collect();
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
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
        assert_eq!(read(&headers), expected, "{lines:?}");
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
}
