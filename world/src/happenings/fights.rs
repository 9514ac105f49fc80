//! Fights as they are remembered: deaths, flights, wounds, treason and help.

use super::Occasion;
use crate::arena::CharacterId;
use crate::past::{DEFENCE_TICKS, note_name};
use crate::world::World;
use protocol::happening::{Help, Role, WOUND_PERCENTS, What};
use protocol::outcome::Who;
use std::sync::Arc;

impl World {
    /// `who` begins to fight.
    pub(crate) fn enter_fight(&mut self, who: CharacterId) {
        let tick = self.tick();
        if self.past(who).is_some_and(|past| past.fight.is_over(false, tick))
            && let Some(past) = self.past_mut(who)
        {
            past.fight.begin(tick);
        }
    }

    /// `who` was struck, and fought nobody before.
    pub(crate) fn suffer_attack(&mut self, who: CharacterId) {
        if let Some(past) = self.past_mut(who) {
            past.fight.attacked = true;
        }
    }

    /// `who` fights nobody any more, for now at least.
    pub(crate) fn leave_fight(&mut self, who: CharacterId) {
        let tick = self.tick();
        if let Some(past) = self.past_mut(who) {
            past.fight.ended_tick = Some(tick);
        }
    }

    /// A death. `credits`: who gets experience for it and how much; `lost`: what it costs the dead.
    pub(crate) fn record_death(
        &mut self,
        victim: CharacterId,
        killer: Option<CharacterId>,
        credits: &[(CharacterId, i32)],
        lost: i32,
    ) {
        // Whoever has a part in it without the last blow: by the share of experience, or with a blade drawn.
        let mut helpers: Vec<CharacterId> = credits.iter().map(|(who, _)| *who).collect();
        for fighter in &self.state.fighters {
            let c = self.who(*fighter);
            if c.fighting == Some(victim) && c.is_player() && !helpers.contains(fighter) {
                helpers.push(*fighter);
            }
        }
        helpers.retain(|who| Some(*who) != killer);
        let by_player = killer.is_some_and(|killer| self.is_player(killer));
        if !self.is_player(victim) && !by_player && helpers.is_empty() {
            return;
        }
        let mob = self.mob_proto(victim).map(|proto| proto.vnum);
        let room = self.who(victim).room;
        let mut occasion = self.occasion(room, [killer, Some(victim), None], None);
        occasion.onlookers.retain(|who| !helpers.contains(who));
        let (dead, slayer) = (self.as_known(victim), killer.map(|killer| self.as_known(killer)));
        let killed = |xp: i64| What::Killed { victim: dead.clone(), killer: slayer.clone(), xp };
        if let Some(killer) = killer.filter(|_| by_player) {
            let xp = credits.iter().find(|(who, _)| *who == killer).map_or(0, |(_, xp)| i64::from(*xp));
            let novel = self.is_first_kill(killer, mob);
            self.remember(&occasion, killer, Role::Did, killed(xp), novel);
        }
        self.remember(&occasion, victim, Role::Suffered, killed(-i64::from(lost.max(0))), false);
        for helper in helpers {
            let novel = self.is_first_kill(helper, mob);
            let what = What::Assisted { who: self.as_known(helper), victim: dead.clone(), killer: slayer.clone() };
            let cast = [Some(helper), Some(victim), killer];
            let (onlookers, witnesses) = (Vec::new(), occasion.witnesses.clone());
            let own = Occasion { cast, onlookers, witnesses, ..occasion };
            self.remember(&own, helper, Role::Did, what, novel);
        }
        self.remember_seen(&occasion, &killed(0));
    }

    fn is_first_kill(&mut self, who: CharacterId, mob: Option<i32>) -> bool {
        let Some(vnum) = mob else { return false };
        self.past(who).is_some_and(|past| !past.killed.contains(vnum))
            && self.past_mut(who).is_some_and(|past| past.killed.insert(vnum))
    }

    /// `who` is about to run from the room that it is in.
    pub(crate) fn record_flight(&mut self, who: CharacterId, from: Option<CharacterId>, hp_percent: u8) {
        let from = from.filter(|from| self.character(*from).is_some());
        if !self.is_player(who) && !from.is_some_and(|from| self.is_player(from)) {
            return;
        }
        let room = self.who(who).room;
        let occasion = self.occasion(room, [Some(who), from, None], None);
        let what = What::Fled { who: self.as_known(who), hp_percent, from: from.map(|from| self.as_known(from)) };
        self.remember_all(&occasion, &what);
    }

