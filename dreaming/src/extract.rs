//! Records out of logs that only tell turns: those of `dp-agent session` and of agents of other makes.
//!
//! Such a log says what was typed and how things stood. It is taken for what it says and no more: a `hit` is no kill, a
//! kill is `combat_result: "killed"`; a social act is `social_type` with `social_target`; a wound is a falling count of
//! hit points in a fight; a flight is one when the fight is over or the room another one on the next turn; a place is
//! come to and not seen for the first time; `get all` names no thing.

use crate::record::Record;
use mind::appraisal::help_named;
use protocol::happening::{Happening, Help, Item, Place, Role, Tone, WOUND_PERCENTS, What};
use protocol::outcome::{Who, WhoKind};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Records that one millisecond can hold: a seq is `at_ms * SEQS_PER_MS` and a count.
const SEQS_PER_MS: u64 = 1_000;
/// Beyond this time seqs would no longer be exact in JSON of other programs.
const AT_MS_MAX: i64 = 9_000_000_000_000;
const MS_PER_TICK: i64 = 2_000;

/// One line.
#[derive(Clone, Debug)]
pub struct TurnLine {
    at_ms: i64,
    file: usize,
    line: usize,
    /// Of the whole line, so that one that is there twice is known.
    hash: u64,
    data: Line,
}

/// What a room is called that cannot be seen: no place to remember.
const UNLIT: &str = "Darkness";

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Time {
    Text(String),
    Number(f64),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Args {
    List(Vec<String>),
    Text(String),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    timestamp: Option<Time>,
    at_ms: Option<i64>,
    room_vnum: i32,
    room_name: Option<String>,
    hp: i32,
    max_hp: i32,
    agent_level: i32,
    fighting: Option<String>,
    action: Option<String>,
    args: Option<Args>,
    outcome: Option<String>,
    target_entity: Option<String>,
    agents_present: Vec<String>,
    mob_level: Option<i32>,
    item_level: Option<i32>,
    combat_result: Option<String>,
    /// Whom `combat_result` is about, where that is not the one that is fought now.
    combat_target: Option<String>,
    social_type: Option<String>,
    social_target: Option<String>,
    valence: Option<i8>,
}

impl TurnLine {
    /// Of a session that was played without valence.
    pub(crate) fn flat(mut self) -> TurnLine {
        self.data.valence = Some(0);
        self
    }

    pub(crate) fn read(text: &str, file: usize, line: usize) -> Result<TurnLine, String> {
        let data: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let at_ms = match (&data.timestamp, data.at_ms) {
            (_, Some(at_ms)) => at_ms,
            (Some(Time::Text(text)), None) => {
                text.parse::<jiff::Timestamp>().map_err(|error| format!("its timestamp: {error}"))?.as_millisecond()
            }
            // Seconds, unless that would be in the far future: then milliseconds.
            (Some(Time::Number(number)), None) if *number < 1e11 => (*number * 1e3) as i64,
            (Some(Time::Number(number)), None) => *number as i64,
            (None, None) => return Err("it has no timestamp".into()),
        };
        if !(0..AT_MS_MAX).contains(&at_ms) {
            return Err("its time is out of range".into());
        }
        if data.valence.is_some_and(|valence| !(-3..=3).contains(&valence)) {
            return Err("a valence is from -3 to 3".into());
        }
        Ok(TurnLine { at_ms, file, line, hash: xxhash_rust::xxh3::xxh3_64(text.trim().as_bytes()), data })
    }
}

impl Line {
    fn verb(&self) -> &str {
        self.action.as_deref().unwrap_or_default().split_whitespace().next().unwrap_or_default()
    }

    /// What follows the verb, in one text.
    fn object(&self) -> String {
        match &self.args {
            Some(Args::List(list)) if !list.is_empty() => list.join(" "),
            Some(Args::Text(text)) if !text.is_empty() => text.clone(),
            _ => {
                let action = self.action.as_deref().unwrap_or_default();
                action.split_once(char::is_whitespace).map_or(String::new(), |(_, rest)| rest.trim().to_string())
            }
        }
    }

    /// The one thing that a `get` names, as it was typed; None for all of something, for coins, and where one word may
    /// be the thing and the other where it was: of `get tail bag` nobody knows what was taken, of `get tail corpse` one
    /// does.
    fn taken(&self) -> Option<String> {
        let object = self.object();
        let (object, from) = object.split_once(" from ").map_or((&*object, false), |(thing, _)| (thing, true));
        let words: Vec<&str> =
            object.split_whitespace().filter(|word| !["a", "an", "the", "my"].contains(word)).collect();
        let one = match words.as_slice() {
            [one] | [one, "corpse"] => *one,
            // Who writes down the level of a thing names the thing.
            _ if from || self.item_level.is_some() => object.trim(),
            _ => return None,
        };
        let name = match one.split_once('.') {
            Some((number, name)) if number.parse::<u32>().is_ok() => name,
            Some(_) => return None,
            None => one,
        };
        let many = |word: &str| ["all", "coin", "coins", "gold"].contains(&word) || word.parse::<u32>().is_ok();
        let name = clean(name);
        (!name.is_empty() && !name.to_lowercase().split(' ').any(many)).then_some(name)
    }

    fn fighting(&self) -> Option<&str> {
        self.fighting.as_deref().filter(|name| !name.is_empty())
    }

    fn hp_percent(&self) -> Option<u8> {
        let (hp, max) = (i64::from(self.hp), i64::from(self.max_hp));
        (max > 0).then(|| (hp * 100 / max).clamp(0, 100) as u8)
    }

    /// Whether the log knows nothing against what was typed.
    fn went_through(&self) -> bool {
        self.outcome.as_deref().is_none_or(|outcome| outcome == "ok")
    }
}

/// A clean name of bounded length.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect::<String>().trim().to_string()
}

