//! A table as a Parquet file: plain encoding, no compression, every column optional.
//!
//! The smallest part of the format that all readers know, so that no library has to be built for it. Sources: the
//! format's specification (`parquet.thrift`, `Encodings.md`) and Thrift's compact protocol. Invariant: rows are held
//! for one row group at most.

use super::cell::{Cell, Column, Kind};
use std::io::{Error, ErrorKind, Write};

const MAGIC: &[u8; 4] = b"PAR1";
/// Rows of a group: enough for readers to skip by, few enough to be held.
const GROUP_ROWS: usize = 50_000;

// Numbers of the format.
const TYPE_BOOLEAN: i64 = 0;
const TYPE_INT64: i64 = 2;
const TYPE_DOUBLE: i64 = 5;
const TYPE_BYTE_ARRAY: i64 = 6;
const REPETITION_OPTIONAL: i64 = 1;
const CONVERTED_UTF8: i64 = 0;
const ENCODING_PLAIN: i64 = 0;
const ENCODING_RLE: i64 = 3;
const PAGE_DATA: i64 = 0;
const UNCOMPRESSED: i64 = 0;

impl Kind {
    const fn physical(self) -> i64 {
        match self {
            Kind::Bool => TYPE_BOOLEAN,
            Kind::Int => TYPE_INT64,
            Kind::Float => TYPE_DOUBLE,
            Kind::Text => TYPE_BYTE_ARRAY,
        }
    }
}

/// Values of a column in the group that is being filled.
#[derive(Default)]
struct Values {
    /// Which rows have a value.
    present: Vec<bool>,
    plain: Vec<u8>,
    bools: Vec<bool>,
}

/// Where a column's values of one group stand.
struct Chunk {
    offset: u64,
    bytes: u64,
    values: u64,
}

struct Group {
    rows: u64,
    chunks: Vec<Chunk>,
}

pub struct ParquetWriter<W: Write> {
    out: W,
    columns: &'static [Column],
    written: u64,
    values: Vec<Values>,
    rows: usize,
    groups: Vec<Group>,
}

impl<W: Write> ParquetWriter<W> {
    pub fn new(mut out: W, columns: &'static [Column]) -> std::io::Result<ParquetWriter<W>> {
        out.write_all(MAGIC)?;
        let values = columns.iter().map(|_| Values::default()).collect();
        Ok(ParquetWriter { out, columns, written: MAGIC.len() as u64, values, rows: 0, groups: Vec::new() })
    }

