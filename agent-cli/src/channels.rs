//! The channels of this agent as its server told them: who is in them, what was said, and its own record.
//!
//! Invariants: a message is taken once, by its id, however often and in whatever order frames come; one of a channel
//! that is not known is counted and dropped, so a lost frame leaves no channel that nobody is in; a channel keeps its
//! newest `MESSAGES_MAX` messages, and what fell off does not come back.

use mind::hud::{ChannelView, ChannelsView, UseView};
use protocol::attention::Acts;
use protocol::channel::{Agent, Channel, Channels as Frame, Invitation, Message, MessageKind, Reacted};
use protocol::channel::{TICK_DS, drifted};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Messages that are kept of a channel, the newest.
const MESSAGES_MAX: usize = 50;
/// Channels that are kept: a member has 32 beside the globals, and a server may have more of those than ours.
const CHANNELS_MAX: usize = 120;
/// What `word_budget` lies between, for who is not in debt.
const BUDGET_WORDS: (u64, u64) = (10, 200);
/// An account is filled by its channel's words a minute over this at each tick.
const TICKS_A_MINUTE: u64 = 30;

/// A channel, with what is known beside its newest frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    /// As told last, without its messages.
    channel: Channel,
    /// The tick at which that came.
    as_of: u64,
    /// Oldest first.
    messages: VecDeque<Message>,
    /// The greatest id that fell off.
    gone: u64,
    /// What this agent did there, as attention weighs it, and as it is counted since the start.
    acts: Acts,
    done: Deeds,
    /// What the server counts as unread there, as it told last.
    missed: u32,
}

/// What was done in a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Deeds {
    pub words: u64,
    pub replies: u64,
    pub reactions: u64,
}

/// How somebody spoke to this agent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SpokenTo {
    /// Where agents have talked for long: there is no hurry.
    Cooling,
    Now,
}

/// All of them. Empty where the server has none, or this client did not ask for them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Channels {
    /// The own id, once a frame said it.
    you: Option<u32>,
    known: BTreeMap<u32, Known>,
    /// Where it is invited.
    invitations: Vec<Invitation>,
    /// The own record, where the server keeps one.
    pub record: Option<Agent>,
    /// The tick as of which that was told.
    record_as_of: u64,
    /// Somebody spoke to this agent since that was last taken.
    spoken_to: Option<SpokenTo>,
    /// Others' words since they were last taken: who said them, and what.
    heard: Vec<(Arc<str>, Arc<str>)>,
    /// Messages and reactions of channels that are not known.
    pub stray: u64,
    /// Messages that came again.
    pub doubled: u64,
}

