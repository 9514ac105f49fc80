//! What the web page costs whoever plays in it, and how long a program waits that comes back to its stream: the rows of
//! docs/PERFORMANCE.md, "Clients". Wants a Chromium, and a server's program; starts a server of its own in the world
//! that ships.
//!
//! `cargo run --release -p lab --bin client_cost -- --program target/release/dp-server`

use anyhow::{Context, ensure};
use clap::Parser;
use lab::e2e::{Browser, Options, Server};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Lines that come at once, and that a long evening leaves in the log.
const BURST: usize = 500;
const LOG_LINES: usize = 10_000;
/// Commands whose answers are timed.
const KEYS: usize = 300;
/// Frames that are missed, and how often somebody comes back to them: each return adds a frame, and 512 are kept.
const MISSED: u64 = 480;
const RETURNS: usize = 15;

#[derive(Debug, Parser)]
#[command(about = "Measures what the page costs in a browser, and coming back to a stream", max_term_width = 100)]
struct Args {
    /// The server's program
    #[arg(long, value_name = "PROGRAM")]
    program: PathBuf,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let program =
        std::fs::canonicalize(&args.program).with_context(|| format!("finding {}", args.program.display()))?;
    let server = Server::start_with(Options { tick_ms: 2_000, program: Some(program), ..Options::default() });
    let mut page = Browser::start().await.context("there is no browser to measure in")?;
    sizes(&server, &mut page).await;
    play(&server, &mut page).await?;
    returns(&server).await;
    Ok(())
}

/// What each page loads, as it came over the wire, and when its first text was seen.
async fn sizes(server: &Server, page: &mut Browser) {
    for path in ["/", "/watch"] {
        page.open(&format!("http://{}{path}", server.http)).await;
        let loaded = "(() => { const all = [...performance.getEntriesByType('navigation'), \
                      ...performance.getEntriesByType('resource')]; \
                      const paint = performance.getEntriesByName('first-contentful-paint')[0]; \
                      return paint && all.length > 3 && { \
                      bytes: all.reduce((sum, one) => sum + one.encodedBodySize, 0), \
                      count: all.length, foreign: all.filter((one) => !one.name.startsWith(location.origin)).length, \
                      paint: paint.startTime }; })()";
        let Value::Object(loaded) = page.until(loaded).await else { continue };
        let (kb, paint) = (loaded["bytes"].as_f64().unwrap_or(0.0) / 1e3, loaded["paint"].as_f64().unwrap_or(0.0));
        let (count, foreign) = (&loaded["count"], &loaded["foreign"]);
        println!("{path:<8} {kb:.1} KB gzipped in {count} files, {foreign} foreign; first text after {paint:.0} ms");
    }
}

async fn play(server: &Server, page: &mut Browser) -> anyhow::Result<()> {
    server.dial().await.create("Ann", "swordfish").await;
    page.play_as(&format!("http://{}/", server.http), "Ann", "swordfish").await;

    // From the key to the answer in the log.
    let timed = format!(
        "(async () => {{ const find = (one) => document.querySelector(one); \
         const [log, line, form] = ['#log', '#line', '#type'].map(find); \
         const took = []; \
         for (let n = 0; n < {KEYS}; n++) {{ \
         const answered = new Promise((done) => {{ const seen = new MutationObserver((records) => {{ \
         const added = records.flatMap((record) => [...record.addedNodes]); \
         if (added.some((one) => one.dataset?.kind !== 'typed')) {{ seen.disconnect(); \
         done(performance.now()); }} }}); \
         seen.observe(log, {{ childList: true }}); }}); \
         line.value = 'time'; const begun = performance.now(); form.requestSubmit(); \
         took.push(await answered - begun); await new Promise((done) => setTimeout(done, 20)); }} \
         return took.sort((a, b) => a - b); }})()"
    );
    let took = page.value(&timed).await;
    let at = |part: f64| took[((KEYS as f64 * part) as usize).min(KEYS - 1)].as_f64().unwrap_or(f64::NAN);
    println!("key to answer in the page: p50 {:.1} ms, p99 {:.1} ms, of {KEYS}", at(0.5), at(0.99));

    // What blocks the page while many lines come at once, and what a full log takes.
    let mut bob = server.agent("Bob").await;
    server.place("Bob", 8004).await;
    server.place("Ann", 8004).await;
    let watching = "window.longest = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) \
                    window.longest = Math.max(window.longest, one.duration); }).observe({ type: 'longtask' }); true";
    page.value(watching).await;
    let lines = "document.querySelectorAll('#log > div').length";
    let mut said = 0;
    let mut say = async |count: usize| {
        for _ in 0..count {
            said += 1;
            bob.command(&format!("emote counts to {said}.")).await;
        }
        bob.fence().await;
        said
    };
    let count = say(BURST).await;
    page.until(&format!("document.querySelector('#log').lastChild.textContent.includes('counts to {count}.')")).await;
    let longest = page.value("new Promise((done) => setTimeout(() => done(window.longest), 300))").await;
    println!("a burst of {BURST} lines: longest task {} ms (0: none over 50)", longest.as_f64().unwrap_or(0.0).round());
    let count = say(LOG_LINES - BURST).await;
    page.until(&format!("document.querySelector('#log').lastChild.textContent.includes('counts to {count}.')")).await;
    let shown = page.value(lines).await;
    ensure!(shown.as_u64() >= Some(LOG_LINES as u64 - 600), "the log holds {shown} lines");
    println!("a log of {shown} lines: {:.1} MB of heap", page.heap_bytes().await as f64 / 1e6);
    Ok(())
}

/// A program that comes back to the frames that it missed.
async fn returns(server: &Server) {
    let key = server.key("Cid").await;
    let features = ["vars", "resume"];
    let login = |more: Value| {
        let mut data = json!({"player_name": "Cid", "features": features});
        data.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({"type": "login", "data": data})
    };
    let mut cid = server.connect().await;
    cid.send(login(json!({"password": key}))).await;
    let state = cid.expect("state").await;
    let (stream, token) = (state["data"]["stream"].clone(), state["data"]["token"].clone());
    while cid.seq < MISSED {
        cid.command("time").await;
        cid.fence().await;
    }
    let last = cid.seq;
    let mut took = Vec::new();
    for _ in 0..RETURNS {
        drop(cid);
        cid = server.connect().await;
        cid.seq = last - MISSED.min(last);
        let begun = Instant::now();
        cid.send(login(json!({"token": token, "resume": {"stream": stream, "seq": cid.seq}}))).await;
        let resumed = cid.expect("resumed").await;
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        assert!(resumed["data"]["missed"].as_u64() >= Some(MISSED), "{resumed}");
    }
    took.sort_by(f64::total_cmp);
    println!(
        "coming back to {MISSED} frames: median {:.1} ms, longest {:.1} ms, of {RETURNS}",
        took[RETURNS / 2],
        took[RETURNS - 1]
    );
}
