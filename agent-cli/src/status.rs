//! What people see while an agent plays: notes, and on a terminal one line that is always new; elsewhere, as in a log
//! file or a notebook, the same line once a minute.
//!
//! Invariant: nothing that came over the network reaches the terminal with control characters in it.

use crate::agent::{Agent, Counts};
use crate::call_queue::Lateness;
use protocol::names::clean_text;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The line is written anew so often at most.
const REFRESH: Duration = Duration::from_millis(250);
const WIDTH_MAX: usize = 118;
/// Without a terminal, from one line to the next.
const PROGRESS_MS: u64 = 60_000;

/// Shared by all players of a process; with several there is no line that is always new, and notes tell whose they are.
pub struct Board {
    /// Nothing at all is to be said.
    silent: bool,
    /// Nothing but what nobody may miss.
    quiet: bool,
    line: bool,
    named: bool,
    shown: Mutex<Option<Instant>>,
    progress: Option<Mutex<Progress>>,
}

/// When the progress of each player was told last, and which of them are known to have no price.
#[derive(Debug, Default)]
struct Progress {
    told_ms: BTreeMap<String, u64>,
    unpriced: BTreeSet<String>,
}

impl Progress {
    /// Whether it is to be told now.
    fn is_due(&mut self, name: &str, now_ms: u64) -> bool {
        match self.told_ms.get(name) {
            Some(told_ms) if now_ms < told_ms + PROGRESS_MS => false,
            _ => {
                self.told_ms.insert(name.to_string(), now_ms);
                true
            }
        }
    }

    /// Whether what was spent is to be told: that its price is unknown is said once, and again when it was known
    /// meanwhile.
    fn tells_cost(&mut self, name: &str, cost: &str) -> bool {
        if cost == PRICE_UNKNOWN {
            return self.unpriced.insert(name.to_string());
        }
        self.unpriced.remove(name);
        true
    }
}

impl Board {
    /// Without a terminal there are no notes, unless every detail is asked for, but a line of progress a minute.
    pub fn new(quiet: bool, detailed: bool, players: usize) -> Board {
        let terminal = std::io::stderr().is_terminal();
        let progress = (!terminal && !quiet).then(Mutex::default);
        let (silent, quiet) = (quiet, quiet || !(terminal || detailed));
        Board {
            silent,
            quiet,
            line: terminal && !quiet && players == 1,
            named: players > 1,
            shown: Mutex::new(None),
            progress,
        }
    }

    /// A sentence for people.
    pub fn note(&self, name: &str, text: &str) {
        if !self.quiet {
            self.put(name, text);
        }
    }

    /// A sentence that nobody may miss, terminal or not.
    pub fn tell(&self, name: &str, text: &str) {
        if !self.silent {
            self.put(name, text);
        }
    }

    fn put(&self, name: &str, text: &str) {
        let text = clean_text(text);
        let mut out = std::io::stderr().lock();
        let clear = if self.line { "\r\x1b[2K" } else { "" };
        // A terminal that is gone is no reason to stop playing.
        let _told = if self.named {
            writeln!(out, "{clear}{}: {text}", clean_text(name))
        } else {
            writeln!(out, "{clear}{text}")
        };
    }

    /// The line, if it is time for a new one.
    /// `late`: how late its calls are, where they wait for others'.
    pub fn show(&self, name: &str, agent: &Agent, late: Option<&Lateness>, now_ms: u64) {
        if let Some(progress) = &self.progress
            && agent.body.state.is_ready()
            && let Ok(mut progress) = progress.lock()
            && progress.is_due(name, now_ms)
        {
            let minutes = agent.body.elapsed_ms(now_ms) / 60_000;
            let mut spent = cost(&agent.counts, agent.settings.priced);
            if !progress.tells_cost(name, &spent) {
                spent.clear();
            }
            // Whoever no longer reads it is no reason to stop playing.
            let _told =
                writeln!(std::io::stderr().lock(), "{minutes} min  {}", line(name, agent, &spent, late, now_ms));
        }
        if !self.line {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        if shown.is_some_and(|at| at.elapsed() < REFRESH) {
            return;
        }
        *shown = Some(Instant::now());
        let spent = cost(&agent.counts, agent.settings.priced);
        let line = line(name, agent, &spent, late, now_ms);
        let mut out = std::io::stderr().lock();
        let _told = write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush());
    }

