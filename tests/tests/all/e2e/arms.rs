//! The arms of an experiment: a session, a night and a character without valence, and what of it stays when valence is
//! back.

use super::memories::{database, lived, log_of, yesterday};
use super::{green, login};
use serde_json::{Value, json};
use std::path::Path;
use tests::e2e::{Agent, Server};

/// What stands behind a memory that was felt.
const FEELINGS: [&str; 4] = ["moment)", "(noteworthy)", "(unpleasant)", "dangerous"];

/// An agent that has come in with this wish, and is told of its mind.
async fn comes_in(server: &Server, name: &str, key: &str, valence: Option<bool>) -> (Agent, Value) {
    let mut agent = server.connect().await;
    let mut data = json!({"player_name": name, "password": key, "is_agent": true, "features": ["mind"]});
    if let Some(valence) = valence {
        data["valence"] = valence.into();
    }
    agent.send(login(data)).await;
    let state = agent.expect("state").await;
    agent.expect("mind").await;
    agent.fence().await;
    (agent, state)
}

/// Everything that it was told of its past, at its login or when it asked, and the valences of all memories among it.
async fn remembered(agent: &mut Agent) -> (String, Vec<i64>) {
    agent.command("recall Mordred").await;
    agent.expect_text("You remember:").await;
    agent.command("recall why event:1").await;
    agent.expect_text("because of this").await;
    let of_past = |frame: &&Value| {
        frame["type"].as_str().is_some_and(|kind| kind.starts_with("memory_"))
            || frame["data"]["kind"] == "recalled"
            || ["You remember:", "because of this"]
                .iter()
                .any(|what| frame["data"]["text"].as_str().is_some_and(|text| text.contains(what)))
    };
    let told: Vec<&Value> = agent.frames.iter().filter(of_past).collect();
    let memories = told.iter().filter_map(|frame| frame["data"]["memories"].as_array()).flatten();
    let valences = memories.map(|memory| memory["valence"].as_i64().expect("a number")).collect();
    (told.iter().map(|frame| frame.to_string()).collect(), valences)
}

fn feelings(text: &str) -> Vec<&str> {
    FEELINGS.into_iter().filter(|word| text.contains(word)).collect()
}

fn story(state: &Path, name: &str) -> String {
    std::fs::read_to_string(state.join("dreaming").join(name).join("memory-summary.txt")).expect("the dream wrote it")
}

/// What each record of a log is worth, as it is written.
async fn worth(state: &Path, name: &str) -> Vec<Option<i64>> {
    log_of(&database(state), name).await.iter().map(|row| row.valence).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_valence_feels_nothing_old_or_new_and_the_next_one_has_it_back() {
    let server = Server::start_with(green());
    let state = server.state.clone();
    let key = server.key("Brenda").await;
    lived(&database(state.path()), "brenda", &yesterday("Brenda")).await;
    let dreams = || {
        let dreamt = server.command(&["dream", "--agent", "Brenda"]);
        assert_eq!(dreamt.code, Some(0), "{dreamt:?}");
        story(state.path(), "Brenda")
    };
    let felt_story = dreams();
    assert!(!feelings(&felt_story).is_empty(), "{felt_story}");

    let (mut brenda, told) = comes_in(&server, "Brenda", &key, Some(false)).await;
    assert_eq!(told["data"]["valence"], false, "{told}");
    let (text, valences) = remembered(&mut brenda).await;
    assert!(valences.len() >= 3 && valences.iter().all(|valence| *valence == 0), "{valences:?}");
    assert!(text.contains("Was betrayed by Mordred") && feelings(&text).is_empty(), "{text}");
    assert!(text.contains("memory_summary"), "the story is told all the same: {text}");

    let mut mordred = server.person("Mordred").await;
    mordred.ask("say I will kill you, Brenda!", "You say").await;
    brenda.expect_text("I will kill you").await;
    brenda.command("recall Mordred").await;
    brenda.expect_text("I will kill you").await;
    let flat_story = dreams();
    assert!(flat_story.contains("Mordred") && feelings(&flat_story).is_empty(), "{flat_story}");
    let new = worth(state.path(), "brenda").await;
    assert_eq!(new[..2], [Some(-3), Some(3)], "what was recorded stays as it was");
    assert!(new.len() > 2 && new[2..].iter().all(|valence| *valence == Some(0)), "{new:?}");

    let (mut again, _) = comes_in(&server, "Brenda", &key, Some(false)).await;
    let (text, valences) = remembered(&mut again).await;
    assert!(valences.iter().all(|valence| *valence == 0) && feelings(&text).is_empty(), "{text}");
    let summary = again.frames.iter().find(|frame| frame["type"] == "memory_summary").expect("it came");
    assert_eq!(summary["data"]["summary"].as_str(), Some(flat_story.trim_end()), "the dream was of this arm");

    // With valence again, before any night: the old feelings are there, and what had none has none.
    let (mut felt, told) = comes_in(&server, "Brenda", &key, None).await;
    assert_eq!(told["data"].get("valence"), None, "{told}");
    let (text, valences) = remembered(&mut felt).await;
    assert!(valences.contains(&-3) && feelings(&text).contains(&"moment)"), "{text}");
    assert_eq!(feelings(&dreams()), feelings(&felt_story), "and so it dreams");
    let stopped = server.stop();
    assert!(stopped.code == Some(0) && !stopped.log.contains("ERROR"), "{}", stopped.log);
}
