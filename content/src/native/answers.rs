//! `answers.toml`: what mobs say when they are spoken to, and what they give for a thing.

use super::numbers::{LEVEL, Numbers};
use super::table::{File, Table};
use super::text::{Toml, inline_text};
use crate::answers::spoken_words;
use crate::{AnswerProto, Text, TradeProto, Vnum, When};

const ALIGNMENT: Numbers = -1000..=1000;

pub(super) fn read(file: &mut File, root: &mut Table, _zone: i32) {
    for mut row in file.rows(root, "answer") {
        let line = row.line;
        let mob: Option<Vnum> = file.needed(&mut row, "mob");
        let greets: bool = file.field(&mut row, "greets").unwrap_or_default();
        let typed: Option<Vec<String>> = match greets {
            true => file.field(&mut row, "to"),
            false => file.needed(&mut row, "to"),
        };
        let typed = typed.unwrap_or_default();
        let mut to: Vec<Text> = Vec::new();
        for word in &typed {
            if spoken_words(word).eq([word.clone()]) {
                to.push(file.share(word));
            } else {
                file.error(line, format!("to: {word:?} should be one word of letters and digits, in lower case"));
            }
        }
        if greets && !typed.is_empty() {
            file.error(line, "a greeting answers to no word: leave out `to`, or `greets`");
        } else if !greets && typed.is_empty() {
            file.error(line, "answer that answers to no word: give at least one in `to`");
        }
        let says = file.needed_text(&mut row, "says");
        let answer = mob.map(|mob| AnswerProto {
            mob,
            to,
            greets,
            says,
            when: when(file, &mut row),
            gives: file.field(&mut row, "gives"),
        });
        if let Some(answer) = answer {
            let place = file.place(line);
            file.draft.origins.answers.push((answer.mob, place));
            file.draft.content.answers.push(answer);
        }
        file.end(row);
    }
    for mut row in file.rows(root, "trade") {
        let line = row.line;
        let mut number = |key: &str| file.needed::<Vnum>(&mut row, key);
        let (mob, takes, gives) = (number("mob"), number("takes"), number("gives"));
        let says = file.needed_text(&mut row, "says");
        let when = when(file, &mut row);
        if let (Some(mob), Some(takes), Some(gives)) = (mob, takes, gives) {
            let place = file.place(line);
            file.draft.origins.trades.push((mob, place));
            file.draft.content.trades.push(TradeProto { mob, takes, gives, says, when });
        }
        file.end(row);
    }
}

fn when(file: &mut File, row: &mut Table) -> When {
    When {
        hours: hours(file, row),
        levels: file.range(row, "levels", LEVEL),
        alignment: file.range(row, "alignment", ALIGNMENT),
        carries: file.field(row, "carries"),
        during: file.text_if_any(row, "during"),
        after: file.text_if_any(row, "after"),
    }
}

/// The first and the last hour, both included; from late to early goes through midnight.
fn hours(file: &mut File, row: &mut Table) -> Option<(i32, i32)> {
    let line = file.line_of(row, "hours");
    let (from, to): (i32, i32) = file.field(row, "hours")?;
    if !(0..24).contains(&from) || !(0..24).contains(&to) {
        file.error(line, format!("hours should be [first, last], each 0 to 23, not [{from}, {to}]"));
    }
    Some((from, to))
}

/// The whole file of a zone.
pub(super) fn write_file(answers: &[&AnswerProto], trades: &[&TradeProto]) -> String {
    let mut toml = Toml::default();
    answers.iter().for_each(|answer| write(answer, &mut toml));
    trades.iter().for_each(|trade| write_trade(trade, &mut toml));
    toml.finish()
}

fn write(answer: &AnswerProto, toml: &mut Toml) {
    toml.header("[[answer]]");
    toml.number("mob", answer.mob);
    let words: Vec<String> = answer.to.iter().map(|word| inline_text(word)).collect();
    match answer.greets {
        true => toml.raw("greets", format_args!("true")),
        false => toml.raw("to", format_args!("[{}]", words.join(", "))),
    }
    toml.text("says", &answer.says);
    write_when(&answer.when, toml);
    toml.number_if_any("gives", answer.gives);
}

fn write_trade(trade: &TradeProto, toml: &mut Toml) {
    toml.header("[[trade]]");
    toml.number("mob", trade.mob);
    toml.number("takes", trade.takes);
    toml.number("gives", trade.gives);
    toml.text("says", &trade.says);
    write_when(&trade.when, toml);
}

fn write_when(when: &When, toml: &mut Toml) {
    for (key, window) in [("hours", when.hours), ("levels", when.levels), ("alignment", when.alignment)] {
        if let Some((first, last)) = window {
            toml.raw(key, format_args!("[{first}, {last}]"));
        }
    }
    toml.number_if_any("carries", when.carries);
    for (key, task) in [("during", &when.during), ("after", &when.after)] {
        if let Some(task) = task {
            toml.text(key, task);
        }
    }
}
