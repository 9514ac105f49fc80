//! `dp-server watch`: the observatory and its API over a state folder without a server, or beside one, at any tick that
//! the journal keeps.
//!
//! Invariants: the folder is only read, and as far as it is whole; who has the folder has all rights, so it listens on
//! this machine alone unless told otherwise, and answers no page of a foreign name. It ends by SIGTERM or SIGINT.

use crate::api::{self, PastSite};
use crate::bearer;
use crate::past::Timeline;
use crate::past_process::SECRET;
use crate::replay::PastArgs;
use crate::restart;
use crate::web;
use anyhow::Context;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next, map_response};
use axum::response::{IntoResponse, Response};
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;

/// How long answers that are under way may take when it ends.
const ANSWER_LONGEST: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, clap::Args)]
pub struct WatchArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// Where it listens; whoever reaches it sees everything, without a token
    #[arg(long, default_value = "127.0.0.1:4360", value_name = "ADDR")]
    pub http: SocketAddr,
    /// For a server that runs: it wants the secret in DP_PAST_SECRET from whoever asks, lets the game go first, and
    /// ends with its standard input
    #[arg(long, hide = true)]
    pub for_server: bool,
}

/// How much the game goes before a replay for its server. Source: nice(2).
const NICE: i32 = 10;

/// Runs until the process is asked to end. `restart::keep_waiting` was called before any thread was started.
pub async fn run(args: WatchArgs) -> anyhow::Result<()> {
    let signals = restart::listen()?;
    let secret = match args.for_server {
        true => Some(std::env::var(SECRET).context("reading the secret of whoever started this")?),
        false => None,
    };
    if args.for_server {
        rustix::process::nice(NICE).context("letting the game go first")?;
    }
    let folder = args.past.state_dir.display().to_string();
    let opened = tokio::task::spawn_blocking(move || Timeline::open(args.past));
    let timeline = Arc::new(opened.await??);
    let listener = TcpListener::bind(args.http)
        .await
        .with_context(|| format!("opening the door {}; choose another with --http, port 0 for any", args.http))?;
    let address = listener.local_addr().context("asking where it listens")?;
    if !address.ip().is_loopback() {
        tracing::warn!("whoever reaches {address} sees everything in this past, minds and secrets of the world too");
    }
    let ending = Arc::new(AtomicBool::new(false));
    let surveying = {
        let (timeline, ending) = (timeline.clone(), ending.clone());
        let survey = move || timeline.survey(&|| !ending.load(Ordering::Relaxed));
        std::thread::Builder::new().name("survey".into()).spawn(survey).context("starting the survey")?
    };
    let is_for_server = secret.is_some();
    let app = router(PastSite::new(timeline, folder, ending.clone()), address.ip().is_loopback(), secret);
    // Nobody need read it.
    if !is_for_server {
        let _unread = writeln!(std::io::stderr(), "The past is at http://{address}/watch; Ctrl+C ends it.");
    }
    let _unread = writeln!(std::io::stdout(), "ready http={address}");
    let asked_to_end = {
        let ending = ending.clone();
        async move {
            tokio::select! {
                () = signals.end() => {}
                // It has no settings to read again: its terminal is gone.
                () = signals.reload() => {}
                () = input_ended(), if is_for_server => {}
            }
            ending.store(true, Ordering::Relaxed);
        }
    };
    let mut serving = tokio::spawn(axum::serve(listener, app).with_graceful_shutdown(asked_to_end).into_future());
    let served = tokio::select! {
        served = &mut serving => served,
        // Who keeps a connection open keeps nothing from ending.
        () = ended_for(&ending, ANSWER_LONGEST) => Ok(Ok(())),
    };
    ending.store(true, Ordering::Relaxed);
    served.context("the listener failed")?.context("the listener failed")?;
    surveying.join().map_err(|_| anyhow::anyhow!("the survey of the journal failed"))
}

/// Returns so long after it was asked to end.
async fn ended_for(ending: &AtomicBool, long: Duration) {
    while !ending.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(long).await;
}

/// Returns when nothing more can come from standard input, which nobody writes to.
async fn input_ended() {
    let (telling, told) = tokio::sync::oneshot::channel();
    let reading = move || {
        let _read = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _told = telling.send(());
    };
    match std::thread::Builder::new().name("input".into()).spawn(reading) {
        Ok(_) => drop(told.await),
        Err(error) => tracing::error!(%error, "nobody waits for the end of the input"),
    }
}

/// `secret`: what whoever asks has to know; `None`: who reaches it may ask.
fn router(site: PastSite, is_local: bool, secret: Option<String>) -> Router {
    Router::new()
        .merge(api::past_router(site))
        .merge(web::router_without_game())
        .fallback(|| async { (StatusCode::NOT_FOUND, "Nothing is here. The past is at /watch, its calls at /api.\n") })
        .layer(middleware::from_fn(move |headers: HeaderMap, request: Request, next: Next| {
            let is_foreign = is_local && !is_own_name(&headers);
            let is_refused = is_foreign
                || secret
                    .as_deref()
                    .is_some_and(|secret| !bearer::given(&headers).is_some_and(|one| bearer::is_secret(one, secret)));
            async move { if is_refused { foreign() } else { next.run(request).await } }
        }))
        .layer(map_response(web::guard))
}

/// Whether a request names this machine itself: a page of a foreign name that leads here is not to read what we have.
fn is_own_name(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

fn foreign() -> Response {
    (StatusCode::FORBIDDEN, "Ask by the address, or by the name localhost.\n").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for (host, expected) in [
            ("127.0.0.1:4360", true),
            ("localhost", true),
            ("LOCALHOST:80", true),
            ("[::1]:4360", true),
            ("evil.example:4360", false),
            ("127.0.0.1.evil.example", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().expect("a value"))]);
            assert_eq!(is_own_name(&headers), expected, "{host}");
        }
    }
}
