//! What the rule book's filter does (`filter.toml`): words of others are masked for each reader who has the setting
//! `filter` on, and one line is said so often only.
//!
//! Masked is what players say, in lines, outcomes, messages and what a mind keeps of talk; the world's own words and
//! mobs' are their builder's. What a line is for a reader says `masking.rs`. Invariant: what is kept of a message is as
//! it was said; who reads it decides.

use crate::arena::CharacterId;
use crate::character::Character;
use crate::masking::{masked_line, wanted};
use crate::refusal::Done;
use crate::report::Line;
use crate::world::World;
use content::filter::Filter;
use std::borrow::Cow;

/// Lines of one speaker that are remembered to be counted.
const SAID_MAX: usize = 32;

impl World {
    /// The filter that a reader wants.
    pub(crate) fn filter_of(&self, reader: CharacterId) -> Option<&Filter> {
        wanted(&self.rules.filter, self.character(reader)?)
    }

    /// Words as this reader reads them.
    pub(crate) fn words_for<'t>(&self, reader: CharacterId, words: &'t str) -> Cow<'t, str> {
        self.filter_of(reader).map_or(Cow::Borrowed(words), |filter| filter.masked(words))
    }

    /// A line as its reader reads it; `None` where it is as it stands.
    pub(crate) fn line_for(&self, reader: CharacterId, line: &Line) -> Option<Line> {
        masked_line(&self.rules.filter, self.character(reader)?, line)
    }

    /// Notes what a player is about to say; refuses what it has said too often just now.
    pub(crate) fn say_again(&mut self, who: CharacterId, words: &str) -> Done {
        let (most, ticks, tick) = (self.rules.filter.repeats, self.rules.filter.repeat_ticks, self.tick());
        let Some(character) = self.character(who) else { return Ok(()) };
        let Some(player) = character.player().filter(|_| ticks > 0 && !character.is_immortal()) else { return Ok(()) };
        let folded = words.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
        let said = content::hash::of(&folded);
        let counts = |at: u64| tick < at.saturating_add(ticks);
        let times = player.said.iter().filter(|(other, at)| *other == said && counts(*at)).count();
        if times >= most as usize {
            return Err("You have said just that a moment ago, more than once. Say something else, or wait.".into());
        }
        // No variable shows it.
        let character = self.state.characters.get_mut_quietly(who);
        if let Some(player) = character.and_then(Character::player_mut) {
            player.said.retain(|(_, at)| counts(*at));
            if player.said.len() >= SAID_MAX {
                player.said.pop_front();
            }
            player.said.push_back((said, tick));
        }
        Ok(())
    }
}
