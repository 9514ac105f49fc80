//! Credit: which decision earned what, so that each point belongs to exactly one.
//!
//! The server says which command an outcome follows from (`protocol::cause`), and what it says counts. The rest of a
//! change, rest and regeneration, what was begun by others, goes to the decision of the command that was done in the
//! same moment, else to the one in force, which is the newest; how much that was is kept apart (`inferred`). Invariant:
//! the rewards of all decisions sum up to what changed since the first full dump, whatever comes.

use crate::record::{ClosedRow, Reward, Source};
use crate::state::GameState;
use protocol::Outcome;
use protocol::cause::Cause;
use protocol::outcome::EventEntry;
use std::collections::{BTreeMap, BTreeSet};

/// A decision of which something may still come.
#[derive(Clone, Debug)]
struct Open {
    source: Source,
    by: String,
    from_tick: Option<u64>,
    /// Its commands that have not been settled.
    pending: usize,
    reward: Reward,
    inferred: Reward,
}

/// What changes are measured from.
#[derive(Clone, Copy, Debug)]
struct Measured {
    exp: i64,
    gold: i64,
    hp: i64,
}

impl Measured {
    /// `None` before the first full dump.
    fn of(state: &GameState) -> Option<Measured> {
        Some(Measured { exp: state.exp?, gold: state.gold?, hp: i64::from(state.health?) })
    }
}

/// Shares of one change, in the order in which they came.
#[derive(Debug, Default)]
struct Shares(Vec<(Option<u64>, i64)>);

impl Shares {
    fn add(&mut self, decision: Option<u64>, amount: i64) {
        if amount != 0 {
            self.0.push((decision, amount));
        }
    }

    /// Makes them sum up to `change`: what is missing or too much is `rest`'s, where that is known.
    fn complete(&mut self, change: i64, rest: Option<u64>) {
        self.add(rest, change - self.0.iter().map(|(_, amount)| amount).sum::<i64>());
    }
}

#[derive(Debug, Default)]
pub(super) struct Credit {
    open: BTreeMap<u64, Open>,
    /// The newest decision.
    in_force: u64,
    /// Whose the commands are, by their ids; and by the world's number, once that is known.
    by_command: BTreeMap<u64, u64>,
    by_input: BTreeMap<u64, u64>,
    /// The decisions from which something of the present fight follows: the one that began it, and those that struck
    /// a blow of their own in it.
    fights: BTreeSet<u64>,
    first: Option<Measured>,
    last: Option<Measured>,
    /// What was counted, whosever it is; what is measured is the difference of the first and the last.
    counted: Reward,
}

impl Credit {
    /// A decision was made: from now on what nobody else earned is its.
    pub fn begin(&mut self, id: u64, source: Source, by: &str, tick: Option<u64>) {
        self.in_force = id;
        let (reward, inferred) = (Reward::default(), Reward::default());
        self.open.insert(id, Open { source, by: by.to_string(), from_tick: tick, pending: 0, reward, inferred });
    }

    /// A command of a decision was sent.
    pub fn sent(&mut self, decision: u64, command: u64) {
        self.by_command.insert(command, decision);
        if let Some(open) = self.open.get_mut(&decision) {
            open.pending += 1;
        }
    }

    /// A command of a decision came to an end.
    pub fn settled(&mut self, decision: u64) {
        if let Some(open) = self.open.get_mut(&decision) {
            open.pending = open.pending.saturating_sub(1);
        }
    }

    /// The decision that something follows from, as far as it is open.
    pub fn decision_of(&self, cause: Option<Cause>) -> Option<u64> {
        let cause = cause?;
        let by_id = cause.id.and_then(|id| self.by_command.get(&id));
        by_id.or_else(|| self.by_input.get(&cause.input)).copied().filter(|id| self.open.contains_key(id))
    }

