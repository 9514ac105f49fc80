//! What agents can say of themselves when it is over (suite `interview`): those of a society are asked five kinds of
//! questions, each with a key that does not come from their memories, and answer from these alone; and the same again
//! without reflections, without plans, without memory.
//!
//! The keys: the world, for what one is; the journal, for who told whom; the lines that were sent, for what was
//! planned; the outcomes of all its fights, for how it would meet somebody and what it has concluded about them. The
//! answers: what `recall` finds in the graph of its last dream and in its log, taken as it is found. No model words or
//! judges them.
//! Memories know mobs by their kind, as `recall` of the game does, so that is what everybody is asked of. What one has
//! concluded is asked of kinds that one has concluded something about; how many others there are is told beside it.
//! Invariant: the interview is a function of the society.

use super::figures::told;
use super::play::each_seed;
use super::society::{self, Lived, MEETING, NEWS, Options, Past};
use anyhow::Context;
use content::Content;
use dreaming::graph::{Body, Tally};
use dreaming::log_search::{LogIndex, LogQuery, Part, Point};
use dreaming::retrieve::{Hit, Index, Query, Scratch};
use memory_lab::counts::statistics::wilson;
use mind::{Event, LogEntry};
use protocol::happening::{Role, What};
use protocol::instance::Instance;
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
    /// What have you concluded: how do you fare against somebody of this kind?
    Fares(String),
}

/// A question with its key.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Question {
    kind: Kind,
    asked: Asked,
    key: String,
}

/// Fights with a kind of mob below which nobody is asked how one fares.
const FIGHTS_MIN: u32 = 3;
const FIGHTS: &str = "I fight it";
const LEAVES: &str = "I leave it alone";
const WINS: &str = "I win";
const LOSES: &str = "I lose";

/// What an agent remembers.
struct Memory {
    index: Index,
    /// What was concluded, by id, with what it counts.
    reflections: BTreeMap<String, Tally>,
    log: LogIndex,
    entries: BTreeMap<u64, LogEntry>,
    /// The room that it is in when it is asked, and who else is there.
    around: Vec<String>,
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
        let reflections = graph.reflections().filter_map(|node| match &node.body {
            Body::Reflection(body) => Some((graph.id_of(node), body.tally.clone())),
            _ => None,
        });
        Ok(Memory {
            reflections: reflections.collect(),
            index: Index::new(Arc::new(graph)),
            log,
            entries,
            around: past.stage.engine.with_world(|world| around(world, &past.names[n])),
            tick: past.stage.engine.with_world(World::tick),
        })
    }

    /// What it has concluded about a kind of mob: fights won and lost.
    fn concluded(&self, mob: &str) -> Option<[u32; 2]> {
        let Tally { won, shared, fled, died, .. } = self.reflections.get(&reflection_of(mob))?;
        Some([won + shared, fled + died])
    }

    /// What comes to mind where it is when one of a kind of mobs stands there too, asked for as the game does; of that,
    /// what an arm has.
    fn comes_to_mind(&self, mob: &str, arm: Arm) -> Vec<Hit> {
        if !arm.has_memory() {
            return Vec::new();
        }
        let present: Vec<String> = self.around.iter().cloned().chain([mob.to_string()]).collect();
        let moment = Query { one_of_each: true, ..Query::moment("", &present, self.tick) };
        let mut found = self.index.recall(&moment, &mut Scratch::default()).found;
        found.retain(|hit| arm.has_reflections() || !self.reflections.contains_key(&hit.id));
        found
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

    /// Fights won and lost by kinds of mobs, of all that its log holds.
    fn fights(&self) -> BTreeMap<String, [u32; 2]> {
        let mut counts: BTreeMap<String, [u32; 2]> = BTreeMap::new();
        for (mob, lost) in self.entries.values().filter_map(|entry| outcome(&entry.event)) {
            counts.entry(mob).or_default()[usize::from(lost)] += 1;
        }
        counts
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
                let found = self.comes_to_mind(mob, arm);
                let stand_on: BTreeSet<u64> = found.into_iter().flat_map(|hit| hit.evidence).collect();
                let outcomes = stand_on.iter().filter_map(|seq| outcome(&self.entries.get(seq)?.event));
                let of_it: Vec<bool> = outcomes.filter(|(other, _)| other == mob).map(|(_, lost)| lost).collect();
                let lost = of_it.iter().filter(|lost| **lost).count();
                let won = of_it.len() - lost;
                (won != lost).then(|| if won > lost { FIGHTS } else { LEAVES }.to_string())
            }
            Asked::Fares(mob) => {
                let id = reflection_of(mob);
                self.comes_to_mind(mob, arm).iter().find(|hit| hit.id == id)?;
                let [won, lost] = self.concluded(mob).filter(|[won, lost]| won != lost)?;
                Some(if won > lost { WINS } else { LOSES }.to_string())
            }
        }
    }
}

