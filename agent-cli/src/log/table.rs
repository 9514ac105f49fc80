//! How the rows of a table are written: as JSON lines, CSV or Parquet.

use super::cell::{Cell, Column};
use super::parquet::ParquetWriter;
use serde_json::{Map, Value};
use std::io::Write;

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
