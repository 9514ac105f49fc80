//! `/api/v1/plots`: what stands on plots and what is said of it, for everybody to read.
//!
//! Invariants: whoever reads asks the world nothing and changes nothing in it, so that no journal knows of it; labels,
//! reasons and memos are words of players, and go out as data.

use crate::lobby::Lobby;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use serde_json::{Value, json};
use std::sync::Arc;

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

/// One, as the variable `PLOT` shows it, with the whole memo.
async fn one(State(lobby): State<Arc<Lobby>>, Path(room): Path<String>) -> Response {
    let Ok(vnum) = room.parse::<content::Vnum>() else {
        return none("A plot is named by the number of its room, as in /api/v1/plots/8227. See /api/v1/plots.".into());
    };
    let told = lobby.engine.with_world(|world| {
        let ground = world.plot_of(world.room_by_vnum(vnum)?)?;
        Some(world.plot_told(vnum, &ground.plot, usize::MAX))
    });
    match told {
        Some(plot) => Json(plot).into_response(),
        None => none(format!("There is no plot in room {vnum}. See /api/v1/plots for those that there are.")),
    }
}

fn none(why: String) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "error": why }))).into_response()
}
