//! Words that can be clicked: by frames with spans, and by telnet with MXP. What is clicked is what is struck, and
//! nobody's words become a tag.

use super::raw::{DO, DONT, IAC, Raw, SB, SE, WILL, WONT};
use super::{green, login};
use serde_json::{Value, json};
use tests::e2e::{Agent, Server};

const MXP: u8 = 91;
const TERMINAL_TYPE: u8 = 24;
const LOCKED: &[u8] = b"\x1b[7z";

/// What a text of a frame has under its spans, with the links.
fn links(frame: &Value) -> Vec<(String, Value)> {
    let text: Vec<u16> = frame["data"]["text"].as_str().expect("a text").encode_utf16().collect();
    let offset = |span: &Value, name: &str| span[name].as_u64().expect("an offset") as usize;
    let over = |span: &Value| {
        let units = &text[offset(span, "from")..offset(span, "to")];
        (String::from_utf16(units).expect("whole letters"), span["link"].clone())
    };
    let spans = frame["data"]["spans"].as_array().into_iter().flatten();
    spans.filter(|span| span.get("link").is_some()).map(over).collect()
}

async fn links_of(client: &mut Agent, line: &str, text: &str) -> Vec<(String, Value)> {
    client.fence().await;
    client.command(line).await;
    links(&client.expect_text(text).await)
}

