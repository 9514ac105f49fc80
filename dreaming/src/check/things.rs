//! Whom and what one knows, and what holds of doors, prices and the dead: each line made anew from the records.

use super::Verdict;
use super::insights::{Counts, begins, counted};
use super::past::{Entry, ME_KEY, Past};
use mind::happenings::{Deed, Tie};
use protocol::happening::{Role, What};
use protocol::places;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// So many of the records look back in a blend, and so much one liking moves it.
const BLEND_OVER: u32 = 10;
const LIKING_FULL: f64 = 6.0;

/// The key that all cited records have to do with, and that the line begins with.
fn keys_of<'p>(past: &'p Past, text: &str, evidence: &[u64]) -> Result<Vec<&'p str>, String> {
    let cited = past.entries(evidence)?;
    let among = |key: &str, entry: &&Entry| {
        let present = entry.present.iter().any(|(other, _)| other == key);
        entry.room == key || present || walked_from(entry).as_deref() == Some(key)
    };
    let named = past.keys().filter(|key| text.starts_with(past.name(Some(key)).as_str()));
    let all: Vec<&str> = named.map(String::as_str).filter(|key| cited.iter().all(|entry| among(key, entry))).collect();
    if all.is_empty() { Err("nobody and nothing of that name is in what it stands on".into()) } else { Ok(all) }
}

fn walked_from(entry: &Entry) -> Option<String> {
    match entry.what() {
        What::RoomSeen { from: Some(from), .. } | What::Visited { from: Some(from), .. } => {
            Some(format!("room:{}", from.vnum))
        }
        _ => None,
    }
}

/// What the records say of a key from one of them on.
struct Known {
    visits: u32,
    liking: f64,
    betrayed: BTreeSet<String>,
    saved: BTreeSet<String>,
    last: String,
    last_place: Option<String>,
    counts: Counts,
}

fn known(past: &Past, key: &str, from: u64) -> Known {
    let mut known = Known {
        visits: 0,
        liking: 0.0,
        betrayed: BTreeSet::new(),
        saved: BTreeSet::new(),
        last: String::new(),
        last_place: None,
        counts: counted(past, key, i64::MIN, from),
    };
    let (mut likes, mut last_ms, mut instance): (u32, i64, String) = (0, 0, String::new());
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    for at in past.of.get(key).into_iter().flatten() {
        let entry = &past.all[*at];
        if entry.record.seq < from || !seen.insert(entry.record.seq) {
            continue;
        }
        let id = entry.present.iter().find(|(other, _)| other == key).map_or("", |(_, id)| id);
        let another = !id.is_empty() && *id != instance && known.visits > 0;
        if known.visits == 0 || entry.at_ms - last_ms > past.terms.session_gap_ms || another {
            known.visits += 1;
        }
        if !id.is_empty() {
            instance = id.to_string();
        }
        last_ms = entry.at_ms;
        known.last.clone_from(&entry.date);
        known.last_place = past.place(&entry.room);
        let actor = if entry.role == Role::Did { &entry.sufferer } else { &entry.doer };
        if entry.liking != 0 && actor.as_deref() == Some(key) {
            likes += 1;
            let share = 1.0 / f64::from(likes.min(BLEND_OVER));
            let weight = if likes == 1 { 1.0 } else { share.max(f64::from(entry.liking.abs()) / LIKING_FULL) };
            known.liking = (known.liking * (1.0 - weight) + f64::from(entry.liking) * weight).clamp(-3.0, 3.0);
        }
        if entry.doer.as_deref() == Some(key) && entry.role != Role::Did {
            if entry.deed == Deed::Betrayed && entry.valence < 0 {
                known.betrayed = [entry.date.clone()].into();
            }
            if entry.deed.kind().tie == Tie::Help && entry.role == Role::Suffered && entry.valence >= 3 {
                known.saved = [entry.date.clone()].into();
            }
        }
    }
    known
}

fn standing(known: &Known, player: bool) -> &'static str {
    let c = &known.counts;
    let (saved, harm) = (!known.saved.is_empty(), c.harm() > 0 || !known.betrayed.is_empty());
    let liking = known.liking;
    if liking >= 2.0 && (saved || c.good >= 3) {
        "trusted ally"
    } else if liking >= 1.0 && (saved || c.good >= 1 && c.good + c.kind >= 3) {
        "friend"
    } else if liking >= 0.3 {
        "friendly"
    } else if !player && liking > -2.0 && c.died == 0 && c.won >= 3 * c.harm().max(1) {
        "prey"
    } else if liking > -0.3 {
        match (player, c.won + c.shared, c.dealt) {
            (false, 1.., _) => "prey",
            (_, _, 1..) => "acquaintance",
            _ => "known by sight",
        }
    } else if liking > -1.0 {
        "unfriendly"
    } else if liking > -2.0 || !harm {
        "hostile"
    } else {
        "dangerous"
    }
}

