//! What people see while an agent plays: notes, and on a terminal one line that is always new.
//!
//! Invariant: nothing that came over the network reaches the terminal with control characters in it.

use crate::agent::Agent;
use protocol::names::clean_text;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The line is written anew so often at most.
const REFRESH: Duration = Duration::from_millis(250);
const WIDTH_MAX: usize = 118;

/// Shared by all players of a process; with several there is no line, and notes tell whose they are.
pub struct Board {
    quiet: bool,
    line: bool,
    named: bool,
    shown: Mutex<Option<Instant>>,
}

impl Board {
    /// Without a terminal there is nobody to tell, unless every detail is asked for.
    pub fn new(quiet: bool, detailed: bool, players: usize) -> Board {
        let terminal = std::io::stderr().is_terminal();
        let quiet = quiet || !(terminal || detailed);
        Board { quiet, line: terminal && !quiet && players == 1, named: players > 1, shown: Mutex::new(None) }
    }

    /// A sentence for people.
    pub fn note(&self, name: &str, text: &str) {
        if self.quiet {
            return;
        }
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
    pub fn show(&self, name: &str, agent: &Agent, now_ms: u64) {
        if !self.line {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        if shown.is_some_and(|at| at.elapsed() < REFRESH) {
            return;
        }
        *shown = Some(Instant::now());
        let line = line(name, agent, now_ms);
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

/// `Bob  L3  24/30 hp  A Dark Corridor  policy: kill rat (ok)  12345 tokens  0.0021`
pub fn line(name: &str, agent: &Agent, now_ms: u64) -> String {
    let state = &agent.body.state;
    let number = |n: Option<i32>| n.map_or("?".to_string(), |n| n.to_string());
    let mut line = format!(
        "{name}  L{}  {}/{} hp  {}",
        number(state.level),
        number(state.health),
        number(state.max_health),
        state.room_name.as_deref().unwrap_or("?"),
    );
    if let Some(last) = agent.mind.recent.back() {
        line.push_str(&format!("  {}: {} ({})", last.source, last.action, last.outcome));
    }
    if agent.settings.use_model {
        let tokens = agent.counts.tokens.prompt + agent.counts.tokens.completion;
        line.push_str(&format!("  {tokens} tokens  {:.4}", agent.counts.cost_micros as f64 / 1e6));
        if agent.is_alone(now_ms) {
            line.push_str("  (no model)");
        }
    }
    let odd: u64 = state.oddities.rows().iter().map(|(_, count)| count).sum();
    if odd > 0 {
        line.push_str(&format!("  odd: {odd}"));
    }
    clean_text(&line).chars().take(WIDTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentSettings;

    #[test]
    fn no_control_character_reaches_the_terminal() {
        let mut agent = Agent::new(AgentSettings::default());
        agent.body.state.room_name = Some("A \u{1b}[31mred\n room".into());
        let line = line("Bob", &agent, 0);
        assert!(line.contains("red") && !line.contains(|c: char| c.is_control()), "{line:?}");
        assert!(line.chars().count() <= WIDTH_MAX);
    }
}
