//! Somebody who has never been here: it types what the screen tells it to, at a person's pace, and remembers the ways
//! that it has gone.
//!
//! What it knows beforehand is English: that a rat is a beast, that a hat is worn, that one rests when hurt. Of the
//! world, its verbs and its rules it knows what was shown: the message of the day, help, what people say, what lies
//! about. It never types `map`, and reads no variables. Invariant: what it types is a function of its seed and of what
//! it has read.

use super::memory::{Art, Memory};
use super::screen::{self, Condition};
use super::vocabulary::{CONTAINERS, FAIR, HEALS, HURTS, PREY, STRONGER, WEAPONS, WORTH_BUYING};
use crate::agents::{Act, Player};
use agent_cli::thought::Thought;
use protocol::frame::{ClientFrame, Command};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use world::rng::Dice;

/// From one line to the next, in milliseconds: the least and the most.
const PACE_MS: (i32, i32) = (1_800, 3_600);
/// So long somebody reads at a word that is new to it: five words a second.
const WORD_MS: u64 = 200;
/// It skims what would take longer.
const READING_MOST_MS: u64 = 15_000;
/// Who rests or fights looks on for so long.
const WAITING_MS: u64 = 4_000;
/// The share of its hit points, in percent, below which it runs, below which it rests, and at which it has rested.
const RUNS: i32 = 30;
/// It runs at this share, too, from somebody who has hardly felt the fight.
const LOSES: i32 = 50;
const RESTS: i32 = 55;
const RESTED: i32 = 90;
/// It takes on no more at once.
const ERRANDS: usize = 4;
/// Lines between two looks at what it is about.
const ERRANDS_SEEN: u32 = 30;
/// What it never spends.
const SAVINGS: i32 = 10;

/// Why a line was typed: what its answer is read for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Asked {
    Nothing,
    Step(&'static str),
    Consider(String),
    Work,
    Goods,
    Belongings,
    Arts,
    Art(String),
    Calling,
    Hall,
    Errands,
    Inside(String),
    Lands,
}

/// What somebody read and typed, with the second of the game at which it did; typed lines begin with `> `.
pub type Diary = Rc<RefCell<Vec<(u64, String)>>>;

pub struct Newcomer {
    diary: Diary,
    calling: String,
    dice: Dice,
    next_ms: u64,
    /// Read since the last line that it typed.
    since: Vec<String>,
    /// Lines that it has read before.
    read: BTreeSet<String>,
    asked: Asked,
    condition: Condition,
    /// The most that it has seen of its hit points.
    hit_most: i32,
    rests: bool,
    memory: Memory,
    /// Lines to type before anything else, and why.
    script: VecDeque<(String, Asked)>,
    walk: VecDeque<&'static str>,
    /// It walks as it was told.
    follows: bool,
    arts: Vec<Art>,
    /// Ways that the message of the day tells, from where it woke.
    told: VecDeque<Vec<&'static str>>,
    /// What the message of the day says how to buy, until that was tried.
    lesson: Option<String>,
    hall: Hall,
    typed: u32,
    seen_errands: u32,
    gold: i32,
    won: bool,
    level: i32,
}

/// How far it is with finding its teacher.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Hall {
    Unasked,
    Asked,
    OnTheWay,
    Seen,
}

