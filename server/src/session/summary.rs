//! A round of a fight in one line, made from what happened: for who cannot listen to every blow of it.
//!
//! Leaves deaths, spells and everything else that is said in a fight as it is. Invariant: knows no world; what its
//! reader and the opponent are like by then is told by whoever asks.

use content::words::AttackType;
use protocol::outcome::{Outcome, Who, WhoKind};
use std::fmt::Write;

/// Fights between two that one line tells of; the rest are counted.
const PAIRS_MAX: usize = 6;

/// The blows of a round, up to where it was told.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// In the order in which each struck first.
    pairs: Vec<Exchange>,
}

/// What one did to another.
#[derive(Clone, Debug)]
struct Exchange {
    attacker: Who,
    victim: Who,
    hits: u32,
    misses: u32,
    amount: i64,
}

/// How its reader is when a round is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing<'s> {
    /// The reader's id, by which outcomes name it.
    pub own: &'s str,
    pub hit: i32,
    pub hit_max: i32,
    /// Whom it fights still, and how that one is: `the rat`, `is badly hurt`.
    pub opponent: Option<(&'s str, &'s str)>,
}

impl Round {
    /// Takes a blow into the round. False: it is none, and has to be told as it is.
    pub fn takes(&mut self, outcome: &Outcome) -> bool {
        let (attacker, victim, attack, amount) = match outcome {
            Outcome::Damage { attacker, victim, attack, amount } => (attacker, victim, attack, Some(*amount)),
            Outcome::Miss { attacker, victim, attack } => (attacker, victim, attack, None),
            _ => return false,
        };
        // An art has words of its own.
        if AttackType::named(attack).is_none() {
            return false;
        }
        let known = self.pairs.iter().position(|pair| pair.attacker == *attacker && pair.victim == *victim);
        let at = known.unwrap_or_else(|| {
            let (attacker, victim) = (attacker.clone(), victim.clone());
            self.pairs.push(Exchange { attacker, victim, hits: 0, misses: 0, amount: 0 });
            self.pairs.len() - 1
        });
        let pair = &mut self.pairs[at];
        match amount {
            Some(amount) => {
                pair.hits += 1;
                pair.amount += i64::from(amount);
            }
            None => pair.misses += 1,
        }
        true
    }

    /// The round in a line, after which another begins; `None` where nobody struck.
    pub fn told(&mut self, reader: &Standing<'_>) -> Option<String> {
        let mut pairs = std::mem::take(&mut self.pairs);
        if pairs.is_empty() {
            return None;
        }
        // One's own blows first, then those against oneself.
        pairs.sort_by_key(|pair| match (&*pair.attacker.id == reader.own, &*pair.victim.id == reader.own) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        });
        let mut text = String::new();
        let mut last: Option<&Who> = None;
        for pair in pairs.iter().take(PAIRS_MAX) {
            if !text.is_empty() {
                text.push_str("; ");
            }
            clause(pair, reader.own, last, &mut text);
            last = Some(&pair.victim);
        }
        if let Some(more @ 1..) = pairs.len().checked_sub(PAIRS_MAX) {
            let _ = write!(text, "; and {more} more fight on");
        }
        let begin = text.chars().next().map_or(0, char::len_utf8);
        text[..begin].make_ascii_uppercase();
        let _ = write!(text, ". You {} of {}", reader.hit, reader.hit_max);
        match reader.opponent {
            Some((name, condition)) => {
                let _ = write!(text, ", {name} {condition}.");
            }
            None => text.push('.'),
        }
        Some(text)
    }
}

/// What one did to another. `last`: of whom was just spoken, who is "it" then.
fn clause(pair: &Exchange, own: &str, last: Option<&Who>, text: &mut String) {
    let is_own = |who: &Who| !who.id.is_empty() && &*who.id == own;
    let actor_is_own = is_own(&pair.attacker);
    let name = |who: &Who| match who {
        who if is_own(who) => "you".to_string(),
        who => definite(&who.name),
    };
    let is_it =
        |who: &Who| who.kind == WhoKind::Mob && last.is_some_and(|last| !last.id.is_empty() && last.id == who.id);
    text.push_str(&match is_it(&pair.attacker) {
        true => "it".to_string(),
        false => name(&pair.attacker),
    });
    let victim = name(&pair.victim);
    let s = if actor_is_own { "" } else { "s" };
    let es = if actor_is_own { "" } else { "es" };
    let _ = match (pair.hits, pair.misses) {
        (0, 1) => write!(text, " miss{es} {victim}"),
        (0, misses) => write!(text, " miss{es} {victim} {}", times(misses)),
        (1, _) => write!(text, " hit{s} {victim} for {}", pair.amount),
        (hits, _) => write!(text, " hit{s} {victim} {} for {}", times(hits), pair.amount),
    };
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_string(),
        2 => "twice".to_string(),
        count => format!("{count} times"),
    }
}

