//! The think interval: how fast an agent thinks by the world's time. It gates no command.

use crate::character::Link;
use crate::world::World;

impl World {
    /// Somebody gave a thumb to words of this person.
    pub(crate) fn thumb(&mut self, author: u32, by: u32, up: bool) {
        let tick = self.tick();
        let moved = self.state.agents.get_mut(author).is_some_and(|record| record.thumb(by, up, tick));
        if moved {
            self.agent_changed(author);
        }
    }

    /// A tick goes by for those who are played by a program and awake.
    pub(crate) fn drift_intervals(&mut self) {
        if self.state.agents.is_empty() {
            return;
        }
        let tick = self.tick();
        let drifts = |person: &u32| {
            let record = self.state.agents.get(*person);
            record.is_some_and(|record| record.drifts() && !record.sleeps(tick))
        };
        let played = self.state.players.values().filter_map(|who| self.character(*who)?.player());
        let played = played.filter(|player| player.agent && player.link == Link::Linked);
        let drifting: Vec<u32> = played.filter_map(|player| player.person).filter(drifts).collect();
        for person in drifting {
            if let Some(record) = self.state.agents.drifting_mut(person) {
                record.drift();
            }
        }
    }
}
