//! Coming into the world and leaving it: a player logs in and its record becomes a character; it leaves, saved.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::*;
use crate::coins::lay_down_all;
use crate::mounts;
use crate::muting::MUTE_TICKS_MAX;
use crate::object::Place;
use crate::record::CharacterRecord;
use crate::report::{Goodbye, LineKind, Request};
use crate::room_view::{self, Detail};
use crate::world::World;
use content::words::*;
use std::sync::OnceLock;

/// What those who stay learn of a parting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Farewell {
    Shown,
    /// So many leave at once that the caller tells their number.
    Counted,
}

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
        // Ticks of another world may be far ahead of this one's.
        player.muted_until = player.muted_until.map(|until| until.min(self.tick() + MUTE_TICKS_MAX));
        player.take_up_old_mutes();
        player.agent = agent;
        player.columns = None;
        player.link = Link::Linked;
        player.entered_tick = self.tick();
        player.active_tick = self.tick();
        player.queue.clear();
        player.said.clear();
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
            felled_by: None,
            fight_cause: None,
            leader: None,
            followers: Vec::new(),
            grouped: false,
            free_tick: 0,
            warded: 0,
            rides: None,
            instance: OnceLock::new(),
        });
        self.state.players.insert(record.name.to_ascii_lowercase().into(), id);
        self.admit(id);
        self.who_list = None;
        self.report.entered = Some(id);
        // The last one put in is shown first.
        for item in record.carrying.iter().rev() {
            let object = self.unpack(item);
            self.place_object(object, Place::Carried(id));
        }
        for (slot, item) in &record.worn {
            let object = self.unpack(item);
            let free = self.who(id).wears(*slot).is_none();
            self.place_object(object, if free { Place::Worn(id, *slot) } else { Place::Carried(id) });
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
        self.leave_to_people(id);
        self.record_arrival(id, None);
        let outcome = self.note(protocol::Outcome::Entered { who: self.as_who(id), from: None });
        let scene = Scene::new(id, LineKind::Enter).outcome(&outcome);
        let content = self.content.clone();
        let voice = if newborn { &*content.sentences.born } else { "$n has come back into the world." };
        self.show(&scene, "", "", voice);
        room_view::show_room(self, id, Detail::Full);
        let waiting = record.player.stabled.as_ref().filter(|waiting| waiting.since_tick.is_none());
        if let Some(waiting) = waiting {
            self.player_mut(id).stabled = None;
            self.bring_animal(id, waiting);
        }
        for waiting in std::mem::take(&mut self.player_mut(id).pets) {
            self.bring_pet(id, &waiting);
        }
        self.tell_restraints(id);
        self.return_unsaid(id);
        self.tell_unread(id);
        self.tell_requests(id);
        self.save(id);
    }

    /// A program that takes up a character where only people go finds itself where everybody begins.
    pub(crate) fn leave_to_people(&mut self, who: CharacterId) -> bool {
        let leaves = self.is_for_people_only(who, self.who(who).room);
        if leaves {
            let start = self.start_room();
            self.stop_fights_of(who);
            self.move_character(who, start);
        }
        leaves
    }

    /// What a newcomer of its class starts with. The source of the kit is `data/rules/rules.toml`.
    fn hand_out_kit(&mut self, who: CharacterId) {
        let kit = self.rules.class(self.who(who).class).kit.clone();
        for vnum in kit.into_iter().rev() {
            if let Some(object) = self.make_object(vnum) {
                self.place_object(object, Place::Carried(who));
            }
        }
    }

    /// Who leaves the world takes its own animals along: they come again with their owner. What they were given stays.
    pub(crate) fn take_animals_along(&mut self, who: CharacterId) {
        let has_none_waiting = self.who(who).player().is_some_and(|player| player.stabled.is_none());
        if let Some(animal) = mounts::own_animal_of(self, who).filter(|_| has_none_waiting) {
            self.player_mut(who).stabled = mounts::as_stabled(self, animal, None);
            self.take_along(who, animal);
        }
        for pet in mounts::pets_of(self, who) {
            let waiting = mounts::as_stabled(self, pet, None);
            self.player_mut(who).pets.extend(waiting);
            self.take_along(who, pet);
        }
    }

    /// One that has been written down with its owner leaves the world.
    fn take_along(&mut self, who: CharacterId, animal: CharacterId) {
        let scene = Scene::new(animal, LineKind::Leave).victim(who).hidden();
        self.show(&scene, "", "$n goes with you, and comes back with you.", "$n goes with $N.");
        lay_down_all(self, animal);
        self.unlink_follower(animal);
        self.extract_character(animal);
    }

    /// Takes a player out of the world, saved.
    pub(crate) fn leave(&mut self, who: CharacterId, reason: Goodbye, farewell: Farewell) {
        self.take_animals_along(who);
        // First, so that what is remembered of the parting has its number in the save.
        self.part_ways(who);
        self.depart(who);
        if let Some(record) = self.record_of(who) {
            self.report.requests.push(Request::Save { record: Box::new(record), left: true });
        }
        let outcome = self.note(protocol::Outcome::Left { who: self.as_who(who), to: None });
        self.note_parting(who);
        if farewell == Farewell::Shown {
            let scene = Scene::new(who, LineKind::Leave).outcome(&outcome);
            self.show(&scene, "", "", "$n has left the world.");
        }
        self.extract_character(who);
        self.report.requests.push(Request::Disconnect { who, reason });
    }
}
