//! Who is in a channel: making one, joining, asking, inviting, leaving, closing.

use super::is_content;
use crate::arena::CharacterId;
use crate::channel::{
    Access, CREATED_MAX, Channel, ChannelKind, KEYS_MAX, MEMBERS_MAX, MEMBERSHIPS_KEPT, MEMBERSHIPS_MAX, Member,
    NAME_CHARS, REQUEST_TICKS, REQUESTS_MAX, Request, SILENCE_TICKS, WRONG_KEYS_MAX, WRONG_KEYS_TICKS, names, pace,
};
use crate::refusal::{Done, Refusal};
use crate::world::World;
use content::Text;
use protocol::attention::Acts;
use protocol::channel::ARCHITECT;

/// How somebody is no member any more, as the others read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    Went,
    Removed,
}

/// What a program reads of a channel that is none of its.
pub(crate) fn for_people_only(row: &content::Channel) -> Refusal {
    format!("The {} channel is for people: programs neither speak nor listen there.", row.name).into()
}

const IS_IN: &str = "They are in that channel already.";

impl World {
    /// A group of its maker's, with a name.
    pub(crate) fn create_channel(&mut self, person: u32, typed: &str) -> Result<u32, Refusal> {
        let name = typed.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = name.chars().count();
        let folded = names::folded(&name);
        if !(2..=NAME_CHARS).contains(&length) || folded.len() < 2 {
            return Err(
                format!("A channel needs a name of 2 to {NAME_CHARS} characters: channel create Night Watch").into()
            );
        }
        names::check_signs(&name)?;
        names::check_reserved(&name)?;
        if folded.starts_with(|c: char| c.is_ascii_digit()) {
            return Err("A channel's name begins with a letter; digits are taken for its number.".into());
        }
        let taken = folded == "home"
            || self.content.channels.iter().any(|row| *row.name == *folded)
            || self.person_named(&folded).is_some()
            || self.state.channels.iter().any(|(_, channel)| names::folded(&channel.name) == folded);
        if taken {
            return Err("Something or somebody is called that already.".into());
        }
        let made = self.state.channels.iter().filter(|(_, channel)| {
            channel.kind == ChannelKind::Group && !channel.party && channel.owner == Some(person)
        });
        if made.count() >= CREATED_MAX {
            return Err(
                format!("You have made {CREATED_MAX} channels; close one first: channel close in <channel>").into()
            );
        }
        self.has_room_for_one_more(person)?;
        let tick = self.tick();
        let id = self.state.channels.new_id();
        let channel = Channel { name: name.into(), ..Channel::new(ChannelKind::Group, Some(person), pace::WPM, tick) };
        self.state.channels.open(id, channel);
        self.state.channels.join(id, person, tick);
        self.changed(id);
        Ok(id)
    }

    /// Somebody who wants to be in one more channel may. There is always room for the own home and for a party.
    fn has_room_for_one_more(&self, person: u32) -> Done {
        const MOST: usize = MEMBERSHIPS_MAX - MEMBERSHIPS_KEPT;
        let is_kept = |id: u32| {
            id == person || id == ARCHITECT || self.state.channels.get(id).is_some_and(|channel| channel.party)
        };
        let all = self.state.channels.person(person).into_iter().flat_map(|person| &person.channels);
        match all.filter(|id| !is_kept(**id)).count() >= MOST {
            true => Err(format!(
                "You are in {MOST} channels beside your home and your party; leave one first: channel leave <channel>"
            )
            .into()),
            false => Ok(()),
        }
    }

