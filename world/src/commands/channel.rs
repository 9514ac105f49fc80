//! The verb `channel`: what channels there are, what was said in them, who is in them, and what their owners set.

use super::chat::{percent, person};
use super::parts::{self, Part};
use crate::arena::CharacterId;
use crate::channel::pace::ALWAYS;
use crate::channel::{Access, ChannelKind, Message, MessageKind};
use crate::channels::{Left, is_content, remembered};
use crate::clock::TICKS_PER_MINUTE;
use crate::find::first_word;
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{HistoryRequest, LineKind, Request, Style};
use crate::world::World;
use protocol::channel::Invitation;
use std::sync::Arc;

/// Messages that `channel history` shows at most, and where nobody says how many.
const HISTORY_MAX: usize = 50;
const HISTORY: usize = 20;

/// With fewer words left than this a person is told so.
const SHORT_OF_BREATH: u32 = 50;

/// Words after the verb.
const PARTS: &[(&str, Part)] = &[
    ("list", list),
    ("show", show),
    ("read", read),
    ("seen", seen),
    ("history", history),
    ("join", join),
    ("leave", leave),
    ("mute", mute),
    ("unmute", unmute),
    ("drop", drop_words),
    ("create", create),
    ("billboard", billboard),
    ("wpm", wpm),
    ("cooling", cooling),
    ("access", access),
    ("key", key),
    ("grant", grant),
    ("deny", deny),
    ("invite", invite),
    ("remove", remove),
    ("hide", hide),
    ("close", close),
];

/// The words that may follow `channel`.
pub fn words() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(name, _)| *name)
}

pub fn channel(world: &mut World, who: CharacterId, args: &str) -> Done {
    parts::run(PARTS, "channels", world, who, args)
}

/// A text without `in <channel>` at its end, and that channel; without it, the person's home. It has to be the
/// person's.
fn with_owned<'a>(world: &World, person: u32, text: &'a str) -> Result<(u32, &'a str), Refusal> {
    let text = text.trim();
    let (head, word) = match text.rsplit_once(char::is_whitespace) {
        Some((head, word)) => (head.trim_end(), word),
        None => return Ok((person, text)),
    };
    let before = match head.rsplit_once(char::is_whitespace) {
        Some((before, last)) if last.eq_ignore_ascii_case("in") => before.trim_end(),
        None if head.eq_ignore_ascii_case("in") => "",
        _ => return Ok((person, text)),
    };
    Ok((world.owned(person, world.channel_word(person, word)?)?, before))
}

/// The answer to something that was set.
fn set(world: &mut World, who: CharacterId, person: u32, id: u32, what: &str) -> Done {
    let name = world.channel_name(id, person);
    world.send(who, LineKind::Chat, format!("[{id} {name}] {what}"));
    Ok(())
}

fn page(world: &mut World, who: CharacterId, page: Page) -> Done {
    world.send_line(who, Arc::new(page.into_line()));
    Ok(())
}

fn list(world: &mut World, who: CharacterId, person: u32, _: &str) -> Done {
    let mut text = Page::for_reader(world.who(who));
    text.line(Style::Heading, "Your channels:");
    for id in world.channels_of(person) {
        let kind = world.channel_kind(id);
        let name: String = world.channel_name(id, person).chars().take(24).collect();
        let mut row = match world.is_program(person) {
            true => {
                format!("{:>7} {:>4} words", percent(world.attention_share(person, id)), world.word_budget(id, person))
            }
            // Attention is what programs have a measure of; people hear that they have talked themselves out of breath.
            false => out_of_breath(world.word_budget(id, person)).to_string(),
        };
        let unread = world.unread(person, id);
        if unread > 0 {
            row.push_str(&format!("  {unread} unread"));
        }
        let (waiting, _) = world.waiting_in(id, person);
        if waiting > 0 {
            row.push_str(&format!("  {waiting} wait"));
        }
        if world.is_muted(person, id) {
            row.push_str("  muted");
        }
        text.row(0, &[cell(7, format!("{id:>6}")), cell(25, name), cell(7, kind.name()), cell(0, row.trim_start())]);
    }
    for Invitation { id, name } in world.invitations_of(person) {
        text.say(format!("{id:>6} {name}: you are invited. To come in: channel join {id}"));
    }
    page(world, who, text)
}

