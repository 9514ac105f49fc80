//! What agents can say of themselves when it is over (suite `interview`): those of a society are asked five kinds of
//! questions, each with a key that does not come from their memories, and answer from these alone; and the same again
//! without reflections, without plans, without memory.
//!
//! The keys: the world, for what one is; the journal, for who told whom; the lines that were sent, for what was
//! planned; the outcomes of all its fights, for how it would meet somebody and what it has learned of them. The
//! answers: what `recall` finds in the graph of its last dream and in its log, taken as it is found. No model words or
//! judges them.
//! Invariant: the interview is a function of the society.

use super::figures::told;
use super::play::each_seed;
use super::society::{self, Lived, MEETING, NEWS, Options, Past};
use anyhow::Context;
use content::Content;
use dreaming::legacy::to_hand_down;
use dreaming::log_search::{LogIndex, LogQuery, Part, Point};
use dreaming::retrieve::{Index, Query, Scratch};
use memory_lab::counts::statistics::wilson;
use mind::legacy::{Inherited, Sort, Verdict};
use mind::{Event, LogEntry};
use protocol::happening::{Role, What};
use protocol::outcome::{Who, WhoKind};
use serde_json::{Value, json};
use server::diffusion::How;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use world::World;

/// Kinds of questions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Oneself,
    Memory,
    Plans,
    Reactions,
    Reflections,
}

impl Kind {
    pub const ALL: [Kind; 5] = [Kind::Oneself, Kind::Memory, Kind::Plans, Kind::Reactions, Kind::Reflections];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Oneself => "self",
            Kind::Memory => "memory",
            Kind::Plans => "plans",
            Kind::Reactions => "reactions",
            Kind::Reflections => "reflections",
        }
    }
}

/// What an agent answers with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Arm {
    Full,
    WithoutReflections,
    WithoutPlans,
    /// Neither what happened nor what was made of it; what is planned is left.
    WithoutMemory,
}

impl Arm {
    pub const ALL: [Arm; 4] = [Arm::Full, Arm::WithoutReflections, Arm::WithoutPlans, Arm::WithoutMemory];

    pub fn name(self) -> &'static str {
        match self {
            Arm::Full => "full",
            Arm::WithoutReflections => "without reflections",
            Arm::WithoutPlans => "without plans",
            Arm::WithoutMemory => "without memory",
        }
    }

    fn has_memory(self) -> bool {
        self != Arm::WithoutMemory
    }

    fn has_reflections(self) -> bool {
        !matches!(self, Arm::WithoutReflections | Arm::WithoutMemory)
    }
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Asked {
    /// Which level have you come to?
    Level,
    /// Who was the first to tell you of this?
    WhoTold(&'static str),
    /// What is your task?
    Task,
    /// Somebody of this kind stands before you: do you fight it?
    Meets(String),
    /// How do you fare against somebody of this kind?
    Fares(String),
}

/// A question with its key.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Question {
    kind: Kind,
    asked: Asked,
    key: String,
}

/// Kinds of mobs that one agent is asked of, at most; fights with one below which nobody is asked how one fares.
const MOBS_MAX: usize = 3;
const FIGHTS_MIN: u32 = 3;
const FIGHTS: &str = "I fight it";
const LEAVES: &str = "I leave it alone";
const WINS: &str = "I win";
const LOSES: &str = "I lose";

/// What an agent remembers.
struct Memory {
    index: Index,
    reflections: BTreeSet<String>,
    lessons: Vec<Inherited>,
    log: LogIndex,
    entries: BTreeMap<u64, LogEntry>,
    tick: u64,
}

