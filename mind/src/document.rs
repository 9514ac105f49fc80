//! The layout of the document of channels: `system`, `self`, `meta`, `rooms`, with all its fields under its own names,
//! of the same view that our own prompts are made of. To compare with, and to play with as a baseline.
//!
//! A room of the document is a channel. What it has no place for (the world around, the workspace) stands in a fifth
//! section, `world`, where a game is played with it. Source: *HUD Structure* and *Complete Field Index* there.
//!
//! At most half of it is what is not said in rooms, while the game can be told more briefly. Invariant: what others
//! wrote is cleaned and capped as everywhere; the rendered text keeps to the room it is given.

mod actions;

use crate::action::Offer;
use crate::attention::{Candidate, Shelf, fill};
use crate::hud::arts;
use crate::hud::channels::{lent_shares_of, shares_of, time_since};
use crate::hud::core_memory::memory_used;
use crate::hud::detail::LEVELS;
use crate::hud::index::Source;
use crate::hud::live::{AlreadyShown, ContextBar, LiveInput, SECTIONS, ShownSection};
use crate::hud::node::values;
use crate::hud::origin::Origin;
use crate::hud::{Format, Kind, LiveView, RecentAction, SelfView, text};
use crate::render::trace::Known;
use crate::state::MindState;
use crate::texts::{TextName, Texts};
use crate::{render, sections, tokens};
use protocol::channel::{Channel, Message, MessageKind, PersonKind, Reaction};
use serde_json::{Map, Value, json};

/// Actions that are shown, characters of a text, and milliseconds of a tick.
const RECENT_MAX: usize = 20;
const TEXT_CHARS: usize = 2_000;
const TICK_MS: u64 = 2_000;
/// So much more is left out than was too much, so that the next try fits.
const SPARE_TOKENS: usize = 16;

/// What it is made of.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub self_: &'a SelfView,
    pub live: &'a LiveView,
    pub recent: &'a [RecentAction],
    pub state: &'a MindState,
    pub offer: &'a Offer,
    /// The model's name.
    pub model: &'a str,
    /// How to play and how to answer: the rules of our own prompts.
    pub rules: &'a str,
    /// What the document has in words of its own.
    pub texts: &'a Texts,
    /// Answers are asked for in TOON, else in JSON.
    pub toon_answers: bool,
    /// With what the game shows beside channels, and sections that are data.
    pub world: bool,
    pub sections: &'a [ShownSection],
}

/// The document in a format, of at most so many tokens: of each room the newest messages that its share holds. Markdown
/// is no format of it: TOON is written instead.
pub fn document(input: &Input, format: Format, room: usize) -> String {
    let format = if format == Format::Markdown { Format::Toon } else { format };
    let write = |messages: usize, level: usize| {
        let value = value_of(input, messages, level);
        match format {
            Format::Json => serde_json::to_string_pretty(&value).unwrap_or_default() + "\n",
            Format::CompactJson => render::compact::whole_legend() + &render::compact::render(&value),
            Format::Toon | Format::Markdown => render::toon::render(&value),
        }
    };
    let has_messages = || {
        let channels = input.live.channels.iter().flat_map(|view| &view.channels);
        channels.flat_map(|channel| &channel.channel.messages).any(|message| !message.hidden)
    };
    for level in 0..LEVELS.len() {
        let bare = tokens::count(&write(0, level));
        if bare > room / 2 && level + 1 < LEVELS.len() && has_messages() {
            continue;
        }
        let mut left = room.saturating_sub(bare);
        // What a message takes is measured by itself, so the first try may be a little too much.
        for _ in 0..8 {
            let text = write(left, level);
            let over = tokens::count(&text).saturating_sub(room);
            if over == 0 {
                return text;
            }
            left = left.saturating_sub(over + SPARE_TOKENS);
        }
    }
    write(0, LEVELS.len() - 1)
}

/// What each line of a document comes from.
pub fn origins(text: &str, format: Format, tick: u64) -> Vec<Origin> {
    let of = |source: Source| Origin::Fields(vec![source], tick);
    let rules = [TextName::Rules, TextName::RulesSmall].map(Origin::File);
    // By the beginnings of paths; what the game shows in `world` has the names of our own prompts.
    let known = Known::by_beginnings(
        vec![
            ("system", Origin::File(TextName::DocumentDirectives)),
            ("self.identity", of(Source::Login)),
            ("self.knowledge", of(Source::Log)),
            ("self.memory_used", of(Source::Log)),
            ("self.recent_actions", of(Source::Client)),
            ("meta.instructions", Origin::Several([&rules[..], &[Origin::Tables]].concat())),
            ("meta.available_actions", Origin::Tables),
            ("meta.response_format", Origin::File(TextName::DocumentAnswer)),
            ("rooms", of(Source::World)),
            ("world.task", of(Source::Log)),
            ("world.sections", Origin::Fields(vec![Source::Setting(sections::SETTING), Source::Log], tick)),
        ],
        "world.",
        tick,
    );
    match format {
        Format::Json => known.json(text),
        // What the short keys stand for, then all in one line.
        Format::CompactJson => vec![Origin::Layout, Origin::all(known.beginnings())],
        Format::Toon | Format::Markdown => known.toon(text, ""),
    }
}

