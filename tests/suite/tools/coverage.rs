//! What every tool has to have: a test for each refusal that its row declares, and its side effects listed by hand.
//!
//! That no call is refused with a code that its row does not declare, [`Stage::call`](super::stage::Stage::call) sees in
//! every test.

use std::{collections::BTreeSet, fs, path::Path};

use chorus_dispatch::Effect;
use chorus_domain::Code;

/// Refusals whose test names the tool or the code by a variable: tool, code, and the test.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("claim_idea", "assignee_no_access", "giving_something_to_a_removed_agent_is_refused_clearly"),
    ("claim_task", "assignee_no_access", "giving_something_to_a_removed_agent_is_refused_clearly"),
    ("report_work", "invalid_transition", "an_assignee_sets_the_status_that_the_lifecycle_allows"),
    ("report_work", "not_found", "sessions_of_others_are_missing"),
    ("admin_reopen_task", "invalid_state", "only_submitted_work_is_verified_or_reopened"),
    ("pm_add_task_draft", "invalid_state", "drafts_are_added_while_the_proposal_is_a_draft"),
    ("pm_update_document", "precondition_failed", "of_writers_with_one_expected_version_one_wins"),
];

/// Tools that a list of side effects calls through the maker.
const MADE: &[(&str, &str)] = &[("answer_elaboration", ".answered("), ("pm_add_document_draft", ".document_draft(")];

fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/tools");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|kind| kind == "rs") && !file.ends_with("coverage.rs"))
        .map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&file).unwrap()))
        .collect()
}

/// The texts inside the parentheses that open right before `text`.
fn literals(text: &str) -> Vec<&str> {
    let (mut depth, mut found, mut from) = (1_usize, Vec::new(), None);
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match (from, letter) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(begin), '"') => {
                found.push(text.get(begin..at).unwrap_or_default());
                from = None;
            }
            (Some(_), _) => {}
            (None, '"') => from = Some(at + 1),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The texts of the `for … in [ … ]` that stands last before a place, if the call there uses its variables.
fn looped<'t>(before: &'t str, call: &str) -> Vec<&'t str> {
    let Some(at) = before.rfind("\n    for ").or_else(|| before.rfind(" for ")) else { return Vec::new() };
    let Some((variables, list)) = before[at..].split_once(" in ") else { return Vec::new() };
    let uses = variables
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty() && *word != "for")
        .any(|word| arguments(call).any(|argument| argument.trim_start_matches(['&', '*']) == word));
    if uses { literals(list.trim_start_matches(['[', '('])) } else { Vec::new() }
}

/// The words between the commas of a call.
fn arguments(call: &str) -> impl Iterator<Item = &str> {
    call.split([',', ')']).map(str::trim)
}

/// Tools and codes that calls of `refused` name, by themselves, by a constant of the file, or by the list that they are
/// called for.
fn refused() -> BTreeSet<(String, String)> {
    let tools: BTreeSet<&str> =
        chorus_tools::table().iter().map(|tool| tool.name.strip_prefix("chorus_").unwrap()).collect();
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let mut met = BTreeSet::new();
    for (_, text) in sources() {
        let constants: Vec<(&str, &str)> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("const ")?.split_once(": &str = \""))
            .filter_map(|(name, value)| Some((name, value.strip_suffix("\";")?)))
            .collect();
        for (at, begin) in text.match_indices("refused(") {
            let (before, call) = (&text[..at], &text[at + begin.len()..]);
            let mut named = literals(call);
            named.extend(looped(before, call.split(';').next().unwrap_or_default()));
            let words = |name: &str| arguments(call.split(';').next().unwrap_or_default()).any(|word| word == name);
            named.extend(constants.iter().filter(|(name, _)| words(name)).map(|(_, value)| value));
            for tool in named.iter().filter(|name| tools.contains(*name)) {
                for code in named.iter().filter(|name| codes.contains(*name)) {
                    met.insert(((*tool).to_owned(), (*code).to_owned()));
                }
            }
        }
    }
    met
}

#[test]
fn every_declared_refusal_has_its_test() {
    let met = refused();
    let mut missing = Vec::new();
    for tool in chorus_tools::table() {
        let name = tool.name.strip_prefix("chorus_").unwrap();
        for (code, when) in tool.refuses {
            let elsewhere = ELSEWHERE.iter().any(|(tool, other, _)| *tool == name && *other == code.as_str());
            if !elsewhere && !met.contains(&(name.to_owned(), code.as_str().to_owned())) {
                missing.push(format!("{name} {}: {when}", code.as_str()));
            }
        }
    }
    assert!(missing.is_empty(), "no test meets\n{}", missing.join("\n"));
}

#[test]
fn what_is_tested_elsewhere_is_tested_there() {
    let mut all: String = sources().into_iter().map(|(_, text)| text).collect();
    all.push_str(include_str!("../cli_operator.rs"));
    for (tool, code, test) in ELSEWHERE {
        assert!(all.contains(&format!("async fn {test}(")), "{tool} {code}: there is no test {test}");
        let row = chorus_tools::table().into_iter().find(|row| row.name.strip_prefix("chorus_") == Some(tool)).unwrap();
        assert!(row.refuses.iter().any(|(known, _)| known.as_str() == *code), "{tool} does not declare {code}");
    }
}

#[test]
fn the_side_effects_of_every_writer_are_listed_by_hand() {
    let lists: Vec<String> =
        sources().into_iter().filter(|(_, text)| text.contains("watch.expect(")).map(|(_, text)| text).collect();
    for tool in chorus_tools::table() {
        let name = tool.name.strip_prefix("chorus_").unwrap();
        let made = MADE.iter().find(|(tool, _)| *tool == name).map(|(_, call)| *call);
        let call = made.map_or_else(|| format!("\"{name}\""), str::to_owned);
        let listed = lists.iter().any(|text| text.contains(&call));
        assert!(tool.run.effect != Effect::Write || listed, "{name}");
    }
}

#[test]
fn the_texts_of_a_call_are_found() {
    assert_eq!(
        literals(r#"&s.dev, "claim", json!({ "a": ")" }), "x\"y", "code").await; f("no")"#),
        vec!["claim", "a", ")", "x\\\"y", "code"]
    );
}