/// What is told a person of its account of words; empty as long as there is enough.
fn out_of_breath(words: u32) -> &'static str {
    match words {
        0..ALWAYS => "out of breath",
        ALWAYS..SHORT_OF_BREATH => "short of breath",
        _ => "",
    }
}

/// How fast talk goes in a channel, and how much of it somebody may say now.
fn pace_told(world: &World, person: u32, id: u32, wpm: u32) -> String {
    let words = world.word_budget(id, person);
    if world.is_program(person) {
        return format!("{wpm} words a minute; you may say {words} now.");
    }
    let (waiting, _) = world.waiting_in(id, person);
    match out_of_breath(words) {
        // What waits was told before this, with the time that it takes.
        _ if waiting > 0 => format!("Talk here has its pace: {wpm} words a minute for each."),
        "" => format!("You may say {words} words at once here, and {wpm} more each minute."),
        breath => format!("You are {breath} here: {wpm} words come back each minute that you are silent."),
    }
}

fn show(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, _) = first_word(args);
    let id = if word.is_empty() { person } else { world.channel_word(person, word)? };
    let name = world.channel_name(id, person);
    let mut text = Page::for_reader(world.who(who));
    if let Some((_, row)) = world.content.channel_numbered(id) {
        let (wpm, help) = (world.state.channels.get(id).map_or(row.wpm, |channel| channel.wpm), row.help.clone());
        text.line(Style::Heading, format!("{id} {name}: everybody's."));
        text.say(&*help);
        text.say(pace_told(world, person, id, wpm));
        return page(world, who, text);
    }
    let Some(channel) = world.state.channels.get(id) else {
        text.line(Style::Heading, format!("{id} {name}: your home, and not used so far."));
        text.say("Give it a key for those who may ask to be let in (channel key add <word>), or invite somebody.");
        return page(world, who, text);
    };
    let whose = match (channel.kind, channel.owner) {
        (ChannelKind::Direct, _) => "between you two".to_string(),
        (_, Some(_)) if world.owns(person, channel) => "yours".to_string(),
        (_, Some(owner)) => format!("of {}", world.name_and_id(owner)),
        (_, None) => "nobody's".to_string(),
    };
    text.line(Style::Heading, format!("{id} {name}: {}, {whose}.", channel.kind.name()));
    if !channel.billboard.is_empty() {
        text.say(format!("\"{}\"", channel.billboard));
    }
    // Between two, the heading says who: the other's name may not be known.
    if channel.kind != ChannelKind::Direct {
        let members = channel.members.keys().take(50);
        let members: Vec<String> = members.map(|member| world.name_and_id(*member)).collect();
        let more = channel.members.len().saturating_sub(members.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.say(format!("Members: {}{more}.", members.join(", ")));
    }
    text.say(format!(
        "{} Talk among agents {}.",
        pace_told(world, person, id, channel.wpm),
        match (channel.cooling, channel.is_cooling(world.tick())) {
            (true, true) => "is cooling down",
            (true, false) => "cools down when it goes on too long",
            (false, _) => "goes on as it likes",
        }
    ));
    if world.owns(person, channel) && !channel.party {
        let keys: Vec<&str> = channel.keys.iter().map(|key| &**key).collect();
        let keys = if keys.is_empty() { "none".to_string() } else { keys.join(", ") };
        text.say(format!("Access: {}. Keys: {keys}.", channel.access.name()));
        for request in &channel.requests {
            text.say(format!(
                "#{}: {} asks to be let in, with the key {}.",
                request.id,
                world.name_and_id(request.person),
                request.key
            ));
        }
    }
    page(world, who, text)
}

/// A message as it is shown in a list.
fn row(world: &World, reader: u32, id: u32, message: &Message) -> String {
    let filter = world.character_of(reader).and_then(|who| world.filter_of(who));
    remembered(reader, id, message, (world.tick() - message.tick.min(world.tick())) / TICKS_PER_MINUTE, filter)
}

