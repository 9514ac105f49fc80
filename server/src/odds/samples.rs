//! One line typed in many copies of a world, each with chance of its own, and what came of it, counted.
//!
//! A copy is a copy of pointers: what a sample changes is its own. Everything counted is a whole number, so the sum
//! does not depend on who counted what.

use crate::journal::replaying::apply;
use content::hash;
use protocol::Outcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use world::report::Capture;
use world::{CharacterId, Input, Report, World};

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'l> {
    pub who: CharacterId,
    pub line: &'l str,
    pub ticks: u64,
}

/// In how many samples what happened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub samples: u64,
    pub died: u64,
    pub killed: u64,
    pub fled: u64,
    /// Those in which it did not die, and is in the world at the end; and its hit points in all of them together.
    pub living: u64,
    pub hit_points: i64,
    /// By kind of outcome, as programs read it.
    pub outcomes: BTreeMap<String, u64>,
    /// Whom it killed, by name.
    pub victims: BTreeMap<String, u64>,
    /// Why something that it typed was not done.
    pub refusals: BTreeMap<String, u64>,
}

/// The kinds of outcomes by name, which the protocol knows only when it writes one.
type Names = HashMap<Discriminant<Outcome>, String>;

/// Told to its reader only, so among no report's outcomes; counted as if it were.
pub(super) const REFUSED: &str = "refused";

/// The seed of a sample.
fn chance(seed: u64, sample: u64) -> u64 {
    hash::of(&(seed, sample))
}

/// Plays it in so many worlds. The answer is the same with any number of threads.
pub fn play(world: &World, decision: &Decision, samples: u64, seed: u64, threads: u64) -> Tally {
    let part = |first: u64| {
        let mut tally = Tally::default();
        let mut names = Names::new();
        for sample in (first..samples).step_by(threads.max(1) as usize) {
            let (mut world, mut seen) = begin(world, decision, chance(seed, sample));
            seen.read(apply(&mut world, &Input::Command { who: decision.who, line: decision.line.to_string() }));
            for _ in 0..decision.ticks {
                seen.read(apply(&mut world, &Input::Tick));
            }
            tally.take(seen, &world, &mut names);
        }
        tally
    };
    std::thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads.max(1)).map(|first| scope.spawn(move || part(first))).collect();
        let mut whole = Tally::default();
        for part in parts {
            whole.add(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        whole
    })
}

/// The world of a sample before anything is typed in it.
fn begin(world: &World, decision: &Decision, seed: u64) -> (World, Seen) {
    let mut world = world.clone();
    world.reseed(seed);
    world.unread = true;
    // Reports tell then what was refused, and to whom.
    world.capture = Capture::Everybody;
    let seen = Seen {
        who: decision.who,
        me: world.instance_of(decision.who),
        died: false,
        killed: false,
        fled: false,
        victims: BTreeSet::new(),
        refusals: BTreeSet::new(),
        kinds: Vec::new(),
    };
    (world, seen)
}

/// What came of it in one sample.
struct Seen {
    who: CharacterId,
    me: Arc<str>,
    died: bool,
    killed: bool,
    fled: bool,
    victims: BTreeSet<String>,
    /// Why commands of its own were not done.
    refusals: BTreeSet<String>,
    /// The first outcome of each kind that names the character.
    kinds: Vec<Arc<Outcome>>,
}

impl Seen {
    /// `None`: the world panicked half-way, and goes on as the server's would.
    fn read(&mut self, report: Option<Report>) {
        let Some(report) = report else { return };
        let own = report.ran.iter().filter(|ran| ran.who == self.who);
        self.refusals.extend(own.filter_map(|ran| ran.refused.as_deref().map(str::to_string)));
        for outcome in report.outcomes {
            match &*outcome {
                Outcome::Death { victim, killer } => {
                    self.died |= victim.id == self.me;
                    if killer.as_ref().is_some_and(|killer| killer.id == self.me) {
                        self.killed = true;
                        self.victims.insert(victim.name.to_string());
                    }
                }
                Outcome::Fled { who, .. } => self.fled |= who.id == self.me,
                _ => {}
            }
            let is_new = || self.kinds.iter().all(|known| discriminant(&**known) != discriminant(&*outcome));
            if is_new() && names(&outcome, &self.me) {
                self.kinds.push(outcome);
            }
        }
    }
}

/// Whether the outcome is about that actor, in whatever part.
fn names(outcome: &Outcome, me: &str) -> bool {
    let mut is_named = false;
    // The visitor is for those who change what they visit.
    outcome.clone().for_each_who(|who| is_named |= &*who.id == me);
    is_named
}

/// The kind as programs read it.
fn kind(outcome: &Outcome) -> String {
    let written = serde_json::to_value(outcome).unwrap_or_default();
    written["type"].as_str().unwrap_or_default().to_string()
}