impl Memory {
    fn of(past: &Past, n: usize) -> anyhow::Result<Memory> {
        let graph = past.database.dream(&past.names[n])?;
        let (mut log, mut entries) = (LogIndex::new(), BTreeMap::new());
        for entry in past.stage.log(past.seats[n])? {
            log.add(&entry);
            entries.insert(entry.seq, entry);
        }
        Ok(Memory {
            reflections: graph.reflections().map(|node| graph.id_of(node)).collect(),
            lessons: to_hand_down(&graph).into_iter().filter(|item| item.sort == Sort::Counted).collect(),
            index: Index::new(Arc::new(graph)),
            log,
            entries,
            tick: past.stage.engine.with_world(World::tick),
        })
    }

    /// Entries that the log answers with, best first, of those that an arm has.
    fn found(&self, words: &str, parts: &[Part], arm: Arm) -> Vec<&LogEntry> {
        self.found_until(words, parts, None, arm)
    }

    /// The same of those up to an entry.
    fn found_until(&self, words: &str, parts: &[Part], until: Option<u64>, arm: Arm) -> Vec<&LogEntry> {
        let until = until.map(Point::Entry);
        let query = LogQuery { words: words.to_string(), parts: parts.to_vec(), until, ..LogQuery::default() };
        let has = |part: Part| match part {
            Part::Talk | Part::Deeds | Part::Journal | Part::Notes | Part::Facts => arm.has_memory(),
            Part::Goals | Part::Projects | Part::Decisions => arm != Arm::WithoutPlans,
        };
        let hits = self.log.find(&query).into_iter().filter(|hit| has(hit.part));
        hits.filter_map(|hit| self.entries.get(&hit.seq)).collect()
    }

    fn answer(&self, asked: &Asked, arm: Arm) -> Option<String> {
        match asked {
            Asked::Level => {
                let level = |entry: &&LogEntry| match &entry.event {
                    Event::Happening(happening) if happening.role == Role::Did => match &happening.what {
                        What::LevelGained { level, .. } => Some(*level),
                        _ => None,
                    },
                    _ => None,
                };
                let found = self.found("reached level", &[Part::Deeds], arm);
                found.iter().filter_map(level).max().map(|level| level.to_string())
            }
            Asked::WhoTold(words) => {
                // It asks itself what was before that, until there is nothing.
                let (mut first, mut until) = (None, None);
                loop {
                    let found = self.found_until(words, &[Part::Talk], until, arm);
                    let heard = found.iter().filter_map(|entry| match &entry.event {
                        Event::Heard(heard) if heard.text.contains(words) => Some((entry.seq, heard.from.to_string())),
                        _ => None,
                    });
                    first = heard.chain(first).min();
                    let Some(before) = found.iter().map(|entry| entry.seq).min().and_then(|seq| seq.checked_sub(1))
                    else {
                        return first.map(|(_, from)| from);
                    };
                    until = Some(before);
                }
            }
            Asked::Task => {
                let found = self.found("", &[Part::Goals], arm);
                let newest = found.iter().max_by_key(|entry| entry.seq);
                newest.and_then(|entry| match &entry.event {
                    Event::TaskSet { text } | Event::TaskUpdate { text } => Some(text.to_string()),
                    _ => None,
                })
            }
            Asked::Meets(mob) => {
                if !arm.has_memory() {
                    return None;
                }
                let present = [mob.clone()];
                let recall = self.index.recall(&Query::moment("", &present, self.tick), &mut Scratch::default());
                let has = |id: &String| arm.has_reflections() || !self.reflections.contains(id);
                let stand_on: BTreeSet<u64> =
                    recall.found.iter().filter(|hit| has(&hit.id)).flat_map(|hit| hit.evidence.clone()).collect();
                let outcomes = stand_on.iter().filter_map(|seq| outcome(&self.entries.get(seq)?.event));
                let of_it: Vec<bool> = outcomes.filter(|(other, _)| other == mob).map(|(_, lost)| lost).collect();
                let lost = of_it.iter().filter(|lost| **lost).count();
                let won = of_it.len() - lost;
                (won != lost).then(|| if won > lost { FIGHTS } else { LEAVES }.to_string())
            }
            Asked::Fares(mob) => {
                let lesson = self.lessons.iter().find(|item| item.about == *mob).filter(|_| arm.has_reflections())?;
                match lesson.verdict? {
                    Verdict::Won | Verdict::Costly | Verdict::Good => Some(WINS.to_string()),
                    Verdict::TooStrong | Verdict::Hard | Verdict::Dangerous => Some(LOSES.to_string()),
                    Verdict::Mixed => None,
                }
            }
        }
    }
}