fn read(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, _) = first_word(args);
    let unread: Vec<(u32, u32)> = match word {
        "" => world.unread_channels(person).collect(),
        word => {
            let id = world.channel_word(person, word)?;
            vec![(id, world.unread(person, id))]
        }
    };
    let mut text = Page::for_reader(world.who(who));
    let hears = |message: &Message| !world.ignores_message(who, message);
    let missed = |message: &Message| message.sender.id != Some(person) && !message.hidden && hears(message);
    for (id, count) in &unread {
        let Some(channel) = world.state.channels.get(*id) else { continue };
        let from = world.seen_from(channel, person);
        let rows = channel.messages.iter().rev().filter(|message| message.id >= from);
        let mut rows: Vec<&Arc<Message>> = rows.filter(|message| missed(message)).take(*count as usize).collect();
        rows.reverse();
        if !rows.is_empty() {
            text.line(Style::Heading, format!("{id} {}:", world.channel_name(*id, person)));
        }
        for message in rows {
            text.say(row(world, person, *id, message));
        }
    }
    if text.text.is_empty() {
        text.say("Nothing was said that you have not heard.");
    }
    for (id, _) in unread {
        has_read(world, person, id);
    }
    page(world, who, text)
}

/// Messages that `last` shows.
const LAST_MAX: usize = 15;

/// What was said last in all channels of a person, or in one: the newest at the end. It stays unread.
pub fn last(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let person = person(world, who)?;
    let (word, _) = first_word(args);
    let channels = match word {
        "" => world.channels_of(person),
        word => vec![world.channel_word(person, word)?],
    };
    let mut newest: Vec<(u32, &Arc<Message>)> = Vec::new();
    for id in channels {
        let Some(channel) = world.state.channels.get(id) else { continue };
        let from = world.seen_from(channel, person);
        let seen = channel.messages.iter().rev().take_while(|message| message.id >= from);
        let shown = seen.filter(|message| !message.hidden && !world.ignores_message(who, message));
        newest.extend(shown.take(LAST_MAX).map(|message| (id, message)));
    }
    newest.sort_unstable_by_key(|(_, message)| message.id);
    let left_out = newest.len().saturating_sub(LAST_MAX);
    let mut page = Page::for_reader(world.who(who));
    if newest.is_empty() {
        page.say(match word {
            "" => "Nothing has been said in your channels that you could have heard.",
            _ => "Nothing was said there that you could have heard.",
        });
    }
    for (id, message) in &newest[left_out..] {
        page.say(format!("{} {}", world.channel_name(*id, person), row(world, person, *id, message)));
    }
    Ok(page)
}

/// Takes as read what is unread, without showing it: for who has it otherwise, as programs have from their frames. A
/// program is told by those only.
fn seen(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, _) = first_word(args);
    let unread: Vec<u32> = match word {
        "" => world.unread_channels(person).map(|(id, _)| id).collect(),
        word => vec![world.channel_word(person, word)?],
    };
    for id in unread {
        has_read(world, person, id);
    }
    if !world.is_program(person) {
        world.send(who, LineKind::Chat, "Nothing of that is unread any more.");
    }
    Ok(())
}

/// Nothing that stands in a channel is unread any more.
fn has_read(world: &mut World, person: u32, id: u32) {
    if world.state.channels.get(id).is_none() {
        return;
    }
    let (newest, tick) = (world.state.channels.next_message() - 1, world.tick());
    world.state.channels.join(id, person, tick);
    if let Some(member) = world.state.channels.member_mut(id, person) {
        member.read = newest;
    }
    world.changed_for(person, id);
}

fn history(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, mut rest) = first_word(args);
    let id = world.channel_word(person, word)?;
    let (mut count, mut before, mut with) = (HISTORY, u64::MAX, "");
    while !rest.is_empty() {
        let (word, tail) = first_word(rest);
        rest = tail;
        if word.eq_ignore_ascii_case("with") {
            with = std::mem::take(&mut rest);
        } else if word.eq_ignore_ascii_case("before") {
            let (number, tail) = first_word(rest);
            let number = number.strip_prefix('#').unwrap_or(number);
            before = number.parse().map_err(|_| "Before which message? channel history <channel> before <number>")?;
            rest = tail;
        } else {
            let fits = word.parse().ok().filter(|count| (1..=HISTORY_MAX).contains(count));
            count = fits.ok_or_else(|| format!("1 to {HISTORY_MAX} messages; \"{}\" is not.", short(word)))?;
        }
    }
    let channel = world.state.channels.get(id);
    let from = channel.map_or(0, |channel| world.seen_from(channel, person));
    let wanted = with.to_lowercase();
    let fits = |message: &&Arc<Message>| {
        message.id >= from
            && message.id < before
            && !world.ignores_message(who, message)
            && (wanted.is_empty() || (!message.hidden && message.text.to_lowercase().contains(&wanted)))
    };
    let newest_first = channel.into_iter().flat_map(|channel| channel.messages.iter().rev());
    let mut rows: Vec<&Arc<Message>> = newest_first.filter(fits).take(count).collect();
    let oldest = channel.and_then(|channel| channel.messages.front()).map_or(u64::MAX, |message| message.id);
    if rows.len() < count && from < oldest && channel.is_some_and(|channel| channel.older) {
        let (reader, count, with) = (person, count as u8, with.into());
        let without = world.ignored_people(who);
        let filter = world.filter_of(who).cloned().map(Arc::new);
        let request = HistoryRequest { who, reader, channel: id, from, before, count, with, without, filter };
        world.request(Request::History(Box::new(request)));
        return Ok(());
    }
    rows.reverse();
    let mut text = Page::for_reader(world.who(who));
    for message in rows {
        text.say(row(world, person, id, message));
    }
    if text.text.is_empty() {
        text.say("Nothing of that kind is remembered there.");
    }
    page(world, who, text)
}