/// What is typed for one of the verbs of a link.
fn command(link: &Value, verb: &str) -> String {
    let verbs = link["verbs"].as_array().expect("verbs");
    assert!(verbs.contains(&json!(verb)), "{link} has no {verb}");
    format!("{verb} {}", link["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_click_strikes_that_one_and_no_other_and_words_stay_words() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut page = server.connect().await;
    page.numbered = false;
    page.send(login(json!({"player_name": "Ann", "password": key, "features": ["vars", "rich"]}))).await;
    let state = page.expect("state").await;
    let token = state["data"]["token"].as_str().expect("a token").to_string();
    page.subscribe(&["OPPONENT", "POSITION"]).await;
    let mut god = server.immortal("Orm", 40).await;
    god.ask("title <SEND HREF=quit> & <b onclick=x>", "You are now").await;
    let goose = |links: &[(String, Value)]| links.iter().find(|(text, _)| text.contains("goose")).cloned();
    // The newest is the one that is shown first.
    god.ask("load mob 113", "goose").await;
    let (_, older) = goose(&links_of(&mut page, "look", "Village Green").await).expect("a goose to click");
    god.ask("load mob 113", "goose").await;
    let read = links_of(&mut page, "look", "Village Green").await;
    let (text, link) = goose(&read).expect("a goose to click");
    assert_eq!(link["verbs"], json!(["look", "consider", "kill"]));
    assert!(read.iter().any(|(text, link)| text == "north" && link["exit"] == "north"), "{read:?}");
    let orm = read.iter().find(|(_, link)| link["id"] == "player_orm").expect("who stands there");
    assert_eq!((&*orm.0, &orm.1["begins"]), ("Orm", &json!(["tell"])), "the title is no part of it");
    assert!(text.contains("goose"), "{text}");
    page.command(&command(&older, "kill")).await;
    let fights = page.until(|frame| frame["data"]["OPPONENT"].is_object()).await;
    assert_eq!(fights["data"]["OPPONENT"]["instance_id"], older["id"], "that one, whichever is shown first");
    god.ask(&format!("purge {}", older["id"].as_str().expect("an id")), "").await;
    page.until(|frame| frame["data"].get("OPPONENT").is_some_and(Value::is_null)).await;
    // Whoever has struck waits for a moment.
    server.tick(8).await;
    // The other goose is there, and is not the one that was clicked.
    page.command(&command(&older, "kill")).await;
    page.expect_text("It is gone.").await;
    page.command("look").await;
    let room = page.expect_text("<SEND HREF=quit> & <b onclick=x>").await;
    let left = goose(&links(&room)).expect("the other one");
    assert_ne!(left.1["id"], older["id"]);
    page.command("say <b>&amp;</b>").await;
    let said = page.expect_text("You say, \"<b>&amp;</b>\"").await;
    assert!(said["data"].get("spans").is_none(), "{said}");

    // Who does not ask has none, and who listens has no links.
    let mut plain = server.connect().await;
    plain.log_in_as_person("Ann", &key).await;
    plain.command("look").await;
    let room = plain.expect_text("Village Green").await;
    assert!(room["data"].get("spans").is_none(), "{room}");
    let mut again = server.connect().await;
    again.numbered = false;
    again.send(login(json!({"token": token, "features": ["rich"]}))).await;
    again.expect("state").await;
    again.command("screenreader on").await;
    again.expect_text("made for a screen reader").await;
    again.command("look").await;
    let room = again.expect_text("Village Green").await;
    assert!(links(&room).is_empty() && room["data"]["spans"].is_array(), "{room}");
}

#[tokio::test]
async fn an_agent_reads_spans_in_its_events() {
    let server = Server::start_with(green());
    let key = server.key("Bot").await;
    let mut bot = server.connect().await;
    bot.send(login(json!({"player_name": "Bot", "password": key, "is_agent": true, "features": ["rich"]}))).await;
    bot.expect("state").await;
    bot.command("exits").await;
    let event = bot.expect_text("Ways out of here:").await;
    assert_eq!((&event["type"], &event["data"]["type"]), (&json!("event"), &json!("text")));
    let ways = links(&event);
    assert!(ways.iter().any(|(text, link)| text == "North" && link["exit"] == "north"), "{ways:?}");
}

/// Every tag in what came is one of ours: opened, with an attribute of verbs and ids, and closed in its line.
fn tags(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.split("\r\n") {
        let mut open = false;
        for tag in line.split("\x1b[4z").skip(1) {
            if tag.starts_with("</SEND>") {
                assert!(std::mem::take(&mut open), "{line:?}");
                continue;
            }
            assert!(!std::mem::replace(&mut open, true), "{line:?}");
            let attribute = tag.strip_prefix("<SEND HREF=\"").and_then(|rest| rest.split_once('"'));
            let (commands, rest) = attribute.unwrap_or_else(|| panic!("{tag:?} is no link"));
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " _-|".contains(letter);
            assert!(commands.chars().all(is_plain), "{commands:?}");
            assert!(rest.starts_with('>') || rest.starts_with(" HINT=\"Right-click for more|"), "{tag:?}");
            found.push(commands.to_string());
        }
        assert!(!open, "{line:?}");
    }
    found
}

#[tokio::test]
async fn links_of_mxp_name_ids_and_all_other_text_stays_as_it_is() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut god = server.immortal("Orm", 40).await;
    god.ask("title <SEND HREF=quit> & <b>", "You are now").await;
    god.ask("load mob 113", "goose").await;
    let mut ann = Raw::dial(&server).await;
    let greeting = ann.expect(b"known?").await;
    assert!(greeting.windows(3).any(|three| three == [IAC, WILL, MXP]), "it is offered");
    ann.send(&[IAC, DO, MXP]).await;
    ann.expect(&[&[IAC, SB, MXP, IAC, SE], LOCKED].concat()).await;
    ann.log_in("Ann", &key).await;
    ann.ask("client", "Links           yes").await;
    ann.ask("color off", "black and white").await;
    let mut kill = String::new();
    for restarted in [false, true] {
        if restarted {
            server.copyover().await;
            ann.expect(b"The world blinks").await;
        }
        ann.line("look").await;
        ann.line("say <b>&lt;\x1b[4z<SEND HREF=\"quit\">x</b>").await;
        let seen = ann.expect(b"</b>\"").await;
        let seen = String::from_utf8_lossy(&seen).into_owned();
        let tags = tags(&seen);
        assert!(tags.iter().any(|commands| commands == "north|look north"), "{tags:?}");
        let goose = tags.iter().find(|commands| commands.contains("kill mob_113_")).expect("a goose");
        assert!(seen.contains("</SEND> <SEND HREF=quit> & <b> is here."), "{seen:?}");
        assert!(seen.contains("You say, \"<b>&lt;[4z<SEND HREF=\"quit\">x</b>\""), "{seen:?}");
        kill = goose.split('|').next_back().expect("the last of its commands").to_string();
    }
    assert_eq!(ann.count(LOCKED), 1, "a mode that stays is set once");
    ann.send(&[IAC, DONT, MXP]).await;
    ann.expect(&[IAC, WONT, MXP]).await;
    ann.line("exits").await;
    assert!(tags(&String::from_utf8_lossy(&ann.expect(b"South").await)).is_empty(), "no more of it");
    ann.ask(&kill, "goose").await;
}

#[tokio::test]
async fn who_has_a_screen_reader_or_no_mxp_gets_no_tags() {
    let server = Server::start_with(green());
    for (name, agrees, reader) in [("Ann", true, true), ("Bob", false, false)] {
        let key = server.key(name).await;
        let mut person = Raw::dial(&server).await;
        person.expect(b"known?").await;
        if agrees {
            person.send(&[IAC, DO, MXP]).await;
        }
        if reader {
            person.send(&[IAC, WILL, TERMINAL_TYPE]).await;
            for answer in ["VIPMud", "ANSI", "MTTS 64"] {
                person.sub(TERMINAL_TYPE, format!("\0{answer}").as_bytes()).await;
            }
        }
        person.log_in(name, &key).await;
        let shown = person.ask("exits", "Ways out of here:").await + &person.ask("look", "Exits: ").await;
        assert!(!shown.contains('<') && !shown.contains("\x1b[4z"), "{shown:?}");
    }
}
