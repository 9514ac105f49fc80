//! The encrypted doors, with certificates made for each test and a client that checks them.

use super::{green, login};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tests::e2e::{Options, PATIENCE, Player, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::tungstenite::Message;

/// A certificate for `localhost` in two files.
pub(super) struct Made {
    pub cert: PathBuf,
    key: PathBuf,
    der: CertificateDer<'static>,
}

pub(super) fn make(folder: &Path, name: &str) -> Made {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_string()]).expect("a certificate is made");
    let made = Made {
        cert: folder.join(format!("{name}.crt")),
        key: folder.join(format!("{name}.key")),
        der: cert.der().clone(),
    };
    std::fs::write(&made.cert, cert.pem()).expect("it is written");
    std::fs::write(&made.key, signing_key.serialize_pem()).expect("it is written");
    made
}

pub(super) fn options(made: &Made) -> Options {
    let (cert, key) = (made.cert.display().to_string(), made.key.display().to_string());
    let words = ["--tls-cert", &cert, "--tls-key", &key, "--https", "127.0.0.1:0", "--telnets", "127.0.0.1:0"]
        .map(String::from);
    Options { more: words.to_vec(), ..green() }
}

/// Where the ready line says that a door is.
pub(super) fn door(server: &Server, name: &str) -> SocketAddr {
    let mark = format!("{name}=");
    let word = server.ready.split_whitespace().find_map(|word| word.strip_prefix(&mark));
    word.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no {name} in {:?}", server.ready))
}

async fn connect(address: SocketAddr, der: &CertificateDer<'static>) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(der.clone()).expect("it is a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("there are versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.expect("the door is open");
    let name = ServerName::try_from("localhost").expect("a name");
    let handshake = TlsConnector::from(Arc::new(config)).connect(name, stream);
    tokio::time::timeout(PATIENCE, handshake).await.expect("it is answered").expect("the certificate fits")
}

/// A person whose client encrypts.
struct Person {
    stream: TlsStream<TcpStream>,
    text: String,
}

impl Person {
    async fn send(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await.expect("it is taken");
        self.stream.flush().await.expect("it is sent");
    }

    /// Reads on until this comes; false at the end of the connection.
    async fn hears(&mut self, what: &str) -> bool {
        let reading = async {
            let mut bytes = [0; 4096];
            loop {
                if let Some(at) = self.text.find(what) {
                    self.text.drain(..at + what.len());
                    return true;
                }
                match self.stream.read(&mut bytes).await {
                    Ok(count) if count > 0 => self.text.push_str(&String::from_utf8_lossy(&bytes[..count])),
                    _ => return false,
                }
            }
        };
        let heard = tokio::time::timeout(PATIENCE, reading).await;
        heard.unwrap_or_else(|_| panic!("{what:?} never came; there is {:?}", self.text))
    }

    async fn ask(&mut self, line: &str, answer: &str) {
        self.send(line).await;
        assert!(self.hears(answer).await, "{answer:?} never came; there is {:?}", self.text);
    }
}

async fn log_in(server: &Server, made: &Made, name: &str) -> Person {
    let key = server.key(name).await;
    let mut person = Person { stream: connect(door(server, "telnets"), &made.der).await, text: String::new() };
    assert!(person.hears("known?").await);
    person.ask(name, "Password:").await;
    person.ask(&key, "What will it be?").await;
    person.ask("1", "Village Green").await;
    person
}

