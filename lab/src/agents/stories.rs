//! Ten stories out of real play: agents in one process, what the world recorded of one of them, the story that a dream
//! tells of it, and below it the records that each of its sentences stands on.
//!
//! Invariant: a story is a function of the code and the world's files, so that a kept one shows what has changed.

use super::Setting;
use super::play::play_and_remember;
use anyhow::Context;
use content::Content;
use content::words::Class;
use dreaming::calendar::day_of;
use dreaming::check::{Judge, Untrue};
use dreaming::{Config, Record, Summary, dream};
use std::fmt::Write;
use std::sync::Arc;

/// The first tick of all stories.
const EPOCH_MS: i64 = 1_795_204_800_000; // 2026-11-20, 20:00 UTC
const MS_PER_TICK: i64 = 2_000;
/// Records that are shown below one sentence; of more the others are counted.
const SHOWN: usize = 6;

/// Who lives through one: its class, how many play in its world, the seed and for how long.
pub struct Cast {
    pub seed: u64,
    pub class: Class,
    pub players: usize,
    pub minutes: u64,
}

/// Ten of them, of all kinds.
pub const CASTS: [Cast; 10] = [
    Cast { seed: 1, class: Class::Warrior, players: 1, minutes: 45 },
    Cast { seed: 2, class: Class::MagicUser, players: 2, minutes: 45 },
    Cast { seed: 3, class: Class::Thief, players: 3, minutes: 30 },
    Cast { seed: 4, class: Class::Cleric, players: 2, minutes: 60 },
    Cast { seed: 5, class: Class::Warrior, players: 4, minutes: 30 },
    Cast { seed: 6, class: Class::Ninja, players: 1, minutes: 60 },
    Cast { seed: 7, class: Class::Psionic, players: 2, minutes: 30 },
    Cast { seed: 8, class: Class::Thief, players: 1, minutes: 40 },
    Cast { seed: 9, class: Class::MagicUser, players: 3, minutes: 40 },
    Cast { seed: 10, class: Class::Cleric, players: 1, minutes: 30 },
];

/// One story with what it stands on.
pub struct Story {
    /// `07-wren-psionic`
    pub file: String,
    pub page: String,
    pub summary: Summary,
    pub untrue: Vec<Untrue>,
}

/// Plays one and has it told.
pub fn story(content: &Arc<Content>, cast: &Cast) -> anyhow::Result<Story> {
    let setting = Setting { class: cast.class, players: cast.players, minutes: cast.minutes, ..Setting::default() };
    let remembered = play_and_remember(content, &setting, cast.seed)?;
    // Not the same one each time: whoever sits in the seat of the seed.
    let (name, mut records) =
        remembered.into_iter().nth(cast.seed as usize % cast.players).context("nobody sits there")?;
    for record in &mut records {
        record.at_ms = EPOCH_MS + record.tick as i64 * MS_PER_TICK;
    }
    let last = records.last().with_context(|| format!("nothing happened to {name}"))?;
    let config = Config::new(&name, day_of(last.at_ms, 0));
    let dreamt = dream(None, &records, &config);
    let judge = Judge::new(&records, &config.terms);
    let mut untrue = judge.story(&dreamt.summary);
    untrue.extend(judge.graph(&dreamt.graph));
    let class = format!("{:?}", cast.class).to_lowercase();
    let page = page(&name, &class, cast, &dreamt.summary, &records);
    let file = format!("{:02}-{}-{class}", cast.seed, name.to_lowercase());
    Ok(Story { file, page, summary: dreamt.summary, untrue })
}

fn page(name: &str, class: &str, cast: &Cast, story: &Summary, records: &[Record]) -> String {
    let others = match cast.players - 1 {
        0 => "alone in the world".to_string(),
        1 => "with one other player in the world".to_string(),
        n => format!("with {n} other players in the world"),
    };
    let mut page = format!(
        "# {name}, {class}\n\nSeed {}, {} minutes, {others}; {} records.\n\n",
        cast.seed,
        cast.minutes,
        records.len()
    );
    // One step further down, as it is a part of this page.
    for line in story.text.lines() {
        match line {
            "" => page.push('\n'),
            line if line.starts_with('#') => {
                let _ = writeln!(page, "#{line}");
            }
            line => {
                let _ = writeln!(page, "- {line}");
            }
        }
    }
    page.push_str("\n## What it stands on\n");
    for sentence in &story.sentences {
        let _ = writeln!(page, "\n> {}\n", sentence.text);
        let cited: Vec<&Record> = records.iter().filter(|r| sentence.evidence.contains(&r.seq)).collect();
        for record in cited.iter().take(SHOWN) {
            let told = mind::happenings::brief(&record.happening);
            let _ = writeln!(page, "- {}, tick {}: {told}", record.seq, record.tick);
        }
        if cited.len() > SHOWN {
            let others: Vec<String> = cited[SHOWN..].iter().map(|record| record.seq.to_string()).collect();
            let _ = writeln!(page, "- and {}", others.join(", "));
        }
    }
    page
}
