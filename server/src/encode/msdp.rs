//! MSDP (telnet 69): what a client's gauges and maps show, as variables beside the text.
//!
//! `ROWS` is what we tell, made of the variables that agents subscribe to; `hear` is what comes in. Invariants: nothing
//! is told that the client did not ask for; what it has reported is told when it is another than before, and once more
//! after a hot restart; whatever comes, nothing of it is an error for the player.

use super::known::{Known, PLACE};
use crate::outbox::Delivery;
use content::Content;
use protocol::variables::{Variable, VariableSet};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a variable is made of.
enum Made {
    Of(Variable),
    /// `None`: there is nothing to say (yet).
    By(&'static [Variable], fn(&Known) -> Option<Value>),
}
use Made::{By, Of};

impl Made {
    fn needs(&self) -> &[Variable] {
        match self {
            Of(variable) => std::slice::from_ref(variable),
            By(needs, _) => needs,
        }
    }
}

/// To add one: a row here. Names are those that other games have.
static ROWS: [(&str, Made); 28] = [
    (
        "SERVER_ID",
        By(&[], |known| Some(json!(if known.content.name.is_empty() { "Dark Pawns" } else { &known.content.name }))),
    ),
    ("CHARACTER_NAME", By(&[], |known| (!known.name.is_empty()).then(|| json!(known.name)))),
    ("LEVEL", Of(Variable::Level)),
    ("EXPERIENCE", Of(Variable::Exp)),
    ("EXPERIENCE_TNL", Of(Variable::ExpToLevel)),
    ("ALIGNMENT", Of(Variable::Alignment)),
    ("WORLD_TIME", Of(Variable::WorldTime)),
    ("MONEY", Of(Variable::Gold)),
    ("POSITION", Of(Variable::Position)),
    ("HEALTH", Of(Variable::Health)),
    ("HEALTH_MAX", Of(Variable::MaxHealth)),
    ("MANA", Of(Variable::Mana)),
    ("MANA_MAX", Of(Variable::MaxMana)),
    ("MOVEMENT", Of(Variable::Move)),
    ("MOVEMENT_MAX", Of(Variable::MaxMove)),
    (
        "OPPONENT_NAME",
        By(&[Variable::Opponent], |known| Some(json!(opponent(known)?.map_or_else(String::new, |one| one.name)))),
    ),
    // In percent, by tens.
    (
        "OPPONENT_HEALTH",
        By(&[Variable::Opponent], |known| Some(json!(opponent(known)?.map_or(0, |one| one.condition * 10)))),
    ),
    ("OPPONENT_HEALTH_MAX", By(&[Variable::Opponent], |known| Some(json!(opponent(known)?.map_or(0, |_| 100))))),
    ("ROOM", By(PLACE, room)),
    ("ROOM_VNUM", Of(Variable::RoomVnum)),
    ("ROOM_NAME", Of(Variable::RoomName)),
    ("ROOM_EXITS", By(PLACE, |known| Some(json!(known.place()?.exits)))),
    ("AREA_NAME", By(PLACE, |known| Some(json!(known.place()?.area)))),
    ("TERRAIN", By(PLACE, |known| Some(json!(known.place()?.terrain)))),
    ("ROOM_PLAYERS", Of(Variable::RoomPlayers)),
    ("GROUP", Of(Variable::Group)),
    ("AFFECTS", By(&[Variable::Affects], affects)),
    ("CONDITIONS", Of(Variable::Conditions)),
];

/// Of whom the player attacks.
#[derive(Deserialize)]
struct Opponent {
    name: String,
    /// In tenths.
    condition: i64,
}

/// `Some(None)` while it attacks nobody.
fn opponent(known: &Known) -> Option<Option<Opponent>> {
    known.read(Variable::Opponent)
}

fn room(known: &Known) -> Option<Value> {
    let place = known.place()?;
    Some(json!({
        "VNUM": place.number,
        "NAME": place.name,
        "AREA": place.area,
        "TERRAIN": place.terrain,
        "EXITS": place.exits,
        "COORDS": {"X": place.coords[0], "Y": place.coords[1], "Z": place.coords[2]},
    }))
}

/// Of what is at work on the player.
#[derive(Deserialize)]
struct Affect {
    name: String,
    hours: i64,
}

/// Each with its hours; of two with one name the longer.
fn affects(known: &Known) -> Option<Value> {
    let mut longest: BTreeMap<String, i64> = BTreeMap::new();
    for Affect { name, hours } in known.read::<Vec<Affect>>(Variable::Affects)? {
        let left = longest.entry(name).or_insert(hours);
        // -1 is for good.
        *left = if *left < 0 || hours < 0 { -1 } else { hours.max(*left) };
    }
    Some(json!(longest))
}

fn row_named(name: &str) -> Option<usize> {
    ROWS.iter().position(|(known, _)| *known == name)
}

const COMMANDS: [&str; 5] = ["LIST", "REPORT", "RESET", "SEND", "UNREPORT"];
const CLIENT_NAME: &str = "CLIENT_NAME";
const CLIENT_VERSION: &str = "CLIENT_VERSION";
const REPORTABLE: &str = "REPORTABLE_VARIABLES";
const REPORTED: &str = "REPORTED_VARIABLES";
const SENDABLE: &str = "SENDABLE_VARIABLES";
const CONFIGURABLE: &str = "CONFIGURABLE_VARIABLES";
const LISTS: [&str; 6] = ["COMMANDS", CONFIGURABLE, "LISTS", REPORTABLE, REPORTED, SENDABLE];

/// One connection's MSDP.
pub struct Msdp {
    known: Known,
    /// By their places in the table.
    reported: BTreeSet<usize>,
    /// To be told once, as soon as it is known.
    asked: BTreeSet<usize>,
    /// What was last told of what is reported.
    said: BTreeMap<usize, Value>,
}

/// A variable on its way.
pub type Told = (&'static str, Value);

/// What a command comes to.
pub enum Request {
    /// Nothing, or nothing that we know.
    Nothing,
    /// A list, to be told at once.
    List(Told),
    /// It wants other variables than before: they are to be subscribed to, and what is known of them is told.
    Variables,
    /// The client names itself; what is empty it does not say.
    Client { name: String, version: String },
}

impl Msdp {
    pub fn new(content: Arc<Content>) -> Msdp {
        let (known, said) = (Known::new(content), BTreeMap::new());
        Msdp { known, reported: BTreeSet::new(), asked: BTreeSet::new(), said }
    }

    /// Goes on where the program before stopped: all is told anew.
    pub fn resume(content: Arc<Content>, reported: Vec<String>) -> Msdp {
        let mut msdp = Msdp::new(content);
        msdp.reported = reported.iter().filter_map(|name| row_named(name)).collect();
        msdp
    }

    /// For the next program.
    pub fn into_reported(self) -> Vec<String> {
        self.reported.iter().map(|at| ROWS[*at].0.to_string()).collect()
    }

    /// The player is in the world.
    pub fn enter(&mut self, name: &str) {
        self.known.name = name.to_string();
    }

    /// The variables that it is made of now.
    pub fn needs(&mut self) -> VariableSet {
        let mut set = VariableSet::EMPTY;
        for at in self.reported.union(&self.asked) {
            ROWS[*at].1.needs().iter().for_each(|variable| set.insert(*variable));
        }
        self.known.forget_all_but(set);
        set
    }

    pub fn hear(&mut self, command: &str, words: &[Box<str>]) -> Request {
        let rows: Vec<usize> = words.iter().filter_map(|word| row_named(word)).collect();
        let first = words.first().map_or("", |word| &**word);
        match command {
            "LIST" => return self.list(first).map_or(Request::Nothing, Request::List),
            "SEND" => self.asked.extend(&rows),
            "REPORT" => {
                // Who asks again wants to hear it again.
                rows.iter().for_each(|at| _ = self.said.remove(at));
                self.reported.extend(&rows);
            }
            "UNREPORT" => rows.iter().for_each(|at| self.forget(*at)),
            "RESET" if [REPORTABLE, REPORTED].contains(&first) => {
                self.reported.clear();
                self.said.clear();
                return Request::Variables;
            }
            CLIENT_NAME => return Request::Client { name: first.to_string(), version: String::new() },
            CLIENT_VERSION => return Request::Client { name: String::new(), version: first.to_string() },
            _ => return Request::Nothing,
        }
        if rows.is_empty() { Request::Nothing } else { Request::Variables }
    }

    fn forget(&mut self, at: usize) {
        self.reported.remove(&at);
        self.said.remove(&at);
    }

    fn list(&self, which: &str) -> Option<Told> {
        let name = LISTS.into_iter().find(|list| *list == which)?;
        let rows = || ROWS.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let names = match name {
            "COMMANDS" => COMMANDS.to_vec(),
            "LISTS" => LISTS.to_vec(),
            CONFIGURABLE => vec![CLIENT_NAME, CLIENT_VERSION],
            REPORTED => self.reported.iter().map(|at| ROWS[*at].0).collect(),
            _ => rows(),
        };
        Some((name, json!(names)))
    }

    /// What is to be told with what was taken for the player, in the order of the table.
    pub fn tell(&mut self, taken: &Delivery) -> Vec<Told> {
        let learned = self.known.learn(taken);
        let mut told = Vec::new();
        for (at, (name, made)) in ROWS.iter().enumerate() {
            let (is_reported, is_asked) = (self.reported.contains(&at), self.asked.contains(&at));
            let is_new = !self.said.contains_key(&at) || made.needs().iter().any(|one| learned.contains(*one));
            if !(is_asked || is_reported && is_new) {
                continue;
            }
            let value = match made {
                Of(variable) => self.known.read(*variable),
                By(_, write) => write(&self.known),
            };
            let Some(value) = value else { continue };
            if is_asked || self.said.get(&at) != Some(&value) {
                told.push((*name, value.clone()));
            }
            self.asked.remove(&at);
            if is_reported {
                self.said.insert(at, value);
            }
        }
        told
    }
}

#[cfg(test)]
mod tests;
