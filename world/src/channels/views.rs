//! What programs are told of channels: the payloads of the frames `channels`, `message` and `reaction`, for one reader.

use super::is_content;
use super::message::someone;
use crate::channel::{ChannelKind, Member, Message};
use crate::clock::TICK_SECONDS;
use crate::world::World;
use protocol::attention::{Attention, Claim, shares};
use protocol::channel as wire;

/// Members and messages of one channel that a frame has.
const MEMBERS_SHOWN: usize = 50;
const MESSAGES_SHOWN: usize = 20;

/// Invitations that somebody is told of at once.
const INVITED_MAX: usize = 20;

impl World {
    /// The channels of a person as its client is told of them. `only`: those that changed, without their messages;
    /// without it all, with their newest.
    pub fn channels_frame(&self, reader: u32, only: Option<&[u32]>) -> wire::Channels {
        let all = self.channels_of(reader);
        let claims: Vec<Claim> = all.iter().map(|id| self.claim(reader, *id)).collect();
        let shares = shares(&claims);
        let is_told = |id: &u32| only.is_none_or(|only| only.contains(id));
        let told = all.iter().zip(&shares).filter(|(id, _)| is_told(id));
        let channels = told.map(|(id, share)| self.channel_view(reader, *id, *share, only.is_none())).collect();
        // To find them takes a look at every channel: only where one that is not the reader's has changed for it.
        let others: Vec<u32> = only.unwrap_or_default().iter().copied().filter(|id| !all.contains(id)).collect();
        let (is_login, is_news) = (only.is_none(), !others.is_empty());
        let invitations = (is_login || is_news).then(|| self.invitations_of(reader));
        let invitations = invitations.filter(|all| is_news || !all.is_empty());
        let invites = |id: &u32| invitations.iter().flatten().any(|invitation| invitation.id == *id);
        let removed = others.into_iter().filter(|id| !invites(id)).collect();
        let you = if self.state.agents.architect() == Some(reader) { wire::ARCHITECT } else { reader };
        wire::Channels { full: only.is_none(), you, channels, removed, invitations }
    }

    /// Where somebody is invited and has not come.
    pub(crate) fn invitations_of(&self, person: u32) -> Vec<wire::Invitation> {
        let channels = self.state.channels.iter().filter(|(_, channel)| channel.invited.contains(&person));
        channels.map(|(id, _)| wire::Invitation { id, name: self.channel_name(id, person) }).take(INVITED_MAX).collect()
    }

    /// What a channel wants of its reader's attention.
    fn claim(&self, reader: u32, id: u32) -> Claim {
        let member = self.state.channels.get(id).and_then(|channel| channel.members.get(&reader));
        member
            .map_or(Claim::default(), |member| Claim { attention: member.attention, acts: member.acts.at(self.tick()) })
    }

    /// What of a reader's attention goes to a channel of its, in tenths of a percent.
    pub fn attention_share(&self, reader: u32, id: u32) -> u32 {
        let all = self.channels_of(reader);
        let claims: Vec<Claim> = all.iter().map(|id| self.claim(reader, *id)).collect();
        all.iter().zip(shares(&claims)).find(|(other, _)| **other == id).map_or(0, |(_, share)| share)
    }

    fn member_view(&self, id: u32, reader: u32, person: u32) -> wire::Person {
        let there = self.state.channels.get(id).filter(|channel| channel.kind == ChannelKind::Direct);
        let acquainted = there.and_then(|channel| channel.members.get(&reader)).is_none_or(|member| member.acquainted);
        if person == reader || acquainted { self.person_view(person) } else { someone() }
    }

    fn channel_view(&self, reader: u32, id: u32, share: u32, messages: bool) -> wire::Channel {
        let there = self.state.channels.get(id);
        let member: Option<&Member> = there.and_then(|channel| channel.members.get(&reader));
        let (waiting, ticks) = self.waiting_in(id, reader);
        let owner = match there {
            Some(channel) => channel.owner,
            None => (!is_content(id)).then_some(id),
        };
        let is_owner = there.map_or(owner == Some(reader), |channel| self.owns(reader, channel));
        let kind = self.channel_kind(id);
        let members: Vec<wire::Person> = match (kind, there) {
            (ChannelKind::Global, _) => Vec::new(),
            (_, Some(channel)) => {
                channel.members.keys().take(MEMBERS_SHOWN).map(|person| self.member_view(id, reader, *person)).collect()
            }
            (_, None) => vec![self.person_view(reader)],
        };
        let member_count = match kind {
            ChannelKind::Global => self.state.players.len() as u32,
            _ => there.map_or(1, |channel| channel.members.len() as u32),
        };
        let newest = match there {
            Some(channel) if messages => {
                let from = self.seen_from(channel, reader);
                let skip = channel.messages.len().saturating_sub(MESSAGES_SHOWN);
                let who = self.character_of(reader);
                let hears = |message: &Message| who.is_none_or(|who| !self.ignores_message(who, message));
                let shown = channel.messages.iter().skip(skip).filter(|message| message.id >= from && hears(message));
                shown.map(|message| self.message_for(reader, id, message, self.is_to(reader, kind, message))).collect()
            }
            _ => Vec::new(),
        };
        let row = self.content.channel_numbered(id).map(|(_, row)| row);
        wire::Channel {
            id,
            name: self.channel_name(id, reader),
            kind,
            owner,
            is_self_room: id == reader || (id == wire::ARCHITECT && is_owner),
            members,
            member_count,
            attention: member.map_or(Attention::default(), |member| member.attention).to_string().into(),
            attention_pct: f64::from(share) / 10.0,
            wpm: there.map_or_else(|| row.map_or(crate::channel::pace::WPM, |row| row.wpm), |channel| channel.wpm),
            word_budget: self.word_budget(id, reader),
            waiting,
            wait_s: (ticks * TICK_SECONDS) as u32,
            last_spoke_tick: member.and_then(|member| member.last_spoke),
            muted: member.is_some_and(|member| member.muted_from.is_some()),
            unread: self.unread(reader, id),
            billboard: there.map(|channel| channel.billboard.clone()).filter(|text| !text.is_empty()),
            my_keys: there.filter(|_| is_owner).map(|c| c.keys.iter().cloned().collect()).unwrap_or_default(),
            pending_access_requests: there
                .filter(|_| is_owner)
                .map(|channel| {
                    let requests = channel.requests.iter();
                    requests
                        .map(|request| wire::AccessRequest {
                            id: request.id,
                            requester_id: request.person,
                            key_used: request.key.clone(),
                        })
                        .collect()
                })
                .unwrap_or_default(),
            messages: newest,
        }
    }

    /// Whether an older message was to this reader: told to it, an answer to it, or with its name.
    fn is_to(&self, reader: u32, kind: ChannelKind, message: &Message) -> bool {
        if message.sender.id == Some(reader) {
            return false;
        }
        let answers = || {
            let answered = message.reply_to.and_then(|id| self.state.channels.message(id));
            answered.is_some_and(|(_, answered)| answered.sender.id == Some(reader))
        };
        let is_named = || {
            self.mentioned_in(&message.text).any(|named| named == reader)
                || self.is_meant_by_first_name(reader, &message.text)
        };
        kind == ChannelKind::Direct || answers() || is_named()
    }
}
