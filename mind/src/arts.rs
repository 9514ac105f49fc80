//! The own arts: as prompts show them (a table in P1, changes in P3), and as answers are held against them.
//!
//! Invariant: what P1 shows stays as it is from one fold to the next, and P3 tells of all that became another since, so
//! that P1 with the newest rows of P3 is what somebody can do now, but for `BETTER_PERCENT`.

use crate::spelling::nearest;
use protocol::arts::{ArtUse, KnownArt};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::sync::Arc;

/// Rows of the table, at most.
pub const ROWS_MAX: usize = 40;

/// So many points better in an art are worth a row of P3: one learns a little by each use.
const BETTER_PERCENT: i32 = 5;

/// Hit points are told anew when an art takes more or less by so many in a hundred.
const HARDER_PERCENT: i32 = 25;

/// What somebody can do or could learn now, and who teaches it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ArtsView {
    pub rows: Vec<KnownArt>,
    /// Who teaches its class, and where, as far as it has met one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub teacher: String,
    /// Rows that had no room.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The word of the variable for what an art is good for.
pub const fn use_name(use_: ArtUse) -> &'static str {
    match use_ {
        ArtUse::Harm => "harm",
        ArtUse::Heal => "heal",
        ArtUse::Cure => "cure",
        ArtUse::Protect => "protect",
        ArtUse::Travel => "travel",
        ArtUse::Other => "other",
    }
}

/// What is known comes first, by use and how well; last what works by itself, and what is to be learned.
fn place_of(art: &KnownArt) -> impl Ord + use<> {
    let use_ = match art.used_for {
        ArtUse::Harm => 0,
        ArtUse::Heal => 1,
        ArtUse::Cure => 2,
        ArtUse::Protect => 3,
        ArtUse::Travel => 4,
        ArtUse::Other => 5,
    };
    (art.percent <= 0, art.verb.is_none(), use_, Reverse(art.percent), art.level, art.name.clone())
}

/// Whether P3 has to tell of an art again.
fn is_news(told: &KnownArt, now: &KnownArt) -> bool {
    let learned = (told.percent > 0) != (now.percent > 0);
    let (hit, hits) = (told.damage.unwrap_or(0), now.damage.unwrap_or(0));
    let harder = hit.abs_diff(hits) as i64 * 100 >= i64::from(hit.max(1)) * i64::from(HARDER_PERCENT);
    let better = told.percent.abs_diff(now.percent) >= BETTER_PERCENT.unsigned_abs();
    learned || better || harder || (told.mana, &told.verb, told.risky) != (now.mana, &now.verb, now.risky)
}

/// The arts of one session: as they are, as P1 shows them, and as P1 and P3 together tell them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arts {
    now: ArtsView,
    shown: ArtsView,
    told: ArtsView,
}

impl Arts {
    /// As answers name them.
    pub(crate) fn names(&self) -> Arc<[ArtName]> {
        self.now.rows.iter().map(ArtName::of).collect()
    }

    /// The first rows, for who has no P1.
    pub(crate) fn first(&self) -> ArtsView {
        let rows: Vec<KnownArt> = self.now.rows.iter().take(ROWS_MAX).cloned().collect();
        let more = self.now.rows.len() - rows.len();
        ArtsView { rows, more, teacher: self.now.teacher.clone() }
    }

    pub(crate) fn shown(&self) -> &ArtsView {
        &self.shown
    }

    /// What they are now. True: P1 cannot wait for a fold, since it shows none, or one that is no more.
    pub(crate) fn set(&mut self, mut view: ArtsView) -> bool {
        view.rows.sort_by_cached_key(place_of);
        if self.now == view {
            return false;
        }
        self.now = view;
        let is_gone = |art: &KnownArt| !self.now.rows.iter().any(|other| other.name == art.name);
        !self.now.rows.is_empty() && self.shown.rows.is_empty() || self.told.rows.iter().any(is_gone)
    }

    /// Whether P1 shows less than there is to tell.
    pub(crate) fn is_behind(&self) -> bool {
        let shown = self.shown.rows.len();
        (&self.shown.rows[..], &self.shown.teacher)
            != (&self.now.rows[..shown.min(self.now.rows.len())], &self.now.teacher)
            || self.shown.more + shown != self.now.rows.len()
    }

    /// P1 is about to be written anew: as many rows as `fits` says have room.
    pub(crate) fn show(&mut self, fits: &dyn Fn(&ArtsView) -> bool) {
        let of = |count: usize| {
            let (rows, more) = (self.now.rows[..count].to_vec(), self.now.rows.len() - count);
            ArtsView { rows, more, teacher: self.now.teacher.clone() }
        };
        let most = self.now.rows.len().min(ROWS_MAX);
        // Rows are of nearly one length, so halves find the count in a few tries.
        let (mut least, mut above) = (0, most + 1);
        while above - least > 1 {
            let middle = least + (above - least) / 2;
            if fits(&of(middle)) { least = middle } else { above = middle }
        }
        // Where not even one has room, nothing is said of the others either.
        self.shown = if least == 0 { ArtsView::default() } else { of(least) };
        self.told = self.now.clone();
    }

