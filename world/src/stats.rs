//! What a character is worth right now: base values, changed by what it wears and suffers; and the position that its
//! hit points leave it.

use crate::arena::CharacterId;
use crate::character::*;
use crate::draws::Draw;
use crate::rng::Stream;
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
        let tattoo = character.player().and_then(|player| self.rules.tattoo(player.tattoo.as_deref()?));
        for apply in tattoo.map_or(&[][..], |row| &row.applies) {
            change(&mut now, apply.to, apply.by);
        }
        for (slot, object) in &character.worn {
            let object = self.object(*object);
            innate.insert(object.affects);
            if let ObjectKind::Armor { armor } = object.kind {
                now.armor -= armor * armor_factor(*slot);
            }
            for apply in &object.applies {
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

    /// A saving throw. Source: game reference §2.5; mobs use the warriors' table.
    pub fn saves(&mut self, who: CharacterId, save: Save) -> bool {
        let character = self.who(who);
        let class = if character.is_mob() { Class::Warrior } else { character.class };
        let number = self.rules.save(class, character.level, save) + character.now.saves[save as usize];
        number.max(1) < self.draw(Stream::Combat, Draw::Save).range(0, 99)
    }

    /// Brings the position in line with the hit points. Source: game reference §2.4.
    pub fn update_position(&mut self, who: CharacterId) {
        let c = self.who(who);
        let position = match c.hit {
            1.. if c.position > Position::Stunned => return,
            1.. => Position::Standing,
            -2..=0 => Position::Stunned,
            -5..=-3 => Position::Incapacitated,
            -10..=-6 => Position::MortallyWounded,
            _ => Position::Dead,
        };
        if c.position != position {
            let fighting = c.fighting.is_some();
            self.who_mut(who).rides = None;
            self.who_mut(who).position =
                if position == Position::Standing && fighting { Position::Fighting } else { position };
        }
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
