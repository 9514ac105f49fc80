//! Experiment E15: one mind types its verbs at random until its prompt has been folded, and it has turned to other
//! projects, so often. What must be true then: the state is what the log gives when it is read back, each project
//! came back as it went, every prompt kept to its budget, and nobody asked a model for any of it.

use super::{Chance, Session, hero, text};
use mind::projects::{MAIN, Shelf};
use mind::prompt::{Block, PromptBuilder, Settings};
use mind::{Event, LogEntry, MindState, VerbRequest, edit};
use std::collections::BTreeMap;

/// What came of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Undertaking {
    pub lines: usize,
    /// Lines that a mind does not take, of which some are meant to be.
    pub refused: usize,
    pub entries: usize,
    pub folds: u32,
    pub swaps: usize,
    /// The largest prompt, as a part of its budget.
    pub fullest: f64,
    /// The state and what waits, against those of the log as it was written and read back.
    pub is_as_replayed: bool,
    /// Workspaces that came back otherwise than they went.
    pub altered: usize,
}

struct Typist {
    chance: Chance,
    state: MindState,
    log: Vec<LogEntry>,
    shelf: Shelf,
    /// By key, of projects that wait: the workspace as JSON.
    put_away: BTreeMap<String, String>,
    came: Undertaking,
}

/// Types until a prompt has been folded so often, and as often another project was taken up, at most 20,000 lines.
pub fn undertake(settings: Settings, seed: u64, folds: u32) -> Undertaking {
    let mut typist = Typist {
        chance: Chance(seed),
        state: MindState::default(),
        log: Vec::new(),
        shelf: Shelf::default(),
        put_away: BTreeMap::new(),
        came: Undertaking::default(),
    };
    let mut session = Session::new(seed);
    let mut builder = PromptBuilder::new(settings);
    builder.set_self(hero());
    while (builder.folds() < folds || typist.came.swaps < folds as usize) && typist.came.lines < 20_000 {
        let step = session.step();
        let before = builder.folds();
        let mut mind = Vec::new();
        for _ in 0..typist.chance.below(3) {
            let line = typist.line();
            mind.extend(typist.type_in(step.live.tick, &line));
        }
        builder.append(Block { mind, ..step.block });
        let prompt = builder.build(&step.live, &step.recent, &typist.state);
        typist.came.fullest = typist.came.fullest.max(prompt.tokens as f64 / prompt.budget as f64);
        if builder.folds() > before
            && let Some((span, room)) = builder.dropped()
        {
            let line = format!("compact fold #{}-#{} {room}", span.from, span.upto);
            let mind = typist.type_in(step.live.tick, &line);
            builder.append(Block { tick: step.live.tick, mind, ..Block::default() });
        }
    }
    typist.came.folds = builder.folds();
    typist.end()
}

impl Typist {
    fn type_in(&mut self, tick: u64, line: &str) -> Vec<LogEntry> {
        let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
        let first = self.state.seq + 1;
        let from = args.strip_prefix("fold #").and_then(|rest| rest.split('-').next()?.parse::<u64>().ok());
        let span = from.map_or(&[][..], |from| &self.log[self.log.partition_point(|entry| entry.seq < from)..]);
        let recent = &self.log[self.log.len().saturating_sub(50)..];
        let asked = VerbRequest::new(verb, args, first, 40, tick);
        let request = VerbRequest { name: "Corvin", shelf: &self.shelf, recent, span, present: &["bob"], ..asked };
        let reply = edit::answer(&self.state, &request);
        self.came.lines += 1;
        self.came.refused += usize::from(reply.refused);
        let mut written = Vec::new();
        for (seq, event) in (first..).zip(reply.events) {
            self.watch(&event);
            let entry = LogEntry { seq, tick, at_ms: tick as i64 * 2_000, input: first, event };
            self.state.project(&entry);
            self.shelf.note(&entry);
            self.log.push(entry.clone());
            written.push(entry);
        }
        written
    }

