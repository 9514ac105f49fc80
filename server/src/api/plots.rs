//! `/api/v1/plots`: what stands on plots and what is said of it, for everybody to read.
//!
//! Invariants: whoever reads asks the world nothing and changes nothing in it, so that no journal knows of it; labels,
//! reasons and memos are words of players, and go out as data.

use crate::lobby::Lobby;
use crate::plot_pictures::{self, NoPicture};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use world::World;

/// A picture loads nothing and runs nothing, wherever it is opened.
const POLICY: &str = "default-src 'none'; sandbox";

pub fn router(lobby: Arc<Lobby>) -> Router {
    Router::new().route("/api/v1/plots", get(all)).route("/api/v1/plots/{room}", get(one)).with_state(lobby)
}

/// Which there are, and what can be built on them.
async fn all(State(lobby): State<Arc<Lobby>>) -> Response {
    // Both are shared: the world is looked at for a moment only.
    let (plots, content) = lobby.engine.with_world(|world| (world.plots(), world.content.clone()));
    let row = |(room, ground): &(content::Vnum, Arc<world::ground::Ground>)| {
        let plot = &ground.plot;
        json!({ "room": room, "title": plot.title, "revision": plot.revision(), "elements": plot.grid().len() })
    };
    let plots: Vec<Value> = plots.iter().map(row).collect();
    let kinds: Vec<Value> = content.plot_kinds.iter().map(|kind| json!(kind)).collect();
    Json(json!({ "plots": plots, "kinds": kinds })).into_response()
}

#[derive(Deserialize)]
struct Wanted {
    /// Of a picture: as this entry of the memo left the plot.
    entry: Option<u32>,
}

/// One, as the variable `PLOT` shows it, with the whole memo; with `.svg` behind its number a picture of it.
async fn one(
    State(lobby): State<Arc<Lobby>>,
    Path(room): Path<String>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Response {
    let Ok(Query(wanted)) = wanted else {
        return refused(StatusCode::BAD_REQUEST, "entry is the number of an entry of the memo, as in ?entry=12.");
    };
    if let Some(vnum) = room.strip_suffix(".svg").and_then(|room| room.parse().ok()) {
        return match lobby.engine.with_world(|world| plot_pictures::picture(world, vnum, wanted.entry)) {
            Ok(drawn) => ([(CONTENT_TYPE, "image/svg+xml"), (CONTENT_SECURITY_POLICY, POLICY)], drawn).into_response(),
            Err(NoPicture::NoPlot) => none(absent(vnum)),
            Err(why) => none(why.to_string()),
        };
    }
    if wanted.entry.is_some() {
        return refused(StatusCode::BAD_REQUEST, "entry is for pictures, as in /api/v1/plots/8227.svg?entry=12.");
    }
    let Ok(vnum) = room.parse::<content::Vnum>() else {
        return none("A plot is named by the number of its room, as in /api/v1/plots/8227. See /api/v1/plots.".into());
    };
    let told = |world: &World| Some(world.plot_told(vnum, &world.plot_at(vnum)?.plot, plot::KEPT));
    match lobby.engine.with_world(told) {
        Some(plot) => Json(plot).into_response(),
        None => none(absent(vnum)),
    }
}

fn absent(vnum: content::Vnum) -> String {
    format!("There is no plot in room {vnum}. See /api/v1/plots for those that there are.")
}

fn none(why: String) -> Response {
    refused(StatusCode::NOT_FOUND, &why)
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "error": why }))).into_response()
}
