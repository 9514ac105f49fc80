//! Coming into the world and leaving it: records become characters and characters become records.

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::character::*;
use crate::commands::looking;
use crate::object::coins_in;
use crate::object::{Object, Place};
use crate::record::{CharacterRecord, ObjectRecord, RECORD_VERSION};
use crate::report::{Goodbye, LineKind, Request};
use crate::world::World;
use content::Text;
use content::words::*;
use std::sync::OnceLock;

impl World {
    pub(crate) fn enter(&mut self, record: &CharacterRecord, agent: bool) {
        if let Some(there) = self.find_player(&record.name) {
            self.report.entered = Some(there);
            return;
        }
        let newborn = record.room.is_none();
        let room = record.room.and_then(|vnum| self.content.room_id(vnum)).unwrap_or_else(|| self.start_room());
        let serial = self.next_serial();
        let mut player = record.player.clone();
        player.take_up_old_mutes();
        player.agent = agent;
        player.link = Link::Linked;
        player.entered_tick = self.tick();
        player.active_tick = self.tick();
        player.queue.clear();
        player.snooped_by.clear();
        let id = self.insert_character(Character {
            serial,
            name: record.name.clone(),
            keywords: record.name.to_ascii_lowercase().into(),
            kind: Kind::Player(Box::new(player)),
            room,
            position: match record.position {
                Position::Fighting => Position::Standing,
                position => position.max(Position::Sleeping),
            },
            sex: record.sex,
            race: record.race,
            class: record.class,
            level: record.level,
            alignment: record.alignment,
            gold: record.gold,
            hit: record.hit.max(1),
            mana: record.mana,
            moves: record.moves,
            base: record.base,
            now: record.base,
            affects: record.affects.clone(),
            carrying: Vec::new(),
            worn: Vec::new(),
            fighting: None,
            leader: None,
            followers: Vec::new(),
            grouped: false,
            free_tick: 0,
            instance: OnceLock::new(),
        });
        self.state.players.insert(record.name.to_ascii_lowercase().into(), id);
        self.who_list = None;
        self.report.entered = Some(id);
        // The last one put in is shown first.
        for item in record.carrying.iter().rev() {
            let thing = self.unpack(item);
            self.place_object(thing, Place::Carried(id));
        }
        for (slot, item) in &record.worn {
            let thing = self.unpack(item);
            let free = self.who(id).wears(*slot).is_none();
            self.place_object(thing, if free { Place::Worn(id, *slot) } else { Place::Carried(id) });
        }
        if newborn {
            self.hand_out_kit(id);
        }
        self.recompute(id);
        // Equipment may raise the maxima after the points were cut to the bare ones.
        let character = self.who_mut(id);
        character.hit = record.hit.clamp(1, character.now.hit_max);
        character.mana = record.mana.clamp(0, character.now.mana_max);
        character.moves = record.moves.clamp(0, character.now.move_max);
        self.record_arrival(id, None);
        let outcome = self.note(protocol::Outcome::Entered { who: self.as_who(id), from: None });
        let scene = Scene::new(id, LineKind::Enter).outcome(&outcome);
        let content = self.content.clone();
        let voice = if newborn { &*content.sentences.born } else { "$n has come back into the world." };
        self.show(&scene, "", "", voice);
        looking::show_room(self, id, false);
        self.save(id);
    }

    /// What a newcomer of its class starts with. The source of the kit is `data/rules/rules.toml`.
    fn hand_out_kit(&mut self, who: CharacterId) {
        let kit = self.rules.class(self.who(who).class).kit.clone();
        for vnum in kit.into_iter().rev() {
            if let Some(thing) = self.make_object(vnum) {
                self.place_object(thing, Place::Carried(who));
            }
        }
    }

