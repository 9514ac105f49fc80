//! The minds of a body for a terminal: OBSERVER's panel around those of INNER and OUTER, the memo below.

use super::{Entry, View};
use mind::council::routing::Sense;
use mind::page;
use protocol::minds::MindName;
use protocol::names::clean_text;

/// Columns of the whole picture, at least.
pub const WIDTH_MIN: usize = 60;
/// Lines of the memo.
const MEMO_LINES: usize = 5;
/// Lines of OBSERVER's own.
const OBSERVED_LINES: usize = 5;

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
    for (sense, entry) in &observed[observed.len().saturating_sub(OBSERVED_LINES)..] {
        out.push(format!("│ {} │", fitted(&told(*sense, entry), inside)));
    }
    for open in view.proposals.iter().filter(|one| one.fate == mind::counsel::Fate::Open) {
        out.push(format!("│ {} │", fitted(&format!("open: {}", page::proposal(open)), inside)));
    }
    out.push(bottom(width));
    out.push(top("MEMO", width));
    for entry in view.memo.last(MEMO_LINES, None) {
        out.push(format!("│ {} │", fitted(&page::memo(entry), inside)));
    }
    out.push(bottom(width));
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
    let plans = view.minds.get(&mind).into_iter().flat_map(|one| one.plans.open());
    let mut told: Vec<String> = plans
        .map(|plan| format!("plan #{} {} ({} of {})", plan.id, plan.text, plan.done(), plan.steps.len()))
        .collect();
    told.truncate(lines / 3);
    let stream = view.stream(mind);
    let room = lines.saturating_sub(told.len());
    let newest = stream[stream.len().saturating_sub(room)..].iter();
    told.splice(0..0, newest.map(|(sense, entry)| self::told(*sense, entry)));
    told.resize(lines, String::new());
    let rows = told.iter().map(|line| format!("│ {} │", fitted(line, width - 4)));
    std::iter::once(top(&title(view, mind), width)).chain(rows).chain([bottom(width)]).collect()
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
        count if count > width => {
            let kept: String = text.chars().take(width.saturating_sub(1)).collect();
            format!("{kept}…")
        }
        count => format!("{text}{}", " ".repeat(width - count)),
    }
}

fn top(title: &str, width: usize) -> String {
    let title: String = clean_text(title).chars().take(width.saturating_sub(6)).collect();
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
        let wide = text.lines().skip(1).filter(|line| line.chars().count() != 80).collect::<Vec<_>>();
        assert!(wide.is_empty(), "{text}");
        for told in ["INNER · Instinct", "#4 A OBSERVER chooses #2", "plan #9 a well (1 of 2)", "open: #7 INNER: sit"]
        {
            assert!(text.contains(told), "{told}:\n{text}");
        }
        assert!(text.contains("#6 INNER to OUTER, REQUEST") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn an_empty_view_has_its_panels() {
        let text = panels(&View::default(), 10, 2);
        assert!(text.contains("OBSERVER") && text.contains("MEMO"), "{text}");
    }
}
