//! Persons and channels as they are kept: who there is, which conversations there are, who is in them, and what was
//! said of late. What happens in them is in `channels/`; a room is a place, and none of this.
//!
//! Ids: 0 is The Architect, 1 to 99 are channels of the content; from 100 one counter serves persons and all other
//! channels, so the id of a home is its owner's. Messages count by themselves from 1, over all channels.
//! Invariants: `Person::channels` and `Channel::members` mirror each other, but for channels of the content, whose
//! members are everybody; each held message is in `messages` and in its channel's list, which rises by id; words that
//! wait are in `waiting`. Whatever is unused is not here: a home begins with its first use.

pub mod names;
pub mod pace;
mod person;
pub mod row;

use crate::number::InputNumber;
use content::Text;
use pace::{Account, Rate};
pub use person::Person;
use protocol::attention::{Acts, Attention};
use protocol::channel::{ARCHITECT, CONTENT_CHANNEL_MAX, FIRST_PERSON, Tally};
pub use protocol::channel::{ChannelKind, MessageKind, PersonKind, Reaction};
use row::{Changed, Row};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Channels of one person, beside those of the content and The Architect's own.
pub const MEMBERSHIPS_MAX: usize = 32;
/// Of these, so many are kept for one's home and one's party, which nobody has to leave anything for.
pub const MEMBERSHIPS_KEPT: usize = 2;
/// Members of one channel.
pub const MEMBERS_MAX: usize = 200;
/// Channels that one person makes with `channel create`.
pub const CREATED_MAX: usize = 3;
/// Messages of one channel, and of all: the oldest leave the state.
pub const CHANNEL_MESSAGES_MAX: usize = 50;
pub const MESSAGES_MAX: usize = 20_000;
/// Characters of a message, a billboard, a channel's name, a key.
pub const MESSAGE_CHARS: usize = 2_000;
pub const BILLBOARD_CHARS: usize = 500;
pub const NAME_CHARS: usize = 30;
pub const KEY_CHARS: usize = 40;
/// Keys of one channel; people who are invited to it.
pub const KEYS_MAX: usize = 20;
/// Requests that wait for one channel's owner, and for how many ticks: a day.
pub const REQUESTS_MAX: usize = 20;
pub const REQUEST_TICKS: u64 = 43_200;
/// Messages and words of one person that wait in one channel.
pub const QUEUE_MAX: usize = 8;
pub const QUEUE_WORDS_MAX: u32 = 400;
/// A direct channel leaves the state after so many ticks without a word: a week.
pub const SILENCE_TICKS: u64 = 302_400;
/// Wrong keys that one person may try in so many ticks.
pub const WRONG_KEYS_MAX: usize = 5;
pub const WRONG_KEYS_TICKS: u64 = 300;
/// Ticks between two display names of one person.
pub const NAME_TICKS: u64 = 600;
/// As whom one is shown whose account was deleted.
pub const NAMELESS: &str = "Somebody gone";
/// After so many messages in a row by agents alone their accounts fill at half the rate, at a quarter, by 10 WPM, …
pub const COOLING: [u32; 3] = [16, 32, 48];
/// … until a person speaks or nobody does for so many ticks.
pub const COOLING_TICKS: u64 = 150;

/// Everybody who has an id, and every channel that is in use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Channels {
    /// What the next person or channel gets.
    next_id: u32,
    /// What the next message gets.
    next_message: u64,
    people: BTreeMap<u32, Arc<Person>>,
    /// Ids by the canonical name in lower case.
    by_name: BTreeMap<Text, u32>,
    /// Ids by the folded form of the name that is shown.
    #[serde(default)]
    by_display: BTreeMap<Text, u32>,
    list: BTreeMap<u32, Arc<Channel>>,
    /// In which channel a message is.
    messages: BTreeMap<u64, u32>,
    /// Channel and person of words that wait for their account.
    waiting: BTreeSet<(u32, u32)>,
    /// What is to be kept anew. Not state.
    #[serde(skip)]
    changed: Changed,
}

