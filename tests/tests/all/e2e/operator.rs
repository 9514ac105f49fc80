//! The subcommands, with and without a running server.

use super::{green, login, root};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use tests::e2e::{Options, Run, Server, copy_folder, http, http_with, program, run};

#[tokio::test]
async fn keys_are_made_listed_and_revoked_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state").display().to_string();
    let made = run(&["keygen", "--name", "brenda", "--class", "thief", "--race", "elf", "--state-dir", &state]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let key = made.out.trim().to_string();
    assert!(key.starts_with("dp_") && key.len() == 67, "the key alone is on standard output: {made:?}");
    let listed = run(&["keys", "--state-dir", &state]);
    assert!(listed.out.contains(&key[..11]) && !listed.out.contains(&key), "{listed:?}");
    assert!(listed.out.contains("Brenda") && listed.out.contains("valid"), "{listed:?}");
    let bad = run(&["keygen", "--name", "Carla", "--class", "dragon", "--state-dir", &state]);
    assert_eq!(bad.code, Some(1));
    assert!(bad.err.contains("3 Warrior"), "{bad:?}");
    let revoked = run(&["revoke", &key[..11], "--state-dir", &state]);
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    assert!(run(&["keys", "--state-dir", &state]).out.contains("revoked"));
    assert_eq!(run(&["revoke", &key[3..11], "--state-dir", &state]).code, Some(1));
    let nobody = run(&["promote", "nobody", "--state-dir", &state]);
    assert!(nobody.code == Some(1) && nobody.err.contains("no character"), "{nobody:?}");
    assert_eq!(run(&["promote", "brenda", "--state-dir", &state]).code, Some(0));
    let silly = run(&["promote", "brenda", "--level", "99", "--state-dir", &state]);
    assert!(silly.code == Some(1) && silly.err.contains("between 1 and"), "{silly:?}");
}

#[tokio::test]
async fn what_is_asked_in_the_wrong_place_makes_no_state_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state").display().to_string();
    for asked in [&["keys"][..], &["revoke", "1"], &["promote", "brenda"], &["health"]] {
        let answer = run(&[asked, &["--state-dir", &state]].concat());
        assert!(answer.code == Some(1) && answer.err.contains("there is no state folder"), "{asked:?}: {answer:?}");
        assert!(!folder.path().join("state").exists(), "{asked:?}");
    }
}

#[tokio::test]
async fn revoking_a_key_ends_its_session_and_no_other() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let made = server.command(&["keygen", "--name", "Brenda"]);
    let key = made.out.trim().to_string();
    let other = server.command(&["keygen", "--name", "Brenda"]).out.trim().to_string();
    let listed = server.command(&["keys", "--name", "brenda"]);
    assert!(listed.out.lines().count() == 2 && listed.out.contains(&key[..11]), "{listed:?}");
    let mut bot = server.connect().await;
    let token = bot.log_in("Brenda", &key).await["data"]["token"].clone();
    let revoked = server.command(&["revoke", &key]);
    assert_eq!(revoked.code, Some(0), "{revoked:?}");
    let (code, _, frames) = bot.ending().await;
    assert_eq!(code, 1008, "{frames:?}");
    assert_eq!(frames.last().map(|f| &f["data"]["code"]), Some(&json!("key_revoked")), "{frames:?}");
    ann.expect("Brenda has left the world").await;
    for proof in [json!({"api_key": key}), json!({"token": token})] {
        let mut data = json!({"player_name": "Brenda", "is_agent": true});
        data.as_object_mut().expect("an object").extend(proof.as_object().expect("an object").clone());
        let mut bot = server.connect().await;
        bot.send(login(data)).await;
        assert_eq!(bot.next().await["type"], "error");
    }
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &other).await;
    // A session that came by a key and was taken over by another key is not ended with the first.
    let third = server.key("Brenda").await;
    let mut over = server.connect().await;
    over.log_in("Brenda", &third).await;
    server.command(&["revoke", &other]);
    over.command("look").await;
    over.expect_text("Village Green").await;
    over.fence().await;
}

