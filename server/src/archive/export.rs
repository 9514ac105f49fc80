//! `dp-server history`: all that was said in a channel, as Markdown to read or JSON lines to reckon with.
//!
//! Reads the database directly, so it works beside a running server (which writes a moment later what was said) and
//! without one. For the operator: hidden words and unknown speakers are as they were. Invariant: one page of it is in
//! memory, however much there is.

use crate::state_dir::StateArgs;
use crate::store::messages::{self, Line};
use crate::store::{Store, channels};
use crate::times::rfc3339_ms;
use anyhow::bail;
use serde_json::json;
use std::io::{BufWriter, ErrorKind, Write};

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
    match exported {
        // The reader has seen enough (`| head`).
        Err(error) if error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe) => {
            Ok(())
        }
        other => other,
    }
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
            let title = channels::title(store, channel).await?;
            writeln!(out, "# {} (channel {})\n", escaped(&title), channel)?;
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
