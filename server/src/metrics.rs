//! `/metrics`: what is counted while the server runs, as Prometheus reads it.
//!
//! Whatever happens is counted where it happens: by the engine in `engine::Stats`, by the saver, by the limits
//! of addresses, by the lobby in `lobby::counts`. Here it is only gathered, when somebody asks. One function each for
//! the parts of the server; a new part gets a function of its own and a line in [`render`]. Every name has a row in
//! docs/OPERATIONS.md (a test compares them). Invariant: asking waits for nothing and counts nothing.

use crate::archive::Archive;
use crate::capture::Writer;
use crate::dreams::Dreams;
use crate::exports::Exports;
use crate::journal::Gauges;
use crate::lobby::Lobby;
use crate::minds::Minds;
use axum::body::Bytes;
use parking_lot::Mutex;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The form of [`render`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What was rendered last. Anybody may ask, hundreds of times in one write, and a rendering costs more than all else of
/// an answer: a hundred connections that did so made players wait for 80 ms. So there are at most `RENDERED` of them in
/// a `SPAN`, and whoever asks for more reads the last one.
#[derive(Default)]
pub struct Page {
    newest: Mutex<Option<Newest>>,
}

struct Newest {
    span_began: Instant,
    rendered: u32,
    text: Bytes,
}

/// A script that steps the world and reads what came of it always reads what is.
const RENDERED: u32 = 8;
const SPAN: Duration = Duration::from_millis(100);

impl Page {
    /// All metrics as they are `now`; where many ask, as they were at most a tenth of a second before.
    pub fn at(&self, now: Instant, lobby: &Lobby) -> Bytes {
        // Held while it is rendered, so that who asks meanwhile waits for it instead of rendering another one.
        let mut newest = self.newest.lock();
        let (span_began, rendered) = match &*newest {
            Some(last) if now.saturating_duration_since(last.span_began) < SPAN => (last.span_began, last.rendered),
            _ => (now, 0),
        };
        if rendered == RENDERED
            && let Some(last) = &*newest
        {
            return last.text.clone();
        }
        let text = Bytes::from(render(lobby));
        *newest = Some(Newest { span_began, rendered: rendered + 1, text: text.clone() });
        text
    }
}

/// All metrics, in the text form of OpenMetrics.
pub fn render(lobby: &Lobby) -> String {
    let mut registry = Registry::with_prefix("dp");
    let mut put = Put(&mut registry);
    program(&mut put, lobby);
    engine(&mut put, lobby);
    connections(&mut put, lobby);
    store(&mut put, lobby);
    if let Some(gauges) = &lobby.engine.journal {
        journal(&mut put, gauges);
    }
    minds(&mut put, &lobby.engine.minds);
    if let Some(archive) = lobby.archive.as_ref() {
        self::archive(&mut put, archive);
    }
    if let Some(exports) = &lobby.exports {
        self::exports(&mut put, exports);
    }
    decisions(&mut put, &lobby.engine.decisions);
    if let Some(nights) = &lobby.dreams {
        dreams(&mut put, nights);
    }
    if let Some(archiver) = &lobby.archiver {
        put.count("log_archive_files", "Files that old entries of logs were archived in", read(&archiver.files));
        put.count("log_archive_entries", "Entries of logs that were archived", read(&archiver.entries));
        put.count("log_archive_failures", "Logs that could not be archived", read(&archiver.failures));
    }
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry).expect("a String takes it");
    text
}

/// Fills the registry by names without the `dp_`; a counter's name gets its `_total` from the library.
struct Put<'a>(&'a mut Registry);

impl Put<'_> {
    fn count(&mut self, name: &str, help: &str, value: u64) {
        self.0.register(name, help, ConstCounter::new(value));
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.0.register(name, help, ConstGauge::new(value));
    }
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

fn program(put: &mut Put, lobby: &Lobby) {
    let build = vec![("version", env!("CARGO_PKG_VERSION"))];
    put.0.register("build", "Which program this is", Info::new(build));
    put.gauge("uptime_seconds", "Time since the start", lobby.counts.began.elapsed().as_secs_f64());
}