    /// The direct channel of two; made where there is none. Where either has no room for it, that one's quietest direct
    /// channel gives way.
    pub(crate) fn direct_channel(&mut self, one: u32, other: u32) -> Result<u32, Refusal> {
        if let Some(id) = self.state.channels.direct(one, other) {
            return Ok(id);
        }
        for person in [one, other] {
            if self.has_room_for_one_more(person).is_err() {
                let quietest = self.quietest_direct(person).ok_or("Too many talk to you, or to them, already.")?;
                self.close_channel(quietest);
            }
        }
        let tick = self.tick();
        let id = self.state.channels.new_id();
        let channel = Channel { access: Access::Closed, ..Channel::new(ChannelKind::Direct, None, pace::WPM, tick) };
        self.state.channels.open(id, channel);
        for person in [one, other] {
            self.state.channels.join(id, person, tick);
        }
        // Nobody is called to it before something is said.
        self.changed(id);
        Ok(id)
    }

    fn quietest_direct(&self, person: u32) -> Option<u32> {
        let channels = self.state.channels.person(person)?.channels.iter().copied();
        let directs = channels.filter_map(|id| Some((self.state.channels.get(id)?, id)));
        let directs = directs.filter(|(channel, _)| channel.kind == ChannelKind::Direct);
        directs.map(|(channel, id)| (channel.last_tick, id)).min().map(|(_, id)| id)
    }

    /// Comes in where that needs nobody's leave.
    pub(crate) fn join_channel(&mut self, who: CharacterId, person: u32, id: u32) -> Done {
        if self.is_member(person, id) {
            return Err("You are in that channel already.".into());
        }
        if let Some((_, row)) = self.content.channel_numbered(id) {
            if row.people_only && self.who(who).player().is_some_and(|player| player.agent) {
                return Err(for_people_only(row));
            }
            let setting = row.setting.clone();
            self.player_mut(who).deaf_to.remove(&*setting);
            self.changed_for(person, id);
            return Ok(());
        }
        let closed = || Refusal::from("You are not let in there. With a key, ask: request <channel> <key>");
        // The Architect needs no key, but stays out of what two tell each other.
        let enters = self.state.agents.architect() == Some(person) && self.channel_kind(id) != ChannelKind::Direct;
        if enters && self.state.channels.person(id).is_some() {
            self.channel_in_use(id);
        }
        let channel = self.state.channels.get(id).ok_or_else(closed)?;
        if channel.access != Access::Open && !channel.invited.contains(&person) && !enters {
            return Err(closed());
        }
        self.may_come_in(id, person)?;
        self.let_in(id, person);
        Ok(())
    }

    /// Whether there is room for one more, there and in what somebody follows.
    fn may_come_in(&self, id: u32, person: u32) -> Done {
        if self.state.channels.get(id).is_some_and(|channel| channel.members.len() >= MEMBERS_MAX) {
            return Err(format!("{MEMBERS_MAX} are in there, and that is the most.").into());
        }
        self.has_room_for_one_more(person)
    }

    fn let_in(&mut self, id: u32, person: u32) {
        let tick = self.tick();
        let name = self.name_and_id(person);
        self.notice(id, format!("{name} has joined."));
        self.state.channels.join(id, person, tick);
        self.changed(id);
    }

    /// Asks a channel's owner to be let in.
    pub(crate) fn request_access(&mut self, person: u32, id: u32, key: &str) -> Result<u64, Refusal> {
        let tick = self.tick();
        if self.is_member(person, id) {
            return Err("You are in that channel already.".into());
        }
        self.own_kind(id)?;
        let tried = self.state.channels.person_mut(person).map(|person| {
            person.wrong_keys.retain(|tried| tick < tried + WRONG_KEYS_TICKS);
            person.wrong_keys.len()
        });
        if tried.unwrap_or_default() >= WRONG_KEYS_MAX {
            return Err("You have tried too many wrong keys. Wait a few minutes.".into());
        }
        let fits =
            self.state.channels.get(id).is_some_and(|channel| {
                channel.access == Access::Key && channel.keys.iter().any(|known| **known == *key)
            });
        if !fits {
            if let Some(person) = self.state.channels.person_mut(person) {
                person.wrong_keys.push_back(tick);
            }
            return Err("That key opens nothing there.".into());
        }
        self.has_room_for_one_more(person)?;
        let channel = self.state.channels.get(id).expect("a key of its fits");
        if let Some(open) = channel.requests.iter().find(|request| request.person == person) {
            return Err(format!("You have asked already (#{}); its owner has not answered yet.", open.id).into());
        }
        if channel.requests.len() >= REQUESTS_MAX {
            return Err("Too many ask to be let in there already.".into());
        }
        let name = self.name_and_id(person);
        // Which key it is, is for the owner only.
        let number = self.notice(id, format!("{name} asks to be let in."));
        let request = Request { id: number, person, key: key.into(), tick };
        let owner = self.state.channels.get_mut(id).and_then(|channel| {
            channel.requests.push(request);
            channel.owner
        });
        if let Some(owner) = owner {
            self.tell_of_channel(
                owner,
                format!("It has the key {key}. To answer: channel grant {number}, or channel deny {number}"),
            );
            self.changed_for(owner, id);
        }
        Ok(number)
    }

