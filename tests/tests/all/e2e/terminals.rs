//! What clients of people tell by telnet, and what each finds: bytes in, bytes out, by real sockets.

use super::raw::{DO, DONT, IAC, NOP, Raw, SB, SE, WILL, WONT};
use super::{green, green_with};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};
use tests::e2e::{Options, PATIENCE, Server};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpSocket, TcpStream};

const TERMINAL_TYPE: u8 = 24;
const WINDOW: u8 = 31;
const ENVIRON: u8 = 39;
const CHARSET: u8 = 42;
const VARIABLES: u8 = 69;
const LISTING: u8 = 70;
const COMPRESSION: u8 = 86;
const GMCP: u8 = 201;

#[tokio::test]
async fn what_a_client_tells_of_itself_is_shown_and_outlives_a_restart() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = Raw::dial(&server).await;
    let greeting = ann.expect(b"known?").await;
    for offer in [[IAC, DO, TERMINAL_TYPE], [IAC, DO, WINDOW], [IAC, DO, ENVIRON], [IAC, WILL, 25], [IAC, WILL, 42]] {
        assert!(greeting.windows(3).any(|three| three == offer), "{offer:?} is not offered");
    }
    for never in [[IAC, WILL, 3], [IAC, DO, 3], [IAC, WILL, 87], [IAC, DO, 91]] {
        assert!(!greeting.windows(3).any(|three| three == never), "{never:?} is offered");
    }
    ann.send(&[IAC, WILL, TERMINAL_TYPE, IAC, WILL, WINDOW, IAC, WILL, ENVIRON]).await;
    for answer in ["Mudlet", "ANSI-TRUECOLOR", "MTTS 2349"] {
        ann.sub(TERMINAL_TYPE, format!("\0{answer}").as_bytes()).await;
    }
    ann.sub(WINDOW, &[0, 100, 0, 40]).await;
    ann.sub(ENVIRON, b"\0\0CLIENT_VERSION\x014.20\0SCREEN_READER\x011\x03USER\x01root\x1b[2J").await;
    ann.log_in("Ann", &key).await;
    for restarted in [false, true] {
        if restarted {
            server.copyover().await;
            ann.expect(b"The world blinks").await;
        }
        let told = ann.ask("client", "Screen reader, yes").await;
        for fact in ["Mudlet 4.20", "ANSI-TRUECOLOR", "16 million", "UTF-8", "100 columns, 40 lines"] {
            assert!(told.contains(fact), "{fact:?} is not in {told:?}");
        }
        assert!(!told.contains("root") && !told.contains("[2J"), "{told:?}");
    }
    // Who tells nothing is told that, and who comes by frames something else.
    let mut bob = server.person("Bob").await;
    assert!(bob.ask("client", "Screen reader").await.contains("not told, taken for 16"));
    let mut bot = server.agent("Bot").await;
    bot.command("client").await;
    bot.expect_text("You play by a WebSocket").await;
}

#[tokio::test]
async fn who_has_a_screen_reader_reads_words_and_a_round_in_a_line() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut god = server.immortal("Orm", 35).await;
    let mut ann = reader(&server, &key).await;
    ann.expect(b"All that you read is made for a screen reader.").await;
    ann.ask("look", "Exits: north, east, south and west.").await;
    let score = ann.ask("score", "Charisma, ").await;
    assert!(score.contains("\nHit points, ") && !score.contains("  "), "{score:?}");
    ann.ask("vitals", " moves.").await;
    god.ask("load mob 113", "goose").await;
    ann.ask("kill goose", ", the grey goose ").await;
    server.tick(3).await;
    let round = ann.ask("say it goes on", "You say").await;
    assert!(round.contains("the grey goose") && round.contains(". You ") && round.contains(" of "), "{round:?}");
    assert!(!round.contains("scratch") && !round.contains("tries to"), "no blow by itself: {round:?}");
    ann.ask("screenreader off", "made for eyes").await;
    // She has said what she wants, and her client does not say it again.
    let mut ann = reader(&server, &key).await;
    ann.ask("look", "Exits: north east south west").await;
}

