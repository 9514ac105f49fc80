//! The records, sorted for questions: who took part under which name, sessions, scenes, what each was worth.

use super::Verdict;
use crate::config::{Terms, Valence};
use crate::graph::{EventBody, Graph, ME, NOBODY};
use crate::record::Record;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use mind::appraisal;
use mind::happenings::{Deed, Tie};
use protocol::happening::{Happening, Role, What};
use protocol::outcome::{Who, WhoKind};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What happens in a room so long after the last of it is another scene.
const SCENE_MS: i64 = 60_000;
pub const ME_KEY: &str = "me";

/// `### Session 3 — Jan 12, 2026, 3:15 PM UTC`
pub struct Heading {
    pub session: u32,
    /// What stands behind the number.
    pub times: String,
}

/// One record.
pub struct Entry<'r> {
    pub record: &'r Record,
    pub deed: Deed,
    pub role: Role,
    /// Never going back, as the next.
    pub at_ms: i64,
    pub tick: u64,
    /// `Jan 12, 2026`
    pub date: String,
    pub session: u32,
    /// Keys; None for nobody and whoever was not seen.
    pub doer: Option<String>,
    pub sufferer: Option<String>,
    pub third: Option<String>,
    pub item: Option<String>,
    pub room: String,
    pub valence: i8,
    pub liking: i8,
    /// All who are named or stood by, with the instance, each once.
    pub present: Vec<(String, String)>,
}

impl Entry<'_> {
    /// The one it was about who is not the owner.
    pub fn other(&self) -> Option<&str> {
        let (doer, sufferer) = (self.doer.as_deref(), self.sufferer.as_deref());
        let other = match (doer, sufferer) {
            (Some(ME_KEY), other) => other,
            (other, Some(ME_KEY)) => other,
            (None, other) => other,
            (doer, _) => doer,
        };
        other.filter(|key| *key != ME_KEY)
    }

    /// Whether it is part of a scene: first sights, visits and meetings are told by themselves.
    fn in_a_scene(&self) -> bool {
        !matches!(self.deed, Deed::RoomSeen | Deed::Visited | Deed::Met)
    }

    pub fn what(&self) -> &What {
        &self.record.happening.what
    }
}

pub struct Past<'r> {
    pub all: Vec<Entry<'r>>,
    pub terms: Terms,
    /// By key: as it was called first.
    names: BTreeMap<String, String>,
    players: BTreeMap<String, bool>,
    by_seq: BTreeMap<u64, usize>,
    scenes: Vec<Vec<usize>>,
    scene_of: BTreeMap<usize, usize>,
    /// By key: the entries that name it or that happened there.
    pub of: BTreeMap<String, Vec<usize>>,
    /// What may be said of a key, and of what held: found once, as it is asked for often.
    pub of_things: RefCell<BTreeMap<String, Rc<BTreeSet<String>>>>,
    pub of_facts: OnceCell<BTreeSet<String>>,
    pub of_holders: OnceCell<BTreeSet<String>>,
}

fn plain(name: &str) -> String {
    let lower = name.to_lowercase();
    let bare = ["a ", "an ", "the ", "some "].iter().find_map(|article| lower.strip_prefix(article));
    bare.unwrap_or(&lower).trim().to_string()
}

pub fn actor(who: &Who) -> Option<String> {
    if who.name.is_empty() || (who.id.is_empty() && &*who.name == "someone") {
        return None;
    }
    let vnum = who.id.strip_prefix("mob_").and_then(|rest| rest.split_once('_')?.0.parse::<i32>().ok());
    Some(match vnum {
        Some(vnum) => format!("mob:{vnum}"),
        None if who.kind == WhoKind::Player => format!("player:{}", plain(&who.name)),
        None => format!("mob:{}", plain(&who.name)),
    })
}

fn worth(happening: &Happening, valence: Valence) -> (i8, i8) {
    let by_table = appraisal::appraise(happening);
    match (valence, happening.valence) {
        (Valence::Flat, _) | (Valence::Recorded, Some(0)) => (0, 0),
        (Valence::Recompute, _) | (Valence::Recorded, None) => (by_table.valence, by_table.liking),
        (Valence::Recorded, Some(recorded)) => (recorded.clamp(-3, 3), by_table.liking),
    }
}

