//! Resources, prompts and completion on the wire, in each revision (protocol checklist §8 to §12).

use chorus_testkit::{Backend, Reply, Site};
use chorus_visibility::Visibility;
use serde_json::{Value, json};

const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
const MODERN: &str = "2026-07-28";

/// A site with a project, a task and a document in it.
struct Offers {
    site: Site,
    project: String,
    task: String,
    document: String,
}

impl Offers {
    async fn new() -> Self {
        let site = Site::new(Backend::Sqlite).await;
        let project = site.world.project("Compiler", Visibility::Public, &[]).await.to_string();
        let client = site.client();
        let criteria = json!([{ "description": "It works" }]);
        let tasks = json!([{ "title": "Parse", "acceptanceCriteriaItems": criteria }]);
        let made = client.call("chorus_create_tasks", json!({ "projectUuid": project, "tasks": tasks })).await.ok();
        let new = json!({ "projectUuid": project, "type": "spec", "title": "Rules", "content": "One." });
        let document = client.call("chorus_pm_create_document", new).await.ok();
        let id = |value: &Value| value["uuid"].as_str().unwrap().to_owned();
        Self { task: id(&made["tasks"][0]), document: id(&document), project, site }
    }

    fn at(&self, segment: &str, id: &str) -> String {
        format!("chorus://projects/{}/{segment}/{id}", self.project)
    }

    /// A request as a client of this revision sends it.
    async fn ask(&self, version: &str, method: &str, mut params: Value) -> Reply {
        let mut headers = vec![("content-type", "application/json"), ("mcp-protocol-version", version)];
        let name = params.get("uri").or(params.get("name")).and_then(Value::as_str).unwrap_or_default().to_owned();
        if version == MODERN {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            headers.push(("mcp-method", method));
            if matches!(method, "resources/read" | "prompts/get") {
                headers.push(("mcp-name", &name));
            }
        }
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.site.client().exchange(&headers, body.to_string()).await
    }

    /// The result of a request, without what the modern era adds to each; `kept` says whether clients may keep it.
    async fn result(&self, version: &str, method: &str, params: Value, kept: bool) -> Value {
        let reply = self.ask(version, method, params).await;
        let body = reply.json();
        assert_eq!((reply.status, body.get("error"), &body["id"]), (200, None, &json!(7)), "{version} {body}");
        let mut result = body["result"].clone();
        let members = result.as_object_mut().unwrap();
        if version == MODERN {
            assert_eq!(members.remove("resultType"), Some(json!("complete")));
            members.remove("_meta");
            assert_eq!(members.remove("ttlMs").is_some_and(|ttl| ttl.is_u64()), kept, "{method}");
            assert_eq!(members.remove("cacheScope"), kept.then(|| json!("private")), "{method}");
        }
        result
    }

    async fn error(&self, version: &str, method: &str, params: Value) -> Value {
        let reply = self.ask(version, method, params).await;
        assert_eq!(reply.status, 200, "{version} {reply:?}");
        reply.json()["error"].clone()
    }
}

fn titled(version: &str) -> bool {
    version >= "2025-06-18"
}

