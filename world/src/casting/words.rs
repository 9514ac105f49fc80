//! What is heard of an art: its words, to those of the same craft; a cipher of them, to all others.

use super::{Casting, Means};
use crate::act::{Audience, Scene};
use crate::arena::CharacterId;
use crate::cipher::cipher;
use crate::effects::working::Aim;
use crate::report::LineKind;
use crate::world::World;
use content::arts::SpellRow;
use protocol::Outcome;
use protocol::outcome::CastResult;
use std::sync::Arc;

impl World {
    /// Everybody in the room hears what is cast, as far as they understand it. What a thing does needs no words: the
    /// name of it is known to all who see it used.
    pub(super) fn tell_words(&mut self, casting: &Casting, result: CastResult) {
        let Casting { by, row, means, aim, .. } = *casting;
        let known = self.told_cast(casting.by, &row.name, means, aim, result);
        let known = self.note(known);
        let mut scene = Scene::new(by, LineKind::Text).outcome(&known);
        if let Aim::Character(who) = aim {
            scene = scene.victim(who);
        }
        let class = self.who(by).class;
        let (begin, at, initiated, others) = match means {
            Means::Spell => {
                let says = |words: &str| format!("$n says, \"{words}\".");
                (format!("You speak the words of {}", row.name), " at $N", says(&row.name), says(&cipher(&row.name)))
            }
            Means::Will => {
                let looks = "$n looks inward.".to_string();
                (format!("You bend your will to {}", row.name), ", and think of $N", looks.clone(), looks)
            }
            Means::Potion | Means::Scroll | Means::Wand | Means::Staff | Means::Tattoo => {
                return self.witness(&scene);
            }
        };
        let at = if matches!(aim, Aim::Character(who) if who != by) { at } else { "" };
        self.show(&scene.clone().audience(Audience::Class(class)), &format!("{begin}{at}."), &initiated, &initiated);
        let unknown = Arc::new(self.told_cast(by, "", means, aim, result));
        self.show(&scene.outcome(&unknown).audience(Audience::OtherThan(class)), "", &others, &others);
    }

    /// It came to nothing before it had begun: which art it would have been only those of the same craft can tell.
    pub(crate) fn tell_failure(&mut self, by: CharacterId, row: &SpellRow, means: Means, aim: Aim) {
        let known = self.told_cast(by, &row.name, means, aim, CastResult::Failed);
        let known = self.note(known);
        let unknown = Arc::new(self.told_cast(by, "", means, aim, CastResult::Failed));
        let class = self.who(by).class;
        let begins = "$n begins something, and loses the thread of it.";
        let mut scene = Scene::new(by, LineKind::Text);
        if let Aim::Character(who) = aim {
            scene = scene.victim(who);
        }
        let initiated = scene.clone().outcome(&known).audience(Audience::Class(class));
        self.show(&initiated, "You lose the thread of it.", begins, begins);
        self.show(&scene.outcome(&unknown).audience(Audience::OtherThan(class)), "", begins, begins);
    }

    fn told_cast(&self, by: CharacterId, spell: &str, means: Means, aim: Aim, result: CastResult) -> Outcome {
        Outcome::Cast {
            caster: self.as_who(by),
            spell: spell.to_string().into(),
            by: means.name().into(),
            result,
            target: aim.character().map(|who| self.as_who(who)),
        }
    }
}
