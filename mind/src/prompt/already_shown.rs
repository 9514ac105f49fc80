//! What a small prompt tells once: things carried and worn, memories and actions stand in P3, and P4 leaves out what P3
//! shows already. No cache holds P4, and these change seldom: in a small prompt they were half of it.
//!
//! Invariant: the newest block that tells what is carried (or worn) tells all of it as it is now, also that it is
//! nothing, or counts what it has no room for. What a fold takes is told again at once. A memory is of the past and
//! never gets stale.

use super::Done;
use super::measured::MeasuredText;
use crate::hud::detail::{Detail, LEVELS, first_level};
use crate::hud::live::{self, Told};
use crate::hud::node::Node;
use crate::hud::{Format, ItemView, LiveView, MemoryView, RecentAction, WornView};
use crate::pressure::Density;
use crate::{render, tokens};

/// What one part of P3 tells.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tells {
    /// All that was carried then; sorted.
    pub carried: Option<Vec<ItemView>>,
    /// All that was worn then; sorted.
    pub worn: Option<Vec<WornView>>,
    pub memories: Vec<MemoryView>,
    /// Oldest first.
    pub did: Vec<Done>,
}

impl Tells {
    /// Both, `later` being right where they differ.
    pub fn then(mut self, later: Tells) -> Tells {
        self.carried = later.carried.or(self.carried);
        self.worn = later.worn.or(self.worn);
        self.memories.extend(later.memories);
        self.did.extend(later.did);
        self
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

/// The same memory, however long ago it has become.
fn is_same(a: &MemoryView, b: &MemoryView) -> bool {
    (&a.id, a.valence, &a.text) == (&b.id, b.valence, &b.text)
}

/// What all parts together tell of this moment. Nothing told is nothing carried.
pub fn told(tells: &Tells, live: &LiveView, recent: &[RecentAction]) -> Told {
    let newest = recent.iter().rev().zip(tells.did.iter().rev());
    let is_done = |(recent, done): &(&RecentAction, &Done)| {
        (&recent.source, &recent.action, &recent.outcome) == (&done.source, &done.action, &done.outcome)
    };
    Told {
        inventory: tells.carried.as_deref().unwrap_or_default() == carried(live),
        equipment: tells.worn.as_deref().unwrap_or_default() == worn(live),
        past: true,
        memories: live.memories.iter().map(|one| tells.memories.iter().any(|told| is_same(told, one))).collect(),
        recent: newest.take_while(is_done).count(),
    }
}

/// A block of what `told` says is missing, of at most `room` tokens, with no more memories than `memory_room` holds;
/// and what it tells. `None`: nothing is missing.
pub fn write(
    told: &Told,
    live: &LiveView,
    format: Format,
    [room, memory_room]: [usize; 2],
) -> Option<(MeasuredText, Tells)> {
    let (most, text_chars) = best_memories(live, format, memory_room);
    let memories: Vec<MemoryView> =
        (0..most).filter(|&place| !told.has_memory(place)).map(|place| live.memories[place].clone()).collect();
    if told.inventory && told.equipment && memories.is_empty() {
        return None;
    }
    let shown = LiveView { memories, ..live.clone() };
    let left = Told { past: false, memories: Vec::new(), ..told.clone() };
    LEVELS.iter().find_map(|detail| {
        let detail = Detail { text_chars, ..*detail };
        let nodes = live::once(&shown, &left, &detail);
        let written = MeasuredText::new(match format {
            Format::Markdown => format!("{} now:\n{}", live.tick, render::render(&nodes, format)),
            _ => {
                let tick = Node::Fields(vec![("tick", live.tick.into())]);
                render::render(&[vec![tick], nodes].concat(), format)
            }
        });
        let tells = Tells {
            carried: (!told.inventory).then(|| carried(live)),
            worn: (!told.equipment).then(|| worn(live)),
            memories: shown.memories.iter().take(detail.memories).cloned().collect(),
            did: Vec::new(),
        };
        (written.tokens <= room).then_some((written, tells))
    })
}

/// How many memories, from the best on, `room` holds, and with how many characters each. What is told of them counts
/// too, or else the next best would follow at each decision.
fn best_memories(live: &LiveView, format: Format, room: usize) -> (usize, usize) {
    let nothing_else = Told { inventory: true, equipment: true, ..Told::default() };
    let fits = |most: usize, detail: &Detail| {
        let best = LiveView { memories: live.memories[..most].to_vec(), ..LiveView::default() };
        tokens::count(&render::render(&live::once(&best, &nothing_else, detail), format)) <= room
    };
    let levels = &LEVELS[first_level(Density::Compact)..];
    let fitting = levels.iter().find_map(|detail| {
        let most = (1..=live.memories.len().min(detail.memories)).rev().find(|&most| fits(most, detail))?;
        Some((most, detail.text_chars))
    });
    fitting.unwrap_or((0, 0))
}
