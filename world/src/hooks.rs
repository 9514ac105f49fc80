//! Where the game asks scripts: each place says what happens, and whether a script prevented it comes back.
//!
//! What runs a script uses verbs, which stand far above the places that ask; so it is handed in from the top of the
//! crate (`world::Runner`). Invariants: where no script has a hook, asking costs a comparison; whoever asks looks
//! afterwards whether those it goes on with are still there.

use crate::arena::{CharacterId, ObjectId};
use crate::script::{Event, Owner};
use crate::world::World;
use content::scripts::{Hook, OwnerKind};
use content::{RoomId, Text, Vnum};

/// Scripts within scripts: a hook that a script's own deed would call is not called any deeper.
pub const DEPTH_MAX: u8 = 4;

impl World {
    /// Calls the scripts of the event's owner, in the order of its row. True when one of them prevents it.
    pub(crate) fn fire(&mut self, event: &Event) -> bool {
        if !self.state.scripts.any_has(event.hook) {
            return false;
        }
        let (Some(run), Some((kind, vnum))) = (self.runner.run, self.row_of(event.owner)) else { return false };
        if self.runner.depth >= DEPTH_MAX {
            return false;
        }
        let content = self.content.clone();
        for name in content.scripts_of(kind, vnum) {
            let Some(source) = self.state.scripts.runnable(name, event.hook).cloned() else { continue };
            if run(self, event, &source) {
                return true;
            }
            if self.row_of(event.owner).is_none() {
                return false;
            }
        }
        false
    }

    /// The timer of one script.
    pub(crate) fn fire_timer(&mut self, script: &Text, event: &Event) {
        let Some(run) = self.runner.run.filter(|_| self.row_of(event.owner).is_some()) else { return };
        if let Some(source) = self.state.scripts.runnable(script, event.hook).cloned() {
            run(self, event, &source);
        }
    }

    /// The row that an owner was made from; none when it is gone.
    fn row_of(&self, owner: Owner) -> Option<(OwnerKind, Vnum)> {
        match owner {
            Owner::Mob(id) => {
                self.character(id)?;
                Some((OwnerKind::Mob, self.mob_proto(id)?.vnum))
            }
            Owner::Object(id) => Some((OwnerKind::Object, self.get_object(id)?.vnum)),
            Owner::Room(vnum) => self.content.room_id(vnum).map(|_| (OwnerKind::Room, vnum)),
        }
    }

    /// Whether a row of that kind and number has a script with that hook at all.
    fn has_hook(&self, kind: OwnerKind, vnum: Vnum, hook: Hook) -> bool {
        let names = self.content.scripts_of(kind, vnum);
        names.iter().any(|name| self.state.scripts.runnable(name, hook).is_some())
    }

    /// Whether a mob has a script of its own for such an event.
    pub(crate) fn hears(&self, mob: CharacterId, hook: Hook) -> bool {
        self.mob_proto(mob).is_some_and(|proto| self.has_hook(OwnerKind::Mob, proto.vnum, hook))
    }

    /// Somebody walked into a room: the room first, then those who see it, in the order in which they came.
    pub(crate) fn fire_arrival(&mut self, who: CharacterId) {
        if !self.state.scripts.any_has(Hook::Enter) && !self.state.scripts.any_has(Hook::Greet) {
            return;
        }
        let room = self.who(who).room;
        // A thousand mobs wander in each round where nobody is.
        if !self.is_watched(room) {
            return;
        }
        let event = |hook, owner| Event { actor: Some(who), ..Event::new(hook, owner) };
        self.fire(&event(Hook::Enter, Owner::Room(self.room_proto(room).vnum)));
        let here = |world: &World| world.character(who).is_some_and(|c| c.room == room);
        if !self.state.scripts.any_has(Hook::Greet) || !here(self) {
            return;
        }
        for mob in self.mobs_with(room, Hook::Greet) {
            let there = mob != who && self.character(mob).is_some_and(|c| c.room == room && c.is_awake());
            if there && here(self) && self.sees(mob, who) {
                self.fire(&event(Hook::Greet, Owner::Mob(mob)));
            }
        }
    }

    /// Mobs in a room that have a hook, in the order in which they came.
    fn mobs_with(&self, room: RoomId, hook: Hook) -> Vec<CharacterId> {
        let has = |id: &CharacterId| self.mob_proto(*id).is_some_and(|p| self.has_hook(OwnerKind::Mob, p.vnum, hook));
        self.room(room).characters.iter().copied().filter(has).collect()
    }

    /// A player typed something: the room, what it wears, what it carries, the mobs there, what lies there. True when
    /// one of them swallows it.
    pub(crate) fn fire_command(&mut self, who: CharacterId, word: &str, args: &str) -> bool {
        let hook = Hook::OnCmd;
        if !self.state.scripts.any_has(hook) || !self.who(who).is_player() {
            return false;
        }
        let c = self.who(who);
        let room = c.room;
        let things = c.worn.iter().map(|(_, o)| *o).chain(c.carrying.iter().copied());
        let thing = |object: &ObjectId| self.has_hook(OwnerKind::Object, self.object(*object).vnum, hook);
        let vnum = self.room_proto(room).vnum;
        let mut owners: Vec<Owner> = Vec::new();
        owners.extend(self.has_hook(OwnerKind::Room, vnum, hook).then_some(Owner::Room(vnum)));
        owners.extend(things.filter(thing).map(Owner::Object));
        owners.extend(self.mobs_with(room, hook).into_iter().map(Owner::Mob));
        owners.extend(self.room(room).objects.iter().copied().filter(thing).map(Owner::Object));
        if owners.is_empty() {
            return false;
        }
        let line = if args.is_empty() { word.to_string() } else { format!("{word} {args}") };
        owners.into_iter().any(|owner| {
            let stays = self.character(who).is_some_and(|c| c.room == room);
            // Whoever was taken elsewhere by one of them has done what it could here.
            !stays || self.fire(&Event { actor: Some(who), text: &line, ..Event::new(hook, owner) })
        })
    }
}
