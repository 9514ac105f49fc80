//! What happened to characters: from the world to their logs and to the files of their sessions, over a kill.

use super::{green, login};
use serde_json::json;
use server::store::agent_events::AgentEvent;
use server::store::logs;
use server::store::{Store, StoreOptions};
use std::path::Path;
use std::time::{Duration, Instant};
use tests::e2e::{Agent, Options, PATIENCE, Player, Server};

/// An agent in a session of its own wishes.
async fn agent(server: &Server, name: &str, valence: Option<bool>) -> Agent {
    let key = server.key(name).await;
    let mut agent = server.connect().await;
    let mut data = json!({"player_name": name, "password": key, "is_agent": true});
    if let Some(valence) = valence {
        data["valence"] = valence.into();
    }
    agent.send(login(data)).await;
    agent.logged_in().await;
    agent
}

/// What was said to somebody or by somebody, when there is so much of it.
async fn words(state: &Path, name: &str, count: usize) -> Vec<AgentEvent> {
    let database = format!("sqlite:{}", state.join("darkpawns.sqlite").display());
    let deadline = Instant::now() + PATIENCE;
    loop {
        let store = Store::connect(&database, &StoreOptions::default()).await.expect("it opens");
        let rows = logs::after(&store, name, 0, 100_000).await.expect("it answers");
        store.close().await;
        let words: Vec<AgentEvent> = rows.into_iter().filter(|row| row.payload.contains("\"spoke\"")).collect();
        if words.len() >= count || Instant::now() > deadline {
            assert_eq!(words.len(), count, "{words:?}");
            return words;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Valence and importance of each.
fn worth(rows: &[AgentEvent]) -> Vec<(Option<i64>, Option<i64>)> {
    rows.iter().map(|row| (row.valence, row.importance)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn words_hurt_but_in_a_session_without_valence_and_nothing_is_lost_by_a_kill() {
    let server = Server::start_with(green());
    let mut brenda = agent(&server, "Brenda", None).await;
    let mut carl = agent(&server, "Carl", Some(false)).await;
    brenda.command("say Carl, you are a coward").await;
    brenda.expect_text("coward").await;
    carl.expect_text("coward").await;
    let state = server.state.clone();
    assert_eq!(worth(&words(state.path(), "brenda", 1).await), [(Some(-2), Some(7))]);
    let heard = words(state.path(), "carl", 1).await;
    assert_eq!(worth(&heard), [(Some(0), Some(1))], "nothing is worth anything to him");
    let said = words(state.path(), "brenda", 1).await;
    assert!(said[0].social_event_id.is_some() && said[0].social_event_id == heard[0].social_event_id);
    assert!(said[0].session.is_some() && heard[0].session.is_some() && said[0].session != heard[0].session);

    // He comes again otherwise, into the body that is there, and then as before; right after that it is killed.
    let mut carl = agent(&server, "Carl", None).await;
    brenda.command("say Carl, you fool").await;
    carl.expect_text("fool").await;
    let mut carl = agent(&server, "Carl", Some(false)).await;
    brenda.command("say Carl, you liar").await;
    carl.expect_text("liar").await;
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state.clone()), ..green() });
    let heard = words(state.path(), "carl", 3).await;
    assert_eq!(worth(&heard), [(Some(0), Some(1)), (Some(-2), Some(7)), (Some(0), Some(1))]);
    let said = words(state.path(), "brenda", 3).await;
    assert_eq!(worth(&said), [(Some(-2), Some(7)); 3]);
    assert!(said.is_sorted_by_key(|row| row.seq) && said.is_sorted_by_key(|row| row.number));

    // The sessions that the kill ended get their files at this start; the last ones get theirs when they are over.
    let mut brenda = agent(&server, "Brenda", None).await;
    let mut carl = agent(&server, "Carl", None).await;
    carl.command("say thanks for nothing").await;
    brenda.expect_text("thanks").await;
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let sessions = state.path().join("sessions");
    for name in ["Brenda", "Carl"] {
        let mut reader = dreaming::records::Reader::new(name);
        let mut files: Vec<_> = std::fs::read_dir(sessions.join(name)).expect("a folder").flatten().collect();
        // A file in the making, which a kill may have left, is none yet.
        files.retain(|file| !file.file_name().to_string_lossy().starts_with('.'));
        files.sort_by_key(std::fs::DirEntry::file_name);
        let mut headers = Vec::new();
        for file in &files {
            let bytes = std::fs::read(file.path()).expect("it can be read");
            let header: dreaming::records::Header =
                serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next().unwrap_or_default())
                    .expect("a header");
            headers.push(header.valence);
            reader.file(&file.file_name().to_string_lossy(), &bytes);
        }
        let log = reader.finish().expect("one kind of log");
        assert_eq!((log.problems, log.duplicates), (Vec::new(), 0), "{name}");
        let is_word = |record: &&dreaming::records::Record| {
            matches!(record.happening.what, protocol::happening::What::Spoke { .. })
        };
        assert_eq!(log.records.iter().filter(is_word).count(), 4, "{name}");
        if name == "Carl" {
            assert_eq!((headers.first(), headers.last()), (Some(&false), Some(&true)), "{headers:?}");
        }
        // And `dp-agent dream` makes a memory of them.
        let output = tempfile::tempdir().expect("a folder");
        let args = agent_cli::dream::DreamArgs {
            agent: name.into(),
            sessions: sessions.clone(),
            output: output.path().into(),
            dry_run: false,
            valence: dreaming::Valence::Recorded,
            inherit: Vec::new(),
            reflect: agent_cli::dream::Reflect::Rules,
            graph: None,
            summary_tokens: 500,
            dream_zone: Some("UTC".parse().expect("a zone")),
        };
        let mut told = Vec::new();
        let dreamt = agent_cli::dream::run(&args, None, &mut told).await.expect("it dreams");
        assert_eq!(dreamt.sessions_read, files.len());
        assert!(!dreamt.summary.is_empty(), "{name}: {}", String::from_utf8_lossy(&told));
    }
}

/// Agents that play beside each other, and somebody who has words for them: what is told of it all afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn every_sentence_that_is_dreamt_of_recorded_play_is_true() {
    let server = Server::start_with(Options { tick_ms: 50, ..Options::default() });
    let mut agents = Vec::new();
    for (name, bold) in [("Harrow", 1.0), ("Thistle", 0.5), ("Merrin", 0.0)] {
        let mut player = Player::of(&server, name).await;
        player.settings["tastes"] = serde_json::json!({"bold": bold, "sociable": 1.0});
        let logs = player.path("logs").display().to_string();
        let playing = player.start(&["session", "--duration", "6s", "--log-dir", &logs, "--no-model"]);
        agents.push((name, player, playing, logs));
    }
    let mut person = server.person("Mordred").await;
    for words in ["say hello all", "say Harrow, you are a coward", "say thank you, Thistle"] {
        person.ask(words, "You say").await;
    }
    let mut sessions = Vec::new();
    for (name, player, playing, logs) in agents {
        let ended = playing.ended(PATIENCE);
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.err);
        sessions.push((name, player, logs));
    }
    // One comes again: what is told of the first session is told beside the second.
    let (name, player, logs) = &sessions[1];
    let again = player.run(&["session", "--duration", "3s", "--log-dir", logs, "--no-model"]);
    assert_eq!(again.code, Some(0), "{name}: {}", again.err);
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    // What the server recorded, and of the clients' own logs what they make of it.
    let of_server = stopped.state.path().join("sessions").display().to_string();
    let own = sessions.iter().map(|(name, player, logs)| (*name, player, logs.clone()));
    for (whose, player, folder) in own.chain([("the server", player, of_server)]) {
        let judged = player.run(&["eval", "true-sentences", "--sessions", &folder, "--json"]);
        assert_eq!(judged.code, Some(0), "{whose}: {}{}", judged.out, judged.err);
        let reports: serde_json::Value = serde_json::from_str(&judged.out).expect("JSON");
        assert!(reports[0]["n"].as_u64().is_some_and(|n| n > 30), "{whose}: {}", judged.out);
    }
}

