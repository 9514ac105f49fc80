//! What holds of channels whatever is typed: nobody says more in any m minutes than 210 + wpm·m words, a message and a
//! person have their numbers for good, and shares of attention add up to 100 %.
//!
//! That members, channels and accounts agree is the world's own check.

use std::collections::BTreeMap;
use world::channel::pace::{ALWAYS, FULL, words};
use world::{CharacterId, World};

/// Thirtieths of a word in a word: what a word a minute brings in a tick of two seconds.
const PARTS: u64 = 30;

/// Words of one speaker in one channel that its words a minute have not worked off yet.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    parts: u64,
    tick: u64,
}

impl Level {
    /// Over every stretch of time at once: a stretch with more words than it may have is one at whose end the level is
    /// above the bound.
    fn at(self, tick: u64, wpm: u32) -> Level {
        Level { parts: self.parts.saturating_sub((tick - self.tick) * u64::from(wpm)), tick }
    }
}

#[derive(Clone, Debug, Default)]
pub struct ChannelLaw {
    next_message: u64,
    /// What a channel's accounts were filled by when it was last looked at.
    wpm: BTreeMap<u32, u32>,
    levels: BTreeMap<(u32, u32), Level>,
    names: BTreeMap<u32, String>,
    /// Messages that were judged.
    pub messages: u64,
}

impl ChannelLaw {
    /// Called after every input. What is wrong.
    pub fn judge(&mut self, world: &World) -> Vec<String> {
        let (channels, tick) = (&world.state.channels, world.tick());
        let mut wrong = Vec::new();
        let next = channels.next_message();
        if next < self.next_message {
            wrong.push(format!("message numbers go back from {} to {next}", self.next_message));
        }
        for id in self.next_message..next {
            // A message of a channel that closed at once is nowhere.
            let Some((channel, message)) = channels.message(id) else { continue };
            self.messages += 1;
            if message.id != id || message.tick != tick {
                wrong.push(format!("message {id} of tick {tick} says that it is {} of {}", message.id, message.tick));
            }
            let Some(person) = message.sender.id else { continue };
            // As of before this input; whatever changed it holds from here on.
            let now = channels.get(channel).map_or(0, |channel| channel.wpm);
            let wpm = *self.wpm.entry(channel).or_insert(now);
            let level = self.levels.entry((channel, person)).or_default();
            *level = level.at(tick, wpm);
            level.parts += u64::from(words(&message.text)) * PARTS;
            if level.parts > u64::from(FULL + ALWAYS) * PARTS {
                wrong.push(format!(
                    "{person} says {} words too many in channel {channel} ({wpm} words a minute): {:?}",
                    level.parts.div_ceil(PARTS) - u64::from(FULL + ALWAYS),
                    message.text
                ));
            }
        }
        self.next_message = next;
        self.settle(world);
        wrong
    }

    /// Levels are worked off by the old pace up to now where it has changed.
    fn settle(&mut self, world: &World) {
        let tick = world.tick();
        for (id, wpm) in &mut self.wpm {
            let now = world.state.channels.get(*id).map_or(*wpm, |channel| channel.wpm);
            if now != *wpm {
                for (_, level) in self.levels.range_mut((*id, 0)..=(*id, u32::MAX)) {
                    *level = level.at(tick, *wpm);
                }
                *wpm = now;
            }
        }
    }

    /// Called after every tick, with somebody who is there. What is wrong.
    pub fn judge_slowly(&mut self, world: &World, who: Option<CharacterId>) -> Vec<String> {
        let mut wrong = Vec::new();
        for (id, person) in world.state.channels.people() {
            let known = self.names.entry(id).or_insert_with(|| person.name.to_string());
            if *known != *person.name {
                wrong.push(format!("person {id} was {known} and is {}", person.name));
            }
        }
        let Some(person) = who.and_then(|who| world.person_of(who)) else { return wrong };
        let frame = world.channels_frame(person, None);
        let whole: f64 = frame.channels.iter().map(|channel| channel.attention_pct).sum();
        if (whole - 100.0).abs() > 1e-6 {
            wrong.push(format!("the channels of {person} have {whole} % of its attention"));
        }
        for channel in &frame.channels {
            if channel.word_budget != 0 && !(ALWAYS..=FULL).contains(&channel.word_budget) {
                wrong.push(format!("{person} may say {} words in channel {}", channel.word_budget, channel.id));
            }
        }
        wrong
    }
}
