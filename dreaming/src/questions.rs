//! Why, not only what: the questions that a reflection asks, and answers by contrast.
//!
//! Of the newest hundred outcomes with somebody or somewhere, the one condition is looked for that parts the bad from
//! the good ones best. No model is asked, and nothing is guessed: what the records do not hold is no condition, few
//! cases are no reason, and where no condition parts them the answer is that nobody knows. Three are asked of others
//! and of places; three of the owner's own counsel: why plans fail, and which of several minds is right, in all and
//! about somebody.
//!
//! Invariant: an answer cites each outcome that it counts, on both sides, so that it can be counted again.

use crate::graph::{Circumstances, Condition, EventBody, Fixed, ME, NOBODY, NameId, Names, NodeKind};
use indexmap::IndexMap;
use mind::happenings::Deed;
use protocol::happening::Role;
use protocol::minds::MindName;
use protocol::places;
use protocol::words::capitalised;
use std::ops::Range;

/// Questions of one reflection.
pub const QUESTIONS_MAX: usize = 3;
/// Memories that are looked at for one.
pub const RETRIEVED_MAX: usize = 100;
/// Outcomes with a condition, and as many without, below which it is no reason.
pub const SUPPORT_MIN: u32 = 3;
/// Bad outcomes below which nobody asks.
const BAD_MIN: u32 = 3;
/// χ² of the two sides from which on it is no chance: of three and three that are parted wholly it is 6.
const PARTS_FROM: u64 = 6;
/// A list of outcomes that has grown to this, and to twice of it, is rid of what is forgotten.
const TIDY_FROM: usize = 256;

/// Of what it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Of {
    Anybody,
    Player,
    Room,
    /// The owner.
    Me,
}

/// What may be the reason. Source: the mission's list; a mob's wrongs are not one, as it is told by its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    Is(Condition),
    /// So many levels, or more, of the other above the owner.
    Level,
    Room,
    /// So many steps, or more, of the plan.
    Long,
    /// Which of several minds was followed.
    Followed,
}

/// A question. `{}` is whom or what it is asked of, `{place}` the same as where one is; the words after are what it
/// says of bad and of good outcomes.
struct Question {
    name: &'static str,
    of: Of,
    bad: &'static str,
    good: &'static str,
    unknown: &'static str,
    reasons: &'static [Reason],
}

use Condition::{Company, Favoured, Night, Shared, Wounded, Wronged};

/// Source: the mission. The last three are of the mind: see `asked_of_mind`.
const QUESTIONS: [Question; 6] = [
    Question {
        name: "lose",
        of: Of::Anybody,
        bad: "I lose to {}",
        good: "win",
        unknown: "I do not know why I lose to {}",
        reasons: &[
            Reason::Is(Wounded),
            Reason::Is(Company),
            Reason::Level,
            Reason::Is(Night),
            Reason::Room,
            Reason::Is(Wronged),
        ],
    },
    Question {
        name: "harm",
        of: Of::Player,
        bad: "{} harms me",
        good: "helps me",
        unknown: "I do not know why {} harms me",
        reasons: &[
            Reason::Is(Wronged),
            Reason::Is(Favoured),
            Reason::Is(Company),
            Reason::Is(Night),
            Reason::Room,
            Reason::Level,
        ],
    },
    Question {
        name: "fall",
        of: Of::Room,
        bad: "{Place} I lose",
        good: "win",
        unknown: "I do not know why I lose {place}",
        reasons: &[Reason::Is(Wounded), Reason::Is(Company), Reason::Level, Reason::Is(Night)],
    },
    Question {
        name: "plan",
        of: Of::Me,
        bad: "My plans fail",
        good: "are done",
        unknown: "I do not know why my plans fail",
        reasons: &[
            Reason::Long,
            Reason::Is(Shared),
            Reason::Is(Company),
            Reason::Is(Wounded),
            Reason::Is(Night),
            Reason::Room,
        ],
    },
    Question {
        name: "differ",
        of: Of::Anybody,
        bad: "About {} it goes ill",
        good: "well",
        unknown: "I do not know why it goes ill when my minds differ about {}",
        reasons: COUNSEL_REASONS,
    },
    Question {
        name: "differ",
        of: Of::Me,
        bad: "Where my minds differ it goes ill",
        good: "well",
        unknown: "I do not know why it goes ill when my minds differ",
        reasons: COUNSEL_REASONS,
    },
];