fn short(word: &str) -> String {
    word.chars().take(20).collect()
}

fn join(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err("Which channel? channel join <number, name, or whose home it is>".into());
    }
    let id = world.any_channel(person, word).unwrap_or(u32::MAX);
    world.join_channel(who, person, id)?;
    set(world, who, person, id, "You are in.")
}

fn leave(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let id = world.channel_word(person, first_word(args).0)?;
    let name = world.channel_name(id, person);
    world.leave_channel(who, person, id)?;
    world.send(who, LineKind::Chat, format!("[{id} {name}] You have left."));
    Ok(())
}

fn mute(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    switch(world, who, person, args, true)
}

fn unmute(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    switch(world, who, person, args, false)
}

fn switch(world: &mut World, who: CharacterId, person: u32, args: &str, mute: bool) -> Done {
    let id = world.channel_word(person, first_word(args).0)?;
    if is_content(id) {
        return Err(format!("A channel of everybody's is not muted but left: channel leave {id}").into());
    }
    let next = world.state.channels.next_message();
    let unread = world.unread(person, id);
    world.channel_in_use(id);
    let member = world.state.channels.member_mut(id, person).ok_or("You are in no such channel.")?;
    if member.muted_from.is_some() == mute {
        return Err(if mute { "You hear nothing of it already." } else { "You hear it already." }.into());
    }
    member.muted_from = mute.then_some(next);
    if !mute {
        member.read = next - 1;
    }
    world.changed_for(person, id);
    let what = match (mute, unread) {
        (true, _) => "You hear nothing of it any more, and can still read it.".to_string(),
        (false, 0) => "You hear it again.".to_string(),
        (false, unread) => format!("You hear it again. {unread} came meanwhile: channel history {id} {unread}"),
    };
    set(world, who, person, id, &what)
}

fn drop_words(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let id = world.channel_word(person, first_word(args).0)?;
    let words = world.state.channels.drop_words(id, person);
    if words.is_empty() {
        return Err("No words of yours wait there.".into());
    }
    world.changed_for(person, id);
    world.give_back(who, &words, "You take your words back");
    Ok(())
}

fn create(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let id = world.create_channel(person, args)?;
    set(world, who, person, id, "It is yours. Invite somebody: channel invite <person> in <channel>")
}

fn billboard(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (id, text) = with_owned(world, person, args)?;
    if text.is_empty() {
        return Err("What shall all members read there? channel billboard <text>, or channel billboard clear".into());
    }
    let clear = text.eq_ignore_ascii_case("clear");
    world.set_billboard(id, if clear { "" } else { text })?;
    set(world, who, person, id, if clear { "The billboard is empty." } else { "So it stands on the billboard." })
}

fn wpm(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (id, text) = with_owned(world, person, args)?;
    let wpm = text.parse().map_err(|_| "How many words a minute? channel wpm <10 to 200>")?;
    world.set_wpm(id, wpm)?;
    set(world, who, person, id, &format!("{wpm} words a minute, for everybody."))
}

fn cooling(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (id, text) = with_owned(world, person, args)?;
    let on = match text.to_ascii_lowercase().as_str() {
        "on" => true,
        "off" => false,
        _ => return Err("On or off? channel cooling on, channel cooling off".into()),
    };
    world.set_cooling(id, on);
    let what = if on { "Agents who talk among themselves for long slow down." } else { "Agents talk as they like." };
    set(world, who, person, id, what)
}

