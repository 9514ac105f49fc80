//! Random players in a real world: they type real verbs with right and wrong arguments, prefixes and nonsense, fight,
//! trade, die, lose their links, quit and come back, while every invariant is checked and every line is read.
//!
//! Everything follows from content, seed and number of players; a failure says how to see it again. What is typed is
//! made from the verb table (`usage` says what a verb wants) and from what stands about, so a new verb is played as
//! soon as it has a row.

mod agent_talk;
mod alike;
mod channel_law;
mod channel_talk;
mod judging;
mod living_law;
mod plans;
mod typing;

use self::channel_law::ChannelLaw;
use self::judging::{faults, record_differences};
use self::living_law::LivingLaw;
use crate::remembered::Remembered;
use content::flags::RoomFlags;
use content::words::*;
use content::{Content, RoomId};
use protocol::channel::PersonKind;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use world::adopt::Adopted;
use world::character::{LEVEL_MAX, Link, PlayerFlags};
use world::commands::table::VERBS;
use world::commands::{Typed, find_verb};
use world::record::CharacterRecord;
use world::report::{Line, LineKind, Request, Span};
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{Admin, CharacterId, Input, ObjectId, Report, World};

/// How many inputs a failure shows.
const SHOWN: usize = 20;
/// One immortal among so many players.
const IMMORTAL_ONE_IN: usize = 12;

pub struct Simulation {
    pub world: World,
    /// Coins are counted after every input, not only after ticks. Tells exactly where they went, and costs more.
    pub careful: bool,
    /// Every input that was applied, in order, when asked for by `keep_inputs`.
    pub inputs: Vec<Input>,
    pub keep_inputs: bool,
    /// How often each verb was typed, and how often it was not refused, in the order of the table.
    pub used: BTreeMap<&'static str, (u32, u32)>,
    /// The same of the parts of the verbs that have some.
    pub parts: BTreeMap<(&'static str, &'static str), (u32, u32)>,
    /// Agents that were ordered, and made.
    pub agents_ordered: u32,
    /// What holds of channels.
    pub channel_law: ChannelLaw,
    /// What holds of those who ignore each other.
    pub living_law: LivingLaw,
    /// Lines that were read and found in order.
    pub lines: u64,
    /// Stored characters that came back as they were.
    pub round_trips: u64,
    /// What players remember of it.
    pub remembered: Remembered,
    seed: u64,
    dice: Dice,
    players: Vec<Player>,
    /// Where stored characters are tried: a world of the same content in which nothing else happens.
    mirror: World,
    recent: VecDeque<String>,
    coins: i64,
}

struct Player {
    name: String,
    agent: bool,
    state: State,
    /// What it means to type next, so that things that take several steps come about.
    plan: VecDeque<String>,
}

enum State {
    Here(CharacterId),
    /// Its link is lost until a tick.
    Lost(CharacterId, u64),
    /// It left with this record, and comes back at a tick.
    Away(Box<CharacterRecord>, u64),
}

/// What went wrong, and how to see it again.
#[derive(Debug)]
pub struct Failure {
    pub seed: u64,
    pub players: usize,
    pub tick: u64,
    pub input: u64,
    pub what: Vec<String>,
    pub recent: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, tick {}, input {}:", self.seed, self.tick, self.input)?;
        for what in &self.what {
            writeln!(f, "  {what}")?;
        }
        writeln!(f, "the last inputs:")?;
        for input in &self.recent {
            writeln!(f, "  {input}")?;
        }
        let (players, seed, ticks) = (self.players, self.seed, self.tick + 1);
        write!(
            f,
            "again: cargo run -p lab --bin simulate -- --players {players} --ticks {ticks} --seed {seed} --careful"
        )
    }
}

impl Simulation {
    /// A world at tick 0, and players who have not come yet.
    pub fn new(content: Arc<Content>, seed: u64, players: usize) -> Simulation {
        let rules = Arc::new(Rules::built_in());
        let mut dice = Dice::new(seed, 0, 0, 0);
        let players = (0..players)
            .map(|n| {
                let mut record = newcomer(&content, &rules, n, &mut dice);
                record.gold = dice.range(0, 3_000);
                let (name, agent) = (record.name.to_string(), record.player.agent);
                let state = State::Away(Box::new(record), dice.range(0, 10) as u64);
                Player { name, agent, state, plan: VecDeque::new() }
            })
            .collect();
        let world = World::new(content, rules, seed);
        Simulation {
            mirror: world.clone(),
            coins: world.coins(),
            world,
            careful: false,
            inputs: Vec::new(),
            keep_inputs: false,
            used: VERBS.iter().map(|verb| (verb.name, (0, 0))).collect(),
            parts: parts().map(|part| (part, (0, 0))).collect(),
            agents_ordered: 0,
            channel_law: ChannelLaw::default(),
            living_law: LivingLaw::default(),
            lines: 0,
            round_trips: 0,
            remembered: Remembered::default(),
            seed,
            dice,
            players,
            recent: VecDeque::new(),
        }
    }

