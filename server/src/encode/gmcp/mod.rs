//! GMCP (telnet 201): what a client's panels and maps show, as JSON beside the text.
//!
//! `MESSAGES` is what we send, a row each, made from the variables that agents subscribe to and from the lines that are
//! read; `hear` is what comes in. Invariants: nothing is sent that the client did not ask for by `Core.Supports`; a
//! message of the player's state is sent only when it says something else than before, and whole after each
//! `Core.Supports.Set`.

mod char_name;
mod char_status;
mod char_vitals;
mod comm_channel;
mod group;
mod hear;
mod message;
mod room_info;
mod room_players;
mod room_wrong_dir;

pub use hear::{Incoming, LOGIN_DEFAULT, LOGIN_RESULT, login_default, login_result};

use crate::outbox::{Delivery, Out, hash_of};
use content::Content;
use message::{Fields, Known, MessageRow, Source, json_of};
use protocol::variables::VariableSet;
use room_players::Company;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use world::report::Line;

/// To add one: a file here with its row. The order is that in which they are sent.
const MESSAGES: [MessageRow; 10] = [
    comm_channel::TEXT,
    room_wrong_dir::ROW,
    char_name::ROW,
    char_status::NAMES,
    char_status::VALUES,
    char_vitals::ROW,
    room_info::ROW,
    room_players::ROW,
    group::ROW,
    comm_channel::LIST,
];

/// Packages that a client may name; more are nonsense.
const PACKAGES_MAX: usize = 64;
const PACKAGE_BYTES_MAX: usize = 40;

/// One connection's GMCP.
pub struct Gmcp {
    known: Known,
    /// In small letters.
    packages: BTreeSet<String>,
    /// Which messages are in them, and whether those are that tell of company by its changes.
    wanted: [bool; MESSAGES.len()],
    by_changes: bool,
    /// What was last said of the player's state, by the message's place: a hash of the whole, or of each field.
    said: BTreeMap<usize, Vec<u64>>,
    company: Company,
}

/// A message on its way.
pub type Sent = (&'static str, String);

impl Gmcp {
    pub fn new(content: Arc<Content>) -> Gmcp {
        Gmcp {
            known: Known::new(content),
            packages: BTreeSet::new(),
            wanted: [false; MESSAGES.len()],
            by_changes: false,
            said: BTreeMap::new(),
            company: Company::default(),
        }
    }

    /// Goes on where the program before stopped: all is said anew.
    pub fn resume(content: Arc<Content>, packages: Vec<String>) -> Gmcp {
        let mut gmcp = Gmcp { packages: packages.into_iter().collect(), ..Gmcp::new(content) };
        gmcp.want();
        gmcp
    }

    /// The client asks for other packages than before.
    fn want(&mut self) {
        self.wanted = std::array::from_fn(|at| self.has_in_packages(MESSAGES[at].name));
        self.by_changes = room_players::CHANGES.iter().all(|message| self.has_in_packages(message));
    }

    /// For the next program.
    pub fn into_packages(self) -> Vec<String> {
        self.packages.into_iter().collect()
    }

    /// The player is in the world.
    pub fn enter(&mut self, name: &str) {
        self.known.name = name.to_string();
    }

    /// The variables that its messages are made of now.
    pub fn needs(&mut self) -> VariableSet {
        let mut set = VariableSet::EMPTY;
        for (row, _) in MESSAGES.iter().zip(self.wanted).filter(|(_, wanted)| *wanted) {
            row.source.needs().iter().for_each(|variable| set.insert(*variable));
        }
        self.known.forget_all_but(set);
        set
    }

    /// Whether the client asked for it, or for a package that it is in.
    fn has_in_packages(&self, message: &str) -> bool {
        let message = message.to_ascii_lowercase();
        let within =
            |package: &String| message.strip_prefix(&**package).is_some_and(|r| r.is_empty() || r.starts_with('.'));
        self.packages.iter().any(within)
    }

    /// What is to be sent with what was taken for the player, in order.
    pub fn tell(&mut self, taken: &Delivery) -> Vec<Sent> {
        let mut sent = Vec::new();
        // By what was so when they were read.
        for item in &taken.items {
            match item {
                Out::Line(shared) => self.tell_line(&shared.line, &mut sent),
                Out::Lines(run) => run.lines().for_each(|shared| self.tell_line(&shared.line, &mut sent)),
                _ => {}
            }
        }
        let learned = self.known.learn(taken);
        self.tell_state(learned, &mut sent);
        sent
    }

    fn tell_line(&self, line: &Line, sent: &mut Vec<Sent>) {
        for (row, wanted) in MESSAGES.iter().zip(self.wanted) {
            if let Source::Line(write) = row.source
                && wanted
                && let Some(value) = write(&self.known, line)
            {
                sent.push((row.name, value.to_string()));
            }
        }
    }

    /// All is said anew, whole.
    fn forget_said(&mut self) {
        self.said.clear();
        self.company = Company::default();
    }

    /// Most of what is taken is lines: a message that was said says nothing else until what it is made of is new.
    fn tell_state(&mut self, learned: VariableSet, sent: &mut Vec<Sent>) {
        for (at, row) in MESSAGES.iter().enumerate() {
            let is_new = row.source.needs().iter().any(|variable| learned.contains(*variable));
            let was_said = match row.source {
                Source::Company { .. } => self.company.room.is_some(),
                _ => self.said.contains_key(&at),
            };
            if !is_new && was_said || !self.wanted[at] {
                continue;
            }
            let before = self.said.get(&at).map_or(&[][..], Vec::as_slice);
            let (text, now) = match row.source {
                Source::Whole { write, .. } => {
                    let Some(text) = write(&self.known) else { continue };
                    let now = vec![hash_of(&text)];
                    (text, now)
                }
                Source::Changes { write, .. } => {
                    let Some(fields) = write(&self.known) else { continue };
                    let now: Vec<u64> = fields.iter().map(|(_, json)| hash_of(json)).collect();
                    (changed(&fields, &now, before), now)
                }
                Source::Company { .. } => {
                    self.company.tell(&self.known, self.by_changes, sent);
                    continue;
                }
                Source::Line(_) => continue,
            };
            if before != now {
                self.said.insert(at, now);
                sent.push((row.name, text));
            }
        }
    }
}

/// An object of those fields whose hashes are others than before.
fn changed(fields: &Fields, now: &[u64], before: &[u64]) -> String {
    let mut text = String::from("{");
    for (at, (key, json)) in fields.iter().enumerate() {
        if now.get(at) != before.get(at) {
            let comma = if text.len() > 1 { "," } else { "" };
            text.push_str(&format!("{comma}{}:{json}", json_of(key)));
        }
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests;
