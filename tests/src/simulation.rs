//! Random players in a real world: they type real verbs with right and wrong arguments, prefixes and nonsense, fight,
//! trade, die, lose their links, quit and come back, while every invariant is checked and every line is read.
//!
//! Everything follows from content, seed and number of players; a failure says how to see it again. What is typed is
//! made from the verb table (`usage` says what a verb wants) and from what stands about, so a new verb is played as
//! soon as it has a row.

use crate::remembered::Remembered;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use world::adopt::Adopted;
use world::character::{LEVEL_MAX, Link, PlayerFlags};
use world::commands::table::VERBS;
use world::commands::{find_verb, split_verb};
use world::content::{Content, RoomId};
use world::flags::RoomFlags;
use world::record::CharacterRecord;
use world::report::{Line, LineKind, Request};
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::words::*;
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
            "again: cargo run -p tests --bin simulate -- --players {players} --ticks {ticks} --seed {seed} --careful"
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
            let wrong = self.world.check_all();
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

    // Inputs.

    fn typed(&mut self, who: CharacterId, line: String) -> Result<(), Box<Failure>> {
        let level = self.world.who(who).level;
        let verb = find_verb(split_verb(&line).0, level).map(|verb| verb.name);
        let report = self.apply(Input::Command { who, line })?;
        if let Some(uses) = verb.and_then(|name| self.used.get_mut(name)) {
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
        for (reader, line) in &report.lines {
            let faults = faults(line, typed);
            wrong.extend(
                faults.into_iter().map(|what| format!("{what}, for {reader:?}: {:?} {:?}", line.kind, line.text)),
            );
        }
        self.lines += report.lines.len() as u64;
        wrong.extend(self.remembered.take(&report));
        self.must(wrong)?;
        self.coins += report.coins_made;
        if self.careful {
            self.count_coins()?;
        }
        for request in &report.requests {
            if let Request::Save { record, left } = request {
                self.saved(record, *left)?;
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

    // What is typed.

    /// Makes a plan, and brings its maker to where it can be carried out.
    fn plan(&mut self, at: usize, who: CharacterId) -> Result<(), Box<Failure>> {
        let content = self.world.content.clone();
        let banks: Vec<i32> = content.rooms.iter().filter(|r| r.flags.has(RoomFlags::BANK)).map(|r| r.vnum).collect();
        let shops: Vec<i32> = content.shops.iter().filter_map(|shop| shop.rooms.first().copied()).collect();
        let none: &[i32] = &[];
        let (steps, rooms): (&[&str], &[i32]) = match self.dice.range(1, 8) {
            1 => (&["balance", "deposit all", "withdraw 7", "deposit 2147483647", "balance"], &banks),
            2 => {
                (&["list", "buy #1", "buy 2 #2", "buy #3", "wear all", "value THING", "sell THING", "sell all"], &shops)
            }
            3 => (&["list", "buy THING", "eat THING", "drink THING", "buy #1"], &shops),
            4 => (
                &["group", "scan", "exits", "group all", "group", "gsay THING", "split 10", "report", "ungroup PERSON"],
                none,
            ),
            5 => (&["kill FOE", "kill FOE", "get all corpse", "wear all", "flee", "stand", "junk THING"], none),
            6 => (&["murder PERSON", "hit PERSON", "flee", "alias x look;say x;x", "x", "unalias x"], none),
            7 if self.world.who(who).is_immortal() => return self.locksmith(at, who),
            8 if self.world.who(who).is_immortal() => return self.water_carrier(at, who),
            _ => return Ok(()),
        };
        if let Some(room) = self.dice.pick(rooms).copied() {
            self.apply(Input::Admin(Admin::Place { who, room }))?;
        }
        // Somebody here has a part in it.
        let name = self.players[at].name.to_lowercase();
        let part: &[&str] = match steps[0] {
            "group" => &["follow", "report"],
            "kill FOE" | "murder PERSON" => &["look", "consider", "assist", "rescue", "assist", "rescue"],
            _ => &[],
        };
        let here = self.world.room(self.world.who(who).room).characters.clone();
        let other = self
            .players
            .iter_mut()
            .find(|p| p.name.to_lowercase() != name && matches!(p.state, State::Here(id) if here.contains(&id)));
        if let Some(other) = other {
            other.plan.extend(part.iter().map(|verb| format!("{verb} {name}")));
        }
        for step in steps {
            let (thing, person) = (self.thing_near(who, |_| true), self.person_near(who));
            let foe = self.foe_near(who).unwrap_or_else(|| person.clone());
            self.players[at]
                .plan
                .push_back(step.replace("THING", &thing).replace("PERSON", &person).replace("FOE", &foe));
        }
        Ok(())
    }

    /// A door with a lock, and its key.
    fn locksmith(&mut self, at: usize, who: CharacterId) -> Result<(), Box<Failure>> {
        let content = self.world.content.clone();
        let locks: Vec<(i32, i32, Direction)> = content
            .rooms
            .iter()
            .flat_map(|room| room.exits.iter().filter_map(|exit| Some((room.vnum, exit.key?, exit.direction))))
            .collect();
        let Some((room, key, way)) = self.dice.pick(&locks).copied() else { return Ok(()) };
        self.apply(Input::Admin(Admin::Place { who, room }))?;
        self.players[at].plan.push_back(format!("load obj {key}"));
        for verb in ["open", "close", "lock", "unlock", "lock", "pick", "open"] {
            self.players[at].plan.push_back(format!("{verb} {way}"));
        }
        Ok(())
    }

    /// A fountain, and two things to carry its water in.
    fn water_carrier(&mut self, at: usize, who: CharacterId) -> Result<(), Box<Failure>> {
        let content = self.world.content.clone();
        let skins: Vec<_> = content.objects.iter().filter(|o| o.kind.item_type() == ItemType::DrinkContainer).collect();
        let fountains: Vec<(i32, String)> = self
            .world
            .state
            .objects
            .iter()
            .filter(|(_, o)| o.kind.item_type() == ItemType::Fountain)
            .filter_map(|(id, o)| Some((self.world.room_of(id)?, o.keywords.split(' ').next()?)))
            .map(|(room, word)| (self.world.room_proto(room).vnum, word.to_string()))
            .collect();
        let (Some(skin), Some((room, fountain))) = (self.dice.pick(&skins), self.dice.pick(&fountains).cloned()) else {
            return Ok(());
        };
        let (vnum, word) = (skin.vnum, skin.keywords.split(' ').next().unwrap_or_default());
        self.apply(Input::Admin(Admin::Place { who, room }))?;
        for step in
            ["load obj VNUM", "load obj VNUM", "pour WORD out", "fill WORD FROM", "pour WORD 2.WORD", "sip WORD"]
        {
            self.players[at]
                .plan
                .push_back(step.replace("VNUM", &vnum.to_string()).replace("WORD", word).replace("FROM", &fountain));
        }
        let name = self.players[at].name.to_lowercase();
        let victim = self.player_name();
        if victim != name {
            self.players[at].plan.extend([format!("freeze {victim}"), format!("thaw {victim}")]);
        }
        Ok(())
    }

    /// A line that this character might type. `depth`: commands within commands.
    fn line(&mut self, who: CharacterId, depth: u32) -> String {
        match self.dice.range(1, 100) {
            1..=22 => self.way(who),
            23..=32 => self.deed(who),
            33..=36 => self.social(who),
            37..=40 => self.nonsense(),
            41 => String::new(),
            _ => self.verb(who, depth),
        }
    }

    /// A verb of the table with arguments as its usage says, or nearly so.
    fn verb(&mut self, who: CharacterId, depth: u32) -> String {
        let level = self.world.who(who).level;
        let immortal = self.world.who(who).is_immortal() && self.dice.one_in(2);
        let from = if immortal { world::character::LEVEL_IMMORTAL } else { 0 };
        let verbs: Vec<&world::commands::Verb> = VERBS
            .iter()
            .filter(|verb| (from..=level).contains(&verb.level) && verb.name != "shutdown")
            .filter(|verb| verb.name != "quit" || immortal)
            .collect();
        let Some(verb) = self.dice.pick(&verbs).copied().or(VERBS.first()) else { return String::new() };
        let mut name = verb.name.to_string();
        if self.dice.one_in(8) && name.len() > 2 && !verb.traits.full_word {
            name.truncate(self.dice.range(1, name.len() as i32 - 1) as usize);
        }
        let args = match self.dice.range(1, 12) {
            1 => String::new(),
            2 => self.word(who),
            3 => format!("{} {}", self.word(who), self.word(who)),
            4 => self.nonsense(),
            _ => self.arguments(verb.usage, who, depth),
        };
        format!("{name} {args}")
    }

    /// Arguments from a usage line: one of its alternatives, with the optional parts in or out.
    fn arguments(&mut self, usage: &str, who: CharacterId, depth: u32) -> String {
        let alternatives = split_outside(usage, '|');
        let Some(alternative) = self.dice.pick(&alternatives).cloned() else { return String::new() };
        let mut words: Vec<String> = Vec::new();
        let mut rest = alternative.trim();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '[' => closing(rest, '[', ']'),
                '<' => closing(rest, '<', '>'),
                _ => rest.find([' ', '[', '<']).unwrap_or(rest.len()).max(1),
            };
            let (part, after) = rest.split_at(end);
            rest = after.trim_start();
            match first {
                '[' if self.dice.one_in(2) => {
                    words.push(self.arguments(part.trim_start_matches('[').trim_end_matches(']'), who, depth));
                }
                '[' => {}
                '<' => {
                    let wanted = part.trim_start_matches('<').trim_end_matches('>');
                    let kinds = split_outside(wanted, '|');
                    let kind = self.dice.pick(&kinds).map(|k| k.trim().to_string()).unwrap_or_default();
                    let before = words.last().cloned().unwrap_or_default();
                    words.push(match (before.as_str(), kind.as_str()) {
                        ("mob", "number") => self.mob_vnum().to_string(),
                        ("obj", "number") => self.object_vnum().to_string(),
                        _ => self.wanted(&kind, kinds.len() > 4, who, depth),
                    });
                }
                _ => words.push(part.to_string()),
            }
        }
        words.join(" ").replace("all. ", "all.")
    }

    /// What a usage line calls `<kind>`. `literal`: it is one of many fixed words.
    fn wanted(&mut self, kind: &str, literal: bool, who: CharacterId, depth: u32) -> String {
        if self.dice.one_in(15) {
            return self.word(who);
        }
        match kind {
            _ if literal => kind.to_string(),
            "target" | "friend" | "follower" | "leader" | "sleeper" => self.person_near(who),
            "player" | "member" if self.dice.one_in(2) => self.person_near(who),
            "player" | "member" => self.player_name(),
            "thing" | "food" | "weapon" => self.thing_near(who, |_| true),
            "container" | "door | container" => {
                self.thing_near(who, |object| object.is_container() || !object.contents.is_empty())
            }
            "fountain" | "drink" => self.thing_near(who, |object| {
                matches!(object.kind.item_type(), ItemType::DrinkContainer | ItemType::Fountain)
            }),
            "door" if self.dice.one_in(2) => self.door(who),
            "direction" | "door" => self.direction(),
            "number" | "coins" | "value" | "hit points" | "level" | "zone" => self.number(),
            "room" => self.room_vnum().to_string(),
            "command" | "commands" if depth < 2 => self.line(who, depth + 1),
            "words" | "text" | "what you do" => self.sentence(),
            "verb" => self.dice.pick(VERBS).map_or(String::new(), |verb| verb.name.to_string()),
            _ => self.word(who),
        }
    }

    /// Any word that may mean something here.
    fn word(&mut self, who: CharacterId) -> String {
        match self.dice.range(1, 12) {
            1..=3 => self.person_near(who),
            4..=7 => self.thing_near(who, |_| true),
            8 => self.player_name(),
            9 => self.direction(),
            10 => self.number(),
            11 => "all".into(),
            _ => ["me", "self", "coins", "corpse", "all.corpse", "room", "off", "2.", "0.x", "all."]
                [self.dice.range(0, 9) as usize]
                .into(),
        }
    }

    fn person_near(&mut self, who: CharacterId) -> String {
        let here = self.world.room(self.world.who(who).room).characters.clone();
        match self.dice.pick(&here).copied() {
            Some(id) => {
                let keywords = self.world.who(id).keywords.clone();
                self.meaning(&keywords)
            }
            None => "nobody".into(),
        }
    }

    /// A mob in the room.
    fn foe_near(&mut self, who: CharacterId) -> Option<String> {
        let here = &self.world.room(self.world.who(who).room).characters;
        let foe = here.iter().map(|id| self.world.who(*id)).find(|c| c.is_mob())?;
        foe.keywords.split(' ').next().map(str::to_string)
    }

    /// The name of something in the room, in hand, worn, or in something of these.
    fn thing_near(&mut self, who: CharacterId, wanted: impl Fn(&world::object::Object) -> bool) -> String {
        let c = self.world.who(who);
        let mut things: Vec<ObjectId> = c.carrying.clone();
        things.extend(c.worn.iter().map(|(_, object)| *object));
        things.extend(&self.world.room(c.room).objects);
        let inside: Vec<ObjectId> = things.iter().flat_map(|id| self.world.thing(*id).contents.clone()).collect();
        things.extend(inside);
        let fitting: Vec<ObjectId> = things.iter().copied().filter(|id| wanted(self.world.thing(*id))).collect();
        let from = if fitting.is_empty() { &things } else { &fitting };
        match self.dice.pick(from).copied() {
            Some(id) => {
                let keywords = self.world.thing(id).keywords.clone();
                self.meaning(&keywords)
            }
            None => "nothing".into(),
        }
    }

    /// A way to mean something with these keywords: whole, shortened, counted.
    fn meaning(&mut self, keywords: &str) -> String {
        let words: Vec<&str> = keywords.split(' ').filter(|w| !w.is_empty()).collect();
        let mut word = self.dice.pick(&words).map_or("thing".to_string(), |w| w.to_string());
        if self.dice.one_in(6) {
            let letters = self.dice.range(1, word.chars().count() as i32) as usize;
            word = word.chars().take(letters).collect();
        }
        match self.dice.range(1, 20) {
            1 => format!("all.{word}"),
            2 => format!("2.{word}"),
            3 => word.to_uppercase(),
            _ => word,
        }
    }

    fn player_name(&mut self) -> String {
        let at = self.dice.range(0, self.players.len() as i32 - 1) as usize;
        self.players[at].name.to_lowercase()
    }

    /// The name of a door here, if there is one.
    fn door(&mut self, who: CharacterId) -> String {
        let exits = &self.world.room_proto(self.world.who(who).room).exits;
        let doors: Vec<String> =
            exits.iter().filter(|exit| !exit.door.is_empty()).map(|exit| exit.keywords.to_string()).collect();
        match self.dice.pick(&doors).cloned() {
            Some(keywords) => self.meaning(&keywords),
            None => "door".into(),
        }
    }

    fn direction(&mut self) -> String {
        Direction::ALL[self.dice.range(0, 5) as usize].name().into()
    }

    fn number(&mut self) -> String {
        let numbers =
            ["0", "1", "2", "3", "10", "50", "100", "-1", "2147483647", "99999999999999999999", "#1", "#2", "x"];
        numbers[self.dice.range(0, numbers.len() as i32 - 1) as usize].into()
    }

    fn sentence(&mut self) -> String {
        let words =
            ["the", "Flame", "burns", "low", "tonight", "who", "goes", "there?", "Grüße", "雪", "half 50%", "ok!"];
        let length = self.dice.range(1, 8);
        (0..length).map(|_| words[self.dice.range(0, words.len() as i32 - 1) as usize]).collect::<Vec<_>>().join(" ")
    }

    fn nonsense(&mut self) -> String {
        match self.dice.range(1, 9) {
            1 => "x".repeat(self.dice.range(300, 3_000) as usize),
            2 => "word ".repeat(self.dice.range(60, 400) as usize),
            3 => "ÄÖ ßü 日本 🜂 é̂".into(),
            4 => "!!! ,,, ;; ???".into(),
            5 => "   ".into(),
            6 => "$x %n {} \\ \"quoted\" <b>".into(),
            7 => format!("{} {}", self.number(), self.number()),
            8 => "a;b;c;d".into(),
            _ => {
                let letters = self.dice.range(1, 9);
                (0..letters).map(|_| char::from(b'a' + self.dice.range(0, 25) as u8)).collect()
            }
        }
    }

    /// A step through an exit that is there, opening what is shut.
    fn way(&mut self, who: CharacterId) -> String {
        let room = self.world.who(who).room;
        let exits = self.world.room_proto(room).exits.clone();
        match self.dice.pick(&exits) {
            Some(exit) if self.world.door(room, exit.direction).has(world::flags::DoorFlags::CLOSED) => {
                format!("open {} {}", exit.keywords.split(' ').next().unwrap_or("door"), exit.direction)
            }
            Some(exit) => exit.direction.name().into(),
            None => "home".into(),
        }
    }

    /// Something that people often do, so that fights, loot, meals and trade come about.
    fn deed(&mut self, who: CharacterId) -> String {
        let deeds = [
            "kill",
            "kill",
            "kill",
            "get all",
            "get all corpse",
            "wear all",
            "stand",
            "flee",
            "rest",
            "sleep",
            "wake",
            "list",
            "buy #1",
            "buy #2",
            "sell",
            "value",
            "deposit 10",
            "withdraw 5",
            "drink",
            "eat",
            "follow",
            "group all",
            "drop",
            "put",
            "give",
            "quit",
            "remove all",
            "wield",
            "look in",
            "tell",
            "reply yes",
            "drop 3 coins",
            "get coins",
            "split 7",
            "sip",
            "fill",
            "pour",
            "home",
            "recall",
            "alias k kill $1",
            "alias k",
            "toggle autoloot",
        ];
        let deed = deeds[self.dice.range(0, deeds.len() as i32 - 1) as usize];
        match deed {
            "kill" | "follow" => format!("{deed} {}", self.person_near(who)),
            "tell" => format!("tell {} {}", self.player_name(), self.sentence()),
            "sell" | "value" | "drop" | "wield" | "drink" | "eat" | "look in" | "sip" => {
                format!("{deed} {}", self.thing_near(who, |_| true))
            }
            "put" | "fill" | "pour" => {
                let (what, into) = (self.thing_near(who, |_| true), self.thing_near(who, |o| !o.contents.is_empty()));
                format!("{deed} {what} {into}")
            }
            "give" => format!("give {} {}", self.thing_near(who, |_| true), self.person_near(who)),
            _ => deed.into(),
        }
    }

    fn social(&mut self, who: CharacterId) -> String {
        let content = self.world.content.clone();
        let Some(social) = self.dice.pick(&content.socials) else { return "smile".into() };
        match self.dice.range(1, 3) {
            1 => social.name.to_string(),
            2 => format!("{} {}", social.name, self.person_near(who)),
            _ => format!("{} {}", social.name, self.word(who)),
        }
    }

    fn mob_vnum(&mut self) -> i32 {
        let content = self.world.content.clone();
        self.dice.pick(&content.mobs).map_or(0, |proto| proto.vnum)
    }

    fn object_vnum(&mut self) -> i32 {
        let content = self.world.content.clone();
        self.dice.pick(&content.objects).map_or(0, |proto| proto.vnum)
    }

    fn room_vnum(&mut self) -> i32 {
        let rooms = self.world.content.rooms.len() as i32;
        let id = RoomId(self.dice.range(0, rooms - 1) as u32);
        let proto = self.world.content.room(id);
        if proto.flags.any(RoomFlags::DEATH) { self.world.content.start_room } else { proto.vnum }
    }
}

/// A record as the creation dialogue would make it.
/// The nth player, as created: kit and home are still to come.
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

/// Splits at a mark that is in no brackets. Never empty.
fn split_outside(text: &str, mark: char) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '[' | '<' => depth += 1,
            ']' | '>' => depth -= 1,
            _ => {}
        }
        if c == mark && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("it begins with one").push(c);
        }
    }
    parts
}

