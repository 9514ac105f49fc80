//! A line of the game as far as a council understands it: its verb, whom it is about, what it does to a plot.

use super::scene::{Being, Scene};
use plot::Request;
use protocol::verbs;

/// Verbs by which somebody is attacked. Source: the verbs of fighting in `verbs.json` and the arts of fighters.
const ATTACKS: &[&str] =
    &["kill", "hit", "murder", "attack", "backstab", "bash", "kick", "trip", "strangle", "headbutt", "disembowel"];
/// Spells that attack nobody, by how they begin: what heals, shields and shows.
const KIND_SPELLS: &[&str] = &["cure", "heal", "bless", "armor", "sanctuary", "refresh", "remove", "vitality", "mass"];
/// Verbs by which somebody is helped, or traded with.
const HELPS: &[&str] = &["give", "assist", "rescue", "group", "follow", "buy", "sell", "offer", "bandage", "heal"];
/// Verbs by which one gets away, or mends oneself.
const WITHDRAWS: &[&str] = &["flee", "escape", "retreat", "quaff", "bandage", "heal"];
/// Those of them that leave a fight.
const FLEES: &[&str] = &["flee", "escape", "retreat"];
const DIRECTIONS: &[&str] = &["north", "east", "south", "west", "up", "down"];

/// What a line does to whom it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stance {
    Attack,
    Help,
}

pub(super) struct Line<'l> {
    text: &'l str,
    verb: &'l str,
}

impl<'l> Line<'l> {
    pub fn of(text: &'l str) -> Line<'l> {
        let word = verbs::word_of(text);
        // Whatever level the body has: what it may not do the game refuses, to any mind.
        let verb = verbs::find(word, i32::MAX).map_or(word, |verb| &*verb.name);
        Line { text: text.trim(), verb }
    }

    pub(super) fn rest(&self) -> &'l str {
        self.text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim())
    }

    fn is(&self, verbs: &[&str]) -> bool {
        verbs.iter().any(|verb| self.verb.eq_ignore_ascii_case(verb))
    }

    /// The spell of a `cast`, in lower case.
    fn spell(&self) -> Option<String> {
        let lower = self.rest().trim_start_matches('\'').to_lowercase();
        self.is(&["cast"]).then_some(lower)
    }

    fn is_kind_spell(&self) -> Option<bool> {
        let spell = self.spell()?;
        Some(KIND_SPELLS.iter().any(|kind| spell.starts_with(kind)))
    }

    /// The same for all who mean the same: what is built by what it does, and each word for somebody as who that is.
    pub fn resolved(&self, scene: &Scene) -> String {
        if let Some(request) = self.request() {
            // Labels are decoration: who wants the same thing in the same cell wants the same.
            let request = match request {
                Request::Add { kind, at, .. } => Request::Add { kind, at, label: "".into() },
                other => other,
            };
            return format!("build {request}");
        }
        let words = self.rest().split_whitespace().map(|word| match scene.being(word) {
            Some(being) => being.id.clone(),
            None => word.to_lowercase(),
        });
        std::iter::once(self.verb.to_lowercase()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// What it asks of a plot, if it does.
    pub fn request(&self) -> Option<Request> {
        if self.is(&["build"]) { Request::as_typed(self.rest()).ok() } else { None }
    }

    /// Whom it is about: of `give sword bob` the last word that is somebody here.
    pub fn about<'s>(&self, scene: &'s Scene) -> Option<&'s Being> {
        let quotes = |c: char| c == '\'' || c == '"';
        self.rest().split_whitespace().rev().find_map(|word| scene.being(word.trim_matches(quotes)))
    }

    pub fn stance(&self) -> Option<Stance> {
        match self.is_kind_spell() {
            Some(true) => Some(Stance::Help),
            Some(false) => Some(Stance::Attack),
            None if self.is(ATTACKS) => Some(Stance::Attack),
            None if self.is(HELPS) => Some(Stance::Help),
            None => None,
        }
    }

    /// Whether it leaves a fight.
    pub fn flees(&self) -> bool {
        self.is(FLEES)
    }

    /// Whether it takes the body out of danger, or mends it.
    pub fn withdraws(&self) -> bool {
        self.is(WITHDRAWS)
            || self.is(DIRECTIONS)
            || self.spell().is_some_and(|s| s.starts_with("cure") || s.starts_with("heal"))
    }
}
