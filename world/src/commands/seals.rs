//! The nine seals of the fingers, which ninjas learn: kuji.
//!
//! Each lasts five hours, or leaves its maker spent for as long; one at a time, and not in a fight. What most of them
//! leave or do at once is in their rows. Source: game reference §4.2, §4.3.

use super::attempt::{if_known, takes, tried};
use crate::act::Scene;
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::effects::{healing, lasting, moving};
use crate::find::first_argument;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::arts::Values;
use content::flags::AffectFlags;

/// What all their names begin with.
const KUJI: &str = "kuji-kiri ";

pub fn kuji(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let (word, _) = first_argument(args);
    let seals = || rules.skills.iter().filter_map(|row| Some((row, row.name.name().strip_prefix(KUJI)?)));
    if word.is_empty() {
        let names: Vec<&str> = seals().map(|(_, seal)| seal).collect();
        return Err(format!("Which seal? {}", names.join(", ")).into());
    }
    let found = seals().find(|(_, seal)| seal.eq_ignore_ascii_case(word));
    let Some((_, seal)) = found else {
        return Err(format!("No seal is called {word}.").into());
    };
    let row = if_known(world, who, found.map(|(row, _)| row))?;
    if world.who(who).fighting.is_some() {
        return Err("Your fingers have other things to do just now.".into());
    }
    if world.who(who).is(AffectFlags::KUJI_KIRI) {
        return Err("Your last seal is still in your fingers. One at a time.".into());
    }
    if row.leaps
        && let Some(hindrance) = moving::hindrance_of_leaping(world, who)
    {
        return Err(hindrance.into());
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    if !done {
        let scene = Scene::new(who, LineKind::Text);
        world.show(&scene, "Your fingers slip, and the seal comes to nothing.", "", "$n knots $s fingers, and swears.");
        return Ok(());
    }
    let scene = Scene::new(who, LineKind::Text).text(seal);
    world.show(&scene, "You knot your fingers into the seal of $t.", "", "$n knots $s fingers into a sign.");
    lasting::begin_skill(world, who, who, row);
    if let Some(heals) = &row.heals {
        let values = Values { level: world.who(who).level, ..Values::default() };
        let amount = heals.value(&values, &mut world.draw(Stream::Combat, Draw::Amount));
        healing::give_back(world, who, who, amount, Some(row.name.name().into()));
    }
    if row.leaps {
        moving::leap(world, who);
    }
    Ok(())
}
