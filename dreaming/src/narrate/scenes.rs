//! What of a session makes one line: what happened in one room within a short time, the rooms that were seen, those who
//! were met.
//!
//! Invariant: a number is told only of what cannot have been forgotten in part; else it is "more than once".

use super::{GROWTH_BONUS, Voice, feeling, is_flight, strongest};
use crate::calendar::day_of;
use crate::forgetting::last_night;
use crate::graph::*;
use mind::happenings::template::fill;
use protocol::happening::Role;
use protocol::places;
use protocol::words::capitalised;

/// What happens in a room so long after the last of it is another scene.
const SCENE_GAP_MS: i64 = 60_000;
/// What is told of one scene, of one sort in it, and how long its line may be, characters.
const CLAUSES_MAX: usize = 4;
const NAMED_IN_CLAUSE: usize = 3;
const LINE_MAX: usize = 240;
/// Rooms and people that are named where many were seen.
const NAMED_MAX: usize = 5;
/// No event is weaker than this when it happens (`mind::appraisal::salience`).
const WEAKEST: f64 = 0.5;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// In one room.
    Scene,
    FirstSights,
    /// Rooms of which nobody says that they were new.
    Rooms,
    Meetings,
}

/// Events of one session that are told in one line, by rising seq.
pub(super) struct Scene<'g> {
    pub kind: Kind,
    events: Vec<(&'g EventBody, f64)>,
    /// Nothing of that time can have been forgotten.
    whole: bool,
}

/// A line, and what it stands on, by rising seq.
pub(super) struct Told<'g> {
    pub text: String,
    pub events: Vec<&'g EventBody>,
}

/// All that is remembered, line by line.
pub(super) fn of(graph: &Graph) -> Vec<Scene<'_>> {
    let nights = last_night(&graph.terms, WEAKEST, 0.0, 0);
    let day = |event: &EventBody| day_of(event.at_ms, graph.terms.utc_offset_minutes);
    let now = graph.cursor.day.max(graph.through);
    let whole = |event: &EventBody| {
        event.seq > graph.cursor.thinned && now.saturating_sub(day(event)) < nights.saturating_sub(1)
    };
    let mut scenes: Vec<Scene> = Vec::new();
    // The last scene of each kind.
    let mut last: [Option<usize>; 4] = [None; 4];
    for (_, node) in graph.alive() {
        let Body::Event(event) = &node.body else { continue };
        let kind = match event.deed {
            Deed::RoomSeen => Kind::FirstSights,
            Deed::Visited if event.number <= 1 => Kind::Rooms,
            // How often one came somewhere is known of the place, and no story.
            Deed::Visited => continue,
            Deed::Met => Kind::Meetings,
            _ => Kind::Scene,
        };
        let goes_on = last[kind as usize].map(|at| &mut scenes[at]).filter(|scene| {
            let (before, _) = scene.events[scene.events.len() - 1];
            let near = before.room == event.room && event.at_ms - before.at_ms <= SCENE_GAP_MS;
            before.session == event.session && (kind != Kind::Scene || near)
        });
        match goes_on {
            Some(scene) => {
                scene.events.push((event, weight(graph, node, event)));
                scene.whole &= whole(event);
            }
            None => {
                last[kind as usize] = Some(scenes.len());
                let events = vec![(event, weight(graph, node, event))];
                scenes.push(Scene { kind, events, whole: whole(event) });
            }
        }
    }
    scenes
}

/// How much it asks to be told.
fn weight(graph: &Graph, node: &Node, event: &EventBody) -> f64 {
    let grown = event.deed == Deed::LevelGained && event.role == Role::Did;
    graph.salience(node) + if grown { GROWTH_BONUS } else { 0.0 }
}

/// What is told together in a scene: the deed, the role and everybody but the one of a list. A number that tells what
/// happened, and words, make it another.
type Alike<'g> = (Deed, Role, [NameId; 4], i32, Option<&'g str>);

/// Alike events of a scene.
struct Clause<'g> {
    key: Alike<'g>,
    /// By what the clause lists; one where it lists nothing.
    parts: Vec<(NameId, Vec<&'g EventBody>)>,
    weight: (u8, f64),
}

impl Clause<'_> {
    fn importance(&self) -> u8 {
        self.parts.iter().flat_map(|(_, events)| events).map(|event| event.importance).max().unwrap_or(0)
    }

    /// The strongest valence of what it tells.
    fn worst_or_best(&self) -> i8 {
        let all = self.parts.iter().flat_map(|(_, events)| events).map(|event| event.valence);
        all.min_by_key(|valence| strongest(*valence)).unwrap_or(0)
    }

    fn feeling(&self) -> &'static str {
        feeling(self.worst_or_best(), self.parts.iter().flat_map(|(_, events)| events).any(|event| is_flight(event)))
    }
}

