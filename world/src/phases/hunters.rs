//! An hour of hunters: who is sent by the moon and by things, and dawn, which ends it. Source: game reference §3, §6.

use crate::arena::CharacterId;
use crate::character::{LEVEL_IMMORTAL, Link};
use crate::draws::Draw;
use crate::hunting;
use crate::moon;
use crate::rng::Stream;
use crate::world::World;
use content::Hunted;

/// Whom the moon has hunted, by level, and in one case of so many.
const LEVELS: std::ops::RangeInclusive<i32> = 13..=30;
const ONE_IN: i32 = 6;

pub fn run(world: &mut World) {
    let clock = world.state.clock;
    if moon::is_dawn(clock) {
        hunting::end_sent(world);
    }
    let players: Vec<CharacterId> = world.state.players.values().copied().collect();
    for player in players {
        let c = world.who(player);
        let away = c.player().is_none_or(|player| player.link != Link::Linked);
        if away || c.level >= LEVEL_IMMORTAL {
            continue;
        }
        let serial = c.serial;
        if moon::compels(clock) && LEVELS.contains(&c.level) {
            world.streams.fork(Stream::Combat, serial);
            by_moon(world, player);
        }
        let carried = things(world, player);
        if !carried.is_empty() {
            world.streams.fork(Stream::Combat, serial);
            by_things(world, player, &carried);
        }
    }
}

fn by_moon(world: &mut World, player: CharacterId) {
    let Some(lair) = world.content.hunters.moon else { return };
    if hunting::is_inhabited(world, lair) && world.draw(Stream::Combat, Draw::Hunt).one_in(ONE_IN) {
        let level = world.who(player).level / 2 + 2;
        hunting::send(world, lair, player, Some(level));
    }
}

/// What of the things that somebody has with it brings hunters, in bags or not.
fn things(world: &World, player: CharacterId) -> Vec<Hunted> {
    let c = world.who(player);
    let mut waiting: Vec<_> = c.worn.iter().map(|(_, object)| *object).chain(c.carrying.iter().copied()).collect();
    waiting.reverse();
    let mut found = Vec::new();
    while let Some(object) = waiting.pop() {
        let object = world.object(object);
        found.extend(world.content.object(object.vnum).and_then(|proto| proto.hunted));
        waiting.extend(object.contents.iter().copied());
    }
    found
}

/// One hunter in an hour is enough, however much of it somebody has.
fn by_things(world: &mut World, player: CharacterId, carried: &[Hunted]) {
    for hunted in carried {
        let comes = hunting::is_inhabited(world, hunted.lair())
            && world.draw(Stream::Combat, Draw::Hunt).percent(hunted.percent);
        if comes && hunting::send(world, hunted.lair(), player, None).is_some() {
            return;
        }
    }
}
