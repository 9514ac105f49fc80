//! Company: whom one follows and who follows, who is of one's group and how they are, and what was said about it.
//!
//! Invariant: a function of what was told and sent, in order. Nobody is led for ever: `pays` says how long.

use protocol::Outcome;
use protocol::outcome::{Who, WhoKind};
use std::collections::{BTreeMap, BTreeSet};

/// An offer is good for so long.
const OFFER_MS: u64 = 30_000;
/// Who was offered company, or parted from, is not offered any again so soon.
const AGAIN_MS: u64 = 600_000;
/// So long one goes together without a common kill: 90 ticks, so that an hour's rest lies in between.
pub const BARREN_MS: u64 = 180_000;
/// So long one goes together at all.
const TOGETHER_MS: u64 = 1_200_000;
/// A blow so long ago is part of a fight that goes on.
const FIGHT_MS: u64 = 5_000;

/// What somebody said to one about going together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// To come along.
    Come,
    /// Whether they may come along.
    MayI,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    pub said: Said,
    pub at_ms: u64,
    /// One has said something to it.
    pub answered: bool,
    /// By a tell: whoever made it may be anywhere.
    pub told: bool,
}

/// Hit points, as far as one was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Health {
    pub hp: i32,
    pub most: i32,
}

impl Health {
    pub fn percent(&self) -> i32 {
        if self.most > 0 { self.hp.max(0) * 100 / self.most } else { 100 }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Company {
    /// Whom one follows.
    pub leader: Option<String>,
    pub followers: BTreeSet<String>,
    /// The others of one's group.
    pub members: BTreeSet<String>,
    /// By who made them.
    pub offers: BTreeMap<String, Offer>,
    /// To whom one offered company, and when.
    offered: BTreeMap<String, u64>,
    /// From whom one parted, and when.
    parted: BTreeMap<String, u64>,
    /// As the group's page told, less the blows since.
    pub health: BTreeMap<String, Health>,
    /// When that page was read, or asked for.
    pub page_ms: Option<u64>,
    /// Since when one follows or is followed.
    pub since_ms: u64,
    /// The last common kill.
    pub kill_ms: Option<u64>,
    /// Whether there ever was a group since then.
    pub was_group: bool,
    /// Who goes in front was here last.
    pub seen_ms: u64,
    /// When each of them struck or was struck last.
    blows: BTreeMap<String, u64>,
    struck: BTreeMap<String, u64>,
    /// Whom one offered to go against somebody together.
    against: BTreeSet<String>,
    pub said_farewell: bool,
    /// Coins found together and not shared yet.
    pub gold: i64,
    /// It does not let anybody follow.
    pub walks_alone: bool,
}

impl Company {
    /// Who goes in front, or nobody and there are others: one is in company.
    pub fn is_alone(&self) -> bool {
        self.leader.is_none() && self.members.is_empty()
    }

    /// Those of the group that are here.
    pub fn here<'a>(&'a self, players: &'a BTreeSet<String>) -> impl Iterator<Item = &'a String> {
        self.members.iter().filter(|name| players.contains(*name))
    }

    /// An offer of theirs that still stands, answered or not.
    pub fn offer(&self, name: &str, now_ms: u64) -> Option<&Offer> {
        self.offers.get(name).filter(|offer| now_ms < offer.at_ms + OFFER_MS)
    }

    /// Whether one may offer them company, or take them in again.
    pub fn may_meet(&self, name: &str, now_ms: u64) -> bool {
        let long_ago = |times: &BTreeMap<String, u64>| times.get(name).is_none_or(|at| now_ms >= at + AGAIN_MS);
        long_ago(&self.offered) && long_ago(&self.parted)
    }

    pub fn has_parted(&self, name: &str, now_ms: u64) -> bool {
        self.parted.get(name).is_some_and(|at| now_ms < at + AGAIN_MS)
    }

    /// Whom one offered company in the last so many milliseconds.
    pub fn offered_since(&self, from_ms: u64) -> impl Iterator<Item = &String> {
        self.offered.iter().filter(move |(_, at)| **at >= from_ms).map(|(name, _)| name)
    }

    /// Whether one brought the group together oneself, against somebody.
    pub fn has_purpose(&self) -> bool {
        self.members.iter().any(|name| self.against.contains(name))
    }

    /// Whether going together is still worth it.
    pub fn pays(&self, now_ms: u64) -> bool {
        let barren = now_ms.saturating_sub(self.kill_ms.unwrap_or(self.since_ms).max(self.since_ms));
        barren < BARREN_MS && now_ms.saturating_sub(self.since_ms) < TOGETHER_MS
    }

    /// Whether one of the group fights just now.
    pub fn fights(&self, name: &str, now_ms: u64) -> bool {
        self.blows.get(name).is_some_and(|at| now_ms < at + FIGHT_MS)
    }

    /// Whether somebody strikes at one of the group just now.
    pub fn is_struck(&self, name: &str, now_ms: u64) -> bool {
        self.struck.get(name).is_some_and(|at| now_ms < at + FIGHT_MS)
    }

    /// One outcome. `me`: whether somebody is oneself.
    pub fn learn(&mut self, outcome: &Outcome, me: impl Fn(&Who) -> bool, players: &BTreeSet<String>, now_ms: u64) {
        let name = |who: &Who| who.name.to_string();
        match outcome {
            Outcome::Followed { who, leader: Some(leader) } if me(who) => {
                self.begin(now_ms);
                (self.leader, self.seen_ms) = (Some(name(leader)), now_ms);
            }
            Outcome::Followed { who, leader: Some(leader) } if me(leader) && who.kind == WhoKind::Player => {
                if self.members.is_empty() {
                    self.begin(now_ms);
                }
                self.followers.insert(name(who));
            }
            Outcome::Followed { who, leader: None } if me(who) => {
                if let Some(leader) = self.leader.take() {
                    self.parted.insert(leader, now_ms);
                }
                self.end();
            }
            Outcome::Followed { who, .. } => {
                if self.followers.remove(&*who.name) {
                    self.parted.insert(name(who), now_ms);
                }
                self.leave(&who.name, now_ms);
            }
            Outcome::Grouped { who, leader } => {
                if me(who) {
                    self.members.insert(name(leader));
                } else if me(leader) || self.members.contains(&*leader.name) {
                    self.members.insert(name(who));
                }
                self.was_group |= !self.members.is_empty();
            }
            Outcome::Ungrouped { who, .. } if me(who) => self.members.clear(),
            Outcome::Ungrouped { who, .. } => self.leave(&who.name, now_ms),
            Outcome::Damage { attacker, victim, amount, .. } => {
                if let Some(health) = self.health.get_mut(&*victim.name).filter(|_| victim.kind == WhoKind::Player) {
                    health.hp -= amount;
                }
                self.blow(attacker, victim, now_ms);
            }
            Outcome::Miss { attacker, victim, .. } | Outcome::Attacked { attacker, victim } => {
                self.blow(attacker, victim, now_ms);
            }
            Outcome::KillCredit { who, .. } if me(who) => {
                self.blows.clear();
                if self.here(players).next().is_some() {
                    self.kill_ms = Some(now_ms);
                    // How they are now is worth asking.
                    self.page_ms = None;
                }
            }
            Outcome::Got { who, gold: Some(gold), .. } if me(who) && self.here(players).next().is_some() => {
                self.gold += gold;
            }
            Outcome::Death { victim, .. } if me(victim) => {
                *self = Company { parted: std::mem::take(&mut self.parted), ..Company::default() };
            }
            Outcome::Death { victim, .. } if victim.kind == WhoKind::Player => {
                self.followers.remove(&*victim.name);
                self.leave(&victim.name, now_ms);
            }
            Outcome::Said { speaker, channel, text, .. } if speaker.kind == WhoKind::Player && !me(speaker) => {
                let to_me = matches!(&**channel, "say" | "ask" | "whisper" | "tell");
                if let Some(said) = meaning(text).filter(|_| to_me) {
                    self.forget_what_is_over(now_ms);
                    let told = &**channel == "tell";
                    self.offers.insert(name(speaker), Offer { said, at_ms: now_ms, answered: false, told });
                }
            }
            _ => {}
        }
    }

    /// The page of the group, line by line.
    pub fn read_page(&mut self, me: &str, text: &str, now_ms: u64) {
        let rows = text.lines().filter_map(row);
        let rows: BTreeMap<String, Health> = rows.filter(|(name, _)| !name.eq_ignore_ascii_case(me)).collect();
        if !rows.is_empty() {
            self.members = rows.keys().cloned().collect();
            (self.health, self.page_ms) = (rows, Some(now_ms));
        }
    }

    /// A line was sent, with these players in the room.
    pub fn sent(&mut self, line: &str, players: &BTreeSet<String>, now_ms: u64) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "say" | "tell" => {
                let named = |name: &&String| rest.contains(name.as_str());
                for (_, offer) in self.offers.iter_mut().filter(|(name, _)| named(name)) {
                    offer.answered = true;
                }
                if meaning(rest) == Some(Said::Come) {
                    let to: Vec<String> = players.iter().filter(named).cloned().collect();
                    if rest.contains("take on") || rest.contains("against") {
                        self.against.extend(to.iter().cloned());
                    }
                    self.offered.extend(to.into_iter().map(|name| (name, now_ms)));
                }
                self.said_farewell |= is_farewell(rest);
            }
            "group" if rest.is_empty() => self.page_ms = Some(now_ms),
            "ungroup" if rest.is_empty() => {
                self.parted.extend(std::mem::take(&mut self.members).into_iter().map(|name| (name, now_ms)));
                self.end();
            }
            "split" => self.gold = 0,
            "toggle" if rest == "nofollow" => self.walks_alone = !self.walks_alone,
            _ => {}
        }
    }

