//! The floor under the server's figures: the same stack (tokio, axum's WebSocket, plain TCP) with nothing behind it but
//! an echo. `load --echo --start target/release/echo` measures it.

use axum::Router;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::routing::get;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

/// As the server sets them.
const READ_BUFFER_BYTES: usize = 2 * 1024;
const WRITE_BUFFER_BYTES: usize = 4 * 1024;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let address = |flag: &str| {
        let at = arguments.iter().position(|word| word == flag);
        at.and_then(|at| arguments.get(at + 1)).map_or("127.0.0.1:0", String::as_str)
    };
    let http = TcpListener::bind(address("--http")).await?;
    let telnet = TcpListener::bind(address("--telnet")).await?;
    println!("ready http={} telnet={}", http.local_addr()?, telnet.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = telnet.accept().await {
            tokio::spawn(lines(stream));
        }
    });
    let upgrade = |upgrade: WebSocketUpgrade| async {
        upgrade.read_buffer_size(READ_BUFFER_BYTES).write_buffer_size(WRITE_BUFFER_BYTES).on_upgrade(
            |mut socket| async move {
                while let Some(Ok(message)) = socket.recv().await {
                    if let Message::Text(_) = &message
                        && socket.send(message).await.is_err()
                    {
                        return;
                    }
                }
            },
        )
    };
    let http = axum::serve::ListenerExt::tap_io(http, |stream| {
        let _best_effort = stream.set_nodelay(true);
    });
    axum::serve(http, Router::new().route("/ws", get(upgrade))).await?;
    Ok(())
}

/// Each line comes back with a prompt.
async fn lines(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut waiting = Vec::new();
    loop {
        stream.readable().await?;
        let mut buffer = [0; READ_BUFFER_BYTES];
        match stream.try_read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => waiting.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        }
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let mut line: Vec<u8> = waiting.drain(..=end).collect();
            line.extend_from_slice(b"\r\n~> ");
            stream.write_all(&line).await?;
        }
    }
}
