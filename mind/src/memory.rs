//! The core memory: a document of objects that an agent (or a person) writes for itself, addressed by dot paths.
//!
//! `people.Bob.trust` is the member `trust` of the object `Bob` of the object `people`. Changing is total: what cannot
//! be done to a document changes nothing, so that every log has a state. Whoever writes to a log asks `Change::check`
//! first, which says what is wrong.
//! Invariants: names of members can stand in a path, at every depth. A path leads through objects only. Weights belong
//! to paths that are there.

use crate::session::SessionMemory;
use crate::state::CoreMemory;
use crate::tokens;
use serde_json::{Map, Value};

/// Tokens that the document may have, as JSON without blanks, together with facts and patterns. Source: the published
/// limit of an agent's own document.
pub const TOKENS_MAX: usize = 3_000;
/// What a path without a weight counts.
pub const WEIGHT_DEFAULT: f64 = 0.5;
/// Members under members, those of the value included; deeper lists and objects are for programs, not for prompts.
pub const DEPTH_MAX: usize = 8;
/// Characters of one name in a path.
pub const NAME_CHARS_MAX: usize = 40;
/// Characters of one text.
pub const TEXT_CHARS_MAX: usize = 1_000;

/// Tokens of the facts and patterns, which share the room with the document.
pub fn lists_tokens(session: &SessionMemory) -> usize {
    let all = session.key_facts.iter().chain(&session.learned_patterns);
    all.map(|learned| tokens::count(&learned.text) + 1).sum()
}

/// Whether there is room for one more of them.
pub fn check_learned(text: &str, memory: &CoreMemory, session: &SessionMemory) -> Result<(), MemoryRefusal> {
    let needed = tokens::count(text) + 1;
    let free = TOKENS_MAX.saturating_sub(memory.tokens() + lists_tokens(session));
    if needed > free { Err(MemoryRefusal::Full { needed, free }) } else { Ok(()) }
}

/// A change that somebody wants.
#[derive(Clone, Copy, Debug)]
pub enum Change<'c> {
    Set { path: &'c str, value: &'c Value, weight: Option<f64> },
    Append { path: &'c str, value: &'c Value },
}

/// Why a change cannot be made. Displays as a sentence for whoever wants it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryRefusal {
    EmptyName,
    BadName(String),
    LongName(String),
    TooDeep,
    LongText(usize),
    /// This path is no object, and nothing can be below it.
    NoObject(String),
    /// An object takes no elements.
    Object(String),
    Weight,
    /// Tokens that it would take more than the document has, and those that are free.
    Full {
        needed: usize,
        free: usize,
    },
}

impl std::fmt::Display for MemoryRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MemoryRefusal::EmptyName => f.write_str("A path is names with single dots between them: people.Bob.trust."),
            MemoryRefusal::BadName(name) => {
                write!(f, "The name {name} cannot stand in a path: use letters, digits, _, - and '.")
            }
            MemoryRefusal::LongName(name) => {
                write!(f, "The name {name} is too long: {NAME_CHARS_MAX} characters are the most.")
            }
            MemoryRefusal::TooDeep => write!(f, "That goes too deep: {DEPTH_MAX} names below each other are the most."),
            MemoryRefusal::LongText(chars) => {
                write!(f, "A text of {chars} characters is too long: {TEXT_CHARS_MAX} are the most. Say it shorter.")
            }
            MemoryRefusal::NoObject(path) => {
                write!(f, "{path} holds a value, so nothing can be below it. Forget it first, or choose another path.")
            }
            MemoryRefusal::Object(path) => {
                write!(f, "{path} has names below it and is no list. Append to one of those, or choose another path.")
            }
            MemoryRefusal::Weight => f.write_str("A weight is a number from 0 to 1."),
            MemoryRefusal::Full { needed, free } => write!(
                f,
                "Your memory is too full for that: it needs {needed} tokens and {free} of {TOKENS_MAX} are free. \
                 Forget or shorten something first."
            ),
        }
    }
}

