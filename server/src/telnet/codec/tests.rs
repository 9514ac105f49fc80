//! Bytes as clients send them, whole and cut anywhere, and what the codec makes of them.

use super::TelnetEvent::*;
use super::*;
use crate::telnet::capabilities::{Charset, CharsetAnswer, Depth};
use proptest::prelude::*;

/// The default of `--telnet-line-bytes`.
const LINE_BYTES_MAX: usize = 1024;

const NO_BYTES: [u8; 0] = [];
const NO_EVENTS: [TelnetEvent; 0] = [];

fn feed(codec: &mut Codec, bytes: &[u8]) -> (Vec<TelnetEvent>, Vec<u8>) {
    let (mut events, mut reply) = (Vec::new(), Vec::new());
    codec.receive(bytes, &mut events, &mut reply);
    (events, reply)
}

fn events(bytes: &[u8]) -> Vec<TelnetEvent> {
    feed(&mut Codec::new(LINE_BYTES_MAX), bytes).0
}

fn lines(texts: &[&str]) -> Vec<TelnetEvent> {
    texts.iter().map(|text| Line((*text).to_owned())).collect()
}

/// A codec that has greeted, and the bytes of the greeting.
fn greeted() -> (Codec, Vec<u8>) {
    let (mut codec, mut out) = (Codec::new(LINE_BYTES_MAX), Vec::new());
    codec.greet(&mut out);
    (codec, out)
}

/// One that goes on, where the program before knew all options.
fn resumed(known: Negotiated) -> Codec {
    let mut offers = Vec::new();
    let codec = Codec::resume(LINE_BYTES_MAX, known, &mut offers);
    assert_eq!(offers, NO_BYTES);
    codec
}

/// What is known of the client after these bytes, and the answers.
fn known(codec: &mut Codec, bytes: &[u8]) -> (Capabilities, Vec<u8>) {
    let (events, reply) = feed(codec, bytes);
    assert!(events.iter().all(|event| *event == Client), "{events:?}");
    (codec.client().into_owned(), reply)
}

fn sub(code: u8, payload: &[u8]) -> Vec<u8> {
    [&[IAC, SB, code], payload, &[IAC, SE]].concat()
}

#[test]
fn each_way_to_end_a_line_ends_it_once() {
    for (bytes, expected) in [
        (&b"a\r\nb\r\n"[..], &["a", "b"][..]),
        (b"a\r\0b\r\0", &["a", "b"]),
        (b"a\nb\n", &["a", "b"]),
        (b"a\n\rb\n\r", &["a", "b"]),
        (b"a\rb\r", &["a", "b"]),
        (b"\r\n\r\n", &["", ""]),
        (b"\n\n", &["", ""]),
        (b"\r\r", &["", ""]),
        (b"a\r\xff\xf1\nb\n", &["a", "b"]),
        (b"unfinished", &[]),
    ] {
        assert_eq!(events(bytes), lines(expected), "{bytes:?}");
    }
}

#[test]
fn backspace_takes_back_whole_characters() {
    for (bytes, line) in [
        (&b"lokk\x08\x08ok\n"[..], "look"),
        (b"lokk\x7f\x7fok\n", "look"),
        ("né\x08e\n".as_bytes(), "ne"),
        ("日本\x7f\n".as_bytes(), "日"),
        ("a🦀\x08b\n".as_bytes(), "ab"),
        (b"a\xe2\x82\x08b\n", "ab"),
        (b"a\x80\x08b\n", "ab"),
        (b"\xc3\xa9\xa9\x08\n", "é"),
        (b"\x08\x08a\n", "a"),
        (b"ab\xff\xf7c\n", "ac"),
        (b"ab\xff\xf8c\n", "c"),
    ] {
        assert_eq!(events(bytes), lines(&[line]), "{bytes:?}");
    }
}

#[test]
fn a_line_carries_no_control_characters_and_only_utf8() {
    for (bytes, line) in [
        (&b"say \x1b[31mred\x07\x00\n"[..], "say [31mred"),
        ("say \u{9b}31m\u{202e}x\n".as_bytes(), "say 31mx"),
        (b"caf\xe9\n", "caf\u{fffd}"),
        (b"a\xff\xffb\n", "a\u{fffd}b"),
        (b"a\tb\n", "a b"),
        ("naïve 🦀\n".as_bytes(), "naïve 🦀"),
    ] {
        assert_eq!(events(bytes), lines(&[line]), "{bytes:?}");
    }
}

