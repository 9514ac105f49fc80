//! What P4 leaves out because P3 shows it already: in all prompts the actions that the transcript tells; in a small
//! one also things carried and worn, and memories, which are blocks of P3 there. No cache holds P4, and these change
//! seldom: in a small prompt they were half of it.
//!
//! Invariant: the newest block that tells what is carried (or worn) tells all of it as it is now, also that it is
//! nothing, or counts what it has no room for. What a fold takes is told again at once. A memory is of the past and
//! never gets stale.

use super::Done;
use super::measured::MeasuredText;
use crate::hud::detail::{Detail, LEVELS, first_level};
use crate::hud::live::{self, AlreadyShown};
use crate::hud::node::Node;
use crate::hud::{Format, ItemView, LiveView, MemoryView, RecentAction, WornView};
use crate::pressure::Density;
use crate::{render, tokens};

/// What one part of P3 shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PartContents {
    /// All that was carried then; sorted.
    pub carried: Option<Vec<ItemView>>,
    /// All that was worn then; sorted.
    pub worn: Option<Vec<WornView>>,
    pub memories: Vec<MemoryView>,
    /// Oldest first.
    pub did: Vec<Done>,
    /// The oldest entry of the agent's log that was new then.
    pub first_entry: Option<u64>,
}

impl PartContents {
    /// Both, `later` being right where they differ.
    pub fn then(mut self, later: PartContents) -> PartContents {
        self.carried = later.carried.or(self.carried);
        self.worn = later.worn.or(self.worn);
        self.memories.extend(later.memories);
        self.did.extend(later.did);
        self.first_entry = self.first_entry.or(later.first_entry);
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

/// How many of the newest actions the transcript tells.
pub fn told_actions(did: &[Done], recent: &[RecentAction]) -> usize {
    let newest = recent.iter().rev().zip(did.iter().rev());
    let is_done = |(recent, done): &(&RecentAction, &Done)| {
        (&recent.source, &recent.action, &recent.outcome) == (&done.source, &done.action, &done.outcome)
    };
    newest.take_while(is_done).count()
}

/// What all parts together show of this moment. Nothing shown is nothing carried.
pub fn already_shown(contents: &PartContents, live: &LiveView, recent: &[RecentAction]) -> AlreadyShown {
    AlreadyShown {
        inventory: contents.carried.as_deref().unwrap_or_default() == carried(live),
        equipment: contents.worn.as_deref().unwrap_or_default() == worn(live),
        past: true,
        memories: live.memories.iter().map(|one| contents.memories.iter().any(|shown| is_same(shown, one))).collect(),
        recent: told_actions(&contents.did, recent),
    }
}

/// A block of what `shown` lacks, of at most `room` tokens, with no more memories than `memory_room` holds;
/// and what it tells. `None`: nothing is missing.
pub fn write(
    shown: &AlreadyShown,
    live: &LiveView,
    format: Format,
    [room, memory_room]: [usize; 2],
) -> Option<(MeasuredText, PartContents)> {
    let (most, text_chars) = best_memories(live, format, memory_room);
    let memories: Vec<MemoryView> =
        (0..most).filter(|&place| !shown.has_memory(place)).map(|place| live.memories[place].clone()).collect();
    if shown.inventory && shown.equipment && memories.is_empty() {
        return None;
    }
    let missing = LiveView { memories, ..live.clone() };
    let left = AlreadyShown { past: false, memories: Vec::new(), ..shown.clone() };
    LEVELS.iter().find_map(|detail| {
        let detail = Detail { text_chars, ..*detail };
        let nodes = live::once(&missing, &left, &detail);
        let written = MeasuredText::new(match format {
            Format::Markdown => format!("{} now:\n{}", live.tick, render::render(&nodes, format)),
            _ => {
                let tick = Node::Fields(vec![("tick", live.tick.into())]);
                render::render(&[vec![tick], nodes].concat(), format)
            }
        });
        let contents = PartContents {
            carried: (!shown.inventory).then(|| carried(live)),
            worn: (!shown.equipment).then(|| worn(live)),
            memories: missing.memories.iter().take(detail.memories).cloned().collect(),
            ..PartContents::default()
        };
        (written.tokens <= room).then_some((written, contents))
    })
}

/// How many memories, from the best on, `room` holds, and with how many characters each. What is told of them counts
/// too, or else the next best would follow at each decision.
fn best_memories(live: &LiveView, format: Format, room: usize) -> (usize, usize) {
    let nothing_else = AlreadyShown { inventory: true, equipment: true, ..AlreadyShown::default() };
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