/// Ann, whose client says that all is read aloud.
async fn reader(server: &Server, key: &str) -> Raw {
    let mut ann = Raw::dial(server).await;
    ann.expect(b"known?").await;
    ann.send(&[IAC, WILL, TERMINAL_TYPE]).await;
    for answer in ["VIPMud", "ANSI", "MTTS 64"] {
        ann.sub(TERMINAL_TYPE, format!("\0{answer}").as_bytes()).await;
    }
    ann.log_in("Ann", key).await;
    ann
}

#[tokio::test]
async fn colours_are_as_many_as_the_client_shows_or_the_player_says() {
    let server = Server::start_with(green());
    for (name, mtts, auto) in [("Ann", 1, "\x1b[1;36m"), ("Bob", 9, "\x1b[1;38;5;"), ("Cid", 265, "\x1b[1;38;2;")] {
        let key = server.key(name).await;
        let mut person = Raw::dial(&server).await;
        person.expect(b"known?").await;
        person.send(&[IAC, WILL, TERMINAL_TYPE]).await;
        for answer in ["Client", "ANSI", &format!("MTTS {mtts}")] {
            person.sub(TERMINAL_TYPE, format!("\0{answer}").as_bytes()).await;
        }
        person.log_in(name, &key).await;
        for (setting, answer, code) in [
            ("color auto", "says that it shows", auto),
            ("color 16", "has 16 colours", "\x1b[1;36m"),
            ("color 256", "has 256 colours", "\x1b[1;38;5;"),
            ("color true", "has all colours", "\x1b[1;38;2;"),
            ("color off", "black and white", ""),
        ] {
            person.ask(setting, answer).await;
            let seen = person.ask("look", "Village Green").await;
            let before = seen.rfind("Village Green").map_or("", |at| &seen[..at]);
            assert_eq!(before.rfind('\x1b').is_some(), !code.is_empty(), "{setting}: {seen:?}");
            assert!(before.rfind('\x1b').is_none_or(|at| before[at..].starts_with(code)), "{setting}: {seen:?}");
        }
        person.ask("color on", "has colours").await;
        assert!(person.ask("look", "Village Green").await.contains("\x1b[1;38;2;"), "as many as before");
    }
}

#[tokio::test]
async fn each_client_reads_and_writes_in_its_own_character_set() {
    let server = Server::start_with(green());
    let mut latin = Raw::dial(&server).await;
    let (key, other_key) = (server.key("Ann").await, server.key("Bob").await);
    latin.expect(b"known?").await;
    latin.send(&[IAC, DO, CHARSET]).await;
    latin.expect(b";UTF-8;ISO-8859-1;US-ASCII").await;
    latin.sub(CHARSET, b"\x02ISO-8859-1").await;
    latin.log_in("Ann", &key).await;
    let mut plain = Raw::dial(&server).await;
    plain.expect(b"known?").await;
    plain.send(&[IAC, DONT, CHARSET, IAC, WILL, ENVIRON]).await;
    plain.sub(ENVIRON, b"\0\0CHARSET\x01US-ASCII").await;
    plain.log_in("Bob", &other_key).await;
    let mut usual = server.person("Cid").await;
    latin.send(b"say caf\xe9 \xff\xff\r\n").await;
    latin.expect(b"You say, \"caf\xe9 \xff\xff\"").await;
    plain.expect(b"Ann says, \"cafe y\"").await;
    usual.expect("Ann says, \"café ÿ\"").await;
    usual.send("say “né” — 日").await;
    latin.expect(b"Cid says, \"\"n\xe9\" - ?\"").await;
    plain.expect(b"Cid says, \"\"ne\" - ?\"").await;
    // What was agreed counts in the next program too.
    server.copyover().await;
    latin.expect(b"The world blinks").await;
    latin.send(b"say \xe9\r\n").await;
    latin.expect(b"You say, \"\xe9\"").await;
}