#[test]
fn a_line_too_long_is_lost_alone() {
    let full = "x".repeat(LINE_BYTES_MAX);
    assert_eq!(events(format!("{full}\nlook\n").as_bytes()), lines(&[&full, "look"]));
    let after = [vec![LineTooLong], lines(&["look"])].concat();
    assert_eq!(events(format!("{full}xx\x08\r\nlook\r\n").as_bytes()), after);
    let flood = "x".repeat(100_000);
    assert_eq!(events(flood.as_bytes()), [LineTooLong]);
}

#[test]
fn a_browser_is_noticed_on_the_first_line_alone() {
    assert_eq!(events(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), [HttpRequest]);
    assert_eq!(events(b"bob\r\nGET / HTTP/1.1\r\n"), lines(&["bob", "GET / HTTP/1.1"]));
    assert_eq!(events(b"get sword\n"), lines(&["get sword"]));
}

#[test]
fn the_greeting_offers_what_there_is_and_nothing_that_hurts() {
    let (_, greeting) = greeted();
    let expected = [
        (DO, 24),
        (WILL, 25),
        (DO, 31),
        (DO, 39),
        (WILL, 42),
        (WILL, 70),
        (WILL, 86),
        (WILL, 201),
        (WILL, 69),
        (WILL, 91),
    ];
    assert_eq!(greeting, expected.map(|(verb, code)| [IAC, verb, code]).concat());
}

#[test]
fn links_are_locked_text_with_tags_and_asked_for_by_nobody() {
    let (mut codec, _) = greeted();
    assert!(!codec.client().gets_links());
    let agreed = (vec![Client], [&[IAC, SB, 91, IAC, SE][..], b"\x1b[7z"].concat());
    assert_eq!(feed(&mut codec, &[IAC, DO, 91]), agreed);
    assert_eq!(feed(&mut codec, &[IAC, DO, 91]), (vec![], vec![]), "once");
    assert!(codec.client().gets_links());
    // The next program knows it, and says nothing again.
    let mut offers = Vec::new();
    let mut next = Codec::resume(100, codec.state(), &mut offers);
    assert!(offers.is_empty() && next.client().gets_links());
    // The wrong direction.
    assert_eq!(feed(&mut next, &[IAC, WILL, 91]), (vec![], vec![IAC, DONT, 91]));
    assert_eq!(feed(&mut next, &[IAC, DONT, 91]), (vec![Client], vec![IAC, WONT, 91]));
    assert!(!next.client().gets_links());
}

#[test]
fn the_window_size_is_clamped_and_zero_is_unknown() {
    let (mut codec, _) = greeted();
    let mut ask = |payload: &[u8]| {
        let client = known(&mut codec, payload).0;
        (client.columns, client.rows)
    };
    assert_eq!(ask(&sub(31, &[0, 80, 0, 24])), (None, None), "before WILL it counts for nothing");
    ask(&[IAC, WILL, 31]);
    for (payload, expected) in [
        (&[0, 80, 0, 24][..], (Some(80), Some(24))),
        (&[0, 0, 0, 0], (None, None)),
        (&[0, 1, 255, 255, 255, 255], (Some(20), Some(500))),
        (&[0, 255, 255, 0, 50], (Some(255), Some(50))),
        (&[0, 80], (Some(255), Some(50))),
    ] {
        assert_eq!(ask(&sub(31, payload)), expected, "{payload:?}");
    }
}

#[test]
fn the_terminal_is_asked_until_its_answers_end() {
    let question = sub(24, &[1]);
    let answer = |name: &str| sub(24, &[&[0], name.as_bytes()].concat());
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &[IAC, WILL, 24]), (vec![], question.clone()));
    for (said, again) in [("TINTIN++", true), ("xterm\x1b-256color", true), ("MTTS 271", false), ("MTTS 4", false)] {
        let reply = feed(&mut codec, &answer(said)).1;
        assert_eq!(reply, if again { question.clone() } else { vec![] }, "{said}");
    }
    let client = codec.client().into_owned();
    assert_eq!(client.name.as_deref(), Some("TINTIN++"));
    assert_eq!(client.terminal.as_deref(), Some("xterm-256color"));
    assert_eq!((client.mtts, client.depth()), (Some(271), Depth::True));
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, WILL, 24]);
    assert_eq!(feed(&mut codec, &answer("XTERM-256COLOR")), (vec![Client], question.clone()));
    assert_eq!(feed(&mut codec, &answer("XTERM-256COLOR")), (vec![Client], vec![]), "a repeat ends it");
    assert_eq!(codec.client().terminal.as_deref(), Some("XTERM-256COLOR"), "who has one name has a terminal's");
    assert_eq!(codec.client().depth(), Depth::Palette);
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, WILL, 24]);
    let asked = (0..9).filter(|n| !feed(&mut codec, &answer(&format!("T{n}"))).1.is_empty()).count();
    assert_eq!(asked, 3, "and so does the fourth");
}

