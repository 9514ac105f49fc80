//! What was seen of a siege, and the promises that it is held against.
//!
//! Pure: everything that a promise is judged by is in [`Evidence`], so each can be shown to break. A promise is one row
//! of [`PROMISES`].

use super::attack::TriggerOutcome;
use super::visitors::Visits;
use crate::load::bench::Stage;
use std::time::Duration;

/// The stretches of a siege, each as long as the others.
pub const STAGES: [&str; 3] = ["calm", "siege", "after"];
/// The places of those in lists by stage.
pub const CALM: usize = 0;
pub const SIEGE: usize = 1;
pub const AFTER: usize = 2;

/// What is allowed.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Of players' commands while the siege goes on, from when they are due to their answer.
    pub p99_ms: f64,
    /// Of 99 of a hundred visitors who come meanwhile, from connecting to being in.
    pub login_p99_ms: f64,
    /// From the start of the process after a kill to its open listeners.
    pub restart: Duration,
    /// More open files than before, when all is over.
    pub descriptors_more: usize,
    /// Resident memory when all is over: so much more than before, in MB.
    pub memory_more_mb: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            p99_ms: 10.0,
            login_p99_ms: 1_000.0,
            restart: Duration::from_secs(5),
            // Files of the database's pool that were opened meanwhile.
            descriptors_more: 16,
            // Attackers' bodies stay for five minutes, and what they made stays on floors and in caches.
            memory_more_mb: 64,
        }
    }
}

/// What was looked at before, while and after.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure<T> {
    pub before: T,
    pub highest: T,
    pub after: T,
}

/// One stage of a siege.
#[derive(Debug, Default)]
pub struct StageFigures {
    pub seconds: f64,
    pub commands: Stage,
    pub visits: Visits,
    pub server_cpu_ms: f64,
    /// Of all that is not the server: players, visitors and attackers.
    pub generator_cpu_ms: f64,
    pub rss_kb: u64,
    pub descriptors: usize,
    pub late_ticks: u64,
    pub connections_refused: u64,
    pub commands_refused: u64,
    pub logins_refused: u64,
    pub characters_made: u64,
    pub records: u64,
}

#[derive(Debug, Default)]
pub struct Evidence {
    pub stages: [StageFigures; 3],
    pub triggers: Vec<TriggerOutcome>,
    /// Why players' connections ended before their time.
    pub lost_connections: Vec<String>,
    pub error_frames: u64,
    /// Frames whose number was not the next one.
    pub gaps: u64,
    /// Players who have something else after the siege, one line each.
    pub changed: Vec<String>,
    /// The same after the kill, compared with before it.
    pub changed_by_kill: Vec<String>,
    pub records_lost: u64,
    pub minds_lost: u64,
    pub decisions_lost: u64,
    pub given_up: u64,
    /// What still waited to be written when it had had its time.
    pub backlog: u64,
    /// Why the server says that not all is well, afterwards.
    pub reasons: Vec<String>,
    /// Of the victim's password: how many were tried, and how many checked.
    pub guesses_tried: u64,
    pub guesses_checked: u64,
    /// After how many the right one was found.
    pub guessed: Option<u64>,
    /// How many the victim was told of.
    pub guesses_told: u64,
    pub descriptors: Measure<usize>,
    pub rss_kb: Measure<u64>,
    pub start: Duration,
    /// After the kill.
    pub restart: Duration,
    /// Lines of the server's log that must not be in it.
    pub log_trouble: Vec<String>,
}

/// One thing that a siege must not change. `holds`: what was seen, where it is kept; what broke it, where not.
pub struct Promise {
    pub name: &'static str,
    pub holds: fn(&Evidence, &Bounds) -> Result<String, String>,
}

pub const PROMISES: &[Promise] = &[
    Promise { name: "players' commands are answered in time", holds: in_time },
    Promise { name: "every command is answered, and none by an error", holds: answered },
    Promise { name: "nobody loses the connection", holds: connected },
    Promise { name: "others are let in meanwhile", holds: let_in },
    Promise { name: "everybody has what they had", holds: |e, _| none(&e.changed, "all have what they had") },
    Promise { name: "nothing that happened is lost", holds: recorded },
    Promise { name: "a password is not guessed", holds: unguessed },
    Promise { name: "its owner is told of the guesses", holds: owner_told },
    Promise { name: "the server is well afterwards", holds: |e, _| none(&e.reasons, "no reasons in /health") },
    Promise { name: "files and memory come back", holds: given_back },
    Promise { name: "after a kill it starts in time", holds: restarts },
    Promise { name: "after a kill all are as they were", holds: |e, _| none(&e.changed_by_kill, "all are as before") },
    Promise { name: "the log is clean", holds: |e, _| none(&e.log_trouble, "no panics, nothing given up") },
];