    /// So that a long session in a crowd keeps no more names than the last minutes have.
    fn forget_what_is_over(&mut self, now_ms: u64) {
        self.offers.retain(|_, offer| now_ms < offer.at_ms + OFFER_MS);
        for times in [&mut self.offered, &mut self.parted] {
            times.retain(|_, at| now_ms < *at + AGAIN_MS);
        }
        for times in [&mut self.blows, &mut self.struck] {
            times.retain(|_, at| now_ms < *at + FIGHT_MS);
        }
    }

    fn begin(&mut self, now_ms: u64) {
        (self.since_ms, self.kill_ms, self.page_ms) = (now_ms, None, None);
        (self.was_group, self.said_farewell, self.gold) = (false, false, 0);
    }

    fn end(&mut self) {
        self.members.clear();
        self.health.clear();
        self.blows.clear();
        self.against.clear();
        (self.gold, self.was_group) = (0, false);
    }

    fn leave(&mut self, name: &str, now_ms: u64) {
        if self.members.remove(name) {
            self.parted.insert(name.to_string(), now_ms);
        }
        self.health.remove(name);
    }

    fn blow(&mut self, attacker: &Who, victim: &Who, now_ms: u64) {
        if self.members.contains(&*victim.name) {
            self.struck.insert(victim.name.to_string(), now_ms);
        }
        for who in [attacker, victim] {
            if self.members.contains(&*who.name) {
                self.blows.insert(who.name.to_string(), now_ms);
            }
        }
    }
}