#[test]
fn of_a_list_of_terminals_the_first_is_the_clients_name_and_the_next_its_terminal() {
    // As TinyFugue says it, which then begins again; and a client that goes round sooner.
    for (list, terminal) in
        [(&["TINYFUGUE", "ANSI-ATTR", "ANSI", "UNKNOWN"][..], "ANSI-ATTR"), (&["TINYFUGUE", "ANSI"], "ANSI")]
    {
        let (mut codec, _) = greeted();
        let mut answers = list.iter().cycle();
        let mut question = feed(&mut codec, &[IAC, WILL, 24]).1;
        let mut asked = 0;
        while !question.is_empty() {
            assert_eq!(question, sub(24, &[1]));
            asked += 1;
            let answer = answers.next().expect("it goes round");
            question = feed(&mut codec, &sub(24, &[b"\0", answer.as_bytes()].concat())).1;
        }
        let client = codec.client().into_owned();
        assert_eq!((client.name.as_deref(), client.terminal.as_deref()), (Some("TINYFUGUE"), Some(terminal)));
        assert!(asked <= 4, "{asked} questions");
        assert_eq!(client.depth(), Depth::Sixteen);
    }
}

#[test]
fn the_environment_names_the_client_and_nothing_else_is_kept() {
    let (mut codec, _) = greeted();
    assert_eq!(known(&mut codec, &sub(39, b"\x00\x00CLIENT_NAME\x01early")).0, Capabilities::default());
    assert_eq!(known(&mut codec, &[IAC, WILL, 39]), (Capabilities::default(), sub(39, &[1])));
    let said = b"\x00\x00CLIENT_NAME\x01Mudlet\x00CLIENT_VERSION\x014.20\x1b[31m\x03USER\x01root\x00SCREEN_READER\x011\
        \x00CHARSET\x01utf-8\x00MTTS\x012349\x00TERMINAL_TYPE\x01ANSI\x02\x02-TRUE\x00COLOR\x00SHELL";
    let client = known(&mut codec, &sub(39, said)).0;
    let expected = Capabilities {
        name: Some("Mudlet".into()),
        version: Some("4.20[31m".into()),
        terminal: Some("ANSI-TRUE".into()),
        mtts: Some(2349),
        reads_aloud: true,
        named_charset: Some(Charset::Utf8),
        ..Capabilities::default()
    };
    assert_eq!(client, expected);
    assert!(client.is_screen_reader() && client.depth() == Depth::True);
    // Later, by INFO, in small letters; what has no value has none any more.
    let client = known(&mut codec, &sub(39, b"\x02\x00client_name\x03Screen_Reader\x01no\x00MTTS\x01many")).0;
    assert_eq!((client.name, client.reads_aloud, client.mtts), (None, false, Some(2349)));
    let long = [b"\x00\x00CLIENT_NAME\x01".as_slice(), &b"x".repeat(5_000)].concat();
    assert_eq!(known(&mut codec, &sub(39, &long)).0.name.map(|name| name.len()), Some(64));
    for broken in [&b"\x00"[..], b"\x00\x00", b"\x00\x01\x01\x01", b"\x00\x02", b"\x00\x00X\x01\x02", b"\x00zzz\x01y"] {
        let before = codec.client().into_owned();
        assert_eq!(known(&mut codec, &sub(39, broken)).0, before, "{broken:?}");
    }
}

