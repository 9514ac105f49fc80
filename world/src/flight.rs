//! Running from a fight, of one's own will or because one is wimpy.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::refusal::Done;
use crate::report::{Line, LineKind};
use crate::rng::Stream;
use crate::world::World;
use content::flags::*;
use content::words::*;
use protocol::Outcome;
use std::sync::Arc;

/// How often a fleeing character tries a direction before it gives up.
const TRIES: usize = 6;

impl World {
    /// A wounded character runs when it is wimpy. Source: game reference §2.4.
    pub(crate) fn consider_fleeing(&mut self, who: CharacterId) {
        let c = self.who(who);
        if c.fighting.is_none() {
            return;
        }
        let scared = match c.player() {
            Some(player) => player.wimpy > 0 && c.hit < player.wimpy,
            None => c.mob_flags().has(MobFlags::WIMPY) && c.hit < c.now.hit_max / 4,
        };
        if scared {
            if c.is_player() {
                self.send(who, LineKind::Flee, "You have had enough, and look for a way out!");
            }
            // Cornered: the fight goes on; the character was told so by `flee`.
            if let Err(refusal) = self.flee(who) {
                self.send(who, LineKind::Flee, refusal.0);
            }
        }
    }

    /// Runs through a random open way. Costs experience when somebody was being fought.
    pub fn flee(&mut self, who: CharacterId) -> Done {
        self.run_away(who, true)
    }

    /// The same in good order, which costs nothing.
    pub fn fall_back(&mut self, who: CharacterId) -> Done {
        self.run_away(who, false)
    }

    fn run_away(&mut self, who: CharacterId, costs: bool) -> Done {
        let c = self.who(who);
        if c.position < Position::Fighting {
            return Err("You cannot run like this. Get up first.".into());
        }
        let opponent = c.fighting;
        let hp_percent = (c.hit.max(0) * 100 / c.now.hit_max.max(1)).min(100) as u8;
        for _ in 0..TRIES {
            let way = *self.draw_for(who, Stream::Command, Draw::Flee).pick(Direction::ALL).expect("there are six");
            if !self.can_flee(who, way) {
                continue;
            }
            let from = self.who(who).room;
            let scene = Scene::new(who, LineKind::Flee);
            self.show(&scene, "", "", "$n turns and runs for it!");
            // Nothing that `can_flee` has not asked can hold it back, and those who see it run are still beside it.
            self.record_flight(who, opponent, hp_percent);
            if self.walk(who, way, true).is_err() {
                continue;
            }
            // Where it came to it may have found its end.
            if self.character(who).is_none() {
                return Ok(());
            }
            let outcome =
                self.note(Outcome::Fled { who: self.as_who(who), hp_percent, direction: Some(way.name().into()) });
            if self.who(who).room == from {
                return Ok(());
            }
            if costs
                && let Some(opponent) = opponent
                && self.who(who).is_player()
                && let Some(o) = self.character(opponent)
            {
                let level = self.who(who).level;
                let mut loss = (o.now.hit_max - o.hit).max(0) * o.level;
                if level > 10 {
                    loss += 500 * level * 10 / 26;
                }
                self.lose_experience(who, loss);
            }
            let text = format!("You ran {way}, and did not look back.");
            let line = Line { kind: LineKind::Flee, text, outcome: Some(outcome), ..Line::default() };
            self.send_line(who, Arc::new(line));
            return Ok(());
        }
        let scene = Scene::new(who, LineKind::Flee);
        if Direction::ALL.iter().any(|way| self.can_flee(who, *way)) {
            self.show(&scene, "", "", "$n looks wildly about, and finds no way out!");
            return Err("You look for a way out, and find none in time!".into());
        }
        self.show(&scene, "", "", "$n looks wildly about, but there is no way out!");
        Err("There is no way out!".into())
    }

    fn can_flee(&self, who: CharacterId, way: Direction) -> bool {
        match self.step(who, way) {
            Ok((next, _)) => !self.room_flags(next).has(RoomFlags::DEATH),
            Err(_) => false,
        }
    }
}