/// Whether clauses of that kind name several in a row: those who were killed, things that were found.
fn lists(event: &EventBody) -> bool {
    let handled = matches!(event.deed, Deed::Acquired | Deed::Dropped | Deed::UsedUp | Deed::ThrownAway);
    event.role == Role::Did && (handled || event.deed == Deed::Killed)
}

fn listed(event: &EventBody) -> NameId {
    if event.deed == Deed::Killed { event.sufferer } else { event.item }
}

/// Of wounds and flights the worst is told, and no number.
fn is_worst_told(deed: Deed) -> bool {
    matches!(deed, Deed::Wounded | Deed::Fled)
}

/// Whether its sentence says it: how well an art is known by now, for instance, it does not.
fn tells_number(event: &EventBody) -> bool {
    let template = event.deed.kind().story[event.role as usize];
    let says = |placeholder: &str| template.contains(placeholder);
    ["{number}", "{coins}", "{times}", "{mind}"].into_iter().any(says) || (event.item == NOBODY && says("{thing}"))
}

fn alike(event: &EventBody) -> Alike<'_> {
    let names = [event.doer, event.sufferer, event.third, event.item];
    let names = names.map(|name| if lists(event) && name == listed(event) { NOBODY } else { name });
    let number = if is_worst_told(event.deed) || !tells_number(event) { 0 } else { event.number };
    (event.deed, event.role, names, number, event.text.as_deref())
}

impl<'g> Scene<'g> {
    pub fn salience_of(&self, seq: u64) -> f64 {
        self.events.iter().find(|(event, _)| event.seq == seq).map_or(0.0, |(_, salience)| *salience)
    }

    pub fn told(&self, graph: &'g Graph) -> Told<'g> {
        match self.kind {
            Kind::Scene => self.told_as_scene(graph),
            Kind::FirstSights => self.all(format!("Saw {} for the first time.", self.rooms(graph))),
            Kind::Rooms => self.all(format!("Came to {}.", self.rooms(graph))),
            Kind::Meetings => self.all(format!("Met {}.", self.people(graph))),
        }
    }

    fn all(&self, text: String) -> Told<'g> {
        Told { text, events: self.events.iter().map(|(event, _)| *event).collect() }
    }

    fn rooms(&self, graph: &Graph) -> String {
        let mut rooms: Vec<NameId> = Vec::new();
        for (event, _) in &self.events {
            if !rooms.contains(&event.room) {
                rooms.push(event.room);
            }
        }
        let others = rooms.split_off(rooms.len().min(NAMED_MAX)).len();
        let names = rooms.iter().map(|name| places::named(&Voice(graph).name(*name)).into_owned()).collect();
        self.with_others(names, others, ["one other room", "other rooms"])
    }

    /// People by name before beasts.
    fn people(&self, graph: &Graph) -> String {
        let mut met: Vec<NameId> = Vec::new();
        for (event, _) in &self.events {
            if !met.contains(&event.other()) {
                met.push(event.other());
            }
        }
        met.sort_by_key(|name| !graph.names.is_player(*name));
        let others = met.split_off(met.len().min(NAMED_MAX)).len();
        let names = met.iter().map(|name| Voice(graph).name(*name)).collect();
        self.with_others(names, others, ["one other", "others"])
    }

    fn with_others(&self, mut names: Vec<String>, others: usize, [one, many]: [&str; 2]) -> String {
        match others {
            0 => {}
            1 if self.whole => names.push(one.into()),
            n if self.whole => names.push(format!("{n} {many}")),
            _ => names.push(many.into()),
        }
        in_a_row(&names)
    }

    /// What happened in it, clause by clause, each a line of its own.
    pub fn moments(&self, graph: &'g Graph) -> Vec<Told<'g>> {
        if self.kind != Kind::Scene {
            return vec![self.told(graph)];
        }
        let alone = |clause: Clause<'g>| {
            let text = self.line(graph, std::slice::from_ref(&clause));
            told_of(text, vec![clause])
        };
        self.clauses().into_iter().map(alone).collect()
    }

