//! Experience: what a kill is worth to each, gaining and losing it, and levels. Source: game reference §2.3, §2.7.

use crate::act::listed;
use crate::arena::CharacterId;
use crate::character::*;
use crate::milestones;
use crate::report::{Line, LineKind, Request};
use crate::world::World;
use protocol::Outcome;
use std::sync::Arc;

impl World {
    /// Who gets experience for a death, and how much: the killer's group in the room, or the killer. Nobody for that of
    /// a player.
    pub(crate) fn credits_for(&self, victim: CharacterId, killer: CharacterId) -> Vec<(CharacterId, i32)> {
        if self.who(victim).is_player() {
            return Vec::new();
        }
        // A charmed follower fights for its master.
        let killer = match self.who(killer).leader {
            Some(leader) if self.who(killer).is_mob() && self.character(leader).is_some_and(Character::is_player) => {
                leader
            }
            _ => killer,
        };
        if !self.who(killer).is_player() {
            return Vec::new();
        }
        let worth = self.who(victim).mob().map_or(0, |m| m.experience).min(self.rules.experience_gain_max);
        let members = self.group_here(killer);
        let shared = members.len() > 1;
        let share = if shared { worth / members.len() as i32 } else { worth };
        let share = if shared && share > 100 { share - share / 100 } else { share };
        let victim_level = self.who(victim).level;
        let credit = |member: CharacterId| {
            let level = self.who(member).level;
            (member, adjusted(share, level - victim_level - if shared { 0 } else { 2 }, level))
        };
        members.into_iter().map(credit).collect()
    }

    /// Experience, alignment and tallies for those who killed `victim`. `credits`: from `credits_for`.
    pub(crate) fn credit_death(&mut self, victim: CharacterId, credits: &[(CharacterId, i32)]) {
        let shared = credits.len() > 1;
        let victim_alignment = self.who(victim).alignment;
        for &(member, gained) in credits {
            let text = if shared {
                format!("Your share of the experience: {gained} {}.", points(gained))
            } else {
                format!("You learn from it: {gained} {} of experience.", points(gained))
            };
            let (who, slain) = (self.as_who(member), self.as_who(victim));
            let outcome = self.note(Outcome::KillCredit { who, victim: slain, xp: i64::from(gained) });
            let line = Line { kind: LineKind::Level, text, outcome: Some(outcome), ..Line::default() };
            self.send_line(member, Arc::new(line));
            self.player_mut(member).kills += 1;
            milestones::reached(self, member);
            let character = self.who_mut(member);
            // Killing the wicked makes one better, and the reverse. Source: a += (−v − a) >> 4.
            if victim_alignment != 0 {
                character.alignment =
                    (character.alignment + ((-victim_alignment - character.alignment) >> 4)).clamp(-1000, 1000);
            }
            self.gain_experience(member, gained);
        }
    }

    /// Adds experience; at most one level is gained at a time. Negative amounts are ignored.
    pub fn gain_experience(&mut self, who: CharacterId, amount: i32) {
        let character = self.who(who);
        if !character.is_player() || amount <= 0 || character.level >= self.rules.level_mortal_max {
            return;
        }
        let (class, level) = (character.class, character.level);
        let rules = self.rules.clone();
        let next = rules.experience_to_leave(class, level);
        // One level per gain: never past the end of the level after this one.
        let cap = rules.experience_to_leave(class, level + 1) - 1;
        let player = self.player_mut(who);
        player.experience = player.experience.saturating_add(amount.min(rules.experience_gain_max)).min(cap);
        if player.experience < next {
            return;
        }
        let before = self.who(who).base;
        let practices = self.who(who).player().map_or(0, |player| player.practices);
        let level = level + 1;
        self.who_mut(who).level = level;
        self.who_list = None;
        self.gain_level_points(who, level);
        let outcome = self.note(Outcome::LevelGained { who: self.as_who(who), level: level as u16 });
        self.record_level(who);
        let scene = crate::act::Scene::new(who, LineKind::Level).outcome(&outcome);
        self.show(
            &scene,
            "You have come up a level! Something in you has found its footing.",
            "",
            "$n stands a little taller.",
        );
        self.send(who, LineKind::Level, self.gained_text(who, before, practices));
        let name = self.who(who).name.clone();
        self.request(Request::Log { text: format!("{name} reached level {level}") });
        self.save(who);
    }