#[tokio::test]
async fn people_and_programs_come_encrypted_and_meet_those_who_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = make(folder.path(), "one");
    let server = Server::start_with(options(&made));
    let record = std::fs::read_to_string(server.state.path().join("server.json")).expect("it is there");
    let record: Value = serde_json::from_str(&record).expect("it is JSON");
    assert_eq!(record["telnets"], json!(door(&server, "telnets").to_string()));
    assert_eq!(record["https"], json!(door(&server, "https").to_string()));

    let mut ann = log_in(&server, &made, "Ann").await;
    let mut bob = server.person("Bob").await;
    ann.ask("say sealed", "You say, \"sealed\"").await;
    bob.expect("Ann says, \"sealed\"").await;
    for n in 0..40 {
        // Numbered, since one line is not said again and again.
        let long = format!("{n}{}", "x".repeat(400));
        bob.ask(&format!("say {long}"), "You say").await;
        assert!(ann.hears(&long).await, "a long text arrives whole");
    }

    let key = server.key("Brenda").await;
    let stream = connect(door(&server, "https"), &made.der).await;
    let url = "wss://localhost/ws";
    let (mut socket, _) = tokio_tungstenite::client_async(url, stream).await.expect("the upgrade is granted");
    let data = json!({"player_name": "Brenda", "password": key, "is_agent": true});
    socket.send(Message::text(login(data).to_string())).await.expect("it is sent");
    let reading = async {
        loop {
            let message = socket.next().await.expect("it is open").expect("it is no error");
            if let Message::Text(text) = message
                && serde_json::from_str::<Value>(&text).expect("it is JSON")["type"] == "state"
            {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("the state comes");
    let mut page = connect(door(&server, "https"), &made.der).await;
    page.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.expect("sent");
    let mut answer = String::new();
    page.read_to_string(&mut answer).await.expect("it is text");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"players\":3"), "{answer}");
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    assert!(ann.hears("Come back soon").await);
}

#[tokio::test]
async fn a_restart_tells_encrypted_callers_when_to_come_and_takes_up_a_new_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = make(folder.path(), "one");
    let server = Server::start_with(options(&made));
    let mut ann = log_in(&server, &made, "Ann").await;
    let mut bob = server.person("Bob").await;
    let next = make(folder.path(), "two");
    std::fs::rename(&next.cert, &made.cert).expect("it is replaced");
    // The key is still the old one: such a program would not come up.
    let answer = tests::e2e::http(server.http, "POST", "/admin/copyover", Some(&server.token)).await;
    assert!(answer.status == 409 && answer.body.contains("does not belong to"), "{answer:?}");
    std::fs::rename(&next.key, &made.key).expect("it is replaced");
    server.copyover().await;
    assert!(ann.hears("The world blinks. A sealed line does not outlast that: call again in").await, "{:?}", ann.text);
    assert!(!ann.hears("it ends here").await);
    bob.expect("The world blinks").await;
    let made = Made { der: next.der, ..made };
    let mut ann = log_in(&server, &made, "Ann").await;
    ann.ask("say back", "You say, \"back\"").await;
}

#[tokio::test]
async fn a_reload_takes_up_a_new_certificate_and_nobody_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = make(folder.path(), "one");
    let server = Server::start_with(options(&made));
    let mut ann = log_in(&server, &made, "Ann").await;
    let next = make(folder.path(), "two");
    std::fs::rename(&next.cert, &made.cert).expect("it is replaced");
    // The key is still the old one.
    let came = server.admin("POST", "reload").await;
    let problem = came["problems"][0].as_str().expect("a problem");
    assert!(came["ok"] == false && problem.contains("does not belong to"), "{came}");
    drop(connect(door(&server, "telnets"), &made.der).await);
    std::fs::rename(&next.key, &made.key).expect("it is replaced");
    let came = server.admin("POST", "reload").await;
    assert_eq!((&came["ok"], &came["taken"][0]), (&json!(true), &json!("certificate")), "{came}");
    for name in ["telnets", "https"] {
        drop(connect(door(&server, name), &next.der).await);
    }
    ann.ask("say still here", "You say, \"still here\"").await;
}

#[tokio::test]
async fn who_does_not_finish_a_handshake_holds_up_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = make(folder.path(), "one");
    let server = Server::start_with(options(&made));
    let mut silent = Vec::new();
    for _ in 0..30 {
        silent.push(TcpStream::connect(door(&server, "telnets")).await.expect("it is open"));
    }
    let mut babbling = TcpStream::connect(door(&server, "telnets")).await.expect("it is open");
    babbling.write_all(b"hello, is this the game?\r\n").await.expect("it is taken");
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(5), babbling.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "who speaks no TLS is closed at once");
    log_in(&server, &made, "Ann").await.ask("say here", "You say").await;
}

