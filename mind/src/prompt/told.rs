//! What a small prompt tells once: things carried and worn, memories and actions stand in P3, and P4 leaves out what P3
//! shows already. No cache holds P4, and these change seldom: in a small prompt they were half of it.
//!
//! Invariant: the newest block that tells what is carried (or worn) tells all of it, also that it is nothing now. If
//! P4 shows it after all, for a fold has taken the block, P4 is right. A memory is of the past and never gets stale.

use super::Done;
use super::builder::Written;
use crate::hud::detail::{LEVELS, first_level};
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
        memories: live.memories.iter().map(|one| tells.memories.iter().any(|told| is_same(told, one))).collect(),
        recent: newest.take_while(is_done).count(),
    }
}

/// A block of what `told` says is missing, of at most `room` tokens, with no more memories than `memory_room` holds; and
/// what it tells. `None`: nothing is missing.
pub fn write(told: &Told, live: &LiveView, format: Format, [room, memory_room]: [usize; 2]) -> Option<(Written, Tells)> {
    let new: Vec<MemoryView> = {
        let new = live.memories.iter().zip(&told.memories).filter(|(_, told)| !**told).map(|(new, _)| new.clone());
        new.take(LEVELS[first_level(Density::Compact)].memories).collect()
    };
    let of_memories = |most: usize| LiveView { memories: new[..most].to_vec(), ..LiveView::default() };
    let all_but_memories = Told { inventory: true, equipment: true, ..Told::default() };
    let most = (0..=new.len()).rev().find(|&most| {
        let nodes = live::once(&of_memories(most), &all_but_memories, &LEVELS[0]);
        tokens::count(&render::render(&nodes, format)) <= memory_room
    })?;
    if told.inventory && told.equipment && most == 0 {
        return None;
    }
    let shown = LiveView { memories: new[..most].to_vec(), ..live.clone() };
    let left = Told { memories: Vec::new(), ..told.clone() };
    LEVELS.iter().find_map(|detail| {
        let nodes = live::once(&shown, &left, detail);
        let written = Written::new(match format {
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
