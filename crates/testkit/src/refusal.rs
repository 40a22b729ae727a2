//! What the sentence and the details of a refusal have to say, so that its reader knows what to do next.

use std::{collections::BTreeSet, sync::LazyLock};

use chorus_domain::Code;
use serde_json::Value;

static TOOLS: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| chorus_tools::surface().unwrap().tools().iter().map(|tool| tool.row.name).collect());

/// Holds a refusal against what its code promises.
///
/// # Panics
/// If something is missing, or the code is none.
#[track_caller]
pub(crate) fn check_sentence(tool: &str, text: &str, error: &Value) {
    let code = error["code"].as_str().unwrap_or_default();
    let code = Code::ALL.into_iter().find(|known| known.as_str() == code).unwrap_or_else(|| panic!("{tool}: {error}"));
    let missing = missing(code, text, &error["details"]);
    assert!(missing.is_empty(), "{tool} refuses with {code} and lacks {missing:?}: {text} {error}");
}

/// What a refusal lacks.
fn missing(code: Code, text: &str, details: &Value) -> Vec<String> {
    let mut missing = Vec::new();
    let mut needs = |what: &str, there: bool| {
        if !there {
            missing.push(what.to_owned());
        }
    };
    // A list of what is wrong stands on lines of its own.
    needs("an end of the sentence", text.ends_with('.') || text.contains(":\n"));
    for name in tools_in(text) {
        needs(&format!("a tool called {name}"), TOOLS.contains(name));
    }
    let names_tool = tools_in(text).next().is_some();
    let said = |value: &Value| match value {
        Value::String(word) => text.contains(word.as_str()),
        Value::Number(number) => text.contains(&number.to_string()),
        _ => false,
    };
    let list = |key: &str| details[key].as_array().cloned().unwrap_or_default();
    match code {
        Code::NotFound => {
            needs("what shows what there is, or the argument to change", names_tool || text.contains('`'))
        }
        Code::Forbidden => {
            let bits = ["role", "administrator", "agent's key", "key of an agent", "operator"];
            needs(
                "the level, the permission or the caller it takes",
                bits.iter().any(|bit| text.contains(bit)) || names_bit(text),
            );
            let verbs = ["Ask ", "ask ", "Call ", "call "];
            needs("whom to ask or what to call", names_tool || verbs.iter().any(|verb| text.contains(verb)));
        }
        Code::AssigneeNoAccess => {
            needs(
                "who can't take it on",
                details["assignee"]["uuid"].is_string() && details["assignee"]["type"].is_string(),
            );
            needs("the choice of another", text.contains("Choose "));
        }
        Code::NotAssignee => {
            // Several ideas are told with what is wrong with each.
            let told = ["assignee", "holder", "ideas"].iter().any(|key| details.get(*key).is_some());
            needs("who holds it", told);
            needs("a tool that gets it into other hands", names_tool);
        }
        Code::AlreadyClaimed => {
            let holder = &details["holder"];
            needs("the holder", holder["uuid"].is_string() && holder["type"].is_string());
            needs("the holder's name", said(&holder["name"]) || text.contains("You hold"));
            needs("a tool to go on with", names_tool);
        }
        Code::NotClaimed => needs("a tool that claims, or shows what can be claimed", names_tool),
        Code::InvalidState => {
            needs("the state", said(&details["status"]) || text.contains('`'));
            needs("what is possible", names_tool || !list("possible").is_empty());
        }
        Code::InvalidTransition => {
            needs("the state", said(&details["from"]) && said(&details["to"]));
            needs("the next states", details["nextStatuses"].is_array() && text.contains("possible now"));
        }
        Code::BlockedByDependencies => {
            let blockers = list("blockers");
            let hidden = details["hiddenBlockers"].as_u64().unwrap_or_default();
            needs("the blockers", !blockers.is_empty() || hidden > 0);
            needs("the first blocker's title", blockers.first().is_none_or(|first| said(&first["title"])));
            needs("a tool that shows what can be done", names_tool);
        }
        Code::PreconditionFailed => {
            let version = &details["currentVersion"];
            needs("the current version", version.is_null() || said(version));
            needs("what to do first", names_tool || text.contains("`force: true`"));
        }
        Code::AmbiguousRound => {
            needs("the rounds", list("rounds").len() > 1);
            needs("the argument that names one", text.contains("`roundUuid`"));
        }
        Code::InvalidArguments => {
            let problems = list("problems");
            let told = |problem: &Value, key: &str| problem[key].as_str().is_some_and(|text| !text.is_empty());
            needs("the problems", !problems.is_empty());
            needs(
                "where and what of each",
                problems.iter().all(|problem| told(problem, "field") && told(problem, "message")),
            );
            let first = problems.first().and_then(|problem| problem["field"].as_str()).unwrap_or_default();
            needs("the first argument's name", text.contains(&format!("`{first}`")));
        }
        Code::StaleConfirmation => needs("the preview", text.contains("preview")),
        Code::AlreadyMember => needs("the action that changes a member", text.contains("`update`")),
        Code::LastAdmin => {
            needs("whom to make administrator first", text.contains("administrator") && text.contains("first"))
        }
        Code::Cycle => {
            needs("the circle", list("path").len() > 1);
            needs("what to leave out", ["Remove ", "leave out", "Name "].iter().any(|verb| text.contains(verb)));
        }
        Code::TooLarge => needs(
            "the limit, or what to call",
            names_tool || text.chars().any(|c| c.is_ascii_digit()) || text.contains("chorus_get_"),
        ),
        Code::IdempotencyKeyReused => needs("the key's argument", text.contains("`idempotencyKey`")),
        Code::RateLimited | Code::Unavailable => needs("when to repeat it", text.contains("repeat")),
        Code::Internal => needs("where its cause stands", text.contains("log")),
    }
    missing
}