/// Bytes up to and with the bracket that closes the first one.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(80) {
        Some((at, _)) => format!("{:?}… ({} bytes)", &line[..at], line.len()),
        None => format!("{line:?}"),
    }
}

/// Kinds that carry what somebody typed.
fn is_speech(kind: LineKind) -> bool {
    use LineKind::*;
    matches!(kind, Say | Tell | Gossip | Shout | Auction | Grats | Newbie | Group | Emote | Broadcast)
}

/// Kinds of pages and of what other eyes saw, which have columns and begin as they like.
fn is_page(kind: LineKind) -> bool {
    matches!(kind, LineKind::Text | LineKind::Snoop | LineKind::Motd)
}

/// What is wrong with a line that somebody reads. `typed`: the command that caused it.
fn faults(line: &Line, typed: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let text = &line.text;
    if text.trim().is_empty() {
        faults.push("an empty line".into());
    }
    if text.chars().any(|c| c.is_control() && c != '\n') {
        faults.push("a control character".into());
    }
    let marks = "nNeEmMsSpPoOaAt";
    let marked = text.char_indices().any(|(at, c)| c == '$' && text[at + 1..].starts_with(|next| marks.contains(next)));
    if marked && !typed.contains('$') {
        faults.push("a mark that nobody filled in".into());
    }
    if !is_page(line.kind) {
        let doubled = text.lines().any(|l| l.trim().contains("  "));
        if doubled && !is_speech(line.kind) && !typed.trim().contains("  ") {
            faults.push("two blanks in a row".into());
        }
        if text.trim_start().starts_with(char::is_lowercase) {
            faults.push("a small letter at the beginning".into());
        }
    }
    let mut last = 0;
    for (at, _) in &line.styles {
        if *at < last || !text.is_char_boundary(*at as usize) {
            faults.push(format!("a style at {at}, out of order or within a letter"));
        }
        last = *at;
    }
    faults
}