fn times(n: u32) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

/// The day on which a player died and has not been seen alive since, as far as the records say.
fn died(past: &Past, key: &str) -> Option<String> {
    let mut died = None;
    for at in past.of.get(key).into_iter().flatten() {
        let entry = &past.all[*at];
        let dies = entry.deed == Deed::Killed && entry.role != Role::Suffered && entry.sufferer.as_deref() == Some(key);
        if !dies {
            died = None;
        } else if died.is_none() {
            died = Some(entry.date.clone());
        }
    }
    died.filter(|_| past.is_player(key))
}

fn relationship_of(past: &Past, key: &str, known: &Known, since: &str, dead: bool) -> String {
    let mut text = format!("{} — {}", past.name(Some(key)), standing(known, past.is_player(key)));
    for (dates, what) in [(&known.betrayed, "a traitor on"), (&known.saved, "saved my life on")] {
        if let Some(date) = dates.first() {
            text.push_str(&format!(", {what} {date}"));
        }
    }
    if let Some(date) = died(past, key).filter(|_| dead) {
        text.push_str(&format!(", died on {date}"));
    }
    text + &match known.visits {
        1 => format!(" (met on {since})"),
        n => format!(" (met {} since {since})", times(n)),
    }
}

fn said_of(past: &Past, key: &str) -> Rc<BTreeSet<String>> {
    if let Some(said) = past.of_things.borrow().get(key) {
        return said.clone();
    }
    let said = Rc::new(allowed(past, key));
    past.of_things.borrow_mut().insert(key.to_string(), said.clone());
    said
}

/// All that may be said of a key, for each record of a day from which on it may be meant.
fn allowed(past: &Past, key: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut dates: BTreeSet<String> = BTreeSet::new();
    for at in past.of.get(key).into_iter().flatten() {
        dates.insert(past.all[*at].date.clone());
    }
    let name = past.name(Some(key));
    if key.starts_with("room:") {
        let known = known(past, key, 0);
        let told = past.of[key].iter().map(|at| &past.all[*at]).filter(|e| e.deed == Deed::Visited && e.room == key);
        let most = told.filter_map(|entry| entry.what().amount()).max().unwrap_or(1);
        let last = &known.last;
        all.insert(match u32::try_from(most).unwrap_or(u32::MAX) {
            0 | 1 => format!("{name}: visited, last there on {last}."),
            n => format!("{name}: visited at least {}, last there on {last}.", times(n)),
        });
        return all;
    }
    for date in &dates {
        for from in begins(past, key, date) {
            let known = known(past, key, from);
            let place = known.last_place.as_ref().map_or(String::new(), |place| format!(" {}", places::at(place)));
            let last = &known.last;
            if key.starts_with("item:") {
                all.insert(match known.visits {
                    1 => format!("{name}: seen{place} on {last}."),
                    n => format!("{name}: seen {} since {date}, last{place} on {last}.", times(n)),
                });
                continue;
            }
            // That somebody died may have been forgotten.
            for dead in [false, true] {
                let line = relationship_of(past, key, &known, date, dead);
                all.insert(format!("{line}."));
                let own = if place.is_empty() { String::new() } else { format!(", when{place}") };
                all.insert(format!("{line}, last heard of on {last}{own}."));
                all.insert(line);
            }
        }
    }
    all
}

pub fn relationship(past: &Past, text: &str, evidence: &[u64]) -> Verdict {
    thing(past, text, evidence)
}

pub fn thing(past: &Past, text: &str, evidence: &[u64]) -> Verdict {
    let mut nearest = Vec::new();
    for key in keys_of(past, text, evidence)? {
        let allowed = said_of(past, key);
        if allowed.contains(text) {
            return Ok(());
        }
        nearest.extend(allowed.iter().next().cloned());
    }
    Err(format!("the records say: {}", nearest.join(" / ")))
}

/// What was so from when to when: the value, as it is called, and the times.
struct Span {
    subject: String,
    value: String,
    since: String,
    until: Option<String>,
}

/// What holds and held of doors, prices, the dead, companions and who has what.
#[derive(Default)]
struct State {
    open: BTreeMap<String, (String, String)>,
    spans: Vec<Span>,
}

impl State {
    fn set(&mut self, subject: String, value: String, date: &str) {
        if self.open.get(&subject).is_some_and(|(before, _)| *before == value) {
            return;
        }
        self.end(&subject, date);
        self.open.insert(subject, (value, date.to_string()));
    }

