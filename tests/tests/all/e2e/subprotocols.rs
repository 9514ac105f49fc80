//! People's clients that come by WebSocket: each subprotocol from the name to the game.

use super::green;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tests::e2e::{PATIENCE, Server};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

struct Client {
    socket: WebSocketStream<TcpStream>,
    /// What was shown, and what came beside it.
    shown: String,
    messages: Vec<String>,
}

/// The name that was agreed, or the server's refusal.
async fn connect(server: &Server, offered: &str) -> Result<(Client, String), String> {
    let mut request = format!("ws://{}/ws", server.http).into_client_request().expect("an address");
    request.headers_mut().insert("Sec-WebSocket-Protocol", offered.parse().expect("a header"));
    let stream = TcpStream::connect(server.http).await.expect("it listens");
    match tokio_tungstenite::client_async(request, stream).await {
        Ok((socket, answer)) => {
            let name = answer.headers()["sec-websocket-protocol"].to_str().expect("a name").to_string();
            Ok((Client { socket, shown: String::new(), messages: Vec::new() }, name))
        }
        Err(Error::Http(answer)) => {
            assert_eq!(answer.status(), 400);
            Err(String::from_utf8(answer.into_body().unwrap_or_default()).expect("text"))
        }
        Err(other) => panic!("{offered}: {other}"),
    }
}

impl Client {
    async fn send(&mut self, message: Message) {
        self.socket.send(message).await.expect("it is open");
    }

    /// Reads on until this was shown.
    async fn expect(&mut self, what: &str) {
        while !self.shown.contains(what) {
            match tokio::time::timeout(PATIENCE, self.socket.next()).await {
                Ok(Some(Ok(Message::Binary(bytes)))) => self.shown += &String::from_utf8_lossy(&bytes),
                Ok(Some(Ok(Message::Text(text)))) => self.messages.push(text.to_string()),
                other => panic!("{what:?} never came, but {other:?} behind {:?}", self.shown),
            }
        }
        self.shown.clear();
    }

    async fn line(&mut self, line: &str, answer: &str) {
        self.send(Message::binary(line.as_bytes().to_vec())).await;
        self.expect(answer).await;
    }

    /// By the text conversation.
    async fn log_in(&mut self, name: &str, key: &str) {
        self.expect("known?").await;
        self.line(name, "Password:").await;
        self.line(key, "will it be?").await;
        self.line("1", "Village Green").await;
    }
}

#[tokio::test]
async fn a_terminal_and_raw_telnet_play_in_binary_frames() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let (mut ann, name) =
        connect(&server, "unknown, terminal.mudstandards.org, v1.darkpawns").await.expect("it is known");
    assert_eq!(name, "terminal.mudstandards.org", "the first that is known");
    ann.log_in("Ann", &key).await;
    ann.line("say caf\u{e9}", "You say, \"caf\u{e9}\"").await;
    assert_eq!(ann.messages, [] as [String; 0]);

    let key = server.key("Bob").await;
    let (mut bob, name) = connect(&server, "telnet.mudstandards.org").await.expect("it is known");
    assert_eq!(name, "telnet.mudstandards.org");
    bob.expect("known?").await;
    for (line, answer) in [("Bob\r\n", "Password:"), (&format!("{key}\r\n"), "will it be?"), ("1\r\n", "Village Green")]
    {
        bob.line(line, answer).await;
    }
    bob.line("say caf", "").await;
    bob.line("\u{e9}\r\n", "You say, \"caf\u{e9}\"").await;
    ann.expect("Bob says, \"caf\u{e9}\"").await;
    ann.line("quit", "").await;
    while let Some(Ok(message)) = tokio::time::timeout(PATIENCE, ann.socket.next()).await.expect("it ends") {
        assert!(!message.is_text(), "{message:?}");
    }
}

#[tokio::test]
async fn messages_stand_beside_the_text() {
    let server = Server::start_with(green());
    for (name, subprotocol) in [("Ann", "gmcp.mudstandards.org"), ("Bob", "json.mudstandards.org")] {
        let key = server.key(name).await;
        let (mut client, agreed) = connect(&server, subprotocol).await.expect("it is known");
        assert_eq!(agreed, subprotocol);
        let is_json = subprotocol.starts_with("json");
        let message = |name: &str, data: Value| match is_json {
            true => Message::text(json!({"proto": "gmcp", "id": name, "data": data.to_string()}).to_string()),
            false => Message::text(format!("{name} {data}")),
        };
        client.send(message("Core.Hello", json!({"client": "Here", "version": "1"}))).await;
        client.send(message("Core.Supports.Set", json!(["Char 1", "Room 1"]))).await;
        client.log_in(name, &key).await;
        client.line(if is_json { r#"{"proto":"text","id":"","data":"client"}"# } else { "client" }, "Here 1").await;
        client.line("sit", "sit").await;
        client.line("stand", "stand").await;
        let told = client.messages.join("\n");
        let room = match is_json {
            true => r#""id":"Room.Info""#,
            false => "Room.Info {",
        };
        assert!(told.contains(room) && told.contains("Char.Vitals"), "{told}");
        // What is no message is passed over, and the game goes on.
        client.send(message("Core.Nothing", json!([[[[]]]]))).await;
        client.send(Message::text("{\"proto\":\"gmcp\"}")).await;
        client.line("say still here", "still here").await;
    }
}

#[tokio::test]
async fn frames_have_a_name_and_unknown_names_are_refused() {
    let server = Server::start_with(green());
    let (mut ours, name) = connect(&server, "v1.darkpawns").await.expect("it is known");
    assert_eq!(name, "v1.darkpawns");
    let key = server.key("Ann").await;
    let login = json!({"type": "login", "data": {"player_name": "Ann", "password": key}});
    ours.send(Message::text(login.to_string())).await;
    let state = tokio::time::timeout(PATIENCE, ours.socket.next()).await.expect("in time").expect("it is open");
    assert!(state.expect("a frame").to_text().expect("text").contains("\"state\""));
    let refusal = connect(&server, "v9.nothing, chat").await.err().expect("neither is known");
    for known in ["v1.darkpawns", "telnet.", "terminal.", "gmcp.", "json.mudstandards.org"] {
        assert!(refusal.contains(known), "{refusal}");
    }
}
