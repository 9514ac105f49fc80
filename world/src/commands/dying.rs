//! What can be done about the dying: bind their wounds, or let go.

use crate::act::Scene;
use crate::affect::Source;
use crate::arena::CharacterId;
use crate::effects::harm::{Harm, HarmKind, harm};
use crate::effects::healing;
use crate::find::first_argument;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use content::words::Position;

/// Ticks that binding somebody's wounds takes.
const BANDAGE_TICKS: u64 = 2;
/// More than anybody who lies dying has left.
const ALL_THAT_IS_LEFT: i32 = 1_000;

/// Anybody can: who lies there does not bleed to death, and comes to by itself.
pub fn bandage(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whose wounds do you want to bind?".into());
    }
    let patient = world.here(who, word)?;
    if world.who(who).fighting.is_some() {
        return Err("Not while somebody is hitting you.".into());
    }
    let p = world.who(patient);
    if p.hit >= 0 {
        return Err(
            format!("{} is not bleeding to death.", crate::act::capitalised(world.name_for(who, patient))).into()
        );
    }
    let amount = -p.hit;
    world.who_mut(patient).felled_by = None;
    world.lag(who, BANDAGE_TICKS);
    let scene = Scene::new(who, LineKind::Text).victim(patient).sleepers();
    world.show(&scene, "You bind $N's wounds.", "$n binds your wounds.", "$n binds $N's wounds.");
    healing::give_back(world, who, patient, amount, None);
    Ok(())
}

/// Who lies dying need not wait for the end.
pub fn release(world: &mut World, who: CharacterId, _: &str) -> Done {
    let c = world.who(who);
    if c.position > Position::Incapacitated || c.hit >= 0 {
        return Err("You are not dying.".into());
    }
    let kind = HarmKind::Bleeding;
    harm(world, Harm { victim: who, by: None, amount: ALL_THAT_IS_LEFT, kind, source: Source::Body });
    Ok(())
}
