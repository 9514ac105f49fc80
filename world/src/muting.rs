//! Those whom an immortal has muted: for a while nobody hears them but immortals. Gestures and mobs are left to them.
//! And what these, and those who are frozen, read of it when they come in.
//!
//! Invariant: each way for one's own words to others asks here before they are said, and words that waited for their
//! account ask again when their turn comes.

use crate::arena::CharacterId;
use crate::character::{Player, PlayerFlags};
use crate::clock::duration;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use protocol::instant;

/// How long somebody is muted, where nobody says how long: an hour.
pub const MUTE_TICKS: u64 = 1_800;
/// The longest: thirty days.
pub const MUTE_TICKS_MAX: u64 = 1_296_000;
/// By what right somebody is frozen, until when, and what is left to it. Nobody sets a time for that.
const FROZEN: &str = "You are frozen. An immortal, whose right it is to keep order here, has left you nothing to do but \
                      quit, which takes you out of the world with all that is yours. No time is set: it ends when an \
                      immortal thaws you.";

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
                let until = self.until_text(until);
                format!("You are muted {until}. Until that is over you can tell things to immortals only.")
            }
            None => "You have been silenced. You can tell things to immortals only.".to_string(),
        })
    }

    /// "for 59 minutes", and by the calendar outside, where the world knows it: ", until 2026-12-01T08:00:00Z".
    pub fn until_text(&self, until: u64) -> String {
        let span = duration(until.saturating_sub(self.tick()));
        let instant = self.state.agents.epoch.map(|epoch| instant::text(epoch.instant_of(until)));
        format!("for {span}{}", instant.map_or(String::new(), |instant| format!(", until {instant}")))
    }

    /// Tells one who comes in, or comes back, what immortals have laid on it.
    pub(crate) fn tell_restraints(&mut self, who: CharacterId) {
        let Some(player) = self.character(who).and_then(|c| c.player()) else { return };
        let frozen = player.flags.has(PlayerFlags::FROZEN).then(|| FROZEN.to_string());
        let told = frozen.or_else(|| self.muted_text(player));
        if let Some(text) = told {
            self.send(who, LineKind::Text, text);
        }
    }
}
