//! What P4 leaves out because P3 shows it already: in all prompts the actions that the transcript tells; where the tier
//! tells once also things carried and worn, the place where one is, and memories, which are blocks of P3 there. No
//! cache holds P4, and these change seldom: they were half of it.
//!
//! Invariant: the newest block that tells what is carried (or worn) tells all of it as it is now, also that it is
//! nothing, or counts what it has no room for; the newest that tells of a room tells what is known of it now. What a
//! fold takes is told again at once. A memory is of the past and never gets stale.

use super::Done;
use super::measured::MeasuredText;
use crate::hud::detail::{Detail, LEVELS, first_level};
use crate::hud::live::{self, AlreadyShown};
use crate::hud::node::Node;
use crate::hud::origin::Origin;
use crate::hud::{Format, ItemView, LiveView, MemoryView, RecentAction, RoomView, WornView};
use crate::pressure::Density;
use crate::{render, tokens};
use std::collections::BTreeMap;

/// Rooms around that a place is told with, at most.
const AROUND: usize = 6;

/// What one part of P3 shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PartContents {
    /// All that was carried then; sorted.
    pub carried: Option<Vec<ItemView>>,
    /// All that was worn then; sorted.
    pub worn: Option<Vec<WornView>>,
    /// By vnum.
    pub places: BTreeMap<i32, Place>,
    pub memories: Vec<MemoryView>,
    /// Oldest first.
    pub did: Vec<Done>,
    /// The oldest entry of the agent's log that was new then.
    pub first_entry: Option<u64>,
    /// It tells of channels, and of nothing else.
    pub channels: bool,
}

/// What is told of a room.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Place {
    pub description: Option<String>,
    pub map: Vec<RoomView>,
    pub unseen: Vec<String>,
}

impl PartContents {
    /// Both, `later` being right where they differ.
    pub fn then(mut self, later: PartContents) -> PartContents {
        self.carried = later.carried.or(self.carried);
        self.worn = later.worn.or(self.worn);
        self.places.extend(later.places);
        self.memories.extend(later.memories);
        self.did.extend(later.did);
        self.first_entry = self.first_entry.or(later.first_entry);
        self.channels |= later.channels;
        self
    }
}

/// What several parts show together, the later being right where they differ.
#[derive(Debug, Default)]
pub struct AllContents<'a> {
    carried: &'a [ItemView],
    worn: &'a [WornView],
    places: BTreeMap<i32, &'a Place>,
    memories: Vec<&'a MemoryView>,
    did: Vec<&'a Done>,
}

impl<'a> FromIterator<&'a PartContents> for AllContents<'a> {
    fn from_iter<T: IntoIterator<Item = &'a PartContents>>(parts: T) -> AllContents<'a> {
        let mut all = AllContents::default();
        for part in parts {
            all.carried = part.carried.as_deref().unwrap_or(all.carried);
            all.worn = part.worn.as_deref().unwrap_or(all.worn);
            all.places.extend(part.places.iter().map(|(vnum, place)| (*vnum, place)));
            all.memories.extend(&part.memories);
            all.did.extend(&part.did);
        }
        all
    }
}

fn carried(live: &LiveView) -> Vec<ItemView> {
    let mut carried = live.inventory.clone();
    carried.sort_by(|a, b| (&a.target, &a.name).cmp(&(&b.target, &b.name)));
    carried
}

fn worn(live: &LiveView) -> Vec<WornView> {
    let mut worn = live.equipment.clone();
    worn.sort_by(|a, b| (&a.place, &a.name).cmp(&(&b.place, &b.name)));
    worn
}

/// `None`: nobody knows where that is, or there is nothing to tell of it.
fn place(live: &LiveView) -> Option<(i32, Place)> {
    let LiveView { vars, map, unseen, .. } = live;
    let place = Place { description: vars.description.clone(), map: map.clone(), unseen: unseen.clone() };
    Some((vars.room_vnum?, place)).filter(|(_, place)| *place != Place::default())
}

/// Whether the room's description was told with an older map.
fn told_before(contents: &AllContents, live: &LiveView) -> bool {
    let before = live.vars.room_vnum.and_then(|vnum| contents.places.get(&vnum));
    before.is_some_and(|before| before.description == live.vars.description)
}

/// The same memory, however long ago it has become.
fn is_same(a: &MemoryView, b: &MemoryView) -> bool {
    (&a.id, a.valence, &a.text) == (&b.id, b.valence, &b.text)
}

/// Which of the recent actions the transcript tells. Both are in one order, and a block may have left some out.
pub fn told_actions(contents: &AllContents, recent: &[RecentAction]) -> Vec<bool> {
    let mut told = vec![false; recent.len()];
    let mut left = &contents.did[..];
    for (told, recent) in told.iter_mut().zip(recent).rev() {
        let is_it = |done: &&Done| {
            (&recent.source, &recent.action, &recent.outcome) == (&done.source, &done.action, &done.outcome)
        };
        if let Some(at) = left.iter().rposition(is_it) {
            left = &left[..at];
            *told = true;
        }
    }
    told
}

