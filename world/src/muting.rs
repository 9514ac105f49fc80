//! Those whom an immortal has muted: for a while nobody hears them but immortals. Gestures and mobs are left to them.
//!
//! Invariant: each way for one's own words to others asks here before they are said, and words that waited for their
//! account ask again when their turn comes.

use crate::arena::CharacterId;
use crate::character::Player;
use crate::clock::duration;
use crate::refusal::Done;
use crate::world::World;

/// How long somebody is muted, where nobody says how long: an hour.
pub const MUTE_TICKS: u64 = 1_800;
/// The longest: thirty days.
pub const MUTE_TICKS_MAX: u64 = 1_296_000;

impl World {
    /// Whether only immortals hear this one now.
    pub(crate) fn is_silent(&self, who: CharacterId) -> bool {
        let tick = self.tick();
        self.character(who).and_then(|c| c.player()).is_some_and(|player| player.is_muted(tick))
    }

    /// Refuses words that others would hear, of who is muted.
    pub(crate) fn may_be_heard(&self, who: CharacterId) -> Done {
        match self.who(who).player().and_then(|player| self.muted_text(player)) {
            Some(text) => Err(text.into()),
            None => Ok(()),
        }
    }

    /// What a muted player reads of it; `None` for all others.
    pub(crate) fn muted_text(&self, player: &Player) -> Option<String> {
        let tick = self.tick();
        player.is_muted(tick).then(|| match player.muted_until.filter(|until| *until > tick) {
            Some(until) => {
                format!("You are muted {}. Until then you can tell things to immortals only.", self.until_text(until))
            }
            None => "You have been silenced. You can tell things to immortals only.".to_string(),
        })
    }

    /// "for 59 minutes, until tick 1800".
    pub(crate) fn until_text(&self, until: u64) -> String {
        format!("for {}, until tick {until}", duration(until.saturating_sub(self.tick())))
    }
}