impl Newcomer {
    /// `message`: of the day, which it reads first; `calling`: as creation named it.
    pub fn new(seed: u64, calling: &str, message: &str, diary: Diary) -> Newcomer {
        let mut it = Newcomer {
            diary,
            calling: calling.to_lowercase(),
            dice: Dice::new(seed, 0, 0, 0),
            next_ms: 4_000,
            since: Vec::new(),
            read: BTreeSet::new(),
            asked: Asked::Nothing,
            condition: Condition::default(),
            hit_most: 0,
            rests: false,
            memory: Memory::default(),
            script: VecDeque::new(),
            walk: VecDeque::new(),
            follows: false,
            arts: Vec::new(),
            told: message.replace('\n', " ").split(". ").map(screen::told_way).collect(),
            lesson: message.split_once("buy ").and_then(|(_, told)| told.split_whitespace().next()).map(bare),
            hall: Hall::Unasked,
            typed: 0,
            seen_errands: 0,
            gold: 0,
            won: false,
            level: 1,
        };
        it.told.retain(|way| !way.is_empty());
        for (line, asked) in [("look", Asked::Nothing), ("inventory", Asked::Belongings), ("score", Asked::Nothing)] {
            it.then(line, asked);
        }
        // The message of the day tells whom to ask.
        for line in message.lines() {
            if let Some((_, asking)) = line.split_once(": ask ")
                && let Some(whom) = asking.split_whitespace().next()
            {
                it.then(&format!("ask {whom} about work"), Asked::Work);
                it.memory.ask(&bare(whom));
            }
        }
        it
    }

    fn then(&mut self, line: &str, asked: Asked) {
        self.script.push_back((line.to_string(), asked));
    }

    fn is_hurt_to(&self, percent: i32) -> bool {
        self.condition.hit * 100 < self.hit_most * percent
    }

    /// Takes in what came since the last line, as the answer to that.
    fn digest(&mut self) {
        let lines = std::mem::take(&mut self.since);
        let new = lines.iter().filter(|line| self.read.insert((*line).clone()));
        let words = new.map(|line| line.split_whitespace().count() as u64).sum::<u64>();
        self.next_ms += (words * WORD_MS).min(READING_MOST_MS);
        let asked = std::mem::replace(&mut self.asked, Asked::Nothing);
        self.take_in_words(&lines);
        let view = screen::view(&lines);
        if let Some(view) = &view {
            let from = match asked {
                Asked::Step(way) => Some(way),
                _ => None,
            };
            self.memory.come_to(view, from);
        }
        match asked {
            Asked::Step(way) if view.is_none() => self.did_not_go(way, &lines),
            Asked::Consider(name) => self.consider(&name, &lines),
            Asked::Work => self.offered(&lines),
            Asked::Goods => self.choose(&lines),
            Asked::Belongings => self.equip(&lines),
            Asked::Arts => self.learn_of_arts(&lines),
            Asked::Art(name) => self.read_of_art(&name, &lines),
            Asked::Calling => self.read_of_calling(&lines),
            Asked::Hall => self.set_out_for_the_hall(&lines),
            Asked::Errands => self.memory.errands_are(&lines),
            Asked::Inside(container) => self.look_inside(&container, &lines),
            Asked::Lands => self.memory.lands_are(&lines, self.level),
            Asked::Nothing | Asked::Step(_) => {}
        }
    }