/// What one is asked, with keys.
fn questions(past: &Past, n: usize) -> anyhow::Result<Vec<Question>> {
    let name = &past.names[n];
    let mut all = Vec::new();
    let mut ask = |kind, asked, key: String| all.push(Question { kind, asked, key });
    let level = past.stage.engine.with_world(|world| Some(world.character(world.find_player(name)?)?.level));
    // Nobody remembers to have been born.
    if let Some(level) = level.filter(|level| *level > 1) {
        ask(Kind::Oneself, Asked::Level, level.to_string());
    }
    for (words, told) in [NEWS, MEETING].into_iter().zip(&past.told) {
        let row = told.carriers.iter().find(|row| row.name == *name && row.how == How::Heard);
        if let Some(from) = row.and_then(|row| row.from.clone()) {
            ask(Kind::Memory, Asked::WhoTold(words), from);
        }
    }
    let mut tasks = past.sent[n].iter().filter_map(|(_, line)| line.strip_prefix("task "));
    if let Some(task) = tasks.next_back() {
        ask(Kind::Plans, Asked::Task, task.to_string());
    }
    for (mob, [won, lost]) in fights(past, n)?.into_iter().filter(|(_, [won, lost])| won != lost).take(MOBS_MAX) {
        let wins = won > lost;
        ask(Kind::Reactions, Asked::Meets(mob.clone()), if wins { FIGHTS } else { LEAVES }.to_string());
        if won + lost >= FIGHTS_MIN {
            ask(Kind::Reflections, Asked::Fares(mob), if wins { WINS } else { LOSES }.to_string());
        }
    }
    Ok(all)
}

/// Against which kind of mob a fight of one's own ended, and whether it was lost.
fn outcome(event: &Event) -> Option<(String, bool)> {
    let Event::Happening(happening) = event else { return None };
    let (against, lost): (Option<&Who>, bool) = match (&happening.what, happening.role) {
        (What::Killed { victim, .. }, Role::Did) => (Some(victim), false),
        (What::Killed { killer, .. }, Role::Suffered) => (killer.as_ref(), true),
        (What::Assisted { victim, .. }, Role::Did) => (Some(victim), false),
        (What::Fled { from, .. }, Role::Did) => (from.as_ref(), true),
        _ => return None,
    };
    let who = against.filter(|who| who.kind == WhoKind::Mob)?;
    Some((format!("mob:{}", who.id.strip_prefix("mob_")?), lost))
}

/// Fights won and lost by kinds of mobs, those of most fights first.
fn fights(past: &Past, n: usize) -> anyhow::Result<Vec<(String, [u32; 2])>> {
    let mut counts: BTreeMap<String, [u32; 2]> = BTreeMap::new();
    for entry in past.stage.log(past.seats[n])? {
        if let Some((mob, lost)) = outcome(&entry.event) {
            counts.entry(mob).or_default()[usize::from(lost)] += 1;
        }
    }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by_key(|(_, [won, lost])| std::cmp::Reverse(won + lost));
    Ok(all)
}

/// Of so many questions, those answered rightly, and those not answered at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    pub asked: u64,
    pub right: u64,
    pub silent: u64,
}

/// By kind and arm.
pub type Sheet = BTreeMap<(Kind, Arm), Marks>;

