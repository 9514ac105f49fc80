//! What a newcomer remembers of what it has read: places and the ways between them, whom it has met, what it has taken
//! on.
//!
//! A place is known by its title and its exits, as somebody remembers one who draws no map.

use super::screen::View;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use world::rng::Dice;

/// A place that was worked over is looked at again after so many others.
const STALE: u32 = 40;
/// Where it won a fight it looks again after so many.
const HUNTED: u32 = 25;
/// After so many new places it asks which land this is.
const STRANGE: u32 = 8;

fn back_of(way: &str) -> Option<&'static str> {
    const BACK: [(&str, &str); 6] =
        [("north", "south"), ("south", "north"), ("east", "west"), ("west", "east"), ("up", "down"), ("down", "up")];
    BACK.iter().find(|(there, _)| *there == way).map(|(_, back)| *back)
}

/// Where an exit leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Beyond {
    Untried,
    /// A shut door that was tried once.
    Tried,
    None,
    Place(usize),
}

#[derive(Clone, Debug)]
pub struct Place {
    pub view: View,
    beyond: BTreeMap<&'static str, Beyond>,
    browsed: bool,
    opened: BTreeSet<String>,
    seen_at: u32,
    /// Something that could be beaten was here.
    has_prey: bool,
    /// It lies in a land for others.
    is_too_hard: bool,
}

#[derive(Clone, Copy, Default, Debug)]
struct Being {
    is_considered: bool,
    is_being: bool,
    is_fair: bool,
    asked: bool,
    /// How often it was struck at in vain: it may have gone.
    struck: u32,
    opened: bool,
}

/// Something that somebody wants done.
#[derive(Clone, Debug)]
pub struct Errand {
    key: String,
    /// Where it was taken on.
    place: usize,
    /// The way that was told, from there.
    told: Vec<&'static str>,
    /// What is still to do, in the words of the list.
    open: Vec<String>,
    is_done: bool,
}

#[derive(Clone, Default, Debug)]
pub struct Art {
    pub name: String,
    /// `None`: it is cast.
    pub verb: Option<String>,
    pub mana: i32,
    pub hurts: bool,
    pub heals: bool,
    pub in_fights: bool,
}

impl Art {
    /// What one types to use it.
    pub fn line(&self, target: Option<&str>) -> String {
        let line = match &self.verb {
            Some(verb) => verb.clone(),
            None => format!("cast '{}'", self.name),
        };
        target.map_or(line.clone(), |target| format!("{line} {target}"))
    }
}

#[derive(Default, Debug)]
pub struct Memory {
    places: Vec<Place>,
    here: Option<usize>,
    beings: BTreeMap<String, Being>,
    pub errands: Vec<Errand>,
    known_errands: BTreeSet<String>,
    /// Questions that were put, by whom and about what.
    put: BTreeSet<String>,
    goods: BTreeSet<String>,
    reached_for: BTreeMap<String, u32>,
    boards_read: bool,
    moves: u32,
    /// New places since it last looked in which land it was.
    strange: u32,
}

/// The last step of whatever was done for somebody.
const BACK: &str = "Go back to";

/// Words of a step of a list that name nothing.
const EMPTY_WORDS: [&str; 34] = [
    "bring", "from", "with", "that", "them", "kill", "give", "find", "here", "there", "where", "what", "pair", "visit",
    "the", "and", "for", "one", "two", "three", "under", "beneath", "below", "above", "about", "west", "east", "north",
    "south", "street", "room", "ask", "any", "see",
];

/// Words worth looking for in such a step, as one thing is called.
fn words_of(step: &str) -> Vec<String> {
    let words = step.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    let words = words.filter(|word| word.starts_with(|c: char| c.is_lowercase()));
    let words = words.map(|word| word.to_lowercase()).filter(|word| !EMPTY_WORDS.contains(&word.as_str()));
    words.flat_map(|word| [word.trim_end_matches('s').to_string(), word]).collect()
}

impl Memory {
    pub fn place(&self) -> Option<&Place> {
        self.places.get(self.here?)
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        self.places.get_mut(self.here?)
    }