#[test]
fn whose_connection_it_is_is_told_and_believed_elsewhere() {
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, WILL, 39]);
    let said = |address: &str| sub(39, &[b"\x00\x00IPADDRESS\x01", address.as_bytes()].concat());
    let address = |text: &str| vec![CallerAddress(text.parse().expect("an address"))];
    assert_eq!(feed(&mut codec, &said("192.0.2.7")).0, address("192.0.2.7"));
    assert_eq!(feed(&mut codec, &said("::ffff:192.0.2.7")).0, address("192.0.2.7"));
    assert_eq!(feed(&mut codec, &said("localhost")).0, NO_EVENTS);
    assert_eq!(*codec.client(), Capabilities::default(), "nobody is shown it");
}

#[test]
fn the_character_set_is_agreed_by_either_end() {
    let request = sub(42, b"\x01;UTF-8;ISO-8859-1;US-ASCII");
    let answer = |codec: &Codec| codec.client().charset_answer;
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &[IAC, DO, 42]), (vec![], request.clone()));
    assert_eq!(feed(&mut codec, &sub(42, b"\x02UTF-8")).0, [Client]);
    assert_eq!(answer(&codec), CharsetAnswer::Agreed(Charset::Utf8));
    assert_eq!(feed(&mut codec, &sub(42, b"\x03")).0, NO_EVENTS, "only an answer counts");
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, DO, 42]);
    assert_eq!(feed(&mut codec, &sub(42, b"\x03")).0, [Client]);
    assert_eq!(answer(&codec), CharsetAnswer::Refused);
    feed(&mut codec, &[IAC, WILL, 42]);
    let accepted = (vec![Client], sub(42, b"\x02UTF-8"));
    assert_eq!(feed(&mut codec, &sub(42, b"\x01 ISO-8859-1 utf-8")), accepted);
    assert_eq!(answer(&codec), CharsetAnswer::Agreed(Charset::Utf8));
    assert_eq!(feed(&mut codec, &sub(42, b"\x01;KOI8-R")), (vec![], sub(42, b"\x03")));
    let latin = (vec![Client], sub(42, b"\x02ISO-8859-1"));
    assert_eq!(feed(&mut codec, &sub(42, b"\x01[TTABLE]\x01;KOI8-R;ascii;latin1")), latin, "the best of them");
}

#[test]
fn without_an_agreement_the_client_is_taken_at_its_word() {
    let client = |mtts: Option<u32>, named: Option<Charset>, answer: CharsetAnswer| Capabilities {
        mtts,
        named_charset: named,
        charset_answer: answer,
        ..Capabilities::default()
    };
    use CharsetAnswer::{Agreed, Refused};
    for (client, expected, told) in [
        (Capabilities::default(), Charset::Utf8, "not told, taken for UTF-8"),
        (client(Some(1), None, Refused), Charset::Utf8, "not told, taken for UTF-8"),
        (client(Some(1), Some(Charset::Ascii), Refused), Charset::Ascii, "US-ASCII"),
        (client(Some(4), Some(Charset::Ascii), Refused), Charset::Utf8, "UTF-8"),
        (client(None, Some(Charset::Latin1), CharsetAnswer::None), Charset::Latin1, "ISO-8859-1"),
        (client(Some(4), None, Agreed(Charset::Latin1)), Charset::Latin1, "ISO-8859-1"),
    ] {
        assert_eq!(client.charset(), expected, "{client:?}");
        assert!(client.told().contains(&format!("\n  Characters      {told}\n")), "{}", client.told());
    }
}

#[test]
fn a_line_is_read_in_the_clients_character_set() {
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, DO, 42]);
    feed(&mut codec, &sub(42, b"\x02iso-8859-1"));
    for (bytes, line) in [
        (&b"caf\xe9\n"[..], "café"),
        (b"\xc3\xa9\n", "Ã©"),
        (b"\xc3\xa9\x08\n", "Ã"),
        (b"\xff\xff\x80\x9b31m\n", "ÿ31m"),
        (b"plain\n", "plain"),
    ] {
        assert_eq!(feed(&mut codec, bytes).0, lines(&[line]), "{bytes:?}");
    }
    feed(&mut codec, b"caf\xe9");
    assert_eq!(codec.half_line(), "café");
    let mut next = resumed(codec.state());
    assert_eq!(feed(&mut next, b"s\n").0, lines(&["cafés"]), "after a restart too");
}