/// One seed: a society lives, and all of it are asked. What came of both.
pub fn run(content: &Arc<Content>, options: &Options, seed: u64) -> anyhow::Result<(Lived, Sheet)> {
    let past = society::live(content, options, seed)?;
    let mut sheet = Sheet::new();
    for n in 0..past.names.len() {
        let memory = Memory::of(&past, n)?;
        for Question { kind, asked, key } in questions(&past, n)? {
            for arm in Arm::ALL {
                let answer = memory.answer(&asked, arm);
                let marks = sheet.entry((kind, arm)).or_default();
                marks.asked += 1;
                marks.right += u64::from(answer.as_ref() == Some(&key));
                marks.silent += u64::from(answer.is_none());
            }
        }
    }
    Ok((society::lived(&past), sheet))
}

/// All seeds: how each went, and the marks of all together.
pub fn rows(content: &Arc<Content>, options: &Options) -> anyhow::Result<(Vec<(u64, Lived)>, Sheet)> {
    let one = |seed| run(content, options, seed);
    let (mut societies, mut all) = (Vec::new(), Sheet::new());
    for (seed, ran) in each_seed(&options.seeds, &one) {
        let (lived, sheet) = ran.with_context(|| format!("seed {seed}"))?;
        societies.push((seed, lived));
        for (of, Marks { asked, right, silent }) in sheet {
            let marks = all.entry(of).or_default();
            marks.asked += asked;
            marks.right += right;
            marks.silent += silent;
        }
    }
    Ok((societies, all))
}

pub fn markdown(sheet: &Sheet) -> String {
    let mut out = "| kind | asked |".to_string();
    Arm::ALL.iter().for_each(|arm| write!(out, " {} |", arm.name()).expect("a String"));
    out.push_str("\n|---|---|---|---|---|---|\n");
    for kind in Kind::ALL {
        let asked = sheet.get(&(kind, Arm::Full)).copied().unwrap_or_default().asked;
        write!(out, "| {} | {asked} |", kind.name()).expect("a String");
        for arm in Arm::ALL {
            let Marks { asked, right, .. } = sheet.get(&(kind, arm)).copied().unwrap_or_default();
            let share = (right as f64 / asked.max(1) as f64, Some(wilson(right, asked)));
            write!(out, " {} |", told(share, 2)).expect("a String");
        }
        out.push('\n');
    }
    out
}

pub fn json(sheet: &Sheet) -> Value {
    let row = |((kind, arm), Marks { asked, right, silent }): (&(Kind, Arm), &Marks)| {
        json!({
            "kind": kind.name(), "arm": arm.name(), "asked": asked, "right": right, "silent": silent,
            "interval_95": wilson(*right, *asked),
        })
    };
    sheet.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world_folder::{read_content, root};

    #[test]
    fn what_is_known_is_answered_and_without_the_part_that_holds_it_nothing_is() {
        let world = root().join("data/world");
        let content = Arc::new(read_content(&world));
        let options = Options { seeds: vec![1], agents: 4, ticks: 260, world };
        let (_, sheet) = run(&content, &options, 1).expect("an interview");
        let marks = |kind, arm| sheet.get(&(kind, arm)).copied().unwrap_or_default();
        // What one would do is known of half of whom one met; all else of all.
        for (kind, without, one_in) in [
            (Kind::Memory, Arm::WithoutMemory, 1),
            (Kind::Plans, Arm::WithoutPlans, 1),
            (Kind::Reactions, Arm::WithoutMemory, 3),
        ] {
            let (full, less) = (marks(kind, Arm::Full), marks(kind, without));
            assert!(full.asked > 0 && full.right * one_in >= full.asked, "{kind:?}: {sheet:?}");
            assert_eq!((less.asked, less.right, less.silent), (full.asked, 0, full.asked), "{kind:?}: {sheet:?}");
        }
        let [full, plans] = [Arm::Full, Arm::WithoutPlans].map(|arm| marks(Kind::Memory, arm));
        assert_eq!(full, plans, "who told one is no plan");
    }
}