/// How much of what was said to somebody is in the files of its sessions. No record may be in two of them.
fn words_in_files(state: &Path, name: &str) -> usize {
    let mut reader = dreaming::records::Reader::new(name);
    let Ok(files) = std::fs::read_dir(state.join("sessions").join(name)) else { return 0 };
    for file in files.flatten().filter(|file| file.path().extension().is_some_and(|end| end == "jsonl")) {
        // It may be replaced just now.
        let Ok(bytes) = std::fs::read(file.path()) else { continue };
        reader.file(&file.file_name().to_string_lossy(), &bytes);
    }
    let log = reader.finish().expect("one kind of log");
    assert_eq!((log.problems, log.duplicates), (Vec::new(), 0), "{name}");
    let is_word =
        |record: &&dreaming::records::Record| matches!(record.happening.what, protocol::happening::What::Spoke { .. });
    log.records.iter().filter(is_word).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_to_who_has_no_connection_is_in_its_file_without_another_session() {
    let server = Server::start_with(green());
    let mut brenda = agent(&server, "Brenda", None).await;
    let carl = agent(&server, "Carl", None).await;
    drop(carl);
    brenda.expect_text("lose their focus").await;
    let state = server.state.clone();
    let written = state.path().join("sessions/Carl");
    let deadline = Instant::now() + PATIENCE;
    while !std::fs::read_dir(&written).is_ok_and(|files| files.flatten().any(|file| file.path().is_file())) {
        assert!(Instant::now() < deadline, "the session is over, and has no file");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    brenda.command("say Carl, you are a coward").await;
    brenda.expect_text("coward").await;
    words(state.path(), "carl", 1).await;
    server.tick(153).await;
    brenda.expect_text("Carl has left the world").await;
    let deadline = Instant::now() + PATIENCE;
    while words_in_files(state.path(), "Carl") == 0 {
        assert!(Instant::now() < deadline, "it has left, and its file lacks what was said to it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Another one is there without a connection when the server ends.
    let dora = agent(&server, "Dora", None).await;
    drop(dora);
    brenda.expect_text("lose their focus").await;
    brenda.command("say Dora, you are a liar").await;
    brenda.expect_text("liar").await;
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let found: Vec<usize> = ["Brenda", "Carl", "Dora"].map(|name| words_in_files(state.path(), name)).into();
    assert_eq!(found, [2, 1, 1]);
}
