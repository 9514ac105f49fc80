//! A model that asks and asks: each reply is before it at the next question, until its turn has had the most.

use super::green;
use agent_cli::stub::policy::{Completion, Policy, Reply, question_of};
use agent_cli::stub::{self, StubOptions};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tests::e2e::{Options, Player, Server};

/// It notes a word, and then asks for nothing but that, in ever other words.
struct Asking {
    asked: Arc<Mutex<Vec<String>>>,
}

impl Policy for Asking {
    fn reply(&mut self, body: &Value) -> Reply {
        let mut asked = self.asked.lock().expect("nobody panicked");
        asked.push(question_of(body));
        let line = match asked.len() {
            1 => "note the password of the mill is amaranth".to_string(),
            n => format!("recall in:notes amaranth or word{n}"),
        };
        Reply::Answer(Completion::new(json!({"actions": [line]}).to_string()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_only_asks_goes_on_with_its_replies_up_to_the_most() {
    let server = Server::start_with(Options { tick_ms: 200, ..green() });
    let asked = Arc::new(Mutex::new(Vec::new()));
    let model =
        stub::start(0, Box::new(Asking { asked: asked.clone() }), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Wren").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    let logs = player.path("logs").display().to_string();
    let words = ["session", "--duration", "5m", "--log-dir", &logs, "--think-ms", "2000", "--autopilot", "off"];
    let playing = player.start(&words);
    for round in 0..300 {
        if asked.lock().expect("nobody panicked").len() >= 12 {
            break;
        }
        assert!(round < 299, "it is not asked: {}", playing.said());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    playing.signal("INT");
    let ended = playing.ended(Duration::from_secs(40));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let rows = player.rows("logs", "Wren");
    let of_model = rows.iter().filter(|row| row["prompt"].is_object());
    let why: Vec<&str> = of_model.filter_map(|row| row["asked"].as_str()).collect();
    let begins: Vec<usize> = (0..why.len()).filter(|at| why[*at] != "replies").collect();
    // The first notes something; each turn after that has five questions.
    for pair in begins.windows(2).skip(1) {
        assert_eq!(pair[1] - pair[0], 5, "{why:?}");
    }
    assert!(begins.len() >= 3, "{why:?}");
    let asked = asked.lock().expect("nobody panicked");
    let second = begins[1] + 1;
    assert!(asked[second].contains("loop 2/5"), "{}", asked[second]);
    assert!(asked[second].contains("the password of the mill is amaranth"), "{}", asked[second]);
}
