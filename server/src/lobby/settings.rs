//! Settings that are read again while the server runs: who asks for it (the operator's API, a signal), and what came of
//! it. What is read, and how, is `serve`'s.

use serde::{Deserialize, Serialize};
use std::fmt;
use tokio::sync::{mpsc, oneshot};

/// What came of reading the settings again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retaken {
    /// Nothing was wrong with what was read.
    pub ok: bool,
    /// What holds from now on as it was read, whether or not it was the same before.
    pub taken: Vec<String>,
    /// What is another than the server runs with, and is taken by a hot restart only: keys of settings, and files.
    pub needs_restart: Vec<String>,
    /// What is wrong, each a sentence; there everything stays as it was.
    pub problems: Vec<String>,
}

/// For people.
impl fmt::Display for Retaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.taken.is_empty() {
            true => f.write_str("Nothing was taken.")?,
            false => write!(f, "Read again: {}.", self.taken.join(", "))?,
        }
        if !self.needs_restart.is_empty() {
            write!(f, "\nWaits for a hot restart: {}.", self.needs_restart.join(", "))?;
        }
        self.problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))
    }
}

/// Asks whoever reads settings. Cloning shares it.
#[derive(Clone)]
pub struct SettingsReader(mpsc::UnboundedSender<oneshot::Sender<Retaken>>);

/// Who asks, in order.
pub type Asking = mpsc::UnboundedReceiver<oneshot::Sender<Retaken>>;

impl SettingsReader {
    pub fn new() -> (SettingsReader, Asking) {
        let (asking, asked) = mpsc::unbounded_channel();
        (SettingsReader(asking), asked)
    }

    /// Has them read again. `None`: the server is stopping.
    pub async fn reload(&self) -> Option<Retaken> {
        let (answer, answered) = oneshot::channel();
        self.0.send(answer).ok()?;
        answered.await.ok()
    }
}