    /// Leaves the line as it is, for what comes after.
    pub fn end(&self) {
        if self.line {
            let _told = writeln!(std::io::stderr().lock());
        }
    }
}

const PRICE_UNKNOWN: &str = "price unknown";

/// What was spent, in words: a price that nobody set is not 0. `priced`: the model that is asked first has one.
pub fn cost(counts: &Counts, priced: bool) -> String {
    let (cost_micros, unpriced) = counts.cost();
    let known = cost_micros as f64 / 1e6;
    match (unpriced, cost_micros) {
        (0, 0) if !priced => PRICE_UNKNOWN.to_string(),
        (0, _) => format!("cost {known:.4}"),
        (_, 0) => PRICE_UNKNOWN.to_string(),
        _ => format!("cost at least {known:.4}"),
    }
}

/// `Bob  L3  24/30 hp  A Dark Corridor  12345 tokens  cost 0.0021  policy: kill rat (ok)  delegate all, 31 ticks left`
/// `spent`: as `cost` has it; empty where it is not to be told.
pub fn line(name: &str, agent: &Agent, spent: &str, late: Option<&Lateness>, now_ms: u64) -> String {
    let state = &agent.body.state;
    let number = |n: Option<i32>| n.map_or("?".to_string(), |n| n.to_string());
    let mut line = format!(
        "{name}  L{}  {}/{} hp  {}",
        number(state.level),
        number(state.health),
        number(state.max_health),
        state.room_name.as_deref().unwrap_or("?"),
    );
    // What was spent stands before what is long: the end of a line may be cut.
    if agent.settings.use_model {
        let tokens = agent.counts.tokens.prompt + agent.counts.tokens.completion;
        line.push_str(&format!("  {tokens} tokens"));
        if !spent.is_empty() {
            line.push_str(&format!("  {spent}"));
        }
        if let Some(late) = late {
            line.push_str(&format!("  {late}"));
        }
        if agent.is_alone(now_ms) {
            line.push_str("  (the model does not answer)");
        }
    }
    if let Some(last) = agent.mind.recent.back() {
        line.push_str(&format!("  {}: {} ({})", last.source, last.action, last.outcome));
    }
    if agent.settings.use_model
        && let Some(order) = agent.mind.ordered(&agent.body, now_ms)
    {
        line.push_str(&format!("  {order}"));
    }
    let odd: u64 = state.oddities.rows().iter().map(|(_, count)| count).sum();
    if odd > 0 {
        line.push_str(&format!("  odd: {odd}"));
    }
    cut(&clean_text(&line))
}

