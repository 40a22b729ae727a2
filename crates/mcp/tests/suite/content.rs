//! Content blocks per revision (protocol checklist §6, §19).

use chorus_mcp::{Answer, CallResult, Content, Resource, ResourceContents, Version};
use serde_json::{Value, json};

use crate::wire::Post;

fn blocks(version: Version, result: CallResult) -> Value {
    let post = Post::of(version, "tools/call", json!({ "name": "echo" }));
    post.answered(Answer::Call(result)).result()["content"].clone()
}

fn one(version: Version, content: Content) -> Value {
    let blocks = blocks(version, CallResult::blocks(vec![content]));
    assert_eq!(blocks.as_array().unwrap().len(), 1);
    blocks[0].clone()
}

#[test]
fn every_revision_has_text_pictures_and_resources() {
    for version in Version::ALL {
        assert_eq!(one(version, Content::Text("hi".into())), json!({ "type": "text", "text": "hi" }));
        let picture = Content::Image { data: vec![255, 216, 255], mime_type: "image/jpeg".into() };
        assert_eq!(one(version, picture), json!({ "type": "image", "data": "/9j/", "mimeType": "image/jpeg" }));
        let resource = Content::Resource(ResourceContents::text("test://one", "text/plain", "hi"));
        let embedded = json!({ "uri": "test://one", "mimeType": "text/plain", "text": "hi" });
        assert_eq!(one(version, resource), json!({ "type": "resource", "resource": embedded }));
    }
}

#[test]
fn sound_and_links_are_text_where_they_are_unknown() {
    for version in Version::ALL {
        let sound = one(version, Content::Audio { data: vec![0; 3], mime_type: "audio/wav".into() });
        if version >= Version::V2025_03_26 {
            assert_eq!(sound, json!({ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" }), "{version}");
        } else {
            assert_eq!(sound["type"], "text");
            assert!(sound["text"].as_str().unwrap().contains("audio/wav"), "{sound}");
        }
        let link = one(version, Content::Link(Resource::new("test://one", "one")));
        if version >= Version::V2025_06_18 {
            assert_eq!(link, json!({ "type": "resource_link", "uri": "test://one", "name": "one" }), "{version}");
        } else {
            assert_eq!(link, json!({ "type": "text", "text": "one: test://one" }), "{version}");
        }
    }
}

#[test]
fn the_text_comes_first_and_is_left_out_only_beside_others() {
    let picture = Content::Image { data: Vec::new(), mime_type: "image/png".into() };
    let both = CallResult { content: vec![picture.clone()], ..CallResult::text("hi") };
    let kinds = |result| {
        let blocks = blocks(Version::V2025_11_25, result);
        blocks.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(both), ["text", "image"]);
    assert_eq!(kinds(CallResult::blocks(vec![picture])), ["image"]);
    assert_eq!(kinds(CallResult::default()), ["text"]);
    assert_eq!(kinds(CallResult::failure("no")), ["text"]);
}
