//! What was handed down, and principles: whether it was handed down so, whether the own records say otherwise, and
//! whether as many insights of as many authors agree.

use super::Verdict as Judged;
use super::insights::{Counts, counted};
use super::past::{Past, cut};
use crate::config::Inherited;
use mind::legacy::{Sort, Verdict};
use std::collections::BTreeSet;

/// What the counts of a key come down to.
fn verdict(key: &str, c: &Counts) -> Option<Verdict> {
    if key.starts_with("room:") {
        let (good, bad) = (c.won + c.found, c.died + c.betrayed + c.fled + c.wounds);
        return match () {
            () if good + bad == 0 => None,
            () if bad == 0 => Some(Verdict::Good),
            () if c.died > 0 || bad > good => Some(Verdict::Dangerous),
            () => Some(Verdict::Mixed),
        };
    }
    let (won, lost) = (c.won + c.shared, c.fled + c.died);
    match () {
        () if !key.starts_with("mob:") || won + lost == 0 => None,
        () if c.died > 0 && lost >= won => Some(Verdict::TooStrong),
        () if 2 * lost > won => Some(Verdict::Hard),
        () if 2 * c.wounds > won + lost => Some(Verdict::Costly),
        () => Some(Verdict::Won),
    }
}

fn is_good(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Won | Verdict::Good => Some(true),
        Verdict::TooStrong | Verdict::Hard | Verdict::Dangerous => Some(false),
        Verdict::Costly | Verdict::Mixed => None,
    }
}

/// `said` is the text, `mark` what stands behind `(handed down by `.
pub fn judge(past: &Past, handed_down: &[Inherited], said: &str, mark: &str) -> Judged {
    let same = |one: &&Inherited| {
        let hands = one.wisdom.saturating_add(1);
        let many = if hands == 1 { "hand" } else { "hands" };
        let whose = format!("{}, generation {}, {hands} {many}", one.agent, one.generation);
        let rest = mark.strip_suffix(')').and_then(|mark| mark.strip_prefix(whose.as_str()));
        cut(&one.text, 180) == said && matches!(rest, Some("" | "; my own counts say otherwise"))
    };
    let one = handed_down.iter().find(same).ok_or("nobody handed that down")?;
    let own = verdict(&one.about, &counted(past, &one.about, i64::MIN, 0));
    let opposite = match (one.verdict.and_then(is_good), own.and_then(is_good)) {
        (Some(theirs), Some(own)) => theirs != own,
        _ => false,
    };
    // What was counted anew since some day may be less than all that the records hold: then either may be said.
    if mark.contains("say otherwise") && one.verdict.is_none_or(|_| own.is_none()) {
        return Err("the own records say nothing of it".into());
    }
    match opposite == mark.contains("say otherwise") {
        true => Ok(()),
        false => Err(format!("of {} the own records say {own:?}, the other {:?}", one.about, one.verdict)),
    }
}

/// `PRINCIPLE: beings of levels 6 to 10 are too strong (4 of 5 insights, of Ann and Bob).`
pub fn principle(past: &Past, handed_down: &[Inherited], text: &str) -> Judged {
    // It may have been handed down itself.
    if handed_down.iter().any(|one| one.sort == Sort::Principle && one.text == text) {
        return Ok(());
    }
    let wrong = || "no principle is like this".to_string();
    let (claim, counts) = text.strip_prefix("PRINCIPLE: ").and_then(|text| text.split_once(" (")).ok_or_else(wrong)?;
    let (class, are) = claim.split_once(" are ").ok_or_else(wrong)?;
    let class = class.strip_prefix("beings of ").unwrap_or(class);
    let meant = match are {
        "too strong" => Verdict::TooStrong,
        "hard fights" => Verdict::Hard,
        "costly fights" => Verdict::Costly,
        "fights that are won" => Verdict::Won,
        "dangerous places" => Verdict::Dangerous,
        "places of ups and downs" => Verdict::Mixed,
        "good places" => Verdict::Good,
        _ => return Err(wrong()),
    };
    let (agreeing, rest) = counts.split_once(" of ").ok_or_else(wrong)?;
    let (all, _) = rest.split_once(" insights, of ").ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
    let (agreeing, all) = (number(agreeing)?, number(all)?);
    // Of the owner any subject of that class may count whose records come down to it.
    let own: BTreeSet<&str> = past
        .keys()
        .map(String::as_str)
        .filter(|key| verdict(key, &counted(past, key, i64::MIN, 0)) == Some(meant))
        .filter(|key| past.is_of_class(key, class))
        .collect();
    let theirs: Vec<&Inherited> =
        handed_down.iter().filter(|one| one.class == class && one.verdict == Some(meant)).collect();
    let subjects: BTreeSet<&str> = own.iter().copied().chain(theirs.iter().map(|one| one.about.as_str())).collect();
    let mut authors: BTreeSet<&str> = theirs.iter().map(|one| one.agent.as_str()).collect();
    if !own.is_empty() {
        authors.insert("me");
    }
    match () {
        () if (all - agreeing.min(all)) * 4 > all => Err("there are more exceptions than one in four".into()),
        () if authors.len() < 2 || subjects.len() < 3 => Err("too few agree".into()),
        () if agreeing > own.len() + theirs.len() => Err(format!("no {agreeing} insights agree")),
        () => Ok(()),
    }
}
