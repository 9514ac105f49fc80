//! What real servers sent, byte for byte but for shortening: LiteLLM 1.106 as a proxy, in front of `dp-agent stub` and
//! of upstreams that answer as providers document it, and llama.cpp (build 11549) with a model of random weights.
//!
//! `recorded/llamacpp_answers.jsonl` has what llama.cpp's grammar made of our schema when the model has no mind at all.

use super::body::Traits;
use super::refusal::{self, Cause};
use super::reply::{self, Reply, Stream};
use super::*;
use crate::answer::RawReply;
use mind::prompt::{PromptBuilder, Settings};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const ANTHROPIC: &[u8] = include_bytes!("recorded/litellm_anthropic.json");
const DEEPSEEK: &[u8] = include_bytes!("recorded/litellm_deepseek.json");
const ONLY_THOUGHT: &[u8] = include_bytes!("recorded/litellm_only_thought.json");
const REFUSAL: &[u8] = include_bytes!("recorded/litellm_refusal.json");
const UNSUPPORTED: &[u8] = include_bytes!("recorded/litellm_unsupported.json");
const TEMPERATURE: &[u8] = include_bytes!("recorded/litellm_temperature.json");
const CONTEXT: &[u8] = include_bytes!("recorded/litellm_context.json");
const QUOTA: &[u8] = include_bytes!("recorded/litellm_quota.json");
const RATE: &[u8] = include_bytes!("recorded/litellm_rate.json");
const CREDIT: &[u8] = include_bytes!("recorded/litellm_credit.json");
const TIMEOUT: &[u8] = include_bytes!("recorded/litellm_timeout.json");
const NO_DATABASE: &[u8] = include_bytes!("recorded/litellm_no_database.json");
const NO_MODEL: &[u8] = include_bytes!("recorded/litellm_no_model.json");
const LLAMACPP_CONTEXT: &[u8] = include_bytes!("recorded/llamacpp_context.json");
const LLAMACPP_ANSWERS: &str = include_str!("recorded/llamacpp_answers.jsonl");

const LONG: Duration = Duration::from_secs(20);

fn of(body: &[u8]) -> Reply {
    reply::of_completion(body).expect("it is a completion")
}

fn prompt() -> Prompt {
    PromptBuilder::new(Settings::default()).build(&Default::default(), &[], &mind::MindState::default())
}

/// An endpoint that gives these answers, one for each request, and then no more.
struct Wire {
    endpoint: String,
    task: tokio::task::JoinHandle<(Vec<Value>, usize)>,
}

