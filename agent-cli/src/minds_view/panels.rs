//! The minds of a body for a terminal: OBSERVER's panel around those of INNER and OUTER, the memo below.

use super::{Entry, View};
use mind::council::routing::Sense;
use mind::page;
use protocol::minds::MindName;
use protocol::names::clean_text;
use protocol::words::shortened;

/// Columns of the whole picture, at least.
pub const WIDTH_MIN: usize = 60;
/// Entries of the memo.
const MEMO_ENTRIES: usize = 5;
/// Entries of OBSERVER's own.
const OBSERVED_ENTRIES: usize = 5;
/// Lines that one entry may take, before it is cut.
const ENTRY_LINES: usize = 3;
/// Columns by which all lines of an entry but its first stand in.
const INDENT: usize = 2;

/// A picture of so many columns, with so many lines in the two inner panels.
pub fn panels(view: &View, width: usize, lines: usize) -> String {
    let width = width.max(WIDTH_MIN);
    let inside = width - 4;
    let (left, right) = ((inside - 1) / 2, inside - 1 - (inside - 1) / 2);
    let mut out = Vec::new();
    let gap = if view.has_gap { ", some entries left out" } else { "" };
    out.push(format!("{} at tick {}{gap}", view.name, view.tick()));
    out.push(top(&title(view, MindName::Observer), width));
    let (inner, outer) = (boxed(view, MindName::Inner, left, lines), boxed(view, MindName::Outer, right, lines));
    for (inner, outer) in inner.into_iter().zip(outer) {
        out.push(format!("│ {inner} {outer} │"));
    }
    let observed = view.observed();
    let newest = &observed[observed.len().saturating_sub(OBSERVED_ENTRIES)..];
    let told_of = newest.iter().map(|(sense, entry)| told(*sense, entry));
    let open = view.proposals.iter().filter(|one| one.fate == mind::counsel::Fate::Open);
    let open = open.map(|one| format!("open: {}", page::proposal(one)));
    out.extend(told_of.chain(open).flat_map(|text| framed(&text, inside)));
    out.push(bottom(width));
    out.push(top("MEMO", width));
    out.extend(view.memo.last(MEMO_ENTRIES, None).into_iter().flat_map(|entry| framed(&page::memo(entry), inside)));
    out.push(bottom(width));
    out.push("P: perceived  O: read in another's stream  A: done  T: thought".to_string());
    let mut text = out.join("\n");
    text.push('\n');
    text
}

fn title(view: &View, mind: MindName) -> String {
    match view.side(mind) {
        "" => mind.to_string(),
        side => format!("{mind} · {side}"),
    }
}

fn boxed(view: &View, mind: MindName, width: usize, lines: usize) -> Vec<String> {
    let inside = width - 4;
    let plans = view.minds.get(&mind).into_iter().flat_map(|one| one.plans.open());
    let mut plans: Vec<String> = plans
        .flat_map(|plan| {
            wrapped(&format!("plan #{} {} ({} of {})", plan.id, plan.text, plan.done(), plan.steps.len()), inside)
        })
        .collect();
    plans.truncate(lines / 3);
    // The newest that have room, oldest first; of the oldest the end, if it has not.
    let room = lines.saturating_sub(plans.len());
    let mut rows: Vec<String> = Vec::new();
    for (sense, entry) in view.stream(mind).iter().rev() {
        if rows.len() >= room {
            break;
        }
        rows.splice(0..0, wrapped(&told(*sense, entry), inside));
    }
    rows.drain(..rows.len().saturating_sub(room));
    rows.extend(plans);
    rows.resize(lines, String::new());
    let rows = rows.iter().map(|line| format!("│ {} │", fitted(line, inside)));
    std::iter::once(top(&title(view, mind), width)).chain(rows).chain([bottom(width)]).collect()
}

fn framed(text: &str, inside: usize) -> Vec<String> {
    wrapped(text, inside).iter().map(|line| format!("│ {} │", fitted(line, inside))).collect()
}

/// The lines of an entry: broken at blanks, and cut where it takes too many.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let text = clean_text(text);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(" ".repeat(INDENT));
            used = INDENT;
        } else if used > 0 {
            used += 1;
            lines.last_mut().expect("one at least").push(' ');
        }
        used += length;
        lines.last_mut().expect("one at least").push_str(word);
    }
    if lines.len() > ENTRY_LINES {
        let rest = lines.split_off(ENTRY_LINES - 1);
        // As much of it as there is room for, with the mark of a cut.
        lines.push(fitted(&format!("{}…", rest[0]), width));
    }
    lines
}

fn told(sense: Sense, entry: &Entry) -> String {
    let mark = match sense {
        Sense::Perception => "P",
        Sense::Observation => "O",
        Sense::Action => "A",
        Sense::Thought => "T",
    };
    format!("#{} {mark} {}", entry.seq, entry.text)
}

/// So many characters, filled up or cut.
fn fitted(text: &str, width: usize) -> String {
    let text = clean_text(text);
    match text.chars().count() {
        count if count > width => shortened(&text, width.saturating_sub(1)),
        count => format!("{text}{}", " ".repeat(width - count)),
    }
}

fn top(title: &str, width: usize) -> String {
    let title = shortened(&clean_text(title), width.saturating_sub(7));
    let rest = width.saturating_sub(title.chars().count() + 5);
    format!("┌─ {title} {}┐", "─".repeat(rest))
}

fn bottom(width: usize) -> String {
    format!("└{}┘", "─".repeat(width.saturating_sub(2)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::view;
    use super::*;

    #[test]
    fn three_panels_and_the_memo_fit_into_the_width() {
        let text = panels(&view(), 80, 4);
        let lines: Vec<&str> = text.lines().collect();
        let [first, framed @ .., marks] = &lines[..] else { panic!("{text}") };
        assert!(framed.iter().all(|line| line.chars().count() == 80), "{text}");
        assert!(first.starts_with("Ann at tick") && marks.starts_with("P: perceived"), "{text}");
        for told in ["INNER · Instinct", "#4 A OBSERVER chooses #2", "plan #9 a well (1 of 2)", "open: #7 INNER: sit"]
        {
            assert!(text.contains(told), "{told}:\n{text}");
        }
        assert!(text.contains("#6 INNER to OUTER, REQUEST") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_long_entry_goes_on_below_itself_and_a_very_long_one_is_cut() {
        assert_eq!(wrapped("#4 P The rat bites you hard.", 14), ["#4 P The rat", "  bites you", "  hard."]);
        let told = wrapped(&"word ".repeat(40), 20);
        assert_eq!(told.len(), ENTRY_LINES, "{told:?}");
        assert!(told.iter().all(|line| line.chars().count() <= 20) && told[2].trim_end().ends_with('…'), "{told:?}");
    }

    #[test]
    fn an_empty_view_has_its_panels() {
        let text = panels(&View::default(), 10, 2);
        assert!(text.contains("OBSERVER") && text.contains("MEMO"), "{text}");
    }
}
