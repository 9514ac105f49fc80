//! Bytes that a terminal might send, and those that must never reach another one.

use super::{green, green_with};
use serde_json::json;
use tests::e2e::Server;

const IAC: u8 = 255;

#[tokio::test]
async fn lines_are_lines_however_they_end_and_however_they_are_cut() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    for (bytes, said) in [
        (&b"say one\r\n"[..], "one"),
        (b"say two\r\0", "two"),
        (b"say three\n", "three"),
        (b"say fo\x08\x08four\r\n", "four"),
        (b"say fiva\x7fe\r\n", "five"),
        ("say gru\u{308}n\u{e9}\r\n".as_bytes(), "gru\u{308}n\u{e9}"),
        ("say x\u{e9}\x7fy\r\n".as_bytes(), "xy"),
        (
            &[
                b"say a".as_slice(),
                &[IAC, 241],
                b"b",
                &[IAC, 253, 99],
                b"c",
                &[IAC, 250, 31, 0, 80, 0, 24, IAC, 240],
                b"d\r\n",
            ]
            .concat(),
            "abcd",
        ),
    ] {
        let read = format!("You say, \"{said}\"");
        ann.send_raw(bytes).await;
        ann.expect(&read).await;
        // The same, byte by byte.
        for byte in bytes {
            ann.send_raw(&[*byte]).await;
        }
        ann.expect(&read).await;
    }
    assert!(ann.fence().await.find("You say").is_none(), "nothing was said twice");
}

#[tokio::test]
async fn texts_and_tables_fit_the_window_and_follow_it() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let side_by_side = ann.ask("score", "Alignment").await;
    assert!(side_by_side.lines().any(|line| line.contains("Hit points") && line.contains("Gold")), "{side_by_side}");
    ann.send_raw(&[IAC, 251, 31, IAC, 250, 31, 0, 40, 0, 24, IAC, 240]).await;
    let below = ann.ask("score", "Alignment").await;
    assert!(below.lines().all(|line| !line.contains("Hit points") || !line.contains("Strength")), "{below}");
    let words = "every word of this has to be broken somewhere";
    let said = ann.ask(&format!("say {words}"), "somewhere\"").await;
    // It is said behind the prompt, on whose line the typing stood.
    let said = &said[said.find("You say").expect("what was said")..];
    assert!(said.lines().count() > 1 && said.lines().all(|line| line.len() <= 40), "{said}");
    // Another client takes over, which tells no width.
    let mut again = server.person("Ann").await;
    let side_by_side = again.ask("score", "Alignment").await;
    assert!(side_by_side.lines().any(|line| line.contains("Hit points") && line.contains("Gold")), "{side_by_side}");
}

#[tokio::test]
async fn a_line_that_is_too_long_and_bytes_that_are_no_text_lose_nothing_else() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut ann = server.person("Ann").await;
    ann.send(&format!("say {}", "x".repeat(3_000))).await;
    ann.expect("too long").await;
    ann.send_raw(b"say caf\xe9 \xff\xff\xc3(\r\n").await;
    ann.expect("You say, \"caf\u{fffd}").await;
    ann.send_raw(&b"nod\n".repeat(300)).await;
    ann.expect("50 lines wait already.").await;
    ann.ask("clear", "forgotten").await;
    ann.fence().await;
    ann.ask("say still here", "still here").await;
    ann.send_raw(&[IAC, 250, 24, 0]).await;
    ann.send_raw(&vec![b'A'; 20_000]).await;
    ann.send_raw(&[IAC, 240]).await;
    ann.ask("say and now", "and now").await;
}

#[tokio::test]
async fn control_bytes_never_reach_another_terminal() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut bob = server.person("Bob").await;
    let mut bot = server.agent("Bot").await;
    for name in ["Ann", "Bot"] {
        server.promote(name, 10).await;
    }
    bob.fence().await;
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{200b}\u{8}\u{85}done";
    let from = bob.bytes.len();
    let verbs = ["say", "tell bob", "gossip", "emote", "title", "description", "shout", "whisper bob", "newbie"];
    for (n, verb) in verbs.into_iter().enumerate() {
        // Numbered, since one line is not said again and again.
        ann.send(&format!("{verb} {evil}{n}")).await;
        ann.fence().await;
        bot.command(&format!("{verb} {evil}{n}")).await;
        bot.fence().await;
    }
    bot.send(json!({"type": "command", "data": {"command": "say", "args": ["a\r\nFake line", "\u{1b}[31m"]}})).await;
    bot.fence().await;
    bob.ask("whois ann", "done").await;
    bob.ask("look ann", "done").await;
    bob.ask("who", "players").await;
    bob.fence().await;
    let read = String::from_utf8(bob.bytes[from..].to_vec()).expect("text");
    assert!(read.matches("done").count() >= 12, "{read}");
    let bad: Vec<char> = read
        .chars()
        .filter(|c| (c.is_control() && !matches!(c, '\r' | '\n')) || matches!(c, '\u{202e}' | '\u{200b}'))
        .collect();
    assert!(bad.is_empty(), "{bad:?} in {read:?}");
    assert!(!read.contains("\nFake line"), "a line break of a player's is none: {read:?}");
    // A name is refused before anybody sees it.
    let mut name = server.dial().await;
    name.expect("known?").await;
    name.ask("Ev\u{1b}[31mil", "A name has only letters").await;
}

#[tokio::test]
async fn a_web_browser_at_the_telnet_door_is_told_where_it_is() {
    let server = Server::start_with(green());
    let mut browser = server.dial().await;
    browser.send_raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let text = browser.ending().await;
    assert!(text.contains("HTTP/1.1 400") && text.contains("telnet"), "{text}");
    let answer = server.get("/").await;
    assert_eq!(answer.status, 200);
    let answer = server.get("/ws").await;
    assert_eq!(answer.status, 426, "{}", answer.body);
    assert_eq!(server.get("/nowhere").await.status, 404);
}

#[tokio::test]
async fn passwords_are_hidden_and_prompts_are_marked() {
    let server = Server::start_with(green());
    server.key("Ann").await;
    let mut ann = server.dial().await;
    // WILL EOR was offered; this client wants it.
    ann.expect("known?").await;
    ann.send_raw(&[IAC, 253, 25]).await;
    ann.ask("Ann", "Password:").await;
    ann.send_raw(&[IAC, 246]).await;
    ann.expect("still here").await;
    assert!(ann.hidden);
}