/// What differs between a stored character and the one that was made from it, but for what entering must change.
fn record_differences(before: &CharacterRecord, after: &CharacterRecord) -> Vec<String> {
    let mut expected = before.clone();
    expected.position = match expected.position {
        Position::Fighting => Position::Standing,
        position => position.max(Position::Sleeping),
    };
    expected.hit = expected.hit.max(1);
    // Whoever comes in looks about, and may see what it has not seen before.
    let mut after = after.clone();
    let grown = after.player.log_seq >= before.player.log_seq;
    if grown {
        after.player.log_seq = before.player.log_seq;
        after.player.past = before.player.past.clone();
    }
    let after = &after;
    let json = |record: &CharacterRecord| serde_json::to_value(record).expect("a record is plain data");
    let (expected, after) = (json(&expected), json(after));
    let mut differences = Vec::new();
    if expected != after {
        compare(&before.name, &expected, &after, &mut differences);
    }
    differences
}

fn compare(path: &str, a: &serde_json::Value, b: &serde_json::Value, differences: &mut Vec<String>) {
    use serde_json::Value;
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                compare(&format!("{path}.{key}"), value, b.get(key).unwrap_or(&Value::Null), differences);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (n, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{n}]"), a, b, differences);
            }
        }
        _ if a != b => differences.push(format!("{path} was stored as {a}, and came back as {b}")),
        _ => {}
    }
}
