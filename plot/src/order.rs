//! What a hand asks of a plot, as it is typed: `add house 3,4 called Anna's because homes belong together`.

use crate::bounds::{LABEL_MAX, REASON_MAX, Text};
use crate::cell::Cell;
use crate::deed::Deed;
use crate::grid::Grid;
use crate::kind::Kinds;
use crate::refusal::Refusal;
use crate::words::{checked, quoted};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is to be changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Request {
    /// The name of the kind, as known; the label may be empty.
    Add {
        kind: Text,
        at: Cell,
        label: Text,
    },
    Move {
        from: Cell,
        to: Cell,
    },
    Remove {
        at: Cell,
    },
}

/// A request with why; may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    pub request: Request,
    pub why: Text,
}

impl Order {
    pub fn parse(typed: &str, kinds: &Kinds) -> Result<Order, Refusal> {
        let (rest, why) = split_word(typed, "because");
        let why = why.map_or(Ok(Text::from("")), |why| checked(why, "reason", REASON_MAX))?;
        Ok(Order { request: Request::parse(rest, kinds)?, why })
    }
}

impl Request {
    /// Puts other words in the place of a label.
    pub(crate) fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        if let Request::Add { label, .. } = self {
            *label = write(label).into();
        }
    }

    /// Without a reason.
    pub fn parse(typed: &str, kinds: &Kinds) -> Result<Request, Refusal> {
        Request::read(typed, |kind| Ok(kinds.meant(kind)?.name.clone()))
    }

    /// The same, with a reason or without, for whoever has no table of kinds: the word for a kind stays as it is typed.
    pub fn as_typed(typed: &str) -> Result<Request, Refusal> {
        let (rest, _) = split_word(typed, "because");
        Request::read(rest, |kind| Ok(kind.to_lowercase().into()))
    }

    fn read(typed: &str, meant: impl Fn(&str) -> Result<Text, Refusal>) -> Result<Request, Refusal> {
        let (word, rest) = first_word(typed);
        match &*word.to_ascii_lowercase() {
            "add" => {
                let (rest, label) = split_word(rest, "called");
                let label = label.map_or(Ok(Text::from("")), |label| checked(unquoted(label), "label", LABEL_MAX))?;
                let (kind, place) = match first_word(rest) {
                    ("a" | "an" | "the", rest) => first_word(rest),
                    other => other,
                };
                if kind.is_empty() {
                    return Err(Refusal::HowToBuild);
                }
                let kind = meant(kind)?;
                Ok(Request::Add { kind, at: Cell::parse(without_at(place))?, label })
            }
            "move" => {
                let (from, to) = split_word(rest, "to");
                let to = to.ok_or(Refusal::HowToBuild)?;
                Ok(Request::Move { from: Cell::parse(without_at(from))?, to: Cell::parse(to)? })
            }
            "remove" => Ok(Request::Remove { at: Cell::parse(without_at(rest))? }),
            _ => Err(Refusal::HowToBuild),
        }
    }

    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let (one, other) = match self {
            Request::Add { at, .. } | Request::Remove { at } => (*at, None),
            Request::Move { from, to } => (*from, Some(*to)),
        };
        [one].into_iter().chain(other)
    }

    /// Whether that deed does what was asked for, whatever it is called. To be asked before the deed is done.
    pub fn is_fulfilled_by(&self, deed: &Deed) -> bool {
        match (self, deed) {
            (Request::Add { kind, at, .. }, Deed::Add(element)) => element.kind == *kind && element.at == *at,
            (Request::Move { from, to }, Deed::Move { from: was, to: is, .. }) => from == was && to == is,
            (Request::Remove { at }, Deed::Remove(element)) => element.at == *at,
            _ => false,
        }
    }

    /// Whether it could be done on that grid; rules and consent are not asked.
    pub fn check(&self, grid: &Grid) -> Result<(), Refusal> {
        let empty = |at: Cell| match grid.at(at) {
            Some(element) => Err(Refusal::Occupied { at, kind: element.kind.clone() }),
            None => Ok(()),
        };
        let taken = |at: Cell| grid.at(at).map(drop).ok_or(Refusal::Empty(at));
        match self {
            Request::Add { at, .. } => empty(*at),
            Request::Move { from, to } => {
                taken(*from)?;
                if from == to {
                    return Err(Refusal::SameCell(*to));
                }
                empty(*to)
            }
            Request::Remove { at } => taken(*at),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Request::Add { kind, at, label } if label.is_empty() => write!(f, "add {kind} {at}"),
            Request::Add { kind, at, label } => write!(f, "add {kind} {at} called {}", quoted(label)),
            Request::Move { from, to } => write!(f, "move {from} to {to}"),
            Request::Remove { at } => write!(f, "remove {at}"),
        }
    }
}