    /// The server is stopped and builders change the world: the players go on in other content.
    pub fn adopt(&mut self, content: Arc<Content>) -> Adopted {
        let (rules, old) = (self.world.rules.clone(), self.world.content.index());
        self.mirror = World::new(content.clone(), rules.clone(), self.seed);
        let (world, adopted) = World::adopt(content, rules, self.world.snapshot(), &old);
        self.world = world;
        self.coins = self.world.coins();
        adopted
    }

    /// Plays on for so many ticks, or up to the first thing that is wrong.
    pub fn run(&mut self, ticks: u64) -> Result<(), Box<Failure>> {
        for _ in 0..ticks {
            self.come_and_go()?;
            for _ in 0..self.players.len() {
                let at = self.dice.range(0, self.players.len() as i32 - 1) as usize;
                if let State::Here(who) = self.players[at].state {
                    if self.players[at].plan.is_empty() && self.dice.one_in(40) {
                        self.plan(at, who)?;
                    }
                    let c = self.world.who(who);
                    let (down, frozen) = (c.position < Position::Fighting, c.player_flags().has(PlayerFlags::FROZEN));
                    let line = if down && self.dice.one_in(2) {
                        ["wake", "stand"][self.dice.range(0, 1) as usize].to_string()
                    } else if let Some(line) = self.players[at].plan.pop_front() {
                        line
                    } else {
                        self.line(who, 0)
                    };
                    self.typed(who, line)?;
                    if frozen && self.dice.one_in(10) {
                        self.thaw(at)?;
                    }
                }
            }
            self.interfere()?;
            self.apply(Input::Tick)?;
            let mut wrong = self.world.check_all();
            let at = (self.world.tick() % self.players.len() as u64) as usize;
            let who = match self.players[at].state {
                State::Here(who) | State::Lost(who, _) => Some(who),
                State::Away(..) => None,
            };
            wrong.extend(self.channel_law.judge_slowly(&self.world, who));
            self.must(wrong)?;
            self.count_coins()?;
        }
        let wrong = self.mirror.check_all();
        self.must(wrong)
    }

    /// Verbs that nobody typed, and verbs that were typed but never did anything.
    pub fn unused(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let names = |wanted: fn(&(u32, u32)) -> bool| {
            self.used
                .iter()
                .filter(|(name, uses)| **name != "shutdown" && wanted(uses))
                .map(|(name, _)| *name)
                .collect()
        };
        (names(|uses| uses.0 == 0), names(|uses| uses.0 > 0 && uses.1 == 0))
    }

    /// Parts of verbs that were never done.
    pub fn parts_undone(&self) -> Vec<String> {
        let undone = self.parts.iter().filter(|(_, uses)| uses.1 == 0);
        undone.map(|((verb, part), _)| format!("{verb} {part}")).collect()
    }

    fn typed(&mut self, who: CharacterId, line: String) -> Result<(), Box<Failure>> {
        let level = self.world.who(who).level;
        let Typed { word, args } = Typed::parse(&line);
        let verb = find_verb(word, level).map(|verb| verb.name);
        let part = verb.zip(args.split_whitespace().next()).map(|(verb, part)| (verb, part.to_string()));
        let report = self.apply(Input::Command { who, line })?;
        if let Some(uses) = verb.and_then(|name| self.used.get_mut(name)) {
            uses.0 += 1;
            uses.1 += u32::from(report.refused.is_none());
        }
        let named = |(verb, part): &(&'static str, String)| {
            self.parts.keys().copied().find(|(of, name)| of == verb && *name == part.as_str())
        };
        if let Some(uses) = part.as_ref().and_then(named).and_then(|part| self.parts.get_mut(&part)) {
            uses.0 += 1;
            uses.1 += u32::from(report.refused.is_none());
        }
        Ok(())
    }

