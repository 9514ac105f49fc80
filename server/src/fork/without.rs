//! `fork --without NAME:#SEQ`: the same world without one thought. The entry is left out of the mind's log, and what
//! later entries say of it themselves (workspaces of projects that were put away, stories of folds, whole states) is
//! left out with it.
//!
//! Invariants: numbers of entries stay, so the world is the same to the last bit. What the world knows too is refused:
//! a deed, words, guidelines. So is what later entries hold in a form that cannot be told apart; nothing is left out by
//! halves.

use super::ForkArgs;
use crate::store::agent_events::{AgentEvent, entry_of, row_of};
use crate::store::logs;
use crate::store::{Store, canonical};
use anyhow::{bail, ensure};
use mind::workspace::Workspace;
use mind::{Event, FIRST_MIND, LogEntry, LogId};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Entries that are read at a time.
const PAGE: i64 = 5_000;

/// Which entry of whose log.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Thought {
    /// Canonical.
    pub name: String,
    pub seq: u64,
}

impl FromStr for Thought {
    type Err = String;

    fn from_str(text: &str) -> Result<Thought, String> {
        let read = text.rsplit_once(':').and_then(|(name, number)| {
            let seq = number.trim_start_matches('#').parse().ok().filter(|seq| *seq > 0)?;
            (!name.trim().is_empty()).then(|| Thought { name: canonical(name), seq })
        });
        read.ok_or_else(|| "write NAME:#SEQ, as Wren:#812".to_string())
    }
}

/// What is left out of the logs of a fork.
#[derive(Clone, Debug, Default)]
pub(super) struct Without {
    thoughts: BTreeSet<Thought>,
    /// What was left out and what follows from it, a sentence each.
    pub told: Vec<String>,
}

impl Without {
    /// Refuses what cannot be left out. `number`: the last input of the fork's past.
    pub async fn of(
        args: &ForkArgs,
        store: &Store,
        number: i64,
        remembers: impl Fn(&str) -> bool,
    ) -> anyhow::Result<Without> {
        let mut without = Without { thoughts: args.without.iter().cloned().collect(), told: Vec::new() };
        for thought in &without.thoughts {
            let Thought { name, seq } = thought;
            ensure!(
                remembers(name),
                "--without: no log of {name:?} is taken along into this fork; nothing was written"
            );
            let told = look(store, thought, number).await;
            without.told.push(told.map_err(|why| why.context(format!("--without {name}:#{seq}")))?);
        }
        Ok(without)
    }

    pub fn is_empty(&self) -> bool {
        self.thoughts.is_empty()
    }

    /// Whether the entries of an input of somebody's log are among what is left out: it is not to be done again.
    pub fn has_of(&self, log: &LogId, first: u64, last: u64) -> bool {
        let of_log = |thought: &&Thought| thought.name == log.character() && log.mind() == FIRST_MIND;
        self.thoughts.iter().filter(of_log).any(|thought| (first..=last).contains(&thought.seq))
    }

    /// A row as the fork has it; `None`: it is left out. One that cannot be read stays as it is.
    pub fn sift(&self, row: AgentEvent) -> Option<AgentEvent> {
        let mut row = row;
        let own = |thought: &&Thought| thought.name == row.name && row.mind == i64::from(FIRST_MIND);
        let seqs: Vec<u64> = self.thoughts.iter().filter(own).map(|thought| thought.seq).collect();
        for seq in seqs {
            if i64::try_from(seq) == Ok(row.seq) {
                return None;
            }
            if i64::try_from(seq).is_ok_and(|seq| seq < row.seq)
                && holds_others(&row.kind)
                && let Ok(entry) = entry_of(&row)
            {
                let event = cleaned(entry.event, seq);
                row = row_of(LogId::from(&row.name), &LogEntry { event, ..entry }, row.session);
            }
        }
        Some(row)
    }
}

/// Kinds of entries that hold what other entries said.
fn holds_others(kind: &str) -> bool {
    kind.starts_with("project.") || kind.starts_with("compact.")
}

