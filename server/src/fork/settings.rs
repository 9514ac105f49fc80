//! The config file of a fork: what its server is started with, so that no flag need be given again.
//!
//! The world and the rule book (absolute), the start room and the tick of the source, and what the source's own file
//! has besides.
//! Invariant: nothing that says where the source keeps its things.

use super::ForkArgs;
use crate::config::OWN_FILE;
use crate::files::write_whole;
use crate::journal::Header;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Value;

/// Writes the file. `of_source`: what the source's own file has (`config::own_settings`).
pub(super) fn write(args: &ForkArgs, of_source: BTreeMap<String, Value>, header: &Header) -> anyhow::Result<()> {
    let world = args.past.played_in.world.clone().unwrap_or_else(|| PathBuf::from(&header.needs.world));
    let world = std::path::absolute(&world).with_context(|| format!("looking for the world {}", world.display()))?;
    let path = args.out.join(OWN_FILE);
    let mut settings = of_source;
    if let Some(rules) = &args.past.played_in.rules {
        let rules = std::path::absolute(rules).with_context(|| format!("looking for {}", rules.display()))?;
        let rules =
            rules.to_str().context("the path of the rule book is no text, so it cannot stand in a config file")?;
        settings.insert("rules".into(), rules.into());
    }
    let text = text(&world, args.past.played_in.start_room, header.tick_ms, settings)?;
    write_whole(&path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

fn text(
    world: &Path,
    start_room: Option<i32>,
    tick_ms: u64,
    mut settings: BTreeMap<String, Value>,
) -> anyhow::Result<String> {
    let world = world.to_str().context("the path of the world is no text, so it cannot stand in a config file")?;
    settings.insert("world".into(), world.into());
    settings.insert("tick-ms".into(), Value::Integer(i64::try_from(tick_ms).context("a tick without end")?));
    if let Some(room) = start_room {
        settings.insert("start-room".into(), i64::from(room).into());
    }
    let mut text = String::from(
        "# Made by `dp-server fork`: what the server of this state folder is started with. `dp-server run --state-dir` \
         reads it where no --config is given; flags win.\n",
    );
    for (key, value) in settings {
        text.push_str(&format!("{key} = {value}\n"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_is_started_with_what_its_source_was() {
        let source = BTreeMap::from([("seed".into(), Value::Integer(3)), ("start-room".into(), Value::Integer(7))]);
        let written = text(Path::new("/a \"b\"/world"), None, 500, source.clone()).expect("a text");
        let read: toml::Table = written.parse().expect("it is read again");
        let got = |key: &str| read.get(key).map(ToString::to_string);
        assert_eq!(read["world"].as_str(), Some("/a \"b\"/world"));
        assert_eq!(
            (got("seed"), got("start-room"), got("tick-ms")),
            (Some("3".into()), Some("7".into()), Some("500".into()))
        );
        let named = text(Path::new("/w"), Some(8), 500, source).expect("a text");
        assert!(named.contains("start-room = 8\n") && !named.contains("= 7"), "{named}");
    }
}