/// A weight as it is kept: in thousandths, so that it reads the same after any number of writings.
pub fn weight(number: f64) -> Option<f64> {
    (0.0..=1.0).contains(&number).then(|| (number * 1_000.0).round() / 1_000.0)
}

/// The names of a path.
pub fn names(path: &str) -> Result<Vec<&str>, MemoryRefusal> {
    let names: Vec<&str> = path.split('.').collect();
    names.iter().try_for_each(|name| check_name(name))?;
    if names.len() > DEPTH_MAX { Err(MemoryRefusal::TooDeep) } else { Ok(names) }
}

fn check_name(name: &str) -> Result<(), MemoryRefusal> {
    let shown = || name.chars().take(NAME_CHARS_MAX).collect::<String>();
    if name.is_empty() {
        return Err(MemoryRefusal::EmptyName);
    }
    if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'')) {
        return Err(MemoryRefusal::BadName(protocol::names::clean_text(&shown()).into_owned()));
    }
    if name.chars().count() > NAME_CHARS_MAX { Err(MemoryRefusal::LongName(shown())) } else { Ok(()) }
}

/// What a value must be like to stand at this depth (the names of its path).
fn check_value(value: &Value, depth: usize) -> Result<(), MemoryRefusal> {
    if depth > DEPTH_MAX {
        return Err(MemoryRefusal::TooDeep);
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => match text.chars().count() {
            chars if chars > TEXT_CHARS_MAX => Err(MemoryRefusal::LongText(chars)),
            _ => Ok(()),
        },
        Value::Array(values) => values.iter().try_for_each(|value| check_value(value, depth + 1)),
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            check_name(name)?;
            check_value(value, depth + 1)
        }),
    }
}

impl Change<'_> {
    /// Whether the change can be made, and fits. Counts tokens: the first call takes 0.1 s.
    /// `lists`: the tokens of facts and patterns, which share the room.
    pub fn check(&self, memory: &CoreMemory, lists: usize) -> Result<(), MemoryRefusal> {
        let (path, value) = match self {
            Change::Set { path, value, .. } | Change::Append { path, value } => (*path, *value),
        };
        let names = names(path)?;
        let in_a_list = usize::from(matches!(self, Change::Append { .. }));
        check_value(value, names.len() + in_a_list)?;
        if let Change::Set { weight: Some(number), .. } = self
            && weight(*number).is_none()
        {
            return Err(MemoryRefusal::Weight);
        }
        let mut members = &memory.doc;
        for (n, name) in names[..names.len() - 1].iter().enumerate() {
            match members.get(*name) {
                None => break,
                Some(Value::Object(below)) => members = below,
                Some(_) => return Err(MemoryRefusal::NoObject(names[..=n].join("."))),
            }
        }
        if matches!(self, Change::Append { .. }) && memory.get(path).is_some_and(Value::is_object) {
            return Err(MemoryRefusal::Object(path.to_string()));
        }
        let mut after = memory.clone();
        match self {
            Change::Set { path, value, weight } => after.set(path, (*value).clone(), *weight),
            Change::Append { path, value } => after.append(path, (*value).clone()),
        }
        let (before, after) = (memory.tokens() + lists, after.tokens() + lists);
        if after > TOKENS_MAX && after > before {
            return Err(MemoryRefusal::Full { needed: after - before, free: TOKENS_MAX.saturating_sub(before) });
        }
        Ok(())
    }
}

impl CoreMemory {
    pub fn is_empty(&self) -> bool {
        self.doc.is_empty()
    }

