//! Doors as somebody moves them, and those on both sides who read and remember it. Who may is asked by whoever calls:
//! the verbs in `commands/travel.rs`, hunters in `hunting.rs`.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::doors::door_word;
use crate::report::LineKind;
use crate::world::World;
use content::flags::DoorFlags;
use content::words::Direction;
use protocol::Outcome;
use protocol::outcome::DoorChange;

/// What somebody does to a door or a lid, and what others see it do.
pub const fn verbs_of(change: DoorChange) -> (&'static str, &'static str) {
    match change {
        DoorChange::Opened => ("open", "opens"),
        DoorChange::Closed => ("close", "closes"),
        DoorChange::Locked => ("lock", "locks"),
        DoorChange::Unlocked => ("unlock", "unlocks"),
    }
}

impl World {
    /// Somebody opens, closes, locks or unlocks the door of its room on that side.
    pub(crate) fn move_door(&mut self, who: CharacterId, way: Direction, change: DoorChange) {
        let room = self.who(who).room;
        let Some(index) = self.exit_index(room, way) else { return };
        let exit = &self.room_proto(room).exits[index];
        let (name, other) = (door_word(&exit.keywords).to_string(), exit.to);
        let hidden = self.door(room, way).has(DoorFlags::HIDDEN);
        self.set_door(room, way, change != DoorChange::Opened, change == DoorChange::Locked);
        let outcome =
            self.note(Outcome::Door { who: Some(self.as_who(who)), direction: way.name().into(), state: change });
        self.record_door(room, way, Some(who), change);
        let scene = Scene::new(who, LineKind::Door).text(&name).outcome(&outcome);
        let found = if hidden { " It was well hidden." } else { "" };
        let (verb, verbs) = verbs_of(change);
        self.show(&scene, &format!("You {verb} the $t.{found}"), "", &format!("$n {verbs} the $t."));
        let told = match change {
            DoorChange::Opened => "The $t is opened from the other side.",
            DoorChange::Closed => "The $t is closed from the other side.",
            DoorChange::Locked | DoorChange::Unlocked => return,
        };
        // On the other side nobody sees who did it.
        if let Some(other) = other.and_then(|vnum| self.content.room_id(vnum))
            && other != room
            && self.exit_index(other, way.opposite()).is_some()
        {
            let outcome =
                self.note(Outcome::Door { who: None, direction: way.opposite().name().into(), state: change });
            self.record_door(other, way.opposite(), None, change);
            let scene = Scene::new(who, LineKind::Door).text(&name).outcome(&outcome);
            self.show_in(&scene, other, told);
        }
    }
}
