//! Answers to "why": what the cited records say of how things stood, counted anew.

use super::Verdict;
use super::past::{Entry, ME_KEY, Past};
use mind::happenings::{Deed, Tie};
use protocol::calendar::GameDate;
use protocol::happening::{Role, Went, What};
use protocol::minds::MindName;
use protocol::outcome::WhoKind;
use protocol::places;
use std::collections::BTreeSet;

/// Half an hour, for deeds; five hours of the game, for wounds.
const DEED: (u64, i64) = (900, 1_800_000);
const WOUND: (u64, i64) = (160, 320_000);

/// What is asked, and what the sentence then says of bad and good ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Lose,
    Harm,
    Fall,
    Plan,
    /// About somebody, or in all.
    Differ,
}

impl Asked {
    /// Of what the owner planned or chose, not of what befell it.
    fn is_of_mind(self) -> bool {
        matches!(self, Asked::Plan | Asked::Differ)
    }
}

fn within(earlier: &Entry, later: &Entry, (ticks, ms): (u64, i64)) -> bool {
    later.tick - earlier.tick <= ticks && later.at_ms - earlier.at_ms <= ms
}

/// Whether it ended ill; None where it is no end of what is asked.
fn ended_ill(past: &Past, asked: Asked, entry: &Entry) -> Option<bool> {
    if asked == Asked::Harm {
        let by_player = entry.role == Role::Suffered && entry.other().is_some_and(|key| past.is_player(key));
        return match entry.deed {
            _ if !by_player => None,
            Deed::Stolen | Deed::Betrayed | Deed::Insulted | Deed::Threatened => Some(true),
            deed => (deed.kind().tie == Tie::Help || matches!(deed, Deed::Given | Deed::SaidKindly)).then_some(false),
        };
    }
    if asked.is_of_mind() {
        return match (entry.what(), asked) {
            (What::PlanEnded { done, .. }, Asked::Plan) => Some(!done),
            (What::Differed { went: Went::Well, .. }, Asked::Differ) => Some(false),
            (What::Differed { went: Went::Ill, .. }, Asked::Differ) => Some(true),
            _ => None,
        };
    }
    match (entry.deed, entry.role) {
        (Deed::Killed, Role::Suffered) | (Deed::Fled, Role::Did) => Some(true),
        (Deed::Killed | Deed::Assisted, Role::Did) => Some(false),
        _ => None,
    }
}

/// Whether the owner had come hurt: brought down or driven off, by whatever is not this fight, and not well since.
fn came_hurt(past: &Past, at: usize) -> bool {
    let entry = &past.all[at];
    let mut earlier_fight = false;
    // What came of a choice is no reason for it.
    let (by, choice) = match entry.what() {
        What::Differed { ticks, .. } => (entry.tick.saturating_sub(*ticks), true),
        What::PlanEnded { .. } => (entry.tick, true),
        _ => (entry.tick, false),
    };
    for before in past.all[..at].iter().rev().take_while(|before| within(before, entry, WOUND)) {
        if before.tick > by {
            continue;
        }
        let same = !choice && before.other() == entry.other();
        match (before.what(), before.role) {
            (What::Wounded { .. }, Role::Suffered) if !same || earlier_fight => return true,
            (What::Fled { hp_percent, .. }, Role::Did) => return *hp_percent <= 30,
            (What::Killed { .. }, Role::Suffered) => return false,
            (What::Helped { .. }, Role::Suffered) if before.deed == Deed::Healed => return false,
            (What::Killed { .. }, Role::Did) => earlier_fight |= same,
            _ => {}
        }
    }
    false
}

fn did_before(past: &Past, at: usize, wanted: impl Fn(&Entry) -> bool) -> bool {
    let entry = &past.all[at];
    let near = past.all[..at].iter().rev().take_while(|before| within(before, entry, DEED));
    near.filter(|before| before.role == Role::Did && before.other() == entry.other()).any(wanted)
}

fn in_company(entry: &Entry) -> bool {
    let happening = &entry.record.happening;
    let others = happening.witnesses.iter().chain(happening.what.third()).filter(|who| who.kind == WhoKind::Player);
    let keys = others.filter_map(super::past::actor);
    let own = happening.me().and_then(super::past::actor);
    keys.into_iter().any(|key| Some(key.as_str()) != entry.other() && Some(&key) != own.as_ref())
}

/// Where it was, if the record says it.
fn place_of<'p>(past: &'p Past, at: usize) -> Option<&'p str> {
    let entry = &past.all[at];
    (!entry.record.happening.room.is_nowhere()).then_some(entry.room.as_str())
}

fn above_me(entry: &Entry) -> Option<i32> {
    let me = entry.record.happening.me()?;
    let (doer, sufferer) = entry.what().parts();
    let other = [doer, sufferer].into_iter().flatten().find(|who| !std::ptr::eq(*who, me))?;
    (me.level > 0 && other.level > 0).then(|| i32::from(other.level) - i32::from(me.level))
}

