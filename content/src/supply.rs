//! What a world brings forth by itself, and where one can come to, for the checks that ask whether something can ever
//! happen.
//!
//! Invariant: in doubt it can. What a script, an art or a night may do is taken to be done.

use crate::content::Content;
use crate::flags::MobFlags;
use crate::scripts::{OwnerKind, names_field, whole_numbers};
use crate::vnum::{CONJURED_FIRST, Vnum};
use crate::{Behaviour, ObjectKind, ResetAction};
use std::collections::{BTreeMap, BTreeSet};

/// What comes into the world by its resets, its shops, and what tasks, answers and trades give.
pub(crate) struct Supply {
    pub mobs: BTreeSet<Vnum>,
    pub objects: BTreeSet<Vnum>,
    /// Rooms that one can come to from where newcomers wake, through doors too.
    pub rooms: BTreeSet<Vnum>,
    /// Mobs that nobody ever meets: where resets put them no way leads, and they do not come out by themselves. Each
    /// with one of these rooms.
    pub apart: BTreeMap<Vnum, Vnum>,
}

impl Supply {
    pub fn of(content: &Content) -> Supply {
        let rooms = reachable(content);
        let others = brought_otherwise(content);
        let apart = apart(content, &rooms, &others);
        let mut supply = Supply { mobs: others, objects: BTreeSet::new(), rooms, apart };
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
        supply.objects.extend(numbers_in_scripts(content, "load_object"));
        // What arts bring forth, and what stands for coins, comes by other ways.
        let by_itself = content
            .objects
            .iter()
            .filter(|object| object.vnum >= CONJURED_FIRST || matches!(object.kind, ObjectKind::Money { .. }));
        supply.objects.extend(by_itself.map(|object| object.vnum));
        supply.objects.extend(content.conjured.values());
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

/// All numbers in scripts that do something: it may be any of them that they do it with.
fn numbers_in_scripts<'c>(content: &'c Content, what: &'c str) -> impl Iterator<Item = Vnum> + 'c {
    let doing = content.scripts.iter().filter(move |script| names_field(&script.source, what));
    doing.flat_map(|script| whole_numbers(&script.source))
}

/// Mobs that come by something else than resets: by a script, by an art, as hunters, and for sale or for hire. Where
/// is of no matter, since that is where somebody is.
fn brought_otherwise(content: &Content) -> BTreeSet<Vnum> {
    let mut mobs: BTreeSet<Vnum> = numbers_in_scripts(content, "load_mob").collect();
    mobs.extend(content.mobs.iter().map(|mob| mob.vnum).filter(|vnum| *vnum >= CONJURED_FIRST));
    mobs.extend(content.conjured.values());
    let things = content.objects.iter();
    let things = things.flat_map(|object| [object.hunted.map(|it| it.lair()), object.horn.map(|it| it.lair())]);
    let lairs = things.chain([content.hunters.moon, content.hunters.art]).flatten();
    mobs.extend(lairs.map(|lair| lair.mob));
    for behaviour in content.mobs.iter().flat_map(|mob| &mob.behaviours) {
        match behaviour {
            Behaviour::Stable { mob, .. } => mobs.extend([*mob]),
            Behaviour::Recruiter { mobs: hired, .. } => mobs.extend(hired),
            Behaviour::PetShop { pets } => mobs.extend(pets.iter().map(|pet| pet.mob)),
            _ => {}
        }
    }
    mobs
}

/// Rooms that somebody can come to: by ways from where newcomers wake, and from where prayers, dreams, the watch and
/// scripts take people.
fn reachable(content: &Content) -> BTreeSet<Vnum> {
    let mut from = BTreeSet::from([content.start_room]);
    from.extend(content.hometowns.iter().map(|town| town.room));
    from.extend(content.dreams.iter().filter_map(|dream| dream.to));
    from.extend(content.jail.iter().flat_map(|jail| [jail.room, jail.outside]));
    // Those of mobs and objects are among them: better a room too many than one that is told falsely.
    from.extend(numbers_in_scripts(content, "move_to"));
    spread(content, from)
}

/// Those rooms, and all that ways lead to from them: through doors, and through gates in their nights.
fn spread(content: &Content, mut seen: BTreeSet<Vnum>) -> BTreeSet<Vnum> {
    let mut front: Vec<Vnum> = seen.iter().copied().collect();
    while let Some(vnum) = front.pop() {
        let Some(room) = content.room_id(vnum) else { continue };
        let exits = content.room(room).exits.iter().filter_map(|exit| exit.to);
        let gates = content.gates.iter().filter(|gate| gate.room == vnum);
        let gates = gates.flat_map(|gate| [Some(gate.to), content.art_gate]).flatten();
        front.extend(exits.chain(gates).filter(|to| seen.insert(*to)));
    }
    seen
}

fn apart(content: &Content, rooms: &BTreeSet<Vnum>, others: &BTreeSet<Vnum>) -> BTreeMap<Vnum, Vnum> {
    let mut homes: BTreeMap<Vnum, BTreeSet<Vnum>> = BTreeMap::new();
    for reset in content.zones.iter().flat_map(|zone| &zone.resets) {
        if let ResetAction::Mob { mob, room, .. } = reset.action {
            homes.entry(mob).or_default().insert(room);
        }
    }
    let moved: BTreeSet<Vnum> = numbers_in_scripts(content, "move_to").collect();
    let mut apart = BTreeMap::new();
    for (vnum, homes) in homes {
        let comes_elsewhere = others.contains(&vnum) || moved.contains(&vnum);
        let Some(mob) = content.mob(vnum).filter(|_| !comes_elsewhere) else { continue };
        // Whom a script of its own moves about may come from anywhere, as far as one can see.
        let names = content.scripts_of(OwnerKind::Mob, vnum);
        let moves = |source: &str| ["move_to", "command", "follow", "hunt"].iter().any(|way| names_field(source, way));
        if names.iter().filter_map(|name| content.script(name)).any(|script| moves(&script.source)) {
            continue;
        }
        let stays = mob.flags.has(MobFlags::SENTINEL) && !mob.flags.any(MobFlags::HUNTER.with(MobFlags::MEMORY));
        let first = homes.first().copied();
        let walks = if stays { homes } else { spread(content, homes) };
        if walks.is_disjoint(rooms) {
            apart.extend(first.map(|room| (vnum, room)));
        }
    }
    apart
}