    /// Fails where a cell is of another kind than its column, which is our mistake.
    pub fn row(&mut self, cells: impl Iterator<Item = Cell>) -> std::io::Result<()> {
        let mut count = 0;
        for ((cell, (name, kind)), values) in cells.zip(self.columns).zip(&mut self.values) {
            count += 1;
            values.present.push(cell != Cell::Empty);
            match (cell, kind) {
                (Cell::Empty, _) => {}
                (Cell::Int(number), Kind::Int) => values.plain.extend(number.to_le_bytes()),
                (Cell::Int(number), Kind::Float) => values.plain.extend((number as f64).to_le_bytes()),
                (Cell::Float(number), Kind::Float) => values.plain.extend(number.to_le_bytes()),
                (Cell::Bool(yes), Kind::Bool) => values.bools.push(yes),
                (Cell::Text(text), Kind::Text) => {
                    values.plain.extend((text.len() as u32).to_le_bytes());
                    values.plain.extend(text.as_bytes());
                }
                (cell, kind) => {
                    return Err(Error::new(ErrorKind::InvalidData, format!("{name} is {kind:?}, not {cell:?}")));
                }
            }
        }
        assert_eq!(count, self.columns.len(), "a row has a cell for each column");
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.end_group() } else { Ok(()) }
    }

    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn end_group(&mut self) -> std::io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows) as u64;
        let mut chunks = Vec::with_capacity(self.columns.len());
        for index in 0..self.columns.len() {
            let mut values = std::mem::take(&mut self.values[index]);
            values.plain.extend(bits(&values.bools));
            let levels = levels(&values.present);
            let size = levels.len() + 4 + values.plain.len();
            let mut header = Thrift::default();
            header.number(1, PAGE_DATA);
            header.number(2, size as i64);
            header.number(3, size as i64);
            header.begin(5);
            header.number(1, values.present.len() as i64);
            header.number(2, ENCODING_PLAIN);
            header.number(3, ENCODING_RLE);
            header.number(4, ENCODING_RLE);
            header.end();
            let header = header.finish();
            let chunk = Chunk { offset: self.written, bytes: (header.len() + size) as u64, values: rows };
            self.put(&header)?;
            self.put(&(levels.len() as u32).to_le_bytes())?;
            self.put(&levels)?;
            self.put(&values.plain)?;
            chunks.push(chunk);
        }
        self.groups.push(Group { rows, chunks });
        Ok(())
    }

    /// Writes what is held, and what the file is made of.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.end_group()?;
        let footer = self.footer();
        self.put(&footer)?;
        self.put(&(footer.len() as u32).to_le_bytes())?;
        self.put(MAGIC)?;
        self.out.flush()
    }

    /// `FileMetaData`.
    fn footer(&self) -> Vec<u8> {
        let mut meta = Thrift::default();
        meta.number32(1, 1);
        meta.list(2, self.columns.len() + 1);
        meta.begin_element();
        meta.text(4, "table");
        meta.number32(5, self.columns.len() as i64);
        meta.end();
        for (name, kind) in self.columns {
            meta.begin_element();
            meta.number32(1, kind.physical());
            meta.number32(3, REPETITION_OPTIONAL);
            meta.text(4, name);
            if *kind == Kind::Text {
                meta.number32(6, CONVERTED_UTF8);
            }
            meta.end();
        }
        meta.number64(3, self.groups.iter().map(|group| group.rows as i64).sum());
        meta.list(4, self.groups.len());
        for group in &self.groups {
            meta.begin_element();
            meta.list(1, group.chunks.len());
            for (chunk, (name, kind)) in group.chunks.iter().zip(self.columns) {
                meta.begin_element();
                meta.number64(2, chunk.offset as i64);
                meta.begin(3);
                meta.number32(1, kind.physical());
                meta.numbers(2, &[ENCODING_PLAIN, ENCODING_RLE]);
                meta.texts(3, &[name]);
                meta.number32(4, UNCOMPRESSED);
                meta.number64(5, chunk.values as i64);
                meta.number64(6, chunk.bytes as i64);
                meta.number64(7, chunk.bytes as i64);
                meta.number64(9, chunk.offset as i64);
                meta.end();
                meta.end();
            }
            meta.number64(2, group.chunks.iter().map(|chunk| chunk.bytes as i64).sum());
            meta.number64(3, group.rows as i64);
            meta.end();
        }
        meta.text(6, "dp-agent");
        meta.finish()
    }
}

/// Booleans, eight to a byte, the first lowest.
fn bits(bools: &[bool]) -> Vec<u8> {
    bools.chunks(8).map(|eight| eight.iter().enumerate().fold(0, |byte, (n, yes)| byte | u8::from(*yes) << n)).collect()
}

