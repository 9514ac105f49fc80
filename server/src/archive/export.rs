//! `dp-server history`: all that was said in a channel, as Markdown to read or JSON lines to reckon with. And
//! `dp-server reports`: what of it players reported to whoever runs the world.
//!
//! Reads the database directly, so it works beside a running server (which writes a moment later what was said) and
//! without one. For the operator: hidden words and unknown speakers are as they were. Invariant: one page of it is in
//! memory, however much there is.

use crate::state_dir::StateArgs;
use crate::store::messages::{self, Line};
use crate::store::{Store, channels};
use crate::times::rfc3339_ms;
use anyhow::bail;
use protocol::channel::ARCHITECT;
use protocol::names::clean_text;
use serde_json::json;
use std::io::{BufWriter, Write};
use world::channel::Message;
use world::channels::{Parts, ReportKind, report_parts};

/// Messages read at a time.
const PAGE: i64 = 1_000;

#[derive(Clone, Debug, clap::Args)]
pub struct HistoryArgs {
    /// The channel: its number, the name of a group, or a person for its home
    #[arg(long, value_name = "CHANNEL")]
    pub channel: String,
    /// Markdown, or one JSON object a line
    #[arg(long, default_value = "md")]
    pub format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    Md,
    Jsonl,
}

#[derive(Clone, Debug, clap::Args)]
pub struct ReportsArgs {
    /// Only these
    #[arg(value_name = "KIND", value_parser = ReportKind::ALL.map(ReportKind::name))]
    pub kind: Option<String>,
    /// Only those after this one
    #[arg(long, value_name = "ID")]
    pub after: Option<u64>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}

pub async fn run(which: &HistoryArgs, place: &StateArgs) -> anyhow::Result<()> {
    let store = crate::capture::export::open(place).await?;
    let exported = async {
        let channel = numbered(&store, &which.channel).await?;
        match export(&store, channel, which.format, std::io::stdout().lock()).await? {
            0 => bail!("nothing that was said in channel {channel} is kept in {}", store.place()),
            _ => Ok(()),
        }
    }
    .await;
    store.close().await;
    exported
}

/// What players reported, oldest first.
pub async fn reports(which: &ReportsArgs, place: &StateArgs) -> anyhow::Result<()> {
    let store = crate::capture::export::open(place).await?;
    let told = list_reports(&store, which, std::io::stdout().lock()).await;
    store.close().await;
    match told {
        Ok(0) if !which.json => {
            eprintln!("Nothing of that was reported. Players do it with bug, typo and idea.");
            Ok(())
        }
        told => told.map(drop),
    }
}

/// Returns how many there were.
async fn list_reports(store: &Store, which: &ReportsArgs, out: impl Write) -> anyhow::Result<u64> {
    let mut out = BufWriter::new(out);
    let (mut count, mut after) = (0, which.after.unwrap_or(0));
    loop {
        let page = messages::after(store, ARCHITECT, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.message.id;
        for line in &page {
            let Some(parts) = report_parts(&line.message.text) else { continue };
            if which.kind.as_deref().is_some_and(|kind| kind != parts.kind.name()) {
                continue;
            }
            count += 1;
            match which.json {
                true => writeln!(out, "{}", report_object(line, &parts))?,
                false => writeln!(out, "{}", report_text(line, &parts))?,
            }
        }
    }
    out.flush()?;
    Ok(count)
}

fn report_text(line: &Line, parts: &Parts) -> String {
    let Message { id, tick, sender, .. } = &line.message;
    let (at, kind, place, room) = (rfc3339_ms(line.at_ms), parts.kind.name(), parts.place, parts.room);
    // A stranger's words, and this may be a terminal.
    let words = clean_text(parts.words);
    format!("#{id} {kind} by {} in {place} ({room}), {at}, tick {tick}:\n    {words}", sender.name)
}

fn report_object(line: &Line, parts: &Parts) -> serde_json::Value {
    let message = &line.message;
    json!({
        "id": message.id,
        "kind": parts.kind.name(),
        "by": {"id": message.sender.id, "name": &*message.sender.name, "kind": message.sender.kind.name()},
        "at": rfc3339_ms(line.at_ms),
        "tick": message.tick,
        "input": message.typed_by,
        "room": parts.room,
        "place": parts.place,
        "text": parts.words,
    })
}

/// The channel that is meant.
async fn numbered(store: &Store, word: &str) -> anyhow::Result<u32> {
    if let Ok(number) = word.strip_prefix('#').unwrap_or(word).parse() {
        return Ok(number);
    }
    let found = channels::named(store, word).await?;
    match found.as_slice() {
        [channel] => Ok(*channel),
        [] => bail!(
            "no group and nobody is called {word:?} in {}; a channel of the world has a number, as `channel` shows",
            store.place()
        ),
        several => {
            let numbers: Vec<String> = several.iter().map(u32::to_string).collect();
            bail!("{word:?} may be any of the channels {}: say its number", numbers.join(", "))
        }
    }
}

/// Returns how many messages there were.
async fn export(store: &Store, channel: u32, format: Format, out: impl Write) -> anyhow::Result<u64> {
    let mut out = BufWriter::new(out);
    let (mut count, mut after) = (0, 0);
    loop {
        let page = messages::after(store, channel, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.message.id;
        if count == 0 && format == Format::Md {
            match channels::title(store, channel).await? {
                Some(title) => writeln!(out, "# {} (channel {channel})\n", escaped(&title))?,
                None => writeln!(out, "# Channel {channel}\n")?,
            }
        }
        for line in &page {
            match format {
                Format::Md => writeln!(out, "{}", markdown(line))?,
                Format::Jsonl => writeln!(out, "{}", object(line))?,
            }
        }
        count += page.len() as u64;
    }
    out.flush()?;
    Ok(count)
}

/// Words as they are, whatever Markdown makes of their signs.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for sign in words.chars() {
        if matches!(sign, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~') {
            text.push('\\');
        }
        text.push(sign);
    }
    text
}

fn markdown(line: &Line) -> String {
    let message = &line.message;
    let to = message.reply_to.map_or(String::new(), |reply| format!(" to #{reply}"));
    let words = escaped(&message.text);
    let words = if message.hidden { format!("~~{words}~~ (taken down)") } else { words };
    let mut marks: Vec<&str> = message.reactions.iter().map(|(_, reaction)| reaction.word()).collect();
    marks.sort_unstable();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    let name = escaped(&message.sender.name);
    format!("- {} #{}{to} **{name}**: {words}{marks}", rfc3339_ms(line.at_ms), message.id)
}

fn object(line: &Line) -> serde_json::Value {
    let message = &line.message;
    let reactions: Vec<_> =
        message.reactions.iter().map(|(by, reaction)| json!({"by": by, "reaction": reaction.name()})).collect();
    json!({
        "id": message.id,
        "channel": line.channel,
        "at": rfc3339_ms(line.at_ms),
        "tick": message.tick,
        "sender": {"id": message.sender.id, "name": &*message.sender.name, "kind": message.sender.kind.name()},
        "type": message.kind.name(),
        "content": &*message.text,
        "reply_to": message.reply_to,
        "typed_by": message.typed_by,
        "hidden": message.hidden,
        "reactions": reactions,
    })
}