const COUNSEL_REASONS: &[Reason] = &[Reason::Followed, Reason::Is(Wounded), Reason::Is(Company), Reason::Is(Night)];

const LOSE: usize = 0;
const HARM: usize = 1;
const FALL: usize = 2;
const PLAN: usize = 3;
const DIFFER: usize = 4;
const COUNSEL: usize = 5;

/// How an event ended for the owner: in a fight, in what a player did to it, or in what it had planned or chosen. None
/// where it is no end.
fn end_of(event: &EventBody, names: &Names) -> Option<(usize, bool)> {
    let suffered = event.role == Role::Suffered;
    match event.deed {
        Deed::Killed if event.role == Role::Did => Some((LOSE, false)),
        Deed::Killed if suffered => Some((LOSE, true)),
        Deed::Assisted if event.role == Role::Did => Some((LOSE, false)),
        Deed::Fled if event.role == Role::Did => Some((LOSE, true)),
        Deed::PlanDone | Deed::PlanDropped if event.role == Role::Did => Some((PLAN, event.deed == Deed::PlanDropped)),
        Deed::FollowedWell | Deed::FollowedIll if event.role == Role::Did => {
            Some((DIFFER, event.deed == Deed::FollowedIll))
        }
        deed if suffered && event.other() != NOBODY && names.is_player(event.other()) => match deed {
            Deed::Stolen | Deed::Betrayed | Deed::Insulted | Deed::Threatened => Some((HARM, true)),
            Deed::Given | Deed::SaidKindly => Some((HARM, false)),
            deed if deed.is_help() => Some((HARM, false)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether it is a fight of the owner's that ended, well or ill.
pub(crate) fn is_fights_end(event: &EventBody, names: &Names) -> bool {
    matches!(end_of(event, names), Some((LOSE, _)))
}

/// Whether questions may be asked of it, so that it is worth knowing how things stood.
pub(crate) fn is_outcome(event: &EventBody, names: &Names) -> bool {
    end_of(event, names).is_some()
}

/// One outcome, small, as many of them are looked at.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    seq: u64,
    /// The night that takes it.
    night: i32,
    room: NameId,
    how: Circumstances,
    /// Steps of a plan; which mind was followed. −1: none.
    number: i32,
    valence: i8,
    bad: bool,
}

/// Outcomes by question and by whom or what it is asked of, oldest first. Follows from the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes(IndexMap<(NameId, u8), Vec<Outcome>, Fixed>);

impl Outcomes {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes up an event that will have faded by the end of `night`. What had by the end of `slept` is gone.
    pub(crate) fn add(&mut self, event: &EventBody, names: &Names, night: i32, slept: i32) {
        let Some((question, bad)) = end_of(event, names) else { return };
        let how = event.circumstances;
        let EventBody { seq, room, number, valence, .. } = *event;
        let outcome = Outcome { seq, night, room, how, number, valence, bad };
        let besides = match question {
            LOSE => (room != NOBODY).then_some((room, FALL)),
            PLAN => Some((ME, PLAN)),
            DIFFER => Some((ME, COUNSEL)),
            _ => None,
        };
        let other = (event.other() != NOBODY).then_some((event.other(), question));
        for (name, question) in other.into_iter().chain(besides) {
            let list = self.0.entry((name, question as u8)).or_default();
            if list.len() >= TIDY_FROM && list.len().is_power_of_two() {
                list.retain(|outcome| outcome.night > slept);
            }
            list.push(outcome);
        }
    }

    /// The newest that are remembered, newest first.
    fn newest(&self, name: NameId, question: usize, slept: i32) -> Vec<Outcome> {
        let list = self.0.get(&(name, question as u8)).map(Vec::as_slice).unwrap_or_default();
        list.iter().rev().filter(|outcome| outcome.night > slept).take(RETRIEVED_MAX).copied().collect()
    }
}

/// What was answered.
pub(crate) struct Answer {
    /// `why:lose:mob:3001`.
    pub key: String,
    pub text: String,
    /// Whether a reason was found.
    pub known: bool,
    /// Rising.
    pub evidence: Vec<u64>,
    /// Mean of what the cited outcomes were worth.
    pub valence: f64,
}

/// Two sides of a condition: bad and good outcomes on the side that goes ill, and on the other one.
#[derive(Clone, Copy, Debug)]
struct Sides {
    ill: [u32; 2],
    well: [u32; 2],
}

impl Sides {
    /// `held` and `not` are bad and good outcomes where it was so, and where it was not. True beside it: it goes ill
    /// where it was so. None where that is no reason.
    fn of(held: [u32; 2], not: [u32; 2]) -> Option<(Sides, bool)> {
        let so = u64::from(held[0]) * u64::from(not[1]) > u64::from(held[1]) * u64::from(not[0]);
        let (ill, well) = if so { (held, not) } else { (not, held) };
        let sides = Sides { ill, well };
        let enough = ill.iter().sum::<u32>() >= SUPPORT_MIN && well.iter().sum::<u32>() >= SUPPORT_MIN;
        let turns = ill[0] > ill[1] && well[1] > well[0];
        let (over, under) = sides.parting();
        (enough && turns && over >= PARTS_FROM * under).then_some((sides, so))
    }

    /// χ² as a fraction: how little chance would part them so.
    fn parting(self) -> (u64, u64) {
        let [a, b, c, d] = [self.ill[0], self.ill[1], self.well[0], self.well[1]].map(u64::from);
        let difference = (a * d).abs_diff(b * c);
        ((a + b + c + d) * difference * difference, (a + b) * (c + d) * (a + c) * (b + d))
    }

    fn parts_better_than(self, other: Sides) -> bool {
        let ((a, b), (c, d)) = (self.parting(), other.parting());
        u128::from(a) * u128::from(d) > u128::from(c) * u128::from(b)
    }
}

/// A reason with its sides, and whether it goes ill where it was so.
type Found = (Why, Sides, bool);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    Is(Condition),
    Level(i8),
    Room(NameId),
    Long(i32),
    Followed(MindName),
}

impl Why {
    /// Whether it was so; None where the records do not say.
    fn was(self, outcome: &Outcome) -> Option<bool> {
        match self {
            Why::Is(condition) => outcome.how.was(condition),
            Why::Level(from) => outcome.how.gap.map(|gap| gap >= from),
            Why::Room(room) => (outcome.room != NOBODY).then_some(outcome.room == room),
            Why::Long(from) => (outcome.number >= 0).then_some(outcome.number >= from),
            Why::Followed(mind) => Some(outcome.number == i32::from(mind.number())),
        }
    }

    /// What stands behind "when" where it goes ill, and where it goes well. `so`: it goes ill where it was so.
    fn words(self, about: &Asked, so: bool) -> [String; 2] {
        let two = |first: &str, second: &str| [first.to_string(), second.to_string()];
        match self {
            Why::Long(from) if so => [format!("they have {from} steps or more"), "shorter".to_string()],
            Why::Long(2) => two("they have only one step", "longer"),
            Why::Long(from) => [format!("they have fewer than {from} steps"), "longer".to_string()],
            Why::Is(Shared) if so => two("a step is another's", "none is"),
            Why::Is(Shared) => two("no step is another's", "one is"),
            Why::Followed(mind) => {
                let followed = format!("I follow {mind}");
                match about.other_mind(mind) {
                    Some(other) if so => [followed, format!("I follow {other}")],
                    Some(other) => [format!("I follow {other}"), followed],
                    None if so => [followed, "I do not".to_string()],
                    None => [format!("I do not follow {mind}"), followed],
                }
            }
            _ => {
                let [held, not] = self.held_or_not(about);
                if so { [held, not] } else { [not, held] }
            }
        }
    }

    /// The same of what is told in the same words wherever it stands: where it was so, and where it was not.
    fn held_or_not(self, about: &Asked) -> [String; 2] {
        let Asked { names, question, .. } = about;
        let player = names.is_player(about.name);
        let who = match question.of {
            Of::Room => "the other is",
            _ if player => "they are",
            _ => "it is",
        };
        let two = |so: &str, not: &str| [so.to_string(), not.to_string()];
        match self {
            Why::Is(Wounded) => two("I am already wounded", "whole"),
            Why::Is(Company) => two("I have company", "I am alone"),
            Why::Is(Night) => two("it is night", "it is day"),
            Why::Is(Wronged) => two("I wronged them shortly before", "I did not wrong them shortly before"),
            Why::Is(Favoured) => two("I helped them shortly before", "I did not help them shortly before"),
            Why::Level(from) => {
                let levels = match i32::from(from) {
                    0 => "of my level or above".to_string(),
                    1 => "above my level".to_string(),
                    n if n > 1 => format!("{n} or more levels above me"),
                    n => format!("less than {} levels below me", 1 - n),
                };
                [format!("{who} {levels}"), format!("{who} not")]
            }
            Why::Room(room) => [places::at(names.name(room)), "elsewhere".to_string()],
            Why::Is(Shared) | Why::Long(_) | Why::Followed(_) => unreachable!("they are told by their place"),
        }
    }
}

/// A question of a name, with what it is answered from.
struct Asked<'a> {
    question: &'static Question,
    names: &'a Names,
    name: NameId,
    outcomes: &'a [Outcome],
}

impl Asked<'_> {
    /// The mind that was followed wherever `mind` was not, if it was always the same.
    fn other_mind(&self, mind: MindName) -> Option<MindName> {
        let others = || self.outcomes.iter().map(|one| one.number).filter(|n| *n != i32::from(mind.number()));
        let first = others().next()?;
        let same = others().all(|number| number == first);
        MindName::COUNCIL.into_iter().find(|other| same && i32::from(other.number()) == first)
    }
}

