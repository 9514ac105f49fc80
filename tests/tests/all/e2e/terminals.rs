//! What clients of people tell by telnet, and what each finds: bytes in, bytes out, by real sockets.

use super::raw::{DO, DONT, IAC, NOP, Raw, WILL};
use super::{green, green_with};
use std::net::SocketAddr;
use tests::e2e::{PATIENCE, Server};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpSocket, TcpStream};

const TERMINAL_TYPE: u8 = 24;
const WINDOW: u8 = 31;
const ENVIRON: u8 = 39;
const CHARSET: u8 = 42;

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
        let told = ann.ask("client", "Screen reader   yes").await;
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
async fn a_silent_line_is_kept_open_unless_its_player_says_no() {
    let server = Server::start_with(green_with(&["--keepalive-seconds", "1"]));
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
    ann.ask("toggle keepalive", "Nothing is sent").await;
    ann.ask("say done", "done\"").await;
    let before = ann.count(&[IAC, NOP]);
    tokio::time::sleep(std::time::Duration::from_millis(2_500)).await;
    ann.ask("say and now", "and now\"").await;
    assert_eq!(ann.count(&[IAC, NOP]), before);
    mute.ask("Nobody", "(yes/no)").await;
    assert_eq!(mute.count(&[IAC, NOP]), 0);
}

async fn from(own: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((own, 0))).expect("every 127 is ours");
    socket.connect(to).await.expect("it listens")
}

#[tokio::test]
async fn a_trusted_proxy_may_say_by_telnet_for_whom_it_calls() {
    let server = Server::start_with(green_with(&["--trusted-proxy", "127.0.0.2", "--connections-per-address", "1"]));
    // The PROXY header of a connection of the proxy's own.
    let local = b"\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";
    let environ = b"\xff\xfb\x27\xff\xfa\x27\x00\x00IPADDRESS\x01192.0.2.7\xff\xf0";
    let mut first = Raw::over(from([127, 0, 0, 2], server.telnet).await);
    first.send(&[local.as_slice(), environ].concat()).await;
    first.expect(b"known?").await;
    first.ask("Nobody", "(yes/no)").await;
    // The proxy has its place again, and the caller has all of its own.
    let mut second = from([127, 0, 0, 2], server.telnet).await;
    let mut said = Vec::new();
    tokio::io::AsyncWriteExt::write_all(&mut second, &[local.as_slice(), environ].concat()).await.expect("open");
    let ended = tokio::time::timeout(PATIENCE, second.read_to_end(&mut said)).await;
    assert!(ended.is_ok() && String::from_utf8_lossy(&said).contains("at most 1 at a time"), "{said:?}");
    // From anybody else it is only a word.
    for last in [3, 4] {
        let mut other = Raw::over(from([127, 0, 0, last], server.telnet).await);
        other.send(environ).await;
        other.expect(b"known?").await;
        other.ask("Nobody", "(yes/no)").await;
    }
}