impl<'r> Past<'r> {
    pub fn new(records: &'r [Record], terms: &Terms) -> Past<'r> {
        let mut past = Past {
            all: Vec::with_capacity(records.len()),
            terms: terms.clone(),
            names: BTreeMap::new(),
            players: BTreeMap::new(),
            by_seq: BTreeMap::new(),
            scenes: Vec::new(),
            scene_of: BTreeMap::new(),
            of: BTreeMap::new(),
            of_things: RefCell::default(),
            of_facts: OnceCell::new(),
            of_holders: OnceCell::new(),
        };
        let (mut at_ms, mut session) = (i64::MIN, 0);
        for record in records {
            let now = record.at_ms.max(at_ms);
            if at_ms == i64::MIN || now - at_ms > terms.session_gap_ms {
                session += 1;
            }
            at_ms = now;
            past.take(record, at_ms, session);
        }
        past
    }

    fn called(&mut self, key: Option<String>, name: &str, player: bool) -> Option<String> {
        let key = key?;
        self.names.entry(key.clone()).or_insert_with(|| name.to_string());
        self.players.entry(key.clone()).or_insert(player);
        Some(key)
    }

    fn take(&mut self, record: &'r Record, at_ms: i64, session: u32) {
        let happening = &record.happening;
        let me = happening.me();
        let mut present: Vec<(String, String)> = Vec::new();
        let mut named = |past: &mut Past<'r>, who: Option<&Who>| {
            let who = who?;
            if me.is_some_and(|me| std::ptr::eq(me, who)) {
                return Some(ME_KEY.to_string());
            }
            let key = past.called(actor(who), &who.name, who.kind == WhoKind::Player)?;
            if present.iter().all(|(other, _)| *other != key) {
                present.push((key.clone(), who.id.to_string()));
            }
            Some(key)
        };
        let (doer, sufferer) = happening.what.parts();
        let (doer, sufferer) = (named(self, doer), named(self, sufferer));
        let third = named(self, happening.what.third());
        let item = happening.what.item().and_then(|item| {
            let key = match item.vnum {
                0 if item.name.is_empty() => return None,
                0 => format!("item:{}", plain(&item.name)),
                vnum => format!("item:{vnum}"),
            };
            present.push((key.clone(), item.id.to_string()));
            self.called(Some(key), &item.name, false)
        });
        let mut witnesses = Vec::new();
        for who in &happening.witnesses {
            if let Some(key) = self.called(actor(who), &who.name, who.kind == WhoKind::Player) {
                witnesses.push((key, who.id.to_string()));
            }
        }
        for witness in witnesses {
            if present.iter().all(|(other, _)| *other != witness.0) {
                present.push(witness);
            }
        }
        let deed = Deed::of(&happening.what);
        // Thoughts are no encounter.
        let counsel = deed.kind().tie == Tie::Counsel;
        if counsel {
            present.clear();
        }
        let key = format!("room:{}", happening.room.vnum);
        let room = self.called(Some(key.clone()), &happening.room.name, false).unwrap_or(key);
        let (valence, liking) = worth(happening, self.terms.valence);
        let date = self.date(at_ms);
        let tick = self.all.last().map_or(0, |before| before.tick).max(record.tick);
        let entry = Entry {
            tick,
            record,
            date,
            deed,
            role: happening.role,
            at_ms,
            session,
            doer,
            sufferer,
            third,
            item,
            room,
            valence,
            liking,
            present,
        };
        let at = self.all.len();
        self.by_seq.insert(record.seq, at);
        for key in entry.present.iter().map(|(key, _)| key).chain((!counsel).then_some(&entry.room)) {
            self.of.entry(key.clone()).or_default().push(at);
        }
        // Where it came from is known too.
        if let What::RoomSeen { from: Some(from), .. } | What::Visited { from: Some(from), .. } = &happening.what {
            let key = format!("room:{}", from.vnum);
            self.names.entry(key.clone()).or_insert_with(|| from.name.to_string());
            if key != entry.room {
                self.of.entry(key).or_default().push(at);
            }
        }
        if entry.in_a_scene() {
            let goes_on = self.scenes.last().and_then(|scene| scene.last()).is_some_and(|before| {
                let before = &self.all[*before];
                before.session == session && before.room == entry.room && at_ms - before.at_ms <= SCENE_MS
            });
            if !goes_on {
                self.scenes.push(Vec::new());
            }
            let place = self.scenes.len() - 1;
            self.scenes[place].push(at);
            self.scene_of.insert(at, place);
        }
        self.all.push(entry);
    }