fn counted(outcomes: &[Outcome], why: Why) -> ([u32; 2], [u32; 2]) {
    let (mut held, mut not) = ([0; 2], [0; 2]);
    for outcome in outcomes {
        match why.was(outcome) {
            Some(true) => held[usize::from(!outcome.bad)] += 1,
            Some(false) => not[usize::from(!outcome.bad)] += 1,
            None => {}
        }
    }
    (held, not)
}

/// The condition that parts bad from good best; of equals the first of the table.
fn reason(question: &Question, outcomes: &[Outcome]) -> Option<Found> {
    let mut best: Option<Found> = None;
    let mut weigh = |why: Why| {
        let (held, not) = counted(outcomes, why);
        if let Some((sides, so)) = Sides::of(held, not)
            && best.is_none_or(|(_, before, _)| sides.parts_better_than(before))
        {
            best = Some((why, sides, so));
        }
    };
    for kind in question.reasons {
        match kind {
            Reason::Is(condition) => weigh(Why::Is(*condition)),
            Reason::Level => {
                let mut gaps: Vec<i8> = outcomes.iter().filter_map(|outcome| outcome.how.gap).collect();
                gaps.sort_unstable();
                gaps.dedup();
                gaps.iter().skip(1).for_each(|from| weigh(Why::Level(*from)));
            }
            Reason::Room => {
                // In the order of outcomes, as numbers of names are others in a graph that was read; the worst first.
                let mut rooms: Vec<(NameId, u32, u32)> = Vec::new();
                for outcome in outcomes.iter().filter(|outcome| outcome.room != NOBODY) {
                    let bad = u32::from(outcome.bad);
                    match rooms.iter_mut().find(|(room, ..)| *room == outcome.room) {
                        Some((_, n, ill)) => (*n, *ill) = (*n + 1, *ill + bad),
                        None => rooms.push((outcome.room, 1, bad)),
                    }
                }
                rooms.retain(|(_, n, _)| *n >= SUPPORT_MIN);
                rooms.sort_by_key(|(_, n, ill)| std::cmp::Reverse(ill * 1_000 / n));
                rooms.iter().for_each(|(room, ..)| weigh(Why::Room(*room)));
            }
            Reason::Long => {
                let mut steps: Vec<i32> = outcomes.iter().map(|outcome| outcome.number).filter(|n| *n >= 0).collect();
                steps.sort_unstable();
                steps.dedup();
                steps.iter().skip(1).for_each(|from| weigh(Why::Long(*from)));
            }
            Reason::Followed => MindName::COUNCIL.into_iter().for_each(|mind| weigh(Why::Followed(mind))),
        }
    }
    best
}

