//! Levels that are given rather than earned: by immortals, by the operator, and to characters at rest in the database.
//!
//! Invariant: there is one rule for what a level is made of (`Standing::change`), whether the character is in the world
//! or in a record.

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::character::*;
use crate::record::CharacterRecord;
use crate::report::{Line, LineKind};
use crate::rng::{Dice, Stream};
use crate::rules::Rules;
use crate::rules::creation::level_gain;
use crate::world::World;
use content::words::Class;
use protocol::Outcome;
use std::sync::Arc;

/// Hours of hunger and thirst that who was immortal begins with as a mortal.
const FED_HOURS: i32 = 36;

/// What of a player goes with its level.
struct Standing<'a> {
    class: Class,
    /// As they are now, for the gain of each level.
    abilities: Abilities,
    level: &'a mut i32,
    base: &'a mut Stats,
    player: &'a mut Player,
}

impl Standing<'_> {
    /// Sets the level outright, with everything that the levels between would have given.
    fn change(self, level: i32, rules: &Rules, dice: &mut Dice) {
        let Standing { class, abilities, level: held, base, player } = self;
        let level = level.clamp(1, LEVEL_MAX);
        let old = std::mem::replace(held, level);
        for step in old..level {
            let (hit, mana, moves, practices) = level_gain(rules, class, step + 1, &abilities, dice);
            base.hit_max += hit;
            base.mana_max += mana;
            base.move_max += moves;
            player.practices += practices;
        }
        if level < old {
            // Going down takes the points back in proportion, so that advance cannot be used to pile them up.
            let scale = |value: i32, floor: i32| (value * level / old).max(floor);
            base.hit_max = scale(base.hit_max, 12);
            base.move_max = scale(base.move_max, 84);
        }
        let floor = if level <= 1 { 1 } else { rules.experience_to_leave(class, level - 1) };
        // Whoever is put down begins at the beginning of its level, not on the step to the next.
        let top = rules.experience_to_leave(class, level);
        player.experience = if player.experience < top { player.experience.max(floor) } else { floor };
        let privileges = PlayerFlags::HOLYLIGHT.with(PlayerFlags::NO_HASSLE);
        if level >= LEVEL_IMMORTAL {
            player.flags.insert(privileges);
            (player.drunk, player.full, player.thirst) = (0, -1, -1);
        } else if player.full < 0 {
            (player.full, player.thirst) = (FED_HOURS, FED_HOURS);
            player.flags.remove(privileges);
        }
    }
}

/// Sets the level of a stored character; it is whole afterwards.
pub fn promote_record(record: &mut CharacterRecord, level: i32, rules: &Rules, dice: &mut Dice) {
    let CharacterRecord { class, base, level: held, player, .. } = record;
    Standing { class: *class, abilities: base.abilities, level: held, base, player }.change(level, rules, dice);
    (record.hit, record.mana, record.moves) = (record.base.hit_max, record.base.mana_max, record.base.move_max);
}

/// Sets the level of a player in the world, with all that belongs to it: it is told, remembered and saved. Does nothing
/// for mobs. `by`: the immortal who does it; without one it is whoever keeps the server.
pub fn promote(world: &mut World, who: CharacterId, level: i32, by: Option<CharacterId>) {
    if !world.who(who).is_player() {
        return;
    }
    let before = world.who(who).level;
    world.set_level(who, level);
    let level = world.who(who).level;
    let sentences = &world.content.sentences;
    let sentence = if level < before { &sentences.lowered } else { &sentences.raised };
    let changed = if level < before { "lowered" } else { "raised" };
    let by = by.map_or("The keeper of this world".to_string(), |by| capitalised(world.name_for(who, by)));
    let text = format!("{sentence} {by} has {changed} you, {}. You are of level {level} now.", world.who(who).name);
    let rises = level > before;
    let outcome = rises.then(|| world.note(Outcome::LevelGained { who: world.as_who(who), level: level as u16 }));
    if rises {
        world.record_level(who);
    }
    world.send_line(who, Arc::new(Line { kind: LineKind::Level, text, outcome, ..Line::default() }));
    world.save(who);
}

impl World {
    /// Sets a player's level outright; it is whole afterwards. For `promote`, and for tests that need somebody of a
    /// level without a word about it. Does nothing for mobs.
    pub fn set_level(&mut self, who: CharacterId, level: i32) {
        let old = self.who(who).level;
        let dice = self.streams.get(Stream::Command);
        let Some(character) = self.state.characters.get_mut(who) else { return };
        let (class, abilities) = (character.class, character.now.abilities);
        let Character { level: held, base, kind: Kind::Player(player), .. } = character else { return };
        Standing { class, abilities, level: held, base, player }.change(level, &self.rules, dice);
        if old >= LEVEL_IMMORTAL && level < LEVEL_IMMORTAL {
            self.forget_snooper(who);
        }
        self.who_list = None;
        self.recompute(who);
        let character = self.who_mut(who);
        character.hit = character.now.hit_max;
        character.mana = character.now.mana_max;
        character.moves = character.now.move_max;
        self.update_position(who);
    }

    /// The points and practices of one level that was earned. `level` is the new one.
    pub(crate) fn gain_level_points(&mut self, who: CharacterId, level: i32) {
        let (class, abilities) = (self.who(who).class, self.who(who).now.abilities);
        let rules = self.rules.clone();
        let (hit, mana, moves, practices) = level_gain(&rules, class, level, &abilities, self.dice(Stream::Command));
        let character = self.who_mut(who);
        character.base.hit_max += hit;
        character.base.mana_max += mana;
        character.base.move_max += moves;
        if let Some(player) = character.player_mut() {
            player.practices += practices;
        }
        self.recompute(who);
    }
}
