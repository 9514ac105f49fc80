//! Why, not only what: the questions that a reflection asks, and answers by contrast.
//!
//! Of the newest hundred outcomes with somebody or somewhere, the one condition is looked for that parts the bad from
//! the good ones best. No model is asked, and nothing is guessed: what the records do not hold is no condition, few
//! cases are no reason, and where no condition parts them the answer is that nobody knows.
//!
//! Invariant: an answer cites each outcome that it counts, on both sides, so that it can be counted again.

use crate::graph::{Circumstances, Condition, EventBody, Fixed, NOBODY, NameId, Names, NodeKind};
use indexmap::IndexMap;
use mind::happenings::Deed;
use protocol::happening::Role;
use protocol::places;

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
}

/// What may be the reason. Source: the mission's list; a mob's wrongs are not one, as it is told by its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    Is(Condition),
    /// So many levels, or more, of the other above the owner.
    Level,
    Room,
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

use Condition::{Company, Favoured, Night, Wounded, Wronged};

/// Source: the mission. Two of its questions are not here: why a plan failed and which of one's minds was right, since
/// no record of a graph tells of either.
const QUESTIONS: [Question; 3] = [
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
];

const LOSE: usize = 0;
const HARM: usize = 1;
const FALL: usize = 2;

/// How an event ended for the owner: in a fight, or in what a player did to it. None where it is no end.
fn end_of(event: &EventBody, names: &Names) -> Option<(usize, bool)> {
    let suffered = event.role == Role::Suffered;
    match event.deed {
        Deed::Killed if event.role == Role::Did => Some((LOSE, false)),
        Deed::Killed if suffered => Some((LOSE, true)),
        Deed::Assisted if event.role == Role::Did => Some((LOSE, false)),
        Deed::Fled if event.role == Role::Did => Some((LOSE, true)),
        deed if suffered && event.other() != NOBODY && names.is_player(event.other()) => match deed {
            Deed::Stolen | Deed::Betrayed | Deed::Insulted | Deed::Threatened => Some((HARM, true)),
            Deed::Given | Deed::SaidKindly => Some((HARM, false)),
            deed if deed.is_help() => Some((HARM, false)),
            _ => None,
        },
        _ => None,
    }
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
        let outcome = Outcome { seq: event.seq, night, room: event.room, how, valence: event.valence, bad };
        let place = (question == LOSE && event.room != NOBODY).then_some((event.room, FALL));
        let other = (event.other() != NOBODY).then_some((event.other(), question));
        for (name, question) in other.into_iter().chain(place) {
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
}

impl Why {
    /// Whether it was so; None where the records do not say.
    fn was(self, outcome: &Outcome) -> Option<bool> {
        match self {
            Why::Is(condition) => outcome.how.was(condition),
            Why::Level(from) => outcome.how.gap.map(|gap| gap >= from),
            Why::Room(room) => (outcome.room != NOBODY).then_some(outcome.room == room),
        }
    }

    /// What stands behind "when" where it was so, and where it was not.
    fn words(self, names: &Names, question: &Question, player: bool) -> [String; 2] {
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
        }
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
        }
    }
    best
}

/// What may be asked of a name, answered; the first `most` of the table. `slept` is the last night that took memories.
pub(crate) fn asked(outcomes: &Outcomes, names: &Names, name: NameId, slept: i32, most: usize) -> Vec<Answer> {
    let fits = |of: Of| match of {
        Of::Room => names.kind(name) == NodeKind::Room,
        Of::Player => names.is_player(name),
        Of::Anybody => names.kind(name) == NodeKind::Entity,
    };
    let mut answers = Vec::new();
    for (number, question) in QUESTIONS.iter().enumerate().filter(|(_, question)| fits(question.of)) {
        let found = outcomes.newest(name, number, slept);
        let bad = found.iter().filter(|outcome| outcome.bad).count() as u32;
        if bad >= BAD_MIN && answers.len() < most {
            answers.push(answer(question, &found, bad, names, name));
        }
    }
    answers
}

fn answer(question: &Question, outcomes: &[Outcome], bad: u32, names: &Names, name: NameId) -> Answer {
    let place = places::at(names.name(name));
    let first = format!("{}{}", place[..1].to_uppercase(), &place[1..]);
    let called =
        |words: &str| words.replace("{}", names.name(name)).replace("{place}", &place).replace("{Place}", &first);
    let found = reason(question, outcomes);
    let text = match found {
        Some((why, sides, so)) => {
            let [held, not] = why.words(names, question, names.is_player(name));
            let (ill, well) = if so { (held, not) } else { (not, held) };
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
