//! `GET /api/v1/series?keys=&name=&from=&to=`: how something went over time, for charts.

use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::{Viewer, eye};
use crate::lobby::Lobby;
use crate::observatory::{Eye, Observatory};
use crate::store::canonical;
use crate::store::samples::{self, Of};
use crate::times::unix_ms;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// What is shown where no time is named.
const DAY_MS: i64 = 24 * 3_600_000;

/// What can be asked for. To add one: a row here, and its column.
const KEYS: [(&str, Of); 15] = [
    ("exp", Of::Character("exp")),
    ("level", Of::Character("level")),
    ("hp", Of::Character("hp")),
    ("gold", Of::Character("gold")),
    ("kills", Of::Character("kills")),
    ("deaths", Of::Character("deaths")),
    ("decisions", Of::Usage("decisions")),
    ("tokens", Of::Usage("prompt + output")),
    ("tokens_prompt", Of::Usage("prompt")),
    ("tokens_cached", Of::Usage("cached")),
    ("tokens_output", Of::Usage("output")),
    ("cost_micros", Of::Usage("cost_micros")),
    ("players", Of::Server("players")),
    ("agents", Of::Server("agents")),
    ("tick_us", Of::Server("tick_us")),
];

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// With commas between them: exp, level, hp, gold, kills, deaths (of a character), decisions, tokens,
    /// tokens_prompt, tokens_cached, tokens_output, cost_micros (of a character or of all, by hours), players, agents,
    /// tick_us (of the server).
    #[param(example = "players,agents")]
    keys: String,
    /// The character.
    name: Option<String>,
    /// Unix milliseconds; a day before `to` where nothing is said.
    from: Option<i64>,
    /// Unix milliseconds; now where nothing is said.
    to: Option<i64>,
}

impl Wanted for Which {
    const HOW: &'static str = "Series take keys (such as exp,deaths), the name of a character, and from and to in unix \
                               milliseconds, as in /api/v1/series?keys=exp&name=brenda.";
}

#[derive(Serialize, ToSchema)]
pub struct Series {
    from: i64,
    to: i64,
    /// In the order in which they were asked for.
    series: Vec<OneSeries>,
}

#[derive(Serialize, ToSchema)]
pub struct OneSeries {
    key: &'static str,
    /// Unix milliseconds and value of each point, oldest first; at most 5,000.
    #[schema(value_type = Vec<[i64; 2]>)]
    points: Vec<(i64, i64)>,
}

/// How something went over time
///
/// Samples are taken every 150 ticks and kept for 90 days; what deciding costs is counted by hours. Players and agents
/// are for all who may watch; a character is for itself, its owner, operators, and for all where it may be watched
/// (what it decided and what that cost: where its mind is open); the tick and the sums of all are for operators.
#[utoipa::path(
    get, path = "/api/v1/series", tag = "world", params(Which), security((), ("bearer" = [])),
    responses(
        (status = 200, description = "The series.", body = Series, example = json!({
            "from": 1795700000000i64, "to": 1795786400000i64,
            "series": [{"key": "players", "points": [[1795700300000i64, 3]]}]
        })),
        (status = "default", description = "There is no such key, or it is not for you.", body = Failure),
    )
)]
pub async fn series(
    State(lobby): State<Arc<Lobby>>,
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    Query(Which { keys, name, from, to }): Query<Which>,
) -> Result<Json<Series>, ApiError> {
    let named = keys.split(',').map(|word| KEYS.iter().find(|(key, _)| *key == word.trim()));
    let wanted: Vec<&(&str, Of)> = named.collect::<Option<_>>().ok_or_else(|| ApiError::bad_request(Which::HOW))?;
    let to = to.unwrap_or_else(unix_ms);
    let from = from.unwrap_or_else(|| to.saturating_sub(DAY_MS));
    if from >= to || wanted.len() > KEYS.len() {
        return Err(ApiError::bad_request(Which::HOW));
    }
    let name = name.map(|name| canonical(&name));
    let mut series = Vec::new();
    // A character is seen as late as the observatory shows it; the newest sample may be newer.
    for (key, of) in wanted {
        let name = name.as_deref();
        if matches!(of, Of::Character(_)) && name.is_none() {
            return Err(ApiError::bad_request(Which::HOW));
        }
        if !may_see(&lobby, &observatory, &viewer, *of, name).await? {
            return Err(ApiError::not_found("There is no such series, or it is not for you."));
        }
        let points = samples::series(lobby.accounts.store(), *of, name, from, to).await?;
        series.push(OneSeries { key, points: points.into_iter().map(|point| (point.at, point.value)).collect() });
    }
    Ok(Json(Series { from, to, series }))
}

async fn may_see(
    lobby: &Lobby,
    observatory: &Observatory,
    viewer: &Viewer,
    of: Of,
    name: Option<&str>,
) -> Result<bool, ApiError> {
    let (eye, _) = eye(lobby, viewer).await?;
    let is_operator = matches!(eye, Eye::Operator { .. });
    Ok(match (of, name) {
        _ if is_operator => true,
        (Of::Server("tick_us"), _) | (Of::Usage(_), None) => false,
        (Of::Server(_), _) => observatory.admits(&eye),
        (Of::Usage(_), Some(name)) => super::viewer::look_at(lobby, observatory, viewer, name).await?.is_some(),
        (Of::Character(_), Some(name)) => {
            viewer.looks_closely_at(lobby, name).await?
                || (observatory.admits(&eye) && super::viewer::is_watchable(lobby, name).await?)
        }
        (Of::Character(_), None) => false,
    })
}