fn access(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (id, text) = with_owned(world, person, args)?;
    let found = Access::ALL.into_iter().find(|access| access.name().eq_ignore_ascii_case(text));
    let access = found.ok_or("Open, key or closed? channel access open|key|closed")?;
    world.set_access(id, access);
    let what = match access {
        Access::Open => "Whoever wants to may join.",
        Access::Key => "Who knows a key may ask to be let in.",
        Access::Closed => "Only who is invited may join.",
    };
    set(world, who, person, id, what)
}

fn key(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let (id, key) = with_owned(world, person, rest)?;
    match word.to_ascii_lowercase().as_str() {
        "add" => {
            world.add_key(person, id, key)?;
            set(world, who, person, id, &format!("The key {key} lets people ask: request {id} {key}"))
        }
        "revoke" => {
            world.revoke_key(person, id, key)?;
            set(world, who, person, id, "That key opens nothing any more.")
        }
        _ => Err("Add or revoke? channel key add <word>, channel key revoke <word>".into()),
    }
}

fn grant(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    answer(world, who, person, args, true)
}

fn deny(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    answer(world, who, person, args, false)
}

fn answer(world: &mut World, who: CharacterId, person: u32, args: &str, grant: bool) -> Done {
    let (word, _) = first_word(args);
    let number = word.strip_prefix('#').unwrap_or(word);
    let number = number.parse().map_err(|_| "Which request? Its number stands in: channel show")?;
    let name = world.answer_request(person, number, grant)?;
    let what = if grant { "is let in" } else { "is not let in" };
    world.send(who, LineKind::Chat, format!("{name} {what}."));
    Ok(())
}

fn invite(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (id, word) = with_owned(world, person, args)?;
    let guest = world.person_word(word)?;
    if let Some(other) = world.character_of(guest) {
        world.may_address(who, other, &world.display_name(guest))?;
    }
    let name = world.display_name(guest);
    // One's agents need not be asked.
    if world.has_owner_in_common(person, guest) && world.state.agents.get(guest).is_some_and(|agent| !agent.retired) {
        world.bring_in(id, guest)?;
        return set(world, who, person, id, &format!("{name} comes at your word."));
    }
    world.invite(id, guest)?;
    set(world, who, person, id, &format!("{name} is invited."))
}

fn remove(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (id, word) = with_owned(world, person, args)?;
    let guest = world.person_word(word)?;
    let channel = world.state.channels.get(id);
    if channel.is_some_and(|channel| channel.party) {
        return Err("That is your party's; you put them out of the party: ungroup <member>".into());
    }
    if guest == person {
        return Err("It is yours; you stay.".into());
    }
    if world.is_architect(guest) {
        return Err("The Architect is put out by nobody.".into());
    }
    let is_member = channel.is_some_and(|channel| channel.members.contains_key(&guest));
    let was_invited = world.channel_in_use(id).invited.remove(&guest);
    if !is_member && !was_invited {
        return Err("They are not in that channel.".into());
    }
    world.part(id, guest, Left::Removed);
    world.changed_for(guest, id);
    let name = world.display_name(guest);
    set(world, who, person, id, &format!("{name} is not in it any more."))
}

fn hide(world: &mut World, who: CharacterId, person: u32, args: &str) -> Done {
    let (channel, message) = world.message_word(person, first_word(args).0)?;
    let id = world.owned(person, channel)?;
    let is_text = world.state.channels.message(message).is_some_and(|(_, found)| found.kind == MessageKind::Text);
    if !is_text {
        return Err("That is a note of the server; it stays.".into());
    }
    world.hide_message(id, message)?;
    set(world, who, person, id, &format!("#{message} is out of sight."))
}

fn close(world: &mut World, _: CharacterId, person: u32, args: &str) -> Done {
    let (id, _) = with_owned(world, person, args)?;
    let channel = world.state.channels.get(id);
    match channel {
        Some(channel) if channel.party => Err("That is your party's; it closes with it: ungroup".into()),
        Some(channel) if channel.kind == ChannelKind::Group => {
            world.close_channel(id);
            Ok(())
        }
        _ => Err("Your home stays. A channel that you made: channel close in <channel>".into()),
    }
}
