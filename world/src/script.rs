//! What scripts leave behind and wait for: state like any other. What runs them is in `scripts/`.
//!
//! Invariants: what somebody or something keeps is gone with it; sources are those that play goes by, whatever the
//! builder's files say meanwhile.

use crate::arena::{CharacterId, ObjectId};
use content::scripts::{Hook, HookSet, ScriptSource};
use content::{Text, Vnum};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes that one character, object or room may keep, and a zone.
pub const SAVED_MAX: usize = 4 << 10;
pub const ZONE_SAVED_MAX: usize = 16 << 10;
/// Timers of one owner that run at the same time.
pub const TIMERS_MAX: usize = 64;
/// So many errors within so many ticks end a script until its source is read again.
pub const ERRORS_MAX: usize = 10;
pub const ERRORS_WITHIN_TICKS: u64 = 300;

/// Whose script is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Owner {
    Mob(CharacterId),
    Object(ObjectId),
    /// By its number, which stays when rooms are added.
    Room(Vnum),
}

/// What happens, as a script is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Event<'e> {
    pub hook: Hook,
    pub owner: Owner,
    /// Whose doing it is.
    pub actor: Option<CharacterId>,
    pub object: Option<ObjectId>,
    /// A line typed, or a word.
    pub text: &'e str,
    pub amount: i32,
    /// Of a timer.
    pub name: &'e str,
    pub data: Option<&'e Value>,
}

impl Event<'_> {
    pub fn new(hook: Hook, owner: Owner) -> Event<'static> {
        Event { hook, owner, actor: None, object: None, text: "", amount: 0, name: "", data: None }
    }
}

/// What a script may keep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Value {
    Bool(bool),
    Integer(i64),
    Text(String),
    Table(BTreeMap<Key, Value>),
}

/// Keys in the order in which a script goes through them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Key {
    Integer(i64),
    Text(String),
    Bool(bool),
}

impl Value {
    /// About as many bytes as it takes in a snapshot.
    pub fn size(&self) -> usize {
        match self {
            Value::Bool(_) => 2,
            Value::Integer(_) => 9,
            Value::Text(text) => text.len() + 2,
            Value::Table(table) => {
                let key = |key: &Key| match key {
                    Key::Integer(_) => 9,
                    Key::Text(text) => text.len() + 2,
                    Key::Bool(_) => 2,
                };
                2 + table.iter().map(|(k, v)| key(k) + v.size()).sum::<usize>()
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Value::Table(table) if table.is_empty())
    }
}

/// A hook `timer` that is to be called.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timer {
    pub owner: Owner,
    pub script: Text,
    pub name: Text,
    pub data: Option<Value>,
}

/// Safepoints (calls, turns of loops, steps of a pattern) of one call, and of all calls in a tick.
pub const CALL_SAFEPOINTS: i64 = 50_000;
pub const TICK_SAFEPOINTS: i64 = 500_000;

/// What went wrong with a script.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Fault {
    /// The ticks of its last errors.
    pub errors: VecDeque<u64>,
    /// It is not called any more.
    pub stopped: bool,
    pub hook: String,
    /// In its source; 0 where that is not known.
    pub line: u32,
    pub why: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Scripts {
    /// Those that play goes by, by their names.
    sources: BTreeMap<Text, Arc<ScriptSource>>,
    /// All hooks of all of them.
    hooks: HookSet,
    pub(crate) saved: BTreeMap<Owner, Value>,
    /// By the number of a zone: these outlive its resets.
    pub(crate) zones: BTreeMap<i32, Value>,
    /// By the tick at which they end, and their number.
    timers: BTreeMap<(u64, u64), Timer>,
    next_timer: u64,
    faults: BTreeMap<Text, Fault>,
    /// Safepoints that scripts have passed in the tick that this is about.
    spent_tick: u64,
    spent: u32,
    /// How often a hook was called, since this program began. No state: looking about calls hooks too, and two worlds
    /// that differ in looks only are one (docs/REPLAY.md, "Common chance").
    #[serde(skip)]
    pub calls: u64,
}

impl Scripts {
    pub fn of(sources: &[ScriptSource]) -> Scripts {
        let mut scripts = Scripts::default();
        scripts.replace(sources);
        scripts
    }

    /// These are the sources from now on; what was stopped runs again. What is kept, and timers, stay.
    pub fn replace(&mut self, sources: &[ScriptSource]) {
        self.sources = sources.iter().map(|source| (source.name.clone(), Arc::new(source.clone()))).collect();
        self.hooks = sources.iter().fold(HookSet::default(), |all, source| all.with(source.hooks));
        self.faults.clear();
    }