/// Definition levels of one bit, as runs: how often, then which.
fn levels(present: &[bool]) -> Vec<u8> {
    let mut out = Vec::new();
    for run in present.chunk_by(|one, other| one == other) {
        varint(&mut out, (run.len() as u64) << 1);
        out.push(u8::from(run[0]));
    }
    out
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Structures in Thrift's compact protocol.
#[derive(Default)]
struct Thrift {
    out: Vec<u8>,
    /// The last field's number in each structure that is open, the innermost last.
    outer: Vec<i16>,
    last: i16,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Thrift {
    fn field(&mut self, id: i16, kind: u8) {
        let step = id - self.last;
        debug_assert!((1..=15).contains(&step), "fields come in order, and not far apart");
        self.out.push((step as u8) << 4 | kind);
        self.last = id;
    }

    fn zigzag(&mut self, number: i64) {
        varint(&mut self.out, ((number << 1) ^ (number >> 63)) as u64);
    }

    fn number32(&mut self, id: i16, number: i64) {
        self.field(id, I32);
        self.zigzag(number);
    }

    fn number64(&mut self, id: i16, number: i64) {
        self.field(id, I64);
        self.zigzag(number);
    }

    /// An `i32` of a page's header.
    fn number(&mut self, id: i16, number: i64) {
        self.number32(id, number);
    }

    fn bytes(&mut self, text: &str) {
        varint(&mut self.out, text.len() as u64);
        self.out.extend(text.as_bytes());
    }

    fn text(&mut self, id: i16, text: &str) {
        self.field(id, BINARY);
        self.bytes(text);
    }

    fn list_of(&mut self, id: i16, count: usize, kind: u8) {
        self.field(id, LIST);
        if count < 15 {
            self.out.push((count as u8) << 4 | kind);
        } else {
            self.out.push(0xf0 | kind);
            varint(&mut self.out, count as u64);
        }
    }

    /// So many structures follow, each between `begin_element` and `end`.
    fn list(&mut self, id: i16, count: usize) {
        self.list_of(id, count, STRUCT);
    }

    fn numbers(&mut self, id: i16, numbers: &[i64]) {
        self.list_of(id, numbers.len(), I32);
        numbers.iter().for_each(|number| self.zigzag(*number));
    }

    fn texts(&mut self, id: i16, texts: &[&str]) {
        self.list_of(id, texts.len(), BINARY);
        texts.iter().for_each(|text| self.bytes(text));
    }

    /// A structure as a field.
    fn begin(&mut self, id: i16) {
        self.field(id, STRUCT);
        self.begin_element();
    }

    /// A structure in a list.
    fn begin_element(&mut self) {
        self.outer.push(std::mem::take(&mut self.last));
    }

    fn end(&mut self) {
        self.out.push(0);
        self.last = self.outer.pop().expect("it was begun");
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.push(0);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[("n", Kind::Int), ("x", Kind::Float), ("yes", Kind::Bool), ("text", Kind::Text)];

    fn file(rows: &[[Cell; 4]]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = ParquetWriter::new(&mut out, COLUMNS).expect("memory");
        for row in rows {
            writer.row(row.iter().cloned()).expect("of the right kinds");
        }
        writer.finish().expect("memory");
        out
    }

    #[test]
    fn a_file_is_framed_and_says_where_its_footer_begins() {
        let rows = [
            [Cell::Int(-5), Cell::Float(0.5), Cell::Bool(true), Cell::Text("é".into())],
            [Cell::Empty, Cell::Int(2), Cell::Empty, Cell::Empty],
        ];
        for rows in [&rows[..0], &rows[..]] {
            let bytes = file(rows);
            assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC), "{bytes:?}");
            let end = bytes.len() - 8;
            let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four")) as usize;
            let footer = &bytes[end - length..end];
            // Version 1, then a list of five elements of schema.
            assert_eq!(footer[..4], [0x15, 0x02, 0x19, 0x5c]);
            assert_eq!(footer.last(), Some(&0));
        }
    }

    #[test]
    fn levels_are_runs_and_booleans_are_bits() {
        assert_eq!(levels(&[true, true, false, true]), [4, 1, 2, 0, 2, 1]);
        assert_eq!(levels(&[true; 100]), [200, 1, 1]);
        assert_eq!(bits(&[true, false, true, false, false, false, false, false, true]), [5, 1]);
    }

    #[test]
    fn a_cell_of_another_kind_is_refused() {
        let mut writer = ParquetWriter::new(Vec::new(), COLUMNS).expect("memory");
        let wrong = [Cell::Text("5".into()), Cell::Empty, Cell::Empty, Cell::Empty];
        assert!(writer.row(wrong.into_iter()).is_err());
    }
}
