//! Tables: named columns of four kinds, and how their rows are written as JSON lines, CSV or Parquet.

use super::parquet::ParquetWriter;
use serde_json::{Map, Value};
use std::io::Write;

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
    fn plain(self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Int(number) => number.to_string(),
            Cell::Float(number) => number.to_string(),
            Cell::Bool(yes) => yes.to_string(),
            Cell::Text(text) => text,
            Cell::Json(value) => value.to_string(),
        }
    }

    fn value(self) -> Value {
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

/// Writes the rows of one table.
pub enum Sheet<W: Write> {
    Jsonl(W, &'static [Column]),
    Csv(Box<csv::Writer<W>>),
    Parquet(Box<ParquetWriter<W>>),
}

impl<W: Write> Sheet<W> {
    pub fn jsonl(out: W, columns: &'static [Column]) -> Sheet<W> {
        Sheet::Jsonl(out, columns)
    }

    /// With a heading, also of an empty table.
    pub fn csv(out: W, columns: &'static [Column]) -> std::io::Result<Sheet<W>> {
        let mut sheet = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        sheet.write_record(columns.iter().map(|(name, _)| name))?;
        Ok(Sheet::Csv(Box::new(sheet)))
    }

    pub fn parquet(out: W, columns: &'static [Column]) -> std::io::Result<Sheet<W>> {
        Ok(Sheet::Parquet(Box::new(ParquetWriter::new(out, columns)?)))
    }

    /// As many cells as there are columns.
    pub fn row(&mut self, cells: Vec<Cell>) -> std::io::Result<()> {
        match self {
            Sheet::Jsonl(out, columns) => {
                let names = columns.iter().map(|(name, _)| name.to_string());
                let row: Map<String, Value> = names.zip(cells.into_iter().map(Cell::value)).collect();
                serde_json::to_writer(&mut *out, &row)?;
                out.write_all(b"\n")
            }
            Sheet::Csv(sheet) => Ok(sheet.write_record(cells.into_iter().map(Cell::plain))?),
            Sheet::Parquet(sheet) => sheet.row(cells.into_iter().map(|cell| match cell {
                Cell::Json(value) => Cell::Text(value.to_string()),
                cell => cell,
            })),
        }
    }

    pub fn finish(self) -> std::io::Result<()> {
        match self {
            Sheet::Jsonl(mut out, _) => out.flush(),
            Sheet::Csv(mut sheet) => sheet.flush(),
            Sheet::Parquet(sheet) => sheet.finish(),
        }
    }
}
