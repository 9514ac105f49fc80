//! Who has what: each thing followed from hand to hand through the records.

use super::Verdict;
use super::past::{Entry, ME_KEY, Past};
use mind::happenings::Deed;
use protocol::happening::What;
use std::collections::{BTreeMap, BTreeSet};

/// Where a thing is: with somebody, in a room, in the corpse of somebody.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    /// A key; None for somebody who was not seen.
    with: Option<String>,
    corpse: bool,
    /// Which one of its kind, where it is a mob.
    instance: String,
}

struct Span {
    name: String,
    place: Place,
    since: String,
    until: Option<String>,
}

/// By thing: as it is called, where it is, since when.
type Open = BTreeMap<String, (String, Place, String)>;

/// A thing by what tells it from others of its sort, else by its sort.
fn subject(entry: &Entry) -> Option<(String, String)> {
    let item = entry.what().item()?;
    let key = entry.item.clone().unwrap_or_else(|| item.name.to_string());
    Some((if item.id.is_empty() { key } else { item.id.to_string() }, item.name.to_string()))
}

fn instance(entry: &Entry, key: Option<&String>) -> String {
    let mob = key.filter(|key| key.starts_with("mob:"));
    let id = mob.and_then(|key| entry.present.iter().find(|(other, _)| other == key)).map(|(_, id)| id.clone());
    id.unwrap_or_default()
}

fn spans(past: &Past) -> Vec<Span> {
    let mut open: Open = BTreeMap::new();
    let mut all: Vec<Span> = Vec::new();
    for entry in &past.all {
        let date = entry.date.clone();
        let mut put = |open: &mut Open, id: String, name: String, place: Option<Place>| {
            if let (Some((_, before, _)), Some(to)) = (open.get_mut(&id), &place)
                && (&to.with, to.corpse) == (&before.with, before.corpse)
            {
                // The same holder; it may be another one of its kind now.
                before.instance.clone_from(&to.instance);
                return;
            }
            let is = open.remove(&id);
            if let Some((name, place, since)) = is {
                all.push(Span { name, place, since, until: Some(date.clone()) });
            }
            if let Some(place) = place {
                open.insert(id, (name, place, date.clone()));
            }
        };
        let to = |key: Option<&String>| {
            let instance = instance(entry, key);
            Some(Place { with: key.cloned(), corpse: false, instance })
        };
        if entry.deed == Deed::Killed
            && let Some(dead) = &entry.sufferer
        {
            let id = instance(entry, Some(dead));
            let held: Vec<(String, String)> = open
                .iter()
                .filter(|(_, (_, place, _))| !place.corpse && place.with.as_ref() == Some(dead))
                .filter(|(_, (_, place, _))| place.instance.is_empty() || place.instance == id)
                .map(|(thing, (name, ..))| (thing.clone(), name.clone()))
                .collect();
            for (thing, name) in held {
                let corpse = Place { with: Some(dead.clone()), corpse: true, instance: String::new() };
                put(&mut open, thing, name, Some(corpse));
            }
        }
        let Some((id, name)) = subject(entry) else { continue };
        match entry.what() {
            What::Acquired { .. } | What::Bought { .. } | What::Stolen { .. } => {
                put(&mut open, id, name, to(entry.doer.as_ref()));
            }
            What::Given { .. } | What::Sold { .. } => put(&mut open, id, name, to(entry.sufferer.as_ref())),
            What::Dropped { .. } => put(&mut open, id, name, to(Some(&entry.room))),
            What::UsedUp { .. } | What::ThrownAway { .. } => put(&mut open, id, name, None),
            _ => {}
        }
    }
    all.extend(open.into_values().map(|(name, place, since)| Span { name, place, since, until: None }));
    all
}

pub fn judge(past: &Past, text: &str) -> Verdict {
    let said = past.of_holders.get_or_init(|| all_said(past));
    if said.contains(text) { Ok(()) } else { Err("at no time was it there".into()) }
}

fn all_said(past: &Past) -> BTreeSet<String> {
    let own = past.own_name();
    let said = |span: &Span| {
        let who = match span.place.with.as_deref() {
            None => "nobody".to_string(),
            Some(ME_KEY) => own.clone().unwrap_or_default(),
            Some(key) => past.raw(key).to_string(),
        };
        let who = if span.place.corpse { format!("the corpse of {who}") } else { who };
        let name = &span.name;
        if span.place.with.as_deref().is_some_and(|key| key.starts_with("room:")) {
            let place = protocol::places::at(&who);
            return match &span.until {
                None => format!("{name} lies {place} now, since {}.", span.since),
                Some(until) => format!("{name} lay {place} from {} until {until}.", span.since),
            };
        }
        match (&span.until, span.place.corpse) {
            (None, true) => format!("{name} lies now in {who}, since {}.", span.since),
            (None, false) => format!("{name} is held now by {who}, since {}.", span.since),
            (Some(until), true) => format!("{name} lay in {who} from {} until {until}.", span.since),
            (Some(until), false) => format!("{name} was with {who} from {} until {until}.", span.since),
        }
    };
    spans(past).iter().map(|span| super::past::cut(&said(span), 280)).collect()
}