impl Default for Channels {
    fn default() -> Channels {
        Channels {
            next_id: FIRST_PERSON,
            next_message: 1,
            people: BTreeMap::new(),
            by_name: BTreeMap::new(),
            by_display: BTreeMap::new(),
            list: BTreeMap::new(),
            messages: BTreeMap::new(),
            waiting: BTreeSet::new(),
            changed: Changed::default(),
        }
    }
}

/// Who may come in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Whoever wants to.
    Open,
    /// Who is invited, or knows a key and is granted its request.
    #[default]
    Key,
    /// Who is invited.
    Closed,
}

impl Access {
    pub const ALL: [Access; 3] = [Access::Open, Access::Key, Access::Closed];

    pub const fn name(self) -> &'static str {
        match self {
            Access::Open => "open",
            Access::Key => "key",
            Access::Closed => "closed",
        }
    }
}

/// A conversation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Channel {
    pub kind: ChannelKind,
    /// Of a group. All others are called after their owner, their other member, or their row of the content.
    pub name: Text,
    /// None for channels of the content.
    pub owner: Option<u32>,
    /// It is a party's, made and closed with it.
    pub party: bool,
    pub wpm: u32,
    pub cooling: bool,
    pub access: Access,
    pub billboard: Text,
    pub keys: BTreeSet<Text>,
    /// Who may join without a key.
    pub invited: BTreeSet<u32>,
    /// Oldest first.
    pub requests: Vec<Request>,
    /// By the person's id. For channels of the content only those who did something there.
    pub members: BTreeMap<u32, Member>,
    /// Accounts of those who left, until they are full: who comes back has no more to say than before.
    #[serde(default)]
    pub parted: BTreeMap<u32, Account>,
    /// The newest, oldest first.
    pub messages: VecDeque<Arc<Message>>,
    /// There were more, which are kept elsewhere.
    #[serde(default)]
    pub older: bool,
    /// Messages in a row by agents alone.
    pub agents_in_a_row: u32,
    /// The tick of the last message, or of its beginning.
    pub last_tick: u64,
}

/// Somebody asks to be let in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Of the message that announced it.
    pub id: u64,
    pub person: u32,
    pub key: Text,
    pub tick: u64,
}

/// What a channel knows of one member.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Member {
    pub account: Account,
    pub attention: Attention,
    pub last_spoke: Option<u64>,
    /// It was shown what stands up to this message, and sees what stands after the one at its joining.
    pub read: u64,
    pub joined: u64,
    /// Since this message it does not want to be told; it can still read.
    pub muted_from: Option<u64>,
    /// Messages, replies and reactions of it.
    pub acts: Acts,
    /// Of a direct channel: it knows who the other is. (Saves from before this say nothing of it; there it did.)
    #[serde(default = "known")]
    pub acquainted: bool,
    /// Words that wait, oldest first.
    pub queue: VecDeque<Words>,
}

fn known() -> bool {
    true
}

/// Words that are not said yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Words {
    pub text: Text,
    pub count: u32,
    pub reply_to: Option<u64>,
    /// The input that typed them.
    pub typed_by: InputNumber,
}

/// Who said something, as it was then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sender {
    /// None for mobs and the system.
    pub id: Option<u32>,
    pub name: Text,
    pub kind: PersonKind,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    pub id: u64,
    pub tick: u64,
    pub sender: Sender,
    pub kind: MessageKind,
    pub text: Text,
    pub reply_to: Option<u64>,
    /// The input that typed it, also where it waited; 0 for the system's.
    pub typed_by: InputNumber,
    /// Who gave which, in order.
    pub reactions: Vec<(u32, Reaction)>,
    /// Its owner took it down.
    pub hidden: bool,
    /// Its speaker was invisible: whoever did not hear it reads that somebody said it.
    #[serde(default)]
    pub veiled: bool,
}

impl Message {
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.reactions.iter().for_each(|(_, reaction)| tally.add(*reaction));
        tally
    }
}