/// What all parts together show of this moment. Nothing shown is nothing carried.
pub fn already_shown(contents: &AllContents, live: &LiveView, recent: &[RecentAction]) -> AlreadyShown {
    AlreadyShown {
        inventory: contents.carried == carried(live),
        equipment: contents.worn == worn(live),
        place: place(live).is_none_or(|(vnum, place)| contents.places.get(&vnum) == Some(&&place)),
        description: told_before(contents, live),
        past: true,
        memories: live.memories.iter().map(|one| contents.memories.iter().any(|shown| is_same(shown, one))).collect(),
        recent: told_actions(contents, recent),
        unread: Vec::new(),
    }
}

/// How many tokens a block may take of what is told once.
#[derive(Clone, Copy, Debug)]
pub struct Rooms {
    /// All of it.
    pub all: usize,
    pub memories: usize,
    pub place: usize,
}

/// A block of what `shown` lacks, and what it tells. `packed`: how closely the tier packs at least. `None`: nothing is
/// missing.
pub fn write(
    shown: &AlreadyShown,
    live: &LiveView,
    format: Format,
    packed: Density,
    rooms: Rooms,
) -> Option<(MeasuredText, PartContents)> {
    let Rooms { all: room, memories: memory_room, place: place_room } = rooms;
    let (most, text_chars) = best_memories(live, format, memory_room);
    let memories: Vec<MemoryView> =
        (0..most).filter(|&place| !shown.has_memory(place)).map(|place| live.memories[place].clone()).collect();
    if shown.inventory && shown.equipment && shown.place && memories.is_empty() {
        return None;
    }
    let mut missing = LiveView { memories, ..live.clone() };
    if shown.description {
        missing.vars.description = None;
    }
    let around = if shown.place { Vec::new() } else { place_nodes(&missing, format, packed, place_room) };
    let left = AlreadyShown { past: false, memories: Vec::new(), ..shown.clone() };
    LEVELS.iter().find_map(|detail| {
        let detail = Detail { text_chars, ..*detail };
        let nodes = [around.clone(), live::once(&missing, &left, &detail)].concat();
        let nodes = match format {
            Format::Markdown => nodes,
            _ => [vec![Node::fields([("tick", live.tick.into())])], nodes].concat(),
        };
        let text = render::render(&nodes, format);
        let written = MeasuredText::new(match format {
            Format::Markdown => format!("{} now:\n{text}", live.tick),
            _ => text,
        });
        if written.tokens > room {
            return None;
        }
        let first = (format == Format::Markdown).then_some(Origin::Layout);
        let origins = first.into_iter().chain(render::origins(&nodes, format, live.tick));
        let contents = PartContents {
            carried: (!shown.inventory).then(|| carried(live)),
            worn: (!shown.equipment).then(|| worn(live)),
            places: place(live).filter(|_| !shown.place).into_iter().collect(),
            memories: missing.memories.iter().take(detail.memories).cloned().collect(),
            ..PartContents::default()
        };
        Some((written.from(origins.collect()), contents))
    })
}

/// The place at the first level that has room, with few rooms around rather than without a word on this one.
fn place_nodes(live: &LiveView, format: Format, packed: Density, room: usize) -> Vec<Node> {
    let few = |detail: &Detail| Detail { map: detail.map.min(AROUND), ..*detail };
    let levels = LEVELS[first_level(packed)..].iter().map(|detail| live::place(live, &few(detail)));
    let fits = |nodes: &Vec<Node>| tokens::fits(&render::render(nodes, format), room);
    levels.into_iter().find(fits).unwrap_or_default()
}

/// How many memories, from the best on, `room` holds, and with how many characters each. What is told of them counts
/// too, or else the next best would follow at each decision.
fn best_memories(live: &LiveView, format: Format, room: usize) -> (usize, usize) {
    let nothing_else = AlreadyShown { inventory: true, equipment: true, place: true, ..AlreadyShown::default() };
    let fits = |most: usize, detail: &Detail| {
        let best = LiveView { memories: live.memories[..most].to_vec(), ..LiveView::default() };
        tokens::fits(&render::render(&live::once(&best, &nothing_else, detail), format), room)
    };
    let levels = &LEVELS[first_level(Density::Compact)..];
    let fitting = levels.iter().find_map(|detail| {
        let most = (1..=live.memories.len().min(detail.memories)).rev().find(|&most| fits(most, detail))?;
        Some((most, detail.text_chars))
    });
    fitting.unwrap_or((0, 0))
}
