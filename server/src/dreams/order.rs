//! Who dreams first in a night that may not be long enough for everybody.
//!
//! Pure. Invariants: nobody waits for ever: whoever has dreamt longest ago comes first among those to whom something
//! has happened since. Those who have never dreamt take turns with them, so that a crowd of newcomers keeps nobody who
//! plays from sleeping, and is not kept from it for ever. To whom nothing has happened comes behind them all, and last
//! come those who never played: a character that was only made has a record or two.

use mind::LogId;

/// Happenings below which somebody who never dreamt counts as not having played.
pub const PLAYED_MIN: i64 = 3;

/// A log that may be dreamt of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub log: LogId,
    /// When the last dream was, unix milliseconds; `None`: never.
    pub dreamt_at: Option<i64>,
    /// Something has happened since; of who never dreamt: at least [`PLAYED_MIN`] records.
    pub has_played: bool,
}

/// In the order in which they dream.
pub fn in_order(candidates: Vec<Candidate>) -> Vec<LogId> {
    let (played, mut rest): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.has_played);
    let (mut again, mut first): (Vec<_>, Vec<_>) = played.into_iter().partition(|one| one.dreamt_at.is_some());
    again.sort_by(|a, b| (a.dreamt_at, &a.log).cmp(&(b.dreamt_at, &b.log)));
    first.sort_by(|a, b| a.log.cmp(&b.log));
    // Those without a dream last.
    rest.sort_by(|a, b| {
        (a.dreamt_at.is_none(), a.dreamt_at, &a.log).cmp(&(b.dreamt_at.is_none(), b.dreamt_at, &b.log))
    });
    let (mut again, mut first) = (again.into_iter(), first.into_iter());
    let mut order = Vec::new();
    loop {
        let before = order.len();
        order.extend(again.next());
        order.extend(first.next());
        if order.len() == before {
            break;
        }
    }
    order.extend(rest);
    order.into_iter().map(|candidate| candidate.log).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_of_newcomers_keeps_nobody_who_plays_from_sleeping() {
        let one = |name: &str, dreamt_at, has_played| Candidate { log: name.into(), dreamt_at, has_played };
        let mut all: Vec<Candidate> = (0..1_000).map(|n| one(&format!("junk{n:03}"), None, false)).collect();
        all.extend((0..5).map(|n| one(&format!("new{n}"), None, true)));
        all.push(one("late", Some(90), true));
        all.push(one("early", Some(10), true));
        all.push(one("idle", Some(1), false));
        let order: Vec<String> = in_order(all).iter().map(|log| log.to_string()).collect();
        let wanted = ["early", "new0", "late", "new1", "new2", "new3", "new4", "idle", "junk000"];
        assert_eq!(order[..wanted.len()], wanted);
        assert_eq!(order.len(), 1_008, "and everybody is there");
    }
}
