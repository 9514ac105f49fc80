//! Minds: what people and agents note with verbs, the log that it makes, and who is told of it.

use super::{green, green_with, login, postgres::on_postgres};
use serde_json::{Value, json};
use server::store::agent_events::AgentEvent;
use server::store::logs;
use server::store::{Store, StoreOptions};
use sqlx::{Connection, Executor};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::e2e::{Agent, Options, PATIENCE, Server, run};

/// The database in a state folder.
pub(super) fn database(state: &Path) -> String {
    format!("sqlite:{}", state.join("darkpawns.sqlite").display())
}

/// Somebody's log as it is in the database.
async fn rows(database: &str, name: &str) -> Vec<AgentEvent> {
    let store = Store::connect(database, &StoreOptions::default()).await.expect("it opens");
    let rows = logs::after(&store, name, 0, 100_000).await.expect("it answers");
    store.close().await;
    rows
}

/// The same, when there are so many; whatever there is after a while.
pub(super) async fn rows_when(database: &str, name: &str, count: usize) -> Vec<AgentEvent> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let rows = rows(database, name).await;
        if rows.len() >= count || Instant::now() > deadline {
            return rows;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Without what happened: what was noted.
fn own(rows: &[AgentEvent]) -> Vec<AgentEvent> {
    rows.iter().filter(|row| !mind::RECORDS.contains(&&*row.kind)).cloned().collect()
}

fn kinds(rows: &[AgentEvent]) -> Vec<(i64, &str)> {
    rows.iter().map(|row| (row.seq, row.kind.as_str())).collect()
}

/// An agent that wants to know its mind; its first `mind` frame.
async fn mindful(server: &Server, name: &str) -> (Agent, Value) {
    let key = server.key(name).await;
    let mut agent = server.connect().await;
    let data = json!({"player_name": name, "password": key, "is_agent": true, "features": ["mind", "more"]});
    agent.send(login(data)).await;
    agent.logged_in().await;
    let snapshot = agent.expect("mind").await;
    assert_eq!(snapshot["data"]["kind"], "snapshot", "{snapshot}");
    (agent, snapshot)
}

/// Types a line and waits for the answer.
async fn says(agent: &mut Agent, line: &str, answer: &str) {
    agent.command(line).await;
    agent.expect_text(answer).await;
}

/// Without what happened: the state, and what was noted.
fn mind_frames(agent: &Agent) -> Vec<&Value> {
    let frames = agent.frames.iter().filter(|frame| frame["type"] == "mind").map(|frame| &frame["data"]);
    let is_record = |data: &Value| mind::RECORDS.iter().any(|kind| data["event"]["event"]["kind"] == *kind);
    frames.filter(|data| !is_record(data)).collect()
}

#[tokio::test]
async fn people_and_agents_have_the_same_verbs_and_only_who_asked_is_told_of_entries() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    // The first thing in her log is the room that she came to.
    ann.ask("note the guard sells maps", "Noted as #2.").await;
    ann.ask("note", "#2 the guard sells maps").await;
    ann.ask("note remove 9", "You have no note #9.").await;
    ann.ask("remember people.Bob.trust = 0.8", "You remember people.Bob.trust.").await;
    ann.ask("hud", "people.Bob.trust = 0.8").await;
    ann.ask("history", "people.Bob.trust = 0.8").await;
    let (mut bot, first) = mindful(&server, "Brenda").await;
    assert_eq!((&first["data"]["log_seq"], &first["data"]["state"]["task"]), (&json!(0), &Value::Null));
    bot.subscribe(&["EVENTS"]).await;
    says(&mut bot, "task find the key", "Your task: find the key").await;
    says(&mut bot, "step remove 4", "You have no step.").await;
    says(&mut bot, "remember here = {\"v\": [1, 2], \"w\": 0.9}", "with weight 0.9").await;
    says(&mut bot, "compact", "compacted up to #5").await;
    says(&mut bot, "status", "Log: the newest entry is #7.").await;
    bot.fence().await;
    let told = mind_frames(&bot);
    let seqs: Vec<&Value> = told.iter().map(|data| &data["log_seq"]).collect();
    // Before them the room, and Ann in it.
    assert_eq!(seqs, [&json!(0), &json!(3), &json!(5), &json!(6), &json!(7), &Value::Null], "{told:#?}");
    assert_eq!(told[5]["kind"], "status");
    assert_eq!(told[5]["log"], json!({"hot": 6, "archived": 0}));
    assert_eq!(told[5]["session_metrics"]["total_tool_calls"], 0);
    assert_eq!(told[1]["event"]["event"], json!({"kind": "task.set", "text": "find the key"}));
    let remembered = json!({"kind": "memory.set", "path": "here", "value": [1, 2], "weight": 0.9});
    assert_eq!(told[2]["event"]["event"], remembered);
    assert_eq!(told[4]["event"]["event"], json!({"kind": "compact.after", "upto": 5}));
    let refused = |frame: &&Value| frame["data"]["EVENTS"].to_string().contains("You have no step.");
    let refusal = bot.frames.iter().find(refused).expect("a refusal is an event");
    assert_eq!(refusal["data"]["EVENTS"][0]["type"], "refused", "{refusal}");
    // An agent that did not ask for it, and a program of a person, read lines only.
    let mut plain = server.agent("Carl").await;
    says(&mut plain, "note mine", "Noted as #").await;
    plain.fence().await;
    assert_eq!(mind_frames(&plain).len(), 0);
    let key = server.key("Dora").await;
    let mut person = server.connect().await;
    person.log_in_as_person("Dora", &key).await;
    says(&mut person, "note mine", "Noted as #").await;
    assert_eq!(mind_frames(&person).len(), 0);
    let health = server.get("/health").await.json();
    assert_eq!((&health["minds"]["lost"], &health["minds"]["records_lost"]), (&json!(0), &json!(0)), "{health}");
    assert!(health["minds"]["records"].as_u64().is_some_and(|records| records >= 4), "{health}");
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let database = database(stopped.state.path());
    assert_eq!(kinds(&own(&rows(&database, "ann").await)), [(2, "note.add"), (4, "memory.set")]);
    let brenda = rows(&database, "brenda").await;
    let expected = [(3, "task.set"), (5, "memory.set"), (6, "compact.before"), (7, "compact.after")];
    assert_eq!(kinds(&own(&brenda)), expected);
    assert!(own(&brenda).iter().all(|row| row.session.is_some() && row.at > 0), "{brenda:?}");
    assert_eq!(own(&rows(&database, "carl").await).len(), 1);
}

