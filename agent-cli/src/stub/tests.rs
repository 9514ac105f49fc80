//! The stub as a client sees it, and its policies that read files.

use super::*;
use serde_json::{Value, json};

fn body(key: &str, question: &str) -> Value {
    json!({"model": "x", "prompt_cache_key": key, "messages": [{"role": "user", "content": question}]})
}

fn said(reply: Reply) -> String {
    match reply {
        Reply::Answer(said) => said.content,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_script_answers_what_it_expects_to_each_conversation_by_itself() {
    let script = "# comment\n{\"expect\":\"rat\",\"reply\":\"kill it\"}\n\n{\"reply\":{\"actions\":[]},\"times\":2}\n{\"status\":429,\"retry_after_s\":3}";
    let mut policy = policy_of(PolicyKind::Scripted, 1, Some(script)).expect("a script");
    assert_eq!(said(policy.reply(&body("a", "no one"))), "{\"actions\":[]}");
    assert_eq!(said(policy.reply(&body("a", "a rat"))), "kill it");
    assert_eq!(said(policy.reply(&body("b", "a rat"))), "kill it", "another conversation");
    assert_eq!(said(policy.reply(&body("a", "a rat"))), "{\"actions\":[]}");
    assert!(matches!(policy.reply(&body("a", "a rat")), Reply::Status { status: 429, retry_after_s: Some(3), .. }));
    assert!(said(policy.reply(&body("a", "a rat"))).contains("\"actions\":[]"), "at the end it waits");
    let error = policy_of(PolicyKind::Scripted, 1, Some("{\"reply\":1}\n{\"replay\":1}")).err().expect("refused");
    assert!(format!("{error:#}").contains("line 2"), "{error:#}");
    assert!(policy_of(PolicyKind::Replay, 1, None).is_err());
}

#[test]
fn a_session_log_is_played_again_without_what_reflexes_did() {
    let log = [
        json!({"schema_version": 1, "header": true}),
        json!({"action": "flee", "decision": {"source": "reflex"}}),
        json!({"action": "kill 2.rat", "decision": {"source": "model"}}),
        json!({"reply": {"actions": []}}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    let mut policy = policy_of(PolicyKind::Replay, 1, Some(&log)).expect("a log");
    let first = said(policy.reply(&body("a", "")));
    let raw = crate::answer::RawReply { content: first, ..Default::default() };
    assert_eq!(crate::answer::read(&raw).expect("an answer").0.actions, ["kill 2.rat"]);
    assert_eq!(said(policy.reply(&body("a", ""))), "{\"actions\":[]}");
    assert!(policy_of(PolicyKind::Replay, 1, Some("{\"action\":\"flee\"}")).is_err(), "nothing to replay");
}

#[test]
fn the_same_seed_gives_the_same_faults() {
    let faults = |seed| {
        let mut policy = policy_of(PolicyKind::Adversarial, seed, None).expect("needs no file");
        (0..60).map(|_| policy.reply(&body("a", "x"))).collect::<Vec<_>>()
    };
    assert_eq!(faults(3), faults(3));
    assert_ne!(faults(3), faults(4));
}

#[tokio::test]
async fn the_endpoint_speaks_as_others_do() {
    let policy = policy_of(PolicyKind::Utility, 1, None).expect("needs no file");
    let stub = start(0, policy, StubOptions::default()).await.expect("a free port");
    let client = crate::model::http::builder(&stub.endpoint()).build().expect("a client");
    let models: Value = client
        .get(format!("{}/v1/models", stub.endpoint()))
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    assert_eq!(models["object"], "list");
    let model = client.get(format!("{}/v1/models/any", stub.endpoint())).send().await.expect("an answer");
    assert_eq!(model.json::<Value>().await.expect("JSON")["object"], "model");
    let elsewhere = client.get(format!("{}/v1/embeddings", stub.endpoint())).send().await.expect("an answer");
    assert_eq!(elsewhere.status(), 404);
    let message = elsewhere.json::<Value>().await.expect("JSON")["error"]["message"].to_string();
    assert!(message.contains("/v1/embeddings") && message.contains("/v1/chat/completions"), "{message}");
    let url = format!("{}/v1/chat/completions", stub.endpoint());
    let post = |body: String| client.post(&url).body(body).send();
    assert_eq!(post("{".into()).await.expect("an answer").status(), 400);
    assert_eq!(post("{}".into()).await.expect("an answer").status(), 400);
    let reply: Value = post(body("a", "hello").to_string()).await.expect("an answer").json().await.expect("JSON");
    assert_eq!(reply["object"], "chat.completion");
    assert_eq!(reply["choices"][0]["finish_reason"], "stop");
    assert!(reply["usage"]["prompt_tokens"].as_u64().is_some_and(|tokens| tokens > 0));
    let mut streamed = body("a", "hello");
    streamed["stream"] = json!(true);
    streamed["stream_options"] = json!({"include_usage": true});
    let text = post(streamed.to_string()).await.expect("an answer").text().await.expect("text");
    assert!(text.starts_with("data: {") && text.trim_end().ends_with("data: [DONE]"), "{text}");
    assert_eq!(text.matches("\"usage\":{").count(), 1, "in the last piece");
    stub.stop();
}
