//! What was built on a plot, as it is remembered by all who saw it.

use crate::arena::CharacterId;
use crate::ground::{deed_of, named};
use crate::world::World;
use plot::Built;
use protocol::happening::{Item, TEXT_MAX, What};
use protocol::instance::player_instance;
use protocol::outcome::{Who, WhoKind};

impl World {
    /// `who` built, moved or removed something. `owner`: whoever built it, if that is another one who is here.
    pub(crate) fn record_built(&mut self, who: CharacterId, built: &Built, owner: Option<CharacterId>) {
        let element = &built.element;
        let absent = || {
            let name = element.builder().filter(|by| **by != built.change.by)?;
            Some(Who { id: player_instance(name), name: name.clone(), kind: WhoKind::Player, level: 0 })
        };
        let name = format!("{} at {}", named(&element.kind, ""), built.change.deed.at());
        let words: Vec<&str> =
            [&*element.label, &*built.change.why].into_iter().filter(|text| !text.is_empty()).collect();
        let what = What::Built {
            who: self.as_known(who),
            deed: deed_of(&built.change.deed),
            item: Item { id: "".into(), name: name.into(), vnum: 0, level: 0 },
            owner: owner.map(|owner| self.as_known(owner)).or_else(absent),
            text: words.join(": ").chars().take(TEXT_MAX).collect::<String>().into(),
        };
        let room = self.who(who).room;
        let awake = owner.filter(|owner| self.who(*owner).is_awake());
        let occasion = self.occasion(room, [Some(who), awake, None], None);
        self.remember_all(&occasion, &what);
    }
}
