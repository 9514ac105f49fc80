//! What a message of GMCP is: a row of the table (`MESSAGES`), and what it may know.

use content::Content;
use protocol::variables::Variable;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use world::report::Line;

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

/// What is known of a player and its place.
pub struct Known {
    pub content: Arc<Content>,
    /// Empty before it plays.
    pub name: String,
    pub values: BTreeMap<Variable, Value>,
}

impl Known {
    /// `None` until it was told.
    pub fn value(&self, variable: Variable) -> Option<&Value> {
        self.values.get(&variable)
    }
}
