//! What changed of agents, row by row, as it is kept outside of the world: records, rights, and agents that are to be
//! made.
//!
//! Invariant: ticks of a world mean nothing to another one, so a row has the moment up to which an agent sleeps as an
//! instant of the calendar; thumbs and the rest of an interval are in none.

use super::{AgentRecord, Agents, MakingOrder};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One thing as it is now; `None`: it is gone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum AgentRow {
    Record { id: u32, record: Option<Box<AgentRecord>> },
    Right { person: u32, right: Option<Right> },
    Order { id: u32, order: Option<Box<MakingOrder>> },
}

/// What a person may do beside what its record says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Right {
    pub may_create_agents: bool,
    pub is_architect: bool,
}

/// What a row is of, in the order in which rows are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AgentKey {
    Record(u32),
    Right(u32),
    Order(u32),
}

impl AgentRow {
    pub fn key(&self) -> AgentKey {
        match self {
            AgentRow::Record { id, .. } => AgentKey::Record(*id),
            AgentRow::Right { person, .. } => AgentKey::Right(*person),
            AgentRow::Order { id, .. } => AgentKey::Order(*id),
        }
    }

    /// Puts other words in the place of all that people wrote.
    pub fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        match self {
            AgentRow::Record { record: Some(record), .. } => record.rewrite(write),
            AgentRow::Order { order: Some(order), .. } => order.rewrite(write),
            AgentRow::Record { .. } | AgentRow::Right { .. } | AgentRow::Order { .. } => {}
        }
    }
}

/// What was changed since it was last asked. Not state.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Changed(pub BTreeSet<AgentKey>);

impl Agents {
    fn row(&self, key: AgentKey) -> AgentRow {
        match key {
            AgentKey::Record(id) => {
                let record = self.get(id).map(|record| {
                    let instant = || Some(self.epoch?.instant_of(record.sleep_until?));
                    let wakes_ms = record.wakes_ms.or_else(instant);
                    let (elapsed_ds, thumbs) = (0, BTreeMap::new());
                    Box::new(AgentRecord { sleep_until: None, wakes_ms, elapsed_ds, thumbs, ..record.clone() })
                });
                AgentRow::Record { id, record }
            }
            AgentKey::Right(person) => {
                let right = Right {
                    may_create_agents: self.permitted.contains(&person),
                    is_architect: self.architect == Some(person),
                };
                AgentRow::Right { person, right: (right != Right::default()).then_some(right) }
            }
            AgentKey::Order(id) => AgentRow::Order { id, order: self.orders.get(&id).cloned().map(Box::new) },
        }
    }

    /// What was changed since the last time, as it is now.
    pub(crate) fn take_changed(&mut self) -> Vec<AgentRow> {
        if self.changed.0.is_empty() {
            return Vec::new();
        }
        let changed = std::mem::take(&mut self.changed);
        changed.0.into_iter().map(|key| self.row(key)).collect()
    }

    /// All that there is, as if it had just been changed.
    pub fn rows(&self) -> Vec<AgentRow> {
        let records = self.list.keys().map(|id| AgentKey::Record(*id));
        let rights: BTreeSet<u32> = self.permitted.iter().chain(&self.architect).copied().collect();
        let orders = self.orders.keys().map(|id| AgentKey::Order(*id));
        let keys = records.chain(rights.into_iter().map(AgentKey::Right)).chain(orders);
        keys.map(|key| self.row(key)).collect()
    }

    /// Takes back what was kept of a world before this one. What does not fit with who is known is left out. Agents
    /// sleep on when the engine has told the calendar (`wake_by_calendar`).
    pub(crate) fn restore<'r>(&mut self, rows: impl Iterator<Item = &'r AgentRow>, is_person: impl Fn(u32) -> bool) {
        let known = |person: Option<u32>| person.filter(|person| is_person(*person));
        for row in rows {
            match row {
                AgentRow::Record { id, record: Some(record) } if is_person(*id) && !self.list.contains_key(id) => {
                    let (owner, created_by) = (known(record.owner), known(record.created_by));
                    let record = AgentRecord { owner, created_by, ..AgentRecord::clone(record) };
                    self.list.insert(*id, Arc::new(record));
                }
                AgentRow::Right { person, right: Some(right) } if is_person(*person) => {
                    if right.may_create_agents {
                        self.permitted.insert(*person);
                    }
                    if right.is_architect {
                        self.architect.get_or_insert(*person);
                    }
                }
                AgentRow::Order { id, order: Some(order) } if !is_person(*id) && is_person(order.created_by) => {
                    let owner = known(order.owner);
                    self.orders.insert(*id, MakingOrder { owner, ..MakingOrder::clone(order) });
                }
                AgentRow::Record { .. } | AgentRow::Right { .. } | AgentRow::Order { .. } => {}
            }
        }
    }
}
