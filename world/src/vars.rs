//! The variables that agents subscribe to: one row each, with the function that reads its value.
//!
//! Names and meanings are `protocol::variables`; here is what they read. A value is JSON text, since that is what is
//! compared and sent. `Group` says what has to be touched before a value can have changed.

mod company;
mod plots;
mod tasks;

pub use company::PlayersSeen;

use crate::act::capitalised;
use crate::arena::{CharacterId, ObjectId};
use crate::find::TargetNames;
use crate::sight::SEEN_MAX;
use crate::world::World;
use content::flags::*;
use content::words::WearSlot;
use protocol::Variable;
use protocol::calendar::WorldTime;
use protocol::payload::{
    DoorState, EquippedItem, InventoryItem, Ordered, PlayerState, RoomItem, RoomMob, RoomState, State, Stats, Word,
    Words, append_json,
};
use protocol::variables::ROOM_FLAGS;
use std::sync::Arc;

/// What a variable depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// The character itself.
    Own,
    /// What it carries or wears, and whether it sees that.
    Objects,
    /// Its room, and how well it sees.
    Room,
    /// Kept by the session.
    Events,
    /// When it is: told along with what changed.
    Moment,
    /// What it has learned, by its class and level.
    Arts,
    /// Who is in its room, and how those are.
    Around,
    /// Everybody of its group, wherever they are.
    Party,
    /// How long it has to wait.
    Lag,
    /// What hour it is.
    Hour,
    /// The character itself, who is in its room, and what day it is.
    Offers,
}

/// A row of `VARS`.
pub struct VarRow {
    pub variable: Variable,
    pub group: Group,
    /// Appends the value as JSON.
    pub read: fn(&World, CharacterId, &mut String),
}

const fn row(variable: Variable, group: Group, read: fn(&World, CharacterId, &mut String)) -> VarRow {
    VarRow { variable, group, read }
}

/// At the index of the variable's number.
pub const VARS: &[VarRow] = &[
    row(Variable::Health, Group::Own, |w, id, out| append_json(out, &w.who(id).hit)),
    row(Variable::MaxHealth, Group::Own, |w, id, out| append_json(out, &w.who(id).now.hit_max)),
    row(Variable::Mana, Group::Own, |w, id, out| append_json(out, &w.who(id).mana)),
    row(Variable::MaxMana, Group::Own, |w, id, out| append_json(out, &w.who(id).now.mana_max)),
    row(Variable::Move, Group::Own, |w, id, out| append_json(out, &w.who(id).moves)),
    row(Variable::MaxMove, Group::Own, |w, id, out| append_json(out, &w.who(id).now.move_max)),
    row(Variable::Gold, Group::Own, |w, id, out| append_json(out, &w.who(id).gold)),
    row(Variable::Position, Group::Own, |w, id, out| append_json(out, w.who(id).position.name())),
    row(Variable::Level, Group::Own, |w, id, out| append_json(out, &w.who(id).level)),
    row(Variable::Exp, Group::Own, |w, id, out| {
        append_json(out, &w.who(id).player().map_or(0, |p| p.experience));
    }),
    row(Variable::RoomVnum, Group::Room, |w, id, out| append_json(out, &w.room_proto(w.who(id).room).vnum)),
    row(Variable::RoomName, Group::Room, |w, id, out| append_json(out, &*w.room_name_for(id))),
    row(Variable::RoomExits, Group::Room, |w, id, out| append_json(out, &w.exits_seen(id))),
    row(Variable::RoomMobs, Group::Room, |w, id, out| append_json(out, &w.room_mobs(id))),
    row(Variable::RoomItems, Group::Room, |w, id, out| append_json(out, &w.room_items(id))),
    row(Variable::Fighting, Group::Own, |w, id, out| append_json(out, &w.who(id).fighting.is_some())),
    row(Variable::Inventory, Group::Objects, |w, id, out| append_json(out, &w.inventory_items(id))),
    row(Variable::Equipment, Group::Objects, |w, id, out| append_json(out, &w.equipment_items(id))),
    row(Variable::Events, Group::Events, |_, _, out| out.push_str("[]")),
    row(Variable::RoomDoors, Group::Room, |w, id, out| append_json(out, &w.room_doors(id))),
    row(Variable::RoomFlags, Group::Room, |w, id, out| append_json(out, &w.room_flags_seen(id))),
    row(Variable::Tick, Group::Moment, |w, _, out| append_json(out, &w.tick())),
    row(Variable::Affects, Group::Own, |w, id, out| append_json(out, &w.affected(id))),
    row(Variable::Conditions, Group::Own, |w, id, out| append_json(out, &w.conditions_of(id))),
    row(Variable::Skills, Group::Arts, |w, id, out| append_json(out, &w.known_arts(id))),
    row(Variable::Practices, Group::Around, |w, id, out| append_json(out, &w.practices_of(id))),
    row(Variable::Opponent, Group::Around, |w, id, out| append_json(out, &w.opponent_of(id))),
    row(Variable::Group, Group::Party, |w, id, out| append_json(out, &w.group_seen(id))),
    row(Variable::RoomPlayers, Group::Around, |w, id, out| w.players_seen(id).append_without(id, out)),
    row(Variable::Lag, Group::Lag, |w, id, out| append_json(out, &w.lag_left(id))),
    row(Variable::Tasks, Group::Own, |w, id, out| append_json(out, &w.tasks_seen(id))),
    row(Variable::Plot, Group::Room, |w, id, out| append_json(out, &w.plot_seen(id))),
    row(Variable::RoomArea, Group::Room, |w, id, out| append_json(out, w.area_of(id))),
    row(Variable::RoomTerrain, Group::Room, |w, id, out| append_json(out, w.room_proto(w.who(id).room).sector.name())),
    row(Variable::RoomCoords, Group::Room, |w, id, out| append_json(out, &w.content.place(w.who(id).room))),
    row(Variable::RoomExitsTo, Group::Room, |w, id, out| append_json(out, &w.exits_to(id))),
    row(Variable::ExpToLevel, Group::Own, |w, id, out| append_json(out, &w.experience_to_level(id))),
    row(Variable::Alignment, Group::Own, |w, id, out| append_json(out, &w.who(id).alignment)),
    row(Variable::WorldTime, Group::Hour, |w, _, out| append_json(out, &WorldTime::from(w.state.clock.date()))),
    row(Variable::RoomOffers, Group::Offers, |w, id, out| append_json(out, &w.offers_seen(id))),
];

