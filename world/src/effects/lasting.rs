//! Arts that last: an affect begins, by the row's rule of what is there already, and ends where it is cured.

use super::affects::{self, SetAffect, Stacking};
use super::working::{Aim, Working};
use crate::act::Scene;
use crate::affect::{Affect, Cause, Source};
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::SkillRow;
use crate::world::World;
use content::arts::{EffectRow, Stack, Values};
use content::flags::AffectFlags;
use content::words::Position;
use protocol::Outcome;
use protocol::happening::Help;

/// What one is thankful to be rid of.
const PLAGUES: AffectFlags = AffectFlags::BLIND.with(AffectFlags::POISON).with(AffectFlags::CURSE);

pub(super) fn begin(world: &mut World, art: &Working, who: CharacterId, effect: &EffectRow) {
    let EffectRow::Affect { apply, by, hours, flags, hours_saved, .. } = effect else { return };
    let hours = match (art.saved, hours_saved) {
        (false, _) => hours,
        (true, Some(hours)) => hours,
        (true, None) => return,
    };
    let aim = Aim::Character(who);
    let hours = art.value(world, hours, aim, Draw::Hours).max(1);
    let by = art.value(world, by, aim, Draw::Amount);
    start(world, art, who, Affect { hours, apply: *apply, by, flags: *flags, ..Affect::default() });
}

/// An affect of this art begins: of a new one all are told who see it.
pub(super) fn start(world: &mut World, art: &Working, who: CharacterId, affect: Affect) {
    let kind = art.row.name.clone();
    let is_new = world.who(who).affects.iter().all(|old| old.kind != kind);
    let (hours, flags) = (affect.hours, affect.flags);
    let stacking = match art.row.stack {
        Stack::Refresh => Stacking::Longer,
        Stack::Lengthen => Stacking::Lengthened,
        Stack::Add => Stacking::Added,
    };
    let set = SetAffect { affect: Affect { kind: kind.clone(), ..affect }, stacking };
    super::work(world, who, super::Effect::Affect(set), art.cause());
    if is_new {
        let by = (art.by != who).then(|| world.as_who(art.by));
        let outcome =
            world.note(Outcome::Affect { who: world.as_who(who), name: kind, on: true, hours: Some(hours), by });
        world.witness(&Scene::new(art.by, LineKind::Text).victim(who).sleepers().outcome(&outcome));
    }
    fall_asleep(world, who, flags);
}

fn fall_asleep(world: &mut World, who: CharacterId, flags: AffectFlags) {
    if flags.any(AffectFlags::SLEEP) && world.who(who).position > Position::Sleeping {
        world.stop_fights_of(who);
        world.who_mut(who).position = Position::Sleeping;
    }
}

/// What a skill leaves on somebody, as its row says. Nobody is told: whoever uses it says what is to be seen.
pub fn settle_skill(world: &mut World, by: CharacterId, who: CharacterId, row: &SkillRow) {
    let values = Values { level: world.who(by).level, victim_level: world.who(who).level, ..Values::default() };
    for lasting in &row.lasting {
        let hours = lasting.hours.value(&values, &mut world.draw(Stream::Combat, Draw::Hours));
        let change = lasting.by.value(&values, &mut world.draw(Stream::Combat, Draw::Amount));
        let (kind, apply, flags) = (row.name.name().into(), lasting.apply, lasting.flags);
        let hours = if hours < 0 { -1 } else { hours.max(1) };
        let affect = Affect { kind, hours, apply, by: change, flags, ..Affect::default() };
        let cause = Cause { by: Some(by), source: Source::Skill(row.name.clone()) };
        super::work(world, who, super::Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
    }
}

/// The same, for all to see.
pub fn begin_skill(world: &mut World, by: CharacterId, who: CharacterId, row: &SkillRow) {
    if row.lasting.is_empty() {
        return;
    }
    settle_skill(world, by, who, row);
    let begun = world.who(who).affects.iter().find(|affect| &*affect.kind == row.name.name());
    let hours = begun.map(|affect| affect.hours);
    let name = row.name.name().into();
    let causer = (by != who).then(|| world.as_who(by));
    let outcome = world.note(Outcome::Affect { who: world.as_who(who), name, on: true, hours, by: causer });
    world.witness(&Scene::new(by, LineKind::Text).victim(who).sleepers().outcome(&outcome));
    let flags = row.lasting.iter().fold(AffectFlags::NONE, |flags, lasting| flags.with(lasting.flags));
    fall_asleep(world, who, flags);
}

/// Ends what sets any of the flags.
pub(super) fn cure(world: &mut World, art: &Working, who: CharacterId, flags: AffectFlags) {
    let names: Vec<_> = world.who(who).affects.iter().filter(|a| a.flags.any(flags)).map(|a| a.kind.clone()).collect();
    let plagued = world.who(who).affects.iter().any(|affect| affect.flags.any(flags) && affect.flags.any(PLAGUES));
    if names.is_empty() {
        return;
    }
    // What came with it goes with it: a poison weakens and burns.
    world.who_mut(who).affects.retain(|affect| !names.contains(&affect.kind));
    affects::end(world, who, flags);
    world.recompute(who);
    for name in names {
        let outcome = Outcome::Affect { who: world.as_who(who), name, on: false, hours: None, by: None };
        let outcome = world.note(outcome);
        world.witness(&Scene::new(who, LineKind::Text).sleepers().outcome(&outcome));
    }
    if plagued {
        let hp_percent = world.hp_percent(who);
        world.record_help(art.by, who, Help::Healed, Some(hp_percent));
    }
}
