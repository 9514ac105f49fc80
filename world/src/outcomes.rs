//! Outcomes: how the world names actors and things in them, and how they get into the report.

use crate::arena::{CharacterId, ObjectId};
use crate::world::World;
use protocol::instance::{mob_instance, obj_instance, player_instance};
use protocol::outcome::{ObjectRef, Outcome, Who, WhoKind};
use std::sync::Arc;

impl World {
    /// `mob_3001_17` or `player_bob`.
    pub fn instance_of(&self, who: CharacterId) -> Arc<str> {
        let character = self.who(who);
        let made = || match self.mob_proto(who) {
            Some(proto) => mob_instance(proto.vnum, character.serial),
            None => player_instance(&character.name),
        };
        character.instance.get_or_init(made).clone()
    }

    /// `obj_1205_18`.
    pub fn object_instance_of(&self, object: ObjectId) -> Arc<str> {
        let object = self.object(object);
        obj_instance(object.vnum, object.serial)
    }

    /// By its true name; who cannot see it is told less, where the outcome is handed out.
    pub fn as_who(&self, who: CharacterId) -> Who {
        let character = self.who(who);
        Who {
            id: self.instance_of(who),
            name: character.shown().clone(),
            kind: if character.is_player() { WhoKind::Player } else { WhoKind::Mob },
            level: character.level.clamp(0, i32::from(u16::MAX)) as u16,
        }
    }

    /// The same for what is remembered, which goes by the name that never changes.
    pub fn as_known(&self, who: CharacterId) -> Who {
        Who { name: self.who(who).name.clone(), ..self.as_who(who) }
    }

    pub fn as_object_ref(&self, object: ObjectId) -> ObjectRef {
        let o = self.object(object);
        ObjectRef { instance_id: self.object_instance_of(object), name: o.short.clone(), vnum: o.vnum }
    }

    /// Notes an outcome for the records and hands it back for the lines that tell it.
    pub fn note(&mut self, outcome: Outcome) -> Arc<Outcome> {
        let outcome = Arc::new(outcome);
        self.report.outcomes.push(outcome.clone());
        outcome
    }
}