/// What may stand behind "when" where it goes ill, and where it goes well, with whether it was as the first each time.
type Said = (String, String, Vec<Option<bool>>);

fn conditions(past: &Past, asked: Asked, player: bool, cited: &[usize]) -> Vec<Said> {
    let each = |test: &dyn Fn(usize) -> Option<bool>| cited.iter().map(|at| test(*at)).collect::<Vec<_>>();
    let mut all: Vec<Said> = Vec::new();
    let mut say = |so: String, not: String, was: Vec<Option<bool>>| {
        all.push((so.clone(), not.clone(), was.clone()));
        all.push((not, so, turned(was)));
    };
    if asked != Asked::Harm {
        say("I am already wounded".into(), "whole".into(), each(&|at| Some(came_hurt(past, at))));
    }
    // Who stood by is known where the place is.
    let company = |at: usize| match past.all[at].what() {
        What::PlanEnded { company, .. } => *company,
        _ => (!past.all[at].record.happening.room.is_nowhere()).then(|| in_company(&past.all[at])),
    };
    say("I have company".into(), "I am alone".into(), each(&company));
    if past.terms.game_dates {
        let dark = |at: usize| {
            let entry = &past.all[at];
            let since = if let What::Differed { ticks, .. } = entry.what() { *ticks } else { 0 };
            !(5..21).contains(&GameDate::at(entry.tick.saturating_sub(since)).hour)
        };
        say("it is night".into(), "it is day".into(), each(&|at| Some(dark(at))));
    }
    if !matches!(asked, Asked::Fall | Asked::Differ) {
        let places: BTreeSet<&str> = cited.iter().filter_map(|at| place_of(past, *at)).collect();
        for key in places {
            let there = each(&|at| place_of(past, at).map(|place| place == key));
            say(places::at(past.raw(key)), "elsewhere".into(), there);
        }
    }
    if asked.is_of_mind() {
        all.extend(counsel(past, asked, cited));
        return all;
    }
    if asked != Asked::Fall {
        let wrong = |before: &Entry| {
            let words = matches!(before.deed, Deed::Insulted | Deed::Threatened);
            words || matches!(before.deed, Deed::Killed | Deed::Fought | Deed::Stolen | Deed::Betrayed)
        };
        let wronged = each(&|at| player.then(|| did_before(past, at, wrong)));
        say("I wronged them shortly before".into(), "I did not wrong them shortly before".into(), wronged);
    }
    if asked == Asked::Harm {
        let kind = |before: &Entry| before.deed == Deed::Given || before.deed.kind().tie == Tie::Help;
        let favoured = each(&|at| player.then(|| did_before(past, at, kind)));
        say("I helped them shortly before".into(), "I did not help them shortly before".into(), favoured);
    }
    let who = match (asked, player) {
        (Asked::Fall, _) => "the other is",
        (_, true) => "they are",
        _ => "it is",
    };
    for from in cited.iter().filter_map(|at| above_me(&past.all[*at])).collect::<BTreeSet<_>>() {
        let above = each(&|at| above_me(&past.all[at]).map(|gap| gap >= from));
        let so = match from {
            i32::MIN..=-1 => format!("{who} less than {} levels below me", from.abs() + 1),
            0 => format!("{who} of my level or above"),
            1 => format!("{who} above my level"),
            _ => format!("{who} {from} or more levels above me"),
        };
        say(so, format!("{who} not"), above);
    }
    all
}

/// What a plan was like, or whose word was followed. What stands first is told in full, what stands second in short.
fn counsel(past: &Past, asked: Asked, cited: &[usize]) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    let mut say = |ill: String, well: &str, was: Vec<Option<bool>>| all.push((ill, well.to_string(), was));
    if asked == Asked::Differ {
        let followed = |at: &usize| match past.all[*at].what() {
            What::Differed { followed, .. } => *followed,
            _ => None,
        };
        let each: Vec<Option<MindName>> = cited.iter().map(followed).collect();
        for mind in [MindName::Inner, MindName::Outer, MindName::Observer] {
            let was = || each.iter().map(|one| Some(*one == Some(mind))).collect::<Vec<_>>();
            let others: BTreeSet<Option<MindName>> = each.iter().copied().filter(|one| *one != Some(mind)).collect();
            match others.into_iter().collect::<Vec<_>>().as_slice() {
                [Some(other)] if *other != MindName::Body => {
                    say(format!("I follow {mind}"), &format!("I follow {other}"), was());
                    say(format!("I follow {other}"), &format!("I follow {mind}"), turned(was()));
                }
                _ => {
                    say(format!("I follow {mind}"), "I do not", was());
                    say(format!("I do not follow {mind}"), &format!("I follow {mind}"), turned(was()));
                }
            }
        }
        return all;
    }
    let plans: Vec<(u32, bool)> = cited
        .iter()
        .filter_map(|at| match past.all[*at].what() {
            What::PlanEnded { steps, shared, .. } => Some((*steps, *shared)),
            _ => None,
        })
        .collect();
    let shared: Vec<Option<bool>> = plans.iter().map(|(_, shared)| Some(*shared)).collect();
    say("a step is another's".into(), "none is", shared.clone());
    say("no step is another's".into(), "one is", turned(shared));
    for from in plans.iter().map(|(steps, _)| *steps).filter(|from| *from > 1).collect::<BTreeSet<_>>() {
        let long: Vec<Option<bool>> = plans.iter().map(|(steps, _)| Some(*steps >= from)).collect();
        let few = if from == 2 { "only one step".to_string() } else { format!("fewer than {from} steps") };
        say(format!("they have {from} steps or more"), "shorter", long.clone());
        say(format!("they have {few}"), "longer", turned(long));
    }
    all
}