#[tokio::test]
async fn a_line_that_is_too_long_leaves_what_was_asked() {
    let server = Server::start_with(green());
    let long = "x".repeat(20_000);
    let mut caller = server.dial().await;
    caller.send(&long).await;
    caller.expect("Say it in shorter ones.\r\n> ").await;
    let mut ann = server.person("Ann").await;
    ann.send(&long).await;
    ann.expect("Say it in shorter ones.").await;
    ann.expect("V > ").await;
}

#[tokio::test]
async fn a_silent_line_is_kept_open_unless_its_player_says_no() {
    let server = Server::start_with(green_with(&["--keepalive-seconds", "1", "--commands-per-second", "100"]));
    let key = server.key("Ann").await;
    let mut ann = Raw::dial(&server).await;
    ann.expect(b"known?").await;
    // A client that has never spoken telnet could not read it.
    let mut mute = Raw::dial(&server).await;
    mute.expect(b"known?").await;
    ann.send(&[IAC, WILL, WINDOW]).await;
    ann.expect(&[IAC, NOP]).await;
    ann.log_in("Ann", &key).await;
    ann.expect(&[IAC, NOP]).await;
    // Who is sent something anyway needs none. A machine that stood still was silent: then once more.
    let mut said = 0;
    for tries_left in (0..5).rev() {
        ann.ask(&format!("say it begins {tries_left}"), &format!("begins {tries_left}\"")).await;
        let (before, begun, mut longest) = (ann.count(&[IAC, NOP]), Instant::now(), Duration::ZERO);
        while begun.elapsed() < Duration::from_millis(2_500) {
            let asked = Instant::now();
            // The same line again and again would be refused.
            said += 1;
            ann.ask(&format!("say still here {said}"), &format!("here {said}\"")).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            longest = longest.max(asked.elapsed());
        }
        if longest < Duration::from_millis(350) {
            assert_eq!(ann.count(&[IAC, NOP]), before);
            break;
        }
        assert!(tries_left > 0, "the machine is too slow for this: {longest:?}");
    }
    ann.ask("toggle keepalive", "Nothing is sent").await;
    ann.ask("say done", "done\"").await;
    let before = ann.count(&[IAC, NOP]);
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    ann.ask("say and now", "and now\"").await;
    assert_eq!(ann.count(&[IAC, NOP]), before);
    mute.ask("Nobodya", "(yes/no)").await;
    assert_eq!(mute.count(&[IAC, NOP]), 0);
}

/// Each variable with its value.
fn rows(listing: &[u8]) -> BTreeMap<String, String> {
    let rows = listing.split(|byte| *byte == 1).skip(1).map(|row| {
        let text = String::from_utf8(row.to_vec()).expect("text");
        let (name, value) = text.split_once('\x02').expect("a name and a value");
        (name.to_string(), value.to_string())
    });
    rows.collect()
}

