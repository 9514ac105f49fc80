//! Names that somebody is about to take: two who think of the same one at a time are not both told that it is free.
//!
//! Invariant: a name is held by one caller at most, and is free again when its hold is dropped.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Default)]
pub struct WantedNames(Arc<Mutex<BTreeSet<String>>>);

/// A name that nobody else is offered as long as this lives.
pub struct NameHold {
    name: String,
    names: WantedNames,
}

impl WantedNames {
    /// `None` while somebody else holds it, in whatever case it was typed.
    pub fn hold(&self, name: &str) -> Option<NameHold> {
        let name = name.to_ascii_lowercase();
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name.clone()).then(|| NameHold { name, names: self.clone() })
    }
}

impl Drop for NameHold {
    fn drop(&mut self) {
        self.names.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_held_by_one_until_it_is_let_go() {
        let names = WantedNames::default();
        let first = names.hold("Torvin");
        assert!(first.is_some());
        assert!(names.hold("torvin").is_none(), "somebody is about to take it");
        assert!(names.hold("Wynne").is_some());
        drop(first);
        assert!(names.hold("Torvin").is_some(), "the caller went away");
    }
}