#[tokio::test]
async fn who_is_away_is_frozen_thawed_muted_and_unmuted_too() {
    let server = Server::start_with(green());
    let key = server.key("Bob").await;
    let visit = async |line: &str, expected: &str| {
        let mut bob = server.connect().await;
        bob.log_in("Bob", &key).await;
        bob.command(line).await;
        bob.expect_text(expected).await;
        bob.command("quit").await;
        bob.ending().await;
    };
    let mut ann = server.immortal("Ann", 38).await;
    visit("look", "The Village Green").await;
    ann.ask("thaw bob", "Nothing was done: Bob is not frozen.").await;
    ann.ask("freeze bob", "You freeze Bob, who is away").await;
    ann.ask("freeze Bob", "Nothing was done: Bob is frozen already.").await;
    visit("look", "has left you nothing to do but quit").await;
    visit("look", "You are frozen, and can only wait to be thawed, or quit.").await;
    ann.ask("thaw bob", "You thaw Bob, who is away.").await;
    ann.ask("mute bob soon", "For how long?").await;
    ann.ask("mute bob 3d", "You mute Bob, who is away, for 3 days, until 20").await;
    visit("look", "You are muted for 3 days, until 20").await;
    visit("say hello", "Until that is over you can tell things to immortals only.").await;
    ann.ask("unmute bob", "You let Bob, who is away, be heard again.").await;
    ann.ask("unmute bob", "Nothing was done: Bob is not muted.").await;
    visit("say hello", "You say, \"hello\"").await;
    // Nobody touches an equal, and nobody is made up.
    let mut zed = server.immortal("Zed", 38).await;
    zed.ask("quit", "Farewell.").await;
    ann.ask("freeze zed", "Nothing was done: Zed is not below you.").await;
    ann.ask("freeze nobody", "There is no player of that name in the world.").await;
}

#[tokio::test]
async fn a_promotion_is_not_overwritten_by_the_next_save() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    // In the world.
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &key).await;
    assert_eq!(server.command(&["promote", "brenda", "--level", "35"]).code, Some(0));
    bot.expect_text("of level 35 now").await;
    bot.command("save").await;
    bot.command("quit").await;
    bot.ending().await;
    assert_eq!(level_at_login(&server, &key).await, 35);
    // Out of the world, right after it left.
    assert_eq!(server.command(&["promote", "brenda", "--level", "7"]).code, Some(0));
    assert_eq!(level_at_login(&server, &key).await, 7);
    // Without a server.
    let state = server.stop();
    assert_eq!(state.code, Some(0), "{}", state.log);
    let folder = state.state.path().display().to_string();
    assert_eq!(run(&["promote", "brenda", "--level", "12", "--state-dir", &folder]).code, Some(0));
    let server = Server::start_with(tests::e2e::Options { state: Some(state.state), ..green() });
    assert_eq!(level_at_login(&server, &key).await, 12);
}

async fn level_at_login(server: &Server, key: &str) -> i64 {
    let mut bot = server.connect().await;
    let state = bot.log_in("Brenda", key).await;
    bot.command("quit").await;
    bot.ending().await;
    state["data"]["player"]["level"].as_i64().expect("a number")
}