/// What may be asked of somebody or some place, answered; the first `most` of the table. `slept` is the last night that
/// took memories.
pub(crate) fn asked(outcomes: &Outcomes, names: &Names, name: NameId, slept: i32, most: usize) -> Vec<Answer> {
    answered(0..PLAN, outcomes, names, name, slept).take(most).collect()
}

/// The same of the owner's own counsel, of a name that it was about: the owner's, or that of whom its minds differed
/// about.
pub(crate) fn asked_of_mind(outcomes: &Outcomes, names: &Names, name: NameId, slept: i32) -> Vec<Answer> {
    answered(PLAN..QUESTIONS.len(), outcomes, names, name, slept).collect()
}

fn answered(
    numbers: Range<usize>,
    outcomes: &Outcomes,
    names: &Names,
    name: NameId,
    slept: i32,
) -> impl Iterator<Item = Answer> {
    let fits = move |of: Of| match of {
        Of::Me => name == ME,
        Of::Room => names.kind(name) == NodeKind::Room,
        Of::Player => name != ME && names.is_player(name),
        Of::Anybody => name != ME && names.kind(name) == NodeKind::Entity,
    };
    numbers.filter(move |number| fits(QUESTIONS[*number].of)).filter_map(move |number| {
        let found = outcomes.newest(name, number, slept);
        let bad = found.iter().filter(|outcome| outcome.bad).count() as u32;
        let asked = Asked { question: &QUESTIONS[number], names, name, outcomes: &found };
        (bad >= BAD_MIN).then(|| answer(&asked, bad))
    })
}