    fn clauses(&self) -> Vec<Clause<'g>> {
        let mut clauses: Vec<Clause> = Vec::new();
        for &(event, salience) in &self.events {
            let (key, weight) = (alike(event), (event.valence.unsigned_abs(), salience));
            let part = if lists(event) { listed(event) } else { NOBODY };
            match clauses.iter_mut().find(|clause| clause.key == key) {
                Some(clause) => {
                    clause.weight = if weight > clause.weight { weight } else { clause.weight };
                    match clause.parts.iter().position(|(name, _)| *name == part) {
                        Some(at) => clause.parts[at].1.push(event),
                        None if clause.parts.len() < NAMED_IN_CLAUSE => clause.parts.push((part, vec![event])),
                        None => {}
                    }
                }
                None => clauses.push(Clause { key, parts: vec![(part, vec![event])], weight }),
            }
        }
        clauses
    }

    fn told_as_scene(&self, graph: &'g Graph) -> Told<'g> {
        let mut clauses = self.clauses();
        // What anybody does all day is not told beside what matters, nor a wound beside the death that came of it.
        let died = clauses.iter().any(|clause| clause.key.0 == Deed::Killed && clause.key.1 == Role::Suffered);
        let matters = |clause: &Clause| clause.importance() > 1 && !(died && clause.key.0 == Deed::Wounded);
        if clauses.iter().any(matters) {
            clauses.retain(matters);
        }
        // The weakest are not told of a scene that is too long; the rest stays in order of time. What was good is not
        // told alone of a scene that was bad as well, nor what was bad.
        let weakest = |clauses: &[Clause]| {
            let order = |a: &&Clause, b: &&Clause| a.weight.0.cmp(&b.weight.0).then(a.weight.1.total_cmp(&b.weight.1));
            let turn = |clause: &Clause| clause.worst_or_best().signum();
            let is_last =
                |one: &Clause| turn(one) != 0 && clauses.iter().filter(|it| turn(it) == turn(one)).count() == 1;
            let others = clauses.len() > 2;
            let may_go = |clause: &&Clause| !(others && is_last(clause));
            let found = clauses.iter().rev().filter(may_go).min_by(order).map(|clause| clause.key);
            clauses.iter().position(|clause| Some(clause.key) == found).unwrap_or(0)
        };
        loop {
            let text = self.line(graph, &clauses);
            if clauses.len() <= 1 || (clauses.len() <= CLAUSES_MAX && text.chars().count() <= LINE_MAX) {
                return told_of(text, clauses);
            }
            clauses.remove(weakest(&clauses));
        }
    }

    /// `Killed a rat twice at the Drain.`, or `At the Drain: killed a rat twice; found a tail.`
    fn line(&self, graph: &Graph, clauses: &[Clause]) -> String {
        if let [one] = clauses {
            return format!("{}{}.", capitalised(&self.clause(graph, one, true)), one.feeling());
        }
        // What the scene was worth stands behind what made it so.
        let felt = clauses.iter().enumerate().min_by_key(|(at, clause)| (strongest(clause.worst_or_best()), *at));
        let felt = felt.map(|(at, _)| at);
        let tell = |(at, clause): (usize, &Clause)| {
            let feeling = if Some(at) == felt { clause.feeling() } else { "" };
            format!("{}{feeling}", self.clause(graph, clause, false))
        };
        let told: Vec<String> = clauses.iter().enumerate().map(tell).collect();
        let place = self.events.first().map_or_else(String::new, |(event, _)| Voice(graph).place(event));
        match place.trim() {
            "" => format!("{}.", capitalised(&told.join("; "))),
            place => format!("{}: {}.", capitalised(place), told.join("; ")),
        }
    }

    fn clause(&self, graph: &Graph, clause: &Clause, with_place: bool) -> String {
        let voice = Voice(graph);
        let often = |count: usize| match count {
            0 | 1 => String::new(),
            _ if !self.whole => " more than once".into(),
            2 => " twice".into(),
            n => format!(" {n} times"),
        };
        let all = clause.parts.iter().flat_map(|(_, events)| events);
        // What hurt most speaks for all, so that what it was worth is said of that.
        let first = |event: &&&EventBody| (strongest(event.valence), event.number, event.seq);
        let Some(event) = all.min_by_key(first) else { return String::new() };
        let template = event.deed.kind().story[event.role as usize];
        // Of several in a row, how often stands in brackets, or it might be read of all of them.
        let alone = clause.parts.len() == 1;
        let counted = |count: usize| match often(count) {
            often if alone || often.is_empty() => often,
            often => format!(" ({})", often.trim_start()),
        };
        let row: Vec<String> =
            clause.parts.iter().map(|(_, e)| format!("{}{}", part_name(&voice, e[0]), counted(e.len()))).collect();
        let told = fill(template, |placeholder| match placeholder {
            "sufferer" if lists(event) && event.deed == Deed::Killed => (in_a_row(&row).into(), true),
            "thing" if lists(event) => (in_a_row(&row).into(), true),
            "often" if lists(event) || is_worst_told(event.deed) => ("".into(), true),
            "often" => (often(clause.parts[0].1.len()).into(), true),
            "place" if !with_place => ("".into(), true),
            other => voice.value(event, 1, other),
        });
        if template.starts_with('{') { told } else { decapitalised(&told) }
    }
}

fn told_of<'g>(text: String, clauses: Vec<Clause<'g>>) -> Told<'g> {
    let parts = clauses.into_iter().flat_map(|clause| clause.parts);
    let mut events: Vec<&EventBody> = parts.flat_map(|(_, events)| events).collect();
    events.sort_by_key(|event| event.seq);
    Told { text, events }
}

fn part_name(voice: &Voice, event: &EventBody) -> String {
    if event.deed == Deed::Killed { voice.name(event.sufferer) } else { voice.thing(event) }
}

/// `a`, `a and b`, `a, b and c`.
fn in_a_row(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn decapitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    format!("{first}{}", chars.as_str())
}