    /// Takes a player out of the world, saved.
    pub(crate) fn leave(&mut self, who: CharacterId, reason: Goodbye) {
        // First, so that what is remembered of the parting has its number in the save.
        self.part_ways(who);
        if let Some(record) = self.record_of(who) {
            self.report.requests.push(Request::Save { record: Box::new(record), left: true });
        }
        let outcome = self.note(protocol::Outcome::Left { who: self.as_who(who), to: None });
        self.note_parting(who);
        let scene = Scene::new(who, LineKind::Leave).outcome(&outcome);
        self.show(&scene, "", "", "$n has left the world.");
        self.extract_character(who);
        self.report.requests.push(Request::Disconnect { who, reason });
    }

    /// Asks the edge to write the character as it is now.
    pub fn save(&mut self, who: CharacterId) {
        if let Some(record) = self.record_of(who) {
            self.report.requests.push(Request::Save { record: Box::new(record), left: false });
        }
    }

    /// The whole character, as it is stored. `None` for mobs and stale ids.
    pub fn record_of(&self, who: CharacterId) -> Option<CharacterRecord> {
        let character = self.character(who)?;
        let mut player = character.player()?.clone();
        player.queue.clear();
        player.snooped_by.clear();
        player.link = Link::Linked;
        player.played_ticks += self.tick() - player.entered_tick.min(self.tick());
        player.entered_tick = 0;
        player.active_tick = 0;
        Some(CharacterRecord {
            version: RECORD_VERSION,
            name: character.name.clone(),
            room: Some(self.room_proto(character.room).vnum),
            position: character.position,
            sex: character.sex,
            race: character.race,
            class: character.class,
            level: character.level,
            alignment: character.alignment,
            gold: character.gold,
            hit: character.hit,
            mana: character.mana,
            moves: character.moves,
            base: character.base,
            affects: character.affects.clone(),
            player,
            carrying: character.carrying.iter().map(|o| self.pack(*o)).collect(),
            worn: character.worn.iter().map(|(slot, o)| (*slot, self.pack(*o))).collect(),
        })
    }

    /// A thing as it is stored, with everything in it.
    pub(crate) fn pack(&self, object: ObjectId) -> ObjectRecord {
        let thing = self.thing(object);
        let texts = [thing.keywords.clone(), thing.short.clone(), thing.long.clone()];
        let as_built = self
            .content
            .object(thing.vnum)
            .is_some_and(|proto| texts == [proto.keywords.clone(), proto.short.clone(), proto.long.clone()]);
        ObjectRecord {
            vnum: thing.vnum,
            texts,
            custom: !as_built,
            kind: thing.kind.clone(),
            flags: thing.flags,
            wear: thing.wear,
            affects: thing.affects,
            weight: thing.weight,
            cost: thing.cost,
            level: thing.level,
            timer_hours: thing.timer_hours,
            applies: thing.applies.clone(),
            contents: thing.contents.iter().map(|o| self.pack(*o)).collect(),
        }
    }

    /// A stored thing, nowhere yet. What has lost its prototype keeps the texts that it was stored with.
    fn unpack(&mut self, record: &ObjectRecord) -> ObjectId {
        let [keywords, short, long]: [Text; 3] = match self.content.object(record.vnum) {
            Some(proto) if !record.custom => [proto.keywords.clone(), proto.short.clone(), proto.long.clone()],
            _ => record.texts.clone(),
        };
        let serial = self.next_serial();
        let thing = Object {
            serial,
            vnum: record.vnum,
            keywords,
            short,
            long,
            kind: record.kind.clone(),
            flags: record.flags,
            wear: record.wear,
            affects: record.affects,
            weight: record.weight,
            cost: record.cost,
            level: record.level,
            timer_hours: record.timer_hours,
            applies: record.applies.clone(),
            place: Place::Nowhere,
            contents: Vec::new(),
        };
        self.mint(coins_in(&thing));
        let thing = self.insert_object(thing);
        for inner in record.contents.iter().rev() {
            let inner = self.unpack(inner);
            self.place_object(inner, Place::Inside(thing));
        }
        thing
    }
}