    /// The owner's answer to a request.
    pub(crate) fn answer_request(&mut self, owner: u32, number: u64, grant: bool) -> Result<Text, Refusal> {
        let found = self.state.channels.iter().find_map(|(id, channel)| {
            let request = channel.requests.iter().find(|request| request.id == number)?;
            self.owns(owner, channel).then(|| (id, request.clone(), channel.members.len()))
        });
        let Some((id, request, members)) = found else {
            return Err(format!("Nobody waits for your answer to #{number}. Your requests: channel show").into());
        };
        if grant && members >= MEMBERS_MAX {
            return Err(format!("{MEMBERS_MAX} are in there, and that is the most.").into());
        }
        if grant && self.has_room_for_one_more(request.person).is_err() {
            return Err(format!("{} is in too many channels.", self.display_name(request.person)).into());
        }
        if let Some(channel) = self.state.channels.get_mut(id) {
            channel.requests.retain(|other| other.id != number);
        }
        let name = self.channel_name(id, request.person);
        if grant {
            self.let_in(id, request.person);
            self.tell_of_channel(request.person, format!("[{id} {name}] You are let in."));
        } else {
            self.tell_of_channel(request.person, format!("[{id} {name}] You are not let in."));
            self.changed_for(owner, id);
        }
        Ok(self.display_name(request.person))
    }

    /// Somebody is a member from now on, at whosever word.
    pub(crate) fn bring_in(&mut self, id: u32, guest: u32) -> Done {
        self.channel_in_use(id);
        if self.is_member(guest, id) {
            return Err(IS_IN.into());
        }
        self.may_come_in(id, guest)?;
        self.let_in(id, guest);
        Ok(())
    }

    /// Whoever is invited may join without a key.
    pub(crate) fn invite(&mut self, id: u32, guest: u32) -> Done {
        let channel = self.channel_in_use(id);
        if channel.members.contains_key(&guest) {
            return Err(IS_IN.into());
        }
        if channel.invited.contains(&guest) {
            return Err("They are invited already.".into());
        }
        if channel.invited.len() >= KEYS_MAX {
            return Err(format!("{KEYS_MAX} are invited and have not come; that is the most.").into());
        }
        channel.invited.insert(guest);
        let name = self.channel_name(id, guest);
        self.tell_of_channel(guest, format!("[{id} {name}] You are invited. To come in: channel join {id}"));
        self.changed_for(guest, id);
        Ok(())
    }

    /// Somebody is no member any more. Does nothing for who is none.
    pub(crate) fn part(&mut self, id: u32, person: u32, how: Left) {
        if !self.state.channels.get(id).is_some_and(|channel| channel.members.contains_key(&person)) {
            return;
        }
        let name = self.channel_name(id, person);
        let words = self.state.channels.leave(id, person);
        if let Some(who) = self.character_of(person) {
            self.give_back(who, &words, "Not said any more");
            self.changed_channels.insert((who, id));
        }
        let shown = self.name_and_id(person);
        match how {
            Left::Went => {
                self.notice(id, format!("{shown} has left."));
            }
            Left::Removed => {
                self.notice(id, format!("{shown} was put out."));
                self.tell_of_channel(person, format!("[{id} {name}] You are put out."));
            }
        }
        self.changed(id);
    }