#[test]
fn lists_and_compression_are_the_shells_affair() {
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &[IAC, DO, 70]), (vec![ListingAsked], vec![]));
    let mut out = Vec::new();
    codec.listing([("NAME", "A\u{1}B"), ("PLAYERS", "1")], &mut out);
    assert_eq!(out, sub(70, b"\x01NAME\x02AB\x01PLAYERS\x021"));
    assert_eq!(feed(&mut codec, &[IAC, DO, 86]), (vec![Compression { on: true }], vec![]));
    assert_eq!(feed(&mut codec, &[IAC, DONT, 86]), (vec![Compression { on: false }], vec![IAC, WONT, 86]));
    // Another program goes on.
    feed(&mut codec, &[IAC, DO, 86]);
    out.clear();
    codec.take_back_compression(&mut out);
    assert_eq!(out, [IAC, WONT, 86]);
    let mut next = resumed(codec.state());
    next.offer_again();
    assert_eq!(feed(&mut next, &[IAC, DONT, 86]).1, [IAC, WILL, 86], "when the client has agreed to the end");
    assert_eq!(feed(&mut next, &[IAC, DO, 86]).0, [Compression { on: true }]);
    // Who had none is offered none.
    let (mut codec, _) = greeted();
    out.clear();
    codec.take_back_compression(&mut out);
    codec.offer_again();
    assert_eq!((out, feed(&mut codec, &[IAC, DONT, 86]).1), (vec![], vec![]));
}

#[test]
fn the_next_program_offers_what_the_one_before_did_not_know() {
    let (mut codec, _) = greeted();
    let known = |codec: &Codec| {
        let mut known = codec.state();
        known.options.retain(|agreed| ![31, 201].contains(&agreed.code));
        known
    };
    let mut offers = Vec::new();
    Codec::resume(LINE_BYTES_MAX, known(&codec), &mut offers);
    assert_eq!(offers, NO_BYTES, "nothing has shown that the client could read it");
    feed(&mut codec, &[IAC, DO, 25, IAC, DONT, 42]);
    let mut next = Codec::resume(LINE_BYTES_MAX, known(&codec), &mut offers);
    assert_eq!(offers, [IAC, DO, 31, IAC, WILL, 201]);
    assert_eq!(feed(&mut next, &[IAC, WILL, 31, IAC, DO, 201]), (vec![Messages { on: true }], vec![]));
}

#[test]
fn messages_are_taken_where_that_was_agreed_and_none_is_too_long() {
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &sub(201, b"Core.Hello {}")).0, NO_EVENTS);
    assert_eq!(feed(&mut codec, &[IAC, DO, 201]).0, [Messages { on: true }]);
    let said = |name: &str, data: &str| Message { name: name.into(), data: data.into() };
    assert_eq!(feed(&mut codec, &sub(201, b"Core.Hello {\"a\": 1} ")).0, [said("Core.Hello", "{\"a\": 1}")]);
    assert_eq!(feed(&mut codec, &sub(201, b"Core.KeepAlive")).0, [said("Core.KeepAlive", "")]);
    assert_eq!(feed(&mut codec, &sub(201, b"")).0, [said("", "")]);
    assert_eq!(feed(&mut codec, &sub(201, b"A\x1b.B \xfe")).0, [said("A.B", "\u{fffd}")]);
    let flood = [b"Core.Supports.Set ".as_slice(), &b"x".repeat(1_000_000)].concat();
    assert_eq!(feed(&mut codec, &sub(201, &flood)).0, NO_EVENTS);
    let mut out = Vec::new();
    codec.message("Room.Info", "{}", &mut out);
    assert_eq!(out, sub(201, b"Room.Info {}"));
    codec.know("Mud\u{1b}let", "");
    assert_eq!(codec.client().name.as_deref(), Some("Mudlet"));
}