pub(crate) fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

/// What stands before and after the first of that word.
fn split_word<'t>(text: &'t str, word: &str) -> (&'t str, Option<&'t str>) {
    let mut from = 0;
    for part in text.split(char::is_whitespace) {
        if part.eq_ignore_ascii_case(word) {
            return (&text[..from], Some(&text[from + part.len()..]));
        }
        let blank = text[from + part.len()..].chars().next().map_or(0, char::len_utf8);
        from += part.len() + blank;
    }
    (text, None)
}

fn without_at(place: &str) -> &str {
    match first_word(place) {
        ("at", rest) => rest,
        _ => place,
    }
}

/// People put names in quotes.
fn unquoted(label: &str) -> &str {
    let label = label.trim();
    label.strip_prefix('"').and_then(|label| label.strip_suffix('"')).unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::NoCell;
    use crate::examples::{cell, kinds};

    #[test]
    fn orders_are_read_with_label_and_reason() {
        let kinds = kinds();
        let order = Order::parse("add house [3,4] called \"Anna's, to be\" because homes belong because", &kinds);
        let request = Request::Add { kind: "house".into(), at: cell(3, 4), label: "Anna's, to be".into() };
        assert_eq!(order, Ok(Order { request, why: "homes belong because".into() }));
        for (typed, read) in [
            ("add a well at 4 4", "add well 4,4"),
            ("ADD HOUSE 3,4 CALLED Home", "add house 3,4 called \"Home\""),
            ("move 3,4 to 4 4", "move 3,4 to 4,4"),
            ("remove (0, 8)", "remove 0,8"),
        ] {
            let request = Request::parse(typed, &kinds).map(|request| request.to_string());
            assert_eq!(request.as_deref(), Ok(read), "{typed}");
        }
    }

    #[test]
    fn who_has_no_table_of_kinds_reads_orders_all_the_same() {
        let add = Request::Add { kind: "gazebo".into(), at: cell(1, 2), label: "".into() };
        assert_eq!(Request::as_typed("add a Gazebo at [1,2]"), Ok(add));
        assert_eq!(Request::as_typed("remove 3 4 because it leaks"), Ok(Request::Remove { at: cell(3, 4) }));
        assert_eq!(Request::as_typed("add gazebo"), Err(Refusal::Cell(NoCell::NotRead(String::new()))));
    }

    #[test]
    fn what_is_not_understood_is_told() {
        let kinds = kinds();
        for (typed, wrong) in [
            ("", Refusal::HowToBuild),
            ("paint 3,4", Refusal::HowToBuild),
            ("add", Refusal::HowToBuild),
            ("add house", Refusal::Cell(NoCell::NotRead(String::new()))),
            ("add house 9,4", Refusal::Cell(NoCell::Off(9, 4))),
            ("move 3,4", Refusal::HowToBuild),
            ("add house 3,4 called", Refusal::NothingSaid("label")),
            ("remove 3,4 because", Refusal::NothingSaid("reason")),
            ("add house 3,4 called a\u{202e}b", Refusal::Characters("label")),
        ] {
            assert_eq!(Order::parse(typed, &kinds), Err(wrong), "{typed}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let kinds = kinds();
        for request in [
            Request::Add { kind: "well".into(), at: cell(0, 8), label: "deep one".into() },
            Request::Move { from: cell(1, 1), to: cell(2, 2) },
            Request::Remove { at: cell(8, 0) },
        ] {
            assert_eq!(Request::parse(&request.to_string(), &kinds).as_ref(), Ok(&request));
        }
    }
}
