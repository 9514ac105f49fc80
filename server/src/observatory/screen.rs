//! What one kind of viewer sees, and what is sent of it: the whole picture first, then what changed.

use super::CHANGES_WAITING;
use super::happened::Happened;
use crate::views::{Being, Mob};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::broadcast;
use world::past::Past;

/// What is to be seen at a moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    /// Of the people.
    pub tick: u64,
    pub people: BTreeMap<String, Arc<Being>>,
    pub mobs: BTreeMap<String, Mob>,
    /// Oldest first.
    pub feed: Vec<Happened>,
}

/// Of one kind of viewer, and of a player one each.
pub(super) struct Screen {
    shown: Scene,
    sender: broadcast::Sender<Arc<str>>,
    /// Of a player: what it has seen.
    pub past: Arc<Past>,
}

impl Screen {
    pub fn new(past: Arc<Past>) -> Screen {
        Screen { shown: Scene::default(), sender: broadcast::Sender::new(CHANGES_WAITING), past }
    }

    pub fn is_watched(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Arc<str>> {
        self.sender.subscribe()
    }

    pub fn whole(&self) -> Arc<str> {
        let Scene { tick, people, mobs, feed } = &self.shown;
        let (people, mobs): (Vec<_>, Vec<_>) = (people.values().collect(), mobs.values().collect());
        let whole = json!({ "tick": tick, "whole": true, "people": people, "mobs": mobs, "feed": feed });
        whole.to_string().into()
    }

    /// Shows what is to be seen now, and sends what of it is new.
    pub fn show(&mut self, scene: Scene) {
        if let Some(change) = change(&self.shown, &scene) {
            // Nobody need be there.
            let _sent = self.sender.send(change.into());
        }
        self.shown = scene;
    }
}

/// What differs, as it is sent; `None`: nothing but the tick.
fn change(old: &Scene, new: &Scene) -> Option<String> {
    let mut parts = Map::new();
    let mut put = |name: &str, values: Vec<Value>| {
        if !values.is_empty() {
            parts.insert(name.to_string(), Value::Array(values));
        }
    };
    let of = |changed: Vec<&Arc<Being>>| changed.into_iter().map(|one| json!(**one)).collect::<Vec<_>>();
    let (changed, gone) = differences(&old.people, &new.people);
    put("people", of(changed));
    put("gone", gone);
    let (changed, gone) = differences(&old.mobs, &new.mobs);
    put("mobs", changed.into_iter().map(|one| json!(one)).collect());
    put("mobs_gone", gone);
    let told = old.feed.last().map_or(0, |one| one.id);
    put("feed", new.feed.iter().filter(|one| one.id > told).map(|one| json!(one)).collect());
    if parts.is_empty() && old.tick == new.tick {
        return None;
    }
    parts.insert("tick".to_string(), new.tick.into());
    Some(Value::Object(parts).to_string())
}

/// Those that are new or otherwise than before, and the keys of those that are there no more.
fn differences<'a, T: PartialEq>(old: &BTreeMap<String, T>, new: &'a BTreeMap<String, T>) -> (Vec<&'a T>, Vec<Value>) {
    let changed = new.iter().filter(|(key, one)| old.get(*key) != Some(*one)).map(|(_, one)| one).collect();
    let gone = old.keys().filter(|key| !new.contains_key(*key)).map(|key| key.clone().into()).collect();
    (changed, gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mob(key: &str, hp_percent: i32) -> (String, Mob) {
        let mob = Mob { key: key.into(), name: "a rat".into(), level: 1, room: 101, hp_percent, fighting: false };
        (key.to_string(), mob)
    }

    #[test]
    fn what_changed_is_sent_and_nothing_else() {
        let old = Scene { tick: 4, mobs: [mob("a", 100), mob("b", 50)].into(), ..Scene::default() };
        assert_eq!(change(&old, &old), None);
        let new = Scene { tick: 5, mobs: [mob("a", 100), mob("c", 10)].into(), ..Scene::default() };
        let sent: Value = serde_json::from_str(&change(&old, &new).expect("news")).expect("JSON");
        assert_eq!(sent["tick"], 5);
        assert_eq!((sent["mobs"][0]["key"].as_str(), sent["mobs"].as_array().map(Vec::len)), (Some("c"), Some(1)));
        assert_eq!(sent["mobs_gone"], json!(["b"]));
        assert!(sent.get("people").is_none() && sent.get("feed").is_none(), "{sent}");
    }
}
