//! What the edge does with a world: it makes one and gives it inputs. `World::apply` is the only way anything in it
//! changes.
//!
//! The top of the crate: from here an input goes to the verbs, the phases or the gate, and no other module uses this
//! one. Invariant: `apply` is a function of the state and the input. It reads no clock, draws only from `Streams`, and
//! leaves every entity in exactly one place (`World::check` says so).

use crate::act::Scene;
use crate::agent::Epoch;
use crate::arena::CharacterId;
use crate::channel::row::Row;
use crate::character::{Character, Link, PlayerFlags};
use crate::commands;
use crate::edit;
use crate::input::{Admin, Input};
use crate::login::Farewell;
use crate::number::InputNumber;
use crate::phases;
use crate::promotion;
use crate::report::*;
use crate::rng::Occasion;
use crate::room_view::{self, Detail};
use crate::rules::Rules;
use crate::scripts;
use crate::tasks;
use crate::world::{State, World};
use content::Content;
use std::sync::Arc;

impl World {
    /// A world at tick 0 in which every zone has been reset once. `content` must have at least one room.
    pub fn new(content: Arc<Content>, rules: Arc<Rules>, seed: u64) -> World {
        let mut world = World::resume(content.clone(), rules, State::as_built(&content, seed));
        world.streams.begin(Occasion::Tick(0));
        for zone in 0..world.content.zones.len() {
            world.reset_zone(zone);
        }
        world.finish();
        world
    }

    /// Lets a new world go on counting where an earlier one stopped: inputs after `inputs`, serials from `serial` on.
    /// What the new world has made already is numbered anew.
    pub fn renumber(&mut self, inputs: InputNumber, serial: u64) {
        self.state.number = self.state.number.max(inputs);
        if serial <= 1 {
            return;
        }
        let shift = serial - 1;
        for index in 0..self.state.characters.span() {
            if let Some(id) = self.state.characters.id_at(index) {
                self.who_mut(id).serial += shift;
            }
        }
        for index in 0..self.state.objects.span() {
            if let Some(id) = self.state.objects.id_at(index) {
                self.object_mut(id).serial += shift;
            }
        }
        self.state.next_serial += shift;
        self.finish();
    }

    /// Applies one input, and tells what it caused. Never fails: what cannot be done is told to whoever asked.
    pub fn apply(&mut self, input: &Input) -> Report {
        self.state.number += 1;
        scripts::attach(self);
        self.streams.begin(Occasion::Act { actor: 0, before: self.state.acts });
        match input {
            Input::Enter { record, agent } => self.enter(record, *agent),
            Input::Link { who, link, agent } => set_link(self, *who, *link, *agent),
            Input::Command { who, line } => commands::take(self, *who, line),
            Input::Tick => phases::tick(self),
            Input::Admin(admin) => administer(self, admin),
            Input::Edit { by, rows } => edit::apply(self, by, rows),
            Input::Named { person, name, taken, by } => {
                // A name that cannot be given is told to who asked.
                let _told = self.take_name(*person, name, *taken, *by);
            }
            Input::Restore { rows } => restore(self, rows),
            Input::SetValence { who, off } => {
                if let Some(player) = self.state.characters.get_mut(*who).and_then(Character::player_mut) {
                    player.valence_off = *off;
                }
            }
            Input::Found { who, verb, args } => commands::mind::found(self, *who, verb, args),
            Input::KeepTalk { who } => {
                if let Some(player) = self.state.characters.get_mut(*who).and_then(Character::player_mut) {
                    player.flags.insert(PlayerFlags::TRANSCRIPT);
                }
            }
            Input::Window { who, columns } => {
                if let Some(player) = self.state.characters.get_mut(*who).and_then(Character::player_mut) {
                    player.columns = *columns;
                }
            }
        }
        tasks::settle(self);
        // Ticks and commands count their draws themselves.
        if !matches!(input, Input::Tick | Input::Command { .. }) && self.streams.drew() {
            self.state.acts += 1;
        }
        self.finish()
    }
}

/// Takes back what was kept of a world before this one: first who there was, then what they were.
fn restore(world: &mut World, rows: &[Row]) {
    let tick = world.tick();
    let State { channels, agents, .. } = &mut world.state;
    channels.restore(rows, tick);
    let of_agents = rows.iter().filter_map(|row| match row {
        Row::Agent(row) => Some(row),
        _ => None,
    });
    agents.restore(of_agents, |id| channels.person(id).is_some());
    let above = agents.orders().map(|(id, _)| id + 1).max();
    channels.count_from(above.unwrap_or_default(), 0);
    world.restore_plots(rows);
}