struct Extractor<'a> {
    agent: &'a str,
    records: Vec<Record>,
    /// How often each room was come to.
    rooms: BTreeMap<i32, u32>,
    met: BTreeSet<String>,
    file: usize,
    place: Option<Place>,
    fighting: Option<String>,
    /// The wound of this fight that was told last, as a place in `WOUND_PERCENTS` from 1.
    wounds: usize,
    /// A flight that was tried on the last turn.
    flight: Option<(i64, u8, String, i32)>,
    level: i32,
}

/// The records that turns tell, and how many turns were there twice.
pub(crate) fn records(mut turns: Vec<TurnLine>, agent: &str) -> (Vec<Record>, usize) {
    turns.sort_by_key(|turn| (turn.at_ms, turn.file, turn.line));
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    let mut extractor = Extractor {
        agent,
        records: Vec::new(),
        rooms: BTreeMap::new(),
        met: BTreeSet::new(),
        file: 0,
        place: None,
        fighting: None,
        wounds: 0,
        flight: None,
        level: 0,
    };
    let (mut at_ms, mut duplicates) = (i64::MIN, 0);
    for turn in turns {
        if turn.at_ms != at_ms {
            at_ms = turn.at_ms;
            seen.clear();
        }
        if seen.insert(turn.hash) {
            extractor.turn(&turn);
        } else {
            duplicates += 1;
        }
    }
    (extractor.records, duplicates)
}