/// Whether it can be left out, and what follows: a sentence.
async fn look(store: &Store, thought: &Thought, number: i64) -> anyhow::Result<String> {
    let Thought { name, seq } = thought;
    let log = LogId::from(name);
    let mut after = i64::try_from(*seq)? - 1;
    let mut entry: Option<LogEntry> = None;
    let (mut naming, mut holding) = (Vec::new(), Vec::new());
    loop {
        let rows = logs::after(store, &log, after, PAGE).await?;
        let Some(last) = rows.last() else { break };
        after = last.seq;
        for row in rows.iter().filter(|row| row.number <= number) {
            let Ok(read) = entry_of(row) else { continue };
            let Some(left_out) = &entry else {
                if read.seq != *seq {
                    bail!("{name} has no entry #{seq} there; the next one is #{}. Nothing was written", read.seq);
                }
                refuse_what_stays(&read)?;
                entry = Some(read);
                continue;
            };
            if names(&read.event, *seq) {
                naming.push(format!("#{}", read.seq));
            }
            if let Some(workspace) = workspace_of(&read.event)
                && holds(workspace, *seq)
            {
                ensure!(
                    can_be_taken_out(&left_out.event),
                    "entry #{} is a turn between projects and holds what #{seq} did, in a form that cannot be told \
                     apart; nothing was written",
                    read.seq
                );
                holding.push(format!("#{}", read.seq));
            }
        }
    }
    let Some(entry) = entry else { bail!("{name} has no entry #{seq} there. Nothing was written") };
    let mut told = format!("Left out of the mind of {name}: #{seq}, {}.", mind::page::entry(&entry.event));
    if !naming.is_empty() {
        told += &format!(" Entries that name it change nothing there: {}.", naming.join(", "));
    }
    if !holding.is_empty() {
        told += &format!(" Workspaces that were put away with it lack it: {}.", holding.join(", "));
    }
    Ok(told)
}

fn refuse_what_stays(entry: &LogEntry) -> anyhow::Result<()> {
    let seq = entry.seq;
    match &entry.event {
        event if event.is_record() => {
            bail!("#{seq} is what happened or was said, which others know too, and no thought; nothing was written")
        }
        Event::GuidelineSet { .. } => bail!("the world keeps the guidelines of #{seq} too; nothing was written"),
        event if workspace_of(event).is_some() => {
            bail!("#{seq} is one half of a turn between projects; nothing was written")
        }
        Event::CompactBefore { .. } | Event::CompactAfter { .. } => {
            bail!("#{seq} is one half of a compaction; nothing was written")
        }
        Event::Other => bail!("#{seq} is of a kind that this program does not know; nothing was written"),
        _ => Ok(()),
    }
}

fn workspace_of(event: &Event) -> Option<&Workspace> {
    match event {
        Event::ProjectPause { workspace, .. }
        | Event::ProjectComplete { workspace, .. }
        | Event::ProjectArchive { workspace, .. }
        | Event::ProjectResume { workspace, .. } => Some(workspace),
        _ => None,
    }
}

/// Whether a thing that the entry made, or may have changed, is in a workspace. What it changed is of an older number.
fn holds(workspace: &Workspace, seq: u64) -> bool {
    let goals = workspace
        .goals
        .in_order()
        .iter()
        .any(|(_, goal)| goal.id == seq || goal.strategies.iter().any(|way| way.id == seq));
    goals
        || workspace.task.iter().any(|task| task.id == seq)
        || workspace.notes.iter().any(|note| note.id == seq)
        || workspace.decisions.iter().any(|decision| decision.id == seq)
        || workspace.blockers.iter().any(|blocker| blocker.id == seq)
}

/// Whether what an entry made is one thing of a list, which can be taken out of it.
fn can_be_taken_out(event: &Event) -> bool {
    matches!(event, Event::NoteAdd { .. } | Event::DecisionRecord { .. } | Event::BlockerAdd { .. })
}

/// Whether an entry is about the thing that another made.
fn names(event: &Event, seq: u64) -> bool {
    let value = serde_json::to_value(event).expect("an event has string keys only");
    ["id", "parent"].iter().any(|field| value.get(field).and_then(serde_json::Value::as_u64) == Some(seq))
}

/// An entry without what it says of another one.
fn cleaned(mut event: Event, seq: u64) -> Event {
    match &mut event {
        Event::ProjectPause { workspace, .. }
        | Event::ProjectComplete { workspace, .. }
        | Event::ProjectArchive { workspace, .. }
        | Event::ProjectResume { workspace, .. } => {
            workspace.notes.retain(|note| note.id != seq);
            workspace.decisions.retain(|decision| decision.id != seq);
            workspace.blockers.retain(|blocker| blocker.id != seq);
        }
        Event::CompactBefore { state, .. } => *state = None,
        Event::CompactAfter { story, .. } => story.retain(|line| !line.from.contains(&seq)),
        _ => {}
    }
    event
}
