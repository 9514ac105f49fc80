//! Two pasts beside each other, for people.

use super::{CellRow, Compared, Fate, MessageRow, Same, Standing, Words};
use protocol::names::clean_text;
use std::fmt::Write;

/// Messages that are listed; JSON has all.
const MESSAGES_LISTED: usize = 20;
/// Cells of one plot that are listed; JSON has all.
const CELLS_LISTED: usize = 30;

pub fn of(compared: &Compared) -> String {
    let Compared { same_until, ends_first, parted_by, tick, is_same, plots, characters, scores, messages } = compared;
    // Writing to a String cannot fail, here and below.
    let mut out = String::new();
    let _ = match (same_until, is_same) {
        (Some(same), true) => writeln!(out, "They are the same to the end, tick {}, input {}.", same.tick, same.input),
        (Some(same), false) if let Some(side) = ends_first => {
            let (one, other) = if *side == 'a' { ("first", "second") } else { ("second", "first") };
            let Same { tick, input } = same;
            writeln!(out, "The {one} is the same to its end, tick {tick}, input {input}; the {other} goes on.")
        }
        (Some(same), false) => writeln!(out, "They are the same until tick {}, input {}.", same.tick, same.input),
        (None, _) => writeln!(out, "There is no moment at which they are the same."),
    };
    if !parted_by.is_empty() {
        let _ = writeln!(out, "What parts them there: {}.", parted_by.join(", "));
    }
    let _ = writeln!(out, "After tick {tick}:");
    for plot in plots {
        let _ = writeln!(
            out,
            "\n{}, room {}: {} cells differ, {} are the same",
            clean_text(&plot.title),
            plot.room,
            plot.cells.len(),
            plot.same
        );
        for CellRow { at: [row, column], a, b } in plot.cells.iter().take(CELLS_LISTED) {
            let _ = writeln!(out, "  {row},{column}  {} | {}", standing(a.as_ref()), standing(b.as_ref()));
        }
        if plot.cells.len() > CELLS_LISTED {
            let _ = writeln!(out, "  and {} more, which --json has", plot.cells.len() - CELLS_LISTED);
        }
    }
    let differing: Vec<_> = characters.iter().filter(|row| !row.same).collect();
    let are_the_same = plots.is_empty() && differing.is_empty() && messages.is_empty();
    if !differing.is_empty() {
        let _ = writeln!(out, "\n{} of {} characters differ", differing.len(), characters.len());
    }
    for row in differing {
        let _ = writeln!(out, "  {}", clean_text(&row.name));
        for (side, fate) in [("a", &row.a), ("b", &row.b)] {
            let _ = writeln!(out, "    {side}: {}", told(fate.as_ref()));
        }
    }
    if !scores.is_empty() {
        out.push_str("\nScores\n");
    }
    for row in scores {
        let score = |score: Option<u32>| score.map_or_else(|| "-".to_string(), |score| score.to_string());
        let _ = writeln!(out, "  {} (room {}): {} | {}", clean_text(&row.task), row.room, score(row.a), score(row.b));
    }
    if !messages.is_empty() {
        let _ = writeln!(out, "\nMessages in channels that differ: {}", messages.len());
    }
    for MessageRow { channel, id, a, b } in messages.iter().take(MESSAGES_LISTED) {
        let _ = writeln!(out, "  #{id} in {channel}  {} | {}", said(a.as_ref()), said(b.as_ref()));
    }
    if messages.len() > MESSAGES_LISTED {
        let _ = writeln!(out, "  and {} more, which --json has", messages.len() - MESSAGES_LISTED);
    }
    if are_the_same {
        out.push_str(match (characters.is_empty(), parted_by.is_empty()) {
            (true, _) => "\nNobody is in either world then: --at looks at an earlier tick.\n",
            (false, true) => "\nPlots, characters and what was said in channels are the same.\n",
            (false, false) => {
                "\nPlots, characters and what was said in channels are the same in all that is shown here.\n"
            }
        });
    }
    out.trim_end().to_string()
}

fn standing(standing: Option<&Standing>) -> String {
    let Some(Standing { kind, label, by }) = standing else { return "nothing".to_string() };
    let label = if label.is_empty() { String::new() } else { format!(" \"{}\"", clean_text(label)) };
    let by = if by.is_empty() { String::new() } else { format!(" by {}", clean_text(by)) };
    format!("{}{label}{by}", clean_text(kind))
}

fn said(words: Option<&Words>) -> String {
    let Some(Words { sender, text }) = words else { return "nothing".to_string() };
    format!("{}: \"{}\"", clean_text(sender), clean_text(text))
}

fn told(fate: Option<&Fate>) -> String {
    let Some(Fate { place, level, experience, coins, dead }) = fate else { return "not in the world".to_string() };
    let dead = if *dead { ", died since" } else { "" };
    format!("{} ({}), level {level}, experience {experience}, coins {coins}{dead}", clean_text(&place.name), place.vnum)
}
