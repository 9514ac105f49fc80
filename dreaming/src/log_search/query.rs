//! What is asked of a log: words, and where to look for them.
//!
//! `in:notes`, `from:Bob`, `project:bridge`, `since:#812`, `until:5000t`, `since:2h`, `since:3d`, anywhere among the
//! words. A qualifier that is none is an error, so that nobody takes what was not looked for as not there.

use super::Part;
use mind::sharing::Scope;

/// From when on, or until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// The number of an entry.
    Entry(u64),
    /// The world's tick.
    Tick(u64),
    /// Unix milliseconds.
    Time(i64),
}

impl Point {
    /// `#812`, `5000t`, `2h`, `3d`; hours and days back from now. `None`: it is none of these.
    pub fn parse(text: &str, now_ms: i64) -> Option<Point> {
        const HOUR_MS: i64 = 3_600_000;
        if let Some(seq) = text.strip_prefix('#') {
            return Some(Point::Entry(seq.parse().ok()?));
        }
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        match unit {
            "t" => Some(Point::Tick(number.parse().ok()?)),
            "h" => {
                Some(Point::Time(now_ms.checked_sub(number.parse::<u32>().ok().map(i64::from)?.checked_mul(HOUR_MS)?)?))
            }
            "d" => {
                let hours = i64::from(number.parse::<u32>().ok()?).checked_mul(24)?;
                Some(Point::Time(now_ms.checked_sub(hours.checked_mul(HOUR_MS)?)?))
            }
            _ => None,
        }
    }

    /// Whether an entry is of this point or later.
    pub(super) fn is_before(self, seq: u64, tick: u64, at_ms: i64) -> bool {
        match self {
            Point::Entry(from) => seq >= from,
            Point::Tick(from) => tick >= from,
            Point::Time(from) => at_ms >= from,
        }
    }

    /// Whether an entry is of this point or earlier.
    pub fn is_after(self, seq: u64, tick: u64, at_ms: i64) -> bool {
        match self {
            Point::Entry(until) => seq <= until,
            Point::Tick(until) => tick <= until,
            Point::Time(until) => at_ms <= until,
        }
    }
}

/// One question. No words: the newest of what fits.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LogQuery {
    pub words: String,
    /// Empty: all of them.
    pub parts: Vec<Part>,
    /// What was superseded too.
    pub all: bool,
    /// In lower case.
    pub from: Option<String>,
    /// In lower case.
    pub project: Option<String>,
    pub since: Option<Point>,
    pub until: Option<Point>,
    /// Of somebody else's log: what they share of it. All else is as if it were not there, and counts for nothing.
    pub scopes: Option<Vec<Scope>>,
}

/// What is asked, taken apart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Asked {
    /// The words without the qualifiers.
    pub words: String,
    /// The memory is asked: nothing is said of the log alone.
    pub memories: bool,
    /// The log is asked, and how.
    pub log: Option<LogQuery>,
}

impl Asked {
    /// Errors say what is wrong with a qualifier.
    pub fn parse(text: &str, now_ms: i64) -> Result<Asked, String> {
        let mut query = LogQuery::default();
        let (mut words, mut only_memories, mut is_qualified, mut wants_memories) = (Vec::new(), false, false, false);
        for word in text.split_whitespace() {
            let Some((name, value)) = word.split_once(':') else {
                words.push(word);
                continue;
            };
            let value_folded = value.to_lowercase();
            match name.to_ascii_lowercase().as_str() {
                "in" => {
                    is_qualified = true;
                    for part in value_folded.split(',') {
                        match (part, Part::ALL.into_iter().find(|known| known.name() == part)) {
                            ("all", _) => (query.all, wants_memories) = (true, true),
                            ("memories", _) => (only_memories, wants_memories) = (true, true),
                            (_, Some(part)) => query.parts.push(part),
                            (_, None) => {
                                let parts: Vec<&str> = Part::ALL.iter().map(|part| part.name()).collect();
                                let known = parts.join(", ");
                                return Err(format!("In what? in: takes {known}, memories or all."));
                            }
                        }
                    }
                }
                "from" if !value.is_empty() => (query.from, is_qualified) = (Some(value_folded), true),
                "project" if !value.is_empty() => (query.project, is_qualified) = (Some(value_folded), true),
                when @ ("since" | "until") => {
                    let point = Point::parse(value, now_ms);
                    let point = point.ok_or_else(|| {
                        format!("{when}: takes an entry (#812), a tick (5000t), hours (2h) or days (3d) ago.")
                    })?;
                    is_qualified = true;
                    if when == "since" { query.since = Some(point) } else { query.until = Some(point) }
                }
                name @ ("from" | "project") => {
                    return Err(format!("Whom or what? {name}: wants a name right behind it."));
                }
                // A name of a memory, a time of day: words like any others.
                _ => words.push(word),
            }
        }
        let narrows = query.from.is_some() || query.project.is_some() || query.since.is_some() || query.until.is_some();
        if only_memories && narrows {
            return Err(
                "Memories are not narrowed by from:, project:, since: or until:. Ask the log: leave in:memories \
                        out."
                    .to_string(),
            );
        }
        query.words = words.join(" ");
        let words = query.words.clone();
        // The moment is a matter of memories alone.
        let asks_log = (is_qualified || !words.is_empty()) && !(only_memories && query.parts.is_empty());
        let memories = !is_qualified || wants_memories && !narrows;
        Ok(Asked { words, memories, log: asks_log.then_some(query) })
    }
}