    /// A place came into view; `from`: the way that was gone.
    pub fn come_to(&mut self, view: &View, from: Option<&'static str>) {
        self.moves += u32::from(from.is_some());
        let same = |place: &Place| {
            let ways = |view: &View| view.exits.iter().map(|exit| exit.way).collect::<Vec<_>>();
            place.view.title == view.title && ways(&place.view) == ways(view)
        };
        let before = self.here;
        let known = self.places.iter().position(same);
        let at = known.unwrap_or(self.places.len());
        if known.is_none() {
            let beyond = view.exits.iter().map(|exit| (exit.way, Beyond::Untried)).collect();
            let view = view.clone();
            self.places.push(Place {
                view,
                beyond,
                browsed: false,
                opened: BTreeSet::new(),
                seen_at: 0,
                has_prey: false,
                is_too_hard: false,
            });
        }
        self.places[at].view = view.clone();
        self.places[at].seen_at = self.moves;
        if let (Some(from), Some(before)) = (from, before) {
            self.places[before].beyond.insert(from, Beyond::Place(at));
            // The way back is taken for granted, until it leads elsewhere.
            let back = back_of(from).and_then(|back| self.places[at].beyond.get_mut(back));
            if let Some(beyond) = back.filter(|beyond| **beyond == Beyond::Untried) {
                *beyond = Beyond::Place(before);
            }
        }
        self.here = Some(at);
        self.strange += u32::from(known.is_none());
    }

    /// Whether it is worth asking where this is.
    pub fn is_far_off(&self) -> bool {
        self.strange >= STRANGE
    }

    /// What `areas` lists: "  The Hollowwood     levels 3 to 6, where you are".
    pub fn lands_are(&mut self, lines: &[String], level: i32) {
        self.strange = 0;
        let here = lines.iter().find(|line| line.contains("where you are"));
        let from = here.and_then(|line| {
            let (_, rest) = line.split_once("level")?;
            rest.split(|c: char| !c.is_ascii_digit()).find(|word| !word.is_empty())?.parse::<i32>().ok()
        });
        if let (true, Some(place)) = (from.is_some_and(|from| from > level), self.place_mut()) {
            place.is_too_hard = true;
        }
    }

    pub fn prey_is_here(&mut self) {
        if let Some(place) = self.place_mut() {
            place.has_prey = true;
        }
    }