    fn end(&mut self, subject: &str, date: &str) {
        if let Some((value, since)) = self.open.remove(subject) {
            self.spans.push(Span { subject: subject.into(), value, since, until: Some(date.into()) });
        }
    }
}

fn behind(direction: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 6] =
        [("north", "south"), ("south", "north"), ("east", "west"), ("west", "east"), ("up", "down"), ("down", "up")];
    PAIRS.iter().find(|(there, _)| *there == direction).map(|(_, back)| *back)
}

fn spans(past: &Past) -> Vec<Span> {
    let mut state = State::default();
    for entry in &past.all {
        let date = entry.date.clone();
        let died = entry.deed == Deed::Killed && entry.role != Role::Suffered;
        let dead = entry.sufferer.as_deref().filter(|key| died && past.is_player(key) && *key != ME_KEY);
        for (key, _) in entry.present.iter().filter(|(key, _)| Some(key.as_str()) != dead && past.is_player(key)) {
            state.end(&format!("life {key}"), &date);
        }
        if let Some(key) = dead {
            state.set(format!("life {key}"), "dead".into(), &date);
            state.end(&format!("group {key}"), &date);
        }
        match entry.what() {
            What::Bought { price, .. } => {
                let item = entry.item.clone().unwrap_or_default();
                let seller = entry.sufferer.clone().unwrap_or_default();
                state.set(format!("price {item} at {seller}"), format!("{price} coins"), &date);
            }
            What::Door { direction, leads_to, .. } => {
                let value = match entry.deed {
                    Deed::DoorOpened => "opened",
                    Deed::DoorClosed => "closed",
                    Deed::DoorLocked => "locked",
                    _ => "unlocked",
                };
                state.set(format!("door {} {direction}", entry.room), value.into(), &date);
                if let (Some(room), Some(back)) = (leads_to, behind(direction)) {
                    let other = format!("door room:{} {back}", room.vnum);
                    if state.open.contains_key(&other) {
                        state.set(other, value.into(), &date);
                    }
                }
            }
            What::Parted { .. } => {
                if let Some(key) = entry.other() {
                    state.end(&format!("group {key}"), &date);
                }
            }
            _ if entry.deed == Deed::Grouped => {
                if let Some(key) = entry.other() {
                    state.set(format!("group {key}"), "group".into(), &date);
                }
            }
            _ => {}
        }
    }
    let open = std::mem::take(&mut state.open);
    let now = open.into_iter().map(|(subject, (value, since))| Span { subject, value, since, until: None });
    state.spans.into_iter().chain(now).collect()
}

/// What may be said of a span.
fn told(past: &Past, span: &Span) -> Option<String> {
    let (kind, of) = span.subject.split_once(' ')?;
    let when = match &span.until {
        None => format!("since {}", span.since),
        Some(until) => format!("from {} until {until}", span.since),
    };
    let (value, ended) = (&span.value, span.until.is_some());
    Some(match (kind, ended) {
        ("life", false) => format!("{} is dead, {when}.", past.raw(of)),
        ("life", true) => format!("{} was dead {when}, and lives again.", past.raw(of)),
        ("group", false) => format!("{} is in the same group, {when}.", past.raw(of)),
        ("group", true) => format!("{} was in the same group {when}.", past.raw(of)),
        ("price", _) => {
            let (item, seller) = of.split_once(" at ")?;
            let seller = if seller.is_empty() { "someone" } else { past.raw(seller) };
            let costs = if ended { format!("cost {value} {when}.") } else { format!("costs {value}, {when}.") };
            format!("{} at {seller} {costs}", past.raw(item))
        }
        ("door", _) => {
            let (room, direction) = of.split_once(' ')?;
            let is = if ended { format!("was {value} {when}.") } else { format!("is {value} now, {when}.") };
            format!("the door {direction} of {} {is}", past.raw(room))
        }
        _ => return None,
    })
}

/// A fact. Who holds what is asked of the records behind it: each hand through which it went is one of them.
pub fn fact(past: &Past, text: &str, evidence: &[u64]) -> Verdict {
    past.has(evidence)?;
    let known = past.of_facts.get_or_init(|| {
        let told = |span: &Span| told(past, span).map(|said| super::past::cut(&said, 280));
        spans(past).iter().filter_map(told).collect()
    });
    if known.contains(text) {
        return Ok(());
    }
    let held = ["is held now by", "was with", " lies ", " lay "].iter().any(|words| text.contains(words));
    if held {
        return super::holders::judge(past, text);
    }
    Err("at no time was it so".into())
}
