//! What an agent knows of the rooms around it, as rows of a prompt: the ways there and what is there.
//!
//! Invariant: the same knowledge gives the same rows. What lies next door comes first, then what is worth a walk, each
//! by its distance.

use crate::knowledge::Knowledge;
use crate::map::{Room, Vnum};
use crate::objects::{self, Use};
use crate::state::GameState;
use mind::hud::{RoomView, TaskView, WareView};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Rooms of a prompt, at most; a small one shows fewer of them.
const ROOMS_MAX: usize = 12;
/// How far a room may be, in steps, and how many rooms are looked at.
const STEPS_MAX: usize = 15;
const LOOKED_AT_MAX: usize = 300;
/// Kinds of mobs named for a room.
const MOBS_MAX: usize = 2;

/// The rooms around.
pub fn rooms(known: &Knowledge, now_ms: u64) -> Vec<RoomView> {
    let Some(here) = known.map.here else { return Vec::new() };
    let mut found: Vec<(usize, bool, RoomView)> = Vec::new();
    let mut seen = BTreeSet::from([here]);
    let mut queue: VecDeque<(Vnum, Vec<&str>)> = VecDeque::from([(here, Vec::new())]);
    while let Some((vnum, way)) = queue.pop_front() {
        let Some(room) = known.map.rooms.get(&vnum) else { continue };
        if vnum != here && !room.name.is_empty() {
            let what = what_is_in(known, vnum, room, now_ms);
            let view = RoomView { way: steps(&way), room: room.name.clone(), what };
            found.push((way.len(), way.len() == 1 || !view.what.is_empty(), view));
        }
        if way.len() == STEPS_MAX || found.len() == LOOKED_AT_MAX {
            continue;
        }
        for (direction, exit) in &room.exits {
            if let Some(to) = exit.to.filter(|to| exit.blocked_until_ms <= now_ms && seen.insert(*to)) {
                queue.push_back((to, way.iter().copied().chain([direction.as_str()]).collect()));
            }
        }
    }
    // What there is no room for is what is far off and where there is nothing.
    let mut by_worth: Vec<usize> = (0..found.len()).collect();
    by_worth.sort_by_key(|&n| (!found[n].1, found[n].0, n));
    let mut shown = by_worth[..by_worth.len().min(ROOMS_MAX)].to_vec();
    shown.sort_unstable();
    shown.into_iter().map(|n| std::mem::take(&mut found[n].2)).collect()
}

/// Exits of this room that nobody took.
pub fn unseen(known: &Knowledge) -> Vec<String> {
    let exits = known.map.room().into_iter().flat_map(|room| &room.exits);
    exits.filter(|(_, exit)| exit.to.is_none()).map(|(direction, _)| direction.clone()).collect()
}

/// What is sold in this room.
pub fn wares(known: &Knowledge) -> Vec<WareView> {
    let wares = known.map.here.and_then(|here| known.objects.shops.get(&here));
    let view = |ware: &objects::Ware| WareView {
        target: format!("#{}", ware.number),
        price: ware.price,
        name: ware.name.clone(),
    };
    wares.into_iter().flatten().map(view).collect()
}

/// What there is to do next for others.
pub fn tasks(state: &GameState) -> Vec<TaskView> {
    let mut rows = Vec::new();
    for task in state.tasks.iter().flatten() {
        let id = || task.id.to_string();
        let name = |name: &Option<Arc<str>>| name.as_deref().unwrap_or_default().to_string();
        if task.ready {
            let step = format!("Go back to {}", task.giver.as_deref().unwrap_or("who asked for it"));
            rows.push(TaskView { id: id(), step, done: 0, need: 1, place: name(&task.place) });
            continue;
        }
        let due = task.steps.iter().filter(|step| step.due && step.done < step.need);
        rows.extend(due.map(|step| TaskView {
            id: id(),
            step: step.text.to_string(),
            done: step.done,
            need: step.need,
            place: name(&step.place),
        }));
    }
    rows
}

