//! What sleepers dream, each hour of the game. Source: game reference §4.3, "Dreams". The dreams are the world's
//! (`dreams.toml`); what an agent's memory makes of its days is another thing, of the same name (crate `dreaming`).

use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::relocation::relocate;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::Dream;
use content::flags::AffectFlags;
use content::words::Position;

/// In one hour of so many: a nightmare of those who died not long ago, any other dream, and the way through each door.
const NIGHTMARE_IN: i32 = 6;
const DREAM_IN: i32 = 16;
const DOOR_IN: i32 = 16;
/// Ticks of five days by the clock on the wall, for so long one dreams of a death.
const HAUNTED_TICKS: u64 = 5 * 24 * 3600 / 2;

/// An hour of somebody's sleep.
pub fn sleep_on(world: &mut World, who: CharacterId) {
    if world.content.dreams.is_empty() || world.who(who).position != Position::Sleeping {
        return;
    }
    let c = world.who(who);
    let (level, travels) = (c.level, c.is(AffectFlags::DREAM));
    let died = c.player().and_then(|player| player.died_tick);
    let haunted = died.is_some_and(|tick| world.tick().saturating_sub(tick) < HAUNTED_TICKS);
    let content = world.content.clone();
    if travels {
        let doors = content.dreams.iter().filter(|dream| dream.to.is_some() && (haunted || !dream.nightmare));
        for dream in doors {
            if lucky(world, who, DOOR_IN) {
                return go(world, who, dream);
            }
        }
    }
    let nightmare = haunted && lucky(world, who, NIGHTMARE_IN);
    if !nightmare && !lucky(world, who, DREAM_IN) {
        return;
    }
    let fits = |dream: &&Dream| {
        dream.to.is_none() && dream.nightmare == nightmare && (dream.levels.0..=dream.levels.1).contains(&level)
    };
    let dreams: Vec<&Dream> = content.dreams.iter().filter(fits).collect();
    if dreams.is_empty() {
        return;
    }
    let nth = world.draw_for(who, Stream::Command, Draw::Dream).range(0, dreams.len() as i32 - 1);
    tell(world, who, dreams[nth as usize]);
}

fn lucky(world: &mut World, who: CharacterId, one_in: i32) -> bool {
    world.draw_for(who, Stream::Command, Draw::Dream).range(1, one_in) == 1
}

fn tell(world: &mut World, who: CharacterId, dream: &Dream) {
    world.send(who, LineKind::Text, dream.text.to_string());
}

/// Through a door in one's sleep, and awake.
fn go(world: &mut World, who: CharacterId, dream: &Dream) {
    let Some(room) = dream.to.and_then(|vnum| world.room_by_vnum(vnum)) else { return };
    if world.is_for_people_only(who, room) || crate::jail::hindrance(world, who).is_some() {
        return;
    }
    tell(world, who, dream);
    world.who_mut(who).position = Position::Sitting;
    let [leaving, arriving] = ["Where $n was asleep there is only the warmth.", "$n sits up, where nobody was."];
    relocate(world, who, room, [leaving, arriving]);
}
