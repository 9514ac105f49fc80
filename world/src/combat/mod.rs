//! Fighting: who may strike whom, and the round that every fighter gets on each tick.
//!
//! Who fights whom is in `fights.rs`, what a blow takes is harm (`effects/harm.rs`), and what may come of it is in
//! `flight.rs` and `death.rs`.

use crate::arena::CharacterId;
use crate::character::*;
use crate::draws::Draw;
use crate::find::{Target, is_keyword};
use crate::mounts;
use crate::refusal::{Done, Refusal};
use crate::rng::Stream;
use crate::rules::abilities;
use crate::script::{Event, Owner};
use crate::skill::SkillId;
use crate::world::World;
use content::flags::*;
use content::scripts::Hook;
use content::words::*;

pub mod blows;

/// Of so many of one name it is asked who may be struck.
const NAMESAKES_MAX: usize = 10;

/// What the charmed read who would strike a player.
const NO_MURDERER: &str = "Your own will is not strong enough for that, and nobody's order makes you a murderer.";

/// A parry by habit succeeds where a draw of 0 to this is below what was learned.
const HABIT_SIDES: i32 = 10_000;

/// So many blows of a round somebody wards off who wards off any: the nimble more.
pub fn warded_by(c: &Character) -> i32 {
    (-abilities::dexterity_defence(c.now.abilities.dexterity)).max(1)
}

impl World {
    /// Whether `attacker` may strike `victim` at all. `murder`: it means to strike a player.
    /// Source: game reference §2.7; the level floor is `pk_level_min` of the rule book.
    pub fn may_attack(&self, attacker: CharacterId, victim: CharacterId, murder: bool) -> Done {
        let (a, v) = (self.who(attacker), self.who(victim));
        if attacker == victim {
            return Err("You have enough enemies without adding yourself.".into());
        }
        if a.is(AffectFlags::CHARM) && a.leader == Some(victim) {
            return Err("You could never raise a hand against your master.".into());
        }
        let engaged = v.fighting == Some(attacker);
        let outlaw = v.player_flags().has(PlayerFlags::OUTLAW);
        if self.keeps_peace(attacker, victim) {
            return Err("The peace of this place stays your hand.".into());
        }
        if v.is_mob() {
            if self.is_untouchable(victim) {
                return Err(Refusal::from(format!(
                    "{} is not somebody you can pick a fight with.",
                    crate::act::capitalised(v.shown())
                )));
            }
            return Ok(());
        }
        // Who is charmed may defend itself; ordered it strikes no player, whoever began.
        if self.ordered == Some(attacker) && a.is_player() {
            return Err(NO_MURDERER.into());
        }
        if engaged {
            return Ok(());
        }
        if a.is_mob() {
            // What a servant does, its master answers for.
            let master = self.answers_for(attacker);
            return if master == attacker { Ok(()) } else { self.may_attack(master, victim, true) };
        }
        if a.is(AffectFlags::CHARM) {
            return Err(NO_MURDERER.into());
        }
        let floor = self.rules.pk_level_min;
        if a.is_immortal() || v.is_immortal() {
            return Err("The immortals have settled such things among themselves.".into());
        }
        if a.level < floor {
            return Err(
                format!("You must be of level {floor} before you may raise your hand against other players.").into()
            );
        }
        if v.level < floor && !outlaw {
            return Err(format!("{} is too young to die by your hand, being below level {floor}.", v.shown()).into());
        }
        if !murder {
            return Err(
                format!("If you mean to kill {}, say so: murder {}.", v.shown(), v.name.to_ascii_lowercase()).into()
            );
        }
        Ok(())
    }

    /// Asks once whether somebody means to strike whom it could hardly beat. Nobody is asked in a fight with it.
    pub fn dares(&mut self, attacker: CharacterId, victim: CharacterId) -> Done {
        let (a, v) = (self.who(attacker), self.who(victim));
        let above = v.level - a.level;
        let engaged = a.fighting == Some(victim) || v.fighting == Some(attacker);
        let warned = a.player().is_none_or(|player| player.warned_of == Some(victim));
        if warned || above < self.rules.hopeless_levels || engaged || a.is_immortal() || !v.is_awake() {
            return Ok(());
        }
        let fate = if above < 2 * self.rules.hopeless_levels { "cripple" } else { "kill" };
        let name = crate::act::capitalised(self.name_for(attacker, victim));
        self.player_mut(attacker).warned_of = Some(victim);
        Err(format!("{name} would {fate} you. Type it again if you mean it.").into())
    }

    /// Whom somebody means who names nobody: its own opponent, else that of the first of its group here who has one
    /// that it sees and may strike.
    pub fn opponent_meant(&self, who: CharacterId) -> Option<CharacterId> {
        let own = self.who(who).fighting.filter(|id| self.character(*id).is_some());
        let may = |foe: &CharacterId| {
            let here = self.character(*foe).is_some_and(|c| c.room == self.who(who).room);
            here && self.sees(who, *foe) && self.may_attack(who, *foe, false).is_ok()
        };
        let of_group = || self.group_here(who).into_iter().filter_map(|one| self.who(one).fighting).find(may);
        own.or_else(of_group)
    }

