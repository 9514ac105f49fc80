//! What a message of GMCP is: a row of the table (`MESSAGES`).

use protocol::payload::append_json;
use protocol::variables::Variable;
use serde::Serialize;
use serde_json::Value;
use world::report::Line;

pub use crate::encode::known::Known;

/// One message that we send.
pub struct MessageRow {
    /// `Package.Message`, as it is sent. A client that wants a package gets all that begin with its name.
    pub name: &'static str,
    pub source: Source,
}

/// What it is made of. `None`: there is nothing to say (yet).
pub enum Source {
    /// Of variables, as JSON: sent when it is another than before.
    Whole { needs: &'static [Variable], write: fn(&Known) -> Option<String> },
    /// Of variables: after the first time, only what changed of it.
    Changes { needs: &'static [Variable], write: fn(&Known) -> Option<Fields> },
    /// Of variables, as `room_players` has it: whole, then by its changes where the client wants them.
    Company { needs: &'static [Variable] },
    /// Of a line that is read: sent with it.
    Line(fn(&Known, &Line) -> Option<Value>),
}

impl Source {
    /// The variables that it is made of.
    pub fn needs(&self) -> &'static [Variable] {
        match self {
            Source::Whole { needs, .. } | Source::Changes { needs, .. } | Source::Company { needs, .. } => needs,
            // Whether there is a way hangs on the ways.
            Source::Line(_) => &[Variable::RoomExits],
        }
    }
}

/// An object's fields with their JSON, always the same ones in the same order.
pub type Fields = Vec<(&'static str, String)>;

pub fn json_of<T: Serialize + ?Sized>(value: &T) -> String {
    let mut json = String::new();
    append_json(&mut json, value);
    json
}
