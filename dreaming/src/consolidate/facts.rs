//! What a record says of facts: who has a thing now, how a door is, who is dead, who goes with whom.

use crate::graph::facts::{CORPSE, Facts, Of, Relation};
use crate::graph::{EventBody, ME, NOBODY, NameId, Names};
use protocol::happening::{Happening, Help, Item, Role, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use std::sync::Arc;

impl Facts {
    /// Takes up what a record says. `event` is the same record as a node, with its names; `witnesses` those of the
    /// record.
    pub(super) fn learn(&mut self, happening: &Happening, event: &EventBody, witnesses: &[NameId], names: &Names) {
        self.begin();
        // Whom one thought of need not be alive.
        if event.deed.is_of_mind() {
            return;
        }
        match &happening.what {
            What::Acquired { who, item, .. } => self.holds(item, event.doer, Some(who), event, names),
            What::Dropped { item, .. } => self.holds(item, event.room, None, event, names),
            What::UsedUp { item, .. } | What::ThrownAway { item, .. } => {
                self.end(Relation::HeldBy, &thing_key(item, names, event), event)
            }
            What::Given { item: Some(item), receiver: to, .. } | What::Sold { item, buyer: to, .. } => {
                self.holds(item, event.sufferer, Some(to), event, names);
            }
            What::Stolen { item: Some(item), thief, .. } => self.holds(item, event.doer, Some(thief), event, names),
            What::Bought { who, item, price, .. } => {
                self.holds(item, event.doer, Some(who), event, names);
                let subject = format!("{} at {}", key_of(event.item, names), key_of(event.sufferer, names)).into();
                let name = format!("{} at {}", item.name, names.name(event.sufferer)).into();
                let of = Of { subject, about: key_of(event.item, names), name };
                let told = format!("{price} coins").into();
                self.set(Relation::Price, of, price.to_string().into(), told, event);
            }
            What::Door { direction, state, leads_to, .. } => {
                let value = match state {
                    DoorChange::Opened => "opened",
                    DoorChange::Closed => "closed",
                    DoorChange::Locked => "locked",
                    DoorChange::Unlocked => "unlocked",
                };
                self.door(key_of(event.room, names), names.name(event.room), direction, value, event);
                // The same door from its other side, where that was looked at before.
                if let (Some(behind), Some(back)) = (leads_to, opposite(direction)) {
                    let room: Arc<str> = format!("room:{}", behind.vnum).into();
                    if self.now(Relation::Door, &format!("{room} {back}")).is_some() {
                        self.door(room, &behind.name, back, value, event);
                    }
                }
            }
            What::Helped { how: Help::Grouped, .. } if event.other() != NOBODY => {
                let key = key_of(event.other(), names);
                let of = Of { subject: key.clone(), about: key, name: shared(event.other(), names) };
                self.set(Relation::GoesWith, of, "group".into(), "the same group".into(), event);
            }
            What::Parted { .. } if event.other() != NOBODY => {
                self.end(Relation::GoesWith, &key_of(event.other(), names), event);
            }
            What::Killed { victim, .. } => self.leaves_behind(victim, event, names),
            _ => {}
        }
        self.lives(happening, event, witnesses, names);
    }

    /// `holder` is the name of `who`, where it is somebody and no place.
    fn holds(&mut self, item: &Item, holder: NameId, who: Option<&Who>, event: &EventBody, names: &Names) {
        let of =
            Of { subject: thing_key(item, names, event), about: key_of(event.item, names), name: item.name.clone() };
        let told = if holder == NOBODY { "nobody".into() } else { shared(holder, names) };
        let (fact, new) = self.set(Relation::HeldBy, of, key_of(holder, names), told, event);
        let Some(who) = who.filter(|_| holder != NOBODY) else { return };
        self.set_instance(fact, (who.kind == WhoKind::Mob && !who.id.is_empty()).then(|| who.id.clone()));
        if new {
            self.held_by(holder, fact);
        }
    }

    fn door(&mut self, room: Arc<str>, name: &str, direction: &str, value: &'static str, event: &EventBody) {
        let subject = format!("{room} {direction}").into();
        let of = Of { subject, about: room, name: format!("the door {direction} of {name}").into() };
        self.set(Relation::Door, of, value.into(), value.into(), event);
    }

    /// What the dead held lies in the corpse from now on. Of a mob only what this very one held.
    fn leaves_behind(&mut self, victim: &Who, event: &EventBody, names: &Names) {
        let dead = event.sufferer;
        if dead == NOBODY {
            return;
        }
        let held = self.take_held_by(dead);
        let key = key_of(dead, names);
        let (mut corpse, mut told): (Option<Arc<str>>, Arc<str>) = (None, "".into());
        for i in held {
            let fact = self.get(i);
            if fact.until.is_some() || fact.value != key {
                continue;
            }
            if fact.instance.as_ref().is_some_and(|id| *id != victim.id) {
                self.held_by(dead, i as usize);
                continue;
            }
            let of = Of { subject: fact.subject.clone(), about: fact.about.clone(), name: fact.name.clone() };
            let value = corpse.get_or_insert_with(|| {
                told = format!("the corpse of {}", names.name(dead)).into();
                format!("{CORPSE}{key}").into()
            });
            let value = value.clone();
            self.set(Relation::HeldBy, of, value, told.clone(), event);
        }
    }

    /// Players who died are dead until they act or are met again; mobs are only told apart by kind, so a dead one says
    /// nothing of the next.
    fn lives(&mut self, happening: &Happening, event: &EventBody, witnesses: &[NameId], names: &Names) {
        let died = match &happening.what {
            What::Killed { victim, .. } if victim.kind == WhoKind::Player && happening.role != Role::Suffered => {
                event.sufferer
            }
            _ => NOBODY,
        };
        for &id in [event.doer, event.sufferer, event.third].iter().chain(witnesses) {
            if id != NOBODY && id != ME && id != died && names.is_player(id) {
                self.end(Relation::Life, names.key(id), event);
            }
        }
        if died != NOBODY && died != ME {
            let key = names.key(died);
            let of = Of { subject: key.clone(), about: key.clone(), name: shared(died, names) };
            self.set(Relation::Life, of, "dead".into(), "dead".into(), event);
            self.end(Relation::GoesWith, names.key(died), event);
        }
    }
}

fn key_of(id: NameId, names: &Names) -> Arc<str> {
    if id == NOBODY { "nobody".into() } else { names.key(id).clone() }
}

fn shared(id: NameId, names: &Names) -> Arc<str> {
    names.shared_name(id).map_or_else(|| "someone".into(), Arc::clone)
}

/// The direction in which the other side of a door lies from behind it.
fn opposite(direction: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 3] = [("north", "south"), ("east", "west"), ("up", "down")];
    PAIRS.iter().find_map(|(a, b)| match direction {
        direction if direction == *a => Some(*b),
        direction if direction == *b => Some(*a),
        _ => None,
    })
}

/// One thing: by its instance where it is known, else by its kind.
fn thing_key(item: &Item, names: &Names, event: &EventBody) -> Arc<str> {
    match (&*item.id, event.item) {
        ("", NOBODY) => item.name.clone(),
        ("", id) => names.key(id).clone(),
        (_, _) => item.id.clone(),
    }
}