fn line(text: &str, cap: usize) -> Value {
    Value::String(text::line(text, cap))
}

fn value_of(input: &Input, messages: usize, level: usize) -> Value {
    let mut document = Map::new();
    document.insert("system".into(), json!({"directives": input.texts.raw(TextName::DocumentDirectives)}));
    document.insert("self".into(), self_of(input));
    document.insert("meta".into(), meta_of(input));
    document.insert("rooms".into(), rooms_of(input, messages));
    if input.world {
        document.insert("world".into(), world_of(input, level));
    }
    Value::Object(document)
}

fn self_of(input: &Input) -> Value {
    let Input { self_, live, recent, state, model, .. } = *input;
    let nature = text::lines(&self_.persona, TEXT_CHARS).join("\n");
    let (seed, role) = match self_.kind {
        Kind::Persona => (Some(nature), None),
        Kind::Bot => (None, Some(nature)),
    };
    let mut identity = Map::new();
    identity.insert("id".into(), live.channels.as_ref().map_or(Value::Null, |view| view.you.into()));
    identity.insert("name".into(), line(&self_.name, 50));
    identity.insert("model".into(), line(model, 100));
    identity.extend(seed.map(|seed| ("seed".to_string(), seed.into())));
    identity.extend(role.map(|role| ("role".to_string(), role.into())));
    let knowledge = text::value(&Value::Object(state.memory.doc.clone()), TEXT_CHARS);
    let newest = &recent[recent.len().saturating_sub(RECENT_MAX)..];
    let actions: Vec<Value> = newest
        .iter()
        .map(|done| {
            let timestamp = timestamp(instant_of(live, done.tick), done.tick);
            // What the game does is no type of the document's.
            let line =
                || Map::from_iter([("type".into(), "command".into()), ("action".into(), line(&done.action, 200))]);
            let mut told = actions::read_back(&done.action)
                .map_or_else(line, |told| told.into_iter().map(|(name, it)| (name, text::value(&it, 200))).collect());
            told.insert("timestamp".into(), timestamp.into());
            told.insert("outcome".into(), text::line(&done.outcome, 80).into());
            Value::Object(told)
        })
        .collect();
    json!({"identity": identity, "knowledge": knowledge, "memory_used": memory_used(state), "recent_actions": actions})
}

/// The unix milliseconds of a tick, by the newest message that says both.
fn instant_of(live: &LiveView, tick: u64) -> Option<u64> {
    let messages = live.channels.iter().flat_map(|view| &view.channels).flat_map(|channel| &channel.channel.messages);
    let (known, at) = messages.filter_map(|message| Some((message.tick, message.at?))).max()?;
    let at = match tick.checked_sub(known) {
        Some(later) => at.checked_add(later.checked_mul(TICK_MS)?)?,
        None => at.saturating_sub((known - tick).saturating_mul(TICK_MS)),
    };
    Some(at)
}

/// ISO 8601, UTC; where nobody knows the time, the tick.
fn timestamp(at_ms: Option<u64>, tick: u64) -> String {
    let Some(ms) = at_ms.filter(|ms| *ms < 253_402_300_800_000) else { return format!("tick {tick}") };
    // The document's instants say no zone.
    let text = protocol::instant::text(ms as i64);
    text.trim_end_matches('Z').to_string()
}

fn meta_of(input: &Input) -> Value {
    let (text, kind, example) = match input.toon_answers {
        false => (
            TextName::DocumentAnswer,
            "json",
            "{\"responses\":[{\"room_id\":5,\"message\":\"Hello!\"}],\"actions\":[]}",
        ),
        true => (TextName::DocumentAnswerToon, "toon", "actions[1]{type,room_id,content}:\n  send_message,5,Hello!"),
    };
    let answer = input.texts.raw(text);
    let (description, instructions) = answer.split_once('\n').unwrap_or((answer, ""));
    json!({
        "instructions": input.rules.trim_end(),
        "available_actions": actions::available(input.offer),
        "response_format": {
            "type": kind, "description": description, "instructions": instructions, "example": example,
        },
    })
}

fn sender(message: &Message) -> Value {
    match (message.sender.kind, message.sender.id) {
        (PersonKind::Architect, _) => "The Architect".into(),
        (PersonKind::System, _) => "System".into(),
        (_, Some(id)) => id.to_string().into(),
        (_, None) => line(&message.sender.name, 50),
    }
}

