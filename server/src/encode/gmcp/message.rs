//! What a message of GMCP is: a row of the table (`MESSAGES`).

use protocol::variables::Variable;
use serde_json::Value;
use world::report::Line;

pub use crate::encode::known::Known;

/// One message that we send.
pub struct MessageRow {
    /// `Package.Message`, as it is sent. A client that wants a package gets all that begin with its name.
    pub name: &'static str,
    pub source: Source,
}

/// What it is made of.
pub enum Source {
    /// Of variables: sent when it is another than before. `None`: there is nothing to say (yet).
    State {
        needs: &'static [Variable],
        write: fn(&Known) -> Option<Value>,
        /// After the first time, only what changed of it.
        changes: bool,
    },
    /// Of a line that is read: sent with it.
    Line(fn(&Known, &Line) -> Option<Value>),
}