    /// An account was deleted: its channels close, its name is free again, and its messages stay without a name.
    pub(crate) fn forget_person(&mut self, name: &str) {
        let Some(id) = self.state.channels.named(name) else { return };
        let own: Vec<u32> =
            self.state.channels.person(id).into_iter().flat_map(|p| p.channels.iter().copied()).collect();
        for channel in own {
            let closes = self
                .state
                .channels
                .get(channel)
                .is_some_and(|there| there.kind == ChannelKind::Direct || there.owner == Some(id));
            if closes { self.close_channel(channel) } else { self.part(channel, id, Left::Went) }
        }
        let content: Vec<u32> = self.content.channels.iter().map(|row| row.id).collect();
        for channel in content {
            self.state.channels.forget_account(channel, id);
        }
        self.state.channels.forget(id);
        self.state.agents.forget(id);
    }

    /// A channel is no more. Words that wait in it come back to their speakers.
    pub(crate) fn close_channel(&mut self, id: u32) {
        let Some(channel) = self.state.channels.get(id) else { return };
        let members: Vec<u32> = channel.members.keys().copied().collect();
        let names: Vec<Text> = members.iter().map(|member| self.channel_name(id, *member)).collect();
        let is_direct = channel.kind == ChannelKind::Direct;
        let Some(closed) = self.state.channels.close(id) else { return };
        for guest in &closed.invited {
            self.changed_for(*guest, id);
        }
        for (person, name) in members.into_iter().zip(names) {
            let Some(who) = self.character_of(person) else { continue };
            let words: Vec<_> = closed.members[&person].queue.iter().cloned().collect();
            self.give_back(who, &words, "Not said any more");
            if !is_direct && !closed.party {
                self.tell_of_channel(person, format!("[{id} {name}] The channel is closed."));
            }
            self.changed_channels.insert((who, id));
        }
    }

    /// What nobody answered in a day, tells that fell silent, and what is kept of those who are long gone are let go.
    /// Called now and then.
    pub(crate) fn tidy_channels(&mut self) {
        let tick = self.tick();
        let mut silent = Vec::new();
        let mut stale = Vec::new();
        let mut gone = Vec::new();
        for (id, channel) in self.state.channels.iter() {
            gone.extend(self.forgettable(id, channel).map(|person| (id, person)));
            if channel.kind == ChannelKind::Direct && tick >= channel.last_tick + SILENCE_TICKS {
                silent.push(id);
            }
            if channel.requests.iter().any(|request| tick >= request.tick + REQUEST_TICKS) {
                stale.push(id);
            }
        }
        for (id, person) in gone {
            self.state.channels.forget_account(id, person);
        }
        for id in silent {
            self.close_channel(id);
        }
        for id in stale {
            let owner = self.state.channels.get_mut(id).and_then(|channel| {
                channel.requests.retain(|request| tick < request.tick + REQUEST_TICKS);
                channel.owner
            });
            if let Some(owner) = owner {
                self.changed_for(owner, id);
            }
        }
    }

    /// Those of whom a channel knows nothing that a newcomer would not have: who left and has a full account again, and
    /// of a channel of the content who did nothing there for as long as tells are kept.
    fn forgettable(&self, id: u32, channel: &Channel) -> impl Iterator<Item = u32> {
        let tick = self.tick();
        let is_full = move |person: u32, account: pace::Account| {
            account.at(tick, channel.rate(self.is_program(person))).budget() == pace::FULL
        };
        let parted = channel.parted.iter().filter(move |(person, account)| is_full(**person, **account));
        let idle = channel.members.iter().filter(move |(person, member)| {
            let new = Member { account: member.account, read: member.read, ..Member::joining(0, member.joined) };
            let untouched = Member { last_spoke: None, acts: Acts::default(), ..(*member).clone() } == new;
            let long_ago = |spoke: u64| tick >= spoke + SILENCE_TICKS;
            // What it has read is not to come up as unread again.
            let away_from = self.state.channels.person(**person).and_then(|person| person.away_from);
            is_content(id)
                && untouched
                && member.acts.at(tick) == 0
                && member.last_spoke.is_none_or(long_ago)
                && away_from.is_none_or(|from| from > member.read)
                && is_full(**person, member.account)
        });
        parted.map(|(person, _)| *person).chain(idle.map(|(person, _)| *person))
    }

