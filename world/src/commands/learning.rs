//! How an art is known, and how one gets better at it: by being taught, and by doing it.

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::character::Player;
use crate::draws::Draw;
use crate::refusal::Refusal;
use crate::report::{Line, LineKind};
use crate::rng::Stream;
use crate::skill::SpellId;
use crate::world::World;
use content::words::Class;
use protocol::Outcome;
use std::sync::Arc;

/// Use makes nobody better than this, percent.
const USE_TEACHES_BELOW: i32 = 97;
/// The sides of which wisdom and intelligence together win, when something is learned by doing.
const LEARN_SIDES: i32 = 200;

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

/// Why somebody cannot do what it does not know.
pub fn unknown(world: &World, who: CharacterId, art: Art) -> Refusal {
    let c = world.who(who);
    let name = art.name();
    match art.level(c.class) {
        None => format!("{} is not for people of your craft.", capitalised(name)),
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

/// Somebody knows an art better than before.
pub fn tell_learned(world: &mut World, who: CharacterId, skill: &str, percent: i32, text: &str) {
    let (learner, percent) = (world.as_who(who), percent.clamp(0, 100) as u8);
    let outcome = Some(world.note(Outcome::Practiced { who: learner, skill: skill.into(), percent }));
    world.send_line(who, Arc::new(Line { kind: LineKind::Text, text: text.into(), outcome, ..Line::default() }));
}
