//! Connections that a proxy brings, and those that a web page opens.

use super::green_with;
use std::net::SocketAddr;
use std::time::Duration;
use tests::e2e::{PATIENCE, Server, Telnet};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// A header of the PROXY protocol, version 2, for a caller by TCP and IPv4.
fn header(address: [u8; 4]) -> Vec<u8> {
    [SIGNATURE, &[0x21, 0x11, 0, 12], &address, &[127, 0, 0, 1], &[0x30, 0x39, 0x10, 0xff]].concat()
}

async fn from(own: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from((own, 0))).expect("every 127 is ours");
    socket.connect(to).await.expect("it listens")
}

async fn rest_of(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    // A reset is an end too: what it sent was not read.
    assert!(reading.is_ok(), "it does not end; it said {:?}", String::from_utf8_lossy(&bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits until the server's log says so: it is read by another thread.
async fn logged(server: &Server, words: &str) {
    for _ in 0..500 {
        if server.log().contains(words) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{words:?} is not in the log:\n{}", server.log());
}

/// The head of an answer to a request for a WebSocket, with more lines in it.
async fn upgrade(stream: &mut TcpStream, lines: &str) -> String {
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:4350\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{lines}\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("it is open");
    let mut text = Vec::new();
    let mut bytes = [0; 1_024];
    while !String::from_utf8_lossy(&text).contains("\r\n\r\n") {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut bytes)).await.expect("it answers");
        match read {
            Ok(count @ 1..) => text.extend_from_slice(&bytes[..count]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn callers_behind_a_trusted_proxy_are_told_apart() {
    let server = Server::start_with(green_with(&["--trusted-proxy", "127.0.0.2", "--connections-per-address", "2"]));
    let mut people = Vec::new();
    let callers = [("Nobodya", [192, 0, 2, 1]), ("Nobodyb", [192, 0, 2, 1]), ("Nobodyc", [192, 0, 2, 2])];
    for (name, address) in callers {
        let mut stream = from([127, 0, 0, 2], server.telnet).await;
        // With what is typed right behind it.
        stream.write_all(&[header(address), format!("{name}\r\n").into_bytes()].concat()).await.expect("it is open");
        let mut person = Telnet::over(stream);
        person.expect(&format!("Nobody here is called {name}")).await;
        people.push(person);
    }
    let mut third = from([127, 0, 0, 2], server.telnet).await;
    third.write_all(&header([192, 0, 2, 1])).await.expect("it is open");
    assert!(rest_of(third).await.contains("at most 2 at a time"));
    // By HTTP as well: here the rightmost address counts, whatever the caller wrote before it.
    for (line, status) in [
        ("X-Forwarded-For: 127.0.0.9, 192.0.2.2\r\n", "101"),
        ("Forwarded: for=127.0.0.9, for=192.0.2.2;proto=https\r\n", "101"),
        ("X-Forwarded-For: 192.0.2.3, unknown\r\n", "400"),
        ("Forwarded: for=_hidden\r\n", "400"),
    ] {
        let mut stream = from([127, 0, 0, 2], server.http).await;
        let answer = upgrade(&mut stream, line).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line:?}: {answer:?}");
        if status == "400" {
            assert!(rest_of(stream).await.len() + answer.len() > 0);
        } else {
            // The first is in, the second is one too many: 192.0.2.2 has a person by telnet.
            people.push(Telnet::over(stream));
        }
    }
    assert!(!server.log().contains("192.0.2.3"), "an address that does not count is not believed");
    let mut proxied = from([127, 0, 0, 2], server.http).await;
    proxied.write_all(&header([192, 0, 2, 9])).await.expect("it is open");
    assert!(upgrade(&mut proxied, "").await.starts_with("HTTP/1.1 101 "));
}

#[tokio::test]
async fn what_is_wrong_with_a_proxys_header_is_said_and_logged() {
    let server = Server::start_with(green_with(&["--trusted-proxy", "127.0.0.2,10.0.0.0/8"]));
    let whole = header([192, 0, 2, 1]);
    let mut unix = [SIGNATURE, &[0x21, 0x31, 0, 216]].concat();
    unix.extend([0; 216]);
    for (bytes, words) in [
        (whole[..20].to_vec(), "ends in its middle"),
        (Vec::new(), "did not come"),
        (b"PROXY TCP4 192.0.2.1 127.0.0.1 1 2\r\n".to_vec(), "no header of the PROXY protocol"),
        (header([0, 0, 0, 0]), "nobody's address"),
        (unix, "names no IP address"),
    ] {
        let mut stream = from([127, 0, 0, 2], server.telnet).await;
        stream.write_all(&bytes).await.expect("it is open");
        let said = rest_of(stream).await;
        assert!(said.contains(words), "{said:?} lacks {words:?}");
        logged(&server, words).await;
    }
    // From anybody else a header is no greeting, however true.
    for to in [server.telnet, server.http] {
        let mut stream = from([127, 0, 0, 3], to).await;
        stream.write_all(&whole).await.expect("it is open");
        let said = rest_of(stream).await;
        assert!(!said.contains("200 OK") && !said.contains("101"), "{said:?}");
        if to == server.telnet {
            assert!(said.contains("trusted proxies only"), "{said:?}");
            logged(&server, "an address that is not trusted").await;
        }
    }
    // And what they say of others in a request is not heard.
    let mut stream = from([127, 0, 0, 3], server.http).await;
    assert!(upgrade(&mut stream, "X-Forwarded-For: unknown\r\n").await.starts_with("HTTP/1.1 101 "));
    // An ordinary caller is as before.
    server.person("Ann").await.ask("look", "Village Green").await;
}

#[tokio::test]
async fn a_page_of_another_host_opens_no_websocket() {
    let server = Server::start_with(green_with(&["--allowed-origin", "https://play.example.org"]));
    for (line, status) in [
        ("", "101"),
        ("Origin: https://play.example.org\r\n", "101"),
        ("Origin: http://127.0.0.1:4350\r\n", "101"),
        ("Origin: https://evil.example\r\n", "403"),
        ("Origin: null\r\n", "403"),
    ] {
        let mut stream = TcpStream::connect(server.http).await.expect("it listens");
        let answer = upgrade(&mut stream, line).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line:?}: {answer:?}");
    }
    // A name that somebody pointed at this machine proves nothing.
    let mut stream = TcpStream::connect(server.http).await.expect("it listens");
    let request = "GET /ws HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\n\
                   Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("it is open");
    let mut bytes = [0; 256];
    let count = stream.read(&mut bytes).await.expect("it answers");
    assert!(bytes[..count].starts_with(b"HTTP/1.1 403 "), "{}", String::from_utf8_lossy(&bytes[..count]));
}

#[test]
fn settings_that_name_nobody_start_no_server() {
    for (words, said) in [
        (["--trusted-proxy", "proxy.example"], "no address and no network"),
        (["--trusted-proxy", "10.0.0.0/99"], "no address and no network"),
        (["--allowed-origin", "play.example.org"], "no origin of a page"),
    ] {
        let run = Server::fails_to_start(green_with(&words));
        assert!(run.err.contains(said), "{words:?}: {}", run.err);
    }
}
