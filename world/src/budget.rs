//! How much a player remembers: a budget of records, so that nobody fills its own log, or those of all who stand by,
//! with the same thing over and over.
//!
//! A record costs one; one comes back with each tick. What is weightier may use what is lighter may not: of a full
//! budget, the records of mere bystanders leave most for what one does and suffers oneself, and that leaves enough for
//! deaths, treason and rescues. What comes once in a life at most (a first room, a first kill of a kind) costs nothing.
//! It is state: saved with the character, hashed and replayed.

use protocol::happening::{Role, What};
use protocol::outcome::WhoKind;
use serde::{Deserialize, Serialize};

/// Records that may be made at once.
pub const RECORDS_MAX: u32 = 60;
/// Strangers whom one meets without dealing with them: so many at once, and one more in so many ticks.
pub const STRANGERS_MAX: u32 = 16;
const STRANGER_TICKS: u64 = 30;
/// Words heard or said that are kept at once; one more with each tick.
pub const TALK_MAX: u32 = 60;
/// What one took up and put down within so many ticks is one record.
pub const HANDLED_TICKS: u64 = 30;
/// Things that are remembered to have been handled lately.
const HANDLED_MAX: usize = 32;

/// Something that is used up and comes back with time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// How much of the most that there may be is missing.
    count: u32,
    /// The tick up to which it has come back.
    tick: u64,
}

impl Spent {
    /// How much is missing at `tick`, where one comes back in so many ticks.
    fn at(self, tick: u64, ticks_each: u64) -> Spent {
        // In a world that begins anew the clock is earlier, and what was spent in the one before is no matter.
        if tick < self.tick {
            return Spent { count: 0, tick };
        }
        let back = (tick - self.tick) / ticks_each;
        let count = u64::from(self.count).saturating_sub(back) as u32;
        // What is whole starts to wait anew.
        let tick = if count == 0 { tick } else { self.tick + back * ticks_each };
        Spent { count, tick }
    }

    /// Takes one of so many, where one comes back in so many ticks. Errors: after how many ticks there is one again.
    pub fn spend(&mut self, most: u32, ticks_each: u64, tick: u64) -> Result<(), u64> {
        let spent = self.at(tick, ticks_each);
        if spent.count >= most {
            return Err(ticks_each.saturating_sub(tick - spent.tick).max(1));
        }
        *self = Spent { count: spent.count + 1, ..spent };
        Ok(())
    }
}

/// What a player has left to remember with. A default one is full.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    records: Spent,
    strangers: Spent,
    talk: Spent,
    /// How much talk was not kept since some was.
    missed: u32,
    /// Serials of things that were taken up or put down, with the tick of the record of it; oldest first.
    handled: Vec<(u64, u64)>,
}

impl Budget {
    /// Whether such a record can be made at `tick`.
    pub fn affords(&self, role: Role, what: &What, novel: bool, tick: u64) -> bool {
        is_free(what, novel) || self.records.at(tick, 1).count + kept_back(role, what) < RECORDS_MAX
    }

    /// Takes what such a record costs. False, and nothing is taken, where there is not enough.
    pub fn spend(&mut self, role: Role, what: &What, novel: bool, tick: u64) -> bool {
        if !self.affords(role, what, novel, tick) {
            return false;
        }
        if !is_free(what, novel) {
            self.records = self.records.at(tick, 1);
            self.records.count += 1;
        }
        true
    }

    /// Whether there is room for one more stranger; takes it.
    pub fn meet_stranger(&mut self, tick: u64) -> bool {
        self.strangers.spend(STRANGERS_MAX, STRANGER_TICKS, tick).is_ok()
    }

    /// Whether there is room to keep what is heard or said; takes it. How much before it was not kept, or `None` where
    /// this is not either.
    pub fn keep_talk(&mut self, tick: u64) -> Option<u32> {
        let talk = self.talk.at(tick, 1);
        if talk.count >= TALK_MAX {
            self.missed = self.missed.saturating_add(1);
            return None;
        }
        self.talk = Spent { count: talk.count + 1, ..talk };
        Some(std::mem::take(&mut self.missed))
    }

    /// The thing of that serial is taken up or put down. False when that is the same record as the last of it.
    pub fn handle(&mut self, serial: u64, tick: u64) -> bool {
        self.handled.retain(|(_, since)| *since <= tick && tick - since < HANDLED_TICKS);
        if self.handled.iter().any(|(other, _)| *other == serial) {
            return false;
        }
        if self.handled.len() == HANDLED_MAX {
            self.handled.remove(0);
        }
        self.handled.push((serial, tick));
        true
    }
}