/// `the rat` for `a rat`: it is the one that one fights.
pub fn definite(name: &str) -> String {
    let rest = ["a ", "an "].iter().find_map(|article| name.strip_prefix(article));
    rest.map_or_else(|| name.to_string(), |rest| format!("the {rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(id: &str, name: &str) -> Who {
        let kind = if id.starts_with("mob") { WhoKind::Mob } else { WhoKind::Player };
        Who { id: id.into(), name: name.into(), kind, level: 3 }
    }

    fn ann() -> Who {
        who("player_ann", "Ann")
    }

    fn rat() -> Who {
        who("mob_1_1", "a rat")
    }

    fn hit(attacker: Who, victim: Who, amount: i32) -> Outcome {
        Outcome::Damage { attacker, victim, amount, attack: AttackType::Slash.name().into() }
    }

    fn miss(attacker: Who, victim: Who) -> Outcome {
        Outcome::Miss { attacker, victim, attack: AttackType::Bite.name().into() }
    }

    fn told(blows: &[Outcome], opponent: Option<(&str, &str)>) -> Option<String> {
        let mut round = Round::default();
        assert!(blows.iter().all(|blow| round.takes(blow)));
        let text = round.told(&Standing { own: "player_ann", hit: 31, hit_max: 40, opponent });
        assert_eq!(round.told(&Standing { own: "player_ann", hit: 31, hit_max: 40, opponent }), None, "it is over");
        text
    }

    #[test]
    fn a_round_is_one_line() {
        let blows = [hit(rat(), ann(), 4), hit(ann(), rat(), 6), hit(ann(), rat(), 8)];
        assert_eq!(
            told(&blows, Some(("the rat", "is badly hurt"))).as_deref(),
            Some("You hit the rat twice for 14; it hits you for 4. You 31 of 40, the rat is badly hurt.")
        );
        assert_eq!(told(&[], None), None);
    }

    #[test]
    fn misses_count_where_nothing_hit() {
        let blows = [miss(ann(), rat()), miss(rat(), ann()), miss(rat(), ann())];
        assert_eq!(told(&blows, None).as_deref(), Some("You miss the rat; it misses you twice. You 31 of 40."));
    }

    #[test]
    fn what_others_do_comes_last_and_a_crowd_is_counted() {
        let bob = || who("player_bob", "Bob");
        let mut blows = vec![hit(bob(), rat(), 3), hit(ann(), rat(), 2)];
        assert_eq!(told(&blows, None).as_deref(), Some("You hit the rat for 2; Bob hits the rat for 3. You 31 of 40."));
        blows.extend((2..9).map(|n| hit(who(&format!("mob_1_{n}"), "a goose"), bob(), n)));
        let text = told(&blows, None).expect("they fight");
        assert!(text.ends_with("; and 3 more fight on. You 31 of 40."), "{text}");
    }

    #[test]
    fn an_art_is_told_in_its_own_words() {
        let mut round = Round::default();
        let spell = Outcome::Damage { attacker: ann(), victim: rat(), amount: 9, attack: "fireball".into() };
        assert!(!round.takes(&spell));
        assert!(!round.takes(&Outcome::Death { victim: rat(), killer: Some(ann()) }));
    }

    #[test]
    fn whom_one_does_not_see_is_nobody_s_it() {
        let unseen = || rat().unseen();
        let blows = [hit(ann(), unseen(), 2), hit(unseen(), ann(), 1)];
        assert_eq!(told(&blows, None).as_deref(), Some("You hit someone for 2; someone hits you for 1. You 31 of 40."));
    }
}