#[tokio::test]
async fn lists_of_games_are_told_what_this_one_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let copied = Command::new("cp").arg("-r").arg(green().world).arg(folder.path().join("world")).status();
    assert!(copied.expect("there is a cp").success());
    let world = folder.path().join("world/world.toml");
    let listing = "\n[listing]\ncontact = \"keeper@example.org\"\ncreated = 2026\nstatus = \"Open Beta\"\n";
    let text = std::fs::read_to_string(&world).expect("it is there");
    // Tables stand behind the fields of the file.
    let tables = text.find("\n[").unwrap_or(text.len());
    std::fs::write(&world, [&text[..tables], listing, &text[tables..]].concat()).expect("it is written");
    // A room that hides who is in it.
    let rooms = folder.path().join("world/zones/1_green/rooms.toml");
    let text = std::fs::read_to_string(&rooms).expect("it is there");
    let (bank, hiding) = ("flags = [\"indoors\", \"bank\"]", "flags = [\"indoors\", \"bank\", \"no_who\"]");
    assert!(text.contains(bank));
    std::fs::write(&rooms, text.replace(bank, hiding)).expect("it is written");
    let server = Server::start_with(Options { world: folder.path().join("world"), ..green() });
    let _ann = server.person("Ann").await;
    let _bot = server.agent("Bot").await;
    let mut hidden = server.person("Cid").await;
    hidden.ask("west", "The Bank").await;
    let mut crawler = Raw::dial(&server).await;
    crawler.expect(&[IAC, WILL, LISTING]).await;
    crawler.expect(b"known?").await;
    crawler.send(&[IAC, DO, LISTING]).await;
    crawler.expect(&[IAC, SB, LISTING]).await;
    let told = crawler.expect(&[IAC, SE]).await;
    let told = rows(&told[..told.len() - 2]);
    let port = server.telnet.port().to_string();
    for (name, value) in [
        ("PLAYERS", "2"),
        ("AGENTS", "1"),
        ("AGENTS ALLOWED", "1"),
        ("PORT", port.as_str()),
        ("CONTACT", "keeper@example.org"),
        ("CREATED", "2026"),
        ("XTERM TRUE COLORS", "1"),
        ("CHARSET", "UTF-8"),
    ] {
        assert_eq!(told.get(name).map(String::as_str), Some(value), "{name} in {told:?}");
    }
    assert!(told["UPTIME"].parse::<u64>().is_ok_and(|start| start > 1_700_000_000), "{told:?}");
    assert!(!told.contains_key("WEBSITE"), "nobody said where it is");
    // In text, in place of a name; whoever is asked for a password may have that one.
    let mut old = server.dial().await;
    old.expect("known?").await;
    old.ask("mssp-request", "MSSP-REPLY-START").await;
    let text = old.expect("MSSP-REPLY-END").await;
    for (name, value) in &told {
        assert!(text.contains(&format!("\n{name}\t{value}\r\n")), "{name} is not in {text:?}");
    }
    old.expect("known?").await;
    old.ask("Ann", "Password:").await;
    let refused = old.ask("MSSP-REQUEST", "Password:").await;
    assert!(!refused.contains("MSSP-REPLY"), "{refused:?}");
}

/// What a visitor does for a while.
async fn play(person: &mut Raw) {
    for (line, answer) in [
        ("look", "Village Green"),
        ("score", "Alignment"),
        ("help", "Lists"),
        ("who", "player"),
        ("north", "> "),
        ("look", "> "),
        ("south", "Village Green"),
        ("inventory", "> "),
        ("equipment", "> "),
        ("toggle", "Switch one"),
        ("say what a lovely green this is", "You say"),
        ("look", "Village Green"),
        ("score", "Alignment"),
    ] {
        person.ask(line, answer).await;
        person.expect(&[IAC, 249]).await;
    }
}

#[tokio::test]
async fn what_is_sent_is_compressed_for_whoever_wants_it_and_over_a_restart() {
    let server = Server::start_with(green_with(&["--commands-per-second", "100"]));
    let (key, other_key) = (server.key("Ann").await, server.key("Bob").await);
    let mut plain = Raw::dial(&server).await;
    plain.expect(b"known?").await;
    // A word of telnet, so that prompts end with a mark.
    plain.send(&[IAC, NOP]).await;
    plain.log_in("Bob", &other_key).await;
    let before = plain.received;
    play(&mut plain).await;
    let whole = plain.received - before;
    let mut ann = Raw::dial(&server).await;
    ann.expect(b"known?").await;
    assert!(!ann.is_compressed());
    // It takes memory, so it begins when somebody plays, with the first word of the game.
    ann.send(&[IAC, DO, COMPRESSION, IAC, DO, 99]).await;
    ann.expect(&[IAC, WONT, 99]).await;
    ann.ask("Ann", "Password:").await;
    ann.ask(&key, "will it be?").await;
    assert!(!ann.is_compressed());
    ann.ask("1", "Village Green").await;
    assert!(ann.is_compressed());
    // Who is compressed already is asked to begin no second stream.
    ann.send(&[IAC, DO, COMPRESSION]).await;
    let before = ann.received;
    play(&mut ann).await;
    let pressed = ann.received - before;
    // Who has agreed and does not play yet goes on so in the next program.
    let third_key = server.key("Cid").await;
    let mut early = Raw::dial(&server).await;
    early.expect(b"known?").await;
    early.send(&[IAC, DO, COMPRESSION, IAC, DO, 99]).await;
    early.expect(&[IAC, WONT, 99]).await;
    println!("MCCP2: {pressed} bytes for {whole}, {} %", pressed * 100 / whole);
    // So short a visit repeats little, and the fastest level has no codes of its own.
    assert!(pressed * 3 <= whole * 2, "{pressed} bytes for {whole}");
    server.copyover().await;
    ann.expect(&[IAC, WONT, COMPRESSION]).await;
    ann.expect(b"The world blinks").await;
    assert!(!ann.is_compressed(), "its state died with the program");
    early.expect(b"known?").await;
    early.log_in("Cid", &third_key).await;
    assert!(early.is_compressed());
    assert_eq!(early.count(&[IAC, WONT, COMPRESSION]), 0);
    ann.send(&[IAC, DONT, COMPRESSION]).await;
    ann.expect(&[IAC, WILL, COMPRESSION]).await;
    ann.send(&[IAC, DO, COMPRESSION]).await;
    ann.ask("say squeezed again", "You say, \"squeezed again\"").await;
    assert!(ann.is_compressed());
    // The client may end it itself.
    ann.send(&[IAC, DONT, COMPRESSION]).await;
    ann.ask("say and plain", "You say, \"and plain\"").await;
    assert!(!ann.is_compressed());
    ann.send(&[IAC, DO, COMPRESSION]).await;
    ann.ask("say once more", "You say, \"once more\"").await;
    assert!(ann.is_compressed());
    // The last words are whole, and the stream ends with them.
    ann.ask("quit", "Farewell").await;
    ann.ending().await;
    assert!(!ann.is_compressed());
}

