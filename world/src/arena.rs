//! Arenas: where characters and objects live, addressed by typed ids that go stale instead of dangling.
//!
//! Entities sit behind `Arc` and are changed through `make_mut`, so a copy of the whole arena for a hash or a snapshot
//! is a copy of pointers. The free list and the generations are part of the saved state: a restored world hands out the
//! same ids as one that never stopped.
//! Invariant: iteration is in ascending index order. Every `get_mut` is noted in the list of touched ids, which is what
//! the variables of agents and the checks of the simulation start from; `get_mut_quietly` is for what these do not see.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Declares a typed id: index and generation, ordered by index.
macro_rules! typed_id {
    ($(#[$meta:meta])* $id:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $id {
            pub index: u32,
            pub generation: u32,
        }
        impl std::fmt::Debug for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}:{}.{}", stringify!($id), self.index, self.generation)
            }
        }
        impl $crate::arena::Id for $id {
            fn new(index: u32, generation: u32) -> Self { Self { index, generation } }
            fn index(self) -> u32 { self.index }
            fn generation(self) -> u32 { self.generation }
        }
    };
}

typed_id! {
    /// A mob or a player in the world. Stale once it has left.
    CharacterId
}
typed_id! {
    /// A thing in the world.
    ObjectId
}

pub trait Id: Copy + Eq {
    fn new(index: u32, generation: u32) -> Self;
    fn index(self) -> u32;
    fn generation(self) -> u32;
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Slot<T> {
    generation: u32,
    value: Option<Arc<T>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Arena<I, T> {
    slots: Vec<Slot<T>>,
    /// Indices to use again, last freed first.
    free: Vec<u32>,
    #[serde(skip)]
    touched: Vec<I>,
    /// Per slot: the epoch in which it was last touched.
    #[serde(skip)]
    marks: Vec<u32>,
    /// Never 0 after the first: 0 marks what was never touched.
    #[serde(skip, default = "first_epoch")]
    epoch: u32,
}

fn first_epoch() -> u32 {
    1
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), touched: Vec::new(), marks: Vec::new(), epoch: first_epoch() }
    }
}

impl<I: Id, T: Clone> Arena<I, T> {
    pub fn insert(&mut self, value: T) -> I {
        let value = Some(Arc::new(value));
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[index as usize].value = value;
                index
            }
            None => {
                self.slots.push(Slot { generation: 0, value });
                (self.slots.len() - 1) as u32
            }
        };
        let id = I::new(index, self.slots[index as usize].generation);
        self.touch(id);
        id
    }

    pub fn remove(&mut self, id: I) -> Option<Arc<T>> {
        let slot = self.slots.get_mut(id.index() as usize).filter(|s| s.generation == id.generation())?;
        let value = slot.value.take()?;
        slot.generation += 1;
        self.free.push(id.index());
        Some(value)
    }

    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        let slot = self.slots.get(id.index() as usize)?;
        if slot.generation != id.generation() {
            return None;
        }
        slot.value.as_deref()
    }

    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        let slot = self.slots.get(id.index() as usize)?;
        if slot.generation != id.generation() || slot.value.is_none() {
            return None;
        }
        self.touch(id);
        self.slots[id.index() as usize].value.as_mut().map(Arc::make_mut)
    }

    /// As `get_mut`, without a note: for what no variable and no reader can show.
    pub(crate) fn get_mut_quietly(&mut self, id: I) -> Option<&mut T> {
        let slot = self.slots.get_mut(id.index() as usize).filter(|slot| slot.generation == id.generation())?;
        slot.value.as_mut().map(Arc::make_mut)
    }

    /// Ids of all that live, ascending by index.
    pub fn ids(&self) -> impl Iterator<Item = I> + '_ {
        self.iter().map(|(id, _)| id)
    }

    /// All that live, ascending by index.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> + '_ {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(index, slot)| slot.value.as_deref().map(|v| (I::new(index as u32, slot.generation), v)))
    }

    /// The id at an index, for loops that change the arena as they go.
    pub fn id_at(&self, index: u32) -> Option<I> {
        let slot = self.slots.get(index as usize)?;
        slot.value.as_ref().map(|_| I::new(index, slot.generation))
    }

    /// One more than the highest index in use.
    pub fn span(&self) -> u32 {
        self.slots.len() as u32
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn touch(&mut self, id: I) {
        let index = id.index() as usize;
        if self.marks.len() <= index {
            self.marks.resize(self.slots.len().max(index + 1), 0);
        }
        if self.marks[index] != self.epoch {
            self.marks[index] = self.epoch;
            self.touched.push(id);
        }
    }

    /// Everything inserted or changed since the last call, each once, in the order of the first touch. May hold ids
    /// that have since gone stale. The caller hands back the emptied list, so that its room is used again.
    pub fn take_touched(&mut self) -> Vec<I> {
        self.epoch = self.epoch.wrapping_add(1).max(1);
        std::mem::take(&mut self.touched)
    }

    pub fn give_back(&mut self, mut list: Vec<I>) {
        list.clear();
        if self.touched.is_empty() && self.touched.capacity() < list.capacity() {
            self.touched = list;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_id_finds_nothing_after_its_slot_is_used_again() {
        let mut arena: Arena<ObjectId, i32> = Arena::default();
        let first = arena.insert(1);
        arena.remove(first);
        let second = arena.insert(2);
        assert_eq!(first.index, second.index);
        assert_eq!(arena.get(first), None);
        assert_eq!(arena.get_mut(first), None);
        assert_eq!(arena.get(second), Some(&2));
    }

    #[test]
    fn a_thing_changed_twice_is_touched_once() {
        let mut arena: Arena<ObjectId, i32> = Arena::default();
        let id = arena.insert(1);
        assert_eq!(arena.take_touched(), vec![id]);
        assert!(arena.take_touched().is_empty());
        *arena.get_mut(id).expect("it lives") += 1;
        *arena.get_mut(id).expect("it lives") += 1;
        assert_eq!(arena.take_touched(), vec![id]);
    }

    #[test]
    fn a_copy_is_not_changed_with_its_original() {
        let mut arena: Arena<ObjectId, i32> = Arena::default();
        let id = arena.insert(1);
        let copy = arena.clone();
        *arena.get_mut(id).expect("it lives") = 5;
        assert_eq!(copy.get(id), Some(&1));
    }
}
