//! The record of decisions: what agents did, with the character before and after, as an operator exports it.

use super::{green, green_with, login};
use serde_json::{Value, json};
use tests::e2e::{Agent, Options, Run, Server, run};

/// An agent that says what it is.
async fn introduced(server: &Server, name: &str) -> Agent {
    let key = server.key(name).await;
    let mut agent = server.connect().await;
    let data = json!({"player_name": name, "password": key, "is_agent": true, "harness": "agent-cli",
        "model": "claude-x", "version": "1.2"});
    agent.send(login(data)).await;
    agent.logged_in().await;
    agent
}

fn lines(run: &Run) -> Vec<Value> {
    assert_eq!(run.code, Some(0), "{run:?}");
    run.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// All that was recorded of somebody, by a server that has stopped: then everything is written.
fn recorded(server: Server, name: &str) -> Vec<Value> {
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let state = stopped.state.path().display().to_string();
    lines(&run(&["decisions", "--agent", name, "--state-dir", &state]))
}

/// Some columns of each row.
fn columns(rows: &[Value], names: &[&str]) -> Vec<Value> {
    rows.iter().map(|row| names.iter().map(|name| row[*name].clone()).collect()).collect()
}

fn number(agent: &Agent, variable: &str) -> i64 {
    agent.vars[variable].as_i64().unwrap_or_else(|| panic!("{variable} is {}", agent.vars[variable]))
}

#[tokio::test]
async fn an_export_is_what_an_agent_did_in_order() {
    let server = Server::start_with(green());
    let mut agent = introduced(&server, "Brenda").await;
    agent.subscribe(&["HEALTH", "MANA", "MOVE", "ROOM_VNUM"]).await;
    agent.fence().await;
    let mut seen = vec![agent.vars.clone()];
    for (verb, args, meta) in [
        ("north", json!([]), json!({"memory_ids": [41, "seventy"], "source": "reflex"})),
        ("Rest", json!([]), Value::Null),
        ("up", json!([]), json!({"memory_ids": []})),
        ("say", json!(["I cannot", "go  up."]), json!("free")),
        ("stand", json!([]), Value::Null),
        ("fly", json!(["away"]), Value::Null),
    ] {
        agent.send(json!({"type": "command", "data": {"command": verb, "args": args, "meta": meta}})).await;
        agent.fence().await;
        seen.push(agent.vars.clone());
    }
    let rows = recorded(server, "BRENDA");
    let no_error = Value::Null;
    assert_eq!(
        columns(&rows, &["command", "args", "memory_ids", "pre_position", "post_position", "pre_room", "post_room"]),
        [
            json!(["north", "", [41, "seventy"], "standing", "standing", 100, 101]),
            json!(["Rest", "", null, "standing", "resting", 101, 101]),
            json!(["up", "", [], "resting", "resting", 101, 101]),
            json!(["say", "I cannot go  up.", null, "resting", "resting", 101, 101]),
            json!(["stand", "", null, "resting", "standing", 101, 101]),
            json!(["fly", "away", null, "standing", "standing", 101, 101]),
        ]
    );
    let refused: Vec<bool> = rows.iter().map(|row| row["error"] != no_error).collect();
    assert_eq!(refused, [false, false, true, false, false, true]);
    assert_eq!(rows[2]["error"], "Not while you rest. Stand up first.");
    // What was recorded is what the agent's own variables showed before and after.
    for (n, row) in rows.iter().enumerate() {
        for (column, variable) in [("hp", "HEALTH"), ("mana", "MANA"), ("move", "MOVE"), ("room", "ROOM_VNUM")] {
            assert_eq!(row[format!("pre_{column}")], seen[n][variable], "{column} before {row}");
            assert_eq!(row[format!("post_{column}")], seen[n + 1][variable], "{column} after {row}");
        }
        assert_eq!(
            (&row["model"], &row["harness"], &row["version"]),
            (&json!("claude-x"), &json!("agent-cli"), &json!("1.2"))
        );
        assert_eq!(row["tick"], 0);
        let latency_us = row["latency_us"].as_i64().expect("a number");
        assert!((0..15_000_000).contains(&latency_us), "{row}");
        let at = row["at"].as_str().expect("a time");
        assert!(at.len() == 24 && at.ends_with('Z') && at.contains('T'), "{at}");
    }
    assert!(number(&agent, "MOVE") < seen[0]["MOVE"].as_i64().expect("a number"), "the step cost something");
    let times: Vec<&str> = rows.iter().filter_map(|row| row["at"].as_str()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn what_a_mind_refuses_and_what_was_recalled_for_it_is_recorded() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    agent.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true, "features": ["mind"]}))).await;
    agent.logged_in().await;
    agent.command("north").await;
    // What it remembers of its way, as the server tells it.
    agent.command("recall Village Green").await;
    let recalled = agent.until(|frame| frame["data"]["kind"] == "recalled").await;
    let memories = recalled["data"]["memories"].as_array().expect("a list");
    let ids: Vec<Value> = memories.iter().map(|memory| memory["id"].clone()).collect();
    assert!(!ids.is_empty() && ids.iter().all(Value::is_string), "{recalled}");
    let meta = json!({"memory_ids": ids, "source": "model"});
    agent.send(json!({"type": "command", "data": {"command": "south", "args": [], "meta": meta}})).await;
    for line in ["note remove 99", "note well done", "history many", "recall why event:999"] {
        agent.command(line).await;
    }
    agent.fence().await;
    let rows = recorded(server, "Brenda");
    assert_eq!(
        columns(&rows, &["command", "memory_ids", "error"]),
        [
            json!(["north", null, null]),
            json!(["recall", null, null]),
            json!(["south", ids, null]),
            json!(["note", null, "You have no note."]),
            json!(["note", null, null]),
            json!([
                "history",
                null,
                "How many entries, from 1 to 50? history [mind|deeds|talk|compactions] [<number>]"
            ]),
            json!([
                "recall",
                null,
                "You have no memory event:999. Recall something, and give its number there: recall why 2"
            ]),
        ]
    );
}