/// What is new can be new once only, so that the world bounds it: but for people, whom one forgets in the end.
fn is_free(what: &What, novel: bool) -> bool {
    novel && !matches!(what, What::Met { other, .. } if other.kind == WhoKind::Player)
}

/// How much must be left after such a record, for what is weightier.
fn kept_back(role: Role, what: &What) -> u32 {
    let grave = matches!(
        what,
        What::Killed { .. }
            | What::Betrayed { .. }
            | What::Helped { .. }
            | What::Wounded { .. }
            | What::Fled { .. }
            | What::LevelGained { .. }
            | What::Parted { .. }
            | What::Charmed { .. }
            | What::Arrested { .. }
    );
    match (role, grave) {
        (Role::Saw, false) => 40,
        (Role::Saw, true) => 30,
        (Role::Did | Role::Suffered, false) => 15,
        (Role::Did | Role::Suffered, true) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::happening::{Help, Tone};
    use protocol::outcome::Who;

    fn who(kind: WhoKind) -> Who {
        Who { id: "x".into(), name: "x".into(), kind, level: 1 }
    }

    fn spoke() -> What {
        What::Spoke { speaker: who(WhoKind::Player), to: None, tone: Tone::Threat, text: "Fie!".into() }
    }

    fn helped() -> What {
        let (helper, helped) = (who(WhoKind::Player), who(WhoKind::Player));
        What::Helped { helper, helped, how: Help::Rescued, hp_percent: None }
    }

    fn spend_all(budget: &mut Budget, role: Role, what: &What, tick: u64) -> u32 {
        (0..).take_while(|_| budget.spend(role, what, false, tick)).count() as u32
    }

    #[test]
    fn bystanders_leave_most_to_deeds_and_these_leave_enough_for_what_matters() {
        let mut budget = Budget::default();
        let each = [
            spend_all(&mut budget, Role::Saw, &spoke(), 7),
            spend_all(&mut budget, Role::Saw, &helped(), 7),
            spend_all(&mut budget, Role::Did, &spoke(), 7),
            spend_all(&mut budget, Role::Suffered, &helped(), 7),
        ];
        assert_eq!(each, [20, 10, 15, 15]);
        assert!(!budget.spend(Role::Did, &helped(), false, 7));
        let met = |kind| What::Met { who: who(WhoKind::Player), other: who(kind) };
        assert!(budget.spend(Role::Did, &met(WhoKind::Mob), true, 7), "a kind of mob is met once");
        assert!(!budget.spend(Role::Did, &met(WhoKind::Player), true, 7), "people are many");
        assert!(budget.spend(Role::Did, &helped(), false, 8), "one comes back with each tick");
        assert!(!budget.spend(Role::Did, &helped(), false, 8));
        assert_eq!(spend_all(&mut budget, Role::Suffered, &helped(), 1_000), RECORDS_MAX);
        assert_eq!(spend_all(&mut budget, Role::Suffered, &helped(), 3), RECORDS_MAX, "a world that begins anew");
    }

    #[test]
    fn a_thing_taken_up_and_put_down_is_one_record_in_a_minute() {
        let mut budget = Budget::default();
        assert!(budget.handle(1, 10) && !budget.handle(1, 11) && budget.handle(2, 11) && !budget.handle(1, 39));
        assert!(budget.handle(1, 40) && !budget.handle(2, 40));
        for serial in 0..1_000 {
            budget.handle(serial, 41);
        }
        assert!(budget.handled.len() <= HANDLED_MAX);
    }

    #[test]
    fn a_flood_of_talk_is_counted_and_not_kept() {
        let mut budget = Budget::default();
        let kept: Vec<u32> = (0..100).filter_map(|_| budget.keep_talk(5)).collect();
        assert_eq!(kept, [0; TALK_MAX as usize]);
        assert_eq!(budget.keep_talk(6), Some(40), "one comes back with each tick, and tells what was missed");
        assert_eq!(budget.keep_talk(6), None);
        assert_eq!([budget.keep_talk(1_000), budget.keep_talk(1_000)], [Some(1), Some(0)]);
    }

    #[test]
    fn strangers_come_a_few_at_once_and_then_one_in_a_minute() {
        let mut budget = Budget::default();
        let crowd = |budget: &mut Budget, tick| (0..100).filter(|_| budget.meet_stranger(tick)).count() as u32;
        assert_eq!(crowd(&mut budget, 5), STRANGERS_MAX);
        assert_eq!([crowd(&mut budget, 34), crowd(&mut budget, 35), crowd(&mut budget, 94)], [0, 1, 1]);
        assert_eq!(crowd(&mut budget, 10_000), STRANGERS_MAX);
    }
}
