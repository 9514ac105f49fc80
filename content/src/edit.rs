//! A change of content at run time: rows of the native format that replace or add rooms, mobs and objects.
//!
//! Rows are read and checked as those of a folder are; a room belongs to the zone whose range has its number. Nothing
//! is ever taken away, so what other records refer to still exists. Invariants: an edit with an error changes nothing;
//! the same rows on the same content give the same content, and rows as `Row::text` has them read back as they are.

use crate::check;
use crate::content::Content;
use crate::draft::Draft;
use crate::hash;
use crate::native;
use crate::problem::Problems;
use crate::source::Source;
use crate::vnum::Vnum;
use serde::{Deserialize, Serialize};

/// What problems call the text of the edit, as they call a file by its path.
const PATH: &str = "edit";

/// Kinds of rows that can be edited, in the order in which they are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    Room,
    Mob,
    Object,
}

/// A row that was edited.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Row {
    pub kind: RowKind,
    pub vnum: Vnum,
    /// The row in the native format, as the writer writes it.
    pub text: String,
    /// `hash::of` the prototype that it replaced; none where it added one.
    pub before: Option<u64>,
}

/// `room 8004`.
impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            RowKind::Room => "room",
            RowKind::Mob => "mob",
            RowKind::Object => "object",
        };
        write!(f, "{kind} {}", self.vnum)
    }
}

/// What an edit makes of a content.
#[derive(Clone, Debug)]
pub struct Edited {
    pub content: Content,
    /// By kind and number, ascending; never empty.
    pub rows: Vec<Row>,
    /// Fields that are not known and so on: what a builder should see, and what hinders nothing.
    pub warnings: Problems,
}

/// The content with the rows of a text, or why not. Takes about as long as a copy of the content.
pub fn edit(content: &Content, text: &str) -> Result<Edited, Problems> {
    let source = Source::default();
    let mut draft = Draft::of(&source);
    native::read_rows(&mut draft, PATH, text);
    if !draft.unparsed.is_empty() {
        return Err(draft.problems);
    }
    for room in &mut draft.content.rooms {
        match content.zone_holding(room.vnum) {
            Some(zone) => room.zone = zone,
            None => {
                let what = format!("room #{} is in the range of no zone", room.vnum);
                draft.problems.error(PATH, 0, what);
            }
        }
    }
    let rows = rows_of(content, &draft.content);
    if rows.is_empty() {
        draft.problems.error(PATH, 0, "there is no [[room]], [[mob]] or [[object]] in it");
    }
    let mut edited = content.clone();
    edited.rooms.append(&mut draft.content.rooms);
    edited.mobs.append(&mut draft.content.mobs);
    edited.objects.append(&mut draft.content.objects);
    edited.build_look_ups();
    draft.content = edited;
    draft.origins.sort();
    check::check_edit(&mut draft);
    if draft.problems.has_errors() {
        Err(draft.problems)
    } else {
        Ok(Edited { content: draft.content, rows, warnings: draft.problems })
    }
}

/// The content with rows that were edited before, and those of them that it has no place for any more.
pub fn with_rows(content: &Content, rows: &[Row]) -> (Content, Vec<Row>) {
    let all: String = rows.iter().map(|row| row.text.as_str()).collect();
    if let Ok(edited) = edit(content, &all) {
        return (edited.content, Vec::new());
    }
    // One at a time, for as long as one more fits: a row may need another that stands behind it.
    let (mut content, mut left) = (content.clone(), rows.to_vec());
    loop {
        let before = left.len();
        left.retain(|row| match edit(&content, &row.text) {
            Ok(edited) => {
                content = edited.content;
                false
            }
            Err(_) => true,
        });
        if left.len() == before {
            return (content, left);
        }
    }
}

/// Whether the prototype that a row replaced is another one now: its builder changed it since.
pub fn is_outdated(row: &Row, content: &Content) -> bool {
    hash_before(content, row.kind, row.vnum) != row.before
}

fn hash_before(content: &Content, kind: RowKind, vnum: Vnum) -> Option<u64> {
    match kind {
        RowKind::Room => content.room_id(vnum).map(|id| hash::of(content.room(id))),
        RowKind::Mob => content.mob(vnum).map(hash::of),
        RowKind::Object => content.object(vnum).map(hash::of),
    }
}

/// The rows of `new`, as they are written, each with what `content` has in its place.
fn rows_of(content: &Content, new: &Content) -> Vec<Row> {
    let rooms = new.rooms.iter().map(|room| (RowKind::Room, room.vnum, native::room_row(room)));
    let mobs = new.mobs.iter().map(|mob| (RowKind::Mob, mob.vnum, native::mob_row(mob)));
    let objects = new.objects.iter().map(|object| (RowKind::Object, object.vnum, native::object_row(object)));
    let mut rows: Vec<Row> = rooms
        .chain(mobs)
        .chain(objects)
        .map(|(kind, vnum, text)| Row { kind, vnum, text, before: hash_before(content, kind, vnum) })
        .collect();
    rows.sort_by_key(|row| (row.kind, row.vnum));
    rows
}
