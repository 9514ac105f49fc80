//! What a character is worth right now: base values, changed by what it wears and suffers.

use crate::arena::CharacterId;
use crate::character::*;
use crate::rng::Stream;
use crate::rules::creation::level_gain;
use crate::world::World;
use content::ObjectKind;
use content::flags::AffectFlags;
use content::words::*;

impl World {
    /// What `now` must be: `base`, changed by affects and equipment. Only looks.
    pub fn stats_of(&self, who: CharacterId) -> Stats {
        let character = self.who(who);
        let mut now = character.base;
        let mut innate = now.flags;
        for affect in &character.affects {
            change(&mut now, affect.apply, affect.by);
            innate.insert(affect.flags);
        }
        for (slot, object) in &character.worn {
            let thing = self.thing(*object);
            innate.insert(thing.affects);
            if let ObjectKind::Armor { armor } = thing.kind {
                now.armor -= armor * armor_factor(*slot);
            }
            for apply in &thing.applies {
                change(&mut now, apply.to, apply.by);
            }
        }
        now.flags = innate;
        let ability_max = if character.is_player() && !character.is_immortal() { 18 } else { 25 };
        let a = &mut now.abilities;
        if character.is_player() && a.strength > 18 && !character.is_immortal() {
            a.strength_add = (a.strength_add + 10 * (a.strength - 18)).min(100);
        }
        for ability in [
            &mut a.strength,
            &mut a.intelligence,
            &mut a.wisdom,
            &mut a.dexterity,
            &mut a.constitution,
            &mut a.charisma,
        ] {
            *ability = (*ability).clamp(0, ability_max);
        }
        now.armor = now.armor.clamp(-100, 100);
        now.hit_max = now.hit_max.max(1);
        now.mana_max = now.mana_max.max(0);
        now.move_max = now.move_max.max(0);
        now
    }

    /// Makes `now` from `base`, affects and equipment, and cuts the points to the new maxima.
    pub fn recompute(&mut self, who: CharacterId) {
        let now = self.stats_of(who);
        let character = self.who_mut(who);
        let shown_or_hid = (character.now.flags.0 ^ now.flags.0) & AffectFlags::INVISIBLE.0 != 0;
        character.now = now;
        character.hit = character.hit.min(now.hit_max);
        character.mana = character.mana.min(now.mana_max);
        character.moves = character.moves.min(now.move_max);
        // WHO leaves out invisible immortals.
        if shown_or_hid && character.is_immortal() {
            self.who_list = None;
        }
    }

    /// Adds an effect; with `join`, one of the same kind and apply is lengthened instead.
    pub fn add_affect(&mut self, who: CharacterId, affect: Affect, join: bool) {
        let affects = &mut self.who_mut(who).affects;
        match affects.iter_mut().find(|a| join && a.kind == affect.kind && a.apply == affect.apply) {
            Some(old) => {
                old.hours = old.hours.max(affect.hours);
                old.by = affect.by;
                old.flags.insert(affect.flags);
            }
            None => affects.push(affect),
        }
        self.recompute(who);
    }

    /// Ends every effect of a kind. True when there was one.
    pub fn end_affect(&mut self, who: CharacterId, kind: &str) -> bool {
        let before = self.who(who).affects.len();
        if !self.who(who).affects.iter().any(|a| &*a.kind == kind) {
            return false;
        }
        self.who_mut(who).affects.retain(|a| &*a.kind != kind);
        self.recompute(who);
        self.who(who).affects.len() < before
    }

    /// Sets a level outright, with everything that the levels between would have given on average dice.
    pub fn set_level(&mut self, who: CharacterId, level: i32) {
        let level = level.clamp(1, LEVEL_MAX);
        let old = self.who(who).level;
        for step in old..level {
            self.gain_level_points(who, step + 1);
        }
        let class = self.who(who).class;
        let character = self.who_mut(who);
        character.level = level;
        if level < old {
            // Going down takes the points back in proportion, so that advance cannot be used to pile them up.
            let scale = |value: i32, floor: i32| (value * level / old).max(floor);
            character.base.hit_max = scale(character.base.hit_max, 12);
            character.base.move_max = scale(character.base.move_max, 84);
        }
        let floor = if level <= 1 { 1 } else { self.rules.experience_to_leave(class, level - 1) };
        let top = self.rules.experience_to_leave(class, level);
        let immortal = level >= LEVEL_IMMORTAL;
        if let Some(player) = self.who_mut(who).player_mut() {
            player.experience = player.experience.clamp(floor, top.max(floor));
            if immortal {
                player.flags.insert(PlayerFlags::HOLYLIGHT.with(PlayerFlags::NO_HASSLE));
                (player.drunk, player.full, player.thirst) = (0, -1, -1);
            } else if player.full < 0 {
                (player.full, player.thirst) = (36, 36);
                player.flags.remove(PlayerFlags::HOLYLIGHT.with(PlayerFlags::NO_HASSLE));
            }
        }
        if old >= LEVEL_IMMORTAL && !immortal {
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

    /// The points and practices of one level. `level` is the new one.
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

    /// A saving throw. Source: game reference §2.5; mobs use the warriors' table.
    pub fn saves(&mut self, who: CharacterId, save: Save) -> bool {
        let character = self.who(who);
        let class = if character.is_mob() { Class::Warrior } else { character.class };
        let number = self.rules.save(class, character.level, save) + character.now.saves[save as usize];
        number.max(1) < self.dice(Stream::Combat).range(0, 99)
    }
}

/// Armour counts threefold on the body and twice on head and legs. Source: game reference §1.4.
pub fn armor_factor(slot: WearSlot) -> i32 {
    match slot {
        WearSlot::Body => 3,
        WearSlot::Head | WearSlot::Legs => 2,
        _ => 1,
    }
}

fn change(stats: &mut Stats, apply: Apply, by: i32) {
    if let Some(ability) = stats.abilities.get_mut(apply) {
        *ability += by;
        return;
    }
    match apply {
        Apply::Mana => stats.mana_max += by,
        Apply::Hit => stats.hit_max += by,
        Apply::Move => stats.move_max += by,
        Apply::ArmorClass => stats.armor += by,
        Apply::HitRoll => stats.hit_roll += by,
        Apply::DamageRoll => stats.damage_roll += by,
        Apply::SaveParalysis => stats.saves[0] += by,
        Apply::SaveRod => stats.saves[1] += by,
        Apply::SavePetrify => stats.saves[2] += by,
        Apply::SaveBreath => stats.saves[3] += by,
        Apply::SaveSpell => stats.saves[4] += by,
        Apply::HitRegen => stats.hit_regen += by,
        Apply::ManaRegen => stats.mana_regen += by,
        Apply::MoveRegen => stats.move_regen += by,
        // Looks, hatred of a race and the like act where they are asked about.
        _ => {}
    }
}
