//! What a world brings forth by itself, for the checks that ask whether something can ever happen.

use crate::content::Content;
use crate::vnum::{CONJURED_FIRST, Vnum};
use crate::{ObjectKind, ResetAction};
use std::collections::BTreeSet;

/// What comes into the world by its resets, its shops, and what tasks, answers and trades give.
pub(crate) struct Supply {
    pub mobs: BTreeSet<Vnum>,
    pub objects: BTreeSet<Vnum>,
    /// Rooms that one can walk to from where newcomers wake, through doors too.
    pub rooms: BTreeSet<Vnum>,
}

impl Supply {
    pub fn of(content: &Content) -> Supply {
        let mut supply = Supply { mobs: BTreeSet::new(), objects: BTreeSet::new(), rooms: reachable(content) };
        for reset in content.zones.iter().flat_map(|zone| &zone.resets) {
            match reset.action {
                ResetAction::Mob { mob, .. } => {
                    supply.mobs.insert(mob);
                }
                ResetAction::Object { object, .. }
                | ResetAction::Put { object, .. }
                | ResetAction::Give { object, .. }
                | ResetAction::Equip { object, .. } => {
                    supply.objects.insert(object);
                }
                _ => {}
            }
        }
        supply.objects.extend(content.shops.iter().flat_map(|shop| shop.products.iter().copied()));
        supply.objects.extend(content.tasks.iter().flat_map(|task| task.reward.objects.iter().copied()));
        // What arts bring forth, and what stands for coins, comes by other ways.
        let by_itself = content
            .objects
            .iter()
            .filter(|object| object.vnum >= CONJURED_FIRST || matches!(object.kind, ObjectKind::Money { .. }));
        supply.objects.extend(by_itself.map(|object| object.vnum));
        let gifts = content.answers.iter().filter(|answer| supply.mobs.contains(&answer.mob));
        supply.objects.extend(gifts.filter_map(|answer| answer.gives));
        // What a trade gives may be what another one takes.
        loop {
            let before = supply.objects.len();
            let done = content.trades.iter().filter(|trade| supply.mobs.contains(&trade.mob));
            let given: Vec<Vnum> =
                done.filter(|trade| supply.objects.contains(&trade.takes)).map(|trade| trade.gives).collect();
            supply.objects.extend(given);
            if supply.objects.len() == before {
                return supply;
            }
        }
    }
}

fn reachable(content: &Content) -> BTreeSet<Vnum> {
    let mut seen = BTreeSet::from([content.start_room]);
    let mut front = vec![content.start_room];
    while let Some(room) = front.pop().and_then(|vnum| content.room_id(vnum)) {
        for to in content.room(room).exits.iter().filter_map(|exit| exit.to) {
            if seen.insert(to) {
                front.push(to);
            }
        }
    }
    seen
}
