//! What tables are made of: named columns of four kinds, and cells, any of which may be empty.

use serde_json::Value;

/// What a column holds. Any cell may be empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Int,
    Float,
    Bool,
    /// UTF-8; lists and objects as JSON.
    Text,
}

pub type Column = (&'static str, Kind);

#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    Empty,
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    /// JSON: an object among JSON lines, a text in the others.
    Json(Value),
}

impl Cell {
    /// As CSV has it.
    pub fn plain(self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Int(number) => number.to_string(),
            Cell::Float(number) => number.to_string(),
            Cell::Bool(yes) => yes.to_string(),
            Cell::Text(text) => text,
            Cell::Json(value) => value.to_string(),
        }
    }

    /// As JSON has it.
    pub fn value(self) -> Value {
        match self {
            Cell::Empty => Value::Null,
            Cell::Int(number) => number.into(),
            Cell::Float(number) => number.into(),
            Cell::Bool(yes) => yes.into(),
            Cell::Text(text) => text.into(),
            Cell::Json(value) => value,
        }
    }
}

macro_rules! cells {
    ($($type:ty => $cell:expr;)*) => {$(
        impl From<$type> for Cell {
            fn from(value: $type) -> Cell {
                #[allow(clippy::redundant_closure_call)]
                ($cell)(value)
            }
        }
    )*};
}
cells! {
    u64 => |n: u64| Cell::Int(i64::try_from(n).unwrap_or(i64::MAX));
    i64 => Cell::Int;
    i32 => |n: i32| Cell::Int(n.into());
    u32 => |n: u32| Cell::Int(n.into());
    f64 => Cell::Float;
    bool => Cell::Bool;
    String => Cell::Text;
    &str => |text: &str| Cell::Text(text.to_string());
    Value => |value: Value| if value.is_null() { Cell::Empty } else { Cell::Json(value) };
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Empty, Into::into)
    }
}