    /// Back to where something could be beaten, after a while.
    pub fn way_to_prey(&self) -> Option<VecDeque<&'static str>> {
        self.way(|at| self.places[at].has_prey && self.moves.saturating_sub(self.places[at].seen_at) > HUNTED)
    }

    /// The way that somebody told from where it began, from here: as far as it is known by the shortest way, and on.
    pub fn way_as_told(&self, told: &[&'static str]) -> Option<VecDeque<&'static str>> {
        let (mut at, mut gone) = (0, 0);
        while let Some(way) = told.get(gone)
            && let Some(Beyond::Place(next)) = self.places.get(at)?.beyond.get(way)
        {
            (at, gone) = (*next, gone + 1);
        }
        let mut walk = self.way(|place| place == at)?;
        walk.extend(&told[gone..]);
        Some(walk)
    }

    /// It does not know where it is.
    pub fn lost(&mut self) {
        self.here = None;
    }

    pub fn no_way(&mut self, way: &'static str) {
        if let Some(place) = self.place_mut() {
            place.beyond.insert(way, Beyond::None);
        }
    }

    /// Whether a shut door is worth a try: the first.
    pub fn try_door(&mut self, way: &'static str) -> bool {
        let before = self.place_mut().and_then(|place| place.beyond.insert(way, Beyond::Tried));
        before == Some(Beyond::Untried)
    }

    pub fn considered(&mut self, name: &str, is_being: bool, is_fair: bool) {
        let being = self.beings.entry(name.to_string()).or_default();
        (being.is_considered, being.is_being, being.is_fair) = (true, is_being, is_fair);
    }

    pub fn is_considered(&self, name: &str) -> bool {
        self.beings.get(name).is_some_and(|being| being.is_considered)
    }

    pub fn is_being(&self, name: &str) -> bool {
        self.beings.get(name).is_some_and(|being| being.is_being)
    }

    pub fn is_fair(&self, name: &str) -> bool {
        self.beings.get(name).is_some_and(|being| being.is_being && being.is_fair && being.struck < 3)
    }

    /// Whether somebody is to be asked for work: once.
    pub fn ask(&mut self, name: &str) -> bool {
        !std::mem::replace(&mut self.beings.entry(name.to_string()).or_default().asked, true)
    }

    pub fn struck(&mut self, name: &str) {
        if let Some(being) = self.beings.get_mut(name) {
            being.struck += 1;
        }
    }

    /// Whether a fight with it may begin with an art: every other time.
    pub fn open_with(&mut self, name: &str) -> bool {
        self.beings.get_mut(name).is_some_and(|being| {
            being.opened = !being.opened;
            being.opened
        })
    }

    /// Somebody fell: what was struck at was there.
    pub fn fallen(&mut self) {
        self.beings.values_mut().for_each(|being| being.struck = 0);
    }

    /// Whether goods are to be looked at here: once in each place.
    pub fn browse(&mut self) -> bool {
        self.place_mut().is_some_and(|place| !std::mem::replace(&mut place.browsed, true))
    }

    pub fn read_board(&mut self) -> bool {
        !std::mem::replace(&mut self.boards_read, true)
    }

    pub fn open_up(&mut self, container: &str) -> bool {
        self.place_mut().is_some_and(|place| place.opened.insert(container.to_string()))
    }

    /// Whether a thing on the ground is worth a try: twice in all.
    pub fn reach_for(&mut self, word: &str) -> bool {
        let times = self.reached_for.entry(word.to_string()).or_default();
        *times += 1;
        *times <= 2
    }

    pub fn has_bought(&self, goods: &str) -> bool {
        goods.split_whitespace().last().is_some_and(|word| self.goods.contains(word))
    }

    pub fn bought(&mut self, goods: &str) {
        self.goods.extend(goods.split_whitespace().last().map(str::to_string));
    }

    pub fn knows_errand(&self, key: &str) -> bool {
        self.known_errands.contains(key)
    }

    pub fn take_on(&mut self, key: &str, told: Vec<&'static str>) {
        self.known_errands.insert(key.to_string());
        if let Some(place) = self.here {
            let (key, open) = (key.to_string(), Vec::new());
            self.errands.push(Errand { key, place, told, open, is_done: false });
        }
    }

    /// What `tasks` lists: "  Kill Straw (straw), for Sergeant Hackett", below it "[ ] Kill straw men (0 of 4) - next".
    pub fn errands_are(&mut self, lines: &[String]) {
        let mut listed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut key = None;
        for line in lines {
            let text = line.trim_start();
            if let Some(step) = text.strip_prefix("[ ] ") {
                let of = key.as_ref().and_then(|key| listed.get_mut(key));
                of.into_iter().for_each(|open| open.push(step.to_string()));
            } else if let Some((_, after)) = text.split_once(" (")
                && let Some((word, _)) = after.split_once("), for ")
            {
                key = Some(word.to_string());
                listed.insert(word.to_string(), Vec::new());
            } else if !text.starts_with('[')
                && let Some(key) = &key
                && let Some(open) = listed.get_mut(key)
                && let Some(last) = open.last_mut()
                && !line.trim().is_empty()
            {
                // A long line went on below.
                last.push(' ');
                last.push_str(text);
            }
        }
        self.errands.retain(|errand| listed.contains_key(&errand.key));
        for errand in &mut self.errands {
            let Some(open) = listed.get(&errand.key) else { continue };
            errand.open = open.iter().map(|step| step.trim_end_matches(" - next").to_string()).collect();
            errand.is_done = open.iter().all(|step| step.starts_with(BACK));
            // "Go back to Sergeant Hackett (The Drill Yard)".
            let back = open.iter().find(|step| step.starts_with(BACK)).and_then(|step| step.split_once('('));
            let title = back.map(|(_, title)| title.trim_end_matches(['.', ')']));
            let place = title.and_then(|title| self.places.iter().position(|place| place.view.title == title));
            errand.place = place.unwrap_or(errand.place);
        }
    }

    /// Words of things that are wanted.
    pub fn wanted(&self) -> BTreeSet<String> {
        let open = self.errands.iter().flat_map(|errand| &errand.open);
        let bring = |step: &&String| ["Bring", "Find", "Give", "Fetch"].iter().any(|verb| step.starts_with(verb));
        open.filter(bring).flat_map(|step| words_of(step)).collect()
    }

    /// Whether somebody wants something dead that it has not done yet.
    pub fn has_prey_to_seek(&self) -> bool {
        self.errands.iter().flat_map(|errand| &errand.open).any(|step| step.starts_with("Kill"))
    }

    /// Whether somebody wants what a line shows dead.
    pub fn is_sought(&self, line: &str) -> bool {
        let open = self.errands.iter().flat_map(|errand| &errand.open);
        let kill = open.filter(|step| step.starts_with("Kill")).flat_map(|step| words_of(step));
        let words: BTreeSet<String> =
            line.split(|c: char| !c.is_alphanumeric()).map(|word| word.to_lowercase()).collect();
        line.starts_with("A") && kill.into_iter().any(|word| words.contains(&word))
    }

    /// What somebody is to be asked: "Ask Barnaby in the Nave about the key".
    pub fn question_for(&mut self, name: &str) -> Option<String> {
        let open = self.errands.iter().flat_map(|errand| &errand.open);
        for step in open {
            let Some((whom, about)) = step.strip_prefix("Ask ").and_then(|rest| rest.split_once(" about ")) else {
                continue;
            };
            if !whom.to_lowercase().split_whitespace().any(|word| word == name) {
                continue;
            }
            let word = about.split(|c: char| !c.is_alphanumeric()).rfind(|word| word.len() > 2);
            if let Some(word) = word
                && self.put.insert(format!("{name} {word}"))
            {
                return Some(word.to_string());
            }
        }
        None
    }

    /// To who waits for what is done.
    pub fn way_to_who_waits(&self) -> Option<VecDeque<&'static str>> {
        let here = self.here?;
        let done = self.errands.iter().find(|errand| errand.is_done && errand.place != here)?;
        self.way(|at| at == done.place)
    }

    /// A way that was told by who stands here, once.
    pub fn told_way_from_here(&mut self) -> Option<VecDeque<&'static str>> {
        let here = self.here?;
        let told = self.errands.iter_mut().find(|errand| errand.place == here && !errand.told.is_empty())?;
        Some(std::mem::take(&mut told.told).into())
    }

    /// To the nearest exit that nobody has tried, or to a place that was not seen for long.
    pub fn way_to_something_new(&self, dice: &mut Dice) -> Option<VecDeque<&'static str>> {
        let untried = |at: usize| {
            let place = &self.places[at];
            !place.is_too_hard && place.beyond.values().any(|beyond| *beyond == Beyond::Untried)
        };
        if let Some(mut walk) = self.way(untried) {
            let end = self.end_of(&walk);
            let ways: Vec<&'static str> = self.places[end]
                .beyond
                .iter()
                .filter(|(_, beyond)| **beyond == Beyond::Untried)
                .map(|(way, _)| *way)
                .collect();
            walk.extend(dice.pick(&ways));
            return Some(walk);
        }
        self.way(|at| self.moves.saturating_sub(self.places[at].seen_at) > STALE)
    }

    fn end_of(&self, walk: &VecDeque<&'static str>) -> usize {
        walk.iter().fold(self.here.unwrap_or(0), |at, way| match self.places[at].beyond.get(way) {
            Some(Beyond::Place(next)) => *next,
            _ => at,
        })
    }

    /// The shortest way that it has gone to a place that is wanted; empty where it stands in one.
    fn way(&self, is_wanted: impl Fn(usize) -> bool) -> Option<VecDeque<&'static str>> {
        let from = self.here?;
        let mut came: BTreeMap<usize, (usize, &'static str)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        let mut seen = BTreeSet::from([from]);
        while let Some(at) = queue.pop_front() {
            if is_wanted(at) {
                let mut walk = VecDeque::new();
                let mut back = at;
                while let Some((before, way)) = came.get(&back) {
                    walk.push_front(*way);
                    back = *before;
                }
                return Some(walk);
            }
            for (way, beyond) in &self.places[at].beyond {
                if let Beyond::Place(next) = beyond
                    && seen.insert(*next)
                {
                    came.insert(*next, (at, *way));
                    queue.push_back(*next);
                }
            }
        }
        None
    }
}