impl Wire {
    /// `(status and headers, body)`, such as `("200 OK", …)`.
    async fn of(answers: Vec<(&'static str, Vec<u8>)>) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("it has one"));
        let task = tokio::spawn(async move {
            let (mut bodies, mut connections) = (Vec::new(), 0);
            let mut stream: Option<TcpStream> = None;
            for (head, body) in answers {
                let request = loop {
                    let open = match stream.as_mut() {
                        Some(open) => open,
                        None => {
                            connections += 1;
                            stream.insert(listener.accept().await.expect("somebody comes").0)
                        }
                    };
                    match read_request(open).await {
                        Some(request) => break request,
                        None => stream = None,
                    }
                };
                bodies.push(request);
                let head = format!(
                    "HTTP/1.1 {head}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                let open = stream.as_mut().expect("it asked");
                open.write_all(head.as_bytes()).await.expect("it is taken");
                open.write_all(&body).await.expect("it is taken");
            }
            (bodies, connections)
        });
        Wire { endpoint, task }
    }

    fn model(&self, key: &str) -> Model {
        let settings = ModelSettings {
            endpoint: self.endpoint.clone(),
            key: Some(protocol::frame::Secret(key.into())),
            model_fast: "gateway".into(),
            model_fallback: None,
            seed: Some(3),
            ..ModelSettings::default()
        };
        Model::new(settings).expect("settings").for_agent("Kara")
    }

    /// The bodies of the requests, and how many connections they came on.
    async fn end(self) -> (Vec<Value>, usize) {
        self.task.await.expect("all answers were asked for")
    }
}

/// The body of a request; `None`: the other side hung up.
async fn read_request(stream: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("it has a length");
            if bytes.len() == end + 4 + length.parse::<usize>().expect("a number") {
                return Some(serde_json::from_slice(&bytes[end + 4..]).expect("it is JSON"));
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

#[test]
fn usage_is_read_as_gateways_translate_it() {
    let usage = |body| of(body).usage.map(|u| (u.prompt, u.cached, u.cache_written, u.completion));
    assert_eq!(usage(ANTHROPIC), Some((2000, 1500, 100, 30)));
    assert_eq!(usage(DEEPSEEK), Some((2000, 1536, 0, 30)));
    // DeepSeek itself, without the gateway's translation.
    let mut own: Value = serde_json::from_slice(DEEPSEEK).expect("JSON");
    own["usage"].as_object_mut().expect("an object").shift_remove("prompt_tokens_details");
    assert_eq!(usage(own.to_string().as_bytes()), Some((2000, 1536, 0, 30)));
}

/// For the usage of the stub's second answer, LiteLLM's own `completion_cost` says 0.0002103 with its prices for
/// gpt-4o-mini.
#[test]
fn the_ledger_counts_as_litellm_does() {
    let usage = serde_json::json!({"usage": {"completion_tokens": 16, "prompt_tokens": 2618, "total_tokens": 2634,
        "prompt_tokens_details": {"cached_tokens": 2560}}});
    let usage = reply::usage_of(&usage).expect("usage");
    let price = crate::ledger::Price { input: 0.15, cached: Some(0.075), cache_write: None, output: 0.6 };
    assert_eq!(price.of(usage), 211, "millionths, rounded up");
}

#[test]
fn thoughts_are_no_answers_and_refusals_are_told() {
    let (answer, _) = answer::read(&of(DEEPSEEK).raw).expect("the thought beside it does no harm");
    assert_eq!(answer.actions, ["look"]);
    let thought = of(ONLY_THOUGHT).raw;
    assert!(thought.cut && thought.thought);
    assert_eq!(answer::read(&thought), Err(AnswerError::OnlyThought));
    let declined = answer::read(&of(REFUSAL).raw).expect_err("it declines").to_string();
    assert!(declined.contains("I'm sorry, I cannot assist with that request"), "{declined}");
    // The same as OpenAI itself puts it, and as a filter ends it.
    for (body, words) in [
        (r#"{"choices":[{"message":{"content":null,"refusal":"I can't."},"finish_reason":"stop"}]}"#, "I can't"),
        (r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#, "a filter"),
        (r#"{"choices":[{"message":{"content":[{"type":"refusal","refusal":"I won't."}]}}]}"#, "I won't"),
    ] {
        let declined = answer::read(&of(body.as_bytes()).raw).expect_err("it declines").to_string();
        assert!(declined.contains(words), "{body}: {declined}");
    }
}

#[test]
fn an_answer_among_the_thoughts_is_taken_only_whole() {
    let body = |thought: &str, finish: &str| {
        let message = serde_json::json!({"content": null, "reasoning_content": thought});
        serde_json::json!({"choices": [{"message": message, "finish_reason": finish}]}).to_string()
    };
    let whole = r#"{"commentary":"c","actions":[{"type":"command","command":"look","args":[]}]}"#;
    assert_eq!(answer::read(&of(body(whole, "stop").as_bytes()).raw).expect("an answer").0.actions, ["look"]);
    for (thought, finish) in [(whole, "length"), (&format!("Perhaps {whole}"), "stop"), ("{", "stop")] {
        let read = answer::read(&of(body(thought, finish).as_bytes()).raw);
        assert_eq!(read, Err(AnswerError::OnlyThought), "{thought}");
    }
    // The same in pieces, as llama.cpp and vLLM stream it.
    let mut stream = Stream::default();
    for piece in ["We should ", "look."] {
        let delta = serde_json::json!({"choices": [{"delta": {"reasoning_content": piece}, "finish_reason": null}]});
        stream.push(format!("data: {delta}\n\n").as_bytes()).expect("it is read");
    }
    stream
        .push(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
        .expect("read");
    let raw = stream.finish().expect("it ended").raw;
    assert_eq!(answer::read(&raw), Err(AnswerError::OnlyThought));
}

#[test]
fn what_an_endpoint_means_by_its_errors_is_understood() {
    use Cause::*;
    for (status, body, cause) in [
        (400, UNSUPPORTED, Field),
        (400, TEMPERATURE, Field),
        (400, CONTEXT, Length),
        (400, LLAMACPP_CONTEXT, Length),
        (429, QUOTA, Money),
        (400, CREDIT, Money),
        (429, RATE, Endpoint),
        (408, TIMEOUT, Endpoint),
        (400, NO_DATABASE, Key),
        (400, NO_MODEL, Model),
        (401, br#"{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}"#, Key),
        (404, b"404 page not found", Model),
        (502, b"<html>Bad Gateway: budget_exceeded</html>", Endpoint),
    ] {
        assert_eq!(Cause::of(status, body), cause, "{status} {}", String::from_utf8_lossy(body));
    }
    let told =
        refusal::told(Key, b"{\"error\":\"Wrong key sk-1234567890-1234567890.\"}", Some("sk-1234567890-1234567890"));
    assert!(!told.contains("567890-12") && told.contains("DP_LLM_KEY"), "{told}");
    let told = refusal::told(Field, b"{\"error\":\"there is none\"}", Some("none"));
    assert_eq!(told, "there is none");
}

#[test]
fn all_fields_of_a_list_are_left_out_at_once_and_no_others() {
    let settings = ModelSettings { seed: Some(3), ..ModelSettings::default() };
    let traits = Traits::of(&settings);
    let fewer = traits.without(&reply::error_message(UNSUPPORTED), "claude").expect("there is less to ask");
    assert_eq!(fewer, Traits { seed: false, cache_key: false, ..traits });
    let fewer = traits.without(&reply::error_message(TEMPERATURE), "gpt5").expect("there is less to ask");
    assert_eq!(fewer, Traits { temperature: false, ..traits });
    let fewer = traits.without("Model seed-oss cannot do this.", "seed-oss").expect("another form is left");
    assert_eq!(fewer, Traits { form: Form::Tools, ..traits }, "a model's name is no field");
}

#[tokio::test]
async fn a_gateway_that_dislikes_two_fields_is_asked_twice() {
    let wire = Wire::of(vec![("400 Bad Request", UNSUPPORTED.into()), ("200 OK", ANTHROPIC.into())]).await;
    let thought = wire.model("sk-x").decide(&prompt(), LONG).await;
    assert_eq!(thought.answer.expect("an answer").actions, ["look"]);
    assert_eq!((thought.requests, thought.usage.cached, thought.seed_honoured), (2, 1500, false));
    let (bodies, connections) = wire.end().await;
    assert!(bodies[0].get("seed").is_some() && bodies[1].get("seed").is_none());
    assert!(bodies[1].get("prompt_cache_key").is_none() && bodies[1].get("response_format").is_some());
    assert_eq!(connections, 1);
}

#[tokio::test]
async fn what_another_form_cannot_mend_is_told_at_once_with_what_to_do() {
    for (head, body, status, words) in [
        ("400 Bad Request", CONTEXT, 400, "`tier`"),
        ("400 Bad Request", NO_DATABASE, 400, "DP_LLM_KEY"),
        ("400 Bad Request", NO_MODEL, 400, "`model_fast`"),
        ("400 Bad Request", CREDIT, 400, "no money left"),
        ("429 Too Many Requests\r\nretry-after: 1", QUOTA, 429, "no money left"),
        ("429 Too Many Requests", RATE, 429, "No deployments available"),
    ] {
        let wire = Wire::of(vec![(head, body.into())]).await;
        let thought = wire.model("sk-x").decide(&prompt(), LONG).await;
        let Err(ModelError::Status { status: told, message }) = thought.answer else { panic!("{:?}", thought.answer) };
        assert_eq!((told, thought.requests), (status, 1));
        assert!(message.contains(words), "{message}");
        wire.end().await;
    }
}

#[tokio::test]
async fn a_pause_that_a_gateway_hands_on_is_kept() {
    let head = "429 Too Many Requests\r\nllm_provider-retry-after: 7";
    let wire = Wire::of(vec![(head, RATE.into())]).await;
    let thought = wire.model("sk-x").decide(&prompt(), LONG).await;
    assert_eq!(thought.answer, Err(ModelError::Waiting(7_000)));
    wire.end().await;
}

#[tokio::test]
async fn a_model_that_only_thinks_is_not_asked_to_think_again() {
    let wire = Wire::of(vec![("200 OK", ONLY_THOUGHT.into())]).await;
    let thought = wire.model("sk-x").decide(&prompt(), LONG).await;
    let Err(ModelError::Unusable(why)) = thought.answer else { panic!("{:?}", thought.answer) };
    assert!(why.contains("max_output_tokens"), "{why}");
    assert_eq!(thought.requests, 1);
    wire.end().await;
}

#[tokio::test]
async fn a_key_that_an_endpoint_repeats_is_not_told() {
    let key = "my-own-key-0123456789";
    let body = format!(r#"{{"error":{{"message":"LiteLLM Virtual Key expected. Received={key}, expected 'sk-'."}}}}"#);
    let wire = Wire::of(vec![("401 Unauthorized", body.into())]).await;
    let told = wire.model(key).decide(&prompt(), LONG).await.answer.expect_err("it is refused").to_string();
    assert!(told.contains("Received=my-own…6789,"), "{told}");
    assert!(!told.contains(key), "{told}");
    wire.end().await;
}

/// uvicorn, and so LiteLLM, closes what is idle for five seconds, and agents think every five seconds.
#[tokio::test]
async fn a_connection_that_was_idle_for_long_is_not_used_again() {
    let answer = || ("200 OK", DEEPSEEK.to_vec());
    let wire = Wire::of(vec![answer(), answer(), answer()]).await;
    let model = wire.model("sk-x");
    for pause_ms in [0, 0, 3_200] {
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        model.decide(&prompt(), LONG).await.answer.expect("an answer");
    }
    assert_eq!(wire.end().await.1, 2, "one for the first two, another after the pause");
}

#[test]
fn what_a_grammar_makes_of_our_schema_is_always_read() {
    let (mut done, mut complained) = (0, 0);
    for line in LLAMACPP_ANSWERS.lines() {
        let sample: Value = serde_json::from_str(line).expect("JSON");
        let content = sample["content"].as_str().expect("a text").to_string();
        let cut = sample["cut"].as_bool().expect("a bool");
        let raw = RawReply { content, cut, asked_schema: true, ..RawReply::default() };
        match answer::read(&raw) {
            Ok((_, path)) => {
                assert!(path == AnswerPath::Schema && !cut, "{raw:?}");
                done += 1;
            }
            Err(AnswerError::CutOff) => assert!(cut, "{raw:?}"),
            // Its form is right; what it says are random words.
            Err(AnswerError::Action(_)) => complained += 1,
            Err(other) => panic!("{other}: {raw:?}"),
        }
    }
    assert!(done > 15 && complained > 0, "{done} {complained}");
}