#[test]
fn variables_are_spelled_and_commands_about_them_read() {
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &sub(69, b"\x01LIST\x02COMMANDS")).0, NO_EVENTS);
    assert_eq!(feed(&mut codec, &[IAC, DO, 69]).0, [Variables { on: true }]);
    let about = |command: &str, words: &[&str]| AboutVariables {
        command: command.into(),
        words: words.iter().map(|word| (*word).into()).collect(),
    };
    let deep = [b"\x01REPORT\x02".as_slice(), &b"\x05\x02".repeat(100), b"HEALTH", &b"\x06".repeat(100)].concat();
    for (said, expected) in [
        (&b"\x01LIST\x02COMMANDS"[..], vec![about("LIST", &["COMMANDS"])]),
        (b"\x01REPORT\x02HEALTH\x02MANA", vec![about("REPORT", &["HEALTH", "MANA"])]),
        (b"\x01REPORT\x02\x05\x02HEALTH\x02MANA\x06", vec![about("REPORT", &["HEALTH", "MANA"])]),
        (
            b"\x01SEND\x02HEALTH\x01CLIENT_NAME\x02M\x1b[2J",
            vec![about("SEND", &["HEALTH"]), about("CLIENT_NAME", &["M[2J"])],
        ),
        (&deep, vec![about("REPORT", &[])]),
        (b"\x06\x06\x04\x01SEND\x02MANA", vec![about("SEND", &["MANA"])]),
        (b"\x02LOST\x02", vec![]),
        (b"no mark", vec![]),
        (b"\x01", vec![about("", &[])]),
        (b"", vec![]),
    ] {
        assert_eq!(feed(&mut codec, &sub(69, said)).0, expected, "{said:?}");
    }
    let many = [b"\x01SEND".as_slice(), &b"\x02X".repeat(4_000)].concat();
    let heard = feed(&mut codec, &sub(69, &many)).0;
    assert!(matches!(&heard[..], [AboutVariables { words, .. }] if words.len() == 128));
    let room = serde_json::json!({"EXITS": {"n": 101}, "NAME": "A \u{1}\u{1b}Café", "SEEN": [true, null, "x"]});
    let mut out = Vec::new();
    codec.variable("ROOM", &room, &mut out);
    let exits = "\u{1}EXITS\u{2}\u{3}\u{1}n\u{2}101\u{4}";
    let seen = "\u{1}SEEN\u{2}\u{5}\u{2}1\u{2}\u{2}x\u{6}";
    let room = format!("\u{1}ROOM\u{2}\u{3}{exits}\u{1}NAME\u{2}A Café{seen}\u{4}");
    assert_eq!(out, sub(69, room.as_bytes()));
}

#[test]
fn a_storm_of_offers_is_answered_so_often_and_then_ignored() {
    let storm = |bytes: Vec<u8>| {
        let (mut codec, _) = greeted();
        let reply: usize = (0..2_000).map(|_| feed(&mut codec, &bytes).1.len()).sum();
        // Whoever storms may play all the same, and passwords are hidden from it.
        assert_eq!(feed(&mut codec, b"look\r\n").0, lines(&["look"]));
        let mut out = Vec::new();
        codec.password_mode(true, &mut out);
        assert_eq!(out, [IAC, WILL, 1]);
        assert_eq!(feed(&mut codec, &[IAC, DO, 1]).1, NO_BYTES);
        out.clear();
        codec.password_mode(false, &mut out);
        assert_eq!(out, [IAC, WONT, 1, b'\r', b'\n']);
        feed(&mut codec, &[IAC, DONT, 1]);
        // And so may it say what its window is, if that is on.
        feed(&mut codec, &[IAC, WILL, 31]);
        assert_eq!(known(&mut codec, &sub(31, &[0, 90, 0, 24])).0.columns, Some(90));
        reply
    };
    assert_eq!(storm(vec![IAC, DO, 99]), 64 * 3, "of an option that is unknown");
    assert_eq!(storm(vec![IAC, WILL, 1, IAC, DO, 24]), 64 * 3, "of one that is refused");
    assert!(storm(vec![IAC, DO, 3, IAC, DONT, 3]) <= 65 * 3, "of one that goes on and off");
    let charset = storm([&[IAC, WILL, 42][..], &sub(42, b"\x01;KOI8-R")].concat());
    assert!(charset <= 64 * 6, "of character sets: {charset}");
}

#[test]
fn a_password_is_hidden_and_the_line_break_after_it_shown() {
    let (mut codec, mut out) = (Codec::new(LINE_BYTES_MAX), Vec::new());
    codec.password_mode(true, &mut out);
    codec.password_mode(true, &mut out);
    assert_eq!(out, [IAC, WILL, 1]);
    assert_eq!(feed(&mut codec, &[IAC, DO, 1]).1, NO_BYTES);
    assert_eq!(feed(&mut codec, b"hunter2\r\n").0, lines(&["hunter2"]));
    out.clear();
    codec.password_mode(false, &mut out);
    codec.password_mode(false, &mut out);
    assert_eq!(out, [IAC, WONT, 1, b'\r', b'\n']);
    assert_eq!(feed(&mut codec, &[IAC, DONT, 1]).1, NO_BYTES);
}

