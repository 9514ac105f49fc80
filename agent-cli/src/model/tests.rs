//! The client against the stub, in one process on a free port: all that models and networks do wrong, and the rest.

use super::*;
use crate::ledger::Price;
use crate::stub::policy::{Adversarial, FAULTS, Fault, Scripted, Utility};
use crate::stub::{Policy, Stub, StubOptions, start};
use mind::hud::{LiveView, SelfView, VarsView};
use mind::prompt::{AnswerForm, Block, Done, PromptBuilder, Settings};
use serde_json::Value;

fn prompt() -> Prompt {
    prompt_for(AnswerForm::Json)
}

fn prompt_for(answer: AnswerForm) -> Prompt {
    let mut builder = PromptBuilder::new(Settings { answer, ..Settings::default() });
    builder.set_self(SelfView { name: "Kara".into(), level: 3, ..SelfView::default() });
    builder.append(Block {
        tick: 1,
        did: vec![Done { source: "model".into(), action: "look".into(), outcome: "ok".into() }],
        ..Block::default()
    });
    let vars = VarsView { hp: Some(30), hp_max: Some(30), level: Some(3), ..VarsView::default() };
    builder.build(&LiveView { tick: 2, vars, ..LiveView::default() }, &[], &mind::MindState::default())
}

async fn scripted(lines: &str) -> Stub {
    stub(Box::new(Scripted::read(lines).expect("a script")), StubOptions::default()).await
}

async fn stub(policy: Box<dyn Policy>, options: StubOptions) -> Stub {
    start(0, policy, options).await.expect("a free port")
}

/// Settings without a fallback.
fn alone(stub: &Stub) -> ModelSettings {
    ModelSettings { endpoint: stub.endpoint(), model_fallback: None, ..ModelSettings::default() }
}

fn model(settings: ModelSettings) -> Model {
    Model::new(settings).expect("settings").for_agent("Kara")
}

const SECOND: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(20);
const LOOK: &str =
    r#"{"reply":{"commentary":"why not","actions":[{"type":"command","command":"look","args":[]}]},"times":99}"#;

#[tokio::test]
async fn an_answer_comes_back_with_its_use_and_what_is_cached() {
    let stub = scripted(LOOK).await;
    let prices = [("*".to_string(), Price { input: 1.0, cached: Some(0.1), cache_write: None, output: 4.0 })];
    for stream in [false, true] {
        let settings = ModelSettings { stream, prices: Prices(prices.clone().into()), seed: Some(5), ..alone(&stub) };
        let model = model(settings).for_agent(if stream { "A" } else { "B" });
        let (mut prompt, mut cached) = (prompt(), Vec::new());
        for n in 0..2 {
            let thought = model.decide(&prompt, LONG).await;
            let answer = thought.answer.expect("an answer");
            assert_eq!((answer.actions, answer.commentary), (vec!["look".to_string()], Some("why not".into())));
            assert_eq!((thought.path, thought.repairs, thought.requests), (Some(AnswerPath::Schema), 0, 1));
            assert!(thought.usage.prompt > 1_000 && thought.usage.completion > 5);
            let plain = thought.usage.prompt - thought.usage.cached;
            let cost = plain as f64 + thought.usage.cached as f64 * 0.1 + thought.usage.completion as f64 * 4.0;
            assert_eq!(thought.cost_micros, Some(cost.ceil() as u64));
            assert!(thought.seed_honoured);
            assert_eq!((&*thought.model != "stub", thought.answered_by.as_deref()), (true, Some("stub")));
            cached.push(thought.usage.cached);
            prompt.parts.last_mut().expect("P4").text = format!("# Now\nanother moment {n}\n");
        }
        assert_eq!(cached[0], 0);
        assert!(cached[1] >= 1_024, "{cached:?}");
        assert_eq!(model.ledger().used.total(), model.ledger().used.prompt + model.ledger().used.completion);
    }
}

