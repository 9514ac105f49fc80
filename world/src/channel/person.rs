//! Who there is: persons with their names, the one of logins and the one that is shown.

use super::{Channels, Message, NAMELESS, names};
use content::Text;
use protocol::channel::FIRST_PERSON;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Somebody who was ever in the world.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Person {
    /// The canonical name: of logins, logs and memories.
    pub name: Text,
    /// As it is shown.
    pub display: Text,
    /// When it took the name that is shown.
    #[serde(default)]
    pub named_tick: Option<u64>,
    /// A program plays it, or did when it was here last.
    pub program: bool,
    /// Channels that it is a member of, beside those of the content.
    pub channels: BTreeSet<u32>,
    /// Messages from this id on came while nobody was there to read them, …
    pub away_from: Option<u64>,
    /// … up to this one, which was the first to come after its return; none while it is away.
    pub back_at: Option<u64>,
    /// Ticks of the wrong keys that it tried last.
    #[serde(default)]
    pub wrong_keys: VecDeque<u64>,
    /// What it opened last to read a tell: the person whom `reply` answers.
    #[serde(default)]
    pub told_by: Option<u32>,
}

impl Person {
    /// Who is in no channel so far.
    pub fn new(name: Text, display: Text) -> Person {
        Person {
            name,
            display,
            named_tick: None,
            program: false,
            channels: BTreeSet::new(),
            away_from: None,
            back_at: None,
            wrong_keys: VecDeque::new(),
            told_by: None,
        }
    }
}

impl Channels {
    pub fn person(&self, id: u32) -> Option<&Person> {
        self.people.get(&id).map(|person| &**person)
    }

    pub fn person_mut(&mut self, id: u32) -> Option<&mut Person> {
        let person = self.people.get_mut(&id).map(Arc::make_mut)?;
        self.changed.people.insert(id);
        Some(person)
    }

    pub fn people(&self) -> impl Iterator<Item = (u32, &Person)> {
        self.people.iter().map(|(id, person)| (*id, &**person))
    }

    /// By the canonical name, in any case.
    pub fn named(&self, name: &str) -> Option<u32> {
        self.by_name.get(&*name.to_ascii_lowercase()).copied()
    }

    /// By the name that is shown, as names are compared.
    pub fn shown_as(&self, name: &str) -> Option<u32> {
        self.by_display.get(&*names::folded(name)).copied()
    }

    /// By the first word of a name that is shown: whoever is shown as Ottoline Vane is called Ottoline.
    pub fn called_first(&self, word: &str) -> Option<u32> {
        let word = names::folded(word);
        let is_it =
            |person: &Person| person.display.split_once(' ').is_some_and(|(first, _)| names::folded(first) == word);
        self.people().find(|(_, person)| is_it(person)).map(|(id, _)| id)
    }

    /// By either.
    pub fn called(&self, name: &str) -> Option<u32> {
        self.named(name).or_else(|| self.shown_as(name))
    }

    /// Somebody of another name is shown by this one.
    pub fn is_shown_by_another(&self, name: &str) -> bool {
        let shown = self.shown_as(name).and_then(|id| self.person(id));
        shown.is_some_and(|person| names::folded(&person.name) != names::folded(name))
    }

    /// Somebody comes into the world: `had` is the id that its record has. An id that is somebody else's is not taken.
    pub fn admit(&mut self, name: &Text, display: Option<&Text>, had: Option<u32>) -> u32 {
        let key: Text = name.to_ascii_lowercase().into();
        if let Some(id) = self.by_name.get(&key).copied() {
            // What was kept elsewhere has it in lower case.
            if let Some(person) = self.person(id) {
                // Nor had what was saved before names could be chosen this index.
                let folded = names::folded(&person.display);
                self.by_display.entry(folded.into()).or_insert(id);
            }
            if self.person(id).is_some_and(|person| person.name != *name)
                && let Some(person) = self.person_mut(id)
            {
                person.name = name.clone();
            }
            return id;
        }
        let free = had.filter(|id| *id >= FIRST_PERSON && !self.people.contains_key(id) && !self.list.contains_key(id));
        let id = free.unwrap_or_else(|| self.new_id());
        self.next_id = self.next_id.max(id + 1);
        let person = Person::new(name.clone(), display.unwrap_or(name).clone());
        self.by_display.entry(names::folded(&person.display).into()).or_insert(id);
        self.people.insert(id, Arc::new(person));
        self.by_name.insert(key, id);
        self.changed.people.insert(id);
        id
    }

    /// Shows a person by another name; whether it may is the caller's.
    pub(crate) fn set_display(&mut self, id: u32, display: &Text) {
        let Some(person) = self.person_mut(id) else { return };
        let before = std::mem::replace(&mut person.display, display.clone());
        let before = names::folded(&before);
        if self.by_display.get(&*before) == Some(&id) {
            self.by_display.remove(&*before);
        }
        self.by_display.insert(names::folded(display).into(), id);
    }

    /// Somebody is nobody any more: the name is free, and what it said is nameless. It must be in no channel.
    pub(crate) fn forget(&mut self, id: u32) {
        let Some(person) = self.people.remove(&id) else { return };
        self.by_name.remove(&*person.name.to_ascii_lowercase());
        let folded = names::folded(&person.display);
        if self.by_display.get(&*folded) == Some(&id) {
            self.by_display.remove(&*folded);
        }
        self.changed.people.insert(id);
        for channel in self.list.values_mut() {
            if channel.messages.iter().any(|message| message.sender.id == Some(id)) {
                let own = |message: &&mut Arc<Message>| message.sender.id == Some(id);
                for message in Arc::make_mut(channel).messages.iter_mut().filter(own) {
                    Arc::make_mut(message).sender.name = NAMELESS.into();
                    self.changed.messages.entry(message.id).or_default();
                }
            }
        }
    }

    /// Whether a display name would be taken for somebody else's.
    pub fn is_taken(&self, display: &str, by: u32) -> bool {
        let (folded, looks) = (names::folded(display), names::looks(display));
        self.people().any(|(id, person)| {
            let alike = |name: &str| names::folded(name) == folded || names::looks(name) == looks;
            id != by && (alike(&person.name) || alike(&person.display))
        })
    }
}