#[test]
fn a_password_mode_that_ends_before_its_answer_ends_after_it() {
    let (mut codec, mut out) = (Codec::new(LINE_BYTES_MAX), Vec::new());
    codec.password_mode(true, &mut out);
    codec.password_mode(false, &mut out);
    assert_eq!(out, [IAC, WILL, 1]);
    assert_eq!(feed(&mut codec, &[IAC, DO, 1]).1, [IAC, WONT, 1]);
    assert_eq!(feed(&mut codec, &[IAC, DONT, 1]).1, NO_BYTES);
}

#[test]
fn a_prompt_ends_as_the_client_can_read_it() {
    let end = |codec: &Codec| codec.prompt_mark().to_vec();
    let (mut codec, _) = greeted();
    assert_eq!(end(&codec), NO_BYTES, "a client without telnet is told nothing");
    feed(&mut codec, &[IAC, DONT, 25]);
    assert_eq!(end(&codec), [IAC, GA]);
    assert_eq!(feed(&mut codec, &[IAC, DO, 3]).1, [IAC, WILL, 3]);
    assert_eq!(end(&codec), NO_BYTES, "go-ahead is suppressed");
    assert_eq!(feed(&mut codec, &[IAC, DO, 25]).1, [IAC, WILL, 25]);
    assert_eq!(end(&codec), [IAC, EOR]);
}

#[test]
fn an_unknown_option_is_refused_once_per_request() {
    let mut codec = Codec::new(LINE_BYTES_MAX);
    assert_eq!(feed(&mut codec, &[IAC, DO, 99, IAC, WILL, 99]).1, [IAC, WONT, 99, IAC, DONT, 99]);
    assert_eq!(feed(&mut codec, &[IAC, DONT, 99, IAC, WONT, 99]).1, NO_BYTES);
    assert_eq!(feed(&mut codec, &[IAC, WILL, 1, IAC, DO, 31]).1, [IAC, DONT, 1, IAC, WONT, 31]);
}

#[test]
fn an_agreed_option_is_not_answered_again() {
    let (mut codec, _) = greeted();
    for _ in 0..3 {
        assert_eq!(feed(&mut codec, &[IAC, WILL, 31, IAC, DO, 25]).1, NO_BYTES);
    }
    assert_eq!(feed(&mut codec, &[IAC, DONT, 25]).1, [IAC, WONT, 25]);
}

#[test]
fn are_you_there_does_not_disturb_the_line() {
    assert_eq!(events(b"lo\xff\xf6ok\n"), [vec![AreYouThere], lines(&["look"])].concat());
    assert_eq!(events(b"lo\xff\xec\xff\xf4\xff\xf1ok\n"), lines(&["look"]), "end of file, interrupt, NOP");
}

#[test]
fn a_subnegotiation_too_long_is_swallowed_whole() {
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, WILL, 24]);
    let flood = sub(24, &[0].repeat(100_000));
    assert_eq!(feed(&mut codec, &flood), (vec![], vec![]));
    assert!(codec.payload.capacity() == 0);
    assert_eq!(feed(&mut codec, &[&flood[..], b"look\n"].concat()).0, lines(&["look"]));
    assert_eq!(feed(&mut codec, &[&sub(201, b"Core.Hello {}")[..], b"look\n"].concat()).0, lines(&["look"]));
}

#[test]
fn a_subnegotiation_without_its_end_does_not_eat_the_next_command() {
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &[IAC, SB, 24, 0, b'x', IAC, DO, 99]).1, [IAC, WONT, 99]);
    assert_eq!(feed(&mut codec, b"look\n").0, lines(&["look"]));
}

#[test]
fn an_idle_codec_is_small() {
    assert!(size_of::<Codec>() < 180, "{}", size_of::<Codec>());
    let (mut codec, _) = greeted();
    feed(&mut codec, b"a line\r\n");
    assert_eq!(codec.typed.line.capacity() + codec.payload.capacity(), 0);
}