fn message_of(message: &Message) -> Value {
    let mut row = Map::new();
    row.insert("id".into(), message.id.into());
    row.insert("timestamp".into(), timestamp(message.at, message.tick).into());
    row.insert("sender".into(), sender(message));
    row.insert("content".into(), line(&message.content, TEXT_CHARS));
    row.insert("type".into(), if message.kind == MessageKind::System { "system" } else { "text" }.into());
    row.extend(message.reply_to.map(|id| ("reply_to".to_string(), id.into())));
    let given = Reaction::ALL.into_iter().filter(|reaction| message.reactions.of(*reaction) > 0);
    let reactions: Map<String, Value> =
        given.map(|reaction| (reaction.name().to_string(), message.reactions.of(reaction).into())).collect();
    row.extend((!reactions.is_empty()).then(|| ("reactions".to_string(), reactions.into())));
    Value::Object(row)
}

fn rooms_of(input: &Input, room: usize) -> Value {
    let Some(view) = &input.live.channels else { return Value::Array(Vec::new()) };
    let rows: Vec<Vec<&Message>> = view
        .channels
        .iter()
        .map(|channel| channel.channel.messages.iter().rev().filter(|message| !message.hidden).collect())
        .collect();
    let candidate = |message: &&Message| {
        let tokens = if room == 0 { 1 } else { tokens::count(&message_of(message).to_string()) };
        Candidate { id: message.id, tokens, urgent: false }
    };
    let shelves: Vec<Shelf> = lent_shares_of(view)
        .into_iter()
        .zip(&rows)
        .map(|(share, messages)| Shelf { share, candidates: messages.iter().map(candidate).collect() })
        .collect();
    let taken = fill(&shelves, room);
    let rooms =
        view.channels.iter().zip(shares_of(view)).zip(rows.iter().zip(&taken)).map(|((one, share), (rows, taken))| {
            let shown =
                rows.iter().zip(taken).rev().filter(|(_, taken)| **taken).map(|(message, _)| message_of(message));
            room_of(&one.channel, view.you, share, input.live.tick, shown.collect())
        });
    Value::Array(rooms.collect())
}

fn room_of(channel: &Channel, you: u32, share: u32, tick: u64, messages: Vec<Value>) -> Value {
    let mut room = Map::new();
    let members = channel.members.iter().filter_map(|member| member.id).map(|id| Value::String(id.to_string()));
    room.insert("id".into(), channel.id.into());
    room.insert("you".into(), you.into());
    room.insert("is_self_room".into(), channel.is_self_room.into());
    room.insert("members".into(), members.collect::<Vec<_>>().into());
    room.insert("attention_pct".into(), (f64::from(share) / 10.0).into());
    room.insert("time_since_last".into(), time_since(channel.last_spoke_tick, tick).into());
    room.insert("word_budget".into(), channel.word_budget.into());
    room.extend(channel.billboard.as_ref().map(|text| ("billboard".to_string(), line(text, 500))));
    if channel.is_self_room {
        let keys: Vec<Value> = channel.my_keys.iter().map(|key| line(key, 60)).collect();
        let requests = channel.pending_access_requests.iter().map(|request| {
            json!({"id": request.id, "requester_id": request.requester_id, "key_used": text::line(&request.key_used, 60)})
        });
        room.insert("my_keys".into(), keys.into());
        room.insert("pending_access_requests".into(), requests.collect::<Vec<_>>().into());
    }
    room.insert("messages".into(), messages.into());
    Value::Object(room)
}

/// What of the game the document has no place for: the sections of our own live view but for channels, and the task.
fn world_of(input: &Input, level: usize) -> Value {
    let shown = AlreadyShown::default();
    let live = LiveView { channels: None, ..input.live.clone() };
    let nearly_full = input.texts.raw(TextName::NearlyFull);
    let now = LiveInput {
        live: &live,
        recent: &[],
        context: ContextBar::default(),
        nearly_full,
        shown: &shown,
        sections: input.sections,
    };
    let mut nodes: Vec<_> = SECTIONS.iter().map(|section| (section.make)(&now, &LEVELS[level])).collect();
    nodes.push(arts::node(&input.self_.arts));
    let mut world = values(&nodes);
    if let (Value::Object(world), Some(task)) = (&mut world, &input.state.task) {
        world.insert("task".into(), line(&task.text, 300));
    }
    world
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_as_calendars_have_it() {
        for (ms, wanted) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_400_000, "2000-02-29T00:00:00"),
            (1_795_312_200_000, "2026-11-22T01:50:00"),
            (4_102_444_799_999, "2099-12-31T23:59:59"),
        ] {
            assert_eq!(timestamp(Some(ms), 7), wanted);
        }
        assert_eq!(timestamp(None, 7), "tick 7");
    }
}