    /// Names of the scripts whose source is not this one, or which are on one side only; ascending.
    pub fn differences(&self, sources: &[ScriptSource]) -> Vec<Text> {
        let given: BTreeMap<&Text, &ScriptSource> = sources.iter().map(|source| (&source.name, source)).collect();
        let changed =
            given.iter().filter(|(name, source)| self.sources.get(**name).is_none_or(|old| **old != ***source));
        let gone = self.sources.keys().filter(|name| !given.contains_key(name));
        let mut all: Vec<Text> = changed.map(|(name, _)| (*name).clone()).chain(gone.cloned()).collect();
        all.sort();
        all
    }

    pub fn sources(&self) -> impl Iterator<Item = &ScriptSource> {
        self.sources.values().map(|source| &**source)
    }

    pub fn len(&self) -> usize {
        self.sources.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Whether any script has that hook.
    pub fn any_has(&self, hook: Hook) -> bool {
        self.hooks.has(hook)
    }

    /// A script, if it has that hook and is not stopped.
    pub fn runnable(&self, name: &str, hook: Hook) -> Option<&Arc<ScriptSource>> {
        let source = self.sources.get(name).filter(|source| source.hooks.has(hook))?;
        self.faults.get(name).is_none_or(|fault| !fault.stopped).then_some(source)
    }

    /// Scripts with which something went wrong, by their names.
    pub fn faults(&self) -> impl Iterator<Item = (&Text, &Fault)> {
        self.faults.iter()
    }

    /// Notes what went wrong; `fatal` stops the script at once. True when it is stopped by this.
    pub(crate) fn note_fault(&mut self, script: &Text, tick: u64, fatal: bool, what: (Hook, u32, String)) -> bool {
        let fault = self.faults.entry(script.clone()).or_default();
        let was = fault.stopped;
        (fault.line, fault.why) = (what.1, what.2);
        fault.hook = what.0.name().to_string();
        fault.errors.push_back(tick);
        while fault.errors.front().is_some_and(|first| *first + ERRORS_WITHIN_TICKS < tick) {
            fault.errors.pop_front();
        }
        fault.stopped |= fatal || fault.errors.len() >= ERRORS_MAX;
        fault.stopped && !was
    }

    /// Who or what is gone keeps nothing, and waits for nothing.
    pub(crate) fn forget(&mut self, owner: Owner) {
        self.saved.remove(&owner);
        if !self.timers.is_empty() {
            self.timers.retain(|_, timer| timer.owner != owner);
        }
    }

    /// The timer's number; none where the owner has enough of them.
    pub(crate) fn add_timer(&mut self, due: u64, timer: Timer) -> Option<u64> {
        if self.timers.values().filter(|other| other.owner == timer.owner).count() >= TIMERS_MAX {
            return None;
        }
        self.next_timer += 1;
        self.timers.insert((due, self.next_timer), timer);
        Some(self.next_timer)
    }

    /// Takes the timer that ends first, if it does by that tick.
    pub(crate) fn take_due(&mut self, tick: u64) -> Option<Timer> {
        let first = self.timers.first_entry().filter(|entry| entry.key().0 <= tick)?;
        Some(first.remove())
    }

    /// What is kept of an owner; none where that is nothing.
    pub fn saved(&self, owner: Owner) -> Option<&Value> {
        self.saved.get(&owner)
    }

    /// How many characters, objects and rooms keep something, and how many zones.
    pub fn keepers(&self) -> (usize, usize) {
        (self.saved.len(), self.zones.len())
    }

    pub fn timers(&self) -> usize {
        self.timers.len()
    }

    /// A new tick: what was spent in the one before is of no matter any more.
    pub(crate) fn begin_tick(&mut self) {
        (self.spent_tick, self.spent) = (0, 0);
    }

    /// Whether one more call may begin in this tick: whoever is called may use all that a call has, so that nobody is
    /// stopped for what others spent.
    pub(crate) fn has_budget(&self, tick: u64) -> bool {
        i64::from(self.spent_in(tick)) + CALL_SAFEPOINTS <= TICK_SAFEPOINTS
    }

    /// Safepoints that were passed in that tick so far.
    fn spent_in(&self, tick: u64) -> u32 {
        if self.spent_tick == tick { self.spent } else { 0 }
    }

    pub(crate) fn spend(&mut self, tick: u64, safepoints: u32) {
        self.spent = self.spent_in(tick).saturating_add(safepoints);
        self.spent_tick = tick;
    }
}