/// The tools that a text names. A beginning of names such as `chorus_get_` is none.
fn tools_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    words.filter(|word| word.starts_with("chorus_") && !word.ends_with('_'))
}

/// Whether a text names a permission, such as `task:write`.
fn names_bit(text: &str) -> bool {
    text.split('`').any(|word| {
        word.split_once(':')
            .is_some_and(|(resource, action)| !resource.is_empty() && ["read", "write", "admin"].contains(&action))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Passes if the good sentence lacks nothing, and each of the others something.
    fn check(code: Code, details: Value, good: &str, bad: &[&str]) {
        assert_eq!(missing(code, good, &details), [""; 0], "{good}");
        for text in bad {
            assert!(!missing(code, text, &details).is_empty(), "{text}");
        }
        if !details.is_null() {
            assert!(!missing(code, good, &Value::Null).is_empty(), "{code} needs no details");
        }
    }

    #[test]
    fn sentences_without_a_next_step_are_found() {
        let nothing = || Value::Null;
        check(
            Code::NotFound,
            nothing(),
            "Task not found; chorus_list_tasks lists tasks.",
            &[
                "Task not found.",
                "Task not found; chorus_list_task lists tasks.",
                "Task not found; chorus_list_tasks lists tasks",
            ],
        );
        check(
            Code::Forbidden,
            nothing(),
            "It takes `task:admin`. Ask its owner.",
            &["Forbidden.", "It takes `task:admin`."],
        );
        check(Code::NotClaimed, nothing(), "Nobody holds it; chorus_claim_idea takes it.", &["Nobody holds it."]);
        check(Code::StaleConfirmation, nothing(), "Take a fresh preview.", &["The token is wrong."]);
        check(Code::AlreadyMember, nothing(), "A member already; use `update`.", &["A member already."]);
        check(Code::LastAdmin, nothing(), "Make another administrator first.", &["The last one stays."]);
        check(Code::IdempotencyKeyReused, nothing(), "Use a new `idempotencyKey`.", &["Used before."]);
        check(Code::Unavailable, nothing(), "Wait and repeat the call.", &["It failed."]);
        check(Code::TooLarge, nothing(), "Give at most 200 tasks.", &["Too much."]);
        check(Code::Internal, nothing(), "The server's log has the details.", &["Something failed."]);
    }

    #[test]
    fn details_that_are_promised_are_asked_for() {
        let somebody = || json!({ "uuid": "1", "type": "agent", "name": "bot" });
        check(
            Code::AlreadyClaimed,
            json!({ "holder": somebody() }),
            "bot holds it; chorus_get_task shows more.",
            &["Taken; chorus_get_task shows more.", "bot holds it."],
        );
        check(
            Code::NotAssignee,
            json!({ "assignee": null }),
            "Not yours; chorus_claim_task takes it.",
            &["Not yours."],
        );
        check(Code::AssigneeNoAccess, json!({ "assignee": somebody() }), "It can't. Choose another.", &["It can't."]);
        let transition = json!({ "from": "open", "to": "done", "nextStatuses": ["assigned"] });
        check(
            Code::InvalidTransition,
            transition,
            "Not from open to done; possible now: claim.",
            &["Not from open to done."],
        );
        let state = json!({ "status": "closed", "possible": [] });
        check(Code::InvalidState, state.clone(), "It is closed; chorus_reopen_session opens it.", &["It is closed."]);
        let blocked = json!({ "blockers": [{ "title": "Parse" }], "hiddenBlockers": 0 });
        check(
            Code::BlockedByDependencies,
            blocked,
            "Parse is open; see chorus_get_unblocked_tasks.",
            &["See chorus_get_unblocked_tasks.", "Parse is open."],
        );
        let version = json!({ "currentVersion": 7 });
        assert_eq!(missing(Code::PreconditionFailed, "At 7; read it with chorus_get_task.", &version), [""; 0]);
        assert!(!missing(Code::PreconditionFailed, "Changed; read it with chorus_get_task.", &version).is_empty());
        check(Code::AmbiguousRound, json!({ "rounds": [1, 2] }), "Name one with `roundUuid`.", &["Which round?"]);
        let problems = json!({ "problems": [{ "field": "title", "message": "is blank" }] });
        check(Code::InvalidArguments, problems, "Invalid arguments: `title` is blank.", &["Invalid arguments."]);
        check(Code::Cycle, json!({ "path": ["a", "b"] }), "a waits for b. Remove one.", &["a waits for b."]);
    }
}