fn reflection_of(mob: &str) -> String {
    format!("reflection:{mob}")
}

/// The room that somebody is in and whoever else is there, by keys as the game gives them to `recall`.
fn around(world: &World, name: &str) -> Vec<String> {
    let Some((own, it)) = world.find_player(name).and_then(|id| Some((id, world.character(id)?))) else {
        return Vec::new();
    };
    let others = world.room(it.room).characters.iter().filter(|other| **other != own);
    let keys = others.filter_map(|other| match world.mob_proto(*other) {
        Some(proto) => Some(format!("mob:{}", proto.vnum)),
        None => Some(format!("player:{}", world.character(*other)?.name.to_lowercase())),
    });
    let room = format!("room:{}", world.room_proto(it.room).vnum);
    [room].into_iter().chain(keys.collect::<BTreeSet<_>>()).collect()
}

/// What one is asked, with keys.
fn questions(past: &Past, n: usize, memory: &Memory) -> anyhow::Result<Vec<Question>> {
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
    for (mob, [won, lost]) in memory.fights().into_iter().filter(|(_, [won, lost])| won != lost) {
        let wins = won > lost;
        ask(Kind::Reactions, Asked::Meets(mob.clone()), if wins { FIGHTS } else { LEAVES }.to_string());
        if won + lost >= FIGHTS_MIN && memory.concluded(&mob).is_some() {
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
    match Instance::parse(&who.id)? {
        Instance::Mob { vnum, .. } => Some((format!("mob:{vnum}"), lost)),
        _ => None,
    }
}

/// Of so many questions, those answered rightly, and those not answered at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    pub asked: u64,
    pub right: u64,
    pub silent: u64,
}

impl Marks {
    fn add(&mut self, other: Marks) {
        self.asked += other.asked;
        self.right += other.right;
        self.silent += other.silent;
    }
}

/// What all answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sheet {
    pub marks: BTreeMap<(Kind, Arm), Marks>,
    /// Of the reactions in full, those to what one loses to: most fights are won, so whoever always fights is mostly
    /// right.
    pub leaves: Marks,
    /// Kinds of mobs that somebody fought as often as it takes to be asked how one fares; of these, those that its
    /// graph has concluded nothing about.
    pub fought: u64,
    pub undrawn: u64,
}

impl Sheet {
    fn of(&self, kind: Kind, arm: Arm) -> Marks {
        self.marks.get(&(kind, arm)).copied().unwrap_or_default()
    }
}

/// One seed: a society lives, and all of it are asked. What came of both.
pub fn run(content: &Arc<Content>, options: &Options, seed: u64) -> anyhow::Result<(Lived, Sheet)> {
    let past = society::live(content, options, seed)?;
    let mut sheet = Sheet::default();
    for n in 0..past.names.len() {
        let memory = Memory::of(&past, n)?;
        for (mob, [won, lost]) in memory.fights() {
            let often = won != lost && won + lost >= FIGHTS_MIN;
            sheet.fought += u64::from(often);
            sheet.undrawn += u64::from(often && memory.concluded(&mob).is_none());
        }
        for Question { kind, asked, key } in questions(&past, n, &memory)? {
            for arm in Arm::ALL {
                let answer = memory.answer(&asked, arm);
                let silent = u64::from(answer.is_none());
                let marks = Marks { asked: 1, right: u64::from(answer.as_ref() == Some(&key)), silent };
                sheet.marks.entry((kind, arm)).or_default().add(marks);
                if (arm, key.as_str()) == (Arm::Full, LEAVES) {
                    sheet.leaves.add(marks);
                }
            }
        }
    }
    Ok((society::lived(&past), sheet))
}