impl Member {
    /// Who joins after message `newest`.
    pub fn joining(tick: u64, newest: u64) -> Member {
        Member {
            account: Account::full(tick),
            attention: Attention::default(),
            last_spoke: None,
            read: newest,
            joined: newest,
            muted_from: None,
            acts: Acts::default(),
            acquainted: false,
            queue: VecDeque::new(),
        }
    }

    pub fn waiting_words(&self) -> u32 {
        self.queue.iter().map(|words| words.count).sum()
    }

    fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        for words in &mut self.queue {
            words.text = write(&words.text).into();
        }
    }
}

impl Channel {
    pub fn new(kind: ChannelKind, owner: Option<u32>, wpm: u32, tick: u64) -> Channel {
        Channel {
            kind,
            name: "".into(),
            owner,
            party: false,
            wpm,
            cooling: true,
            access: Access::default(),
            billboard: "".into(),
            keys: BTreeSet::new(),
            invited: BTreeSet::new(),
            requests: Vec::new(),
            members: BTreeMap::new(),
            parted: BTreeMap::new(),
            messages: VecDeque::new(),
            older: false,
            agents_in_a_row: 0,
            last_tick: tick,
        }
    }

    /// How fast the account of somebody fills here. `agent`: a program plays it.
    pub fn rate(&self, agent: bool) -> Rate {
        let stage = COOLING.iter().filter(|row| self.agents_in_a_row >= **row).count();
        if !agent || !self.cooling || stage == 0 {
            return Rate::steady(self.wpm);
        }
        let slow = [self.wpm / 2, self.wpm / 4, self.wpm.min(10)][stage - 1];
        Rate { slow, until: self.last_tick + COOLING_TICKS, full: self.wpm }
    }

    /// Agents have talked among themselves for so long that their accounts fill slowly.
    pub fn is_cooling(&self, tick: u64) -> bool {
        self.cooling && self.agents_in_a_row >= COOLING[0] && tick < self.last_tick + COOLING_TICKS
    }

    /// Puts other words in the place of all that people wrote in it.
    fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        let text = |text: &Text| Text::from(write(text));
        self.name = text(&self.name);
        self.billboard = text(&self.billboard);
        self.keys = self.keys.iter().map(text).collect();
        self.requests.iter_mut().for_each(|request| request.key = text(&request.key));
        for message in self.messages.iter_mut().map(Arc::make_mut) {
            message.text = text(&message.text);
        }
        self.members.values_mut().for_each(|member| member.rewrite(write));
    }

    pub fn message(&self, id: u64) -> Option<&Arc<Message>> {
        self.messages.binary_search_by_key(&id, |message| message.id).ok().map(|at| &self.messages[at])
    }
}

impl Channels {
    /// Goes on above these, so that no id comes twice: for a world without the state of before.
    pub fn count_from(&mut self, id: u32, message: u64) {
        self.next_id = self.next_id.max(id);
        self.next_message = self.next_message.max(message);
    }

    /// What the next message gets; greater than all that there were.
    pub fn next_message(&self) -> u64 {
        self.next_message
    }

    pub fn next_id(&self) -> u32 {
        self.next_id
    }

    pub fn new_id(&mut self) -> u32 {
        while self.people.contains_key(&self.next_id) || self.list.contains_key(&self.next_id) {
            self.next_id += 1;
        }
        self.next_id += 1;
        self.next_id - 1
    }

    // Channels.

    pub fn get(&self, id: u32) -> Option<&Channel> {
        self.list.get(&id).map(|channel| &**channel)
    }

