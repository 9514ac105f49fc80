//! What was built on a plot, as it is remembered by all who saw it.

use super::ONLOOKERS_MAX;
use crate::arena::CharacterId;
use crate::ground::{absent, deed_of, named};
use crate::world::World;
use content::RoomId;
use plot::{Built, Plan, PlanStatus};
use protocol::happening::{Item, Role, TEXT_MAX, What};
use protocol::outcome::Who;

impl World {
    /// `who` built, moved or removed something. `sufferer`: whoever built it, if that is another one who is here and
    /// did not agree to it. Whoever agreed looks on as all others do.
    pub(crate) fn record_built(&mut self, who: CharacterId, built: &Built, sufferer: Option<CharacterId>) {
        let what = self.built_as_known(self.as_known(who), built, sufferer);
        let room = self.who(who).room;
        let awake = sufferer.filter(|sufferer| self.who(*sufferer).is_awake());
        let occasion = self.occasion(room, [Some(who), awake, None], None);
        self.remember_all(&occasion, &what);
    }

    /// The same where whoever wanted it is not in the room, and perhaps not in the game. Its name is signed below it,
    /// so that everybody who sees the ground knows whose deed it is.
    pub(crate) fn record_built_for(
        &mut self,
        room: RoomId,
        asker: Option<CharacterId>,
        built: &Built,
        sufferer: Option<CharacterId>,
    ) {
        let doer = asker.map_or_else(|| absent(&built.change.by), |asker| self.as_known(asker));
        let what = self.built_as_known(doer, built, sufferer);
        let mut occasion = self.occasion(room, [None; 3], None);
        let seeing: Vec<CharacterId> =
            occasion.onlookers.iter().copied().filter(|other| self.sees_room(*other)).take(ONLOOKERS_MAX).collect();
        for other in seeing {
            let role = if Some(other) == sufferer { Role::Suffered } else { Role::Saw };
            self.remember(&occasion, other, role, what.clone(), false);
        }
        if let Some(asker) = asker {
            // It hears of it, and sees nobody there.
            occasion.witnesses.clear();
            self.remember(&occasion, asker, Role::Did, what, false);
        }
    }

    /// A plan of `who` for the plot where it stands has ended. Others may know of it; nobody saw it.
    pub(crate) fn record_plan(&mut self, who: CharacterId, plan: &Plan) {
        let me = self.who(who);
        let dark = self.is_dark(me.room);
        let mut others = self.room(me.room).characters.iter().filter(|other| **other != who && self.is_player(**other));
        let what = What::PlanEnded {
            who: self.as_known(who),
            plan: plan.text.chars().take(TEXT_MAX).collect::<String>().into(),
            done: plan.status == PlanStatus::Done,
            steps: plan.steps.len() as u32,
            ticked: plan.steps.iter().filter(|step| step.done).count() as u32,
            shared: plan.steps.iter().any(|step| plot::is_anothers(&step.meant, &me.name)),
            company: me.is_awake().then(|| others.any(|other| self.sees_in(who, *other, dark))),
        };
        let occasion = self.private(who, None, None);
        self.remember(&occasion, who, Role::Did, what, false);
    }

    fn built_as_known(&self, who: Who, built: &Built, sufferer: Option<CharacterId>) -> What {
        let element = &built.element;
        let owner = || element.builder().filter(|by| **by != built.change.by).map(absent);
        let name = format!("{} at {}", named(&element.kind, ""), built.change.deed.at());
        let words: Vec<&str> =
            [&*element.label, &*built.change.why].into_iter().filter(|text| !text.is_empty()).collect();
        What::Built {
            who,
            deed: deed_of(&built.change.deed),
            item: Item { id: "".into(), name: name.into(), vnum: 0, level: 0 },
            owner: sufferer.map(|sufferer| self.as_known(sufferer)).or_else(owner),
            text: words.join(": ").chars().take(TEXT_MAX).collect::<String>().into(),
        }
    }
}