/// How each promise fared: its name, and what was seen or what broke it.
pub fn judge(evidence: &Evidence, bounds: &Bounds) -> Vec<(&'static str, Result<String, String>)> {
    PROMISES.iter().map(|promise| (promise.name, (promise.holds)(evidence, bounds))).collect()
}

/// Kept where the condition holds; the same words either way.
fn if_so(holds: bool, words: String) -> Result<String, String> {
    if holds { Ok(words) } else { Err(words) }
}

fn none(lines: &[String], well: &str) -> Result<String, String> {
    match lines {
        [] => Ok(well.to_string()),
        [first, ..] => Err(format!("{}, the first: {first}", lines.len())),
    }
}

fn ms(us: u64) -> f64 {
    us as f64 / 1_000.0
}

fn in_time(evidence: &Evidence, bounds: &Bounds) -> Result<String, String> {
    let latencies = &evidence.stages[SIEGE].commands.latencies;
    let p99 = ms(latencies.percentile_us(99.0));
    let words = format!("p99 {p99:.2} ms of {} commands, at most {} ms", latencies.count, bounds.p99_ms);
    if_so(latencies.count > 0 && p99 <= bounds.p99_ms, words)
}

fn answered(evidence: &Evidence, _: &Bounds) -> Result<String, String> {
    // Who waits types nothing: that answers are late is for another promise.
    let typed: u64 = evidence.stages.iter().map(|stage| stage.commands.typed).sum();
    let answered: u64 = evidence.stages.iter().map(|stage| stage.commands.latencies.count).sum();
    let words = format!(
        "{answered} of {typed} commands answered, {} error frames, {} frames missed",
        evidence.error_frames, evidence.gaps
    );
    if_so(typed > 0 && answered == typed && evidence.error_frames == 0 && evidence.gaps == 0, words)
}

fn connected(evidence: &Evidence, _: &Bounds) -> Result<String, String> {
    none(&evidence.lost_connections, "all have the connection that they began with")
}

fn let_in(evidence: &Evidence, bounds: &Bounds) -> Result<String, String> {
    let visits = &evidence.stages[SIEGE].visits;
    let p99 = ms(visits.latencies.percentile_us(99.0));
    if let Some((why, count)) = visits.outcome.refused.first_key_value() {
        return Err(format!("{count} of {} visitors were not let in: {why}", visits.outcome.tried));
    }
    let words = format!("{} visitors, p99 {p99:.1} ms, at most {} ms", visits.latencies.count, bounds.login_p99_ms);
    if_so(visits.latencies.count > 0 && p99 <= bounds.login_p99_ms, words)
}

fn recorded(evidence: &Evidence, _: &Bounds) -> Result<String, String> {
    let lost = [evidence.records_lost, evidence.minds_lost, evidence.decisions_lost, evidence.given_up];
    let words = format!(
        "lost: {} records, {} requests of minds, {} decisions, {} inputs; {} wait",
        lost[0], lost[1], lost[2], lost[3], evidence.backlog
    );
    if_so(lost.iter().all(|count| *count == 0) && evidence.backlog == 0, words)
}

/// Wrong passwords that are checked before the next must wait; an address more may have one on its way.
const GUESSES_MAX: u64 = 12;

fn unguessed(evidence: &Evidence, _: &Bounds) -> Result<String, String> {
    if let Some(after) = evidence.guessed {
        return Err(format!("it was found after {after} guesses"));
    }
    let words = format!(
        "{} of {} guesses were checked, at most {GUESSES_MAX}",
        evidence.guesses_checked, evidence.guesses_tried
    );
    if_so(evidence.guesses_checked <= GUESSES_MAX, words)
}

/// Guesses whose answers were on their way when the attack ended: one connection of each address.
const GUESSES_UNDER_WAY: u64 = 2;

fn owner_told(evidence: &Evidence, _: &Bounds) -> Result<String, String> {
    let (told, checked) = (evidence.guesses_told, evidence.guesses_checked);
    if_so((checked..=checked + GUESSES_UNDER_WAY).contains(&told), format!("told of {told}, checked were {checked}"))
}

