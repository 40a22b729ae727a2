//! Each row's example.

use chorus_dispatch::{Effect, arguments, schema};
use serde_json::{Map, Value};

/// The example of a row, which has to be an object.
pub(crate) fn parsed(tool: &str, example: &str) -> Map<String, Value> {
    serde_json::from_str(example).unwrap_or_else(|error| panic!("{tool}: {error}: {example}"))
}

#[test]
fn every_example_is_taken_as_it_stands() {
    for tool in chorus_tools::surface().unwrap().tools() {
        let name = tool.row.name;
        let read = arguments::read(&tool.input, parsed(name, tool.row.example), tool.row.run.effect);
        let read = read.unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text));
        assert!(read.ignored.is_empty(), "{name}: {:?}", read.ignored);
        assert_eq!(read.arguments, parsed(name, tool.row.example), "{name}: written as it is understood");
    }
}

#[test]
fn examples_show_what_is_required_and_leave_the_key_to_the_reader() {
    for tool in chorus_tools::surface().unwrap().tools() {
        let example = parsed(tool.row.name, tool.row.example);
        assert!(!example.contains_key(schema::IDEMPOTENCY_KEY), "{}", tool.row.name);
        let required = tool.input["required"].as_array().into_iter().flatten();
        for key in required.filter_map(Value::as_str) {
            assert!(example.contains_key(key), "{}: {key}", tool.row.name);
        }
        let effect = tool.row.run.effect;
        assert!(effect != Effect::Write || !example.is_empty(), "{}: a write with no arguments", tool.row.name);
    }
}