/// Bytes that mean something to telnet, far more often than chance would give.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop_oneof![Just(WILL), Just(WONT), Just(DO), Just(DONT)].prop_flat_map(|verb| {
            let known = proptest::sample::select(vec![1u8, 3, 24, 25, 31, 39, 42, 69, 70, 86, 91, 201]);
            prop_oneof![4 => known, 1 => any::<u8>()]
                .prop_map(move |code| vec![IAC, verb, code])
        }),
        3 => (proptest::sample::select(vec![24u8, 31, 39, 42, 69, 201]), proptest::collection::vec(any::<u8>(), 0..6))
            .prop_map(|(code, payload)| sub(code, &payload)),
        1 => Just(sub(24, b"\0XTERM")),
        1 => Just(sub(24, b"\0MTTS 271")),
        1 => Just(sub(39, b"\0\0CLIENT_NAME\x01Bot\x03IPADDRESS\x01192.0.2.1\0MTTS\x0171")),
        1 => Just(sub(42, b"\x01;UTF-8")),
        1 => Just(sub(69, b"\x01REPORT\x02\x05\x02HEALTH\x02MANA\x06")),
        1 => Just(sub(42, b"\x02UTF-8")),
        3 => proptest::sample::select(vec!["\r\n", "\r\0", "\n", "\n\r", "\r", "\x08", "\x7f"])
            .prop_map(|end| end.as_bytes().to_vec()),
        3 => "[a-zé日🦀]{0,6}".prop_map(String::into_bytes),
        1 => (1000usize..1060).prop_map(|length| vec![b'x'; length]),
        2 => proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn cutting_the_input_anywhere_changes_nothing(
        bytes in noise(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
    ) {
        let whole = feed(&mut greeted().0, &bytes);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let (mut codec, _) = greeted();
        let (mut events, mut reply) = (Vec::new(), Vec::new());
        for pair in cuts.windows(2) {
            codec.receive(&bytes[pair[0]..pair[1]], &mut events, &mut reply);
        }
        prop_assert_eq!((events, reply), whole.clone());
        let (mut codec, _) = greeted();
        let (mut events, mut reply) = (Vec::new(), Vec::new());
        for byte in bytes.chunks(1) {
            codec.receive(byte, &mut events, &mut reply);
        }
        prop_assert_eq!((events, reply), whole);
    }

    #[test]
    fn another_codec_goes_on_as_if_it_had_been_there_all_along(
        bytes in noise(),
        cut in any::<proptest::sample::Index>(),
    ) {
        let whole = feed(&mut greeted().0, &bytes);
        let (before, after) = bytes.split_at(cut.index(bytes.len() + 1));
        let (mut codec, _) = greeted();
        let (mut events, mut reply) = feed(&mut codec, before);
        let known = serde_json::to_string(&codec.state()).expect("it is plain data");
        let known: Negotiated = serde_json::from_str(&known).expect("it was just written");
        let mut next = resumed(known);
        prop_assert_eq!(next.state(), codec.state());
        next.receive(after, &mut events, &mut reply);
        prop_assert_eq!((events, reply), whole);
    }

    #[test]
    fn a_line_is_never_longer_than_allowed_nor_unclean(bytes in noise()) {
        for event in events(&bytes) {
            if let Line(line) = event {
                // A byte that is not UTF-8 becomes a character of three.
                prop_assert!(line.len() <= 3 * LINE_BYTES_MAX && !line.contains(char::is_control));
            }
        }
    }

    #[test]
    fn two_ends_soon_fall_silent(a_hears in noise(), b_hears in noise(), passwords in any::<[bool; 4]>()) {
        let (mut a, mut to_b) = greeted();
        let (mut b, mut to_a) = greeted();
        a.receive(&a_hears, &mut Vec::new(), &mut to_b);
        b.receive(&b_hears, &mut Vec::new(), &mut to_a);
        for on in passwords {
            a.password_mode(on, &mut to_b);
            b.password_mode(!on, &mut to_a);
        }
        for round in 0.. {
            if to_a.is_empty() && to_b.is_empty() {
                break;
            }
            prop_assert!(round < 40, "still talking: {to_a:?} {to_b:?}");
            let (for_a, for_b) = (std::mem::take(&mut to_a), std::mem::take(&mut to_b));
            a.receive(&for_a, &mut Vec::new(), &mut to_b);
            b.receive(&for_b, &mut Vec::new(), &mut to_a);
        }
    }

    #[test]
    fn the_answer_is_never_much_longer_than_the_question(bytes in noise()) {
        // The list of character sets is asked about once, in 32 bytes, as soon as a client agrees in 3.
        let (_, reply) = feed(&mut greeted().0, &bytes);
        prop_assert!(reply.len() <= 4 * bytes.len() + 32, "{} bytes for {}", reply.len(), bytes.len());
    }
}
