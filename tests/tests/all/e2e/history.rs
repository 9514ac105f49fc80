//! What was said is kept in the database: it outlives a kill of the server and the loss of its journal, and is found
//! again by those who may read it, and by the operator.

use super::postgres::on_postgres;
use super::{green, green_with};
use serde_json::Value;
use tests::e2e::{Options, Server, run};

/// Sixty messages, which is more than the world holds; then the server is killed, and later its journal is gone.
async fn is_whole(more: &[&str]) {
    let options = || green_with(more);
    let server = Server::start_with(options());
    let key = server.key("Ann").await;
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    ann.ask("channel create Night Watch", "[101 Night Watch] It is yours.").await;
    for hour in 0..60 {
        ann.ask(&format!("chat nightwatch Hour {hour}"), &format!("You: Hour {hour}")).await;
    }
    ann.ask("channel key add oak in nightwatch", "oak").await;
    let found = ann.ask("channel history nightwatch 2 before 9", "Ann: Hour 7").await;
    assert!(found.contains("[101 #7, just now] Ann: Hour 6"), "{found}");
    let state = server.kill();

    let server = Server::start_with(Options { state: Some(state), ..options() });
    let mut ann = server.dial().await;
    ann.log_in("Ann", &key).await;
    ann.ask("channel history nightwatch with hour 3", "Ann: Hour 39").await;
    let found = ann.ask("channel history nightwatch before 3", "Ann: Hour 1").await;
    assert!(found.contains("Ann: Hour 0"), "{found}");
    let mut bob = server.person("Bob").await;
    bob.ask("channel history 101", "You have no channel").await;
    bob.ask("channel history 999", "You have no channel").await;
    ann.ask("channel invite bob in nightwatch", "Bob is invited.").await;
    bob.ask("channel join 101", "You are in.").await;
    bob.ask("channel history 101 before 5", "Nothing of that kind is remembered there.").await;
    // What cannot be paid for a while waits.
    ann.ask("channel create Mill", "Mill] It is yours.").await;
    ann.ask("channel wpm 10 in mill", "10 words a minute").await;
    ann.ask(&format!("chat mill {}", "mill ".repeat(200)), "You: mill").await;
    let late = "The wheel has stood still since the frost, and nobody of us knows the reason.";
    ann.ask(&format!("chat mill {late}"), "words of yours wait").await;
    // A slow disk takes its time for what was said.
    while server.get("/health").await.json()["archive"]["waiting"] != 0 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let state = server.kill();

    // All that is left is the database.
    std::fs::remove_dir_all(state.path().join("journal")).expect("it was there");
    let server = Server::start_with(Options { state: Some(state), ..options() });
    let mut ann = server.dial().await;
    ann.expect("known?").await;
    ann.ask("Ann", "Password:").await;
    ann.ask(&key, "What will it be?").await;
    // A world that is not the one in which it waited says nothing of it, and loses nothing.
    ann.ask("1", &format!("The world ended before your words were said: \"{late}\"")).await;
    ann.ask("channel history mill 5", "mill mill").await;
    let listed = ann.ask("channel list", "Night Watch").await;
    assert!(listed.contains("101 Night Watch"), "{listed}");
    ann.ask("channel show nightwatch", "Keys: oak.").await;
    ann.ask("channel history nightwatch 2 before 9", "Ann: Hour 7").await;
    ann.ask("chat nightwatch Still here.", "You: Still here.").await;
    ann.ask("chat home Alone.", "You: Alone.").await;
    let newest = ann.ask("channel history nightwatch 1", "Ann: Still here.").await;
    let number = newest.split(['#', ',']).nth(1).and_then(|digits| digits.parse::<u32>().ok()).expect("a number");
    assert!(number > 61, "no number comes twice: {newest}");
    ann.ask("channel history nightwatch 5", "Ann: Hour 59").await;

    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0));
    let state = stopped.state.path().display().to_string();
    let told = |words: &[&str]| run(&[&["history", "--state-dir", &state], more, words].concat());
    let lines = told(&["--channel", "101", "--format", "jsonl"]);
    let rows: Vec<Value> = lines.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let texts: Vec<&str> =
        rows.iter().filter(|row| row["type"] == "text").filter_map(|row| row["content"].as_str()).collect();
    let mut wanted: Vec<String> = (0..60).map(|hour| format!("Hour {hour}")).collect();
    wanted.push("Still here.".into());
    assert_eq!(texts, wanted);
    let page = told(&["--channel", "101"]);
    assert!(page.out.starts_with("# Night Watch (channel 101)\n\n- 20"), "{page:?}");
    assert!(page.out.contains(" #1 **Ann**: Hour 0\n"), "{page:?}");
    for word in ["nightwatch", "Night Watch", "#101"] {
        assert_eq!(told(&["--channel", word, "--format", "jsonl"]).out, lines.out, "{word}");
    }
    assert!(told(&["--channel", "Ann"]).out.contains("**Ann**: Alone."));
    let nobody = told(&["--channel", "daywatch"]);
    assert!(nobody.code == Some(1) && nobody.err.contains("no group and nobody is called \"daywatch\""), "{nobody:?}");
    let none = told(&["--channel", "4000"]);
    assert!(none.code == Some(1) && none.err.contains("nothing that was said in channel 4000"), "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_whole_after_a_kill_and_without_a_journal() {
    is_whole(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_whole_on_postgresql() {
    on_postgres(async |address| Box::pin(is_whole(&["--db", address])).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_journal_no_number_of_a_person_or_a_message_comes_twice() {
    let off = || green_with(&["--journal", "off"]);
    let server = Server::start_with(off());
    let mut ann = server.person("Ann").await;
    ann.ask("channel create Night Watch", "[101 Night Watch] It is yours.").await;
    ann.ask("chat nightwatch All is quiet.", "#1] You: All is quiet.").await;
    // Written or not, the numbers are set aside.
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..off() });
    let mut bob = server.person("Bob").await;
    let made = bob.ask("channel create Day Watch", "It is yours.").await;
    let number = |text: &str, before: &str, after: &str| -> u64 {
        let (_, rest) = text.split_once(before).expect("it is there");
        let (digits, _) = rest.split_once(after).expect("it ends");
        digits.parse().expect("a number")
    };
    assert!(number(&made, "[", " Day Watch]") > 101, "{made}");
    let said = bob.ask("chat daywatch All is bright.", "You: All is bright.").await;
    assert!(number(&said, " #", "] You:") > 1, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_players_report_is_kept_with_place_and_moment_and_listed() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("typo The green is \x1b[2Jgren; mend it.", "That is report #1").await;
    ann.ask("idea A boat.", "That is report #2").await;
    let stopped = server.stop();
    let state = stopped.state.path().display().to_string();
    let told = |words: &[&str]| run(&[&["reports", "--state-dir", &state], words].concat());
    let all = told(&[]);
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(all.out.contains("#1 typo by Ann in The Village Green (100), 20"), "{all:?}");
    assert!(all.out.contains("gren; mend it.") && !all.out.contains('\x1b'), "{all:?}");
    assert!(told(&["--after", "1"]).out.starts_with("#2 idea by Ann"), "{all:?}");
    let row: Value = serde_json::from_str(told(&["idea", "--json"]).out.trim()).expect("one line of JSON");
    assert_eq!((&row["kind"], &row["text"], &row["room"]), (&"idea".into(), &"A boat.".into(), &100.into()), "{row}");
    assert!(row["input"].as_u64().expect("a number") > 0 && row["by"]["name"] == "Ann", "{row}");
    let none = told(&["bug"]);
    assert!(none.code == Some(0) && none.err.contains("Nothing of that was reported"), "{none:?}");
    assert_eq!(told(&["bugs"]).code, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_character_leaves_its_words_without_its_name() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("channel create Night Watch", "It is yours.").await;
    let mut bob = server.dial().await;
    bob.create("Bob", "swordfish").await;
    bob.ask("1", "Village Green").await;
    ann.ask("channel invite bob in nightwatch", "Bob is invited.").await;
    bob.ask("channel join 101", "You are in.").await;
    bob.ask("chat 101 I was here.", "You: I was here.").await;
    bob.send("quit").await;
    bob.ending().await;
    server.dial().await.delete("Bob", "swordfish").await;
    ann.ask("channel history 101", "Somebody gone: I was here.").await;
    ann.ask("channel show 101", "Members: Ann (100).").await;
    // Another of that name is somebody else, and in no channel.
    let mut other = server.person("Bob").await;
    other.ask("channel history 101", "You have no channel").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_shown_is_nobody_elses_be_they_here_or_not() {
    let server = Server::start_with(green());
    // Made, and never here.
    server.key("Cedric").await;
    let mut ann = server.person("Ann").await;
    let mut bob = server.agent("Bob").await;
    ann.ask("name Cedr1c", "Somebody is called that").await;
    ann.ask("name Ada of the Hill", "You are shown as Ada of the Hill from now on.").await;
    bob.command("look ada").await;
    ann.ask("say Good evening.", "You say").await;
    let said = bob.until(|frame| frame["data"]["type"] == "say").await;
    assert_eq!(said["data"]["text"], "Ada of the Hill says, \"Good evening.\"");
    assert_eq!(said["data"]["from"], "Ada of the Hill");
    // Nobody is made who could be taken for her.
    let refused = server.command(&["keygen", "--name", "Adaofthehill"]);
    assert!(refused.code == Some(1) && refused.err.contains("taken"), "{refused:?}");
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let mut cid = server.person("Cid").await;
    cid.ask("name adaofthehill", "Somebody is called that").await;
    cid.ask("who", "Ada of the Hill").await;
    cid.ask("whois ann", "Known since birth as Ann.").await;
    // The operator may call her by either name.
    let stopped = server.stop();
    let state = stopped.state.path().display().to_string();
    for name in ["ann", "Ada of the Hill"] {
        let hud = run(&["hud", "--state-dir", &state, "--name", name]);
        assert!(hud.code == Some(0) && hud.err.contains("After #"), "{hud:?}");
    }
    let hud = run(&["hud", "--state-dir", &state, "--name", "ann", "--start-room", "100"]);
    assert!(hud.code == Some(1) && hud.err.contains("are for --live"), "{hud:?}");
    let hud = run(&["hud", "--state-dir", &state, "--name", "Ida of the Hill"]);
    assert!(hud.code == Some(1) && hud.err.contains("nobody is called Ida of the Hill"), "{hud:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_posts_as_the_architect_at_the_pace_of_everybody() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("channel create Night Watch", "[101 Night Watch] It is yours.").await;
    let mut bot = server.agent("Bot").await;
    bot.subscribe(&["EVENTS"]).await;
    let post = |channel: &str, text: &str| server.command(&["post", "--channel", channel, text]);
    assert_eq!(post("101", "The harbour opens at noon.").code, Some(0));
    ann.expect("[101 Night Watch #1] The Architect: The harbour opens at noon.").await;
    assert_eq!(post("3", "So it does.").code, Some(0));
    ann.expect("The Architect gossips, \"So it does.\"").await;
    // Programs are told by an outcome, as of everybody's words.
    let is_said = |event: &Value| event["type"] == "said" && event["channel"] == "gossip";
    let told = |frame: &Value| frame["data"]["EVENTS"].as_array().is_some_and(|all| all.iter().any(is_said));
    let said = bot.until(told).await;
    let events = said["data"]["EVENTS"].as_array().expect("a list");
    let event = events.iter().find(|event| is_said(event)).expect("it is there");
    assert_eq!((&event["text"], &event["channel_id"]), (&Value::from("So it does."), &Value::from(3)), "{event}");
    assert!(event["message_id"].is_u64(), "{event}");
    let much = "word ".repeat(120);
    assert_eq!(post("101", &much).code, Some(0));
    let again = post("101", &much);
    assert!(again.code == Some(1) && again.err.contains("Try again in"), "{again:?}");
    for (channel, text, why) in [("4000", "Hello.", "no channel 4000"), ("101", " ", "1 to 2000 characters")] {
        let refused = post(channel, text);
        assert!(refused.code == Some(1) && refused.err.contains(why), "{refused:?}");
    }
    let stopped = server.stop();
    let state = stopped.state.path().display().to_string();
    let told = run(&["history", "--state-dir", &state, "--channel", "3", "--format", "jsonl"]);
    let row: Value = serde_json::from_str(told.out.trim()).expect("one message");
    assert_eq!(row["sender"], serde_json::json!({"id": 0, "name": "The Architect", "kind": "architect"}));
    let late = run(&["post", "--state-dir", &state, "--channel", "3", "Anybody?"]);
    assert!(late.code == Some(1) && late.err.contains("no server runs"), "{late:?}");
}