    /// What happened, in one frame, and the state behind it. `room_new`: it came into a room where it never was.
    pub fn observe(&mut self, state: &GameState, entries: &[EventEntry], room_new: bool) {
        let Some(now) = Measured::of(state) else { return };
        self.first.get_or_insert(now);
        let last = *self.last.get_or_insert(now);
        self.last = Some(now);
        let (mut exp, mut gold, mut hp) = (Shares::default(), Shares::default(), Shares::default());
        let (mut fate, mut struck, mut done) = (None, None, None);
        for EventEntry { outcome, cause } in entries {
            if let Outcome::Done { id, input, .. } = outcome
                && let Some(decision) = self.by_command.get(id).copied()
            {
                self.by_input.insert(*input, decision);
                done = Some(decision);
            }
            let decision = self.decision_of(*cause);
            let me = |who: &protocol::outcome::Who| state.is_me(who);
            match outcome {
                Outcome::KillCredit { who, xp, .. } if me(who) => {
                    exp.add(decision, *xp);
                    self.earn(decision, Reward { kills: 1, ..Reward::default() });
                }
                Outcome::Death { victim, .. } if me(victim) => {
                    fate = decision;
                    self.earn(decision, Reward { deaths: 1, ..Reward::default() });
                }
                Outcome::LevelGained { who, .. } if me(who) => {
                    self.earn(decision, Reward { levels: 1, ..Reward::default() });
                }
                Outcome::Fled { who, .. } if me(who) => fate = decision,
                Outcome::Damage { victim, amount, .. } | Outcome::Hurt { victim, amount, .. } if me(victim) => {
                    hp.add(decision, -i64::from(*amount));
                }
                Outcome::Damage { attacker, .. } if me(attacker) => struck = decision.or(struck),
                Outcome::Healed { patient, amount, .. } if me(patient) => hp.add(decision, i64::from(*amount)),
                Outcome::Got { who, gold: Some(coins), .. } if me(who) => gold.add(decision, *coins),
                Outcome::Dropped { who, gold: Some(coins), .. } if me(who) => gold.add(decision, -coins),
                Outcome::Given { giver, gold: Some(coins), .. } if me(giver) => gold.add(decision, -coins),
                Outcome::Given { receiver, gold: Some(coins), .. } if me(receiver) => gold.add(decision, *coins),
                Outcome::Stolen { thief, gold: Some(coins), .. } if me(thief) => gold.add(decision, *coins),
                Outcome::Stolen { victim, gold: Some(coins), .. } if me(victim) => gold.add(decision, -coins),
                Outcome::Bought { who, price, .. } if me(who) => gold.add(decision, -price),
                Outcome::Sold { who, price, .. } if me(who) => gold.add(decision, *price),
                _ => {}
            }
            if is_of_fight(outcome) {
                self.fights.extend(decision);
            }
        }
        // More than was earned is what a death or a flight took; a kill that was worth less than told (nobody gains
        // more than a level at a time) takes it from that kill.
        let killing = exp.0.last().and_then(|(decision, _)| *decision);
        // What a blow earns by itself nobody tells but the blow.
        exp.complete(now.exp - last.exp, fate.or(killing).or(struck).or(done));
        gold.complete(now.gold - last.gold, done);
        hp.complete(now.hp - last.hp, fate);
        for (decision, amount) in exp.0 {
            self.earn(decision, Reward { exp: amount, ..Reward::default() });
        }
        for (decision, amount) in gold.0 {
            self.earn(decision, Reward { gold: amount, ..Reward::default() });
        }
        for (decision, amount) in hp.0 {
            self.earn(decision, Reward { hp: amount, ..Reward::default() });
        }
        if room_new {
            self.earn(done, Reward { rooms_new: 1, ..Reward::default() });
        }
        if !state.is_fighting() {
            self.fights.clear();
        }
    }

    /// What all decisions earned so far: not the sum of their rewards, but what that has to come to.
    pub fn total(&self) -> Reward {
        let (Some(first), Some(last)) = (self.first, self.last) else { return self.counted };
        let (exp, gold, hp) = (last.exp - first.exp, last.gold - first.gold, last.hp - first.hp);
        Reward { exp, gold, hp, ..self.counted }
    }

    /// To the decision that earned it, or to the one in force; also where that is closed, so that nothing is lost.
    fn earn(&mut self, decision: Option<u64>, reward: Reward) {
        self.counted.add(&reward);
        let decision = decision.filter(|id| self.open.contains_key(id));
        let id = decision.unwrap_or(self.in_force);
        let Some(open) = self.open.get_mut(&id) else { return };
        open.reward.add(&reward);
        if decision.is_none() {
            open.inferred.add(&reward);
        }
    }

