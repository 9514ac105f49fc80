//! What the variable `PLOT` shows.

use crate::arena::CharacterId;
use crate::world::World;
use protocol::plot::PlotSeen;

/// Entries of the memo that are told.
const MEMO_TOLD: usize = 5;

impl World {
    /// The plot before somebody who sees it.
    pub fn plot_seen(&self, who: CharacterId) -> Option<PlotSeen> {
        let ground = self.plot_before(who).ok()?;
        Some(self.plot_told(self.room_proto(self.who(who).room).vnum, &ground.plot, MEMO_TOLD))
    }

    /// All of a plot, with so many entries of its memo.
    pub fn plot_told(&self, room: i32, plot: &plot::Plot, entries: usize) -> PlotSeen {
        let task = self.content.plot_task(&plot.task);
        plot.seen(room, self.tick(), &self.content.plot_kinds, task, entries)
    }
}