#[tokio::test]
async fn who_comes_again_finds_its_mind_and_who_takes_over_watches_on() {
    let server = Server::start_with(green());
    let (mut first, _) = mindful(&server, "Brenda").await;
    says(&mut first, "task find the key", "Your task").await;
    // Taken over, then quit and back.
    let (mut second, snapshot) = mindful(&server, "Brenda").await;
    assert_eq!(first.ending().await.0, 1008);
    assert_eq!(snapshot["data"]["log_seq"], 2);
    assert_eq!(snapshot["data"]["state"]["task"]["text"], "find the key");
    says(&mut second, "note one", "Noted as #3.").await;
    assert_eq!(mind_frames(&second).len(), 2);
    second.command("quit").await;
    second.ending().await;
    let (mut third, snapshot) = mindful(&server, "Brenda").await;
    assert_eq!(snapshot["data"]["log_seq"], 3);
    // Taken over by somebody who does not want to know.
    let mut plain = server.agent("Brenda").await;
    third.ending().await;
    says(&mut plain, "note two", "Noted as #4.").await;
    plain.fence().await;
    assert_eq!(mind_frames(&plain).len(), 0);
}

#[tokio::test]
async fn a_restart_under_the_feet_of_everybody_keeps_every_mind() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("note before", "Noted as #2.").await;
    let (mut bot, _) = mindful(&server, "Brenda").await;
    says(&mut bot, "task before", "Your task").await;
    server.copyover().await;
    // She has met Brenda in between.
    ann.ask("note after", "Noted as #4.").await;
    ann.ask("note", "#2 before\r\n#4 after").await;
    let (mut bot, snapshot) = mindful(&server, "Brenda").await;
    assert_eq!(snapshot["data"]["state"]["task"]["text"], "before");
    says(&mut bot, "task after", "Your task").await;
    let state = server.stop().state;
    assert_eq!(kinds(&own(&rows(&database(state.path()), "ann").await)), [(2, "note.add"), (4, "note.add")]);
}