#[test]
fn wrong_files_are_refused_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (make(folder.path(), "one"), make(folder.path(), "two"));
    let mixed = Made { cert: one.cert.clone(), key: two.key.clone(), der: one.der.clone() };
    let refusal = Server::fails_to_start(options(&mixed));
    assert_eq!(refusal.code, Some(1));
    assert!(refusal.err.contains("does not belong to the certificate"), "{}", refusal.err);
    let missing = Made { cert: folder.path().join("nowhere.crt"), key: one.key, der: one.der };
    let refusal = Server::fails_to_start(options(&missing));
    assert!(refusal.err.contains("nowhere.crt"), "{}", refusal.err);
    let refusal = Server::fails_to_start(super::green_with(&["--tls-cert", "one.crt"]));
    assert!(refusal.err.contains("--tls-key"), "{}", refusal.err);
    let refusal = Server::fails_to_start(super::green_with(&["--https", "127.0.0.1:0"]));
    assert!(refusal.err.contains("--tls-cert"), "{}", refusal.err);
}

/// `dp-agent` with settings for the encrypted door.
fn sealed(server: &Server, settings: Value) -> Player {
    let mut player = Player::at(door(server, "https"));
    for (name, value) in settings.as_object().expect("an object") {
        player.settings[name] = value.clone();
    }
    player
}

#[tokio::test(flavor = "multi_thread")]
async fn dp_agent_comes_encrypted_and_trusts_only_whom_it_is_told_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let (made, other) = (make(folder.path(), "one"), make(folder.path(), "two"));
    let server = Server::start_with(options(&made));
    let (ca, other) = (made.cert.display().to_string(), other.cert.display().to_string());
    let right = json!({"game_host": "localhost", "game_tls": true, "game_ca": ca});

    let player = sealed(&server, right.clone());
    let state = server.state.path().display().to_string();
    let key = player.run(&["keygen", "--name", "Sealed", "--state-dir", &state]);
    assert_eq!(key.code, Some(0), "{}", key.err);
    let who = player.run(&["whoami"]);
    assert!(who.out.contains("wss://localhost:"), "{}", who.out);
    let looked = player.run(&["exec", "look"]);
    assert!(looked.code == Some(0) && looked.out.contains("Village Green"), "{looked:?}");
    let logs = player.path("logs").display().to_string();
    let played = player.run(&["session", "--duration", "2s", "--no-model", "--log-dir", &logs]);
    assert_eq!(played.code, Some(0), "{}", played.err);
    assert!(player.logged("logs", "Sealed").len() > 1, "it played");

    let key = key.out.trim();
    for (settings, words) in [
        (json!({"game_ca": null}), "signed by nobody who is trusted here"),
        (json!({"game_ca": other}), "signed by nobody who is trusted here"),
        (json!({"game_host": "127.0.0.1"}), "for another host than 127.0.0.1"),
        (json!({"game_port": server.http.port()}), "it does not encrypt"),
    ] {
        let mut wrong = right.clone();
        wrong["key"] = json!(key);
        wrong["player_name"] = json!("Sealed");
        for (name, value) in settings.as_object().expect("an object") {
            wrong[name] = value.clone();
        }
        wrong.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        let player = sealed(&server, wrong);
        for line in [&["exec", "look"][..], &["play", "--no-model"], &["keygen", "--name", "X", "--state-dir", &state]]
        {
            let ended = player.run(line);
            assert!(ended.code == Some(1) && ended.err.contains(words), "{settings} {line:?}: {ended:?}");
            assert!(!ended.err.contains(key), "{}", ended.err);
        }
    }
    // In the clear to a door that waits for a handshake: it says so in the end, and hangs nowhere.
    let plain = sealed(&server, json!({"game_host": "localhost", "key": key, "player_name": "Sealed"}));
    let ended = plain.run(&["exec", "look"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
}

#[tokio::test]
async fn handshakes_that_nobody_goes_on_with_keep_nobody_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = make(folder.path(), "one");
    let server = Server::start_with(options(&made));
    let telnets = door(&server, "telnets");
    let mut silent = Vec::new();
    // Six addresses with fifty each are more than there are places for handshakes.
    for address in 2..8_u8 {
        for _ in 0..60 {
            let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
            socket.bind(SocketAddr::from(([127, 0, 0, address], 0))).expect("every 127 is ours");
            if let Ok(Ok(mut stream)) = tokio::time::timeout(PATIENCE, socket.connect(telnets)).await {
                // A beginning of a handshake, so that the time for the first byte does not end it.
                let _taken = stream.write_all(&[0x16, 0x03, 0x01]).await;
                silent.push(stream);
            }
        }
    }
    let begun = std::time::Instant::now();
    drop(connect(telnets, &made.der).await);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}: it waited for the others' time", begun.elapsed());
    drop(silent);
}