/// The next message of that name.
async fn message(client: &mut Raw, name: &str) -> Value {
    client.expect(&[&[IAC, SB, GMCP], name.as_bytes(), b" "].concat()).await;
    let json = client.expect(&[IAC, SE]).await;
    serde_json::from_slice(&json[..json.len() - 2]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[tokio::test]
async fn panels_and_maps_are_told_beside_the_text() {
    let server = Server::start_with(green_with(&["--commands-per-second", "100"]));
    let key = server.key("Ann").await;
    let mut ann = Raw::dial(&server).await;
    ann.expect(&[IAC, WILL, GMCP]).await;
    ann.expect(b"known?").await;
    ann.send(&[IAC, DO, GMCP]).await;
    assert_eq!(message(&mut ann, "Char.Login.Default").await, json!({"type": ["password-credentials"]}));
    // Nonsense of all kinds first; then a client that makes itself known.
    let flood = [b"Core.Supports.Set [".as_slice(), &b"\"x\",".repeat(300_000)].concat();
    for nonsense in [&b"Core.Supports.Set no JSON"[..], b"", b"Unknown.Package {}", b"Core.Supports.Set 7", &flood] {
        ann.sub(GMCP, nonsense).await;
    }
    ann.sub(GMCP, br#"Core.Hello {"client":"Mudlet","version":"4.20"}"#).await;
    ann.sub(GMCP, br#"Core.Supports.Set ["Char 1","Room 1","Group 1","Comm.Channel 1","Char.Login 1"]"#).await;
    ann.sub(GMCP, b"Core.Ping 20").await;
    assert_eq!(message(&mut ann, "Core.Ping").await, json!(20));
    ann.sub(GMCP, br#"Char.Login.Credentials {"account":"Ann","password":"wrong"}"#).await;
    let refused = message(&mut ann, "Char.Login.Result").await;
    assert!(refused["success"] == false && refused["message"].as_str().is_some_and(|why| !why.is_empty()), "{refused}");
    let credentials = format!("Char.Login.Credentials {}", json!({"account": "Ann", "password": key}));
    ann.sub(GMCP, credentials.as_bytes()).await;
    assert_eq!(message(&mut ann, "Char.Login.Result").await, json!({"success": true}));
    let vitals = b"Char.Vitals {\"hp\":";
    let mut before = 0;
    for restarted in [false, true] {
        if restarted {
            before = ann.count(vitals);
            server.copyover().await;
            ann.expect(b"The world blinks").await;
        }
        assert_eq!(message(&mut ann, "Char.Name").await["name"], "Ann");
        assert_eq!(message(&mut ann, "Char.StatusVars").await["level"], "Level");
        // In the order of the table, as soon as it is known.
        let room = message(&mut ann, "Room.Info").await;
        assert_eq!((&room["num"], &room["area"]), (&json!(100), &json!("The Green")), "{room}");
        assert!(room["exits"]["n"].is_i64() && room["name"].is_string(), "{room}");
        assert!(ann.count(vitals) > before, "they stand before the room");
        let told = ann.ask("client", "Screen reader").await;
        assert!(told.contains("Mudlet 4.20"), "{told}");
        // What changes is told, in the next program too.
        ann.line("up").await;
        assert_eq!(message(&mut ann, "Room.WrongDir").await, json!("u"));
        ann.line("north").await;
        let north = message(&mut ann, "Room.Info").await;
        assert_eq!(north["num"], room["exits"]["n"], "{north}");
        ann.line("south").await;
        assert_eq!(message(&mut ann, "Room.Info").await, room);
    }
    let mut bob = server.agent("Bob").await;
    let player = message(&mut ann, "Room.AddPlayer").await;
    assert_eq!(player, json!({"name": "Bob", "fullname": "Bob", "agent": true}));
    bob.command("say hello").await;
    let said = message(&mut ann, "Comm.Channel.Text").await;
    assert_eq!((&said["channel"], &said["talker"]), (&json!("say"), &json!("Bob")), "{said}");
    // Who wants no more of it is told no more, and plays on.
    ann.send(&[IAC, DONT, GMCP]).await;
    ann.expect(&[IAC, WONT, GMCP]).await;
    let before = ann.count(&[IAC, SB, GMCP]);
    ann.line("north").await;
    ann.ask("south", "Village Green").await;
    ann.ask("say done", "You say, \"done\"").await;
    assert_eq!(ann.count(&[IAC, SB, GMCP]), before);
}

/// The next value of that variable, as it is spelled.
async fn variable(client: &mut Raw, name: &str) -> String {
    client.expect(&[&[IAC, SB, VARIABLES, 1], name.as_bytes(), &[2]].concat()).await;
    let value = client.expect(&[IAC, SE]).await;
    String::from_utf8(value[..value.len() - 2].to_vec()).expect("it is text")
}

#[tokio::test]
async fn gauges_are_told_the_variables_that_they_ask_for() {
    let server = Server::start_with(green_with(&["--commands-per-second", "100"]));
    let key = server.key("Ann").await;
    let mut ann = Raw::dial(&server).await;
    ann.expect(&[IAC, WILL, VARIABLES]).await;
    ann.expect(b"known?").await;
    ann.send(&[IAC, DO, VARIABLES]).await;
    ann.sub(VARIABLES, b"\x01LIST\x02COMMANDS").await;
    assert!(variable(&mut ann, "COMMANDS").await.contains("\x02REPORT"));
    for nonsense in [&b"\x01LIST\x02\x03\x01\x02"[..], b"", b"\x01SEND\x02NOTHING", &b"\x05\x02".repeat(200_000)] {
        ann.sub(VARIABLES, nonsense).await;
    }
    ann.sub(VARIABLES, b"\x01REPORT\x02\x05\x02HEALTH\x02ROOM\x02CHARACTER_NAME\x06").await;
    ann.ask("Ann", "Password:").await;
    ann.ask(&key, "will it be?").await;
    ann.line("1").await;
    let mut health = 0;
    for restarted in [false, true] {
        if restarted {
            health = ann.count(b"\x01HEALTH\x02");
            server.copyover().await;
        }
        // In the order of the table: the name, the health, the room.
        let green = variable(&mut ann, "ROOM").await;
        assert!(green.contains("\x01VNUM\x02100") && green.contains("\x01AREA\x02The Green"), "{green:?}");
        assert!(ann.count(b"\x01CHARACTER_NAME\x02Ann") > usize::from(restarted), "who it is");
        assert!(ann.count(b"\x01HEALTH\x02") > health, "it stands before the room");
        ann.line("north").await;
        let inn = variable(&mut ann, "ROOM").await;
        assert!(inn.contains("\x01VNUM\x02101") && inn.contains("\x01NAME\x02The Inn"), "{inn:?}");
        ann.line("south").await;
        assert_eq!(variable(&mut ann, "ROOM").await, green);
    }
    assert_eq!(ann.count(b"\x01MANA\x02"), 0, "nobody asked");
    ann.sub(VARIABLES, b"\x01SEND\x02MANA").await;
    assert!(variable(&mut ann, "MANA").await.parse::<u32>().is_ok());
    ann.sub(VARIABLES, b"\x01UNREPORT\x02ROOM").await;
    let before = ann.count(b"\x01ROOM\x02");
    ann.line("north").await;
    ann.ask("south", "Village Green").await;
    ann.ask("say done", "You say, \"done\"").await;
    assert_eq!(ann.count(b"\x01ROOM\x02"), before);
}

async fn from(own: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((own, 0))).expect("every 127 is ours");
    socket.connect(to).await.expect("it listens")
}

/// What somebody is told whose connection ends: all of it.
async fn told_to_the_end(mut stream: TcpStream, says: &[u8]) -> String {
    tokio::io::AsyncWriteExt::write_all(&mut stream, says).await.expect("it is open");
    let mut told = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut told)).await;
    ended.expect("it ends").expect("it ends properly");
    String::from_utf8_lossy(&told).into_owned()
}

#[tokio::test]
async fn a_trusted_proxy_may_say_by_telnet_for_whom_it_calls() {
    let trusted = ["--trusted-proxy", "127.0.0.8/29", "--connections-per-address", "1"];
    let server = Server::start_with(green_with(&trusted));
    // The PROXY header of a connection of the proxy's own.
    let local = b"\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";
    // And one that it passes on for this caller.
    let passed_on = |caller: [u8; 4]| {
        let addresses = [&caller[..], &[127, 0, 0, 1, 0x30, 0x39, 0x10, 0xff]].concat();
        [b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c".as_slice(), &addresses].concat()
    };
    let environ = |address: &str| {
        let said = [b"\0\0IPADDRESS\x01", address.as_bytes()].concat();
        [&[IAC, WILL, ENVIRON, IAC, SB, ENVIRON][..], &said, &[IAC, SE]].concat()
    };
    let mut callers = Vec::new();
    // The proxy has its place again, and each caller has all of its own.
    for (address, name) in [("192.0.2.7", "Nobodya"), ("192.0.2.8", "Nobodyb")] {
        let mut caller = Raw::over(from([127, 0, 0, 8], server.telnet).await);
        caller.send(&[&local[..], &environ(address)].concat()).await;
        caller.expect(b"known?").await;
        caller.ask(name, "(yes/no)").await;
        callers.push(caller);
    }
    // Who is refused keeps the proxy's place for a moment, so each comes by another proxy.
    for (proxy, address, why) in [
        (9, "192.0.2.7", "at most 1 at a time"),
        (10, "0.0.0.0", "nobody's address"),
        (11, "224.0.0.1", "nobody's address"),
    ] {
        let refused = from([127, 0, 0, proxy], server.telnet).await;
        let told = told_to_the_end(refused, &[&local[..], &environ(address)].concat()).await;
        assert!(told.contains(why), "{address}: {told:?}");
    }
    // From anybody else it is only a word: from who calls directly, and from who is passed on, wherever that is.
    for (own, header, name) in [
        ([127, 0, 0, 3], Vec::new(), "Nobodyc"),
        ([127, 0, 0, 4], Vec::new(), "Nobodyd"),
        ([127, 0, 0, 8], passed_on([192, 0, 2, 9]), "Nobodye"),
        ([127, 0, 0, 8], passed_on([127, 0, 0, 12]), "Nobodyf"),
    ] {
        let mut other = Raw::over(from(own, server.telnet).await);
        other.send(&[header, environ("192.0.2.7")].concat()).await;
        other.expect(b"known?").await;
        other.ask(name, "(yes/no)").await;
        callers.push(other);
    }
}