    /// The decisions of which nothing more can come, in order. `all`: at the end. `goes_on`: more is to be sent of it.
    pub fn close(&mut self, tick: Option<u64>, all: bool, goes_on: impl Fn(u64) -> bool) -> Vec<ClosedRow> {
        let (in_force, fights) = (self.in_force, &self.fights);
        let over = |(id, open): &(&u64, &Open)| {
            all || (open.pending == 0 && **id != in_force && !fights.contains(*id) && !goes_on(**id))
        };
        let ids: Vec<u64> = self.open.iter().filter(over).map(|(id, _)| *id).collect();
        if !ids.is_empty() {
            self.by_command.retain(|_, decision| !ids.contains(decision));
            self.by_input.retain(|_, decision| !ids.contains(decision));
        }
        let close = |id: u64| {
            let Open { source, by, from_tick, reward, inferred, .. } = self.open.remove(&id)?;
            Some(ClosedRow { decision: id, source, by, from_tick, to_tick: tick, reward, inferred })
        };
        ids.into_iter().filter_map(close).collect()
    }
}

fn is_of_fight(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Attacked { .. } | Outcome::Damage { .. } | Outcome::Miss { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A state with the numbers that rewards are measured by.
    fn state(exp: i64, gold: i64, hp: i32, fighting: bool) -> GameState {
        let player = json!({"name": "Ann", "level": 1, "health": 20, "max_health": 20, "class": "Warrior",
            "race": "Human", "str": 9, "int": 9, "wis": 9, "dex": 9, "con": 9, "cha": 9});
        let player = Some(serde_json::from_value(player).expect("a player"));
        GameState {
            exp: Some(exp),
            gold: Some(gold),
            health: Some(hp),
            fighting: Some(fighting),
            player,
            ..GameState::default()
        }
    }

    fn entries(list: Value) -> Vec<EventEntry> {
        serde_json::from_value(list).expect("entries")
    }

    fn ann() -> Value {
        json!({"id": "player_ann", "name": "Ann", "kind": "player", "level": 1})
    }

    fn rat() -> Value {
        json!({"id": "mob_1_2", "name": "a rat", "kind": "mob", "level": 1})
    }

    #[test]
    fn a_kill_belongs_to_the_decision_that_began_the_fight() {
        let mut credit = Credit::default();
        credit.begin(1, Source::Policy, "hunt", Some(5));
        credit.observe(&state(1, 10, 20, false), &[], false);
        credit.sent(1, 7);
        credit.observe(
            &state(1, 10, 18, true),
            &entries(json!([
                {"type": "damage", "attacker": rat(), "victim": ann(), "amount": 2, "attack": "bite",
                 "cause_id": 7, "cause_input": 40},
                {"type": "done", "id": 7, "input": 40, "tick": 6},
            ])),
            false,
        );
        credit.settled(1);
        credit.begin(2, Source::Model, "m", Some(6));
        assert_eq!(credit.close(Some(6), false, |_| false), [], "the fight goes on");
        credit.observe(
            &state(91, 15, 18, false),
            &entries(json!([
                // By the number of the input alone, as after a new connection.
                {"type": "kill_credit", "who": ann(), "victim": rat(), "xp": 100, "cause_input": 40},
            ])),
            true,
        );
        let rows = credit.close(Some(9), false, |_| false);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        // The kill was worth less than told; the coins came from nowhere that anybody told of.
        assert_eq!((row.decision, row.reward.exp, row.reward.kills, row.reward.hp), (1, 90, 1, -2));
        assert_eq!((row.inferred, row.from_tick, row.to_tick), (Reward::default(), Some(5), Some(9)));
        let rest = credit.close(Some(9), true, |_| false);
        assert_eq!((rest[0].reward.gold, rest[0].reward.rooms_new, rest[0].inferred.gold), (5, 1, 5));
    }

    #[test]
    fn an_art_in_a_fight_takes_the_kill_away_from_nobody() {
        let mut credit = Credit::default();
        credit.begin(1, Source::Policy, "hunt", Some(5));
        credit.observe(&state(1, 10, 20, false), &[], false);
        let wound = |id: u64, input: u64| {
            json!([
                {"type": "damage", "attacker": ann(), "victim": rat(), "amount": 2, "attack": "hit", "cause_id": id,
                 "cause_input": input},
                {"type": "done", "id": id, "input": input, "tick": 6},
            ])
        };
        for (decision, command, input) in [(1, 7, 40), (2, 8, 41)] {
            if decision > 1 {
                credit.begin(decision, Source::Policy, "strike", Some(6));
            }
            credit.sent(decision, command);
            credit.observe(&state(1, 10, 20, true), &entries(wound(command, input)), false);
            credit.settled(decision);
        }
        credit.begin(3, Source::Policy, "strike", Some(7));
        assert_eq!(credit.close(Some(7), false, |_| false), [], "the fight goes on");
        let kill = json!([{"type": "kill_credit", "who": ann(), "victim": rat(), "xp": 100, "cause_input": 40}]);
        credit.observe(&state(101, 10, 20, false), &entries(kill), false);
        let rows = credit.close(Some(9), false, |_| false);
        let rewards: Vec<(u64, i64, u32)> =
            rows.iter().map(|row| (row.decision, row.reward.exp, row.reward.kills as u32)).collect();
        assert_eq!(rewards, [(1, 100, 1), (2, 0, 0)], "{rows:?}");
    }

    #[test]
    fn what_a_blow_earns_belongs_to_the_decision_that_began_the_fight() {
        let mut credit = Credit::default();
        credit.begin(1, Source::Model, "m", Some(5));
        credit.observe(&state(1, 10, 20, false), &[], false);
        credit.sent(1, 7);
        credit.begin(2, Source::Policy, "look", Some(6));
        credit.sent(2, 8);
        let blow = json!([
            {"type": "damage", "attacker": ann(), "victim": rat(), "amount": 5, "attack": "hit", "cause_id": 7,
             "cause_input": 40},
            {"type": "done", "id": 8, "input": 41, "tick": 6},
        ]);
        credit.observe(&state(7, 10, 20, true), &entries(blow), false);
        let rows = credit.close(Some(9), true, |_| false);
        let earned: Vec<_> = rows.iter().map(|row| (row.decision, row.reward.exp, row.inferred.exp)).collect();
        assert_eq!(earned, [(1, 6, 0), (2, 0, 0)]);
    }

    #[test]
    fn all_rewards_sum_up_to_what_changed_whatever_was_told() {
        let mut credit = Credit::default();
        let (mut exp, mut gold, mut hp) = (100, 50, 20);
        credit.begin(1, Source::Upkeep, "login", None);
        credit.observe(&state(exp, gold, hp, false), &[], false);
        let mut closed = Vec::new();
        for n in 2..200_u64 {
            credit.begin(n, Source::Policy, "explore", Some(n));
            credit.sent(n, n);
            exp += (n as i64 * 37) % 90 - 20;
            gold += (n as i64 * 13) % 11 - 5;
            hp += (n as i32 * 7) % 5 - 2;
            if n % 4 == 0 {
                // Of one that is closed by now, perhaps.
                credit.sent(n.saturating_sub(7), 1_000 + n);
            }
            let told = entries(json!([
                {"type": "done", "id": 1_000 + n, "input": 1_000 + n, "tick": n},
                {"type": "kill_credit", "who": ann(), "victim": rat(), "xp": (n * 17) % 60,
                 "cause_id": n.saturating_sub(n % 5), "cause_input": n},
                {"type": "damage", "attacker": rat(), "victim": ann(), "amount": n % 4, "attack": "bite"},
                {"type": "got", "who": ann(), "gold": n % 3, "cause_id": n, "cause_input": n},
            ]));
            credit.observe(&state(exp, gold, hp, n % 7 != 0), &told, n % 9 == 0);
            if n % 3 != 0 {
                credit.settled(n);
            }
            closed.extend(credit.close(Some(n), false, |id| id % 11 == 0));
        }
        closed.extend(credit.close(None, true, |_| true));
        let mut sum = Reward::default();
        closed.iter().for_each(|row| sum.add(&row.reward));
        assert_eq!(sum, credit.total());
        assert_eq!((sum.exp, sum.gold, sum.hp), (exp - 100, gold - 50, i64::from(hp - 20)));
        assert_eq!(sum.kills, 198);
        let mut ids: Vec<u64> = closed.iter().map(|row| row.decision).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..200).collect::<Vec<u64>>(), "each is closed once");
    }
}