    // Parties: a group channel that is made and closed with them.

    /// The channel of the party that a person leads.
    pub(crate) fn party_channel(&self, leader: u32) -> Option<u32> {
        let channels = self.state.channels.person(leader)?.channels.iter().copied();
        channels.into_iter().find(|id| {
            self.state.channels.get(*id).is_some_and(|channel| channel.party && channel.owner == Some(leader))
        })
    }

    /// Two who are of one party now.
    pub(crate) fn party_joins(&mut self, leader: CharacterId, member: CharacterId) {
        let (Some(leader), Some(member)) = (self.person_of(leader), self.person_of(member)) else { return };
        let tick = self.tick();
        let id = self.party_channel(leader).unwrap_or_else(|| {
            let id = self.state.channels.new_id();
            let name = format!("{}'s party", self.display_name(leader));
            let channel = Channel {
                name: name.into(),
                party: true,
                access: Access::Closed,
                ..Channel::new(ChannelKind::Group, Some(leader), pace::WPM, tick)
            };
            self.state.channels.open(id, channel);
            self.state.channels.join(id, leader, tick);
            id
        });
        self.state.channels.join(id, member, tick);
        self.changed(id);
    }

    /// A member of a party goes.
    pub(crate) fn party_parts(&mut self, leader: CharacterId, member: CharacterId) {
        let (Some(leader), Some(member)) = (self.person_of(leader), self.person_of(member)) else { return };
        let Some(id) = self.party_channel(leader) else { return };
        let words = self.state.channels.leave(id, member);
        if let Some(who) = self.character_of(member) {
            self.give_back(who, &words, "Not said any more");
            self.changed_channels.insert((who, id));
        }
        self.changed(id);
        if self.state.channels.get(id).is_some_and(|channel| channel.members.len() < 2) {
            self.close_channel(id);
        }
    }

    /// A party breaks up.
    pub(crate) fn party_ends(&mut self, leader: CharacterId) {
        if let Some(id) = self.person_of(leader).and_then(|leader| self.party_channel(leader)) {
            self.close_channel(id);
        }
    }

    /// Leaves what can be left.
    pub(crate) fn leave_channel(&mut self, who: CharacterId, person: u32, id: u32) -> Done {
        if let Some((_, row)) = self.content.channel_numbered(id) {
            let setting = row.setting.clone();
            self.player_mut(who).deaf_to.insert(setting);
            self.changed_for(person, id);
            return Ok(());
        }
        let Some(channel) = self.state.channels.get(id) else {
            return Err("Your home is yours; nobody leaves that.".into());
        };
        let is_architect = self.state.agents.architect() == Some(person);
        if channel.owner == Some(ARCHITECT) && is_architect {
            return Err("Your home is yours; nobody leaves that.".into());
        }
        if channel.party && !is_architect {
            return Err("That is your party's; you leave it with the party: ungroup".into());
        }
        if channel.kind == ChannelKind::Home && id == person {
            return Err("Your home is yours; nobody leaves that.".into());
        }
        if self.owns(person, channel) {
            return Err(format!("It is yours; you can close it: channel close in {id}").into());
        }
        if channel.kind == ChannelKind::Direct {
            return Err(
                "Tells end by themselves when nobody says anything for a week. To hear none: channel mute".into()
            );
        }
        self.part(id, person, Left::Went);
        Ok(())
    }
}