    /// What a level has brought somebody who was so before it, and what to make of it.
    fn gained_text(&self, who: CharacterId, before: Stats, practices_before: i32) -> String {
        let c = self.who(who);
        let practices = c.player().map_or(0, |player| player.practices);
        let gains = [
            (c.base.hit_max - before.hit_max, "hit point"),
            (c.base.mana_max - before.mana_max, "point of mana"),
            (c.base.move_max - before.move_max, "point of movement"),
            (practices - practices_before, "practice session"),
        ];
        let gains =
            gains.into_iter().filter(|(gain, _)| *gain > 0).map(|(gain, of)| match (gain, of.split_once(' ')) {
                (1, _) => format!("1 {of}"),
                (n, Some(("point", rest))) => format!("{n} points {rest}"),
                (n, _) => format!("{n} {of}s"),
            });
        let gained = listed(&gains.collect::<Vec<_>>());
        let mut text = format!("You are of level {} now", c.level);
        if !gained.is_empty() {
            text = format!("{text}: {gained} more");
        }
        text.push('.');
        let rules = &self.rules;
        let spells = rules.spells.iter().filter(|row| row.levels.get(&c.class) == Some(&c.level));
        let skills = rules.skills.iter().filter(|row| row.is_usable() && row.levels.get(&c.class) == Some(&c.level));
        let arts = spells.map(|row| row.name.to_string()).chain(skills.map(|row| row.name.to_string()));
        let arts = listed(&arts.collect::<Vec<_>>());
        match practices {
            _ if !arts.is_empty() => {
                text.push_str(&format!(" Your guild can teach you {arts} now: type practice there."))
            }
            1.. => text.push_str(" A session is a lesson at your guild: type practice there."),
            _ => {}
        }
        text
    }

    /// Takes experience; nobody falls below 1 point, and nobody loses a level by it.
    pub fn lose_experience(&mut self, who: CharacterId, amount: i32) {
        let lost = self.experience_loss(who, amount);
        if lost != 0 {
            self.player_mut(who).experience -= lost;
        }
    }

    /// How much of `amount` it would really lose. Negative for who has less than the one point that everybody keeps.
    pub(crate) fn experience_loss(&self, who: CharacterId, amount: i32) -> i32 {
        let c = self.who(who);
        let Some(player) = c.player().filter(|_| !c.is_immortal()) else { return 0 };
        let amount = amount.clamp(0, self.rules.experience_loss_max);
        player.experience - (player.experience - amount).max(1)
    }
}

/// A kill is worth less to those who outgrew it. `gap`: own level above the victim's. Source: game reference §2.7.
fn adjusted(worth: i32, gap: i32, level: i32) -> i32 {
    let lost_percent = match gap {
        16.. => 70,
        11.. => 50,
        6.. => 30,
        _ => 0,
    };
    let mut worth = worth - (i64::from(worth) * lost_percent / 100) as i32;
    if level > 20 {
        worth -= worth / 5;
    }
    worth.max(1)
}

fn points(n: i32) -> &'static str {
    if n == 1 { "point" } else { "points" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_outgrew_is_worth_less() {
        for (worth, gap, level, expected) in [
            (1000, 0, 5, 1000),
            (1000, 6, 12, 700),
            (1000, 11, 15, 500),
            (1000, 16, 20, 300),
            (1000, 0, 25, 800),
            (1, 20, 30, 1),
        ] {
            assert_eq!(adjusted(worth, gap, level), expected, "gap {gap} at level {level}");
        }
    }
}
