//! Saving: characters and what they have become records, and what is stored becomes objects again.

use crate::arena::{CharacterId, ObjectId};
use crate::character::Link;
use crate::mounts;
use crate::object::{Object, Place, coins_in};
use crate::record::{CharacterRecord, ObjectRecord, RECORD_VERSION};
use crate::report::Request;
use crate::world::World;
use content::Text;

impl World {
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
        player.said.clear();
        player.warned_of = None;
        player.legacy_to = None;
        player.snooped_by.clear();
        player.link = Link::Linked;
        player.played_ticks += self.tick() - player.entered_tick.min(self.tick());
        player.entered_tick = 0;
        player.active_tick = 0;
        // Its own animal waits where it waits.
        if let (None, Some(animal)) = (&player.stabled, mounts::own_animal_of(self, who)) {
            player.stabled = mounts::as_stabled(self, animal, None);
        }
        player
            .pets
            .extend(mounts::pets_of(self, who).into_iter().filter_map(|pet| mounts::as_stabled(self, pet, None)));
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
        let object = self.object(object);
        let texts = [object.keywords.clone(), object.short.clone(), object.long.clone()];
        let as_built = self
            .content
            .object(object.vnum)
            .is_some_and(|proto| texts == [proto.keywords.clone(), proto.short.clone(), proto.long.clone()]);
        ObjectRecord {
            vnum: object.vnum,
            texts,
            custom: !as_built,
            kind: object.kind.clone(),
            flags: object.flags,
            wear: object.wear,
            affects: object.affects,
            weight: object.weight,
            cost: object.cost,
            level: object.level,
            timer_hours: object.timer_hours,
            applies: object.applies.clone(),
            contents: object.contents.iter().map(|o| self.pack(*o)).collect(),
        }
    }

    /// A stored thing, nowhere yet. What has lost its prototype keeps the texts that it was stored with.
    pub(crate) fn unpack(&mut self, record: &ObjectRecord) -> ObjectId {
        let [keywords, short, long]: [Text; 3] = match self.content.object(record.vnum) {
            Some(proto) if !record.custom => [proto.keywords.clone(), proto.short.clone(), proto.long.clone()],
            _ => record.texts.clone(),
        };
        let serial = self.next_serial();
        let object = Object {
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
        self.mint(coins_in(&object));
        let object = self.insert_object(object);
        for inner in record.contents.iter().rev() {
            let inner = self.unpack(inner);
            self.place_object(inner, Place::Inside(object));
        }
        object
    }
}