    /// To change what is kept of it; for one of its members there is `member_mut`.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut Channel> {
        let channel = self.list.get_mut(&id).map(Arc::make_mut)?;
        self.changed.channels.insert(id);
        Some(channel)
    }

    /// To change what is not kept, or what has its own mark.
    fn inside(&mut self, id: u32) -> Option<&mut Channel> {
        self.list.get_mut(&id).map(Arc::make_mut)
    }

    pub fn member_mut(&mut self, id: u32, person: u32) -> Option<&mut Member> {
        let member = self.list.get_mut(&id).map(Arc::make_mut)?.members.get_mut(&person)?;
        self.changed.members.insert((id, person));
        Some(member)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Channel)> {
        self.list.iter().map(|(id, channel)| (*id, &**channel))
    }

    /// Puts a new channel in; its members are added by `join`.
    pub fn open(&mut self, id: u32, channel: Channel) {
        self.list.insert(id, Arc::new(channel));
        self.changed.channels.insert(id);
    }

    /// Takes a channel out with all that is in it, and gives it back.
    pub fn close(&mut self, id: u32) -> Option<Channel> {
        let channel = self.list.remove(&id)?;
        self.changed.channels.insert(id);
        for message in &channel.messages {
            self.messages.remove(&message.id);
            self.changed.let_go(id, message);
        }
        for member in channel.members.keys() {
            self.changed.members.insert((id, *member));
            self.waiting.remove(&(id, *member));
            if let Some(person) = self.person_mut(*member) {
                person.channels.remove(&id);
            }
        }
        Some(Arc::unwrap_or_clone(channel))
    }

    /// Makes somebody a member from now on; who is one already stays as it is.
    pub fn join(&mut self, id: u32, person: u32, tick: u64) {
        let newest = self.next_message - 1;
        let Some(channel) = self.list.get_mut(&id).map(Arc::make_mut) else { return };
        if !channel.members.contains_key(&person) {
            let member = Member::joining(tick, newest);
            let account = channel.parted.remove(&person).unwrap_or(member.account);
            channel.members.insert(person, Member { account, ..member });
            channel.invited.remove(&person);
            channel.requests.retain(|request| request.person != person);
            self.changed.members.insert((id, person));
            self.changed.channels.insert(id);
        }
        if (id > CONTENT_CHANNEL_MAX || id == ARCHITECT)
            && let Some(person) = self.person_mut(person)
        {
            person.channels.insert(id);
        }
    }

    /// Makes somebody a member no more; its waiting words come back.
    pub fn leave(&mut self, id: u32, person: u32) -> Vec<Words> {
        self.waiting.remove(&(id, person));
        if let Some(person) = self.person_mut(person) {
            person.channels.remove(&id);
        }
        let Some(channel) = self.inside(id) else { return Vec::new() };
        let Some(member) = channel.members.remove(&person) else { return Vec::new() };
        channel.parted.insert(person, member.account);
        self.changed.members.insert((id, person));
        member.queue.into()
    }

    /// Nothing is known any more of somebody's account in a channel: who left it, or of one of the content anybody.
    pub(crate) fn forget_account(&mut self, id: u32, person: u32) {
        let Some(channel) = self.inside(id) else { return };
        channel.parted.remove(&person);
        if (1..=CONTENT_CHANNEL_MAX).contains(&id) && channel.members.remove(&person).is_some() {
            self.changed.members.insert((id, person));
        }
    }

    /// The direct channel of two, where there is one.
    pub fn direct(&self, one: u32, other: u32) -> Option<u32> {
        let mine = &self.person(one)?.channels;
        mine.iter().copied().find(|id| {
            self.get(*id)
                .is_some_and(|channel| channel.kind == ChannelKind::Direct && channel.members.contains_key(&other))
        })
    }

    // Messages.

    /// The channel of a message that is still held.
    pub fn channel_of(&self, message: u64) -> Option<u32> {
        self.messages.get(&message).copied()
    }

    pub fn message(&self, id: u64) -> Option<(u32, &Arc<Message>)> {
        let channel = self.channel_of(id)?;
        Some((channel, self.get(channel)?.message(id)?))
    }

    pub fn message_mut(&mut self, id: u64) -> Option<&mut Message> {
        let channel = self.channel_of(id)?;
        self.changed.messages.entry(id).or_default();
        let channel = self.inside(channel)?;
        let at = channel.messages.binary_search_by_key(&id, |message| message.id).ok()?;
        Some(Arc::make_mut(&mut channel.messages[at]))
    }

    /// Takes the number of the next message.
    pub fn take_message_id(&mut self) -> u64 {
        self.next_message += 1;
        self.next_message - 1
    }

    /// Puts a message at the end of its channel; `message.id` was taken before it.
    pub fn push(&mut self, id: u32, message: Arc<Message>) {
        let number = message.id;
        let Some(channel) = self.inside(id) else { return };
        channel.last_tick = message.tick;
        channel.messages.push_back(message);
        let old = (channel.messages.len() > CHANNEL_MESSAGES_MAX).then(|| channel.messages.pop_front()).flatten();
        channel.older |= old.is_some();
        self.messages.insert(number, id);
        self.changed.messages.entry(number).or_default();
        if let Some(old) = old {
            self.messages.remove(&old.id);
            self.changed.let_go(id, &old);
        }
        while self.messages.len() > MESSAGES_MAX {
            let Some((oldest, id)) = self.messages.pop_first() else { return };
            let Some(channel) = self.list.get_mut(&id).map(Arc::make_mut) else { continue };
            // The oldest of all is the oldest of its channel.
            if let Some(old) = channel.messages.pop_front_if(|message| message.id == oldest) {
                channel.older = true;
                self.changed.let_go(id, &old);
            }
        }
    }

    // Words that wait.

    /// Channel and person of all words that wait, in order.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, u32)> {
        self.waiting.iter().copied()
    }

    pub fn is_anything_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Puts words into somebody's queue, behind so many others.
    pub fn wait(&mut self, id: u32, person: u32, behind: usize, words: Words) {
        let Some(member) = self.member_mut(id, person) else { return };
        member.queue.insert(behind.min(member.queue.len()), words);
        self.waiting.insert((id, person));
    }

    /// Takes the first words out of somebody's queue.
    pub fn next_words(&mut self, id: u32, person: u32) -> Option<Words> {
        let member = self.member_mut(id, person)?;
        let words = member.queue.pop_front();
        if member.queue.is_empty() {
            self.waiting.remove(&(id, person));
        }
        words
    }

    /// Takes all words out of somebody's queue.
    pub fn drop_words(&mut self, id: u32, person: u32) -> Vec<Words> {
        if !self.waiting.remove(&(id, person)) {
            return Vec::new();
        }
        let member = self.member_mut(id, person);
        member.map(|member| std::mem::take(&mut member.queue).into()).unwrap_or_default()
    }

    // What is kept elsewhere.

    /// What was changed since the last time, as it is now.
    pub(crate) fn take_changed(&mut self) -> Vec<Row> {
        if self.changed.is_empty() {
            return Vec::new();
        }
        let changed = std::mem::take(&mut self.changed);
        let mut rows: Vec<Row> = changed.people.into_iter().map(|id| Row::of_person(id, self.person(id))).collect();
        rows.extend(changed.channels.into_iter().map(|id| Row::of_channel(id, self.get(id))));
        rows.extend(changed.members.into_iter().map(|(id, person)| {
            let member = self.get(id).and_then(|channel| channel.members.get(&person));
            Row::of_member(id, person, member)
        }));
        rows.extend(changed.messages.into_iter().filter_map(|(number, gone)| {
            let held = || self.message(number).map(|(channel, message)| (channel, message.clone()));
            gone.or_else(held).map(|(channel, message)| Row::Message { channel, message })
        }));
        rows
    }

    /// All that there is, as if it had just been changed.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.people().map(|(id, person)| Row::of_person(id, Some(person))).collect();
        for (id, channel) in self.iter() {
            rows.push(Row::of_channel(id, Some(channel)));
            rows.extend(channel.members.iter().map(|(person, member)| Row::of_member(id, *person, Some(member))));
            let messages = channel.messages.iter();
            rows.extend(messages.map(|message| Row::Message { channel: id, message: message.clone() }));
        }
        rows
    }

    /// Takes back what was kept of a world before this one, whose time is over: everything is as of now. What does not
    /// fit with what is here is left out.
    pub fn restore(&mut self, rows: &[Row], tick: u64) {
        for row in rows {
            match row {
                Row::Person { id, person: Some(person) } if *id >= FIRST_PERSON => {
                    let key: Text = person.name.to_ascii_lowercase().into();
                    if !self.people.contains_key(id) && !self.by_name.contains_key(&key) {
                        self.by_name.insert(key, *id);
                        self.by_display.entry(names::folded(&person.display).into()).or_insert(*id);
                        self.people.insert(*id, Arc::new(Person { named_tick: None, ..Person::clone(person) }));
                        self.next_id = self.next_id.max(id + 1);
                    }
                }
                Row::Channel { id, channel: Some(channel) } if !self.list.contains_key(id) => {
                    let mut channel = Channel { last_tick: tick, older: true, ..Channel::clone(channel) };
                    channel.requests.iter_mut().for_each(|request| request.tick = tick);
                    self.list.insert(*id, Arc::new(channel));
                    self.next_id = self.next_id.max(id + 1);
                }
                Row::Member { channel, person, member: Some(member) } => {
                    let Some(there) = self.people.get_mut(person).map(Arc::make_mut) else { continue };
                    let Some(channel_there) = self.list.get_mut(channel).map(Arc::make_mut) else { continue };
                    let account = Account::of(member.account.parts().0, tick);
                    let last_spoke = member.last_spoke.map(|spoke| spoke.min(tick));
                    let member = Member { account, last_spoke, ..Member::clone(member) };
                    // Nobody is here to say them; they are given back to who comes (`World::admit`).
                    if !member.queue.is_empty() {
                        self.waiting.insert((*channel, *person));
                    }
                    channel_there.members.insert(*person, member);
                    if *channel > CONTENT_CHANNEL_MAX || *channel == ARCHITECT {
                        there.channels.insert(*channel);
                    }
                }
                Row::Message { channel, message } => {
                    self.next_message = self.next_message.max(message.id + 1);
                    let Some(there) = self.list.get_mut(channel).map(Arc::make_mut) else { continue };
                    if there.messages.back().is_none_or(|last| last.id < message.id) {
                        let message = Message { tick: message.tick.min(tick), ..Message::clone(message) };
                        self.messages.insert(message.id, *channel);
                        there.messages.push_back(Arc::new(message));
                        if there.messages.len() > CHANNEL_MESSAGES_MAX
                            && let Some(old) = there.messages.pop_front()
                        {
                            self.messages.remove(&old.id);
                        }
                    }
                }
                _ => {}
            }
        }
        let whole = |id: u32, channel: &Channel| match channel.kind {
            ChannelKind::Global => id <= CONTENT_CHANNEL_MAX,
            ChannelKind::Direct => channel.members.len() == 2,
            // A party ends with its world.
            ChannelKind::Group if channel.party => false,
            ChannelKind::Home | ChannelKind::Group => {
                channel.owner.is_some_and(|owner| owner == ARCHITECT || channel.members.contains_key(&owner))
            }
        };
        let broken: Vec<u32> = self.iter().filter(|(id, channel)| !whole(*id, channel)).map(|(id, _)| id).collect();
        for id in broken {
            self.close(id);
        }
        let next = self.next_message;
        for person in self.people.values_mut().map(Arc::make_mut) {
            // Who was here when that world ended has missed nothing that it did not hear.
            if person.away_from.is_none() || person.back_at.is_some() {
                (person.away_from, person.back_at) = (Some(next), None);
            }
        }
    }

    /// Puts other words in the place of all that people wrote: messages, words that wait, billboards, keys and the
    /// names of groups.
    pub fn rewrite(&mut self, write: impl Fn(&str) -> String) {
        for channel in self.list.values_mut().map(Arc::make_mut) {
            channel.rewrite(&write);
        }
    }

    /// One sentence for each thing that is wrong.
    pub fn check(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut held = 0;
        for (id, channel) in self.iter() {
            let is_content = id <= CONTENT_CHANNEL_MAX && id != protocol::channel::ARCHITECT;
            held += channel.messages.len();
            if !channel.messages.iter().is_sorted_by_key(|message| message.id) {
                wrong.push(format!("messages of channel {id} do not rise"));
            }
            if channel.messages.iter().any(|message| self.messages.get(&message.id) != Some(&id)) {
                wrong.push(format!("a message of channel {id} is not in the index"));
            }
            let is_big = channel.messages.len() > CHANNEL_MESSAGES_MAX
                || channel.members.len() > MEMBERS_MAX && !is_content
                || channel.keys.len() > KEYS_MAX
                || channel.invited.len() > KEYS_MAX
                || channel.requests.len() > REQUESTS_MAX;
            if is_big {
                wrong.push(format!("channel {id} is too big"));
            }
            if channel
                .owner
                .is_some_and(|owner| owner != protocol::channel::ARCHITECT && !channel.members.contains_key(&owner))
            {
                wrong.push(format!("the owner of channel {id} is no member"));
            }
            for (person, member) in &channel.members {
                let mirrored = self.person(*person).is_some_and(|person| person.channels.contains(&id) != is_content);
                if !mirrored {
                    wrong.push(format!("{person} in channel {id} does not know of it"));
                }
                if member.queue.is_empty() == self.waiting.contains(&(id, *person)) {
                    wrong
                        .push(format!("the words of {person} in channel {id} and the list of those who wait disagree"));
                }
                if member.queue.len() > QUEUE_MAX || member.waiting_words() > QUEUE_WORDS_MAX {
                    wrong.push(format!("too many words of {person} wait in channel {id}"));
                }
                if channel.parted.contains_key(person) {
                    wrong.push(format!("{person} has left channel {id} and is in it"));
                }
                if member.account.budget() > pace::FULL {
                    wrong.push(format!("the account of {person} in channel {id} is too full"));
                }
            }
        }
        if held > MESSAGES_MAX {
            wrong.push(format!("{held} messages are held, and {MESSAGES_MAX} is the most"));
        }
        if held != self.messages.len() {
            wrong.push(format!("{held} messages are held, and {} are in the index", self.messages.len()));
        }
        for (folded, id) in &self.by_display {
            if self.person(*id).is_none_or(|person| *names::folded(&person.display) != **folded) {
                wrong.push(format!("{id} is not shown as {folded}"));
            }
        }
        for (id, person) in self.people() {
            if person.channels.iter().any(|channel| !self.get(*channel).is_some_and(|c| c.members.contains_key(&id))) {
                wrong.push(format!("{id} knows of a channel that does not know of it"));
            }
            if person.channels.iter().filter(|channel| **channel != ARCHITECT).count() > MEMBERSHIPS_MAX {
                wrong.push(format!("{id} is in more than {MEMBERSHIPS_MAX} channels"));
            }
            if id >= self.next_id {
                wrong.push(format!("the id {id} is not counted"));
            }
        }
        if self.messages.keys().next_back().is_some_and(|newest| *newest >= self.next_message) {
            wrong.push("a message has a number that is not counted".to_string());
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_that_talk_on_slow_each_other_down_by_steps_and_people_never() {
        let mut channel = Channel::new(ChannelKind::Group, Some(100), 80, 1_000);
        for (in_a_row, slow) in [(15, 80), (16, 40), (31, 40), (32, 20), (47, 20), (48, 10), (900, 10)] {
            channel.agents_in_a_row = in_a_row;
            let rate = channel.rate(true);
            assert_eq!(rate.slow, slow, "after {in_a_row} messages");
            assert_eq!(channel.rate(false), Rate::steady(80), "people, after {in_a_row}");
            // Until there was silence for 150 ticks.
            assert_eq!(channel.is_cooling(1_149), in_a_row >= 16);
            assert!(!channel.is_cooling(1_150) && rate.full == 80 && rate.until <= 1_150);
        }
        channel.cooling = false;
        assert_eq!((channel.rate(true), channel.is_cooling(1_001)), (Rate::steady(80), false), "switched off");
        // A pace that is slower than the last step is kept.
        let crawling = Channel { cooling: true, wpm: 8, ..channel };
        assert_eq!(crawling.rate(true).slow, 8);
    }
}