    /// Somebody in the room whom a word without a number means for a blow. Of those whom it means alike and who may be
    /// struck: the opponent that one has, one that fights nobody else, the first; else the first of all.
    pub fn foe_here(&self, seeker: CharacterId, text: &str) -> Result<CharacterId, Refusal> {
        let first = self.here(seeker, text)?;
        if Target::parse(text).word != text {
            return Ok(first);
        }
        let opponent = self.who(seeker).fighting;
        // How much there is against somebody; nothing may be the better choice.
        let against = |who: CharacterId| match self.who(who).fighting {
            _ if opponent == Some(who) => 0,
            Some(other) if other == seeker => 1,
            None => 2,
            Some(_) => 3,
        };
        let may = |who: CharacterId| self.may_attack(seeker, who, true).is_ok();
        if may(first) && against(first) == 0 {
            return Ok(first);
        }
        let is_whole = |who: CharacterId| is_keyword(&self.who(who).keywords, text);
        let others = (2..=NAMESAKES_MAX).map_while(|n| self.find_here(seeker, &format!("{n}.{text}")));
        let alike = others.take_while(|other| is_whole(*other) == is_whole(first));
        let best = std::iter::once(first).chain(alike).filter(|other| may(*other)).min_by_key(|other| against(*other));
        Ok(best.unwrap_or(first))
    }

    /// How many blows a fighter has in this round. Source: game reference §2.4.
    fn attacks_of(&mut self, who: CharacterId) -> i32 {
        let (is_mob, level, class) = {
            let c = self.who(who);
            (c.is_mob(), c.level, c.class)
        };
        let flags = self.who(who).now.flags;
        let second = self.rules.class(class).second_attack;
        let mut dice = self.draw(Stream::Combat, Draw::Attacks);
        let mut attacks = 1;
        if is_mob {
            attacks = match level {
                ..=10 => 1,
                11..=20 => 2,
                21..=27 => 3,
                28..=30 => 4,
                _ => 5,
            };
            if dice.range(0, 900) < level {
                attacks += 1;
            }
        } else {
            // Asked of nobody to whom it cannot come, so that the others' dice fall as ever.
            if let Some(second) = second.filter(|second| level > second.above_level)
                && dice.percent(second.percent + level)
            {
                attacks += 1;
            }
            if level > 25 && dice.percent(75) {
                attacks += 1;
            }
            if level > 30 || dice.one_in(501) {
                attacks += 1;
            }
            if level > 39 {
                attacks += 2;
            }
        }
        attacks += i32::from(flags.has(AffectFlags::HASTE)) - i32::from(flags.has(AffectFlags::SLOW));
        attacks.max(0)
    }

    /// How many blows of a round come to nothing before they are struck: because `victim` parried, or is somebody who
    /// does so by habit. Source: game reference §2.4.
    fn blows_warded_off(&mut self, who: CharacterId, victim: CharacterId) -> i32 {
        let parried = self.who(who).warded;
        if parried != 0 {
            self.who_mut(who).warded = 0;
        }
        let v = self.who(victim);
        let (skill, level, worth) = (v.skill(&SkillId::PARRY), v.level, warded_by(v));
        // Asked of nobody who cannot, so that the others' dice fall as ever.
        let by_habit = match v.is_mob() {
            true if v.is(AffectFlags::DODGE) => self.draw(Stream::Combat, Draw::Parry).percent(level),
            false if skill > 0 => self.draw(Stream::Combat, Draw::Parry).range(0, HABIT_SIDES) < skill,
            _ => false,
        };
        parried + if by_habit { worth } else { 0 }
    }

    /// One round of one fighter.
    pub(crate) fn fight_round(&mut self, who: CharacterId) {
        let Some(character) = self.character(who) else { return };
        let Some(victim) = character.fighting else { return };
        if self.character(victim).is_none_or(|v| v.room != character.room) || character.position <= Position::Stunned {
            self.stop_fighting(who);
            return;
        }
        if character.position < Position::Fighting {
            // Knocked down: up again when the lag is over, and the round is spent on it.
            if self.tick() < character.free_tick || character.position == Position::Sleeping {
                return;
            }
            mounts::end(self, who);
            self.who_mut(who).position = Position::Fighting;
            let scene = crate::act::Scene::new(who, crate::report::LineKind::Position);
            self.show(&scene, "You struggle to your feet.", "", "$n struggles to $s feet.");
        }
        let serial = self.who(who).serial;
        self.streams.fork(Stream::Combat, serial);
        let blows = self.attacks_of(who) - self.blows_warded_off(who, victim);
        for _ in 0..blows {
            if self.character(who).is_none_or(|c| c.fighting != Some(victim)) || self.character(victim).is_none() {
                return;
            }
            self.strike(who, victim);
        }
        if self.character(who).is_some_and(|c| c.is_mob() && c.fighting == Some(victim)) {
            self.fire(&Event { actor: Some(victim), ..Event::new(Hook::Fight, Owner::Mob(who)) });
        }
    }
}