/// Compares the keys of an object with a list in any order.
#[track_caller]
fn assert_keys(value: &Value, expected: &[&str]) {
    let mut found: Vec<&str> =
        value.as_object().unwrap_or_else(|| panic!("{value} is no object")).keys().map(String::as_str).collect();
    let mut expected = expected.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{value}");
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_are_listed_and_read_in_every_revision() {
    let o = Offers::new().await;
    for version in VERSIONS {
        let list = o.result(version, "resources/list", json!({}), true).await;
        assert_keys(&list, &["resources"]);
        let rows = list["resources"].as_array().unwrap();
        assert_eq!(rows[0]["uri"], "chorus://context", "{version}");
        let project = rows.iter().find(|row| row["uri"] == format!("chorus://projects/{}", o.project)).unwrap();
        let plain = ["uri", "name", "description", "mimeType"];
        let more = if titled(version) { &["title", "annotations"][..] } else { &[] };
        assert_keys(project, &[&plain[..], more].concat());
        assert_eq!((&project["name"], &project["mimeType"]), (&json!("Compiler"), &json!("application/json")));
        if titled(version) {
            assert_keys(&project["annotations"], &["lastModified"]);
        }
        let empty = o.result(version, "resources/list", json!({ "cursor": "" }), true).await;
        assert_eq!(empty, list, "the empty cursor is the beginning");
        assert_eq!(o.error(version, "resources/list", json!({ "cursor": "x" })).await["code"], -32602);

        let templates = o.result(version, "resources/templates/list", json!({}), true).await;
        assert_keys(&templates, &["resourceTemplates"]);
        let rows = templates["resourceTemplates"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["uriTemplate"]), (5, &json!("chorus://projects/{projectUuid}")));
        let more = if titled(version) { &["title"][..] } else { &[] };
        assert_keys(&rows[0], &[&["uriTemplate", "name", "description", "mimeType"], more].concat());
        assert_eq!(o.error(version, "resources/templates/list", json!({ "cursor": "x" })).await["code"], -32602);

        let task = o.at("tasks", &o.task);
        let read = o.result(version, "resources/read", json!({ "uri": task }), true).await;
        assert_keys(&read, &["contents"]);
        let [part] = read["contents"].as_array().unwrap().as_slice() else { panic!("{read}") };
        assert_keys(part, &["uri", "mimeType", "text"]);
        assert_eq!((&part["uri"], &part["mimeType"]), (&json!(task), &json!("application/json")));
        let shown: Value = serde_json::from_str(part["text"].as_str().unwrap()).unwrap();
        assert_eq!((&shown["uuid"], &shown["title"]), (&json!(o.task), &json!("Parse")));
        let document = o.at("documents", &o.document);
        let read = o.result(version, "resources/read", json!({ "uri": document }), true).await;
        let part = &read["contents"][0];
        assert_eq!((&part["mimeType"], &part["text"]), (&json!("text/markdown"), &json!("# Rules\n\nOne.\n")));
        assert_eq!(part.get("_meta").is_some(), titled(version), "{version}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_has_the_code_of_its_revision() {
    let o = Offers::new().await;
    for version in VERSIONS {
        let code = if version == MODERN { -32602 } else { -32002 };
        for uri in [&o.at("ideas", &o.task), "chorus://nothing", "file:///etc/passwd"] {
            let error = o.error(version, "resources/read", json!({ "uri": uri })).await;
            assert_eq!((&error["code"], &error["data"]), (&json!(code), &json!({ "uri": uri })), "{version}");
        }
        let error = o.error(version, "prompts/get", json!({ "name": "nonsense" })).await;
        assert_eq!(error["code"], -32602, "{version}");
        let error = o.error(version, "prompts/get", json!({ "name": "start_work" })).await;
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains("taskUuid"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_listed_and_filled_in_in_every_revision() {
    let o = Offers::new().await;
    for version in VERSIONS {
        let list = o.result(version, "prompts/list", json!({}), true).await;
        assert_keys(&list, &["prompts"]);
        let names: Vec<&str> =
            list["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["start_work", "plan_idea", "review_proposal", "verify_task"]);
        let title = if titled(version) { &["title"][..] } else { &[] };
        assert_keys(&list["prompts"][0], &[&["name", "description", "arguments"], title].concat());
        let argument = &list["prompts"][0]["arguments"][0];
        assert_keys(argument, &[&["name", "description", "required"], title].concat());
        assert_eq!((&argument["name"], &argument["required"]), (&json!("taskUuid"), &json!(true)));

        let params = json!({ "name": "start_work", "arguments": { "taskUuid": o.task } });
        let prompt = o.result(version, "prompts/get", params, false).await;
        assert_keys(&prompt, &["description", "messages"]);
        let [says, state] = prompt["messages"].as_array().unwrap().as_slice() else { panic!("{prompt}") };
        assert_eq!((&says["role"], &says["content"]["type"]), (&json!("user"), &json!("text")));
        assert!(says["content"]["text"].as_str().unwrap().contains("chorus_claim_task"));
        assert_eq!((&state["role"], &state["content"]["type"]), (&json!("user"), &json!("resource")));
        let embedded = &state["content"]["resource"];
        assert_eq!(embedded["uri"], o.at("tasks", &o.task));
        assert!(embedded["text"].as_str().unwrap().contains(&o.task));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_are_completed_in_every_revision() {
    let o = Offers::new().await;
    for version in VERSIONS {
        let prompt = json!({ "type": "ref/prompt", "name": "start_work" });
        let template = json!({ "type": "ref/resource", "uri": "chorus://projects/{projectUuid}/tasks/{taskUuid}" });
        for (reference, written) in [(&prompt, "parse"), (&template, ""), (&template, &o.task[..20])] {
            let argument = json!({ "name": "taskUuid", "value": written });
            let params = json!({ "ref": reference, "argument": argument });
            let answer = o.result(version, "completion/complete", params, false).await;
            let expected = json!({ "completion": { "values": [o.task], "total": 1, "hasMore": false } });
            assert_eq!(answer, expected, "{version} {written}");
        }
        let argument = json!({ "name": "taskUuid", "value": "" });
        let elsewhere = json!({ "arguments": { "projectUuid": o.task } });
        let params = json!({ "ref": template, "argument": argument, "context": elsewhere });
        // Context came with 2025-06-18.
        if titled(version) {
            let answer = o.result(version, "completion/complete", params, false).await;
            assert_eq!(answer["completion"]["values"], json!([]), "{version}");
        }
        let unknown = json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": argument });
        assert_eq!(o.error(version, "completion/complete", unknown).await["code"], -32602, "{version}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_narrow_what_is_offered_beside_the_tools() {
    let o = Offers::new().await;
    let other = o.site.world.project("Other", Visibility::Public, &[]).await;
    let client = o.site.client().with_header("X-Chorus-Project", &other.to_string());
    let listed = client.rpc("resources/list", json!({})).await;
    let uris: Vec<&str> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|row| row["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["chorus://context", &format!("chorus://projects/{other}")]);
    let reading = o.site.client().with_header("X-Chorus-Readonly", "true");
    assert_eq!(reading.rpc("prompts/list", json!({})).await["result"]["prompts"], json!([]));
    let refused =
        reading.rpc("prompts/get", json!({ "name": "start_work", "arguments": { "taskUuid": o.task } })).await;
    assert_eq!(refused["error"]["code"], -32602);
    let uri = o.at("tasks", &o.task);
    let read = reading.rpc("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read["result"]["contents"][0]["uri"], uri);
}