fn turned(was: Vec<Option<bool>>) -> Vec<Option<bool>> {
    was.into_iter().map(|was| was.map(|was| !was)).collect()
}

/// Bad ends and all ends of those where it was as `wanted`.
fn ends(ill: &[bool], was: &[Option<bool>], wanted: bool) -> (usize, usize) {
    let side: Vec<bool> = ill.iter().zip(was).filter(|(_, was)| **was == Some(wanted)).map(|(ill, _)| *ill).collect();
    (side.iter().filter(|ill| **ill).count(), side.len())
}

/// All that may be said of a key with these records.
fn sentences(past: &Past, key: &str, cited: &[usize]) -> BTreeSet<String> {
    let mut said = BTreeSet::new();
    let me = key == ME_KEY;
    let name = past.raw(key);
    let place = places::at(name);
    let player = past.is_player(key);
    let room = key.starts_with("room:");
    let about = if me { "Where my minds differ it goes ill".to_string() } else { format!("About {name} it goes ill") };
    let forms = [
        (Asked::Plan, me, "My plans fail".to_string(), "are done"),
        (Asked::Differ, !room, about, "well"),
        (Asked::Lose, !room && !me, format!("I lose to {name}"), "win"),
        (Asked::Harm, player, format!("{name} harms me"), "helps me"),
        (Asked::Fall, room, format!("{}{} I lose", place[..1].to_uppercase(), &place[1..]), "win"),
    ];
    for (asked, _, bad_words, good_words) in forms.into_iter().filter(|(_, fits, ..)| *fits) {
        let ill: Option<Vec<bool>> = cited.iter().map(|at| ended_ill(past, asked, &past.all[*at])).collect();
        let Some(ill) = ill else { continue };
        let bad = ill.iter().filter(|ill| **ill).count();
        let unknown = match asked {
            Asked::Lose => format!("I do not know why I lose to {name}"),
            Asked::Harm => format!("I do not know why {name} harms me"),
            Asked::Fall => format!("I do not know why I lose {place}"),
            Asked::Plan => "I do not know why my plans fail".to_string(),
            Asked::Differ if me => "I do not know why it goes ill when my minds differ".to_string(),
            Asked::Differ => format!("I do not know why it goes ill when my minds differ about {name}"),
        };
        if bad >= 3 {
            said.insert(format!("{unknown} ({bad} of {}).", ill.len()));
        }
        for (worse, better, was) in conditions(past, asked, player, cited) {
            // All that is cited is counted.
            if was.iter().any(Option::is_none) {
                continue;
            }
            let ((bad, of), (bad_else, of_else)) = (ends(&ill, &was, true), ends(&ill, &was, false));
            let good = of_else - bad_else;
            if of >= 3 && of_else >= 3 && bad * 2 > of && good * 2 > of_else {
                let first = format!("{bad_words} when {worse} ({bad} of {of})");
                said.insert(format!("{first} and {good_words} when {better} ({good} of {of_else})."));
            }
        }
    }
    said
}

pub fn judge(past: &Past, text: &str, evidence: &[u64]) -> Verdict {
    let cited = past.entries(evidence)?;
    if evidence.iter().collect::<BTreeSet<_>>().len() != evidence.len() {
        return Err("it counts a record twice".into());
    }
    let mut keys: BTreeSet<&str> = cited[0].other().into_iter().chain([cited[0].room.as_str()]).collect();
    keys.retain(|key| *key != ME_KEY && cited.iter().all(|entry| entry.other() == Some(*key) || entry.room == *key));
    keys.insert(ME_KEY);
    let places = past.places_of(evidence);
    let mut known = Vec::new();
    for key in keys {
        let said = sentences(past, key, &places);
        if said.iter().any(|said| said == text || super::past::cut(said, 300) == text) {
            return Ok(());
        }
        known.extend(said.into_iter().next());
    }
    Err(format!("the records that it cites say: {}", known.join(" / ")))
}
