//! What an agent was told, after its prompt has long dropped it; and its prompts, word for word.

use super::green;
use super::minds::{database, rows_when};
use agent_cli::prompt_record;
use agent_cli::prompt_text::PromptText;
use agent_cli::stub::policy::{Correspondent, Policy, Reply};
use agent_cli::stub::{self, StubOptions};
use serde_json::{Value, json};
use server::store::agent_events::AgentEvent;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tests::e2e::{Options, Player, Server};

/// A model that lets others read what it was asked.
struct Recording {
    inner: Correspondent,
    asked: Arc<Mutex<Vec<PromptText>>>,
}

impl Policy for Recording {
    fn reply(&mut self, body: &Value) -> Reply {
        let text_of = |role: &str| -> String {
            let messages = body["messages"].as_array().expect("messages");
            let of_role = messages.iter().filter(|message| message["role"] == role);
            of_role
                .map(|message| match &message["content"] {
                    Value::String(text) => text.clone(),
                    Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
                    _ => String::new(),
                })
                .collect()
        };
        let text = PromptText { system: text_of("system"), user: text_of("user") };
        self.asked.lock().expect("nobody panicked").push(text);
        self.inner.reply(body)
    }
}

/// The lines of the story that a row of the log keeps.
fn story(row: &AgentEvent) -> Vec<String> {
    let row: Value = serde_json::from_str(&row.payload).expect("an object");
    let lines = row["story"].as_array().cloned().unwrap_or_default();
    lines.iter().map(|line| line["text"].as_str().expect("a text").to_string()).collect()
}

/// In how many different stories prompts told what they dropped.
fn folds(asked: &[PromptText]) -> usize {
    let told = asked.iter().filter_map(|text| text.system.split_once("What this prompt no longer shows"));
    let mut stories: Vec<&str> = told.map(|(_, story)| story).collect();
    stories.dedup();
    stories.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_that_was_told_is_found_after_two_folds_and_every_prompt_is_kept() {
    let server = Server::start_with(Options { tick_ms: 200, ..green() });
    let asked = Arc::new(Mutex::new(Vec::new()));
    let policy = Recording { inner: Correspondent::new(1), asked: asked.clone() };
    let model = stub::start(0, Box::new(policy), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Wren").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    player.settings["tier"] = json!("small");
    player.settings["fold_words"] = json!("model");
    let logs = player.path("logs").display().to_string();
    let playing =
        player.start(&["session", "--duration", "5m", "--log-dir", &logs, "--think-ms", "300", "--autopilot", "off"]);
    let mut ann = server.person("Ann").await;
    for _ in 0..100 {
        if ann.ask("who", "Ann").await.contains("Wren") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    ann.ask("tell wren The secret word of the mill is amaranth.", "You tell Wren").await;
    ann.expect("Wren tells you, ").await;
    // Idle talk, until no prompt shows it any more.
    for round in 0..400 {
        if folds(&asked.lock().expect("nobody panicked")) >= 2 {
            break;
        }
        assert!(round < 399, "the prompts never folded twice: {}", playing.said());
        let line = format!(
            "say Rumour {round}: the harvest of the {round}. field came in late, and nobody between here and the river \
             knows who is to carry it, who is to thresh it, or who in the end will pay for the carting of it all."
        );
        ann.ask(&line, "You say").await;
        tokio::time::sleep(Duration::from_millis(120)).await;
    }
    // What it wanted to recall of all that is asked for one by one.
    tokio::time::sleep(Duration::from_secs(10)).await;
    ann.ask("tell wren What was the secret word of the mill?", "You tell Wren").await;
    ann.expect("amaranth").await;
    playing.signal("INT");
    let ended = playing.ended(Duration::from_secs(40));
    assert_eq!(ended.code, Some(0), "{}", ended.err);

    let log = player.log_files("logs", "Wren").pop().expect("a log");
    let asked = asked.lock().expect("nobody panicked").clone();
    // The server keeps what the prompts told of what they dropped, line by line.
    let logged = rows_when(&database(server.state.path()), "wren", 1).await;
    let told: Vec<String> = logged.iter().filter(|row| row.kind == "compact.after").flat_map(story).collect();
    assert!(!told.is_empty(), "the server keeps no story");
    for line in &told {
        // Markdown marks some of its letters.
        let is_told = |text: &PromptText| text.system.replace('\\', "").contains(line);
        assert!(asked.iter().any(is_told), "no prompt told {line:?}");
    }
    let mut kept = Vec::new();
    prompt_record::read(&log, |recorded| {
        kept.push(recorded);
        true
    })
    .expect("the record is whole");
    assert!(kept.len() >= 10, "{} prompts", kept.len());
    for recorded in &kept {
        assert!(asked.contains(&recorded.text), "prompt {} is not what was asked", recorded.id);
        assert_eq!(recorded.text.sha256(), recorded.sha256);
    }
    // What a model said for the first story is told with the second, and kept beside the prompts.
    let words = prompt_record::words(&log).expect("the record is whole");
    assert!(words.iter().any(|words| !words.lines.is_empty() && words.error.is_none()), "{words:?}");
    let told = asked.iter().filter(|text| text.system.contains("Before that, in your own words"));
    assert!(told.count() > 0, "no prompt told a story in a model's words: {words:?}");
    let shown = player.run(&["hud", "--session", &log.display().to_string(), "--words"]);
    assert!(shown.code == Some(0) && shown.out.contains("in the words of "), "{}{}", shown.out, shown.err);
    let decisions: Vec<Value> =
        player.rows("logs", "Wren").into_iter().filter(|row| row["prompt"].is_object()).collect();
    assert!(decisions.len() >= 3, "{} decisions name their prompts", decisions.len());
    for row in decisions.iter().step_by(decisions.len() / 3 + 1) {
        let wanted = kept.iter().find(|recorded| row["prompt"]["id"] == recorded.id).expect("it is kept");
        let (log, id) = (log.display().to_string(), row["id"].to_string());
        let shown = player.run(&["hud", "--session", &log, "--at", &id]);
        assert_eq!(shown.code, Some(0), "{}", shown.err);
        assert_eq!(shown.out, format!("{}{}", wanted.text.system, wanted.text.user));
    }
    let own = player.run(&["hud", "--session", &log.display().to_string(), "--at", "1"]);
    assert_eq!(own.code, Some(1), "to come in was nobody's answer: {}", own.err);
}
