//! The hashes of a world that is replayed, beside those that were written when it was played.

use crate::journal::HASH_EVERY;
use crate::replay::Difference;
use std::collections::BTreeMap;
use world::hash::StateHashes;
use world::{Input, InputNumber, World};

/// Hashes are written behind the input that they belong to, but not far behind it.
const WAITING_MAX: usize = 8;

/// What is to be compared, and what came of it.
#[derive(Clone, Default)]
pub struct Comparing {
    own: BTreeMap<InputNumber, StateHashes>,
    /// Up to here everything was compared already, so nothing is worked out twice.
    through: InputNumber,
    pub checked: usize,
    /// The first.
    pub difference: Option<Difference>,
}

impl Comparing {
    /// From another place on, where something may have differed before.
    pub fn after(difference: Option<Difference>) -> Comparing {
        Comparing { difference, ..Comparing::default() }
    }

    /// After an input was applied.
    pub fn applied(&mut self, world: &World, input: &Input) {
        let number = world.state.number;
        if number <= self.through || !matches!(input, Input::Tick) || !world.tick().is_multiple_of(HASH_EVERY) {
            return;
        }
        self.through = number;
        self.own.insert(number, world.hashes());
        if self.own.len() > WAITING_MAX {
            self.own.pop_first();
        }
    }

    /// What was written of an input that was applied.
    pub fn written(&mut self, number: InputNumber, tick: u64, hashes: &StateHashes) {
        let Some(own) = self.own.remove(&number) else { return };
        self.checked += 1;
        if let Some(section) = own.differences(hashes).first()
            && self.difference.is_none()
        {
            self.difference = Some(Difference { tick, section: section.to_string() });
        }
    }
}