fn given_back(evidence: &Evidence, bounds: &Bounds) -> Result<String, String> {
    let (files, memory) = (evidence.descriptors, evidence.rss_kb);
    let mb = |kb: u64| kb as f64 / 1_024.0;
    let words = format!(
        "files {} before, {} at most, {} after; memory {:.0}, {:.0}, {:.0} MB; at most {} files and {} MB more",
        files.before,
        files.highest,
        files.after,
        mb(memory.before),
        mb(memory.highest),
        mb(memory.after),
        bounds.descriptors_more,
        bounds.memory_more_mb,
    );
    let files_back = files.after <= files.before + bounds.descriptors_more;
    if_so(files_back && memory.after <= memory.before + bounds.memory_more_mb * 1_024, words)
}

fn restarts(evidence: &Evidence, bounds: &Bounds) -> Result<String, String> {
    let words = format!(
        "{:.2} s, the first start {:.2} s, at most {:.1} s",
        evidence.restart.as_secs_f64(),
        evidence.start.as_secs_f64(),
        bounds.restart.as_secs_f64()
    );
    if_so(evidence.restart <= bounds.restart, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::histogram::Histogram;

    /// A siege that nobody noticed.
    fn unnoticed() -> Evidence {
        let latencies = || {
            let mut latencies = Histogram::default();
            (0..1_000).for_each(|n| latencies.record(200 + n));
            latencies
        };
        let stage = || StageFigures {
            commands: Stage { due: 1_000, typed: 1_000, latencies: latencies() },
            visits: Visits { latencies: latencies(), ..Visits::default() },
            ..StageFigures::default()
        };
        Evidence {
            stages: [stage(), stage(), stage()],
            guesses_tried: 300,
            guesses_checked: 10,
            guesses_told: 10,
            descriptors: Measure { before: 250, highest: 1_900, after: 252 },
            rss_kb: Measure { before: 90_000, highest: 140_000, after: 120_000 },
            restart: Duration::from_millis(700),
            ..Evidence::default()
        }
    }

    fn broken(evidence: &Evidence) -> Vec<&'static str> {
        let judged = judge(evidence, &Bounds::default());
        judged.into_iter().filter(|(_, result)| result.is_err()).map(|(name, _)| name).collect()
    }

    #[test]
    fn a_siege_that_nobody_noticed_breaks_no_promise() {
        assert_eq!(broken(&unnoticed()), [""; 0]);
    }

    #[test]
    fn a_siege_in_which_nothing_was_measured_proves_nothing() {
        let names = broken(&Evidence::default());
        assert_eq!(
            names,
            [
                "players' commands are answered in time",
                "every command is answered, and none by an error",
                "others are let in meanwhile",
            ]
        );
    }

    #[test]
    fn every_promise_can_be_broken() {
        let line = || vec!["Zq00001: gold 1001 is 1".to_string()];
        type Harm = Box<dyn Fn(&mut Evidence)>;
        let harms: [(&str, Harm); 13] = [
            (
                "players' commands are answered in time",
                Box::new(|e| (0..50).for_each(|_| e.stages[SIEGE].commands.latencies.record(40_000))),
            ),
            ("every command is answered, and none by an error", Box::new(|e| e.stages[AFTER].commands.typed += 1)),
            ("nobody loses the connection", Box::new(move |e| e.lost_connections = line())),
            (
                "others are let in meanwhile",
                Box::new(|e| e.stages[SIEGE].visits.outcome.refused = [("hung up".to_string(), 1)].into()),
            ),
            ("everybody has what they had", Box::new(move |e| e.changed = line())),
            ("nothing that happened is lost", Box::new(|e| e.records_lost = 1)),
            ("a password is not guessed", Box::new(|e| e.guessed = Some(41))),
            ("its owner is told of the guesses", Box::new(|e| e.guesses_told = 0)),
            ("the server is well afterwards", Box::new(move |e| e.reasons = line())),
            ("files and memory come back", Box::new(|e| e.descriptors.after = 1_771)),
            ("after a kill it starts in time", Box::new(|e| e.restart = Duration::from_secs(9))),
            ("after a kill all are as they were", Box::new(move |e| e.changed_by_kill = line())),
            ("the log is clean", Box::new(move |e| e.log_trouble = line())),
        ];
        assert_eq!(harms.len(), PROMISES.len());
        for (name, harm) in harms {
            let mut evidence = unnoticed();
            harm(&mut evidence);
            let names = broken(&evidence);
            assert!(names.contains(&name), "{name} holds whatever happens: {names:?}");
        }
    }
}
