//! Bytes as clients send them, whole and cut anywhere, and what the codec makes of them.

use super::TelnetEvent::*;
use super::*;
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
fn the_window_size_is_clamped_and_zero_is_unknown() {
    let (mut codec, _) = greeted();
    let ask = |codec: &mut Codec, payload: &[u8]| feed(codec, &sub(31, payload)).0;
    assert_eq!(ask(&mut codec, &[0, 80, 0, 24]), NO_EVENTS, "before WILL it counts for nothing");
    feed(&mut codec, &[IAC, WILL, 31]);
    assert_eq!(ask(&mut codec, &[0, 80, 0, 24]), [WindowSize { columns: Some(80), rows: Some(24) }]);
    assert_eq!(ask(&mut codec, &[0, 0, 0, 0]), [WindowSize { columns: None, rows: None }]);
    assert_eq!(ask(&mut codec, &[0, 1, 255, 255, 255, 255]), [WindowSize { columns: Some(20), rows: Some(500) }]);
    assert_eq!(ask(&mut codec, &[0, 255, 255, 0, 50]), [WindowSize { columns: Some(255), rows: Some(50) }]);
    assert_eq!(ask(&mut codec, &[0, 80]), NO_EVENTS);
}

#[test]
fn the_terminal_is_asked_until_its_answers_end() {
    let question = sub(24, &[terminal_type::SEND]);
    let answer = |name: &str| sub(24, &[&[terminal_type::IS], name.as_bytes()].concat());
    let named = |name: &str| TerminalType(name.to_owned());
    let (mut codec, _) = greeted();
    assert_eq!(feed(&mut codec, &[IAC, WILL, 24]), (vec![], question.clone()));
    assert_eq!(feed(&mut codec, &answer("TINTIN++")), (vec![named("TINTIN++")], question.clone()));
    assert_eq!(feed(&mut codec, &answer("xterm\x1b-256color")), (vec![named("xterm-256color")], question.clone()));
    assert_eq!(feed(&mut codec, &answer("MTTS 271")), (vec![Mtts(271)], vec![]));
    assert_eq!(feed(&mut codec, &answer("MTTS 271")), (vec![], vec![]));
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, WILL, 24]);
    assert_eq!(feed(&mut codec, &answer("XTERM")), (vec![named("XTERM")], question.clone()));
    assert_eq!(feed(&mut codec, &answer("XTERM")), (vec![], vec![]), "a repeat ends it");
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, WILL, 24]);
    let asked = (0..9).filter(|n| !feed(&mut codec, &answer(&format!("T{n}"))).1.is_empty()).count();
    assert_eq!(asked, 3, "and so does the fourth");
}

#[test]
fn the_character_set_is_agreed_by_either_end() {
    let (mut codec, greeting) = greeted();
    assert!(greeting.ends_with(&[IAC, WILL, 42]));
    let request = sub(42, b"\x01;UTF-8");
    assert_eq!(feed(&mut codec, &[IAC, DO, 42]), (vec![], request.clone()));
    assert_eq!(feed(&mut codec, &sub(42, b"\x02UTF-8")).0, [Charset { utf8: true }]);
    assert_eq!(feed(&mut codec, &sub(42, b"\x03")).0, NO_EVENTS, "only an answer counts");
    let (mut codec, _) = greeted();
    feed(&mut codec, &[IAC, DO, 42]);
    assert_eq!(feed(&mut codec, &sub(42, b"\x03")).0, [Charset { utf8: false }]);
    feed(&mut codec, &[IAC, WILL, 42]);
    let accepted = (vec![Charset { utf8: true }], sub(42, b"\x02UTF-8"));
    assert_eq!(feed(&mut codec, &sub(42, b"\x01 ISO-8859-1 utf-8")), accepted);
    assert_eq!(feed(&mut codec, &sub(42, b"\x01;KOI8-R")), (vec![], sub(42, b"\x03")));
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
    assert_eq!(feed(&mut codec, &[IAC, DO, 86, IAC, WILL, 201]).1, [IAC, WONT, 86, IAC, DONT, 201]);
    assert_eq!(feed(&mut codec, &[IAC, DONT, 86, IAC, WONT, 201]).1, NO_BYTES);
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
    assert_eq!(feed(&mut codec, &[IAC, SB, 24, 0, b'x', IAC, DO, 86]).1, [IAC, WONT, 86]);
    assert_eq!(feed(&mut codec, b"look\n").0, lines(&["look"]));
}

#[test]
fn an_idle_codec_is_small() {
    assert!(size_of::<Codec>() < 150, "{}", size_of::<Codec>());
    let (mut codec, _) = greeted();
    feed(&mut codec, b"a line\r\n");
    assert_eq!(codec.typed.line.capacity() + codec.payload.capacity(), 0);
}

/// Bytes that mean something to telnet, far more often than chance would give.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop_oneof![Just(WILL), Just(WONT), Just(DO), Just(DONT)].prop_flat_map(|verb| {
            prop_oneof![4 => proptest::sample::select(vec![1u8, 3, 24, 25, 31, 42]), 1 => any::<u8>()]
                .prop_map(move |code| vec![IAC, verb, code])
        }),
        3 => (proptest::sample::select(vec![24u8, 31, 42, 201]), proptest::collection::vec(any::<u8>(), 0..6))
            .prop_map(|(code, payload)| sub(code, &payload)),
        1 => Just(sub(24, b"\0XTERM")),
        1 => Just(sub(24, b"\0MTTS 271")),
        1 => Just(sub(42, b"\x01;UTF-8")),
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
        let mut next = Codec::resume(LINE_BYTES_MAX, known);
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
        let (_, reply) = feed(&mut greeted().0, &bytes);
        prop_assert!(reply.len() <= 4 * bytes.len() + 16, "{} bytes for {}", reply.len(), bytes.len());
    }
}