fn engine(put: &mut Put, lobby: &Lobby) {
    let stats = &lobby.engine.stats;
    put.gauge("tick", "The tick that the world is at", read(&stats.tick) as f64);
    put.0.register("tick_duration_seconds", "How long ticks took", stats.tick_seconds.histogram());
    put.count("late_ticks", "Ticks that began more than 50 ms late", read(&stats.late_ticks));
    let lag = stats.lag(Instant::now());
    put.gauge("tick_lag_seconds", "How far the world is behind its schedule now", lag.as_secs_f64());
    put.count("commands", "Commands that came to the world", read(&stats.commands));
    put.count("inputs_given_up", "Inputs that a mistake of ours ended half-way", read(&stats.inputs_given_up));
    put.count(
        "releases_given_up",
        "Times that a mistake of ours kept what inputs caused from a reader",
        read(&stats.releases_given_up),
    );
    put.gauge("engine_queue_letters", "Inputs that wait for the world", lobby.engine.waiting() as f64);
    put.gauge("players", "Characters in the world, the link-dead too", read(&stats.players) as f64);
}

fn connections(put: &mut Put, lobby: &Lobby) {
    let counts = &lobby.counts;
    put.0.register("sessions", "Connections in the world now", counts.sessions.clone());
    put.0.register("logins", "Times that somebody came into the world", counts.logins.clone());
    put.0.register("logins_refused", "Logins that were refused", counts.logins_refused.clone());
    put.0.register("lockouts", "Addresses locked out after too many failed logins", counts.lockouts.clone());
    put.0.register("back_offs", "Wrong passwords after which an account's next must wait", counts.back_offs.clone());
    put.0.register("characters_made", "Characters made by players", counts.characters_made.clone());
    put.0.register("commands_refused", "Commands that came faster than allowed", counts.commands_refused.clone());
    let addresses = &lobby.addresses;
    let connections = &lobby.connections;
    put.gauge("connections", "Open connections, those before a login too", connections.open() as f64);
    put.count(
        "connections_refused",
        "Connections beyond those allowed of one address or in all",
        connections.refused(),
    );
    put.gauge("addresses_remembered", "Addresses that limits are counted for", addresses.remembered() as f64);
}

fn store(put: &mut Put, lobby: &Lobby) {
    let saver = &lobby.saver;
    put.gauge("store_unsaved_characters", "Characters that wait to be written", saver.backlog() as f64);
    put.count("store_written_characters", "Characters written", read(&saver.queue.written));
    put.count(
        "store_failures",
        "Batches of characters that could not be written and were tried again",
        read(&saver.queue.failures),
    );
    let failing = saver.queue.failing_for().map_or(0.0, |time| time.as_secs_f64());
    put.gauge("store_failing_seconds", "Time since a batch was written, while none can be; otherwise 0", failing);
}

fn journal(put: &mut Put, gauges: &Gauges) {
    let us = |gauge: &AtomicU64| read(gauge) as f64 / 1e6;
    put.count("journal_bytes", "Bytes written to the journal", read(&gauges.bytes_total));
    put.gauge("journal_segment_bytes", "Size of the segment that is being written", read(&gauges.segment_bytes) as f64);
    put.gauge("journal_segment_start", "The input that it begins after", read(&gauges.segment_start) as f64);
    put.gauge("journal_sync_seconds", "How long bringing it to the disk took last", us(&gauges.sync_us));
    put.count("journal_write_failures", "Times that it could not be written", read(&gauges.write_failures));
    let flag = |set: &AtomicBool| if set.load(Ordering::Relaxed) { 1.0 } else { 0.0 };
    put.gauge("journal_stuck", "1: the world stands still because it cannot be written", flag(&gauges.stuck));
    put.gauge("disk_low", "1: the disk is nearly full, and nobody new is let in", flag(&gauges.low));
    let made_ms = gauges.snapshot_ms.load(Ordering::Relaxed);
    if made_ms > 0 {
        let age_ms = (crate::times::unix_ms() - made_ms).max(0);
        put.gauge("snapshot_age_seconds", "Time since the newest snapshot", age_ms as f64 / 1e3);
    }
    put.gauge("snapshot_bytes", "Size of the newest snapshot", read(&gauges.snapshot_bytes) as f64);
    put.gauge("snapshot_stall_seconds", "How long the world stood for it", us(&gauges.snapshot_stall_us));
    let write_seconds = read(&gauges.snapshot_write_ms) as f64 / 1e3;
    put.gauge("snapshot_write_seconds", "How long it took to be written, beside the world", write_seconds);
    put.count("snapshot_failures", "Snapshots that could not be made", read(&gauges.snapshot_failures));
}