#[tokio::test]
async fn what_waits_for_a_lag_is_recorded_when_it_runs() {
    let server = Server::start_with(green());
    let mut agent = introduced(&server, "Brenda").await;
    server.promote("Brenda", 40).await;
    for line in ["load mob 113", "load mob 113", "kill goose"] {
        agent.command(line).await;
    }
    agent.command("goto 101").await;
    agent.command("alias both rest;stand").await;
    agent.fence().await;
    assert_eq!(server.tick(3).await, 3);
    agent.command("both").await;
    agent.fence().await;
    let rows = recorded(server, "Brenda");
    assert_eq!(
        columns(&rows, &["command", "tick"])[2..],
        [json!(["kill", 0]), json!(["goto", 1]), json!(["alias", 1]), json!(["rest", 3]), json!(["stand", 3]),]
    );
    assert_eq!((&rows[3]["pre_room"], &rows[3]["post_room"]), (&json!(100), &json!(101)));
    let latency = |n: usize| rows[n]["latency_us"].as_i64().expect("a number");
    assert!(latency(3) > latency(2), "it waited: {rows:#?}");
    assert_eq!(rows[5]["at"], rows[6]["at"], "one line brought both");
}

#[tokio::test]
async fn a_quit_is_recorded_as_the_last_thing() {
    let server = Server::start_with(green());
    let mut agent = introduced(&server, "Brenda").await;
    agent.command("north").await;
    agent.command("quit").await;
    agent.ending().await;
    let rows = recorded(server, "Brenda");
    assert_eq!(
        columns(&rows, &["command", "pre_room", "post_room", "error"]),
        [json!(["north", 100, 101, null]), json!(["quit", 101, 101, null])]
    );
}

#[tokio::test]
async fn people_are_recorded_only_when_asked_for_and_nobody_when_switched_off() {
    for (words, of_agent, of_person) in [
        (vec![], 2, 0),
        (vec!["--capture", "agents"], 2, 0),
        // The telnet client asks for something as it logs in.
        (vec!["--capture", "all"], 2, 2),
        (vec!["--capture", "off"], 0, 0),
    ] {
        let server = Server::start_with(green_with(&words));
        let mut agent = introduced(&server, "Brenda").await;
        let mut person = server.person("Carla").await;
        agent.command("look").await;
        agent.command("score").await;
        agent.fence().await;
        person.ask("inventory", "carry").await;
        let state = server.stop().state;
        let state = state.path().display().to_string();
        for (name, count) in [("Brenda", of_agent), ("Carla", of_person)] {
            let run = run(&["decisions", "--agent", name, "--state-dir", &state]);
            assert_eq!(lines(&run).len(), count, "{name} with {words:?}");
            assert_eq!(run.err.contains("No commands of"), count == 0, "{run:?}");
        }
    }
}

#[tokio::test]
async fn a_takeover_is_no_decision() {
    let server = Server::start_with(green());
    let mut first = introduced(&server, "Brenda").await;
    first.command("score").await;
    first.fence().await;
    let key = server.key("Brenda").await;
    let mut second = server.connect().await;
    second.log_in("Brenda", &key).await;
    second.command("north").await;
    second.fence().await;
    let rows = recorded(server, "Brenda");
    assert_eq!(
        columns(&rows, &["command", "model"]),
        [json!(["score", "claude-x"]), json!(["north", null])],
        "what the server shows by itself is not there, and each row tells of its own session"
    );
}