fn set_link(world: &mut World, who: CharacterId, link: Link, agent: bool) {
    let Some(character) = world.state.characters.get_mut(who) else { return };
    let Some(player) = character.player_mut() else { return };
    let was_lost = matches!(player.link, Link::Lost { .. });
    player.link = link;
    if link == Link::Linked {
        player.agent = agent;
        // What it came back with says for itself how wide its window is.
        player.columns = None;
    }
    if let Some(person) = player.person {
        world.link_changed(person, link, agent);
    }
    world.who_list = None;
    let scene = Scene::new(who, LineKind::Text);
    match link {
        Link::Linked if was_lost => {
            world.show(&scene, "", "", "$n stirs and looks about.");
            world.tell_restraints(who);
            commands::settings::tell_missed(world, who);
            world.tell_unread(who);
            stay_among_people(world, who);
        }
        Link::Lost { .. } => world.show(&scene, "", "", "$n's eyes lose their focus."),
        Link::Linked => {
            world.tell_restraints(who);
            stay_among_people(world, who);
        }
    }
}

/// Where somebody was who comes back as a program, only people may be.
fn stay_among_people(world: &mut World, who: CharacterId) {
    if world.leave_to_people(who) {
        world.send(who, LineKind::Text, "Only people are let in where you were.");
        room_view::show_room(world, who, Detail::Full);
    }
}

/// What the operator asks for.
fn administer(world: &mut World, admin: &Admin) {
    match admin {
        Admin::Place { who, room } => {
            let Some(room) = world.content.room_id(*room) else { return };
            if world.state.characters.get(*who).is_some() {
                world.move_character(*who, room);
                room_view::show_room(world, *who, Detail::Full);
            }
        }
        Admin::Promote { who, level } => {
            if world.state.characters.get(*who).is_some() {
                promotion::promote(world, *who, *level, None);
            }
        }
        Admin::Remove { who, reason } => {
            if world.state.characters.get(*who).is_some_and(Character::is_player) {
                world.send(*who, LineKind::Broadcast, reason.clone());
                world.leave(*who, Goodbye::Removed, Farewell::Shown);
            }
        }
        Admin::Post { channel, text } => {
            if let Err(refusal) = world.post_from_above(*channel, text) {
                world.report.refused = Some(refusal.0.to_string());
            }
        }
        Admin::Forget { name } => world.forget_person(name),
        Admin::Announce { text } => {
            let players: Vec<CharacterId> = world.state.players.values().copied().collect();
            let line = Arc::new(Line { kind: LineKind::Broadcast, text: text.clone(), ..Line::default() });
            for player in players {
                world.send_line(player, line.clone());
            }
        }
        Admin::Agent { who, owner, terms } => world.take_terms(who, owner.as_ref(), terms),
        Admin::Scripts { sources } => {
            let changed = world.state.scripts.differences(sources);
            world.state.scripts.replace(sources);
            let named = if changed.is_empty() { "nothing changed".to_string() } else { changed.join(", ") };
            world.request(Request::Log { text: format!("scripts were read: {named}") });
        }
        Admin::Load { draw, faces, who } => {
            let whose = who.map(|who| world.character(who).map(|character| character.serial));
            // For somebody who is gone nothing waits.
            if whose != Some(None) {
                world.state.loaded.load(*draw, faces, whose.flatten());
            }
        }
        Admin::AgentMade { id, name } => world.agent_made(*id, name),
        Admin::Started { unix_ms, tick_ms, agents_per_owner } => {
            world.state.agents.per_owner = Some(*agents_per_owner);
            let epoch = Epoch { tick: world.tick(), unix_ms: *unix_ms, tick_ms: *tick_ms };
            world.state.agents.epoch = Some(epoch);
            for person in world.state.agents.wake_by_calendar(epoch) {
                world.agent_changed(person);
            }
        }
        Admin::Crown { who } => {
            let person = world.state.channels.admit(&who.name, None, who.person);
            world.crown(person);
        }
        Admin::SaveAll => {
            let players: Vec<CharacterId> = world.state.players.values().copied().collect();
            for player in players {
                world.save(player);
            }
        }
    }
}