fn minds(put: &mut Put, minds: &Minds) {
    put.gauge(
        "minds_waiting",
        "Requests to minds and records for them that wait to be answered or written",
        minds.backlog() as f64,
    );
    put.gauge("minds_records_waiting", "Those of what waits that are records", minds.records_waiting() as f64);
    put.count(
        "minds_records",
        "Things that happened to characters and were taken for their logs",
        read(&minds.recorded),
    );
    put.count("minds_records_lost", "Those of them that no log will ever have", read(&minds.records_lost));
    put.count("minds_answered", "Requests to minds that were answered", read(&minds.answered));
    put.count("minds_refused", "Those of them that were refused", read(&minds.refused));
    put.count("minds_written", "Entries written to the logs of minds", read(&minds.queue.written));
    put.count(
        "minds_failures",
        "Times that logs could not be read or written and were tried again",
        read(&minds.failures),
    );
    let memories = &minds.memories;
    put.gauge("memories_nodes", "Nodes of the memory graphs that are kept in memory", memories.nodes() as f64);
    put.count("memories_made", "Times that somebody's memories were made or renewed", read(&memories.made));
    put.count("memories_made_microseconds", "Time that it took in all", read(&memories.made_us));
    put.count("memories_missed", "Logins of agents that had to do without memories", read(&memories.missed));
    put.count("minds_lost", "Requests whose entries the database will never take", read(&minds.lost));
    let failing = minds.queue.failing_for().map_or(0.0, |time| time.as_secs_f64());
    put.gauge("minds_failing_seconds", "Time since entries were written, while none can be; otherwise 0", failing);
}

fn archive(put: &mut Put, archive: &Archive) {
    put.gauge(
        "archive_waiting",
        "Rows of persons, agents, channels and messages that wait to be written",
        archive.backlog() as f64,
    );
    put.count("archive_written", "Rows of them written", read(&archive.queue.written));
    put.count("archive_failures", "Batches of them that could not be written", read(&archive.queue.failures));
    put.count("archive_aside", "Rows of them that the database refused", read(&archive.queue.aside_total));
    put.count("archive_lost", "Messages that no history will ever have", read(&archive.lost));
    let failing = archive.queue.failing_for().map_or(0.0, |time| time.as_secs_f64());
    put.gauge("archive_failing_seconds", "Time since rows were written, while none can be; otherwise 0", failing);
}

fn exports(put: &mut Put, exports: &Exports) {
    put.count("exports_written", "Session files written", read(&exports.files));
    put.count(
        "exports_failures",
        "Session files that could not be written and are tried again",
        read(&exports.queue.failures),
    );
    let failing = if exports.failing() { 1.0 } else { 0.0 };
    put.gauge("exports_failing", "1: a session file waits that could not be written", failing);
}

fn decisions(put: &mut Put, writer: &Writer) {
    put.gauge("decisions_waiting", "Decisions that wait to be written", writer.backlog() as f64);
    put.count("decisions_written", "Decisions written", read(&writer.queue.written));
    put.count("decisions_dropped", "Decisions lost because too many waited", read(&writer.dropped));
    put.count("decisions_skipped", "Decisions not recorded because the disk was nearly full", read(&writer.skipped));
    put.count("decisions_failures", "Batches of them that could not be written", read(&writer.queue.failures));
}

fn dreams(put: &mut Put, dreams: &Dreams) {
    put.count("dreams_nights", "Nights that are over", read(&dreams.nights));
    put.count("dreams", "Dreams that were kept", read(&dreams.dreamt));
    put.count("dreams_failures", "Dreams that failed or left no files", read(&dreams.failures));
    put.count("dreams_unreadable", "Entries of logs that no dream could read, each once", read(&dreams.unreadable));
    let status = dreams.status();
    put.gauge("dreams_under_way", "1: it is night", if status.under_way.is_some() { 1.0 } else { 0.0 });
    let night = status.last.unwrap_or_default();
    let over_ms = dreams.last_due_ms.load(Ordering::Relaxed);
    put.gauge("dreams_night_timestamp_seconds", "When the last night was due that is over", over_ms as f64 / 1e3);
    put.gauge("dreams_night_seconds", "How long the last night of this run took", night.seconds);
    put.gauge("dreams_night_characters", "Characters that dreamt in it", night.characters as f64);
    put.gauge("dreams_night_failures", "Dreams that failed in it", night.failures as f64);
}
