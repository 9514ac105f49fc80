//! The names of everybody and everything in a graph, each written once and called by a number.
//!
//! A mob is remembered by its kind (`mob:3001`), a player by name, a room and an item by vnum: one goblin is much like
//! the other. What has no number goes by its name. Invariant: ids are given in order of first mention and never change
//! while the graph is in memory; documents carry the keys, not the ids.

use super::kind::NodeKind;
use indexmap::IndexMap;
use petgraph::graph::NodeIndex;
use protocol::happening::{Item, Place};
use protocol::outcome::{Who, WhoKind};
use std::sync::Arc;

pub type NameId = u32;
/// The owner of the graph.
pub const ME: NameId = 0;
/// Nobody, nothing, nowhere.
pub const NOBODY: NameId = u32::MAX;

/// A hash without chance. Nothing is ever iterated in its order.
pub type Fixed = rustc_hash::FxBuildHasher;

#[derive(Clone, Debug)]
struct Named {
    key: Arc<str>,
    name: Arc<str>,
    kind: NodeKind,
    player: bool,
    level: u16,
    /// u32::MAX: has no node now.
    node: NodeIndex<u32>,
}

#[derive(Clone, Debug)]
pub struct Names {
    all: Vec<Named>,
    by_number: IndexMap<(NodeKind, i32), NameId, Fixed>,
    by_text: IndexMap<Arc<str>, NameId, Fixed>,
    /// Of the texts of all.
    bytes: usize,
}

/// The vnum in an instance id such as `mob_3001_17`.
fn vnum_of(id: &str, prefix: &str) -> Option<i32> {
    let (vnum, _) = id.strip_prefix(prefix)?.split_once('_')?;
    vnum.parse().ok()
}

/// A name as a key: lower case, without an article.
fn plain(name: &str) -> String {
    let lower = name.to_lowercase();
    let bare = ["a ", "an ", "the ", "some "].iter().find_map(|article| lower.strip_prefix(article));
    bare.unwrap_or(&lower).trim().to_string()
}

impl Names {
    pub fn new(agent: &str) -> Names {
        let mut names =
            Names { all: Vec::new(), by_number: IndexMap::default(), by_text: IndexMap::default(), bytes: 0 };
        names.push(format!("me:{}", plain(agent)).into(), agent.into(), NodeKind::Entity, true, 0);
        names
    }

    fn push(&mut self, key: Arc<str>, name: Arc<str>, kind: NodeKind, player: bool, level: u16) -> NameId {
        let id = self.all.len() as NameId;
        self.bytes += size_of::<Named>() + key.len() + name.len();
        self.by_text.insert(key.clone(), id);
        self.all.push(Named { key, name, kind, player, level, node: NodeIndex::end() });
        id
    }

    /// The id of an actor who is not the owner; `NOBODY` for one who was not seen.
    pub fn actor(&mut self, who: &Who) -> NameId {
        if who.name.is_empty() || (who.id.is_empty() && &*who.name == "someone") {
            return NOBODY;
        }
        let id = match vnum_of(&who.id, "mob_") {
            Some(vnum) => self.numbered(NodeKind::Entity, vnum, "mob", &who.name),
            None => match self.by_text.get(&*who.id) {
                Some(&id) if !who.id.is_empty() => id,
                _ => {
                    let player = who.kind == WhoKind::Player;
                    let kind = if player { "player" } else { "mob" };
                    let id = self.texted(&format!("{kind}:{}", plain(&who.name)), &who.name, NodeKind::Entity, player);
                    if !who.id.is_empty() {
                        self.by_text.insert(who.id.clone(), id);
                    }
                    id
                }
            },
        };
        let named = &mut self.all[id as usize];
        if who.level > 0 {
            named.level = who.level;
        }
        id
    }

    /// Bytes that the names take, about: none is ever forgotten while the graph is in memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn room(&mut self, place: &Place) -> NameId {
        self.numbered(NodeKind::Room, place.vnum, "room", &place.name)
    }

    pub fn item(&mut self, item: &Item) -> NameId {
        if item.vnum != 0 {
            return self.numbered(NodeKind::Item, item.vnum, "item", &item.name);
        }
        if item.name.is_empty() {
            return NOBODY;
        }
        self.texted(&format!("item:{}", plain(&item.name)), &item.name, NodeKind::Item, false)
    }

    fn numbered(&mut self, kind: NodeKind, vnum: i32, prefix: &str, name: &Arc<str>) -> NameId {
        if let Some(&id) = self.by_number.get(&(kind, vnum)) {
            return id;
        }
        let id = self.push(format!("{prefix}:{vnum}").into(), name.clone(), kind, false, 0);
        self.by_number.insert((kind, vnum), id);
        id
    }

    fn texted(&mut self, key: &str, name: &Arc<str>, kind: NodeKind, player: bool) -> NameId {
        match self.by_text.get(key) {
            Some(&id) => id,
            None => self.push(key.into(), name.clone(), kind, player, 0),
        }
    }

    /// Takes a name up from a document.
    pub(crate) fn restore(&mut self, key: &str, name: &str, kind: NodeKind, player: bool, level: u16) -> NameId {
        let id = match self.by_text.get(key) {
            Some(&id) => id,
            None => self.push(key.into(), name.into(), kind, player, level),
        };
        let named = &mut self.all[id as usize];
        named.level = level;
        let number = key.split_once(':').and_then(|(_, number)| number.parse().ok());
        let numbered = ["mob:", "room:", "item:"].iter().any(|prefix| key.starts_with(prefix));
        if let Some(vnum) = number.filter(|_| numbered) {
            self.by_number.insert((kind, vnum), id);
        }
        id
    }

    pub fn find(&self, key: &str) -> Option<NameId> {
        self.by_text.get(key).copied()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Never: the owner is always there.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn key(&self, id: NameId) -> &Arc<str> {
        &self.all[id as usize].key
    }

    pub fn name(&self, id: NameId) -> &str {
        self.all.get(id as usize).map_or("someone", |named| &named.name)
    }

    /// The same, to be kept.
    pub(crate) fn shared_name(&self, id: NameId) -> Option<&Arc<str>> {
        self.all.get(id as usize).map(|named| &named.name)
    }

    pub fn kind(&self, id: NameId) -> NodeKind {
        self.all[id as usize].kind
    }

    pub fn is_player(&self, id: NameId) -> bool {
        self.all.get(id as usize).is_some_and(|named| named.player)
    }

    pub fn level(&self, id: NameId) -> u16 {
        self.all[id as usize].level
    }

    pub fn node(&self, id: NameId) -> Option<NodeIndex<u32>> {
        self.all.get(id as usize).map(|named| named.node).filter(|node| *node != NodeIndex::end())
    }

    pub(super) fn forget_node(&mut self, id: NameId) {
        self.all[id as usize].node = NodeIndex::end();
    }

    pub(crate) fn set_node(&mut self, id: NameId, node: NodeIndex<u32>) {
        self.all[id as usize].node = node;
    }
}