#[tokio::test]
async fn the_admin_api_wants_its_token_and_answers_when_the_ticks_are_done() {
    let server = Server::start_with(green());
    for token in [None, Some("0000")] {
        let answer = http(server.http, "POST", "/admin/tick?n=1", token).await;
        assert_eq!(answer.status, 401, "{}", answer.body);
    }
    let before = server.get("/health").await.json();
    assert_eq!((&before["tick"], before["lag_ms"].is_u64()), (&json!(0), true));
    assert_eq!(server.tick(5).await, 5);
    assert_eq!(server.tick(2).await, 7);
    assert_eq!(server.get("/health").await.json()["tick"], 7);
    let answer = http(server.http, "POST", "/admin/place?name=nobody&room=100", Some(&server.token)).await;
    assert_eq!(answer.status, 404);
    server.agent("Bot").await;
    let answer = http(server.http, "POST", "/admin/place?name=bot&room=99999", Some(&server.token)).await;
    assert_eq!(answer.status, 404);
    for (method, path, status, told) in [
        ("POST", "tick?n=x", 400, "`n`, a whole number"),
        ("POST", "tick?n=0", 400, "`n` is 1 to"),
        ("GET", "tick", 405, "This call is made by POST."),
        ("DELETE", "bans", 405, "This call is made by GET or POST."),
        ("GET", "nosuch", 404, "There is no such call. GET /admin/me"),
        ("POST", "nosuch/deep", 404, "There is no such call."),
        ("GET", "", 404, "There is no such call."),
        ("POST", "tick?n=99999999999", 400, "`n` is 1 to"),
        ("POST", "place?name=bot", 400, "`room`, the number of a room"),
        ("GET", "audit?before=-5", 400, "`before`, a whole number: the `id` of an entry"),
        ("GET", "audit?before=abc", 400, "`before`, a whole number: the `id` of an entry"),
        ("GET", "audit?behind=7", 400, "`before`, a whole number: the `id` of an entry"),
        ("GET", "complaints?before=-1", 400, "`before`, a whole number"),
        ("GET", "complaints?id=1&before=2", 400, "may take `id`"),
        ("POST", "promote?name=bot&level=999", 400, "between 1 and 40"),
        ("POST", "promote?name=bot&level=0&architect=true", 400, "between 1 and 40"),
        ("POST", "promote?name=bot&level=high", 400, "`level`, a whole number"),
        ("POST", "promote?name=nobody&level=9", 404, "no character called"),
    ] {
        let answer = http(server.http, method, &format!("/admin/{path}"), Some(&server.token)).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        let error = answer.json()["error"].as_str().expect("a sentence").to_string();
        assert!(error.contains(told), "{path}: {error}");
    }
}

#[tokio::test]
async fn content_is_edited_while_people_play_and_an_edit_outlives_a_kill() {
    const MOWN: &str = "[[room]]\nvnum = 100\nname = \"The Mown Green\"\ndescription = \"Stubble.\"\ncolour = 1\n";
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("look", "The Village Green").await;
    for token in [None, Some("0000")] {
        assert_eq!(http_with(server.http, "POST", "/admin/edit", token, MOWN).await.status, 401);
    }
    let answer = http_with(server.http, "POST", "/admin/edit?by=Mason", Some(&server.token), MOWN).await;
    assert_eq!((answer.status, &answer.json()["edited"]), (200, &json!(["room 100"])), "{answer:?}");
    let warning = answer.json()["warnings"][0].as_str().map(str::to_owned);
    assert!(warning.is_some_and(|warning| warning.contains("unknown field \"colour\"")), "{answer:?}");
    ann.ask("look", "The Mown Green").await;
    let wrong = format!("{MOWN}[room.exits.north]\nto = 12345\n");
    let answer = http_with(server.http, "POST", "/admin/edit", Some(&server.token), &wrong).await;
    assert_eq!(answer.status, 422, "{answer:?}");
    let problems = answer.json()["problems"].to_string();
    assert!(problems.contains("edit:6: error") && problems.contains("#12345"), "{problems}");
    let edits = http(server.http, "GET", "/admin/edit", Some(&server.token)).await;
    assert!(edits.status == 200 && edits.body.contains("name = \"The Mown Green\""), "{edits:?}");
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let after = http(server.http, "GET", "/admin/edit", Some(&server.token)).await;
    assert_eq!(after.body, edits.body);
    let mut bob = server.person("Bob").await;
    bob.ask("look", "The Mown Green").await;
}

