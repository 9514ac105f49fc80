//! What attention to channels is worth: made-up readers of eight busy channels who care for two of them, and what they
//! do for each token that they read, by how they set their attention.
//!
//! A reader thinks every few ticks, with the very prompts of `mind`; of what is new to it in a channel it answers some:
//! much where it cares, little elsewhere. The same words come to it whatever it set.

use mind::MindState;
use mind::budget::Tier;
use mind::hud::{ChannelView, ChannelsView, LiveView, SelfView, UseView};
use mind::prompt::{PromptBuilder, Settings};
use protocol::attention::{Acts, WHOLE};
use protocol::channel::{Channel, ChannelKind, Message, Person, PersonKind};
use std::sync::Arc;

const CHANNELS: usize = 8;
/// Those it cares for; the rest it hardly answers.
const FAVOURITES: [usize; 2] = [2, 5];
/// Ticks from one thought to the next, and in how many of two a channel has a message.
const THINK_TICKS: u64 = 4;
/// Tokens of a message, about; and of so many such pieces it answers one.
const PIECE_TOKENS: usize = 40;
const ANSWERS_FAVOURITE: u64 = 4;
const ANSWERS_OTHER: u64 = 60;
/// Messages that a client keeps of a channel.
const KEPT: usize = 50;

/// How attention is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// Once: half of it for two channels, one of which was a good guess.
    Fixed,
    /// `%*` everywhere.
    Rest,
    /// `auto` everywhere.
    Auto,
}

impl Setting {
    pub const ALL: [Setting; 3] = [Setting::Fixed, Setting::Rest, Setting::Auto];

    pub const fn name(self) -> &'static str {
        match self {
            Setting::Fixed => "fixed",
            Setting::Rest => "%*",
            Setting::Auto => "auto",
        }
    }

    fn of(self, channel: usize) -> &'static str {
        match (self, channel) {
            (Setting::Fixed, 2 | 3) => "25%",
            (Setting::Fixed | Setting::Rest, _) => "%*",
            (Setting::Auto, _) => "auto",
        }
    }
}

/// What one reader's life came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Life {
    pub tokens: u64,
    pub acts: u64,
    /// Prompts that were above their budget; and those whose shares did not add up.
    pub over: u64,
    pub odd: u64,
}

/// A small generator of numbers (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn one_in(&mut self, most: u64) -> bool {
        self.next().is_multiple_of(most)
    }
}

fn words(chance: &mut Chance) -> String {
    const WORDS: [&str; 12] =
        ["the", "ferry", "leaves", "at", "dusk", "and", "nobody", "paid", "for", "bread", "since", "winter"];
    let count = 8 + chance.next() % 20;
    (0..count).map(|_| WORDS[(chance.next() % 12) as usize]).collect::<Vec<_>>().join(" ")
}

fn channel(id: u32, attention: &str) -> ChannelView {
    let channel = Channel {
        member_count: 9,
        attention: attention.into(),
        ..Channel::new(id, format!("channel {id}").into(), ChannelKind::Group)
    };
    ChannelView { channel, acts: 0, used: UseView::default() }
}

/// A life of so many thoughts.
pub fn life(seed: u64, setting: Setting, thoughts: u64) -> Life {
    let mut said = Chance(seed);
    let mut answers = Chance(seed ^ 0xa5a5_a5a5);
    let mut life = Life::default();
    let mut builder = PromptBuilder::new(Settings { tier: Tier::Medium, mind: false, ..Settings::default() });
    builder.set_self(SelfView { name: "Reader".into(), channels: true, ..SelfView::default() });
    let channels = (0..CHANNELS).map(|n| channel(200 + n as u32, setting.of(n))).collect();
    let mut view = ChannelsView { you: 100, channels, ..ChannelsView::default() };
    let mut acts = [Acts::default(); CHANNELS];
    let mut id = 0;
    for thought in 0..thoughts {
        let tick = (thought + 1) * THINK_TICKS;
        for _ in 0..THINK_TICKS {
            for channel in &mut view.channels {
                if said.one_in(2) {
                    id += 1;
                    let sender = Person { id: Some(300), name: "Somebody".into(), kind: PersonKind::Person };
                    let text = words(&mut said).into();
                    channel.channel.messages.push(Message::new(id, channel.channel.id, tick, sender, text));
                    let old = channel.channel.messages.len().saturating_sub(KEPT);
                    channel.channel.messages.drain(..old);
                }
            }
        }
        for (channel, acts) in view.channels.iter_mut().zip(&acts) {
            channel.acts = acts.at(tick);
        }
        let live = LiveView { tick, channels: Some(Arc::new(view.clone())), ..LiveView::default() };
        let prompt = builder.build(&live, &[], &MindState::default());
        life.over += u64::from(prompt.tokens > prompt.budget);
        life.odd += u64::from(prompt.channels.iter().map(|channel| channel.share).sum::<u32>() != WHOLE);
        for (n, shown) in prompt.channels.iter().enumerate() {
            life.tokens += shown.tokens_new as u64;
            let one_of = if FAVOURITES.contains(&n) { ANSWERS_FAVOURITE } else { ANSWERS_OTHER };
            for _ in 0..shown.tokens_new.div_ceil(PIECE_TOKENS) {
                if answers.one_in(one_of) {
                    acts[n].add(tick);
                    life.acts += 1;
                }
            }
        }
    }
    life
}