/// What an observer's view of a room depends on, besides the room: two views with the same key read the same room
/// alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Sight {
    room: content::RoomId,
    dark: bool,
    flags: AffectFlags,
    immortal: bool,
    holylight: bool,
}

impl Sight {
    /// Whether one sees what one has on oneself as well as before, whatever the room.
    pub fn sees_own_like(&self, before: &Sight) -> bool {
        *self == Sight { room: self.room, ..*before }
    }
}

impl World {
    /// Whether one reads one's room as all others do who have the same `sight`: the others see one too, so that targets
    /// count alike, no mob there fights one, and none is one's master, whom one may not attack.
    pub fn reads_as_others(&self, who: CharacterId) -> bool {
        let c = self.who(who);
        let fights_it = |id: &CharacterId| {
            let other = self.who(*id);
            other.fighting == Some(who) && other.is_mob()
        };
        !c.now.flags.any(AffectFlags::INVISIBLE.with(AffectFlags::HIDE).with(AffectFlags::CHARM))
            && !self.room(c.room).characters.iter().any(fights_it)
    }

    pub fn sight(&self, who: CharacterId) -> Sight {
        let c = self.who(who);
        let matter = AffectFlags::BLIND
            .with(AffectFlags::INFRAVISION)
            .with(AffectFlags::DETECT_INVISIBLE)
            .with(AffectFlags::SENSE_LIFE)
            .with(AffectFlags::CHARM);
        Sight {
            room: c.room,
            dark: self.is_dark(c.room),
            flags: AffectFlags(c.now.flags.0 & matter.0),
            immortal: c.is_immortal(),
            holylight: c.player_flags().has(crate::character::PlayerFlags::HOLYLIGHT),
        }
    }

    /// The room's title, or what one reads instead who cannot see it.
    fn room_name_for(&self, who: CharacterId) -> Arc<str> {
        if self.sees_room(who) {
            self.room_proto(self.who(who).room).name.clone()
        } else if self.who(who).is(AffectFlags::BLIND) {
            "You are blind".into()
        } else {
            "Darkness".into()
        }
    }

    /// The name of the zone that one is in.
    fn area_of(&self, who: CharacterId) -> &str {
        let zone = self.content.zone_index(self.room_proto(self.who(who).room).zone);
        zone.map_or("", |at| &self.content.zones[at].name)
    }

    /// Where the ways lead that one sees.
    fn exits_to(&self, who: CharacterId) -> Ordered<i32> {
        let exits = &self.room_proto(self.who(who).room).exits;
        let to = |way: &Word| exits.iter().find(|exit| exit.direction.name() == &**way).and_then(|exit| exit.to);
        Ordered(self.exits_seen(who).into_iter().filter_map(|way| Some((way.clone(), to(&way)?))).collect())
    }

    /// Experience up to the next level; 0 for who rises by it no more.
    fn experience_to_level(&self, who: CharacterId) -> i32 {
        let c = self.who(who);
        let rises = c.level < self.rules.level_mortal_max;
        let has = c.player().map_or(0, |player| player.experience);
        if rises { (self.rules.experience_to_leave(c.class, c.level) - has).max(0) } else { 0 }
    }