    /// What the game says whatever was typed.
    fn take_in_words(&mut self, lines: &[String]) {
        for line in lines {
            if let Some(condition) = screen::condition(line) {
                self.condition = condition;
                self.hit_most = self.hit_most.max(condition.hit);
            }
            if let Some(gold) =
                line.split_once("Gold ").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok())
            {
                self.gold = gold;
            }
            if line.contains("You are hungry") || line.contains("could do with something to eat") {
                self.then("eat bread", Asked::Nothing);
            }
            if line.contains("You are thirsty") || line.contains("Your mouth is dry") {
                self.then("drink waterskin", Asked::Nothing);
            }
            // Whatever words the game has for the end of its kind.
            if line.starts_with("You learn from it") {
                self.won = true;
                self.memory.fallen();
                self.seen_errands = self.seen_errands.saturating_sub(ERRANDS_SEEN / 2);
                self.then("get all corpse", Asked::Nothing);
                self.then("look", Asked::Nothing);
            }
            if line.ends_with(": done.") {
                self.then("tasks", Asked::Errands);
            }
            if line.starts_with("You get ") && line.contains("gold coin") {
                self.then("score", Asked::Nothing);
            }
            if line.contains("You have come up a level") {
                self.level += 1;
                self.then("skills", Asked::Arts);
                self.hall = Hall::Unasked;
            }
            if line.contains("You are dead") || line.contains("wake before") || line.contains("You wake") {
                self.walk.clear();
                self.script.clear();
                self.rests = false;
                self.memory.lost();
                self.then("look", Asked::Nothing);
                self.then("inventory", Asked::Belongings);
            }
            if line.contains("too dark") || line.contains("pitch black") || line.contains("It is dark") {
                self.then("hold torch", Asked::Nothing);
                self.then("look", Asked::Nothing);
            }
        }
    }

    fn did_not_go(&mut self, way: &'static str, lines: &[String]) {
        let is_shut = lines.iter().any(|line| line.contains("closed") || line.contains("shut"));
        let is_tired = lines.iter().any(|line| line.contains("too tired") || line.contains("exhausted"));
        self.walk.clear();
        if is_tired {
            self.rests = true;
            self.then("rest", Asked::Nothing);
        } else if is_shut && self.memory.try_door(way) {
            self.then(&format!("open {way}"), Asked::Nothing);
            self.then(way, Asked::Step(way));
        } else {
            self.memory.no_way(way);
        }
    }

    fn consider(&mut self, name: &str, lines: &[String]) {
        let says = |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.contains(word)));
        let is_nobody = says(&["nobody of that name", "Consider whom", "You see no"]);
        let is_fair = says(&FAIR) && !says(&STRONGER);
        self.memory.considered(name, !is_nobody, is_fair);
    }

    /// Somebody said what it wants done, or a board did.
    fn offered(&mut self, lines: &[String]) {
        let text = lines.join(" ");
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once("accept ") {
            rest = after;
            let key: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            if key.len() < 2 || self.memory.errands.len() >= ERRANDS || self.memory.knows_errand(&key) {
                continue;
            }
            self.memory.take_on(&key, screen::told_way(&text));
            self.then(&format!("accept {key}"), Asked::Nothing);
            self.then("tasks", Asked::Errands);
            return;
        }
    }

    /// Goods on sale: the dearest that it can pay and would wear, then whatever it can eat.
    fn choose(&mut self, lines: &[String]) {
        let row = |line: &String| {
            let mut words = line.split_whitespace();
            let number = words.next()?.strip_prefix('#')?.to_string();
            let price: i32 = words.next()?.parse().ok()?;
            Some((price, number, line.clone()))
        };
        let goods: Vec<(i32, String, String)> = lines.iter().filter_map(row).collect();
        let can_pay = |price: i32| price <= self.gold - SAVINGS;
        let wanted = |text: &str, of: &[&str]| text.split_whitespace().any(|word| of.contains(&word));
        let sought = self.memory.wanted();
        let is_sought = |text: &str| text.split_whitespace().any(|word| sought.contains(word));
        if let Some((price, number, _)) = goods.iter().find(|(price, _, text)| can_pay(*price) && is_sought(text)) {
            self.gold -= price;
            self.seen_errands = 0;
            return self.then(&format!("buy {number}"), Asked::Nothing);
        }
        // The message of the day tells what to type to buy one of these, and it is tried once.
        let is_told = |text: &str| self.lesson.as_ref().is_some_and(|word| text.contains(word));
        if let Some((price, ..)) = goods.iter().find(|(price, _, text)| can_pay(*price) && is_told(text))
            && let Some(word) = self.lesson.take()
        {
            self.gold -= price;
            return self.then(&format!("buy {word}"), Asked::Nothing);
        }
        let useful: Vec<_> =
            goods.iter().filter(|(price, _, text)| can_pay(*price) && wanted(text, &WORTH_BUYING)).collect();
        let best =
            useful.iter().filter(|(_, _, text)| !self.memory.has_bought(text)).max_by_key(|(price, _, _)| *price);
        // Whoever is about to fight sees to its arts.
        if self.arts.is_empty() {
            self.then("skills", Asked::Arts);
        }
        if let Some((price, number, text)) = best {
            self.gold -= price;
            self.memory.bought(text);
            let number = number.clone();
            self.then(&format!("buy {number}"), Asked::Nothing);
            self.then("wear all", Asked::Nothing);
        }
    }

    fn equip(&mut self, lines: &[String]) {
        self.then("wear all", Asked::Nothing);
        let carried = lines.join(" ");
        if let Some(weapon) = WEAPONS.iter().find(|weapon| carried.split_whitespace().any(|word| word == **weapon)) {
            self.then(&format!("wield {weapon}"), Asked::Nothing);
        }
    }

    /// "  flame arrow              25%  poor        level 1   30 mana".
    fn learn_of_arts(&mut self, lines: &[String]) {
        for line in lines {
            let Some((before, _)) = line.split_once('%') else { continue };
            let name = before.trim_end_matches(|c: char| c.is_ascii_digit()).trim();
            if name.is_empty() || self.arts.iter().any(|art| art.name == name) {
                continue;
            }
            self.arts.push(Art { name: name.to_string(), ..Art::default() });
            self.then(&format!("help {name}"), Asked::Art(name.to_string()));
        }
    }

    fn read_of_art(&mut self, name: &str, lines: &[String]) {
        let Some(art) = self.arts.iter_mut().find(|art| art.name == name) else { return };
        let begins = |with: &str| lines.iter().find_map(|line| line.strip_prefix(with));
        // The verb's own line stands first: "kick [<target>]".
        art.verb = begins("The verb: ").map(|verb| verb.trim_end_matches('.').to_string());
        art.mana = begins("Mana: ")
            .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
            .unwrap_or(0);
        let has = |of: &[&str]| {
            let text = lines.join(" ").to_lowercase();
            text.split(|c: char| !c.is_alphabetic()).any(|word| of.contains(&word))
        };
        art.heals = has(&HEALS);
        art.hurts = has(&HURTS) && !art.heals;
        art.in_fights = lines.iter().any(|line| line.starts_with("It works") && line.contains("or in a fight"));
    }

    /// "Taught by Orrin Vetch of the Lamp Room (The Lamp Room)."
    fn read_of_calling(&mut self, lines: &[String]) {
        let text = lines.join(" ");
        let Some((_, after)) = text.split_once("Taught by ") else { return };
        let Some((_, hall)) = after.split_once('(') else { return };
        let Some((hall, _)) = hall.split_once(')') else { return };
        self.then(&format!("help {}", hall.to_lowercase()), Asked::Hall);
    }

    fn set_out_for_the_hall(&mut self, lines: &[String]) {
        self.walk = screen::listed_way(lines).into();
        self.hall = if self.walk.is_empty() { Hall::Seen } else { Hall::OnTheWay };
    }

    fn look_inside(&mut self, container: &str, lines: &[String]) {
        let text = lines.join(" ").to_lowercase();
        let wanted = self.memory.wanted();
        let inside = wanted.iter().find(|word| text.split(|c: char| !c.is_alphanumeric()).any(|it| it == *word));
        if let Some(word) = inside {
            self.then(&format!("get {word} {container}"), Asked::Nothing);
            self.seen_errands = 0;
        }
    }

    /// What to type now; `None`: to look on.
    fn choose_line(&mut self) -> Option<(String, Asked)> {
        if self.condition.fighting {
            return self.fight();
        }
        if self.rests {
            if self.is_hurt_to(RESTED) {
                return None;
            }
            self.rests = false;
            return Some(("stand".into(), Asked::Nothing));
        }
        if let Some(line) = self.script.pop_front() {
            return Some(line);
        }
        if self.is_hurt_to(RESTS) {
            self.rests = true;
            return Some(("rest".into(), Asked::Nothing));
        }
        // Who was told a way follows it, and looks about at its end.
        if self.follows
            && let Some(way) = self.walk.pop_front()
        {
            return Some((way.to_string(), Asked::Step(way)));
        }
        self.follows = false;
        if let Some(line) = self.meet() {
            return Some(line);
        }
        if let Some(line) = self.hunt() {
            return Some(line);
        }
        if let Some(way) = self.walk.pop_front() {
            return Some((way.to_string(), Asked::Step(way)));
        }
        self.go_about()
    }

    fn fight(&mut self) -> Option<(String, Asked)> {
        self.rests = false;
        let is_losing = self.condition.foe_is_fresh && self.is_hurt_to(LOSES);
        if is_losing || self.is_hurt_to(RUNS) {
            self.walk.clear();
            return Some(("flee".into(), Asked::Nothing));
        }
        let mana = self.condition.mana;
        let can = |art: &&Art| art.in_fights && art.mana <= mana;
        let heal = self.arts.iter().filter(can).find(|art| art.heals).filter(|_| self.is_hurt_to(RESTS));
        let art = heal.or_else(|| self.arts.iter().filter(can).find(|art| art.hurts))?;
        Some((art.line(None), Asked::Nothing))
    }

    /// Who is here, and what: each once.
    fn meet(&mut self) -> Option<(String, Asked)> {
        let place = self.memory.place()?.clone();
        // The message of the day told what there is to buy here.
        let is_told = |line: &String| self.lesson.as_ref().is_some_and(|word| line.contains(word));
        if place.view.here.iter().any(is_told) && self.memory.browse() {
            return Some(("list".into(), Asked::Goods));
        }
        for name in place.view.here.iter().filter_map(|line| screen::name_in(line)) {
            if !self.memory.is_considered(&name) {
                return Some((format!("consider {name}"), Asked::Consider(name)));
            }
        }
        let people: Vec<(String, &String)> =
            place.view.here.iter().filter_map(|line| Some((screen::name_in(line)?, line))).collect();
        for (name, line) in &people {
            let is_somebody = self.memory.is_being(name) && !is_prey(line);
            if is_somebody && self.memory.errands.len() < ERRANDS && self.memory.ask(name) {
                return Some((format!("ask {name} about work"), Asked::Work));
            }
            if is_somebody && let Some(word) = self.memory.question_for(name) {
                return Some((format!("ask {name} about {word}"), Asked::Nothing));
            }
        }
        let has_somebody = people.iter().any(|(name, line)| self.memory.is_being(name) && !is_prey(line));
        if has_somebody && self.memory.browse() {
            return Some(("list".into(), Asked::Goods));
        }
        if place.view.here.iter().any(|line| line.to_lowercase().contains(" board")) && self.memory.read_board() {
            return Some(("read board".into(), Asked::Work));
        }
        let wanted = self.memory.wanted();
        for line in &place.view.here {
            let words: Vec<String> = line.split_whitespace().map(bare).collect();
            if let Some(word) = words.iter().find(|word| wanted.contains(*word))
                && !self.memory.is_being(&screen::name_in(line).unwrap_or_default())
                && self.memory.reach_for(word)
            {
                self.seen_errands = 0;
                return Some((format!("get {word}"), Asked::Nothing));
            }
            let container = CONTAINERS.iter().find(|it| words.iter().any(|word| word == *it));
            if let Some(container) = container
                && !wanted.is_empty()
                && self.memory.open_up(container)
            {
                return Some((format!("look in {container}"), Asked::Inside(container.to_string())));
            }
        }
        None
    }

    /// A beast here that it may beat.
    fn hunt(&mut self) -> Option<(String, Asked)> {
        if self.is_hurt_to(RESTED - 10) {
            return None;
        }
        let place = self.memory.place()?.clone();
        let fair = |line: &&String| {
            let name = screen::name_in(line).unwrap_or_default();
            (is_prey(line) || self.memory.is_sought(line)) && self.memory.is_fair(&name) && !line.contains("corpse")
        };
        let name = place.view.here.iter().find(fair).and_then(|line| screen::name_in(line))?;
        self.walk.clear();
        self.memory.prey_is_here();
        let mana = self.condition.mana;
        let opening =
            self.arts.iter().find(|art| art.hurts && !art.in_fights && art.mana <= mana && art.verb.is_some());
        let line = match opening {
            Some(art) if self.memory.open_with(&name) => art.line(Some(&name)),
            _ => {
                self.memory.struck(&name);
                format!("kill {name}")
            }
        };
        Some((line, Asked::Nothing))
    }

    /// Nothing is to be done here.
    fn go_about(&mut self) -> Option<(String, Asked)> {
        if !self.memory.errands.is_empty() && self.typed.saturating_sub(self.seen_errands) > ERRANDS_SEEN {
            self.seen_errands = self.typed;
            return Some(("tasks".into(), Asked::Errands));
        }
        if let Some(walk) = self.memory.way_to_who_waits() {
            self.walk = walk;
        } else if self.won && self.hall == Hall::Unasked && !self.memory.has_prey_to_seek() {
            self.hall = Hall::Asked;
            return Some((format!("help {}", self.calling), Asked::Calling));
        } else if self.hall == Hall::OnTheWay {
            self.hall = Hall::Seen;
            for art in self.arts.clone() {
                self.then(&format!("practice {}", art.name), Asked::Nothing);
                self.then(&format!("practice {}", art.name), Asked::Nothing);
            }
            self.then("skills", Asked::Arts);
        } else if let Some(told) = self.told.pop_front() {
            self.walk = self.memory.way_as_told(&told).unwrap_or_default();
            self.follows = true;
        } else if self.memory.is_far_off() {
            return Some(("areas".into(), Asked::Lands));
        } else if let Some(walk) = self.memory.way_to_prey() {
            self.walk = walk;
        } else if let Some(walk) = self.memory.told_way_from_here() {
            self.walk = walk;
        } else if let Some(walk) = self.memory.way_to_something_new(&mut self.dice) {
            self.walk = walk;
        }
        if let Some(line) = self.script.pop_front() {
            return Some(line);
        }
        let way = self.walk.pop_front();
        way.map(|way| (way.to_string(), Asked::Step(way))).or_else(|| Some(("look".into(), Asked::Nothing)))
    }
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn is_prey(line: &str) -> bool {
    !line.to_lowercase().contains("corpse") && line.split_whitespace().any(|word| PREY.contains(&bare(word).as_str()))
}

impl Player for Newcomer {
    fn read(&mut self, text: &str, now_ms: u64) {
        self.diary.borrow_mut().push((now_ms / 1_000, text.to_string()));
        self.since.extend(text.lines().map(str::to_string));
    }

    fn act(&mut self, now_ms: u64) -> Vec<Act> {
        // A fight is seen at once, whatever it was about to do.
        if let Some(condition) = self.since.iter().rev().find_map(|line| screen::condition(line)) {
            self.condition.fighting = condition.fighting;
            self.condition.foe_is_fresh = condition.foe_is_fresh;
        }
        if now_ms < self.next_ms {
            return Vec::new();
        }
        self.next_ms = now_ms + u64::try_from(self.dice.range(PACE_MS.0, PACE_MS.1)).unwrap_or(0);
        self.digest();
        let Some((line, asked)) = self.choose_line() else {
            self.next_ms = now_ms + WAITING_MS;
            return Vec::new();
        };
        self.asked = asked;
        self.typed += 1;
        self.diary.borrow_mut().push((now_ms / 1_000, format!("> {line}")));
        vec![Act::Send(ClientFrame::Command(Command { command: line, ..Command::default() }))]
    }

    fn on_thought(&mut self, _: u64, _: Thought, _: u64) {}
}