    /// What the sentence stands on; Err where it stands on nothing, or on what is in no record.
    pub fn entries(&self, evidence: &[u64]) -> Result<Vec<&Entry<'r>>, String> {
        if evidence.is_empty() {
            return Err("it stands on nothing".into());
        }
        evidence.iter().map(|seq| self.entry(*seq).ok_or_else(|| format!("there is no record {seq}"))).collect()
    }

    /// The places of records; those that are not there are left out.
    pub fn places_of(&self, evidence: &[u64]) -> Vec<usize> {
        evidence.iter().filter_map(|seq| self.by_seq.get(seq).copied()).collect()
    }

    pub fn has(&self, evidence: &[u64]) -> Verdict {
        self.entries(evidence).map(|_| ())
    }

    fn entry(&self, seq: u64) -> Option<&Entry<'r>> {
        Some(&self.all[*self.by_seq.get(&seq)?])
    }

    /// All of the scene of a record; None where it is part of none.
    pub fn scene_around(&self, seq: u64) -> Option<Vec<&Entry<'r>>> {
        let scene = self.scene_of.get(self.by_seq.get(&seq)?)?;
        Some(self.scenes[*scene].iter().map(|at| &self.all[*at]).collect())
    }

    pub fn in_session(&self, session: u32, evidence: &[u64]) -> Verdict {
        match self.entries(evidence)?.iter().find(|entry| entry.session != session) {
            Some(entry) => Err(format!("{} is of session {}", entry.record.seq, entry.session)),
            None => Ok(()),
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.names.keys()
    }

    /// Whether a key is of a class of principles: a band of levels, by the newest that was seen, or a zone.
    pub fn is_of_class(&self, key: &str, class: &str) -> bool {
        let bounds = |prefix: &str| {
            let (first, last) = class.strip_prefix(prefix)?.split_once(" to ")?;
            Some((first.parse::<i32>().ok()?, last.parse::<i32>().ok()?))
        };
        if let Some((first, last)) = bounds("rooms ") {
            return key
                .strip_prefix("room:")
                .and_then(|room| room.parse().ok())
                .is_some_and(|n| (first..=last).contains(&n));
        }
        let Some((first, last)) = bounds("levels ") else { return false };
        let entries = self.of.get(key).into_iter().flatten().map(|at| &self.all[*at]);
        let levels = entries.flat_map(|entry| {
            let happening = &entry.record.happening;
            let (doer, sufferer) = happening.what.parts();
            let all = doer.into_iter().chain(sufferer).chain(happening.what.third()).chain(&happening.witnesses);
            all.filter(|who| actor(who).as_deref() == Some(key) && who.level > 0).map(|who| i32::from(who.level))
        });
        let levels: Vec<i32> = levels.collect();
        levels.iter().any(|level| (first..=last).contains(level))
    }

    pub fn is_player(&self, key: &str) -> bool {
        self.players.get(key).copied().unwrap_or(false)
    }

    /// As somebody or something is called in a sentence.
    pub fn name(&self, key: Option<&str>) -> String {
        match key {
            None => "someone".into(),
            Some(ME_KEY) => "me".into(),
            Some(key) => shown(self.names.get(key).map_or("", String::as_str)),
        }
    }

    /// As it is written in the records.
    pub fn raw(&self, key: &str) -> &str {
        self.names.get(key).map_or("someone", String::as_str)
    }

    /// What the owner of the log is called.
    pub fn own_name(&self) -> Option<String> {
        self.all.iter().find_map(|entry| Some(entry.record.happening.me()?.name.to_string()))
    }

    /// The name of a room; None where the log has none.
    pub fn place(&self, key: &str) -> Option<String> {
        let name = self.names.get(key).filter(|name| !name.is_empty())?;
        Some(shown(name))
    }

    fn told(&self, at_ms: i64, format: &str) -> String {
        let zone = Offset::from_seconds(self.terms.utc_offset_minutes * 60).map_or(TimeZone::UTC, TimeZone::fixed);
        let at = Timestamp::from_millisecond(at_ms);
        at.map_or("an unknown time".to_string(), |at| at.to_zoned(zone).strftime(format).to_string())
    }

    /// `UTC`, `UTC-5`, `UTC+5:30`
    fn zone(&self) -> String {
        let east = self.terms.utc_offset_minutes;
        let sign = if east < 0 { "-" } else { "+" };
        match (east.abs() / 60, east.abs() % 60) {
            (0, 0) => "UTC".to_string(),
            (hours, 0) => format!("UTC{sign}{hours}"),
            (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
        }
    }

    /// `Jan 12, 2026`
    pub fn date(&self, at_ms: i64) -> String {
        self.told(at_ms, "%b %-d, %Y")
    }

    /// `Jan 12, 2026 (4 Sowing 612)`, where the terms want the world's date.
    pub fn both_dates(&self, at_ms: i64, tick: u64) -> String {
        let game = if self.terms.game_dates { game_date(tick) } else { String::new() };
        format!("{}{game}", self.date(at_ms))
    }

    pub fn is_heading(&self, heading: &Heading, evidence: &[u64]) -> Verdict {
        let entries = self.entries(evidence)?;
        let (first, last) = (entries.iter().map(|e| e.at_ms).min(), entries.iter().map(|e| e.at_ms).max());
        let (Some(first), Some(last)) = (first, last) else { return Err("nothing stands below it".into()) };
        let (from, to) = (self.told(first, "%-I:%M %p"), self.told(last, "%-I:%M %p"));
        let span = if from == to { from } else { format!("{from} – {to}") };
        let true_one = format!("{}, {span} {}", self.date(first), self.zone());
        match heading.times.strip_prefix(true_one.as_str()) {
            Some("") => Ok(()),
            Some(game) if self.terms.game_dates && entries.iter().any(|e| game == game_date(e.record.tick)) => Ok(()),
            _ => Err(format!("what stands below it is of {true_one}")),
        }
    }

    /// Whether a node of the graph says what its record says.
    pub fn is_event(&self, graph: &Graph, event: &EventBody) -> Verdict {
        let entry = self.entry(event.seq).ok_or_else(|| format!("there is no record {}", event.seq))?;
        let key = |name| match name {
            ME => Some(ME_KEY.to_string()),
            NOBODY => None,
            name => Some(graph.names.key(name).to_string()),
        };
        let same = entry.deed == event.deed
            && entry.role == event.role
            && entry.at_ms == event.at_ms
            && entry.session == event.session
            && entry.valence == event.valence
            && entry.doer == key(event.doer)
            && entry.sufferer == key(event.sufferer)
            && entry.third == key(event.third)
            && entry.item == key(event.item)
            && entry.room == key(event.room).unwrap_or_else(|| "room:0".into());
        if same { Ok(()) } else { Err(format!("the record {} says otherwise", event.seq)) }
    }
}

fn game_date(tick: u64) -> String {
    format!(" ({})", protocol::calendar::GameDate::at(tick))
}

/// Words of somebody on one line of so many characters.
pub fn cut(text: &str, max: usize) -> String {
    let spaced: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let clean: String = spaced.chars().filter(|c| !protocol::names::is_unsafe(*c)).collect();
    let line = clean.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max) {
        None => line,
        Some(_) => line.chars().take(max - 1).chain(['…']).collect(),
    }
}

/// A name as it is shown.
fn shown(name: &str) -> String {
    let name = cut(name, 60);
    match name.find(char::is_alphanumeric) {
        Some(first) => name[first..].to_string(),
        None => "someone".into(),
    }
}