    /// Directions that lead somewhere, closed doors included, hidden ones not; none for who cannot see.
    pub fn exits_seen(&self, who: CharacterId) -> Vec<Word> {
        if !self.sees_room(who) {
            return Vec::new();
        }
        let room = self.who(who).room;
        let proto = self.room_proto(room);
        let hidden = DoorFlags::CLOSED.with(DoorFlags::HIDDEN);
        let open =
            proto.exits.iter().zip(&self.room(room).doors).filter(|(e, door)| e.to.is_some() && !door.has(hidden));
        open.map(|(exit, _)| exit.direction.name().into()).collect()
    }

    /// Doors that one sees, open ones too; hidden ones only while they are open.
    fn doors_seen(&self, who: CharacterId) -> Vec<DoorState> {
        if !self.sees_room(who) {
            return Vec::new();
        }
        let room = self.who(who).room;
        let hidden = DoorFlags::CLOSED.with(DoorFlags::HIDDEN);
        let doors = self.room_proto(room).exits.iter().zip(&self.room(room).doors);
        doors
            .filter(|(_, door)| door.has(DoorFlags::DOOR) && !door.has(hidden))
            .map(|(exit, door)| DoorState {
                direction: exit.direction.name().into(),
                closed: door.has(DoorFlags::CLOSED),
                locked: door.has(DoorFlags::LOCKED),
            })
            .collect()
    }

    /// How each door is that one sees, by its direction: `open`, `closed` or `locked`.
    pub fn room_doors(&self, who: CharacterId) -> Ordered<Word> {
        let state = |door: &DoorState| match (door.closed, door.locked) {
            (true, true) => "locked",
            (true, false) => "closed",
            (false, _) => "open",
        };
        Ordered(self.doors_seen(who).into_iter().map(|door| (door.direction.clone(), state(&door).into())).collect())
    }

