//! Ids (protocol checklist §5.2): echoed exactly, or left out.

use crate::wire::{Post, check};

fn ping(id: &str) -> Post {
    Post::raw(format!(r#"{{"jsonrpc":"2.0","method":"ping","id":{id}}}"#))
}

#[test]
fn strings_and_integers_are_echoed_as_they_were_written() {
    let ids = [
        "0",
        "-0",
        "-1",
        "1",
        "9007199254740993",
        "18446744073709551616",
        "123456789012345678901234567890123456789012345678901234567890",
        r#""""#,
        r#""7""#,
        r#""server-discover-probe-1""#,
        r#""\u00e9 \"quoted\" \n 🦀""#,
    ];
    for id in ids {
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(ping(id).send().text, expected);
        // Whitespace around it is no part of it.
        assert_eq!(ping(&format!(" \n{id}\t")).send().text, expected);
        // Errors carry it too, and so do answers that had to be waited for.
        let echoed = format!(r#""id":{id},"#);
        for method in ["no/such", "tools/call", "tools/list"] {
            let post = Post::raw(format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":{id}}}"#));
            assert!(post.send().text.contains(&echoed), "{id} {method}");
        }
    }
}

#[test]
fn other_ids_are_refused_and_not_echoed() {
    // As an integer it is one, but no reader of JSON holds it.
    let endless = "9".repeat(400);
    for id in ["null", "1.5", "1.0", "1e3", "1E3", "true", "[1]", "{}", r#""\ud800""#, &endless] {
        check(&ping(id), 400, -32600);
        assert_eq!(ping(id).send().body.get("id"), None, "{id}");
    }
}

#[test]
fn of_duplicate_members_the_last_wins() {
    let post = Post::raw(r#"{"jsonrpc":"1.0","id":null,"method":"x","jsonrpc":"2.0","id":7,"method":"ping"}"#);
    check(&post, 200, 0);
    let post = Post::raw(
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"},"params":{"name":"b","name":"c"}}"#,
    );
    assert!(format!("{:?}", post.request().work).contains("name: \"c\""));
    // A member written with an escape is the same member.
    check(&Post::raw(r#"{"jsonrpc":"2.0","\u0069d":7,"method":"ping"}"#), 200, 0);
}