impl Extractor<'_> {
    fn me(&self) -> Who {
        let level = u16::try_from(self.level).unwrap_or(0);
        Who { id: "".into(), name: self.agent.into(), kind: WhoKind::Player, level }
    }

    /// Somebody by the name that the log gives: a player where the log lists them as one or the name is one word with a
    /// capital, else a mob.
    fn who(&self, name: &str, level: Option<i32>, line: &Line) -> Who {
        let name = clean(name);
        let listed = line.agents_present.iter().any(|player| player.eq_ignore_ascii_case(&name));
        let proper = !name.contains(' ') && name.starts_with(|c: char| c.is_uppercase());
        let kind = if listed || (proper && level.is_none()) { WhoKind::Player } else { WhoKind::Mob };
        let level = level.and_then(|level| u16::try_from(level).ok()).unwrap_or(0);
        Who { id: "".into(), name: name.into(), kind, level }
    }

    fn push(&mut self, at_ms: i64, line: &Line, role: Role, what: What) {
        let room = self.place.clone().unwrap_or_else(Place::nowhere);
        let floor = at_ms as u64 * SEQS_PER_MS;
        let seq = self.records.last().map_or(floor, |last| floor.max(last.seq + 1));
        let happening = Happening {
            what,
            role,
            room,
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: line.valence,
        };
        let tick = (at_ms / MS_PER_TICK) as u64;
        self.records.push(Record { seq, tick, at_ms, happening });
    }

    fn turn(&mut self, turn: &TurnLine) {
        let (line, at_ms) = (&turn.data, turn.at_ms);
        if turn.file != self.file {
            (self.file, self.place, self.fighting, self.wounds, self.flight) = (turn.file, None, None, 0, None);
        }
        if line.agent_level > 0 {
            self.level = line.agent_level;
        }
        self.settle_flight(line);
        self.walk(at_ms, line);
        self.fight(at_ms, line);
        self.meet(at_ms, line);
        self.deal(at_ms, line);
        self.socialise(at_ms, line);
    }

    /// A flight has come off when the fight is over or the room another.
    fn settle_flight(&mut self, line: &Line) {
        let Some((at_ms, hp_percent, from, room)) = self.flight.take() else { return };
        let away = line.room_vnum != 0 && line.room_vnum != room;
        if away || line.fighting().is_none() {
            let from = Some(self.who(&from, line.mob_level, line));
            let who = self.me();
            self.push(at_ms, line, Role::Did, What::Fled { who, hp_percent, from });
        }
    }

    fn walk(&mut self, at_ms: i64, line: &Line) {
        if line.room_vnum == 0 || self.place.as_ref().is_some_and(|place| place.vnum == line.room_vnum) {
            return;
        }
        let name = line.room_name.as_deref().map(clean).filter(|name| !name.is_empty());
        if name.as_deref() == Some(UNLIT) {
            return;
        }
        let name = name.unwrap_or_else(|| format!("room {}", line.room_vnum));
        let from = self.place.replace(Place { vnum: line.room_vnum, name: name.into() });
        // Where a log begins one may be at home: whether a place is new, only the server knows.
        let times = self.rooms.entry(line.room_vnum).or_default();
        *times += 1;
        let times = *times;
        if times <= 3 || times.is_multiple_of(5) {
            let who = self.me();
            self.push(at_ms, line, Role::Did, What::Visited { who, times, from });
        }
    }

    fn fight(&mut self, at_ms: i64, line: &Line) {
        let opponent = line.fighting().map(str::to_string);
        let ended = line.combat_target.clone().or_else(|| opponent.clone());
        let named = ended.clone().or_else(|| line.target_entity.clone()).or_else(|| {
            let object = line.object();
            (!object.is_empty()).then_some(object)
        });
        match line.combat_result.as_deref() {
            Some("killed") => {
                if let Some(name) = &named {
                    let victim = self.who(name, line.mob_level, line);
                    let killer = Some(self.me());
                    self.push(at_ms, line, Role::Did, What::Killed { victim, killer, xp: 0 });
                }
                (self.fighting, self.wounds) = (None, 0);
                return;
            }
            Some("died" | "death") => {
                let killer = ended.as_deref().map(|name| self.who(name, line.mob_level, line));
                let victim = self.me();
                self.push(at_ms, line, Role::Suffered, What::Killed { victim, killer, xp: 0 });
                (self.fighting, self.wounds) = (None, 0);
                return;
            }
            Some("fled") => {
                let from = named.as_deref().map(|name| self.who(name, line.mob_level, line));
                let (who, hp_percent) = (self.me(), line.hp_percent().unwrap_or(0));
                self.push(at_ms, line, Role::Did, What::Fled { who, hp_percent, from });
                (self.fighting, self.wounds) = (None, 0);
                return;
            }
            _ => {}
        }
        let Some(opponent) = opponent else {
            (self.fighting, self.wounds) = (None, 0);
            return;
        };
        if self.fighting.as_deref() != Some(&opponent) {
            let (who, against) = (self.me(), self.who(&opponent, line.mob_level, line));
            self.push(at_ms, line, Role::Did, What::Fought { who, against });
            (self.fighting, self.wounds) = (Some(opponent.clone()), 0);
        }
        if let Some(hp_percent) = line.hp_percent() {
            let depth = WOUND_PERCENTS.iter().filter(|bound| hp_percent <= **bound).count();
            if depth > self.wounds {
                self.wounds = depth;
                let by = Some(self.who(&opponent, line.mob_level, line));
                let who = self.me();
                self.push(at_ms, line, Role::Suffered, What::Wounded { who, hp_percent, by });
            }
            if line.verb().eq_ignore_ascii_case("flee") && line.went_through() {
                self.flight = Some((at_ms, hp_percent, opponent, line.room_vnum));
            }
        }
    }

    fn meet(&mut self, at_ms: i64, line: &Line) {
        for name in &line.agents_present {
            let name = clean(name);
            if !name.is_empty() && !name.eq_ignore_ascii_case(self.agent) && self.met.insert(name.to_lowercase()) {
                let (who, other) = (self.me(), self.who(&name, None, line));
                self.push(at_ms, line, Role::Did, What::Met { who, other });
            }
        }
    }

    /// A thing was taken where the log names its level or says that the taking went well.
    fn deal(&mut self, at_ms: i64, line: &Line) {
        let Some(name) = line.taken() else { return };
        let took = matches!(line.verb().to_ascii_lowercase().as_str(), "get" | "take" | "loot");
        let known = line.item_level.is_some() || line.outcome.as_deref() == Some("ok");
        if took && known && line.went_through() {
            let level = line.item_level.unwrap_or(0).clamp(0, 100) as u8;
            let item = Item { id: "".into(), name: name.into(), vnum: 0, level };
            let who = self.me();
            self.push(at_ms, line, Role::Did, What::Acquired { who, item, from: None });
        }
    }

    /// The agent did it where its own command names the target; else it was done to it.
    fn socialise(&mut self, at_ms: i64, line: &Line) {
        let (Some(kind), Some(target)) = (line.social_type.as_deref(), line.social_target.as_deref()) else { return };
        let (kind, target) = (kind.to_ascii_lowercase(), clean(target));
        if target.is_empty() {
            return;
        }
        let (me, other) = (self.me(), self.who(&target, line.mob_level, line));
        let action = line.action.as_deref().unwrap_or_default().to_lowercase();
        let named = format!("{action} {}", line.object().to_lowercase());
        let own = kind == "attack_ally" || named.split_whitespace().any(|word| word == target.to_lowercase());
        let (role, doer, sufferer) = if own { (Role::Did, me, other) } else { (Role::Suffered, other, me) };
        let spoke = |tone| {
            let text = if own { clean(&line.object()) } else { String::new() };
            What::Spoke { speaker: doer.clone(), to: Some(sufferer.clone()), tone, text: text.into() }
        };
        let what = match kind.as_str() {
            "betrayal" | "backstab" | "attack_ally" => What::Betrayed { by: doer, victim: sufferer },
            "insult" => spoke(Tone::Insult),
            "threaten" | "threat" => spoke(Tone::Threat),
            "gift" | "give" => What::Given { giver: doer, receiver: sufferer, item: None, gold: 0 },
            "cooperation" | "cooperate" | "heal_ally" | "assist" | "rescue" | "group" | "defend" => {
                let how: Help = help_named(&kind);
                What::Helped { helper: doer, helped: sufferer, how, hp_percent: None }
            }
            "greet" | "introduce" | "thank" => spoke(Tone::Kind),
            _ => spoke(Tone::Neutral),
        };
        self.push(at_ms, line, role, what);
    }
}
