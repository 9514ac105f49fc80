//! What changed of persons, channels, agents and plots, row by row, as it is kept outside of the world: one type for
//! what the world tells and for what a world without its state of before is given back.
//!
//! Invariant: a row stands alone. Of a person it has no channels, of a channel neither members nor messages: these have
//! rows of their own. Words that wait are their speaker's: they are in its row as a member.

use super::{Channel, Member, Message, Person};
use crate::agent::row::{AgentKey, AgentRow};
use crate::ground::Ground;
use crate::number::InputNumber;
use content::{Text, Vnum};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// One thing as it is now; `None`: it is gone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Row {
    Person {
        id: u32,
        person: Option<Box<Person>>,
    },
    Channel {
        id: u32,
        channel: Option<Box<Channel>>,
    },
    Member {
        channel: u32,
        person: u32,
        member: Option<Box<Member>>,
    },
    Message {
        channel: u32,
        message: Arc<Message>,
    },
    Agent(AgentRow),
    Complaint(Box<Complaint>),
    /// What was built in a room, by its number.
    Plot {
        room: Vnum,
        ground: Arc<Ground>,
    },
}

/// What a player complained of somebody, with the moment: kept outside of the world only, for those who keep order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Complaint {
    /// From the numbers of messages.
    pub id: u64,
    pub by: u32,
    pub by_name: Text,
    pub about: u32,
    pub about_name: Text,
    /// Where it was written.
    pub room: Vnum,
    pub place: Text,
    pub words: Text,
    pub tick: u64,
    /// The input that typed it.
    pub input: InputNumber,
}

/// What a row is of: a later row of the same replaces an earlier one. In the order in which rows are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RowKey {
    Person(u32),
    Agent(AgentKey),
    Plot(Vnum),
    Channel(u32),
    Member(u32, u32),
    Complaint(u64),
    Message(u64),
}

impl Row {
    pub fn key(&self) -> RowKey {
        match self {
            Row::Person { id, .. } => RowKey::Person(*id),
            Row::Channel { id, .. } => RowKey::Channel(*id),
            Row::Member { channel, person, .. } => RowKey::Member(*channel, *person),
            Row::Message { message, .. } => RowKey::Message(message.id),
            Row::Agent(row) => RowKey::Agent(row.key()),
            Row::Plot { room, .. } => RowKey::Plot(*room),
            Row::Complaint(complaint) => RowKey::Complaint(complaint.id),
        }
    }

    /// Puts other words in the place of all that people wrote.
    pub fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        match self {
            Row::Channel { channel: Some(channel), .. } => channel.rewrite(write),
            Row::Message { message, .. } => {
                let message = Arc::make_mut(message);
                message.text = write(&message.text).into();
            }
            Row::Member { member: Some(member), .. } => member.rewrite(write),
            Row::Agent(row) => row.rewrite(write),
            Row::Plot { ground, .. } => Arc::make_mut(ground).rewrite(write),
            Row::Complaint(complaint) => complaint.words = write(&complaint.words).into(),
            Row::Person { .. } | Row::Channel { .. } | Row::Member { .. } => {}
        }
    }

    pub(super) fn of_person(id: u32, person: Option<&Person>) -> Row {
        let alone = |person: &Person| Person {
            channels: BTreeSet::new(),
            wrong_keys: VecDeque::new(),
            told_by: None,
            ..person.clone()
        };
        Row::Person { id, person: person.map(|person| Box::new(alone(person))) }
    }

    pub(super) fn of_channel(id: u32, channel: Option<&Channel>) -> Row {
        let alone = |channel: &Channel| Channel {
            name: channel.name.clone(),
            billboard: channel.billboard.clone(),
            keys: channel.keys.clone(),
            invited: channel.invited.clone(),
            requests: channel.requests.clone(),
            members: BTreeMap::new(),
            parted: BTreeMap::new(),
            messages: VecDeque::new(),
            ..*channel
        };
        Row::Channel { id, channel: channel.map(|channel| Box::new(alone(channel))) }
    }

    pub(super) fn of_member(channel: u32, person: u32, member: Option<&Member>) -> Row {
        Row::Member { channel, person, member: member.map(|member| Box::new(member.clone())) }
    }
}

/// What was changed since it was last asked. Not state.
#[derive(Clone, Debug, Default)]
pub(super) struct Changed {
    pub people: BTreeSet<u32>,
    pub channels: BTreeSet<u32>,
    pub members: BTreeSet<(u32, u32)>,
    /// With those that have left the state meanwhile.
    pub messages: BTreeMap<u64, Option<(u32, Arc<Message>)>>,
}

impl Changed {
    /// A message leaves the state. What was to be kept of it still is.
    pub fn let_go(&mut self, channel: u32, message: &Arc<Message>) {
        if let Some(kept) = self.messages.get_mut(&message.id) {
            *kept = Some((channel, message.clone()));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.channels.is_empty() && self.members.is_empty() && self.messages.is_empty()
    }
}
