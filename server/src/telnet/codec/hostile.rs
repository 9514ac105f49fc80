//! Bytes of clients that are broken, or mean harm. Nothing of them breaks anything, grows without bound, or eats what
//! is typed beside them; and what we send is read as it was meant by the parser of a client that is not ours.
//!
//! `PROPTEST_CASES=10000000 cargo test -p server --lib hostile` tries as many as one has time for.

use super::TelnetEvent::*;
use super::*;
use crate::telnet::Outbound;
use libmudtelnet_rs::Parser;
use libmudtelnet_rs::compatibility::CompatibilityTable;
use libmudtelnet_rs::events::TelnetEvents;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The default of `--telnet-line-bytes`.
const LINE_BYTES_MAX: usize = 1024;
/// No single answer is longer: the longest names a character set.
const ANSWER_BYTES_MAX: usize = 40;

fn receive(codec: &mut Codec, bytes: &[u8]) -> (Vec<TelnetEvent>, Vec<u8>) {
    let (mut events, mut reply) = (Vec::new(), Vec::new());
    codec.receive(bytes, &mut events, &mut reply);
    (events, reply)
}

/// All but the bytes of which UTF-8 makes one character of several: what a byte is then hangs on its neighbours.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![2 => 0u8..0x80, 1 => 0xc0u8..=0xff]
}

/// A payload of a subnegotiation, with its IACs doubled, mostly.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => vec(byte().prop_map(|byte| if byte == IAC { vec![IAC, IAC] } else { vec![byte] }), 0..12)
            .prop_map(|bytes| bytes.concat()),
        2 => vec(byte(), 0..6),
        // Some are of all lengths about the cap.
        1 => (8_150usize..8_250, byte()).prop_map(|(length, byte)| vec![byte.min(IAC - 1); length]),
        1 => (0usize..200).prop_map(|depth| [b"\x01REPORT".as_slice(), &b"\x02\x05".repeat(depth)].concat()),
        1 => (0usize..3_000).prop_map(|count| b"\x01LIST\x02COMMANDS".repeat(count / 16)),
        1 => (0usize..3_000).prop_map(|depth| [b"Core.Supports.Set ".as_slice(), &b"[".repeat(depth)].concat()),
        1 => select(vec![
            &b"Core.Hello {\"client\":7}"[..], b"Core.Hello", b" {}", b"\0", b"\x01", b"\x02", b"\0\0\0\0", b"\0\x5a\xfe\xfe",
            b"\x01;UTF-8;ISO-8859-1", b"\x02ISO-8859-1", b"\x02\xfe", b"\0MTTS 4294967296", b"\0MTTS -1",
            b"\0\0IPADDRESS\x01::1\0MTTS\x019", b"\0\x02\x02\x02", b"\0\x03\x01\x03\x01",
        ]).prop_map(<[u8]>::to_vec),
    ]
}

fn code() -> impl Strategy<Value = u8> {
    prop_oneof![4 => select(OPTIONS.iter().map(|row| row.code).collect::<Vec<_>>()), 1 => any::<u8>()]
}

fn verb() -> impl Strategy<Value = u8> {
    select(vec![WILL, WONT, DO, DONT])
}

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => vec(0u8..0x80, 0..8),
        2 => select(vec![&b"look\r\n"[..], b"\r", b"\n", b"\r\0", b"\x08", b"\x7f", b"GET / HTTP/1.1\r\n"])
            .prop_map(<[u8]>::to_vec),
        4 => (verb(), code()).prop_map(|(verb, code)| vec![IAC, verb, code]),
        1 => (verb(), code(), 1usize..150).prop_map(|(verb, code, times)| [IAC, verb, code].repeat(times)),
        3 => any::<u8>().prop_map(|command| vec![IAC, command]),
        1 => Just(vec![IAC, IAC]),
        // An end where nothing began, and a beginning without anything.
        1 => select(vec![vec![IAC, SE], vec![IAC, SB], vec![IAC, SB, IAC, SE], vec![IAC]]),
        5 => (code(), payload()).prop_map(|(code, payload)| [&[IAC, SB, code], &payload[..], &[IAC, SE]].concat()),
        2 => (code(), payload()).prop_map(|(code, payload)| [&[IAC, SB, code], &payload[..]].concat()),
        1 => (900usize..1_100).prop_map(|length| vec![b'x'; length]),
    ];
    vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// What of the bytes is typed, with the commands that edit it: RFC 854 read anew, and as simply as it can be.
fn typed(bytes: &[u8]) -> Vec<u8> {
    let (mut text, mut at) = (Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        at += match (byte, bytes.get(at + 1)) {
            (IAC, None) => break,
            (IAC, Some(&command @ (IAC | EC | EL))) => {
                text.extend([IAC, command]);
                2
            }
            (IAC, Some(&(WILL | WONT | DO | DONT))) => 3,
            (IAC, Some(&SB)) => 2 + subnegotiation_length(&bytes[at + 2..]),
            (IAC, Some(_)) => 2,
            (plain, _) => {
                text.push(plain);
                1
            }
        };
    }
    text
}

/// Behind `IAC SB`: up to its end, or to the command that comes in its place.
fn subnegotiation_length(bytes: &[u8]) -> usize {
    let named = bytes.first().is_some_and(|code| *code != IAC);
    let mut at = usize::from(named);
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) | (Some(&IAC), None) => return bytes.len(),
            (Some(&IAC), Some(&SE)) => return at + 2,
            (Some(&IAC), Some(&IAC)) => at += 2,
            (Some(&IAC), Some(_)) => return at,
            (Some(_), _) => at += 1,
        }
    }
}