fn answer(about: &Asked, bad: u32) -> Answer {
    let Asked { question, names, name, outcomes } = *about;
    let place = places::at(names.name(name));
    let first = capitalised(&place);
    let called =
        |words: &str| words.replace("{}", names.name(name)).replace("{place}", &place).replace("{Place}", &first);
    let found = reason(question, outcomes);
    let text = match found {
        Some((why, sides, so)) => {
            let [ill, well] = why.words(about, so);
            let all = |side: [u32; 2]| side[0] + side[1];
            format!(
                "{} when {ill} ({} of {}) and {} when {well} ({} of {}).",
                called(question.bad),
                sides.ill[0],
                all(sides.ill),
                question.good,
                sides.well[1],
                all(sides.well)
            )
        }
        None => format!("{} ({bad} of {}).", called(question.unknown), outcomes.len()),
    };
    let counts = |outcome: &&Outcome| found.is_none_or(|(why, ..)| why.was(outcome).is_some());
    let cited: Vec<&Outcome> = outcomes.iter().filter(counts).collect();
    let worth: i32 = cited.iter().map(|outcome| i32::from(outcome.valence)).sum();
    let valence = f64::from(worth) / f64::from(cited.len().max(1) as u32);
    let evidence = cited.iter().rev().map(|outcome| outcome.seq).collect();
    let key = format!("why:{}:{}", question.name, names.key(name));
    Answer { key, text, known: found.is_some(), evidence, valence }
}