/// `west`, `2 west, north`.
fn steps(way: &[&str]) -> String {
    let runs = way.chunk_by(|a, b| a == b);
    let run = |run: &[&str]| if run.len() == 1 { run[0].to_string() } else { format!("{} {}", run.len(), run[0]) };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

fn what_is_in(known: &Knowledge, vnum: Vnum, room: &Room, now_ms: u64) -> String {
    let mut what = Vec::new();
    if let Some(wares) = known.objects.shops.get(&vnum) {
        what.push(format!("shop: {}", kinds(wares)));
    }
    if room.water.is_some() {
        what.push("water".to_string());
    }
    let unseen: Vec<&str> = room.exits.iter().filter(|(_, exit)| exit.to.is_none()).map(|(way, _)| &**way).collect();
    if !unseen.is_empty() {
        what.push(format!("unseen: {}", unseen.join(", ")));
    }
    if room.deaths > 0 {
        what.push("you died there".to_string());
    } else if room.shun_until_ms > now_ms {
        what.push("you were beaten there".to_string());
    }
    let mobs: BTreeMap<&str, ()> = room
        .mobs
        .iter()
        .filter_map(|vnum| known.bestiary.get(*vnum))
        .filter(|kind| !kind.untouchable && !kind.name.is_empty())
        .map(|kind| (kind.name.as_str(), ()))
        .collect();
    what.extend(mobs.into_keys().take(MOBS_MAX).map(str::to_string));
    what.join("; ")
}

/// What a shop sells, by what it is good for: `food, light`.
fn kinds(wares: &[objects::Ware]) -> String {
    let uses: BTreeSet<Use> = wares.iter().filter_map(|ware| objects::guess(&ware.name)).collect();
    let word = |use_: Use| match use_ {
        Use::Food => "food",
        Use::Drink => "drink",
        Use::Light => "light",
        Use::Weapon => "weapons",
        Use::Wear => "clothes and armour",
        Use::Heal => "what heals",
    };
    if uses.is_empty() { "goods".to_string() } else { uses.into_iter().map(word).collect::<Vec<_>>().join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::Ware;

    fn known() -> Knowledge {
        let mut known = Knowledge::default();
        let map = &mut known.map;
        map.arrive(1, None, 0);
        map.see("The Altar", &["north".into(), "west".into()]);
        for (vnum, name, by) in [(2, "The Row", "north"), (3, "The Arch", "north"), (4, "The Cellar", "east")] {
            map.arrive(vnum, Some((map.here.expect("somewhere"), by)), 0);
            map.see(name, &[by.into(), crate::map::opposite(by).expect("a way").into()]);
        }
        known.map.here = Some(1);
        let ware = Ware { number: 1, price: 3, name: "a loaf of bread".into() };
        known.objects.shops.insert(3, vec![ware]);
        known
    }

    #[test]
    fn rooms_around_have_ways_and_what_is_there() {
        let known = known();
        let told: Vec<String> =
            rooms(&known, 0).into_iter().map(|room| format!("{} {} ({})", room.way, room.room, room.what)).collect();
        let wanted = [
            "north The Row ()",
            "2 north The Arch (shop: food; unseen: north)",
            "2 north, east The Cellar (unseen: east)",
        ];
        assert_eq!(told, wanted);
        assert_eq!(unseen(&known), ["west"]);
        assert!(wares(&known).is_empty(), "the shop is elsewhere");
    }

    #[test]
    fn what_is_worth_a_walk_is_shown_before_what_is_only_near() {
        let mut known = known();
        // A long corridor of nothing, with a well at its end.
        known.map.here = Some(1);
        for step in 0..ROOMS_MAX as i32 {
            let from = if step == 0 { 1 } else { 99 + step };
            known.map.here = Some(from);
            known.map.arrive(100 + step, Some((from, "west")), 0);
            known.map.see("A Corridor", &["east".into(), "west".into()]);
        }
        let last = known.map.room_mut().expect("the last");
        (last.water, last.name) = (Some("well".into()), "The Well".into());
        known.map.here = Some(1);
        let shown = rooms(&known, 0);
        assert_eq!(shown.len(), ROOMS_MAX);
        assert_eq!(shown.last().map(|room| (room.way.as_str(), room.room.as_str())), Some(("12 west", "The Well")));
    }
}