/// Kills a server again and again, right after what was noted and some time after.
async fn kill_and_go_on(place: &str, options: impl Fn() -> Options) {
    let server = Server::start_with(options());
    let database = match place {
        "" => database(server.state.path()),
        address => address.to_string(),
    };
    let mut ann = server.person("Ann").await;
    ann.ask("note one", "Noted as #2.").await;
    ann.ask("note remove 7", "You have no note #7.").await;
    assert_eq!(rows_when(&database, "ann", 2).await.len(), 2);
    // Nothing of this can be in the database yet.
    ann.ask("task find the key", "Your task").await;
    ann.ask("forget it", "You remember nothing").await;
    ann.ask("remember a.b = [1, 0.1]", "You remember a.b.").await;
    let state = server.kill();
    let expected = [(1, "happening"), (2, "note.add"), (4, "task.set"), (6, "memory.set")];
    let server = Server::start_with(Options { state: Some(state), ..options() });
    let first = rows_when(&database, "ann", 4).await;
    assert_eq!(kinds(&first), expected);
    assert_eq!(first[3].payload, r#"{"path":"a.b","value":[1,0.1]}"#);
    // Once more from the same journal: nothing is written twice, and nothing otherwise.
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..options() });
    let mut ann = server.person("Ann").await;
    ann.ask("hud", "a.b = [1,0.1]").await;
    ann.ask("note two", "Noted as #7.").await;
    let second = rows_when(&database, "ann", 5).await;
    assert_eq!(second[..4], first[..]);
    assert_eq!((second[4].seq, &*second[4].kind), (7, "note.add"));
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
}

#[tokio::test]
async fn a_killed_server_loses_nothing_that_was_answered() {
    kill_and_go_on("", green).await;
}

#[tokio::test]
async fn a_killed_server_loses_nothing_on_postgresql() {
    on_postgres(async |address| {
        Box::pin(kill_and_go_on(address, || green_with(&["--db", address]))).await;
    })
    .await;
}

#[tokio::test]
async fn kills_between_turns_to_other_projects_cost_nothing() {
    let mut server = Server::start_with(green());
    let again = |server: Server| Server::start_with(Options { state: Some(server.kill()), ..green() });
    let mut ann = server.person("Ann").await;
    ann.ask("project new ferry = Mend the ferry: it lies on the bank", "Project ferry is there").await;
    ann.ask("note the well is dry", "Noted as #").await;
    ann.ask("project swap ferry: the well is next", "You turn to ferry").await;
    ann.ask("goal find planks", "Set as goal #").await;
    server = again(server);
    let mut ann = server.person("Ann").await;
    let page = ann.ask("hud", "find planks").await;
    assert!(page.contains("Project: ferry") && !page.contains("the well is dry"), "{page}");
    // As soon as it may turn again, and at once it is killed.
    server.tick(5).await;
    ann.ask("project swap main: planks are missing", "You turn to main").await;
    server = again(server);
    let mut ann = server.person("Ann").await;
    let page = ann.ask("hud", "the well is dry").await;
    assert!(page.contains("So far: the well is next") && !page.contains("find planks"), "{page}");
    server.tick(5).await;
    ann.ask("project swap ferry", "So far: planks are missing").await;
    ann.ask("goal", "find planks").await;
}

#[tokio::test]
async fn a_locked_database_delays_nobody_and_what_it_did_not_take_outlives_a_kill() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("note one", "Noted as #2.").await;
    let database = database(server.state.path());
    assert_eq!(rows_when(&database, "ann", 2).await.len(), 2);
    let mut lock = sqlx::SqliteConnection::connect(&database).await.expect("it opens");
    lock.execute("BEGIN IMMEDIATE").await.expect("nobody else writes just now");
    let begun = Instant::now();
    for n in 2..=30 {
        ann.ask(&format!("note number {n}"), &format!("Noted as #{}.", n + 1)).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    ann.ask("note", "#31 number 30").await;
    let state = server.kill();
    lock.execute("ROLLBACK").await.expect("it is let go");
    lock.close().await.expect("it is closed");
    assert_eq!(rows(&database, "ann").await.len(), 2, "the lock held");
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let written = rows_when(&database, "ann", 31).await;
    assert_eq!(written.iter().map(|row| row.seq).collect::<Vec<_>>(), (1..=31).collect::<Vec<_>>());
    let mut ann = server.person("Ann").await;
    ann.ask("note", "#31 number 30").await;
}