    /// What became another since it was told, once.
    pub(crate) fn news(&mut self) -> Option<ArtsView> {
        let told = |art: &KnownArt| self.told.rows.iter().find(|told| told.name == art.name);
        let is_new = |art: &&KnownArt| told(art).is_none_or(|told| is_news(told, art));
        let rows: Vec<KnownArt> = self.now.rows.iter().filter(is_new).take(ROWS_MAX).cloned().collect();
        let teacher = if self.told.teacher == self.now.teacher { String::new() } else { self.now.teacher.clone() };
        if rows.is_empty() && teacher.is_empty() {
            return None;
        }
        for row in &rows {
            match self.told.rows.iter_mut().find(|told| told.name == row.name) {
                Some(told) => *told = row.clone(),
                None => self.told.rows.push(row.clone()),
            }
        }
        self.told.teacher.clone_from(&self.now.teacher);
        Some(ArtsView { rows, teacher, more: 0 })
    }
}

/// An art as answers name it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ArtName {
    pub name: Arc<str>,
    /// `None`: it works by itself.
    pub verb: Option<Arc<str>>,
    /// It can be used; else it can be learned.
    pub known: bool,
}

impl ArtName {
    pub fn of(art: &KnownArt) -> ArtName {
        ArtName { name: art.name.clone(), verb: art.verb.clone(), known: art.percent > 0 }
    }

    /// A spell's verb is followed by its name.
    pub fn is_cast(&self) -> bool {
        self.verb.as_deref().is_some_and(|verb| matches!(verb, "cast" | "will"))
    }
}

/// What a text names among the arts, and what stands behind that in it.
pub enum Named<'a> {
    Art(&'a ArtName, String),
    /// None; this one is spelled much like it.
    Nearly(Option<&'a ArtName>),
}

/// Reads `magic missile`, `'magic missile' goblin`, `magic missile goblin`, `mag mis`, in any case.
pub fn named<'a>(arts: &'a [ArtName], text: &str) -> Named<'a> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let quote = |c: char| matches!(c, '\'' | '"' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}');
    let is = |art: &&ArtName, word: &str| art.name.eq_ignore_ascii_case(word);
    if let Some(open) = text.strip_prefix(quote)
        && let Some((name, rest)) = open.split_once(quote)
    {
        return match named(arts, name) {
            Named::Art(art, _) => Named::Art(art, rest.trim().to_string()),
            other => other,
        };
    }
    if let Some(art) = arts.iter().find(|art| is(art, text)) {
        return Named::Art(art, String::new());
    }
    let behind = |art: &ArtName| {
        let rest = lower.strip_prefix(&*art.name.to_lowercase())?;
        // Of the same length in small letters, or nothing is cut.
        let at = (lower.len() == text.len() && rest.starts_with(' ')).then(|| text.len() - rest.len())?;
        text.get(at..).map(|rest| rest.trim().to_string())
    };
    let longest = arts.iter().filter_map(|art| Some((art, behind(art)?))).max_by_key(|(art, _)| art.name.len());
    if let Some((art, rest)) = longest {
        return Named::Art(art, rest);
    }
    let by_verb = |art: &&ArtName| !art.is_cast() && art.verb.as_deref().is_some_and(|verb| verb == lower);
    if let Some(art) = arts.iter().find(by_verb) {
        return Named::Art(art, String::new());
    }
    // As the game has it: each word may be cut short, and the known come first.
    let begins = |art: &&ArtName| {
        let name = art.name.to_lowercase();
        let (words, parts): (Vec<&str>, Vec<&str>) = (name.split(' ').collect(), lower.split(' ').collect());
        lower.len() > 2
            && parts.len() <= words.len()
            && parts.iter().zip(&words).all(|(part, word)| !part.is_empty() && word.starts_with(part))
    };
    let mut fitting: Vec<&ArtName> = arts.iter().filter(begins).collect();
    fitting.sort_by_key(|art| !art.known);
    if let Some(art) = fitting.first() {
        return Named::Art(art, String::new());
    }
    let near = nearest(text, arts.iter().map(|art| &*art.name));
    Named::Nearly(near.and_then(|name| arts.iter().find(|art| *art.name == *name)))
}

/// Words of things that hold magic, and what is done with them. Whatever else somebody would use is for `use` to judge.
const THINGS: &[(&str, &[&str])] = &[
    ("quaff", &["potion", "vial", "phial", "elixir", "philtre", "draught", "tonic"]),
    ("recite", &["scroll", "parchment"]),
];

/// The verb for a thing that somebody would use, by its name.
pub fn verb_for(object: &str) -> &'static str {
    let lower = object.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    let of = |word: &str| THINGS.iter().find(|(_, things)| things.contains(&word)).map(|(verb, _)| *verb);
    words.find_map(of).unwrap_or("use")
}

#[cfg(test)]
mod tests;