#[test]
fn check_counts_a_world_and_lists_what_is_wrong_as_json() {
    let good = run(&["check", "--world", "data/world", "--json"]);
    assert_eq!(good.code, Some(0), "{}", good.err);
    let report: Value = serde_json::from_str(&good.out).expect("JSON");
    for count in ["zones", "rooms", "mobs", "objects", "shops", "exits", "zone_commands"] {
        assert!(report[count].as_u64().is_some_and(|n| n > 0), "{count}: {}", report[count]);
    }
    assert_eq!((&report["start_room"], report["problems"].is_array()), (&json!(8004), true));

    let folder = broken_world();
    let bad = run(&["check", "--world", &folder.path().display().to_string(), "--json"]);
    assert_eq!(bad.code, Some(1), "{}", bad.err);
    let report: Value = serde_json::from_str(&bad.out).expect("JSON");
    let problems = report["problems"].as_array().expect("a list");
    let error = problems.iter().find(|problem| problem["kind"] == "error").expect("there is an error");
    assert!(error["file"].is_string() && error["line"].is_u64() && error["what"].is_string(), "{error}");
    let none = run(&["check", "--world", "/nowhere/at/all"]);
    assert!(none.code == Some(1) && none.err.contains("/nowhere/at/all"), "{none:?}");
}

/// The smallest world with an exit to nowhere.
pub fn broken_world() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("tests/scenes/green");
    copy_folder(&from, folder.path());
    let rooms = folder.path().join("zones/1_green/rooms.toml");
    let text = std::fs::read_to_string(&rooms).expect("the rooms");
    std::fs::write(&rooms, text.replacen("to = 101", "to = 98765", 1)).expect("written");
    folder
}