/// All seeds: how each went, and the marks of all together.
pub fn rows(content: &Arc<Content>, options: &Options) -> anyhow::Result<(Vec<(u64, Lived)>, Sheet)> {
    let one = |seed| run(content, options, seed);
    let (mut societies, mut all) = (Vec::new(), Sheet::default());
    for (seed, ran) in each_seed(&options.seeds, &one) {
        let (lived, sheet) = ran.with_context(|| format!("seed {seed}"))?;
        societies.push((seed, lived));
        all.fought += sheet.fought;
        all.undrawn += sheet.undrawn;
        all.leaves.add(sheet.leaves);
        for (of, marks) in sheet.marks {
            all.marks.entry(of).or_default().add(marks);
        }
    }
    Ok((societies, all))
}

pub fn markdown(sheet: &Sheet) -> String {
    let mut out = "| kind | asked |".to_string();
    Arm::ALL.iter().for_each(|arm| write!(out, " {} |", arm.name()).expect("a String"));
    out.push_str("\n|---|---|---|---|---|---|\n");
    for kind in Kind::ALL {
        write!(out, "| {} | {} |", kind.name(), sheet.of(kind, Arm::Full).asked).expect("a String");
        for arm in Arm::ALL {
            let Marks { asked, right, .. } = sheet.of(kind, arm);
            let share = (right as f64 / asked.max(1) as f64, Some(wilson(right, asked)));
            write!(out, " {} |", told(share, 2)).expect("a String");
        }
        out.push('\n');
    }
    let Sheet { leaves: Marks { asked, right, .. }, fought, undrawn, .. } = sheet;
    let of_mobs = [
        format!("Reactions to what one loses to: {right} of {asked} right."),
        format!("Kinds of mobs fought {FIGHTS_MIN} times or more: {fought}; nothing concluded about: {undrawn}."),
    ];
    write!(out, "\n{}\n", of_mobs.join(" ")).expect("a String");
    out
}

pub fn json(sheet: &Sheet) -> Value {
    let row = |((kind, arm), Marks { asked, right, silent }): (&(Kind, Arm), &Marks)| {
        json!({
            "kind": kind.name(), "arm": arm.name(), "asked": asked, "right": right, "silent": silent,
            "interval_95": wilson(*right, *asked),
        })
    };
    let rows: Vec<Value> = sheet.marks.iter().map(row).collect();
    let Marks { asked, right, .. } = sheet.leaves;
    json!({
        "rows": rows, "lost_to": {"asked": asked, "right": right},
        "fought_often": sheet.fought, "nothing_concluded": sheet.undrawn,
    })
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
        for (kind, without) in [
            (Kind::Memory, Arm::WithoutMemory),
            (Kind::Plans, Arm::WithoutPlans),
            (Kind::Reactions, Arm::WithoutMemory),
            (Kind::Reflections, Arm::WithoutReflections),
        ] {
            let (full, less) = (sheet.of(kind, Arm::Full), sheet.of(kind, without));
            assert!(full.asked > 0 && full.right * 20 >= full.asked * 19, "{kind:?}: {sheet:?}");
            assert_eq!((less.asked, less.right, less.silent), (full.asked, 0, full.asked), "{kind:?}: {sheet:?}");
        }
        assert!(sheet.fought > sheet.undrawn, "{sheet:?}");
        let [full, plans] = [Arm::Full, Arm::WithoutPlans].map(|arm| sheet.of(Kind::Memory, arm));
        assert_eq!(full, plans, "who told one is no plan");
    }
}