    /// What is at a path.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut names = path.split('.');
        let mut value = self.doc.get(names.next()?)?;
        for name in names {
            value = value.as_object()?.get(name)?;
        }
        Some(value)
    }

    /// How much a path matters, 0..=1: its own weight, else that of what it is in, else the usual one.
    pub fn weight(&self, path: &str) -> f64 {
        let mut path = path;
        loop {
            if let Some(weight) = self.weights.get(path) {
                return *weight;
            }
            match path.rfind('.') {
                Some(dot) => path = &path[..dot],
                None => return WEIGHT_DEFAULT,
            }
        }
    }

    /// Tokens of the document as JSON without blanks; none for an empty one.
    pub fn tokens(&self) -> usize {
        if self.doc.is_empty() {
            return 0;
        }
        tokens::count(&serde_json::to_string(&self.doc).expect("a document has string keys only"))
    }

    /// How full it is with these tokens of facts and patterns, percent, rounded up.
    pub fn used_percent(&self, lists: usize) -> usize {
        ((self.tokens() + lists) * 100).div_ceil(TOKENS_MAX)
    }

    /// Every value that is no object, with its path, in the order of the document; an object without members too.
    pub fn leaves(&self) -> Vec<(String, &Value)> {
        fn gather<'v>(path: &str, members: &'v Map<String, Value>, leaves: &mut Vec<(String, &'v Value)>) {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match value {
                    Value::Object(below) if !below.is_empty() => gather(&path, below, leaves),
                    value => leaves.push((path, value)),
                }
            }
        }
        let mut leaves = Vec::new();
        gather("", &self.doc, &mut leaves);
        leaves
    }

    /// Puts a value at a path, over what was there. Without a weight the path keeps its own.
    pub fn set(&mut self, path: &str, value: Value, weight: Option<f64>) {
        let Some(place) = place_of(&mut self.doc, path) else { return };
        *place = value;
        // What was below is gone, unless it came again.
        self.drop_weights(path);
        if let Some(weight) = weight.and_then(self::weight) {
            self.weights.insert(path.to_string(), weight);
        }
    }

    /// One more element of a list; a value that was alone becomes the first of one.
    pub fn append(&mut self, path: &str, value: Value) {
        if self.get(path).is_some_and(Value::is_object) {
            return;
        }
        let is_new = self.get(path).is_none();
        let Some(place) = place_of(&mut self.doc, path) else { return };
        match place {
            Value::Array(values) => values.push(value),
            place if is_new => *place = Value::Array(vec![value]),
            place => *place = Value::Array(vec![place.take(), value]),
        }
    }

    /// Takes a path out, and the objects around it that are empty then.
    pub fn delete(&mut self, path: &str) {
        fn take(members: &mut Map<String, Value>, names: &[&str]) {
            let Some((name, below)) = names.split_first() else { return };
            let is_empty = match members.get_mut(*name) {
                _ if below.is_empty() => true,
                Some(Value::Object(inner)) => {
                    let before = inner.len();
                    take(inner, below);
                    inner.is_empty() && before > 0
                }
                _ => false,
            };
            if is_empty {
                // The others keep their order.
                members.shift_remove(*name);
            }
        }
        let names: Vec<&str> = path.split('.').collect();
        take(&mut self.doc, &names);
        let mut path = path;
        while self.get(path).is_none() {
            self.weights.remove(path);
            self.drop_weights(path);
            match path.rfind('.') {
                Some(dot) => path = &path[..dot],
                None => break,
            }
        }
    }

    /// Forgets the weights of paths below this one that are not there any more.
    fn drop_weights(&mut self, path: &str) {
        let begin = format!("{path}.");
        let below: Vec<String> = self
            .weights
            .range(begin.clone()..)
            .take_while(|(p, _)| p.starts_with(&begin))
            .map(|(p, _)| p.clone())
            .collect();
        for path in below {
            if self.get(&path).is_none() {
                self.weights.remove(&path);
            }
        }
    }
}

/// The place of a path, made where it is missing. `None` where the path leads through a value; nothing is changed then.
fn place_of<'d>(doc: &'d mut Map<String, Value>, path: &str) -> Option<&'d mut Value> {
    let (way, last) = match path.rsplit_once('.') {
        Some((way, last)) => (Some(way), last),
        None => (None, path),
    };
    let mut members = doc;
    for name in way.into_iter().flat_map(|way| way.split('.')) {
        let next = members.entry(name).or_insert_with(|| Value::Object(Map::new()));
        members = next.as_object_mut()?;
    }
    Some(members.entry(last).or_insert(Value::Null))
}
