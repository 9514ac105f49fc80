//! What stands behind the `?` of a call, and what whoever gets it wrong is told: the table is `takes!`, but for calls
//! that have a file of their own.

use super::refuse;
use crate::query_string::{self, Wanted};
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;

/// What stands behind the `?`. What is wrong with it is told in the same form as every other refusal.
pub struct Query<T>(pub T);

impl<T: Wanted, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query<T>, Response> {
        query_string::read(&parts.uri).map(Query).map_err(|query_string::Unread { how, unknown }| {
            let unknown = unknown.map_or(String::new(), |name| format!(" There is no `{name}`."));
            refuse(StatusCode::BAD_REQUEST, format!("{how}{unknown} Nothing was done."))
        })
    }
}

macro_rules! takes {
    ($($call:ty: $how:literal),* $(,)?) => {
        $(impl Wanted for $call {
            const HOW: &'static str = $how;
        })*
    };
}

takes! {
    super::Announce: "This call takes `text`, which everybody reads.",
    super::BanCall:
        "This call takes `who`, a name, an address or a network, and may take `for`, a time such as 12h, and `reason`.",
    super::Complaints:
        "This call may take `id`, a whole number, of the one complaint to show, or `before`, a whole number: the `id` of \
         a complaint, of which only older ones are shown.",
    super::Edit: "This call may take `by`, who did it; the rows are the body.",
    super::HostKeygen: "This call takes `owner`, the name of one who has an account.",
    super::Inherit: "This call takes `from`, names with commas between them, and `to`, the name of the heir.",
    super::Keygen: "This call takes `name`, of a character, and may take `class` and `race`, of a new one.",
    super::Keys: "This call may take `name`, of a character or an owner.",
    super::Named: "This call takes `name`, of a character.",
    super::Place: "This call takes `name`, of a character, and `room`, the number of a room.",
    super::Post: "This call takes `channel`, the number of a channel, and `text`, what is said there.",
    super::Promote:
        "This call takes `name`, of a character, and may take `level`, a whole number, and `architect`, true or false.",
    super::Revoke: "This call takes `key`: its number, its first digits, or the whole of it.",
    super::Roll:
        "This call takes `draw`, what is drawn for, `values`, numbers with commas between them, min or max, and may \
         take `who`, the name of a character.",
    super::Ticks: "This call may take `n`, a whole number from 1: how many ticks.",
    super::Unban: "This call takes `who`, as the list of bans shows it.",
}
