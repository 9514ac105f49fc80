//! The past of a server that runs, shown by a process of its own: `dp-server watch` over the server's state folder,
//! started when somebody asks for a moment, at low priority, and ended when nobody has asked for a while.
//!
//! Invariants: the game waits for none of it; only who knows the secret of this one process is answered by it, since it
//! shows everything; it ends with the server, because its standard input does. Whoever stops waiting for an answer ends
//! the replay behind it, because the connection ends.

use crate::bearer;
use crate::replay::PastArgs;
use anyhow::{Context, bail};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Method, Response};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

/// In the environment of the process: what it wants to hear from whoever asks.
pub const SECRET: &str = "DP_PAST_SECRET";
/// It is ended when nobody has asked for so long, and looked after so often.
const IDLE: Duration = Duration::from_secs(5 * 60);
const LOOK_AFTER: Duration = Duration::from_secs(15);
/// Until it can be asked: it finds out first which runs the journal has.
const START_LONGEST: Duration = Duration::from_secs(60);
/// Of an answer: a zone with all that is in it is some hundred kilobytes.
const ANSWER_BYTES_MAX: usize = 32 << 20;

pub struct PastProcess {
    args: PastArgs,
    running: Mutex<Option<Running>>,
}

struct Running {
    /// Dropped, it is killed.
    child: Child,
    door: Door,
    asked: Instant,
}

/// Where it is asked, and with which secret.
#[derive(Clone, PartialEq, Eq)]
struct Door {
    address: SocketAddr,
    secret: String,
}

impl PastProcess {
    /// Nothing is started yet.
    pub fn new(args: PastArgs) -> Arc<PastProcess> {
        Arc::new(PastProcess { args, running: Mutex::default() })
    }

    /// Its answer to a call of the API, `/api/v1/world?zone=80&tick=5000`. A process that has died is started once
    /// more.
    pub async fn ask(self: &Arc<Self>, target: &str) -> anyhow::Result<Response<Bytes>> {
        let door = self.door().await?;
        match ask_at(&door, target).await {
            Ok(answer) => Ok(answer),
            Err(error) => {
                tracing::warn!(error = %format!("{error:#}"), "the process that shows the past is started again");
                self.end(&door).await;
                ask_at(&self.door().await?, target).await
            }
        }
    }

    async fn door(self: &Arc<Self>) -> anyhow::Result<Door> {
        let mut running = self.running.lock().await;
        if let Some(one) = &mut *running
            && one.child.try_wait().context("looking after the process that shows the past")?.is_none()
        {
            one.asked = Instant::now();
            return Ok(one.door.clone());
        }
        let one = start(&self.args).await?;
        let door = one.door.clone();
        *running = Some(one);
        tokio::spawn(look_after(Arc::downgrade(self), door.clone()));
        Ok(door)
    }

    /// Ends it, unless another has taken its place.
    async fn end(&self, door: &Door) {
        self.running.lock().await.take_if(|one| one.door == *door);
    }
}

/// Ends a process that nobody has asked for long enough.
async fn look_after(process: std::sync::Weak<PastProcess>, door: Door) {
    loop {
        tokio::time::sleep(LOOK_AFTER).await;
        let Some(process) = process.upgrade() else { return };
        let mut running = process.running.lock().await;
        match &*running {
            Some(one) if one.door == door && one.asked.elapsed() < IDLE => {}
            Some(one) if one.door == door => {
                *running = None;
                return;
            }
            _ => return,
        }
    }
}

async fn start(args: &PastArgs) -> anyhow::Result<Running> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).context("the operating system gave no random numbers")?;
    let secret = hex::encode(secret);
    let mut command = Command::new(std::env::current_exe().context("finding this program")?);
    command.arg("watch").args(["--http", "127.0.0.1:0", "--for-server"]).arg("--state-dir").arg(&args.state_dir);
    for (flag, folder) in [("--world", &args.played_in.world), ("--rules", &args.played_in.rules)] {
        if let Some(folder) = folder {
            command.arg(flag).arg(folder);
        }
    }
    if let Some(room) = args.played_in.start_room {
        command.arg("--start-room").arg(room.to_string());
    }
    command.env(SECRET, &secret).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().context("starting a process that shows the past")?;
    let stdout = child.stdout.take().context("reading what it says")?;
    let mut said = BufReader::new(stdout).lines();
    let line = tokio::time::timeout(START_LONGEST, said.next_line()).await.context("it is not ready in time")?;
    let Some(line) = line.context("reading what it says")? else { bail!("it ended at once; its log line says why") };
    let address = line.strip_prefix("ready http=").with_context(|| format!("it said {line:?}"))?;
    let address = address.parse().with_context(|| format!("it said {line:?}"))?;
    Ok(Running { child, door: Door { address, secret }, asked: Instant::now() })
}

async fn ask_at(door: &Door, target: &str) -> anyhow::Result<Response<Bytes>> {
    let asked = bearer::ask(door.address, &door.secret, Method::GET, target, Body::empty());
    let (answer, _connection) = asked.await?;
    let (head, body) = answer.into_parts();
    Ok(Response::from_parts(head, to_bytes(body, ANSWER_BYTES_MAX).await.context("reading its answer")?))
}