    /// Notes what goes to wait, and compares what comes back.
    fn watch(&mut self, event: &Event) {
        let json = |workspace| serde_json::to_string(workspace).expect("a workspace is JSON");
        match event {
            Event::ProjectPause { key, workspace, .. }
            | Event::ProjectComplete { key, workspace, .. }
            | Event::ProjectArchive { key, workspace, .. } => {
                self.put_away.insert(key.clone(), json(workspace));
            }
            Event::ProjectResume { key, workspace, .. } => {
                self.came.swaps += 1;
                if self.put_away.remove(key).is_some_and(|went| went != json(workspace)) {
                    self.came.altered += 1;
                }
            }
            _ => {}
        }
    }

    fn end(mut self) -> Undertaking {
        // As a database keeps it, and gives it back.
        let stored = serde_json::to_string(&self.log).expect("a log is JSON");
        let log: Vec<LogEntry> = serde_json::from_str(&stored).expect("it was written just now");
        self.came.entries = log.len();
        self.came.is_as_replayed = MindState::of(&log) == self.state && Shelf::of(&log) == self.shelf;
        self.came
    }

    fn words(&mut self) -> String {
        let most = [40, 120, 280][self.chance.below(3)];
        text(&mut self.chance, most).replace(['=', ':', '|', '\n'], " ").trim().to_string()
    }

    /// An id of these, or of nothing.
    fn id(&mut self, ids: Vec<u64>) -> u64 {
        match ids.is_empty() || self.chance.one_in(20) {
            true => self.chance.below(5_000) as u64,
            false => ids[self.chance.below(ids.len())],
        }
    }

    fn key(&mut self) -> String {
        match self.chance.one_in(4) {
            true => MAIN.to_string(),
            false => format!("p{}", self.chance.below(15)),
        }
    }

    fn line(&mut self) -> String {
        let words = match self.words() {
            none if none.is_empty() => "the mill".to_string(),
            words => words,
        };
        let goals = self.state.goals.in_order().iter().map(|(_, goal)| goal.id).collect();
        let goal = self.id(goals);
        let tries = self.state.goals.in_order().into_iter().flat_map(|(_, goal)| &goal.strategies);
        let attempt = self.id(tries.map(|strategy| strategy.id).collect());
        let key = self.key();
        match self.chance.below(32) {
            0..=1 => format!("project new {key} = {words}"),
            2..=5 => format!("project swap {key}: {words}"),
            6 => format!("project update {words}"),
            7 => match self.chance.below(3) {
                0 => "project done".to_string(),
                1 => format!("project archive {key}"),
                _ => format!("project restore {key}"),
            },
            8..=9 => format!("goal {words}"),
            10..=12 => format!("goal under {goal} {words}"),
            13 => format!("goal progress {goal} {}", self.chance.below(105)),
            14 => format!("goal {} {goal}", self.chance.pick(&["done", "drop", "reopen"])),
            15 => format!("goal try {goal} {words}"),
            16 => format!("goal {} {attempt}: {words}", self.chance.pick(&["works", "failed"])),
            17..=19 => format!("note {words}"),
            20 => {
                let notes = self.state.notes.iter().map(|note| note.id).collect();
                format!("note remove {}", self.id(notes))
            }
            21 => format!("decide {words}"),
            22 => format!("block {words}"),
            23 => {
                let blockers = self.state.open_blockers().map(|blocker| blocker.id).collect();
                format!("block remove {}", self.id(blockers))
            }
            24 => format!("task {words}"),
            25 => format!("fact The mill has {} stones", self.chance.below(90)),
            26 => format!("pattern {words}"),
            27 => {
                let facts = self.state.session.key_facts.iter().map(|fact| fact.id).collect();
                format!("fact remove {}", self.id(facts))
            }
            28 => format!("journal told {words}"),
            29 => format!("remember places.p{} = {}", self.chance.below(30), self.chance.below(100)),
            30 => format!("focus on {words}"),
            _ => format!("step {words}"),
        }
    }
}