    /// Who is away comes back; links are lost and found.
    fn come_and_go(&mut self) -> Result<(), Box<Failure>> {
        let tick = self.world.tick();
        for at in 0..self.players.len() {
            let agent = self.players[at].agent;
            match &self.players[at].state {
                // The edge lets nobody in who is retired.
                State::Away(record, back) if *back <= tick && self.world.is_retired(&record.name) => {}
                State::Away(record, back) if *back <= tick => {
                    // As the store does it: through JSON.
                    let json = serde_json::to_string(record).expect("a record is plain data");
                    let record: CharacterRecord = serde_json::from_str(&json).expect("what was written is read");
                    let newborn = record.room.is_none();
                    let report = self.apply(Input::Enter { record: Box::new(record), agent })?;
                    let Some(who) = report.entered else {
                        return self.must(vec![format!("{} did not enter", self.players[at].name)]);
                    };
                    self.players[at].state = State::Here(who);
                    if newborn {
                        self.settle(who, at)?;
                        self.keep_record(at)?;
                    }
                }
                State::Lost(who, back) if *back <= tick => {
                    let who = *who;
                    if self.dice.one_in(2) {
                        // A login looks in the store first; the world answers with the one that it has.
                        let record = Box::new(self.world.record_of(who).expect("a lost link leaves the character"));
                        let report = self.apply(Input::Enter { record, agent })?;
                        let found = (report.entered != Some(who)).then(|| format!("{who:?} entered twice"));
                        self.must(found.into_iter().collect())?;
                    }
                    self.apply(Input::Link { who, link: Link::Linked, agent: false })?;
                    if self.world.character(who).is_some() {
                        self.players[at].state = State::Here(who);
                    }
                }
                State::Here(who) if self.dice.one_in(150) => {
                    let who = *who;
                    self.players[at].state = State::Lost(who, tick + self.dice.range(1, 60) as u64);
                    self.apply(Input::Link { who, link: Link::Lost { since_tick: tick }, agent: false })?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A newcomer gets a level and a place in the world, so that all of it is played in.
    fn settle(&mut self, who: CharacterId, at: usize) -> Result<(), Box<Failure>> {
        let immortal = at % IMMORTAL_ONE_IN == IMMORTAL_ONE_IN - 1;
        let level = if immortal { LEVEL_MAX } else { self.dice.range(1, 30) };
        if level > 1 {
            self.apply(Input::Admin(Admin::Promote { who, level }))?;
        }
        if self.dice.percent(70) {
            let room = self.room_vnum();
            self.apply(Input::Admin(Admin::Place { who, room }))?;
        }
        Ok(())
    }

    /// What the operator does now and then.
    fn interfere(&mut self) -> Result<(), Box<Failure>> {
        let at = self.dice.range(0, self.players.len() as i32 - 1) as usize;
        let who = match self.players[at].state {
            State::Here(who) | State::Lost(who, _) => who,
            State::Away(..) => return Ok(()),
        };
        let admin = match self.dice.range(1, 60) {
            1 => Admin::Announce { text: "The world holds its breath.".into() },
            2 => Admin::SaveAll,
            3 => Admin::Remove { who, reason: "The operator sends you away.".into() },
            4..=6 => Admin::Place { who, room: self.room_vnum() },
            7 => Admin::Promote { who, level: self.dice.range(1, 30) },
            _ => return Ok(()),
        };
        self.apply(Input::Admin(admin))?;
        Ok(())
    }

    /// Applies one input and checks all that it caused.
    fn apply(&mut self, input: Input) -> Result<Report, Box<Failure>> {
        if self.recent.len() == SHOWN {
            self.recent.pop_front();
        }
        let number = self.world.state.number + 1;
        self.recent.push_back(format!("{number}: {}", self.shown(&input)));
        if self.keep_inputs {
            self.inputs.push(input.clone());
        }
        let report = match catch_unwind(AssertUnwindSafe(|| self.world.apply(&input))) {
            Ok(report) => report,
            Err(panic) => {
                let what = panic.downcast_ref::<String>().cloned();
                let what = what.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
                return Err(self.failure(vec![format!("panic: {}", what.unwrap_or_default())]));
            }
        };
        let typed = if let Input::Command { line, .. } = &input { line.as_str() } else { "" };
        let mut wrong: Vec<String> = self.world.check_touched(&report);
        for (reader, line) in report.lines.iter() {
            let faults = faults(line, typed);
            wrong.extend(
                faults.into_iter().map(|what| format!("{what}, for {reader:?}: {:?} {:?}", line.kind, line.text)),
            );
        }
        self.lines += report.lines.len() as u64;
        wrong.extend(self.remembered.take(&report));
        wrong.extend(self.channel_law.judge(&self.world));
        wrong.extend(self.living_law.judge(&self.world, &report));
        self.must(wrong)?;
        self.coins += report.coins_made;
        if self.careful {
            self.count_coins()?;
            self.must(alike::differences(&self.world, &report))?;
        }
        for request in &report.requests {
            match request {
                Request::Save { record, left } => self.saved(record, *left)?,
                Request::Name(asked) => self.name_found(asked)?,
                Request::MakeAgent => self.agents_made()?,
                _ => {}
            }
        }
        Ok(report)
    }

    /// A record must come back as it was, but for what one sees on coming in; who left will come back with it.
    fn saved(&mut self, record: &CharacterRecord, left: bool) -> Result<(), Box<Failure>> {
        let report = self.mirror.apply(&Input::Enter { record: Box::new(record.clone()), agent: record.player.agent });
        let who = report.entered.expect("an entry names somebody");
        let again = self.mirror.record_of(who).expect("it has just entered");
        let leaving = Admin::Remove { who, reason: "The mirror is wiped.".into() };
        self.mirror.apply(&Input::Admin(leaving));
        // Of whom a world knows, it knows the name that is shown, and does not take it from a record.
        self.mirror.apply(&Input::Admin(Admin::Forget { name: record.name.to_string() }));
        let differences = record_differences(record, &again);
        self.must(differences)?;
        self.round_trips += 1;
        let Some(at) = self.players.iter().position(|p| p.name == *record.name) else { return Ok(()) };
        if left {
            let gone = self.world.find_player(&record.name).is_none();
            self.must((!gone).then(|| format!("{} left, and is here", record.name)).into_iter().collect())?;
            let back = self.world.tick() + self.dice.range(1, 15) as u64;
            self.players[at].state = State::Away(Box::new(record.clone()), back);
        }
        Ok(())
    }

    fn count_coins(&mut self) -> Result<(), Box<Failure>> {
        let (there, expected) = (self.world.coins(), self.coins);
        let wrong = (there != expected).then(|| format!("there are {there} coins, and {expected} were accounted for"));
        self.must(wrong.into_iter().collect())
    }

    fn must(&self, wrong: Vec<String>) -> Result<(), Box<Failure>> {
        if wrong.is_empty() { Ok(()) } else { Err(self.failure(wrong)) }
    }

    fn failure(&self, what: Vec<String>) -> Box<Failure> {
        Box::new(Failure {
            seed: self.seed,
            players: self.players.len(),
            tick: self.world.tick(),
            input: self.world.state.number,
            what,
            recent: self.recent.iter().cloned().collect(),
        })
    }

    fn shown(&self, input: &Input) -> String {
        match input {
            Input::Command { who, line } => {
                let c = self.world.character(*who);
                let (name, level) = c.map_or(("nobody", 0), |c| (&c.name, c.level));
                let room = c.map_or(0, |c| self.world.room_proto(c.room).vnum);
                format!("{name} (level {level}, room {room})> {}", shortened(line))
            }
            Input::Enter { record, .. } => format!("{} enters", record.name),
            other => format!("{other:?}"),
        }
    }

    /// Some immortal has mercy.
    fn thaw(&mut self, at: usize) -> Result<(), Box<Failure>> {
        let immortal = self.players.iter().find_map(|p| match p.state {
            State::Here(id) if self.world.who(id).is_immortal() => Some(id),
            _ => None,
        });
        let line = format!("thaw {}", self.players[at].name);
        immortal.map_or(Ok(()), |id| self.typed(id, line))
    }
}

/// The verbs that do several things, with the words for these.
fn parts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let channel = world::commands::channel::words().map(|part| ("channel", part));
    channel.chain(world::commands::agents::words().map(|part| ("agent", part)))
}

/// The nth player, as the creation dialogue would make it: kit and home are still to come.
pub fn newcomer(content: &Content, rules: &Rules, n: usize, dice: &mut Dice) -> CharacterRecord {
    let classes: Vec<Class> = rules.classes.iter().filter(|c| c.at_creation).map(|c| c.name).collect();
    let races: Vec<Race> = rules.races.iter().map(|r| r.name).collect();
    let class = *dice.pick(&classes).expect("there are classes to begin with");
    let race = *dice.pick(&races).expect("there are races to begin with");
    let choices = Choices {
        name: name(n).into(),
        sex: [Sex::Male, Sex::Female][dice.range(0, 1) as usize],
        race,
        class,
        hometown: content.hometowns.first().map_or('K', |h| h.key),
        color: dice.one_in(2),
        abilities: creation::roll_abilities(rules, race, class, dice),
        agent: dice.one_in(2),
    };
    creation::newborn(rules, &choices, dice)
}

/// The nth name: letters only, none twice.
fn name(n: usize) -> String {
    let syllables = ["ba", "do", "fi", "gu", "ha", "ke", "lo", "mi", "nu", "ra"];
    let mut name = String::from("Si");
    for digit in format!("{n:03}").bytes() {
        name.push_str(syllables[usize::from(digit - b'0')]);
    }
    name
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(80) {
        Some((at, _)) => format!("{:?}… ({} bytes)", &line[..at], line.len()),
        None => format!("{line:?}"),
    }
}
