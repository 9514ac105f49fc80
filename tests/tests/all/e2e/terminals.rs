//! What clients of people tell by telnet, and what each finds: bytes in, bytes out, by real sockets.

use super::raw::{DO, IAC, Raw, WILL};
use super::{green, green_with};
use std::net::SocketAddr;
use tests::e2e::{PATIENCE, Server};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpSocket, TcpStream};

const TERMINAL_TYPE: u8 = 24;
const WINDOW: u8 = 31;
const ENVIRON: u8 = 39;

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