    /// Words for what the room is like, as far as one sees it: whoever only sees that it is dark reads only that, and
    /// the blind nothing.
    pub fn room_flags_seen(&self, who: CharacterId) -> Vec<&'static str> {
        let room = self.who(who).room;
        let (dark, sees) = (self.is_dark(room), self.sees_room(who));
        let flags = self.room_flags(room);
        let is_so = |name: &str| match name {
            "dark" => dark && !self.who(who).is(AffectFlags::BLIND),
            name => sees && RoomFlags::named(name).is_some_and(|flag| flags.has(flag)),
        };
        ROOM_FLAGS.iter().map(|row| row.name).filter(|name| is_so(name)).collect()
    }

    /// Mobs that one sees, in the order in which targets count them: `SEEN_MAX` of them, the last with a count of the
    /// rest.
    pub fn room_mobs(&self, who: CharacterId) -> Vec<RoomMob> {
        let room = self.who(who).room;
        let dark = self.is_dark(room);
        let everybody = &self.room(room).characters;
        if !everybody.iter().any(|id| self.who(*id).is_mob()) {
            return Vec::new();
        }
        let seen: Vec<CharacterId> =
            everybody.iter().copied().filter(|id| *id == who || self.sees_in(who, *id, dark)).collect();
        let mobs_seen = || seen.iter().map(|id| self.who(*id)).filter(|c| c.is_mob());
        let mut names = TargetNames::of(mobs_seen().take(SEEN_MAX).map(|c| &*c.keywords));
        let mut mobs: Vec<RoomMob> = Vec::new();
        for id in &seen {
            let c = self.who(*id);
            let Some(mob) = c.mob() else {
                names.pass(&c.keywords);
                continue;
            };
            mobs.push(RoomMob {
                name: c.name.clone(),
                instance_id: self.instance_of(*id),
                target_string: names.next(&c.keywords).into(),
                vnum: self.content.mobs[mob.proto as usize].vnum,
                fighting: c.fighting.is_some(),
                fighting_me: c.fighting == Some(who),
                attackable: self.may_attack(who, *id, false).is_ok(),
                more: 0,
            });
            if mobs.len() == SEEN_MAX {
                break;
            }
        }
        if mobs.len() == SEEN_MAX
            && let Some(last) = mobs.last_mut()
        {
            last.more = (mobs_seen().count() - SEEN_MAX) as u32;
        }
        mobs
    }

    /// Things on the floor that one sees, in the order in which targets count them: `SEEN_MAX` of them, the last with
    /// a count of the rest.
    pub fn room_items(&self, who: CharacterId) -> Vec<RoomItem> {
        let room = self.who(who).room;
        let dark = self.is_dark(room);
        let list = &self.room(room).objects;
        let seen: Vec<_> = list.iter().copied().filter(|id| self.sees_object_in(who, *id, dark)).collect();
        let shown = &seen[..seen.len().min(SEEN_MAX)];
        let mut names = TargetNames::of(shown.iter().map(|id| &*self.object(*id).keywords));
        let mut items: Vec<RoomItem> = shown
            .iter()
            .map(|id| {
                let object = self.object(*id);
                RoomItem {
                    name: object.short.clone(),
                    instance_id: self.object_instance_of(*id),
                    target_string: names.next(&object.keywords).into(),
                    vnum: object.vnum,
                    more: 0,
                }
            })
            .collect();
        if let Some(last) = items.last_mut() {
            last.more = (seen.len() - shown.len()) as u32;
        }
        items
    }

    /// What to type for each of a list that somebody has on itself, in order. Empty for what it cannot see, which is
    /// not counted either, as `find_carried` and `find_worn` do.
    fn own_targets(&self, who: CharacterId, list: &[ObjectId]) -> Vec<String> {
        let dark = self.is_dark(self.who(who).room);
        let keywords = |id: &ObjectId| self.sees_object_in(who, *id, dark).then(|| &*self.object(*id).keywords);
        let mut names = TargetNames::of(list.iter().filter_map(keywords));
        list.iter().map(|id| keywords(id).map_or_else(String::new, |keywords| names.next(keywords))).collect()
    }

    /// Things in the hands.
    pub fn inventory_items(&self, who: CharacterId) -> Vec<InventoryItem> {
        let carried = &self.who(who).carrying;
        let targets = self.own_targets(who, carried);
        carried
            .iter()
            .zip(targets)
            .map(|(id, target)| {
                let object = self.object(*id);
                InventoryItem {
                    name: object.short.clone(),
                    vnum: object.vnum,
                    instance_id: self.object_instance_of(*id),
                    target_string: target.into(),
                }
            })
            .collect()
    }

    /// Things worn.
    pub fn equipment_items(&self, who: CharacterId) -> Ordered<EquippedItem> {
        let worn = &self.who(who).worn;
        let targets = self.own_targets(who, &worn.iter().map(|(_, id)| *id).collect::<Vec<_>>());
        let item = |((slot, id), target): (&(WearSlot, ObjectId), String)| {
            let object = self.object(*id);
            let item = EquippedItem {
                name: object.short.clone(),
                vnum: object.vnum,
                instance_id: self.object_instance_of(*id),
                target_string: target.into(),
            };
            (slot.name().into(), item)
        };
        Ordered(worn.iter().zip(targets).map(item).collect())
    }

    /// The `state` frame of a login.
    pub fn state_for(&self, who: CharacterId, token: Option<String>) -> State {
        let c = self.who(who);
        let a = &c.now.abilities;
        let proto = self.room_proto(c.room);
        let sees = self.sees_room(who);
        let dark = self.is_dark(c.room);
        State {
            player: PlayerState {
                name: c.name.clone(),
                health: c.hit,
                max_health: c.now.hit_max,
                level: c.level,
                class: self.rules.class(c.class).label.to_string().into(),
                race: capitalised(self.rules.race_label(c.race)).into(),
                stats: Stats {
                    str: a.strength,
                    int: a.intelligence,
                    wis: a.wisdom,
                    dex: a.dexterity,
                    con: a.constitution,
                    cha: a.charisma,
                },
            },
            room: RoomState {
                vnum: proto.vnum,
                name: self.room_name_for(who),
                description: if sees { proto.description.trim_end().into() } else { "".into() },
                exits: self.exits_seen(who),
                doors: self.doors_seen(who),
                players: self
                    .room(c.room)
                    .characters
                    .iter()
                    .filter(|id| **id != who && self.who(**id).is_player() && self.sees_in(who, **id, dark))
                    .map(|id| self.who(*id).shown().clone())
                    .collect(),
                mobs: self.room_mobs(who).into_iter().map(|m| m.name).collect(),
                items: self.room_items(who).into_iter().map(|i| i.name).collect(),
            },
            token,
            words: Some(Words {
                socials: self.content.socials.iter().map(|social| social.name.clone()).collect(),
                channels: self.content.channels.iter().map(|channel| channel.name.clone()).collect(),
            }),
            valence: c.player().is_some_and(|player| player.valence_off).then_some(false),
            // What a world is known by outside is its host's affair.
            world: None,
            // And so are its connections.
            stream: None,
            resumed: None,
            returned: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::variables::VARIABLES;

    #[test]
    fn every_variable_has_its_row_in_the_documented_order() {
        assert_eq!(VARS.len(), VARIABLES.len());
        for (row, documented) in VARS.iter().zip(VARIABLES) {
            assert_eq!(row.variable, documented.variable);
        }
    }

    #[test]
    fn every_word_of_room_flags_is_a_flag_of_builders() {
        for row in ROOM_FLAGS {
            assert!(RoomFlags::named(row.name).is_some(), "{}", row.name);
        }
    }
}
