//! What was built on a plot, as it is remembered by all who saw it.

use super::ONLOOKERS_MAX;
use crate::arena::CharacterId;
use crate::ground::{absent, deed_of, named};
use crate::world::World;
use content::RoomId;
use plot::Built;
use protocol::happening::{Item, Role, TEXT_MAX, What};
use protocol::outcome::Who;

impl World {
    /// `who` built, moved or removed something. `owner`: whoever built it, if that is another one who is here.
    pub(crate) fn record_built(&mut self, who: CharacterId, built: &Built, owner: Option<CharacterId>) {
        let what = self.built_as_known(self.as_known(who), built, owner);
        let room = self.who(who).room;
        let awake = owner.filter(|owner| self.who(*owner).is_awake());
        let occasion = self.occasion(room, [Some(who), awake, None], None);
        self.remember_all(&occasion, &what);
    }

    /// The same where whoever wanted it is not in the room, and perhaps not in the game. Its name is signed below it, so
    /// that everybody who sees the ground knows whose deed it is.
    pub(crate) fn record_built_for(&mut self, room: RoomId, asker: Option<CharacterId>, built: &Built) {
        let doer = asker.map_or_else(|| absent(&built.change.by), |asker| self.as_known(asker));
        let what = self.built_as_known(doer, built, None);
        let mut occasion = self.occasion(room, [None; 3], None);
        let seeing: Vec<CharacterId> =
            occasion.onlookers.iter().copied().filter(|other| self.sees_room(*other)).take(ONLOOKERS_MAX).collect();
        for other in seeing {
            self.remember(&occasion, other, Role::Saw, what.clone(), false);
        }
        if let Some(asker) = asker {
            // It hears of it, and sees nobody there.
            occasion.witnesses.clear();
            self.remember(&occasion, asker, Role::Did, what, false);
        }
    }

    fn built_as_known(&self, who: Who, built: &Built, owner: Option<CharacterId>) -> What {
        let element = &built.element;
        let elsewhere = || element.builder().filter(|by| **by != built.change.by).map(absent);
        let name = format!("{} at {}", named(&element.kind, ""), built.change.deed.at());
        let words: Vec<&str> =
            [&*element.label, &*built.change.why].into_iter().filter(|text| !text.is_empty()).collect();
        What::Built {
            who,
            deed: deed_of(&built.change.deed),
            item: Item { id: "".into(), name: name.into(), vnum: 0, level: 0 },
            owner: owner.map(|owner| self.as_known(owner)).or_else(elsewhere),
            text: words.join(": ").chars().take(TEXT_MAX).collect::<String>().into(),
        }
    }
}
