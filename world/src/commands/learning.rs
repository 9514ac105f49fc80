//! How an art is known, and how one gets better at it: by being taught, and by doing it.

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::character::Player;
use crate::commands::help_places;
use crate::draws::Draw;
use crate::refusal::Refusal;
use crate::report::{Line, LineKind};
use crate::rng::Stream;
use crate::skill::SpellId;
use crate::tasks::says_where;
use crate::world::World;
use content::words::Class;
use content::{Behaviour, RoomId};
use protocol::{Outcome, places};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Use makes nobody better than this, percent.
const USE_TEACHES_BELOW: i32 = 97;
/// The sides of which wisdom and intelligence together win, when something is learned by doing.
const LEARN_SIDES: i32 = 200;
/// Up to this, percent, an art is hardly learned: newcomers begin at 25.
const HARDLY_PERCENT: i32 = 40;
/// So often a player is told where to practise.
const PRACTICE_HINTS_MAX: u8 = 3;

/// An art, whether it is cast or done.
#[derive(Clone, Copy)]
pub enum Art<'r> {
    Spell(&'r content::arts::SpellRow),
    Skill(&'r crate::rules::SkillRow),
}

impl<'r> Art<'r> {
    pub fn name(self) -> &'r str {
        match self {
            Art::Spell(row) => &row.name,
            Art::Skill(row) => row.name.name(),
        }
    }

    pub fn level(self, class: Class) -> Option<i32> {
        match self {
            Art::Spell(row) => row.levels.get(&class).copied(),
            Art::Skill(row) => row.levels.get(&class).copied(),
        }
    }

    /// Learned percent.
    pub fn percent(self, player: &Player) -> i32 {
        match self {
            Art::Spell(row) => player.spells.get(&SpellId::from(&*row.name)).copied().unwrap_or(0),
            Art::Skill(row) => player.skills.get(&row.name).copied().unwrap_or(0),
        }
    }

    pub fn set(self, player: &mut Player, percent: i32) {
        match self {
            Art::Spell(row) => player.spells.insert(SpellId::from(&*row.name), percent),
            Art::Skill(row) => player.skills.insert(row.name.clone(), percent),
        };
    }
}

/// What spells are called in other games of this kind, and here. Read once from the embedded file, which never changes:
/// no state.
static OTHER_NAMES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../data/rules/other_names.toml")).expect("the embedded names are read by a test")
});

/// What a spell of another game, in lower case, is called here.
pub(super) fn called_elsewhere(name: &str) -> Option<&'static str> {
    OTHER_NAMES.get(name).map(|here| &**here)
}

/// Why somebody cannot do what it does not know.
pub fn unknown(world: &World, who: CharacterId, art: Art) -> Refusal {
    let c = world.who(who);
    let name = art.name();
    match art.level(c.class) {
        None => format!("Your craft does not teach {name}: help {name} says whose does."),
        Some(level) if level > c.level => format!("You can learn {name} at level {level}."),
        Some(_) => format!("You have not learned {name}. A master of your craft could teach it."),
    }
    .into()
}

/// One learns by doing: the wiser and cleverer the sooner. Source: game reference §2.3.
pub fn learn_by_use(world: &mut World, who: CharacterId, art: Art) {
    let c = world.who(who);
    let wits = c.now.abilities.wisdom + c.now.abilities.intelligence;
    let percent = c.player().map_or(0, |player| art.percent(player));
    if !(1..USE_TEACHES_BELOW).contains(&percent)
        || world.draw_for(who, Stream::Command, Draw::Learn).range(1, LEARN_SIDES) > wits
    {
        return;
    }
    let gain = world.draw_for(who, Stream::Command, Draw::Learn).range(1, 3);
    let percent = (percent + gain).min(USE_TEACHES_BELOW);
    art.set(world.player_mut(who), percent);
    tell_learned(world, who, art.name(), percent, "You have a better feeling for it now.");
}

/// Whether somebody is a teacher of a class.
pub(super) fn teaches(world: &World, id: CharacterId, class: Class) -> bool {
    let behaviours = world.mob_proto(id).map_or(&[][..], |proto| &proto.behaviours);
    behaviours.iter().any(|one| matches!(one, Behaviour::Teacher { classes } if classes.contains(&class)))
}

/// Who in the world teaches a class: the one that was there first.
pub(super) fn master(world: &World, class: Class) -> Option<CharacterId> {
    let mobs = world.state.characters.iter().map(|(id, _)| id);
    mobs.filter(|id| teaches(world, *id, class)).min_by_key(|id| world.who(*id).serial)
}

/// Where a teacher is, and in brackets how to be told the way, where somebody can be.
pub(super) fn place_and_way(world: &World, who: CharacterId, room: RoomId) -> (String, String) {
    let place = world.room_proto(room).name.split(',').next().unwrap_or_default();
    let way = match help_places::named(world, who, place) {
        Some(_) => format!(" (the way: help {})", place.to_lowercase()),
        None => String::new(),
    };
    (places::at(place), way)
}

/// After somebody has failed at an art that it has hardly learned: where to practise it. It is told a few times and
/// then never again, whatever art it is.
pub(super) fn hint_at_practice(world: &mut World, who: CharacterId, art: Art) {
    let Some(c) = world.character(who) else { return };
    let class = c.class;
    let Some(player) = c.player().filter(|_| !c.is_immortal()) else { return };
    let percent = art.percent(player);
    let is_taught = art.level(class).is_some_and(|level| level <= c.level);
    if !is_taught || !(1..=HARDLY_PERCENT).contains(&percent) || player.practice_hints >= PRACTICE_HINTS_MAX {
        return;
    }
    let name = art.name();
    let what = match (player.practices, master(world, class)) {
        (1.., Some(master)) => {
            let master = world.who(master);
            let (place, way) = place_and_way(world, who, master.room);
            let is_told = says_where(master.shown(), &world.room_proto(master.room).name);
            let at = if is_told { String::new() } else { format!(", {place}") };
            format!("{} teaches it{at}: practice {name}{way}", capitalised(master.shown()))
        }
        (1.., None) => "Nobody in the world teaches it now; it grows with use.".to_string(),
        _ => "It grows with use, and each level brings sessions to practise it: help levels".to_string(),
    };
    world.send(who, LineKind::Text, format!("You know {name} poorly so far ({percent}%). {what}"));
    world.player_mut(who).practice_hints += 1;
}

/// Somebody knows an art better than before.
pub fn tell_learned(world: &mut World, who: CharacterId, skill: &str, percent: i32, text: &str) {
    let (learner, percent) = (world.as_who(who), percent.clamp(0, 100) as u8);
    let outcome = Some(world.note(Outcome::Practiced { who: learner, skill: skill.into(), percent }));
    world.send_line(who, Arc::new(Line { kind: LineKind::Text, text: text.into(), outcome, ..Line::default() }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn names_of_other_games_lead_to_spells_of_ours() {
        let rules = Rules::built_in();
        for (other, here) in OTHER_NAMES.iter() {
            assert!(rules.spells.iter().any(|row| *row.name == *here.as_str()), "{here}");
            assert!(rules.spells.iter().all(|row| *row.name != *other.as_str()), "{other}");
        }
    }
}
