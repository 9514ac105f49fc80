//! The verb `status` in its place among the requests of a character: its words are those of `mind`, and programs that
//! watch the mind get a frame right before them, which tells of the log, too.

use super::{Append, Asker, Minds};
use crate::log_input::Request;
use crate::store::{agent_archives, agent_events};
use crate::times::rfc3339_ms;
use mind::{MindState, VerbRequest, edit};
use protocol::payload::Mind;
use protocol::status::LogSize;

impl Minds {
    /// Answers from the state as it is at this place in line.
    pub(super) async fn status(&self, state: &MindState, request: &Request, asker: Option<Asker>) {
        let Some(asker) = asker else { return };
        let asked = VerbRequest::new(&request.verb, &request.args, request.first, 0, request.tick);
        let reply = edit::answer(state, &asked);
        let frame = match self.watches(&request.log, &asker) && !reply.refused {
            true => {
                let log = self.log_size(request).await;
                let status = mind::status::status(state, request.at_ms, log, rfc3339_ms);
                Some(Mind::Status(Box::new(status)))
            }
            false => None,
        };
        self.hand_over(request, &asker, frame, reply);
    }

    /// Entries of a log, those on their way to the database among them. Where that does not answer, those alone.
    async fn log_size(&self, request: &Request) -> LogSize {
        // Before the database is asked: what is written meanwhile is counted once, since it stands above the first.
        let on_their_way = self.on_their_way(&request.log);
        let waiting: usize = on_their_way.iter().map(Append::entries).map(<[_]>::len).sum();
        let first = on_their_way.iter().flat_map(Append::entries).next();
        let first = first.and_then(|entry| i64::try_from(entry.seq).ok()).unwrap_or(i64::MAX);
        let written = agent_events::count_below(&self.store, &request.log, first).await.unwrap_or_else(|error| {
            tracing::error!(log = %request.log, %error, "the entries of a log could not be counted");
            0
        });
        let archived = agent_archives::count(&self.store, &request.log).await.unwrap_or_else(|error| {
            tracing::error!(log = %request.log, %error, "what of a log is archived could not be counted");
            0
        });
        LogSize { hot: written + waiting as u64, archived }
    }
}