    /// `victim` lives, and had `amount` hit points more a moment ago.
    pub(crate) fn record_wound(&mut self, victim: CharacterId, by: Option<CharacterId>, amount: i32) {
        let c = self.who(victim);
        if !c.is_player() || amount <= 0 {
            return;
        }
        let (after, hit_max) = (i64::from(c.hit.max(0)), i64::from(c.now.hit_max.max(1)));
        let before = after.max(i64::from(c.hit) + i64::from(amount));
        let at_or_below = |hit: i64, percent: u8| hit * 100 <= hit_max * i64::from(percent);
        let mut passed = 0_u8;
        for (n, percent) in WOUND_PERCENTS.into_iter().enumerate() {
            if at_or_below(after, percent) && !at_or_below(before, percent) {
                passed |= 1 << n;
            }
        }
        if passed == 0 {
            return;
        }
        let (fights, tick) = (c.fighting.is_some(), self.tick());
        let Some(past) = self.past_mut(victim) else { return };
        if past.fight.is_over(fights, tick) {
            past.fight.begin(tick);
        }
        let is_new = passed & !past.fight.wounds != 0;
        past.fight.wounds |= passed;
        if !is_new {
            return;
        }
        // Rounded up, so that what is above a threshold is told as above it.
        let hp_percent = ((after * 100 + hit_max - 1) / hit_max).min(100) as u8;
        let by = by.filter(|by| *by != victim && self.character(*by).is_some());
        let occasion = self.private(victim, by, None);
        let what = What::Wounded { who: self.as_known(victim), hp_percent, by: by.map(|by| self.as_known(by)) };
        self.remember(&occasion, victim, Role::Suffered, what, false);
    }

    /// `attacker` strikes at `victim`: treason when they go together, or when one had reason to trust the other; help,
    /// when it is done for somebody whom the victim of the blow set upon. `begun`: the attacker did not fight before.
    pub(crate) fn record_blow(&mut self, attacker: CharacterId, victim: CharacterId, begun: bool) {
        if begun {
            self.record_dealing(attacker, victim);
        }
        if !self.is_player(attacker) {
            return;
        }
        if self.is_player(victim) && self.is_first_blow(attacker, victim) {
            let leader = self.group_leader(attacker);
            let together = leader.is_some() && leader == self.group_leader(victim);
            let (tick, name) = (self.tick(), &self.who(attacker).keywords);
            if together || self.past(victim).is_some_and(|past| past.trusts(name, tick)) {
                let room = self.who(victim).room;
                let what = What::Betrayed { by: self.as_known(attacker), victim: self.as_known(victim) };
                let occasion = self.occasion(room, [Some(attacker), Some(victim), None], None);
                self.remember_all(&occasion, &what);
            }
        }
        if begun
            && let Some(friend) = self.who(victim).fighting.filter(|friend| *friend != attacker)
            && self.past(friend).is_some_and(|past| past.fight.attacked)
        {
            self.record_defence(attacker, friend);
        }
    }

    /// Whether one player strikes another for the first time in a fight, and not because it was struck.
    fn is_first_blow(&mut self, attacker: CharacterId, victim: CharacterId) -> bool {
        let (tick, v) = (self.tick(), self.who(victim));
        if self.past(attacker).is_some_and(|past| past.fight.struck_by.contains(&v.keywords)) {
            return false;
        }
        let over = self.past(victim).is_some_and(|past| past.fight.is_over(v.fighting.is_some(), tick));
        let name = self.who(attacker).keywords.clone();
        if !over && self.past(victim).is_some_and(|past| past.fight.struck_by.contains(&name)) {
            return false;
        }
        let Some(past) = self.past_mut(victim) else { return false };
        if over {
            past.fight.begin(tick);
        }
        note_name(&mut past.fight.struck_by, &name)
    }

    /// `helper` takes the side of `friend` in its fight.
    pub(crate) fn record_defence(&mut self, helper: CharacterId, friend: CharacterId) {
        let (tick, name) = (self.tick(), self.who(helper).keywords.clone());
        let Some(past) = self.past(friend) else { return };
        let since = tick.saturating_sub(past.fight.began_tick);
        if helper == friend || since > DEFENCE_TICKS || past.fight.defenders.contains(&name) {
            return;
        }
        let is_new = self.past_mut(friend).is_some_and(|past| note_name(&mut past.fight.defenders, &name));
        if is_new {
            let hp_percent = self.hp_percent(friend);
            self.record_help(helper, friend, Help::Defended, Some(hp_percent));
        }
    }

    /// Percent of hit points, 0..=100, rounded down.
    pub(crate) fn hp_percent(&self, who: CharacterId) -> u8 {
        let c = self.who(who);
        (i64::from(c.hit.max(0)) * 100 / i64::from(c.now.hit_max.max(1))).min(100) as u8
    }