/// What the player has said, whatever the bytes of it are taken for.
fn said(events: Vec<TelnetEvent>) -> Vec<TelnetEvent> {
    let plain = |line: String| line.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
    let said = |event| match event {
        Line(line) => Some(Line(plain(line))),
        LineTooLong | HttpRequest => Some(event),
        _ => None,
    };
    events.into_iter().filter_map(said).collect()
}

proptest! {
    #[test]
    fn no_command_changes_what_is_typed(bytes in hostile(), greets in any::<bool>()) {
        let mut codec = Codec::new(LINE_BYTES_MAX);
        if greets {
            codec.greet(&mut Vec::new());
        }
        let (heard, _) = receive(&mut codec, &bytes);
        let (plain, _) = receive(&mut Codec::new(LINE_BYTES_MAX), &typed(&bytes));
        prop_assert_eq!(said(heard), said(plain));
    }

    #[test]
    fn nothing_grows_without_bound_and_the_next_line_is_read(bytes in hostile(), times in 1usize..4) {
        let mut codec = Codec::new(LINE_BYTES_MAX);
        codec.greet(&mut Vec::new());
        let (events, reply) = receive(&mut codec, &bytes.repeat(times));
        prop_assert!(codec.payload.len() <= SUBNEGOTIATION_BYTES_MAX + 1);
        prop_assert!(codec.typed.line.len() <= LINE_BYTES_MAX);
        prop_assert!(reply.len() <= usize::from(ANSWERS_MAX) * ANSWER_BYTES_MAX, "{} bytes", reply.len());
        prop_assert!(events.len() <= bytes.len() * times);
        for event in &events {
            let (length, most) = match event {
                Line(line) => (line.len(), 3 * LINE_BYTES_MAX),
                Message { name, data } => (name.len() + data.len(), 3 * SUBNEGOTIATION_BYTES_MAX),
                AboutVariables { command, words } => {
                    let words: usize = words.iter().map(|word| word.len() + 1).sum();
                    (command.len() + words, 3 * SUBNEGOTIATION_BYTES_MAX)
                }
                _ => (0, 0),
            };
            prop_assert!(length <= most, "{length} bytes of {event:?}");
        }
        let is_deaf = events.contains(&HttpRequest);
        // Whatever had begun is over with that.
        let (events, _) = receive(&mut codec, &[&[IAC, SE, IAC, SE][..], b"\nlook\r\n"].concat());
        prop_assert_eq!(events.last() == Some(&Line("look".into())), !is_deaf, "{:?}", events);
    }

    #[test]
    fn what_we_send_is_read_by_the_parser_of_a_client(
        pieces in vec((0u8..5, "\\PC{0,12}(\n\\PC{0,4})?"), 0..12),
    ) {
        let mut codec = Codec::new(LINE_BYTES_MAX);
        let mut bytes = Vec::new();
        codec.greet(&mut bytes);
        // It speaks telnet, and takes whatever there is.
        let takes: Vec<u8> = OPTIONS.iter().flat_map(|row| [IAC, DO, row.code]).collect();
        let (_, reply) = receive(&mut codec, &takes);
        bytes.extend(reply);
        // That no tag means anything in what follows stands in the text itself.
        let (mut text, mut beside) = (b"\x1b[7z".to_vec(), Vec::new());
        for (kind, words) in &pieces {
            let mut commands = Vec::new();
            match kind {
                0 | 1 => {
                    let mut out = Outbound::new(&codec, &mut bytes);
                    out.line(words);
                    out.end_prompt();
                    text.extend(words.replace('\n', "\r\n").bytes().chain(*b"\r\n"));
                    continue;
                }
                2 => {
                    let json = serde_json::json!({ "text": words }).to_string();
                    codec.message("Comm.Channel.Text", &json, &mut commands);
                    beside.push((row(Opt::Gmcp).code, format!("Comm.Channel.Text {json}").into_bytes()));
                }
                3 => {
                    codec.variable("ROOM_NAME", &serde_json::json!(words), &mut commands);
                    let plain: String = words.chars().filter(|letter| !letter.is_control()).collect();
                    beside.push((row(Opt::Variables).code, format!("\u{1}ROOM_NAME\u{2}{plain}").into_bytes()));
                }
                _ => codec.keep_alive(&mut commands),
            }
            bytes.extend(commands);
        }
        let mut table = CompatibilityTable::new();
        OPTIONS.iter().for_each(|row| table.support(row.code));
        let (mut read, mut heard) = (Vec::new(), Vec::new());
        for event in Parser::with_support(table).receive(&bytes) {
            match event {
                TelnetEvents::DataReceive(data) => read.extend_from_slice(&data),
                TelnetEvents::Subnegotiation(sub) => heard.push((sub.option, sub.buffer.to_vec())),
                _ => {}
            }
        }
        prop_assert_eq!(read, text);
        heard.retain(|(code, _)| [row(Opt::Gmcp).code, row(Opt::Variables).code].contains(code));
        prop_assert_eq!(heard, beside);
    }
}

#[test]
fn a_subnegotiation_of_nothing_ends_with_itself() {
    let mut codec = Codec::new(LINE_BYTES_MAX);
    let (events, _) = receive(&mut codec, &[&[IAC, SB, IAC, SE][..], b"look\r\n"].concat());
    assert_eq!(events, [Line("look".into())]);
    let (events, reply) = receive(&mut codec, &[&[IAC, SB, IAC, DO, 99][..], b"look\r\n"].concat());
    assert_eq!((events, reply), (vec![Line("look".into())], vec![IAC, WONT, 99]));
}
