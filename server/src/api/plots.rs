//! `/api/v1/plots`: what stands on plots and what is said of it, for everybody to read, or for whom
//! the setting `plots` lets.
//!
//! Invariants: whoever reads asks the world nothing and changes nothing in it, so that no journal knows of it; labels,
//! reasons and memos are words of players, and go out as data.

use super::error::{ApiError, Failure, PathWord, Query, Wanted};
use super::viewer::Viewer;
use crate::lobby::Lobby;
use crate::plot_pictures::{NoPicture, Standing};
use axum::Extension;
use axum::extract::State;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Json, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::IntoParams;
use world::World;

/// Who may read of plots by HTTP. In the game everybody may who stands before one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum PlotsAudience {
    /// Anybody
    #[default]
    Public,
    /// Operators only
    Admin,
    /// Nobody
    Off,
}

impl PlotsAudience {
    async fn admit(self, lobby: &Lobby, viewer: &Viewer) -> Result<(), ApiError> {
        let is_admitted = match self {
            PlotsAudience::Public => true,
            PlotsAudience::Admin => viewer.is_operator(lobby).await?,
            PlotsAudience::Off => false,
        };
        match is_admitted {
            true => Ok(()),
            false => {
                Err(ApiError::not_found("This server shows no plots here. Whoever stands before one sees it: plot."))
            }
        }
    }
}

/// A picture loads nothing and runs nothing, wherever it is opened.
const POLICY: &str = "default-src 'none'; sandbox";

/// The plots, and what can be built on them
#[utoipa::path(
    get, path = "/api/v1/plots", tag = "plots", security((), ("bearer" = [])),
    responses(
        (status = 200, description = "All that there are.", body = Object, example = json!({
            "plots": [{"room": 200, "title": "The Far Corner", "revision": 1, "elements": 2}],
            "kinds": [{
                "name": "house", "type": "BUILDING", "glyph": "H", "icon": "house", "purpose": "where somebody lives",
                "tint": "#b98", "shape": "house"
            }]
        })),
        (status = "default", description = "Too many calls, or it is not for you.", body = Failure),
    )
)]
pub async fn plots(
    State(lobby): State<Arc<Lobby>>,
    State(audience): State<PlotsAudience>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Response, ApiError> {
    audience.admit(&lobby, &viewer).await?;
    // Both are shared: the world is looked at for a moment only.
    let (plots, content) = lobby.engine.with_world(|world| (world.plots(), world.content.clone()));
    let row = |(room, ground): &(content::Vnum, Arc<world::ground::Ground>)| {
        let plot = &ground.plot;
        json!({ "room": room, "title": plot.title, "revision": plot.revision(), "elements": plot.grid().len() })
    };
    let plots: Vec<Value> = plots.iter().map(row).collect();
    let kinds: Vec<Value> = content.plot_kinds.iter().map(|kind| json!(kind)).collect();
    Ok(Json(json!({ "plots": plots, "kinds": kinds })).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfPicture {
    /// Of a picture: as this entry of the memo left the plot.
    #[param(example = 12)]
    entry: Option<u32>,
}

impl Wanted for OfPicture {
    const HOW: &'static str = "entry is the number of an entry of the memo, as in ?entry=12.";
}

/// One plot, as the variable PLOT shows it, with the whole memo
///
/// With `.svg` or `.png` behind the number of its room a picture of it. Labels, reasons and memos are words of players.
#[utoipa::path(
    get, path = "/api/v1/plots/{room}", tag = "plots", security((), ("bearer" = [])),
    params(("room" = String, Path, description = "The number of its room; 200.svg or 200.png for a picture", example = "200"), OfPicture),
    responses(
        (status = 200, description = "The plot, or its picture.", content(
            (Object = "application/json"), (String = "image/svg+xml"), (String = "image/png")
        )),
        (status = "default", description = "There is none.", body = Failure),
    )
)]
pub async fn plot(
    State(lobby): State<Arc<Lobby>>,
    State(audience): State<PlotsAudience>,
    Extension(viewer): Extension<Viewer>,
    PathWord(room): PathWord,
    Query(wanted): Query<OfPicture>,
) -> Result<Response, ApiError> {
    audience.admit(&lobby, &viewer).await?;
    let picture = room.rsplit_once('.').and_then(|(room, form)| Some((room.parse().ok()?, Form::named(form)?)));
    if let Some((vnum, form)) = picture {
        let standing = lobby.engine.with_world(|world| Standing::of(world, vnum)).ok_or_else(|| absent(vnum))?;
        let drawn = tokio::task::spawn_blocking(move || form.draw(&standing, wanted.entry)).await;
        return match drawn.map_err(|error| ApiError::unavailable(&error))? {
            Ok(drawn) => {
                let head = [(CONTENT_TYPE, form.media_type()), (CONTENT_SECURITY_POLICY, POLICY)];
                Ok((head, drawn).into_response())
            }
            Err(why @ NoPicture::NoEntry(_)) => Err(ApiError::not_found(why.to_string())),
            Err(why @ NoPicture::Failed(_)) => Err(ApiError::unavailable(&why)),
        };
    }
    if wanted.entry.is_some() {
        return Err(ApiError::bad_request("entry is for pictures, as in /api/v1/plots/8227.svg?entry=12."));
    }
    let Ok(vnum) = room.parse::<content::Vnum>() else {
        let how = "A plot is named by the number of its room, as in /api/v1/plots/8227. See /api/v1/plots.";
        return Err(ApiError::not_found(how));
    };
    let told = |world: &World| Some(world.plot_told(vnum, &world.plot_at(vnum)?.plot, plot::KEPT));
    lobby.engine.with_world(told).map(|plot| Json(plot).into_response()).ok_or_else(|| absent(vnum))
}

/// What a picture comes as, by what stands behind the dot.
#[derive(Clone, Copy)]
enum Form {
    Svg,
    Png,
}

impl Form {
    fn named(word: &str) -> Option<Form> {
        match word {
            "svg" => Some(Form::Svg),
            "png" => Some(Form::Png),
            _ => None,
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Form::Svg => "image/svg+xml",
            Form::Png => "image/png",
        }
    }

    fn draw(self, standing: &Standing, entry: Option<u32>) -> Result<Vec<u8>, NoPicture> {
        match self {
            Form::Svg => standing.svg(entry).map(String::into_bytes),
            Form::Png => standing.png(entry),
        }
    }
}

fn absent(vnum: content::Vnum) -> ApiError {
    ApiError::not_found(format!("There is no plot in room {vnum}. See /api/v1/plots for those that there are."))
}