#[tokio::test]
async fn a_request_has_the_prompt_in_order_and_nothing_of_the_game_s_key() {
    let stub = scripted(LOOK).await;
    let settings =
        ModelSettings { key: Some(protocol::frame::Secret("llm-key".into())), seed: Some(5), ..alone(&stub) };
    let prompt = prompt();
    model(settings.clone()).decide(&prompt, LONG).await.answer.expect("an answer");
    let body = stub.last_request().expect("a request");
    assert_eq!(body, request_body(&settings, "Kara", &prompt), "the pure one is the real one");
    assert_eq!(body["prompt_cache_key"], "Kara");
    assert_eq!((&body["seed"], &body["temperature"]), (&5.into(), &0.0.into()));
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    let messages = body["messages"].as_array().expect("a list");
    assert_eq!(messages.len(), 2);
    let text: String = messages.iter().filter_map(|m| m["content"].as_str()).collect();
    assert_eq!(text, prompt.text(), "the parts in their order, byte for byte");
    assert!(!body.to_string().contains("llm-key"));
    // Marks instead of the key, where the model takes them.
    let claude = ModelSettings { model_fast: "anthropic/claude-x".into(), ..settings };
    let body = request_body(&claude, "Kara", &prompt);
    assert_eq!(body.get("prompt_cache_key"), None);
    let blocks: Vec<&Value> = body["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|m| m["content"].as_array().expect("blocks"))
        .collect();
    assert_eq!(blocks.len(), prompt.parts.len());
    let marks = blocks.iter().filter(|block| block["cache_control"]["type"] == "ephemeral").count();
    assert!((1..=4).contains(&marks), "{marks}");
    assert!(blocks.last().expect("P4").get("cache_control").is_none());
}

#[tokio::test]
async fn a_bad_answer_gets_one_repair_with_the_exact_error() {
    let stub = scripted(&format!("{}\n{LOOK}", r#"{"reply":"I shall look around.","times":1}"#)).await;
    let model = model(alone(&stub));
    let thought = model.decide(&prompt(), LONG).await;
    assert_eq!(thought.answer.expect("repaired").actions, ["look"]);
    assert_eq!((thought.repairs, thought.requests), (1, 2));
    let body = stub.last_request().expect("a request");
    let messages = body["messages"].as_array().expect("a list");
    assert_eq!(messages[2]["content"], "I shall look around.");
    assert!(messages[3]["content"].as_str().expect("text").contains("Your answer holds no JSON object."));
    // Twice bad: then the policies play.
    let stub = scripted(r#"{"reply":{"actions":[{"command":"frobnicate"}]},"times":99}"#).await;
    let thought = self::model(alone(&stub)).decide(&prompt(), LONG).await;
    let Err(ModelError::Unusable(why)) = thought.answer else { panic!("{:?}", thought.answer) };
    assert!(why.contains("There is no command `frobnicate`"), "{why}");
    assert_eq!(stub.served(), 2);
}

#[tokio::test]
async fn toon_is_asked_for_by_the_prompt_alone_and_json_is_taken_all_the_same() {
    let wrong = r#"{"reply":"actions[2]{type,text}:\n  say,hello","times":1}"#;
    let json = r#"{"reply":"{\"actions\":[{\"command\":\"north\"}]}","times":1}"#;
    let stub = scripted(&format!("{wrong}\n{LOOK}\n")).await;
    let toon = ModelSettings { form: Form::Toon, ..alone(&stub) };
    let prompt = prompt_for(AnswerForm::Toon);
    let thought = model(toon.clone()).decide(&prompt, LONG).await;
    assert_eq!((thought.path, thought.repairs, thought.requests), (Some(AnswerPath::Toon), 1, 2));
    assert_eq!(thought.answer.expect("repaired").actions, ["look"]);
    let body = stub.last_request().expect("a request");
    assert!(body.get("response_format").is_none() && body.get("tools").is_none(), "{body}");
    let complaint = body["messages"].as_array().expect("a list").last().expect("one")["content"].to_string();
    assert!(
        complaint.contains("Your TOON cannot be read") && complaint.contains("in the form asked for"),
        "{complaint}"
    );

    let stub = scripted(json).await;
    let thought = model(ModelSettings { endpoint: stub.endpoint(), ..toon }).decide(&prompt, LONG).await;
    assert_eq!((thought.path, thought.repairs), (Some(AnswerPath::JsonObject), 0));
    assert_eq!(thought.answer.expect("an answer").actions, ["north"]);
}

#[tokio::test]
async fn a_field_that_is_refused_is_left_out_from_then_on() {
    let refuses: Vec<String> = ["response_format", "seed", "prompt_cache_key", "max_tokens"].map(str::to_string).into();
    let stub = stub(Box::new(Utility::new(1)), StubOptions { refuses, ..StubOptions::default() }).await;
    let model = model(ModelSettings { seed: Some(1), ..alone(&stub) });
    let thought = model.decide(&prompt(), LONG).await;
    thought.answer.expect("an answer");
    assert_eq!(thought.path, Some(AnswerPath::ToolCall));
    assert_eq!((thought.requests, thought.seed_honoured), (5, false));
    let thought = model.decide(&prompt(), LONG).await;
    assert_eq!(thought.requests, 1, "it is remembered");
    let body = stub.last_request().expect("a request");
    assert_eq!(body["tools"].as_array().map(Vec::len), Some(2));
    // An endpoint that takes neither schema nor tools.
    let refuses = ["response_format", "tools"].map(str::to_string).into();
    let stub = self::stub(Box::new(Utility::new(1)), StubOptions { refuses, ..StubOptions::default() }).await;
    let thought = self::model(alone(&stub)).decide(&prompt(), LONG).await;
    assert_eq!(thought.path, Some(AnswerPath::JsonObject), "{:?}", thought.answer);
}

#[tokio::test]
async fn a_slow_model_is_given_up_in_time_and_the_fallback_asked() {
    let stub = scripted(&format!("{}\n{LOOK}", r#"{"stall_ms":30000,"reply":null,"times":1}"#)).await;
    let model = model(ModelSettings { model_fallback: Some("other".into()), ..alone(&stub) });
    let begun = std::time::Instant::now();
    let thought = model.decide(&prompt(), 3 * SECOND).await;
    assert_eq!(thought.answer.expect("of the fallback").actions, ["look"]);
    assert_eq!(thought.model, "other");
    assert!(begun.elapsed() < 3 * SECOND);
    // Both slow: an error, in time, and what was asked counts as spent.
    let stub = scripted(r#"{"stall_ms":30000,"reply":null,"times":9}"#).await;
    let model = self::model(ModelSettings { model_fallback: Some("other".into()), ..alone(&stub) });
    let begun = std::time::Instant::now();
    let thought = model.decide(&prompt(), SECOND).await;
    assert!(matches!(thought.answer, Err(ModelError::Timeout(_))), "{:?}", thought.answer);
    assert!(begun.elapsed() < 2 * SECOND);
    assert_eq!((model.counts().timeouts, model.ledger().calls), (1, 2));
}

#[tokio::test]
async fn a_pause_that_the_endpoint_asks_for_is_kept_without_waiting() {
    for status in [429, 500] {
        let pause = format!(r#"{{"status":{status},"retry_after_s":1,"reply":"slow down","times":1}}"#);
        let stub = scripted(&format!("{pause}\n{LOOK}")).await;
        let model = model(alone(&stub));
        let thought = model.decide(&prompt(), LONG).await;
        assert_eq!(thought.answer, Err(ModelError::Waiting(1_000)));
        let thought = model.decide(&prompt(), LONG).await;
        assert!(matches!(thought.answer, Err(ModelError::Waiting(1..=1_001))), "{:?}", thought.answer);
        assert_eq!((thought.requests, stub.served()), (0, 1), "nothing was sent meanwhile");
        assert_eq!(model.ledger().calls, 0, "a refused call costs nothing");
        tokio::time::sleep(Duration::from_millis(1_010)).await;
        model.decide(&prompt(), LONG).await.answer.expect("then it goes on");
    }
    let stub = scripted(r#"{"status":500,"reply":"out of order","times":99}"#).await;
    let model = model(alone(&stub));
    let thought = model.decide(&prompt(), LONG).await;
    assert_eq!(thought.answer, Err(ModelError::Status { status: 500, message: "out of order".into() }));
    for _ in 0..3 {
        model.decide(&prompt(), LONG).await;
    }
    assert_eq!(stub.served(), 3, "after three failures it is left alone");
    assert!(matches!(model.decide(&prompt(), LONG).await.answer, Err(ModelError::Resting(_))));
}

#[tokio::test]
async fn a_failure_is_told_once_until_it_is_another_or_over() {
    let stub = scripted(LOOK).await;
    let model = model(alone(&stub));
    let status = |status| ModelError::Status { status, message: "no".into() };
    let told = |error| model.is_news("a", &error);
    assert_eq!([status(500), status(500), status(400)].map(told), [true, false, true]);
    assert_eq!([ModelError::Timeout(6_000), ModelError::Timeout(5_999)].map(told), [true, false]);
    assert!(!told(ModelError::Resting(5)), "what follows from a failure is no news");
    assert!(model.is_news("b", &status(500)), "of another model");
    let name = model.settings().model_fast.clone();
    assert!(model.is_news(&name, &status(500)));
    model.decide(&prompt(), LONG).await.answer.expect("an answer");
    assert!(model.is_news(&name, &status(500)), "after a success it is news again");
}

#[tokio::test]
async fn what_breaks_off_or_is_no_completion_is_an_error() {
    for stream in [false, true] {
        let stub = scripted(r#"{"dying":true,"reply":{"actions":[{"command":"look"}]},"times":9}"#).await;
        let thought = model(ModelSettings { stream, ..alone(&stub) }).decide(&prompt(), LONG).await;
        assert!(matches!(thought.answer, Err(ModelError::BrokenOff(_))), "{:?}", thought.answer);
        for raw in [r#""""#, r#""<html>""#, r#""{\"choices\":[]}""#, r#""{\"error\":{\"message\":\"no\"}}""#] {
            let stub = scripted(&format!(r#"{{"raw":{raw},"times":9}}"#)).await;
            let thought = model(ModelSettings { stream, ..alone(&stub) }).decide(&prompt(), LONG).await;
            assert!(matches!(thought.answer, Err(ModelError::NoCompletion(_))), "{raw}: {:?}", thought.answer);
        }
    }
    let nobody =
        ModelSettings { endpoint: "http://127.0.0.1:9".into(), model_fallback: None, ..ModelSettings::default() };
    let thought = model(nobody).decide(&prompt(), LONG).await;
    assert!(matches!(thought.answer, Err(ModelError::Unreachable(_))), "{:?}", thought.answer);
}

#[tokio::test]
async fn the_call_that_could_break_the_budget_is_not_made() {
    let stub = scripted(LOOK).await;
    let limits = Limits::new(Some(prompt().tokens as u64 * 3), None);
    let model = model(ModelSettings { limits, ..alone(&stub) });
    let mut last = Ok(Answer::default());
    for _ in 0..5 {
        last = model.decide(&prompt(), LONG).await.answer;
    }
    assert_eq!(last, Err(ModelError::Budget("tokens")));
    assert!(model.ledger().used.total() <= prompt().tokens as u64 * 3);
    assert!((1..=2).contains(&stub.served()));
    let limits = Limits::new(None, Some(1.0));
    let unpriced = Model::new(ModelSettings { limits, ..alone(&stub) }).err();
    assert!(matches!(unpriced, Some(SettingsError::NoPrice(_))));
}

#[tokio::test]
async fn an_answer_of_100_kb_is_cut_off_and_costs_one_repair() {
    for stream in [false, true] {
        let long = serde_json::json!({"reply": "blah ".repeat(20_000), "times": 9}).to_string();
        let stub = scripted(&long).await;
        let thought = model(ModelSettings { stream, ..alone(&stub) }).decide(&prompt(), LONG).await;
        assert!(matches!(thought.answer, Err(ModelError::Unusable(_))), "{:?}", thought.answer);
        assert_eq!(thought.requests, 2);
        let sent = stub.last_request().expect("a request").to_string();
        assert!(sent.len() < 40_000, "the repair does not send it all back: {}", sent.len());
    }
}

/// Evaluation E14: whatever it answers, nothing panics, nothing takes longer than its deadline, nothing forbidden
/// comes out, and a bad answer costs one repair at most.
#[tokio::test]
async fn the_adversary_does_no_harm() {
    // Longer than anybody waits, so that only a deadline ends it; and how long a busy machine may take for that.
    let (stall_ms, patience) = (600_000, Duration::from_secs(60));
    for stream in [false, true] {
        let (mut good, mut bad) = (0, 0);
        for fault in FAULTS {
            // Only these need an end that somebody else sets: all others have the time that they take.
            let waits = matches!(fault, Fault::Stall | Fault::TooManyRequests | Fault::ServerError);
            let deadline = if waits { Duration::from_millis(200) } else { patience };
            let policy = Adversarial::new(11).with_stall(stall_ms).only(*fault);
            let stub = stub(Box::new(policy), StubOptions::default()).await;
            for n in 0..8 {
                // Each with its own circuit, so that every fault is met.
                let model = model(ModelSettings { stream, ..alone(&stub) }).for_agent(&format!("agent{n}"));
                let deciding = tokio::time::timeout(patience, async { model.decide(&prompt(), deadline).await });
                let thought = deciding.await.unwrap_or_else(|_| panic!("{fault:?} outlasts its deadline"));
                assert!(thought.repairs <= 1 && thought.requests <= 2, "{fault:?}");
                assert!(!waits || thought.answer.is_err(), "{fault:?}");
                match thought.answer {
                    Ok(answer) => {
                        good += 1;
                        for line in answer.speech.iter().chain(&answer.actions) {
                            assert!(!line.contains(char::is_control), "{line:?}");
                            let word = protocol::verbs::word_of(line);
                            assert!(!["quit", "password", "alias"].contains(&word), "{line}");
                        }
                        let offer = &prompt().offer;
                        let spending = answer.actions.iter().filter(|line| !mind::action::is_free(line, offer)).count();
                        assert!(spending <= 1 && answer.actions.len() + answer.speech.len() <= 9);
                    }
                    Err(_) => bad += 1,
                }
            }
            stub.stop();
        }
        assert!(good > 20 && bad > 20, "{good} good, {bad} bad");
    }
}

#[test]
fn an_endpoint_is_an_address_with_or_without_its_path() {
    for (base, expected) in [
        ("http://localhost:4000", Some("http://localhost:4000/v1/chat/completions")),
        ("http://localhost:4000/", Some("http://localhost:4000/v1/chat/completions")),
        ("https://api.example.org/v1", Some("https://api.example.org/v1/chat/completions")),
        ("https://x.example/openai/v1/chat/completions", Some("https://x.example/openai/v1/chat/completions")),
        ("https://x.example/v1beta/openai/", Some("https://x.example/v1beta/openai/chat/completions")),
        ("https://x.example/api/paas/v4", Some("https://x.example/api/paas/v4/chat/completions")),
        ("http://openai", Some("http://openai/v1/chat/completions")),
        ("localhost:4000", None),
        ("ftp://x", None),
        ("", None),
    ] {
        assert_eq!(body::url(base).as_deref(), expected, "{base}");
    }
    // TLS is there, with a provider of its own.
    let secure = ModelSettings { endpoint: "https://127.0.0.1:9".into(), ..ModelSettings::default() };
    assert!(Model::new(secure).is_ok());
}

#[test]
fn usage_is_read_in_every_provider_s_names() {
    use reply::usage_of;
    use serde_json::json;
    let of =
        |usage: Value| usage_of(&json!({"usage": usage})).map(|u| (u.prompt, u.cached, u.cache_written, u.completion));
    for (usage, expected) in [
        (
            json!({"prompt_tokens": 2000, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 1024}}),
            Some((2000, 1024, 0, 30)),
        ),
        (
            json!({"prompt_tokens": 2000, "completion_tokens": 30, "cache_read_input_tokens": 1500, "cache_creation_input_tokens": 100}),
            Some((2000, 1500, 100, 30)),
        ),
        (
            json!({"input_tokens": 400, "output_tokens": 30, "cache_read_input_tokens": 1500, "cache_creation_input_tokens": 100}),
            Some((2000, 1500, 100, 30)),
        ),
        (
            json!({"prompt_tokens": 2000, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 1024, "cache_write_tokens": 300}}),
            Some((2000, 1024, 300, 1)),
        ),
        (json!({"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": null}), Some((10, 0, 0, 1))),
        (json!({"prompt_tokens": "many"}), None),
        (json!(null), None),
    ] {
        assert_eq!(of(usage.clone()), expected, "{usage}");
    }
}

#[tokio::test]
async fn a_goal_is_split_by_one_more_question_in_each_form() {
    let script = r#"{"reply":{"commentary":"too much at once","actions":[{"type":"split","id":7,"into":null},{"type":"command","command":"look","args":[]}]},"times":9}"#;
    let own = r#"{"expect":"Into what do you split goal 7?","reply":{"into":["Ask","Dig","Build"]},"times":9}"#;
    for form in [Form::Schema, Form::Tools, Form::Object, Form::Plain] {
        let stub = scripted(&format!("{own}\n{script}")).await;
        let thought = model(ModelSettings { form, ..alone(&stub) }).decide(&prompt(), LONG).await;
        let answer = thought.answer.expect("an answer");
        assert_eq!(answer.actions, ["look", "goal split 7: Ask | Dig | Build"], "{form:?}");
        assert_eq!((thought.requests, thought.repairs, stub.served()), (2, 0, 2), "{form:?}");
        let body = stub.last_request().expect("a request");
        let schema = match form {
            Form::Schema => &body["response_format"]["json_schema"]["schema"],
            Form::Tools => &body["tools"][0]["function"]["parameters"],
            _ => continue,
        };
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&serde_json::json!(["into"]), &false.into())
        );
    }
}

#[tokio::test]
async fn a_goal_that_cannot_be_split_costs_no_more_than_the_split() {
    let split = r#"{"reply":{"actions":[{"tool":"decompose_goal","args":{"id":"goal_42_0"}},"look"]}}"#;
    for (parts, why) in [
        (r#"{"reply":{"into":["Ask","Dig"]}}"#, "`into` is a list of 3 to 7 texts."),
        (r#"{"reply":"I would rather not."}"#, "Your answer holds no JSON object."),
        (r#"{"status":500,"reply":"oh"}"#, "status 500"),
    ] {
        let stub = scripted(&format!("{split}\n{parts}")).await;
        let thought = model(alone(&stub)).decide(&prompt(), LONG).await;
        let answer = thought.answer.expect("the rest of it holds");
        assert_eq!(answer.actions, ["look"]);
        let told = answer.dropped.concat();
        assert!(told.starts_with("Goal goal_42_0 was not split: ") && told.contains(why), "{told}");
    }
}

/// The stub's own policies have a plan for every goal, over the wire and without.
#[tokio::test]
async fn the_stub_knows_a_plan_for_every_goal() {
    struct Splitter;
    impl Policy for Splitter {
        fn reply(&mut self, _: &Value) -> crate::stub::Reply {
            crate::stub::Reply::Answer(crate::stub::Completion::new(r#"{"actions":[{"type":"split","id":9}]}"#))
        }
    }
    let line =
        "goal split 9: Find out what it takes (9) | Get what is missing (9) | Do it (9) | See whether it holds (9)";
    let stub = stub(Box::new(Splitter), StubOptions::default()).await;
    let settings = alone(&stub);
    let thought = model(settings.clone()).decide(&prompt(), LONG).await;
    assert_eq!(thought.answer.expect("an answer").actions, [line]);
    let thought = crate::stub::think(&mut Splitter, &settings, "Kara", &prompt(), SECOND, false);
    assert_eq!(thought.answer.expect("an answer").actions, [line]);
}

#[tokio::test]
async fn a_tape_answers_the_same_request_and_the_model_every_other() {
    let stub = scripted(LOOK).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.tape");
    let prices = [("*".to_string(), Price { input: 1.0, cached: None, cache_write: None, output: 4.0 })];
    let settings = ModelSettings { prices: Prices(prices.into()), seed: Some(5), ..alone(&stub) };
    let prompt = prompt();
    let mut other = prompt.clone();
    other.parts.last_mut().expect("P4").text.push_str("One word more.\n");

    let first = model(settings.clone());
    first.set_tape(Tape::open(&path).expect("a new tape"));
    let asked = first.decide(&prompt, LONG).await;
    let again = first.decide(&prompt, LONG).await;
    assert_eq!((asked.requests, asked.taped, again.requests, again.taped), (1, 0, 0, 1));
    assert_eq!(again.answer, asked.answer);
    assert_eq!((again.usage, again.cost_micros), (Usage::default(), Some(0)));
    assert!(asked.cost_micros > Some(0));
    assert_eq!((again.taped_usage, Some(again.taped_cost_micros)), (asked.usage, asked.cost_micros), "prompts tell it");
    assert_eq!((first.counts().requests, first.counts().taped, first.counts().decisions), (1, 1, 2));

    // A fork on another day, and nobody at the endpoint: what is on the tape is answered all the same.
    let dead = ModelSettings { endpoint: "http://127.0.0.1:9".into(), ..settings.clone() };
    let fork = model(dead);
    fork.set_tape(Tape::open(&path).expect("the same tape"));
    for _ in 0..4 {
        assert!(matches!(
            fork.decide(&other, LONG).await.answer,
            Err(ModelError::Unreachable(_) | ModelError::Resting(_))
        ));
        let taped = fork.decide(&prompt, LONG).await;
        assert_eq!((taped.answer, taped.text, taped.taped), (asked.answer.clone(), asked.text.clone(), 1));
    }
    assert_eq!(fork.ledger().used, Usage::default());
    // Another player's request is another one, and so is one with another temperature.
    for otherwise in
        [model(settings.clone()).for_agent("Ann"), model(ModelSettings { temperature: 0.5, ..settings.clone() })]
    {
        otherwise.set_tape(Tape::open(&path).expect("the same tape"));
        let thought = otherwise.decide(&prompt, LONG).await;
        assert_eq!((thought.requests, thought.taped), (1, 0));
    }
    // With somebody there again, what is new is asked once and is on the tape from then on.
    let whole = model(settings);
    whole.set_tape(Tape::open(&path).expect("the same tape"));
    assert_eq!(whole.decide(&other, LONG).await.requests, 1);
    assert_eq!(whole.decide(&other, LONG).await.taped, 1);
}

#[tokio::test]
async fn a_tape_takes_as_long_as_the_model_took() {
    let folder = tempfile::tempdir().expect("a folder");
    let tape = Tape::open(&folder.path().join("run.tape")).expect("a new tape");
    let settings =
        ModelSettings { endpoint: "http://127.0.0.1:9".into(), model_fallback: None, ..ModelSettings::default() };
    let body = request_body(&settings, "Kara", &prompt());
    let line = r#"{"commentary":"c","actions":[{"type":"command","command":"look","args":[]}]}"#;
    let reply =
        reply::Reply { raw: answer::RawReply { content: line.into(), ..Default::default() }, ..Default::default() };
    tape.keep(tape::key(&body), Came::Reply(Taped::of(&reply, Usage::default(), 0)), Duration::from_millis(300));
    let model = model(settings);
    model.set_tape(tape);
    let thought = model.decide(&prompt(), LONG).await;
    assert_eq!(thought.answer.expect("an answer").actions, ["look"]);
    assert!(thought.latency >= Duration::from_millis(300), "{:?}", thought.latency);
    let late = model.decide(&prompt(), Duration::from_millis(50)).await;
    assert!(matches!(late.answer, Err(ModelError::Timeout(_))), "{late:?}");
    assert_eq!(model.counts().taped, 2);
}