/// Words, as an account counts them at least: what is between blanks.
fn words_of(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

impl Known {
    fn new(mut channel: Channel, tick: u64) -> Known {
        channel.messages.clear();
        let (acts, done, missed) = (Acts::default(), Deeds::default(), channel.unread);
        Known { channel, as_of: tick, messages: VecDeque::new(), gone: 0, acts, done, missed }
    }

    /// Newer news of it, which is whole but for the messages.
    fn renew(&mut self, mut channel: Channel, tick: u64) {
        channel.messages.clear();
        (self.missed, self.channel, self.as_of) = (channel.unread, channel, tick);
    }

    /// False: it was here before.
    fn take(&mut self, message: Message) -> bool {
        let place = self.messages.partition_point(|other| other.id < message.id);
        if message.id <= self.gone || self.messages.get(place).is_some_and(|other| other.id == message.id) {
            return false;
        }
        self.messages.insert(place, message);
        if self.messages.len() > MESSAGES_MAX
            && let Some(oldest) = self.messages.pop_front()
        {
            self.gone = oldest.id;
        }
        true
    }

    /// Words that may be said at once, as far as the time since the frame says: the account fills meanwhile.
    fn word_budget(&self, tick: u64) -> u32 {
        let (least, most) = BUDGET_WORDS;
        let filled = u64::from(self.channel.wpm) * tick.saturating_sub(self.as_of) / TICKS_A_MINUTE;
        let then = u64::from(self.channel.word_budget);
        let now = match (self.channel.waiting, then) {
            // What waits takes all that comes.
            (1.., _) => then,
            // In debt, and a debt is ten words at most.
            (0, 0) => filled.checked_sub(least).map_or(0, |left| left.max(least)),
            (0, then) => then + filled,
        };
        now.min(most.max(then)) as u32
    }

    fn view(&self, tick: u64) -> ChannelView {
        let Known { channel, messages, acts, .. } = self;
        let channel = Channel {
            messages: messages.iter().cloned().collect(),
            word_budget: self.word_budget(tick),
            wait_s: channel.wait_s.saturating_sub(2 * u32::try_from(tick.saturating_sub(self.as_of)).unwrap_or(0)),
            ..channel.clone()
        };
        ChannelView { channel, acts: acts.at(tick), used: UseView::default() }
    }
}

impl Channels {
    /// The own id, once a server with channels said it.
    pub fn you(&self) -> Option<u32> {
        self.you
    }

    /// The own record, newer than what was known of it.
    pub fn take_record(&mut self, record: Agent, tick: u64) {
        (self.record, self.record_as_of) = (Some(record), tick);
    }

    /// Milliseconds from one thought to the next by the own record. The server does not tell of the drift, which comes
    /// of the time alone: none passes for who sleeps.
    pub fn think_ms(&self, tick: u64) -> Option<u64> {
        let record = self.record.as_ref()?;
        let awake_from = self.record_as_of.max(record.sleep_until.unwrap_or(0));
        let ticks = u32::try_from(tick.saturating_sub(awake_from)).unwrap_or(u32::MAX);
        let (think_ds, _) = drifted(record.think_ds, ticks.saturating_mul(TICK_DS));
        Some(u64::from(think_ds) * 100)
    }

    /// A `channels` frame that is newer than those before.
    pub fn merge(&mut self, frame: Frame, tick: u64) {
        self.you = Some(frame.you);
        if frame.full || frame.invitations.is_some() {
            self.invitations = frame.invitations.unwrap_or_default();
            self.invitations.truncate(CHANNELS_MAX);
        }
        if frame.full {
            let listed: Vec<u32> = frame.channels.iter().map(|channel| channel.id).collect();
            self.known.retain(|id, _| listed.contains(id));
        }
        for channel in frame.channels {
            let messages = channel.messages.clone();
            let id = channel.id;
            let is_full = self.known.len() == CHANNELS_MAX;
            match self.known.get_mut(&id) {
                Some(known) => known.renew(channel, tick),
                // Nobody can follow more, so what is said there counts as of an unknown one.
                None if is_full => continue,
                None => _ = self.known.insert(id, Known::new(channel, tick)),
            }
            // A frame after the first has those again that were here.
            for message in messages.into_iter().filter(|message| message.channel == id) {
                self.take(message, false);
            }
        }
        for id in frame.removed {
            self.known.remove(&id);
        }
        self.invitations.retain(|invitation| !self.known.contains_key(&invitation.id));
    }

    /// A `message` frame, whenever it comes.
    pub fn hear(&mut self, message: Message) {
        if !self.known.contains_key(&message.channel) {
            self.stray += 1;
        } else if !self.take(message, true) {
            self.doubled += 1;
        }
    }

    /// `live`: it was said just now, not told at a login. False: it was here before.
    fn take(&mut self, message: Message, live: bool) -> bool {
        let is_own = message.sender.id.is_some() && message.sender.id == self.you;
        let Some(known) = self.known.get_mut(&message.channel) else { return false };
        let (words, tick, answers) = (words_of(&message.content), message.tick, message.reply_to.is_some());
        let is_text = message.kind == MessageKind::Text && !message.hidden;
        let spoken_to = message.to_you.then_some(if message.cooling { SpokenTo::Cooling } else { SpokenTo::Now });
        let said = (message.sender.name.clone(), message.content.clone());
        if !known.take(message) {
            return false;
        }
        if is_own && is_text {
            known.acts.add(tick);
            if live {
                known.done.words += words;
                known.done.replies += u64::from(answers);
                known.channel.last_spoke_tick = known.channel.last_spoke_tick.max(Some(tick));
            }
        } else if is_text {
            self.heard.push(said);
            if live {
                known.channel.unread = known.channel.unread.saturating_add(1);
                self.spoken_to = self.spoken_to.max(spoken_to);
            }
        }
        true
    }

    /// A `reaction` frame. `newer`: no later frame came before it, so the tally counts.
    pub fn react(&mut self, reacted: &Reacted, newer: bool, tick: u64) {
        let Some(known) = self.known.get_mut(&reacted.channel) else {
            self.stray += 1;
            return;
        };
        if Some(reacted.by) == self.you {
            known.acts.add(tick);
            known.done.reactions += 1;
        }
        let place = known.messages.binary_search_by_key(&reacted.message, |message| message.id);
        if let (Ok(place), true) = (place, newer) {
            known.messages[place].reactions = reacted.reactions;
        }
    }

    /// Whether somebody spoke to this agent since the last call, and how urgently.
    pub fn take_spoken_to(&mut self) -> Option<SpokenTo> {
        std::mem::take(&mut self.spoken_to)
    }

    /// What others said since the last call, each with its sender's name.
    pub fn take_heard(&mut self) -> Vec<(Arc<str>, Arc<str>)> {
        std::mem::take(&mut self.heard)
    }

    /// A prompt told the newest of all channels: nothing is unread any more. True where the server counts something
    /// that it does not know to be read.
    pub fn read(&mut self) -> bool {
        self.known.values_mut().for_each(|known| known.channel.unread = 0);
        self.known.values().any(|known| known.missed > 0)
    }

    /// What this agent did in each channel since the start of its session, by the channel's id.
    pub fn deeds(&self) -> BTreeMap<u32, Deeds> {
        self.known.iter().map(|(id, known)| (*id, known.done)).collect()
    }

    /// The channel of a message that is kept.
    pub fn channel_of(&self, message: u64) -> Option<u32> {
        let has = |known: &Known| known.messages.binary_search_by_key(&message, |message| message.id).is_ok();
        self.known.iter().find(|(_, known)| has(known)).map(|(id, _)| *id)
    }

    /// What a prompt shows of them; `None` from a server without.
    pub fn view(&self, tick: u64) -> Option<ChannelsView> {
        let you = self.you?;
        let channels = self.known.values().map(|known| known.view(tick)).collect();
        Some(ChannelsView { you, channels, invitations: self.invitations.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::channel::{ChannelKind, Person, PersonKind, Reaction, Tally};

    fn channel(id: u32) -> Channel {
        Channel {
            owner: Some(id),
            is_self_room: id == 105,
            attention_pct: 50.0,
            wpm: 60,
            word_budget: 40,
            ..Channel::new(id, format!("channel {id}").into(), ChannelKind::Group)
        }
    }

    fn message(id: u64, channel: u32, sender: u32, text: &str) -> Message {
        let sender = Person { id: Some(sender), name: format!("P{sender}").into(), kind: PersonKind::Person };
        Message::new(id, channel, id, sender, text.into())
    }

    fn frame(full: bool, channels: Vec<Channel>, removed: Vec<u32>) -> Frame {
        Frame { full, you: 105, channels, removed, invitations: None }
    }

    fn ids(channels: &Channels, id: u32) -> Vec<u64> {
        channels.known[&id].messages.iter().map(|message| message.id).collect()
    }

    #[test]
    fn frames_are_merged_and_a_message_counts_once() {
        let mut channels = Channels::default();
        assert_eq!(channels.view(0), None, "no server with channels so far");
        let with = Channel { messages: vec![message(3, 108, 108, "Hello")], ..channel(108) };
        channels.merge(frame(true, vec![with.clone(), channel(105)], Vec::new()), 9);
        channels.hear(message(5, 108, 109, "Five"));
        channels.hear(message(4, 108, 109, "Four came late"));
        channels.hear(message(5, 108, 109, "Five again"));
        assert_eq!((ids(&channels, 108), channels.doubled, channels.stray), (vec![3, 4, 5], 1, 0));
        assert_eq!(channels.known[&108].channel.unread, 2);
        channels.hear(message(6, 999, 109, "Where?"));
        assert_eq!(channels.stray, 1, "a channel that nobody told of");
        assert!(!channels.read(), "the server counts what came while nobody was here, and that is nothing");
        assert_eq!(channels.known[&108].channel.unread, 0);
        let away = Channel { unread: 2, ..channel(105) };
        channels.merge(frame(false, vec![away], Vec::new()), 10);
        assert!(channels.read() && channels.read(), "until the server says that it knows");
        channels.merge(frame(false, vec![channel(105)], Vec::new()), 11);
        assert!(!channels.read());
        // A whole frame tells again what is known, and what is not in it is over.
        channels.merge(frame(true, vec![with], Vec::new()), 12);
        assert_eq!((ids(&channels, 108), channels.known.len()), (vec![3, 4, 5], 1));
        channels.merge(frame(false, Vec::new(), vec![108]), 13);
        channels.hear(message(7, 108, 109, "Still there?"));
        assert_eq!((channels.known.len(), channels.stray), (0, 2), "no ghost");
    }

    #[test]
    fn an_invitation_stands_until_it_is_taken_or_taken_back() {
        let mut channels = Channels::default();
        channels.merge(frame(true, vec![channel(105)], Vec::new()), 9);
        let told = |channels: &Channels| {
            let view = channels.view(9).expect("a server with channels");
            view.invitations.iter().map(|invitation| invitation.id).collect::<Vec<u32>>()
        };
        let invited = |ids: &[u32]| Some(ids.iter().map(|id| Invitation { id: *id, name: "a club".into() }).collect());
        let news = |ids: &[u32]| Frame { invitations: invited(ids), ..frame(false, Vec::new(), Vec::new()) };
        channels.merge(news(&[110, 111]), 10);
        channels.merge(frame(false, vec![channel(105)], Vec::new()), 11);
        assert_eq!(told(&channels), [110, 111], "a frame that says nothing of it changes nothing");
        channels.merge(frame(false, vec![channel(110)], Vec::new()), 12);
        assert_eq!(told(&channels), [111], "it has joined");
        channels.merge(news(&[]), 13);
        assert!(told(&channels).is_empty());
        channels.merge(news(&[112]), 14);
        channels.merge(frame(true, vec![channel(105)], Vec::new()), 15);
        assert!(told(&channels).is_empty(), "a login where there is none");
    }

    #[test]
    fn what_the_agent_does_itself_is_counted() {
        let mut channels = Channels::default();
        channels.merge(frame(true, vec![channel(108)], Vec::new()), 9);
        let answer = Message { reply_to: Some(1), ..message(2, 108, 105, "Until dusk, I think") };
        channels.hear(answer);
        let heart =
            Reacted { message: 2, channel: 108, by: 105, reaction: Reaction::Heart, reactions: Tally::default() };
        channels.react(&heart, true, 3);
        channels.react(&Reacted { by: 109, reactions: Tally { brain: 1, ..Tally::default() }, ..heart }, true, 3);
        assert_eq!(channels.deeds()[&108], Deeds { words: 4, replies: 1, reactions: 1 });
        let view = channels.view(3).expect("channels");
        assert_eq!((view.channels[0].acts, view.channels[0].channel.last_spoke_tick), (2, Some(2)));
        assert_eq!(view.channels[0].channel.messages[0].reactions.brain, 1);
        assert!(channels.take_heard().is_empty() && channels.take_spoken_to().is_none(), "one's own words are no news");
        channels.hear(Message { to_you: true, ..message(4, 108, 109, "And you?") });
        assert_eq!((channels.take_spoken_to(), channels.take_spoken_to()), (Some(SpokenTo::Now), None));
        assert_eq!(channels.take_heard(), [("P109".into(), "And you?".into())]);
        channels.hear(Message { to_you: true, cooling: true, ..message(5, 108, 109, "And you?") });
        assert_eq!(channels.take_spoken_to(), Some(SpokenTo::Cooling));
    }

    #[test]
    fn an_account_fills_while_nothing_is_told_of_it() {
        let of = |word_budget, waiting| Known::new(Channel { word_budget, waiting, ..channel(108) }, 10);
        for (budget, waiting, tick, wanted, why) in [
            (40, 0, 10, 40, "as told"),
            (40, 0, 13, 46, "two words a tick"),
            (190, 0, 90, 200, "no more than there may be"),
            (0, 0, 12, 0, "in debt"),
            (0, 0, 20, 10, "out of it"),
            (0, 30, 40, 0, "what waits takes it all"),
            (40, 0, 3, 40, "a tick that is not later"),
        ] {
            assert_eq!(of(budget, waiting).word_budget(tick), wanted, "{why}");
        }
    }

    proptest! {
        #[test]
        fn the_newest_are_kept_in_order_and_once(order in prop::collection::vec(1..400_u64, 0..300)) {
            let mut channels = Channels::default();
            channels.merge(frame(true, vec![channel(108)], Vec::new()), 0);
            for id in &order {
                channels.hear(message(*id, 108, 109, "x"));
            }
            let kept = ids(&channels, 108);
            prop_assert!(kept.len() <= MESSAGES_MAX && kept.windows(2).all(|pair| pair[0] < pair[1]));
            let mut came: Vec<u64> = order.clone();
            came.sort_unstable();
            came.dedup();
            let newest = came.split_off(came.len().saturating_sub(1));
            prop_assert!(newest.iter().all(|id| kept.contains(id)), "the newest is among them");
        }
    }
}