#[tokio::test]
async fn no_password_is_ever_recorded() {
    let server = Server::start_with(green_with(&["--capture", "all"]));
    let mut agent = introduced(&server, "Brenda").await;
    agent.command("password swordfish1 swordfish2").await;
    agent.command("alias pw password swordfish3 swordfish4").await;
    agent.fence().await;
    let rows = recorded(server, "Brenda");
    assert_eq!(columns(&rows, &["command", "args"]), [json!(["password", ""]), json!(["alias", ""])]);
}

#[tokio::test]
async fn an_export_works_beside_a_running_server() {
    let server = Server::start_with(green());
    let mut agent = introduced(&server, "Brenda").await;
    agent.command("say \"quoted\", and; with ümlaut").await;
    agent.fence().await;
    // Rows gather for a moment before they are written.
    let deadline = std::time::Instant::now() + tests::e2e::PATIENCE;
    let rows = loop {
        let rows = lines(&server.command(&["decisions", "--agent", "Brenda", "--since", "1h"]));
        if !rows.is_empty() || std::time::Instant::now() > deadline {
            break rows;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    assert_eq!(columns(&rows, &["command", "args"]), [json!(["say", "\"quoted\", and; with ümlaut"])]);

    let csv = server.command(&["decisions", "--agent", "brenda", "--since", "1970-01-01T00:00:00Z", "--format", "csv"]);
    let table: Vec<&str> = csv.out.lines().collect();
    assert_eq!(
        table[0],
        "tick,at,command,args,pre_hp,pre_mana,pre_move,pre_position,pre_room,post_hp,post_mana,post_move,\
         post_position,post_room,error,latency_us,model,harness,version,memory_ids"
    );
    assert!(table[1].contains(",say,\"\"\"quoted\"\", and; with ümlaut\","), "{}", table[1]);
    assert!(table[1].ends_with(",claude-x,agent-cli,1.2,"), "{}", table[1]);
    assert_eq!(table.len(), 2);

    let at = rows[0]["at"].as_str().expect("a time");
    for (words, count, why) in [
        (vec!["--since", at], 1, "from that moment on"),
        (vec!["--until", at], 0, "until just before it"),
        (vec!["--since", "2h", "--until", "1h"], 0, "it was later"),
        (vec!["--since", "0", "--until", "99999999999"], 1, "unix seconds"),
    ] {
        let run = server.command(&[&["decisions", "--agent", "Brenda"], words.as_slice()].concat());
        assert_eq!(lines(&run).len(), count, "{why}: {words:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_exported_is_said() {
    let server = Server::start_with(green());
    for (words, said) in [
        (vec!["--agent", "Nobody"], "there is no character \"Nobody\""),
        (vec!["--agent", "Nobody", "--since", "soon"], "\"soon\" is neither a duration nor a time"),
        (vec!["--agent", "Nobody", "--until", "2026-02-30T00:00:00Z"], "reading --until"),
        (vec!["--agent", "Nobody", "--since", "1h", "--until", "2h"], "--since is not before --until"),
        (vec!["--agent", "Nobody", "--format", "xml"], "xml"),
        (vec![], "--name"),
    ] {
        let run = server.command(&[&["decisions"], words.as_slice()].concat());
        assert!(run.code.is_some_and(|code| code != 0) && run.err.contains(said), "{words:?}: {run:?}");
        assert_eq!(run.out, "", "{words:?}");
    }
    let nowhere = run(&["decisions", "--agent", "Nobody", "--state-dir", "/nonexistent/folder"]);
    assert!(nowhere.code == Some(1) && nowhere.err.contains("there is no state folder"), "{nowhere:?}");
    let none = run(&["decisions", "--agent", "Nobody", "--db", "sqlite:/nonexistent/file"]);
    assert!(none.code == Some(1) && none.err.contains("there is no database"), "{none:?}");
}

#[tokio::test]
async fn what_a_crash_left_unrecorded_is_recorded_at_the_next_start_and_nothing_twice() {
    let server = Server::start_with(green());
    let mut agent = introduced(&server, "Brenda").await;
    agent.command("score").await;
    agent.fence().await;
    // These are in the database by now; what follows is not when the process ends.
    recorded_when(&server, "Brenda", 1);
    for line in ["north", "look", "south"] {
        agent.command(line).await;
    }
    agent.fence().await;
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let rows = recorded_when(&server, "Brenda", 4);
    assert_eq!(columns(&rows, &["command"]), [json!(["score"]), json!(["north"]), json!(["look"]), json!(["south"])]);
    assert!(rows.iter().all(|row| row["model"] == rows[0]["model"] && row["model"] != Value::Null), "{rows:?}");
    assert_eq!(rows[1]["post_room"], 101, "{rows:?}");
}

/// The rows of a name, when there are so many; whatever there is after a while.
fn recorded_when(server: &Server, name: &str, count: usize) -> Vec<Value> {
    let deadline = std::time::Instant::now() + tests::e2e::PATIENCE;
    loop {
        let rows = lines(&server.command(&["decisions", "--agent", name]));
        if rows.len() >= count || std::time::Instant::now() > deadline {
            return rows;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[tokio::test]
async fn nothing_is_recorded_while_the_disk_is_nearly_full_and_the_world_goes_on() {
    // More room than any disk has.
    let server = Server::start_with(green_with(&["--capture-low-mb", "4000000000"]));
    let deadline = std::time::Instant::now() + tests::e2e::PATIENCE;
    while server.get("/health").await.json()["decisions"]["paused"] != true {
        assert!(std::time::Instant::now() < deadline, "{}", server.log());
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mut agent = introduced(&server, "Brenda").await;
    agent.command("say anybody here?").await;
    agent.expect_text("anybody here").await;
    agent.fence().await;
    let health = server.get("/health").await.json();
    assert_eq!(health["status"], "degraded", "{health}");
    assert!(health["reasons"].to_string().contains("the world goes on"), "{health}");
    assert!(health["decisions"]["skipped"].as_u64() > Some(0), "{health}");
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let state = stopped.state.path().display().to_string();
    let none = run(&["decisions", "--agent", "Brenda", "--state-dir", &state]);
    assert!(none.code == Some(0) && none.out.is_empty(), "{none:?}");
}

#[tokio::test]
async fn all_columns_say_what_each_command_earned_with_which_valence_and_in_which_world() {
    let server = Server::start_with(green());
    let mut god = server.immortal("Godric", 39).await;
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    let login_of =
        |valence: bool| login(json!({"player_name": "Brenda", "password": key, "is_agent": true, "valence": valence}));
    agent.send(login_of(true)).await;
    let state = agent.expect("state").await;
    agent.subscribe(&["EXP", "GOLD"]).await;
    agent.fence().await;
    let begun = (number(&agent, "EXP"), number(&agent, "GOLD"));
    agent.command("look").await;
    agent.fence().await;
    // Between two commands: it belongs to the one before.
    god.ask("set brenda gold 50", "\r\n").await;
    agent.until(|frame| frame["data"]["GOLD"] == 50).await;
    agent.command("drop 20 coins").await;
    agent.fence().await;
    agent.command("north").await;
    agent.fence().await;
    let ended = (number(&agent, "EXP"), number(&agent, "GOLD"));
    agent.close().await;
    // Without valence, and told the same world at a tick of its own.
    server.tick(2).await;
    let mut agent = server.connect().await;
    agent.send(login_of(false)).await;
    let again = agent.expect("state").await;
    agent.fence().await;
    agent.command("south").await;
    agent.fence().await;
    let world = |frame: &Value, field: &str| frame["data"]["world"][field].clone();
    for field in ["id", "content", "rules", "rules_version"] {
        assert_eq!(world(&state, field), world(&again, field), "{field}");
        assert!(!world(&state, field).is_null(), "{field}: {state}");
    }
    assert!(world(&again, "tick").as_u64() >= world(&state, "tick").as_u64().map(|tick| tick + 2), "{again}");
    let stopped = server.stop();
    let state_dir = stopped.state.path().display().to_string();
    let export = |more: &[&str]| {
        lines(
            &run(&[&["decisions", "--agent", "Brenda", "--columns", "all", "--state-dir", &state_dir], more].concat()),
        )
    };
    let rows = export(&[]);
    assert_eq!(columns(&rows, &["command"]), [json!(["look"]), json!(["drop"]), json!(["north"]), json!(["south"])]);
    let rewards: Vec<i64> = rows.iter().map(|row| row["reward"]["gold"].as_i64().expect("a number")).collect();
    assert_eq!(rewards[1..], [-20, 0, 0]);
    assert_eq!(rewards.iter().sum::<i64>(), ended.1 - begun.1, "they sum up to what changed");
    assert_eq!((&rows[1]["pre_gold"], &rows[1]["post_gold"]), (&json!(50), &json!(30)));
    assert_eq!((&rows[0]["pre_exp"], &rows[3]["post_exp"]), (&json!(begun.0), &json!(ended.0)));
    assert_eq!(columns(&rows, &["valence"]), [json!([true]), json!([true]), json!([true]), json!([false])]);
    for row in &rows {
        assert_eq!((&row["world"], &row["seed"]), (&world(&state, "id"), &json!(7)), "{row}");
    }
    // What is asked for may end before the rows do, and tells the same of each.
    let until = rows[1]["at"].as_str().expect("a time").to_string();
    assert_eq!(export(&["--until", &until]), rows[..1]);
    // The seed is told to nobody who plays, and by its digest nobody can try seeds.
    let told = state.to_string();
    assert!(!told.contains("seed"), "{told}");
}