#[tokio::test]
async fn an_older_save_goes_on_above_the_newest_entry() {
    // Without a journal a crash brings the character back as it was last saved.
    let server = Server::start_with(green_with(&["--journal", "off"]));
    let mut ann = server.person("Ann").await;
    ann.ask("note one", "Noted as #2.").await;
    ann.ask("note two", "Noted as #3.").await;
    let database = database(server.state.path());
    assert_eq!(rows_when(&database, "ann", 3).await.len(), 3);
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..green_with(&["--journal", "off"]) });
    let mut ann = server.person("Ann").await;
    // Whether she was saved after she had seen the room, nobody knows.
    ann.ask("note three", "Noted as #").await;
    ann.ask("note", "#2 one\r\n#3 two\r\n#").await;
}

#[tokio::test]
async fn an_older_journal_goes_on_above_the_newest_entry() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("note one", "Noted as #2.").await;
    let state = server.stop().state;
    let journal = state.path().join("journal");
    let files = |folder: &Path| -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let kept = tempfile::tempdir().expect("a folder");
    for file in files(&journal) {
        std::fs::copy(&file, kept.path().join(file.file_name().expect("a name"))).expect("it is copied");
    }
    // She stays in the world, so that her save is not newer than what is brought back.
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let mut ann = server.person("Ann").await;
    ann.ask("note two", "Noted as #3.").await;
    let database = database(server.state.path());
    assert_eq!(rows_when(&database, "ann", 3).await.len(), 3);
    let state = server.kill();
    files(&journal).iter().for_each(|file| std::fs::remove_file(file).expect("it is ours"));
    for file in files(kept.path()) {
        std::fs::copy(&file, journal.join(file.file_name().expect("a name"))).expect("it is copied");
    }
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let mut ann = server.person("Ann").await;
    ann.ask("note three", "Noted as #4.").await;
    ann.ask("note", "#2 one\r\n#3 two\r\n#4 three").await;
    let rows = rows_when(&database, "ann", 4).await;
    assert!(rows.is_sorted_by_key(|row| row.number), "no input counts twice: {rows:?}");
    assert_eq!(server.stop().code, Some(0));
}

#[tokio::test]
async fn a_fork_knows_what_was_noted_up_to_its_tick() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    says(&mut ann, "note before", "Noted as #2.").await;
    server.tick(10).await;
    says(&mut ann, "note after", "Noted as #3.").await;
    says(&mut ann, "task later", "Your task").await;
    server.tick(10).await;
    let source = server.state.path().display().to_string();
    assert_eq!(rows_when(&database(server.state.path()), "ann", 4).await.len(), 4);
    for more in [&[][..], &["--redact"], &["--until", "20"]] {
        let out = Arc::new(tempfile::tempdir().expect("a folder"));
        let folder = out.path().display().to_string();
        let forked = run(&[&["fork", "--state-dir", &source, "--at", "10", "--out", &folder], more].concat());
        assert_eq!(forked.code, Some(0), "{forked:?}");
        let expected: &[(i64, &str)] = if more == ["--redact"] { &[] } else { &[(1, "happening"), (2, "note.add")] };
        assert_eq!(kinds(&rows(&database(out.path()), "ann").await), expected, "{more:?}");
        let fork = Server::start_with(Options { state: Some(out.clone()), ..green() });
        let mut ann = fork.connect().await;
        // What is handed on has no secret in it that opens anything.
        let key = if more == ["--redact"] { fork.key("Ann").await } else { key.clone() };
        ann.log_in("Ann", &key).await;
        // What is taken along is done again there.
        let (answer, next) = match more {
            ["--redact"] => ("You have no notes", "Noted as #3."),
            ["--until", _] => ("#2 before\n#3 after", "Noted as #5."),
            _ => ("Your notes:\n#2 before", "Noted as #3."),
        };
        says(&mut ann, "note", answer).await;
        says(&mut ann, "note another past", next).await;
    }
}

