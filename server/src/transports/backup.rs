//! `POST /admin/backup`: a backup of the running server, streamed to whoever has the admin token.
//!
//! Leaves what is in it to `crate::backup`. Invariant: an answer that ends as it should is a whole backup; one that
//! breaks off is told to the client by the connection, and to the operator by the log.

use crate::backup;
use crate::lobby::Lobby;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// A client that takes nothing for so long is gone: meanwhile the database keeps what it would clear away.
const STALL_LONGEST: Duration = Duration::from_secs(60);
/// Bytes of one piece, and how many may wait.
const PIECE: usize = 64 << 10;
const PIECES: usize = 8;

pub(super) async fn stream(State(lobby): State<Arc<Lobby>>) -> Response {
    let snapshot = async {
        let Some(snapshot) = lobby.engine.snapshot().await else { return Ok(None) };
        let number = snapshot.header.start;
        let bytes = tokio::task::spawn_blocking(move || snapshot.encode()).await.map_err(io::Error::other)??;
        Ok(Some((number, bytes)))
    };
    let begun = match backup::begin(lobby.accounts.store(), &lobby.saver, &lobby.engine.minds, snapshot).await {
        Ok(begun) => begun,
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a backup could not be made");
            let message = format!("The backup could not be made: {error:#}");
            return (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({ "error": message }))).into_response();
        }
    };
    let (to, pieces) = mpsc::channel::<io::Result<Bytes>>(PIECES);
    let last_words = to.clone();
    tokio::spawn(async move {
        let out = io::BufWriter::with_capacity(PIECE, Pipe { to, runtime: Handle::current() });
        match begun.write(out).await {
            Ok((_, contents)) => {
                tracing::info!(rows = contents.rows(), files = contents.files.len(), "a backup was made")
            }
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "a backup broke off");
                // The client may be the one that is gone.
                let _unheard = last_words.send(Err(io::Error::other("the backup broke off"))).await;
            }
        }
    });
    let pieces = futures_util::stream::unfold(pieces, async |mut pieces| Some((pieces.recv().await?, pieces)));
    ([(header::CONTENT_TYPE, "application/zstd")], Body::from_stream(pieces)).into_response()
}

/// What is written on a thread that may wait, read by the connection.
struct Pipe {
    to: mpsc::Sender<io::Result<Bytes>>,
    runtime: Handle,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Ok(Bytes::copy_from_slice(bytes));
        let sent = self.runtime.block_on(self.to.send_timeout(piece, STALL_LONGEST));
        sent.map(|()| bytes.len()).map_err(|_| io::Error::new(io::ErrorKind::BrokenPipe, "the client is gone"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
