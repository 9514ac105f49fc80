//! Content that changes while it is played: a builder's rows replace or add rooms, mobs and objects
//! (`Input::Edit`), in this world's own copy of the content.
//!
//! What was edited is state (`State::edits`), so a snapshot has it, a replay does it again, and `World::resume` puts it
//! on top of the content that it is given. Invariants: nothing leaves the world because of an edit; whoever and
//! whatever lives on keeps its own values, and what the code reads from the prototype follows the new one.

use crate::report::Request;
use crate::world::World;
use content::edit::{Row, RowKind, edit};
use std::sync::Arc;

/// Rows that may be edited, so that neither snapshots nor starts grow without end.
pub const EDITS_MAX: usize = 2_000;

/// Why an edit was not done: one line for each thing that is wrong.
pub type EditRefusal = Vec<String>;

/// What an edit would do, without doing it.
pub fn preview(world: &World, rows: &str) -> Result<content::edit::Edited, EditRefusal> {
    let edited = edit(&world.content, rows)
        .map_err(|problems| problems.0.iter().map(ToString::to_string).collect::<Vec<String>>())?;
    let added = edited.rows.iter().filter(|row| place_of(&world.state.edits, row).is_err()).count();
    if world.state.edits.len() + added > EDITS_MAX {
        return Err(vec![format!("at most {EDITS_MAX} rows can be edited: write them into the world's files")]);
    }
    Ok(edited)
}

/// Does an edit. One that is refused changes nothing, and the operator's log says why.
pub(crate) fn apply(world: &mut World, by: &str, rows: &str) {
    let edited = match preview(world, rows) {
        Ok(edited) => edited,
        Err(problems) => {
            return world.request(Request::Log { text: format!("{by} edits in vain: {}", problems.join("; ")) });
        }
    };
    let names: Vec<String> = edited.rows.iter().map(ToString::to_string).collect();
    world.change_content(Arc::new(edited.content));
    for row in edited.rows {
        if let (RowKind::Room, Some(id)) = (row.kind, world.content.room_id(row.vnum)) {
            world.state.rooms.touch(id);
        }
        let edits = &mut world.state.edits;
        match place_of(edits, &row) {
            // What stood in the builder's files is what the first edit replaced.
            Ok(at) => edits[at].text = row.text,
            Err(at) => edits.insert(at, row),
        }
    }
    world.request(Request::Log { text: format!("{by} edited {}", names.join(", ")) });
}

/// Where a row of that kind and number is in the list, or would be.
fn place_of(edits: &[Row], row: &Row) -> Result<usize, usize> {
    edits.binary_search_by_key(&(row.kind, row.vnum), |edit| (edit.kind, edit.vnum))
}