#[tokio::test]
async fn a_backup_carries_what_was_noted() {
    let server = Server::start_with(green());
    let (mut bot, _) = mindful(&server, "Brenda").await;
    for n in 1..=20 {
        says(&mut bot, &format!("note number {n}"), &format!("Noted as #{}.", n + 1)).await;
    }
    let files = tempfile::tempdir().expect("a folder");
    let file = files.path().join("minds.dpbackup").display().to_string();
    let made = server.command(&["backup", "--out", &file]);
    assert_eq!(made.code, Some(0), "{made:?}");
    says(&mut bot, "note too late", "Noted as #22.").await;
    let state = tempfile::tempdir().expect("a folder");
    let folder = state.path().display().to_string();
    let restored = run(&["restore", "--from", &file, "--state-dir", &folder]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    let second = Server::start_with(Options { state: Some(state.into()), ..green() });
    let (mut bot, snapshot) = mindful(&second, "Brenda").await;
    assert_eq!(snapshot["data"]["log_seq"], 21);
    assert_eq!(snapshot["data"]["state"]["notes"].as_array().map(Vec::len), Some(20));
    says(&mut bot, "note in another world", "Noted as #22.").await;
    let state = second.stop().state;
    assert_eq!(rows(&database(state.path()), "brenda").await.len(), 22);
}

#[tokio::test]
async fn a_deleted_character_takes_its_notes_along() {
    let server = Server::start_with(green());
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    ann.ask("note my secret", "Noted as #2.").await;
    ann.send("quit").await;
    ann.ending().await;
    let mut ann = server.dial().await;
    ann.delete("Ann", "swordfish").await;
    let mut other = server.dial().await;
    other.create("Ann", "haddocks").await;
    other.ask("1", "Village Green").await;
    other.ask("note", "You have no notes").await;
    other.ask("note mine", "Noted as #2.").await;
    let state = server.stop().state;
    let rows = own(&rows(&database(state.path()), "ann").await);
    assert_eq!(rows.iter().map(|row| &*row.payload).collect::<Vec<_>>(), [r#"{"text":"mine"}"#]);
}

/// The next entry of a kind that it is told of.
async fn noted(agent: &mut Agent, kind: &str) -> Value {
    loop {
        let frame = agent.expect("mind").await;
        if frame["data"]["event"]["event"]["kind"] == kind {
            return frame["data"]["event"].clone();
        }
    }
}

#[tokio::test]
async fn what_is_tried_in_vain_is_found_out_by_the_server_until_it_works() {
    let server = Server::start_with(green());
    let (mut agent, _) = mindful(&server, "Wren").await;
    for _ in 0..5 {
        agent.command("follow bob").await;
    }
    let entry = noted(&mut agent, "error.encountered").await;
    let message = entry["event"]["message"].as_str().expect("a text");
    assert!(message.starts_with("\"follow bob\" was refused 3 times in "), "{entry}");
    let mut bob = server.person("Bob").await;
    agent.command("follow bob").await;
    let over = noted(&mut agent, "error.resolved").await;
    assert_eq!(over["event"]["id"], entry["seq"], "{over}");
    bob.ask("say Well met.", "You say").await;
    // Once each, by inputs of their own, without an answer.
    let kinds = |kind: &str| mind_frames(&agent).iter().filter(|data| data["event"]["event"]["kind"] == kind).count();
    assert_eq!((kinds("error.encountered"), kinds("error.resolved")), (1, 1));
    let told = agent.frames.iter().any(|frame| frame.to_string().contains("Kept in mind as trouble"));
    assert!(!told, "nobody asked, so nobody is answered");
    // What one session leaves open ends in the next in which it works.
    for _ in 0..3 {
        agent.command("follow zed").await;
    }
    let entry = noted(&mut agent, "error.encountered").await;
    agent.command("quit").await;
    agent.ending().await;
    let (mut agent, _) = mindful(&server, "Wren").await;
    let _zed = server.person("Zed").await;
    agent.command("follow zed").await;
    let over = noted(&mut agent, "error.resolved").await;
    assert_eq!(over["event"]["id"], entry["seq"], "{over}");
    server.tick(3).await;
    let state = server.stop().state;
    let replayed = run(&["replay", "--state-dir", &state.path().display().to_string()]);
    assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
}

#[tokio::test]
async fn what_came_of_a_plan_of_one_mind_is_remembered_by_the_body() {
    let server = Server::start_with(green());
    let (mut agent, _) = mindful(&server, "Wren").await;
    let _bob = server.person("Bob").await;
    let answer = "Planned as #";
    agent.command("mind inner plan A hidden well: dig; line it").await;
    let told = agent.expect_text(answer).await;
    let told = told["data"]["text"].as_str().expect("a text");
    let id: u64 = told.split(answer).nth(1).and_then(|rest| rest.split('.').next()?.parse().ok()).expect("a number");
    says(&mut agent, &format!("mind inner plan done {id} 1"), "is done.").await;
    says(&mut agent, &format!("mind inner plan drop {id}"), "is given up.").await;
    // By an input of its own, and with what is to be remembered.
    let end = noted(&mut agent, "plan.end").await["event"].clone();
    assert_eq!((&end["id"], &end["mind"], &end["status"]), (&json!(id), &json!("inner"), &json!("ABANDONED")), "{end}");
    let told = &end["told"]["what"]["plan_ended"];
    assert_eq!((&told["plan"], &told["ticked"]), (&json!("A hidden well"), &json!(1)), "{end}");
    assert_eq!(told["company"], true, "{end}");
    says(&mut agent, "recall well", "Gave up a plan at the Village Green: \"A hidden well\"").await;
    // It ended in the log of INNER, and was none of the body's.
    says(&mut agent, "plan", "You have no plans").await;
    server.tick(2).await;
    let state = server.stop().state;
    let replayed = run(&["replay", "--state-dir", &state.path().display().to_string()]);
    assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
}

#[tokio::test]
async fn what_one_is_occupied_with_is_noted_by_the_server_and_forgotten_in_time() {
    let server = Server::start_with(green());
    let key = server.key("Wren").await;
    // A character without valence attends to the same.
    let login_as = |valence: bool| {
        let features = json!(["mind"]);
        login(
            json!({"player_name": "Wren", "password": key, "is_agent": true, "features": features, "valence": valence}),
        )
    };
    let mut agent = server.connect().await;
    agent.send(login_as(false)).await;
    agent.logged_in().await;
    let mut bob = server.person("Bob").await;
    agent.command("look").await;
    let room = noted(&mut agent, "focus.open").await["event"].clone();
    assert!(room["subject"].as_str().is_some_and(|key| key.starts_with("room:")) && room["how"] == "looked", "{room}");
    agent.command("look bob").await;
    let seen = noted(&mut agent, "focus.open").await;
    assert_eq!((&seen["event"]["subject"], &seen["event"]["name"]), (&json!("player:bob"), &json!("Bob")), "{seen}");
    agent.command("look bob").await;
    agent.command("follow bob").await;
    agent.command("look nothing").await;
    agent.command("help look").await;
    let topic = noted(&mut agent, "focus.open").await["event"].clone();
    assert_eq!(topic["subject"], "topic:look", "a name is less than a look, and what is not there is nothing: {topic}");
    assert!(!agent.frames.iter().any(|frame| frame.to_string().contains("You are occupied with")), "nobody asked");
    // People write nothing by looking.
    bob.ask("look wren", "Wren").await;
    bob.ask("focus", "You are occupied with nothing").await;
    bob.ask("say Well met.", "You say").await;
    server.tick(150).await;
    agent.command("look bob").await;
    // Another session goes on where that one was.
    drop(agent);
    let mut agent = server.connect().await;
    agent.send(login_as(true)).await;
    agent.logged_in().await;
    agent.command("focus").await;
    agent.expect_text("look (looked, tick 0)").await;
    server.tick(151).await;
    let closed = [noted(&mut agent, "focus.close").await, noted(&mut agent, "focus.close").await];
    assert!(closed.iter().all(|entry| entry["event"]["id"] != seen["seq"] || entry["tick"].as_u64() >= Some(300)));
    let state = server.stop().state;
    let replayed = run(&["replay", "--state-dir", &state.path().display().to_string()]);
    assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
}

#[tokio::test]
async fn who_tells_nothing_of_its_context_is_measured_and_folded_by_the_server() {
    const FULL: usize = 16_500;
    let server = Server::start_with(green());
    let of_kind = |agent: &Agent, kind: &str| {
        mind_frames(agent).iter().filter(|data| data["event"]["event"]["kind"] == kind).count()
    };
    let read_much = async |agent: &mut Agent| {
        let sent = |agent: &Agent| agent.frames.iter().map(|frame| frame.to_string().len()).sum::<usize>();
        let begun = sent(agent);
        while sent(agent) - begun < FULL {
            says(agent, "commands", "look").await;
        }
        server.tick(1).await;
    };
    for features in [json!(["mind"]), json!(["mind", "context"])] {
        let is_measured = features == json!(["mind"]);
        let name = if is_measured { "Wren" } else { "Finch" };
        let key = server.key(name).await;
        let mut agent = server.connect().await;
        let data =
            json!({"player_name": name, "password": key, "is_agent": true, "features": features, "tier": "small"});
        agent.send(login(data)).await;
        agent.logged_in().await;
        read_much(&mut agent).await;
        if is_measured {
            let measured = noted(&mut agent, "context.snapshot").await["event"].clone();
            assert!(measured["budget"] == 4_000 && measured["tokens"].as_u64() >= Some(3_680), "{measured}");
            let folded = noted(&mut agent, "compact.after").await["event"].clone();
            assert_eq!((&folded["cause"], &folded["from"]), (&json!("server"), &json!(1)), "{folded}");
            assert!(folded["dropped"]["entries"].as_u64() >= Some(1), "{folded}");
            // From now on it tells itself.
            says(&mut agent, "context 100 of 4000", "Noted").await;
        }
        let folds = of_kind(&agent, "compact.after");
        server.tick(20).await;
        read_much(&mut agent).await;
        says(&mut agent, "note done", "Noted as #").await;
        assert_eq!((of_kind(&agent, "compact.after"), folds), (folds, usize::from(is_measured)), "{features}");
    }
    let state = server.stop().state;
    let replayed = run(&["replay", "--state-dir", &state.path().display().to_string()]);
    assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
}

#[tokio::test]
async fn a_login_tidies_lists_that_are_nearly_full() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    for n in 0..48 {
        ann.ask(&format!("fact Room {n} has {n} doors."), "Kept as fact #").await;
    }
    ann.ask("fact Room 7 has 7 doors", "Kept as fact #").await;
    drop(ann);
    let key = server.key("Ann").await;
    let mut agent = server.connect().await;
    agent.send(login(json!({"player_name": "Ann", "password": key, "is_agent": true, "features": ["mind"]}))).await;
    agent.logged_in().await;
    let entry = noted(&mut agent, "session.tidy").await;
    assert_eq!(entry["event"]["merged"].as_array().map(Vec::len), Some(1), "{entry}");
}

#[tokio::test]
async fn an_entry_says_what_was_typed_for_it_and_what_it_took_the_place_of() {
    let server = Server::start_with(green());
    let (mut agent, _) = mindful(&server, "Wren").await;
    agent.command("task Find the silver key.").await;
    noted(&mut agent, "task.set").await;
    let meta = json!({"source": "model", "prompt": "5eed0123"});
    let args = ["Find", "the", "golden", "key."];
    agent.send(json!({"type": "command", "data": {"command": "task", "args": args, "meta": meta}})).await;
    let entry = noted(&mut agent, "task.set").await;
    let why = format!("recall why #{}", entry["seq"]);
    let told = |agent: &Agent, text: &str| agent.frames.iter().any(|frame| frame.to_string().contains(text));
    // What was typed is recorded some moments later.
    for _ in 0..100 {
        agent.command(&why).await;
        agent.fence().await;
        if told(&agent, "Typed: task Find the golden key.") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    for text in [
        "Typed: task Find the golden key.",
        "Decided by: model",
        "In the prompt with SHA-256 5eed0123",
        "It took the place of: Find the silver key.",
    ] {
        assert!(told(&agent, text), "{text}: {:?}", agent.frames.iter().rev().take(4).collect::<Vec<_>>());
    }
    // What nobody typed has no line.
    for _ in 0..3 {
        agent.command("follow bob").await;
    }
    let trouble = noted(&mut agent, "error.encountered").await;
    agent.command(&format!("recall why #{}", trouble["seq"])).await;
    agent.expect_text("The server notes by itself: a command that was refused 3 times").await;
}