    /// `hp_percent`: of the helped, before the help.
    pub(crate) fn record_help(&mut self, helper: CharacterId, helped: CharacterId, how: Help, hp_percent: Option<u8>) {
        // Of who takes whom into a group nobody else reads a line.
        self.note_help(helper, helped, how, hp_percent, how != Help::Grouped);
    }

    /// The same, where only the two of them read of it, wherever they are.
    pub(crate) fn record_quiet_help(&mut self, helper: CharacterId, helped: CharacterId, how: Help, hp_percent: u8) {
        self.note_help(helper, helped, how, Some(hp_percent), false);
    }

    fn note_help(&mut self, helper: CharacterId, helped: CharacterId, how: Help, hp_percent: Option<u8>, seen: bool) {
        if helper == helped || !(self.is_player(helper) || self.is_player(helped)) {
            return;
        }
        self.record_dealing(helper, helped);
        self.trust(helper, helped);
        let what = What::Helped { helper: self.as_known(helper), helped: self.as_known(helped), how, hp_percent };
        let room = self.who(helped).room;
        let mut occasion = self.occasion(room, [Some(helper), Some(helped), None], None);
        if !seen {
            occasion.onlookers.clear();
            occasion.witnesses.clear();
        }
        self.remember_all(&occasion, &what);
    }

    /// `helper` did something for `helped`, or for both, that is no healing.
    pub(crate) fn record_cooperation(&mut self, helper: CharacterId, helped: CharacterId) {
        if helper == helped || !self.is_player(helper) || !self.is_player(helped) {
            return;
        }
        let (tick, name) = (self.tick(), self.who(helped).keywords.clone());
        if self.past_mut(helper).is_some_and(|past| past.work_with(&name, tick)) {
            self.record_help(helper, helped, Help::Cooperated, None);
        }
    }

    /// The will of `whom` is `by`'s from now on.
    pub(crate) fn record_charm(&mut self, by: CharacterId, whom: CharacterId) {
        if !self.is_player(by) && !self.is_player(whom) {
            return;
        }
        let what = What::Charmed { by: self.as_known(by), whom: self.as_known(whom) };
        let room = self.who(whom).room;
        let occasion = self.occasion(room, [Some(by), Some(whom), None], None);
        self.remember_all(&occasion, &what);
    }

    /// `jailer` takes `who` to the jail; called before it goes.
    pub(crate) fn record_arrest(&mut self, jailer: CharacterId, who: CharacterId, hours: i32) {
        self.record_dealing(jailer, who);
        let what = What::Arrested { by: self.as_known(jailer), whom: self.as_known(who), hours: hours.into() };
        let room = self.who(who).room;
        let occasion = self.occasion(room, [Some(jailer), Some(who), None], None);
        self.remember_all(&occasion, &what);
    }

    /// `who` was taught an art.
    pub(crate) fn record_lesson(&mut self, who: CharacterId, art: &str, percent: u8) {
        if !self.is_player(who) {
            return;
        }
        let what = What::Learned { who: self.as_known(who), art: art.into(), percent };
        let occasion = self.private(who, None, None);
        self.remember(&occasion, who, Role::Did, what, false);
    }

    /// `who` has done what it was asked for.
    pub(crate) fn record_task(&mut self, who: CharacterId, giver: Option<CharacterId>, title: &Arc<str>) {
        let what = What::Accomplished {
            who: self.as_known(who),
            task: title.clone(),
            giver: giver.map(|giver| self.as_known(giver)),
        };
        let occasion = self.private(who, giver, None);
        self.remember(&occasion, who, Role::Did, what, false);
    }

    /// `who` would not expect a blow from `other` now. Nothing comes of it unless both are players.
    pub(super) fn trust(&mut self, who: CharacterId, other: CharacterId) {
        let Some(name) = self.character(other).filter(|c| c.is_player()).map(|c| c.keywords.clone()) else { return };
        let tick = self.tick();
        if let Some(past) = self.past_mut(who) {
            past.trust(&name, tick);
        }
    }

    /// `member` and `leader` no longer go together.
    pub(crate) fn record_parting(&mut self, member: CharacterId, leader: CharacterId) {
        let what = What::Parted { who: self.as_known(member), from: self.as_known(leader) };
        let mut occasion = self.private(member, Some(leader), None);
        self.remember(&occasion, member, Role::Did, what.clone(), false);
        occasion.room = self.who(leader).room;
        self.remember(&occasion, leader, Role::Suffered, what, false);
    }

    /// `who` has a new level.
    pub(crate) fn record_level(&mut self, who: CharacterId) {
        if !self.is_player(who) {
            return;
        }
        let me: Who = self.as_known(who);
        let level = me.level;
        let occasion = self.private(who, None, None);
        self.remember(&occasion, who, Role::Did, What::LevelGained { who: me, level }, false);
    }
}