/// As much as fits into the width, in whole words.
fn cut(line: &str) -> String {
    if line.chars().count() <= WIDTH_MAX {
        return line.to_string();
    }
    let room: String = line.chars().take(WIDTH_MAX - 1).collect();
    let words = room.rsplit_once(' ').map_or(room.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentSettings;

    #[test]
    fn progress_is_told_at_once_and_then_once_a_minute() {
        let mut progress = Progress::default();
        let told: Vec<u64> = (0..=180).filter(|second| progress.is_due("Bob", 5_000 + second * 1_000)).collect();
        assert_eq!(told, [0, 60, 120, 180]);
        assert!(progress.is_due("Ann", 9_000), "each has its own minute");
    }

    #[test]
    fn an_unknown_price_is_said_once_and_when_it_is_unknown_again() {
        let mut progress = Progress::default();
        let told: Vec<bool> = ["price unknown", "price unknown", "cost 0.0021", "cost 0.0042", "price unknown"]
            .map(|cost| progress.tells_cost("Bob", cost))
            .into();
        assert_eq!(told, [true, false, true, true, true]);
        assert!(progress.tells_cost("Ann", "price unknown"), "each has its own");
        let agent = Agent::new(AgentSettings { use_model: true, ..AgentSettings::default() });
        assert!(line("Bob", &agent, "price unknown", None, 0).contains("0 tokens  price unknown"));
        assert!(line("Bob", &agent, "", None, 0).ends_with("0 tokens"));
    }

    #[test]
    fn a_model_that_answers_is_there_whatever_it_answers_and_an_unknown_price_is_said() {
        let thought = |answer| crate::thought::Thought { answer, ..crate::thought::Thought::begun("m") };
        let mut agent = Agent::new(AgentSettings::default());
        agent.body.state.room_name = Some("Here".into());
        let state = r#"{"type":"state","seq":1,"data":{
            "player":{"name":"Bob","health":30,"max_health":30,"level":3,"class":"Warrior","race":"Human",
                "str":1,"int":1,"wis":1,"dex":1,"con":1,"cha":1},
            "room":{"vnum":1,"name":"Here","description":"","exits":[],"doors":[],"players":[],"mobs":[],"items":[]}}}"#;
        agent.on_text(state, 0);
        let vars =
            r#"{"type":"vars","seq":2,"data":{"HEALTH":30,"MAX_HEALTH":30,"ROOM_VNUM":1,"POSITION":"standing"}}"#;
        agent.on_text(vars, 0);
        let ask = |agent: &mut Agent, now_ms: u64| {
            let effects = agent.next(now_ms);
            let asked = effects.iter().find_map(|effect| match effect {
                crate::agent::Effect::Think { id, .. } => Some(*id),
                _ => None,
            });
            asked.unwrap_or_else(|| panic!("it is asked at {now_ms}: {effects:?}"))
        };
        let id = ask(&mut agent, 1_000);
        agent.on_thought(id, thought(Ok(crate::answer::Answer::default())), 2_000);
        let told_of =
            |agent: &Agent, now_ms| line("Bob", agent, &cost(&agent.counts, agent.settings.priced), None, now_ms);
        let told = told_of(&agent, 2_000);
        assert!(told.contains("0 tokens  price unknown") && !told.contains("model"), "{told}");
        agent.settings.priced = true;
        let id = ask(&mut agent, 40_000);
        agent.on_thought(id, thought(Err(crate::thought::ModelError::Timeout(5))), 41_000);
        let told = told_of(&agent, 41_000);
        assert!(told.contains("cost 0.0000  (the model does not answer)"), "{told}");
    }

    #[test]
    fn what_is_not_known_is_no_part_of_a_sum() {
        let spent = |cost_micros, unpriced| Counts { cost_micros, unpriced, ..Counts::default() };
        for (counts, priced, told) in [
            (spent(0, 0), true, "cost 0.0000"),
            (spent(0, 0), false, "price unknown"),
            (spent(1_200, 0), true, "cost 0.0012"),
            // The fallback has no price.
            (spent(1_200, 1), true, "cost at least 0.0012"),
            (spent(0, 2), true, "price unknown"),
        ] {
            assert_eq!(cost(&counts, priced), told);
        }
    }

    #[test]
    fn a_line_is_cut_between_words() {
        assert_eq!(cut("short"), "short");
        let long = "seven77 ".repeat(20);
        let told = cut(&long);
        assert!(told.ends_with("seven77…") && told.chars().count() <= WIDTH_MAX, "{told}");
        assert!(cut(&"x".repeat(200)).chars().count() <= WIDTH_MAX);
    }

    #[test]
    fn no_control_character_reaches_the_terminal() {
        let mut agent = Agent::new(AgentSettings::default());
        agent.body.state.room_name = Some("A \u{1b}[31mred\n room".into());
        let line = line("Bob", &agent, "", None, 0);
        assert!(line.contains("red") && !line.contains(|c: char| c.is_control()), "{line:?}");
        assert!(line.chars().count() <= WIDTH_MAX);
    }
}