impl Tally {
    fn take(&mut self, seen: Seen, world: &World, names: &mut Names) {
        self.samples += 1;
        self.died += u64::from(seen.died);
        self.killed += u64::from(seen.killed);
        self.fled += u64::from(seen.fled);
        if let Some(character) = world.character(seen.who).filter(|_| !seen.died) {
            self.living += 1;
            self.hit_points += i64::from(character.hit);
        }
        for outcome in &seen.kinds {
            let name = names.entry(discriminant(&**outcome)).or_insert_with(|| kind(outcome));
            count(&mut self.outcomes, name, 1);
        }
        if !seen.refusals.is_empty() {
            count(&mut self.outcomes, REFUSED, 1);
        }
        for (counts, named) in [(&mut self.victims, &seen.victims), (&mut self.refusals, &seen.refusals)] {
            named.iter().for_each(|name| count(counts, name, 1));
        }
    }

    fn add(&mut self, other: Tally) {
        self.samples += other.samples;
        self.died += other.died;
        self.killed += other.killed;
        self.fled += other.fled;
        self.living += other.living;
        self.hit_points += other.hit_points;
        let kinds = [
            (&mut self.outcomes, &other.outcomes),
            (&mut self.victims, &other.victims),
            (&mut self.refusals, &other.refusals),
        ];
        for (counts, more) in kinds {
            more.iter().for_each(|(name, more)| count(counts, name, *more));
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, kind: &str, more: u64) {
    match counts.get_mut(kind) {
        Some(count) => *count += more,
        None => drop(counts.insert(kind.to_string(), more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use world::rng::Dice;
    use world::rules::Rules;
    use world::rules::creation;

    /// Our own world after some ticks, with Ann in a room where something can be attacked, and what that is called.
    fn scene() -> (World, CharacterId, String) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/world");
        let (content, _) = crate::content_files::read_world(&folder, None).expect("our own world");
        let rules = Rules::built_in();
        let newcomer = creation::newborn(&rules, &creation::Choices::plain("Ann"), &mut Dice::new(7, 1, 0, 0));
        let mut world = World::new(Arc::new(content), Arc::new(rules), 7);
        let entered = world.apply(&Input::Enter { record: Box::new(newcomer), agent: true }).entered;
        let who = entered.expect("she enters");
        for _ in 0..40 {
            world.apply(&Input::Tick);
        }
        let is_prey = |mob: &world::character::Character| mob.is_mob() && (3..=4).contains(&mob.level);
        let mobs: Vec<CharacterId> =
            world.state.characters.iter().filter(|(_, c)| is_prey(c)).map(|(id, _)| id).collect();
        for mob in mobs {
            let there = world.room_proto(world.who(mob).room).vnum;
            world.apply(&Input::Admin(world::Admin::Place { who, room: there }));
            let line = format!("kill {}", world.who(mob).keywords.split(' ').next().unwrap_or_default());
            let begun = world.clone().apply(&Input::Command { who, line: line.clone() });
            if begun.outcomes.iter().any(|outcome| matches!(&**outcome, Outcome::Attacked { .. })) {
                return (world, who, line);
            }
        }
        panic!("nobody of level 3 or 4 can be attacked")
    }

    #[test]
    fn the_same_seed_counts_the_same_with_any_number_of_threads() {
        let (world, who, line) = scene();
        let before = world.hashes();
        let decision = Decision { who, line: &line, ticks: 20 };
        let one = play(&world, &decision, 40, 3, 1);
        for threads in [2, 3, 7] {
            assert_eq!(play(&world, &decision, 40, 3, threads), one, "{threads} threads");
        }
        assert_eq!(one.samples, 40);
        assert_eq!(one.outcomes["attacked"], 40, "{one:?}");
        // Blows fall, and not the same in each.
        assert!((1..40 * 100).contains(&one.hit_points), "{one:?}");
        assert_ne!(play(&world, &decision, 40, 4, 2), one, "other chance, other numbers");
        assert_eq!(world.hashes(), before, "nothing happens in the world itself");
    }

    #[test]
    fn a_sample_is_a_fork_of_that_seed() {
        let (world, who, line) = scene();
        let decision = Decision { who, line: &line, ticks: 20 };
        let (mut sample, _) = begin(&world, &decision, 99);
        let mut state = world.snapshot();
        state.seed = 99;
        let mut fork = World::resume(world.content.clone(), world.rules.clone(), state);
        for world in [&mut sample, &mut fork] {
            world.apply(&Input::Command { who, line: line.clone() });
            for _ in 0..20 {
                world.apply(&Input::Tick);
            }
        }
        assert_eq!(sample.hashes(), fork.hashes());
    }

    #[test]
    fn what_is_refused_and_what_kills_nobody_is_counted_as_that() {
        let (world, who, _) = scene();
        let play = |line: &str| play(&world, &Decision { who, line, ticks: 1 }, 5, 1, 2);
        let refused = play("kill nobodythere");
        assert_eq!((refused.outcomes.get(REFUSED), refused.killed), (Some(&5), 0), "{refused:?}");
        let looked = play("look");
        assert_eq!((looked.outcomes.get(REFUSED), looked.living), (None, 5), "{looked:?}");
    }
}