#[test]
fn an_imported_circle_world_loads_to_the_same_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("circle"), folder.path().join("native"));
    for (name, text) in CIRCLE {
        let path = from.join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    let (from, to) = (from.display().to_string(), to.display().to_string());
    let imported = run(&["import", "--from", &from, "--to", &to]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let counts = |world: &str| -> Value {
        let run = run(&["check", "--world", world, "--json"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let mut report: Value = serde_json::from_str(&run.out).expect("JSON");
        report["problems"] = json!([]);
        report
    };
    let before = counts(&from);
    assert_eq!(before, counts(&to));
    let expected = json!({"zones": 1, "rooms": 2, "mobs": 1, "objects": 1, "shops": 1, "exits": 2, "zone_commands": 2, "foreign_scripts": 1, "start_room": 3001, "problems": []});
    assert_eq!(before, expected);
    let again = run(&["import", "--from", &from, "--to", &to]);
    assert!(again.code == Some(1) && again.err.contains("not empty"), "{again:?}");
    let options = tests::e2e::Options { world: to.into(), ..tests::e2e::Options::default() };
    let server = Server::start_with(options);
    assert!(server.log().is_empty() || !server.log().contains("ERROR"), "{}", server.log());
}

const CIRCLE: &[(&str, &str)] = &[
    ("wld/index", "30.wld\n$\n"),
    ("mob/index", "30.mob\n$\n"),
    ("obj/index", "30.obj\n$\n"),
    ("zon/index", "30.zon\n$\n"),
    ("shp/index", "30.shp\n$\n"),
    (
        "wld/30.wld",
        "#3001\nThe Ford~\nWater over stones.\n~\n30 0 2\nD0\nA path.\n~\n~\n0 -1 3002\nS\n#3002\nThe Hut~\nSmoke and turf.\n~\n30 8 0\nD2\n~\ndoor~\n1 -1 3001\nE\nsmoke~\nIt stings.\n~\nS\n$\n",
    ),
    (
        "mob/30.mob",
        "#3000\nferryman man~\nthe ferryman~\nThe ferryman leans on his pole.\n~\nHe is wet.\n~\nab 0 0 S\n5 15 5 2d6+30 1d6+1\n50 1000\n8 8 1\n$\n",
    ),
    ("obj/30.obj", "#3000\npole ash~\nan ash pole~\nAn ash pole lies here.~\n~\n5 0 8193\n0 1 6 7\n6 20 2\n$\n"),
    ("zon/30.zon", "#30\nThe Ford~\n3099 15 2\nM 0 3000 1 3002\nG 1 3000 10\nS\n$\n"),
    (
        "shp/30.shp",
        "CircleMUD v3.0 Shop File~\n#3000~\n3000\n-1\n1.1\n0.5\nWEAPON\n-1\n%s No.~\n%s You have none.~\n%s I do not buy that.~\n%s I am poor.~\n%s You are poor.~\n%s %d coins.~\n%s %d coins.~\n0\n0\n3000\n0\n3002\n-1\n0\n28\n0\n0\n$~\n",
    ),
];

/// The password that `passwd` printed.
fn new_password(run: &Run) -> String {
    assert_eq!(run.code, Some(0), "{run:?}");
    run.out.trim().rsplit(' ').next().expect("it ends with the password").to_string()
}

#[tokio::test]
async fn who_forgot_a_password_gets_a_new_one_with_and_without_a_server() {
    let server = Server::start_with(green());
    server.dial().await.create("Ann", "swordfish").await;
    let unknown = server.command(&["passwd", "zed"]);
    assert!(unknown.code == Some(1) && unknown.err.contains("no character called Zed"), "{unknown:?}");
    let made = new_password(&server.command(&["passwd", "ann"]));
    let mut ann = server.dial().await;
    ann.expect("known?").await;
    ann.ask("Ann", "Password:").await;
    ann.ask("swordfish", "Invalid password.").await;
    ann.ask(&made, "What will it be?").await;
    // Nothing came on standard input, and nothing was changed.
    let empty = server.command(&["passwd", "ann", "--stdin"]);
    assert!(empty.code == Some(1) && empty.err.contains("8 characters"), "{empty:?}");
    let state = server.stop().state;
    let folder = state.path().display().to_string();
    let mut given = std::process::Command::new(program());
    given.args(["passwd", "Ann", "--stdin", "--state-dir", &folder]);
    given.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut given = given.spawn().expect("the program starts");
    given.stdin.take().expect("it is piped").write_all(b"turbot22\n").expect("it reads");
    let said = given.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&said.stdout), "The password of Ann is changed.\n");
    let server = Server::start_with(Options { state: Some(state), ..green() });
    server.dial().await.log_in("Ann", "turbot22").await;
    let log = server.log();
    assert!(!log.contains("turbot22") && !log.contains(&made), "{log}");
}

#[tokio::test]
async fn a_character_is_deleted_by_the_operator_with_and_without_a_server() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut bob = server.person("Bob").await;
    let cid_key = server.key("Cid").await;
    ann.ask("whois bob", "Bob").await;
    let asked = server.command(&["remove", "bob"]);
    assert!(asked.code == Some(1) && asked.err.contains("--yes"), "{asked:?}");
    bob.ask("say still here", "still here").await;
    assert_eq!(server.command(&["remove", "bob", "--yes"]).out, "Bob is deleted.\n");
    assert!(bob.ending().await.contains("deleted"));
    ann.ask("whois bob", "no player called").await;
    let gone = server.command(&["remove", "bob", "--yes"]);
    assert!(gone.code == Some(1) && gone.err.contains("no character called Bob"), "{gone:?}");
    // Cid is in the world, link-dead, when the server ends.
    let mut cid = server.dial().await;
    cid.log_in("Cid", &cid_key).await;
    drop(cid);
    let state = server.stop().state;
    let folder = state.path().display().to_string();
    let removed = run(&["remove", "cid", "--yes", "--state-dir", &folder]);
    assert_eq!((removed.code, &*removed.out), (Some(0), "Cid is deleted.\n"), "{removed:?}");
    let nobody = run(&["remove", "dan", "--yes", "--state-dir", &folder]);
    assert!(nobody.code == Some(1) && nobody.err.contains("no character called Dan"), "{nobody:?}");
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let mut ann = server.person("Ann").await;
    ann.ask("whois cid", "no player called").await;
    ann.ask("who", "One player.").await;
    // The name is free, and nothing of the old one is in the new.
    server.dial().await.create("Cid", "swordfish").await;
}