/// Words that part.
const FAREWELL: &[&str] = &["safe roads", "our ways part", "my own way now"];

fn is_farewell(text: &str) -> bool {
    let lower = text.to_lowercase();
    FAREWELL.iter().any(|words| lower.contains(words))
}

/// Words that ask somebody to come along, and words that ask whether one may.
const COME: &[&str] = &[
    "hunt together",
    "fight together",
    "group together",
    "group up",
    "team up",
    "join me",
    "join us",
    "join forces",
    "join my group",
    "follow me",
    "come with me",
    "come with us",
    "hunt with me",
    "fight with me",
    "help me against",
    "help me kill",
    "shall we take on",
];
const MAY_I: &[&str] = &[
    "i join you",
    "i follow you",
    "i come with you",
    "i come along",
    "me with you",
    "let me join",
    "let me come",
    "i group with you",
    "i hunt with you",
];
/// With one of these it is no offer.
const NOT: &[&str] = &["not", "don't", "never", "nobody", "won't", "stop"];

/// What somebody says about going together, if that is what it is about.
pub fn meaning(text: &str) -> Option<Said> {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    if words.any(|word| NOT.contains(&word)) {
        return None;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    if says(MAY_I) {
        Some(Said::MayI)
    } else if says(COME) {
        Some(Said::Come)
    } else {
        None
    }
}

/// A row of the group's page: `  Maud, leads   level 2    12/30   hp …`.
fn row(line: &str) -> Option<(String, Health)> {
    let (called, told) = line.split_once(" level ")?;
    let name = called.split(',').next()?.trim();
    let mut words = told.split_whitespace();
    words.next()?.parse::<i32>().ok()?;
    let (hp, most) = words.next()?.split_once('/')?;
    Some((name.to_string(), Health { hp: hp.parse().ok()?, most: most.parse().ok()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_are_told_from_talk() {
        for (text, said) in [
            ("Maud, shall we take on the bear together?", Some(Said::Come)),
            ("Join me against the bear!", Some(Said::Come)),
            ("Follow me, then, Maud.", Some(Said::Come)),
            ("May I come with you?", Some(Said::MayI)),
            ("Can I join you, Wren?", Some(Said::MayI)),
            ("Do not follow me.", None),
            ("Don't join us.", None),
            ("I have never been to the moor.", None),
            ("Lovely weather.", None),
        ] {
            assert_eq!(meaning(text), said, "{text}");
        }
    }

    #[test]
    fn offers_of_a_crowd_are_forgotten_with_time() {
        let who = |name: String| Who { id: "".into(), name: name.as_str().into(), kind: WhoKind::Player, level: 1 };
        let mut company = Company::default();
        for n in 0..500 {
            let speaker = who(format!("Guest{n}"));
            let said = Outcome::Said {
                speaker,
                channel: "say".into(),
                to: None,
                text: "Join me!".into(),
                message_id: None,
                channel_id: None,
            };
            company.learn(&said, |_| false, &BTreeSet::new(), n * 1_000);
        }
        assert_eq!(company.offers.len(), 30, "those of the last half minute");
        assert!(company.offer("Guest499", 499_000).is_some() && company.offer("Guest1", 499_000).is_none());
    }

    #[test]
    fn the_page_of_the_group_says_who_is_in_it_and_how_they_are() {
        let mut company = Company::default();
        let page = "Your group:\n  Wren, leads         level 3    31/40   hp    0/0    mana   80/82   moves\n  \
                    Ann of the Hill, away level 1     9/15   hp    0/0    mana   80/82   moves\n  \
                    Maud                level 2    12/30   hp    0/0    mana   80/82   moves";
        company.read_page("Maud", page, 5);
        assert_eq!(company.members, BTreeSet::from(["Ann of the Hill".to_string(), "Wren".to_string()]));
        assert_eq!(company.health["Wren"], Health { hp: 31, most: 40 });
        assert_eq!((company.health["Wren"].percent(), company.page_ms), (77, Some(5)));
        company.read_page("Maud", "Hello level headed people", 6);
        assert_eq!(company.page_ms, Some(5), "that was no page");
    }

    #[test]
    fn it_pays_while_there_are_common_kills_and_not_for_ever() {
        let mut company = Company { since_ms: 1_000, ..Company::default() };
        assert!(company.pays(BARREN_MS) && !company.pays(BARREN_MS + 1_000));
        company.kill_ms = Some(100_000);
        assert!(company.pays(BARREN_MS + 99_000));
        company.kill_ms = Some(TOGETHER_MS);
        assert!(!company.pays(TOGETHER_MS + 1_000));
    }
}
