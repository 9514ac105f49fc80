//! `GET /api/v1/series?keys=&name=&from=&to=`: how something went over time, for charts.

use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::{Viewer, eye};
use crate::capture::usage;
use crate::lobby::Lobby;
use crate::observatory::{Eye, Observatory};
use crate::store::samples::{self, Of, Usage, UsedHour};
use crate::store::{Store, StoreError, canonical};
use crate::times::unix_ms;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// What is shown where no time is named.
const DAY_MS: i64 = 24 * 3_600_000;
/// What was used so lately is written, and not read from rows: whoever asks for what is now may have a slow clock.
const NOW_MS: i64 = 60_000;

/// Where the values of a series are.
#[derive(Clone, Copy)]
enum Values {
    Sample(Of),
    /// By hours; no value: it is not known.
    Hours(fn(&Usage) -> Option<i64>),
}

/// What can be asked for. To add one: a row here, and its column.
const KEYS: [(&str, Values); 17] = [
    ("exp", Values::Sample(Of::Character("exp"))),
    ("level", Values::Sample(Of::Character("level"))),
    ("hp", Values::Sample(Of::Character("hp"))),
    ("gold", Values::Sample(Of::Character("gold"))),
    ("kills", Values::Sample(Of::Character("kills"))),
    ("deaths", Values::Sample(Of::Character("deaths"))),
    ("decisions", Values::Hours(|used| Some(used.decisions))),
    ("tokens", Values::Hours(|used| Some(used.prompt.saturating_add(used.output)))),
    ("tokens_prompt", Values::Hours(|used| Some(used.prompt))),
    ("tokens_cached", Values::Hours(|used| Some(used.cached))),
    ("tokens_output", Values::Hours(|used| Some(used.output))),
    ("cost_micros", Values::Hours(Usage::cost_known)),
    ("calls", Values::Hours(|used| Some(used.calls))),
    ("calls_priced", Values::Hours(|used| Some(used.priced))),
    ("players", Values::Sample(Of::Server("players"))),
    ("agents", Values::Sample(Of::Server("agents"))),
    ("tick_us", Values::Sample(Of::Server("tick_us"))),
];

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// With commas between them: exp, level, hp, gold, kills, deaths (of a character), decisions, tokens,
    /// tokens_prompt, tokens_cached, tokens_output, cost_micros, calls (of models), calls_priced (those of them whose
    /// price is known; all of a character or of everybody, by hours), players, agents, tick_us (of the server).
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
    /// Unix milliseconds and value of each point, oldest first; at most 5,000. Of `cost_micros` the value is `null`
    /// where models were called and the price of no call is known.
    #[schema(value_type = Vec<[Option<i64>; 2]>)]
    points: Vec<(i64, Option<i64>)>,
}

/// How something went over time
///
/// Samples are taken every 150 ticks and kept for 90 days; what deciding costs is counted by hours, of the hour that
/// `to` is in what came before it. Players and agents are for all who may watch; a character is for itself, its owner,
/// operators, and for all where it may be watched (what it decided and what that cost: where its mind is open); the
/// tick and the sums of all are for operators.
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
    let wanted: Vec<&(&str, Values)> = named.collect::<Option<_>>().ok_or_else(|| ApiError::bad_request(Which::HOW))?;
    let to = to.unwrap_or_else(unix_ms);
    let from = from.unwrap_or_else(|| to.saturating_sub(DAY_MS));
    if from >= to || wanted.len() > KEYS.len() {
        return Err(ApiError::bad_request(Which::HOW));
    }
    let name = name.map(|name| canonical(&name));
    let store = lobby.accounts.store();
    let (mut series, mut hours) = (Vec::new(), None);
    // A character is seen as late as the observatory shows it; the newest sample may be newer.
    for (key, of) in wanted {
        let name = name.as_deref();
        if matches!(of, Values::Sample(Of::Character(_))) && name.is_none() {
            return Err(ApiError::bad_request(Which::HOW));
        }
        if !may_see(&lobby, &observatory, &viewer, *of, name).await? {
            return Err(ApiError::not_found("There is no such series, or it is not for you."));
        }
        let points = match of {
            Values::Sample(of) => {
                let points = samples::series(store, *of, name, from, to).await?;
                points.into_iter().map(|point| (point.at, Some(point.value))).collect()
            }
            Values::Hours(value) => {
                let hours = match &hours {
                    Some(hours) => hours,
                    None => hours.insert(used(store, name, from, to).await?),
                };
                hours.iter().map(|UsedHour { hour, usage }| (*hour, value(usage))).collect()
            }
        };
        series.push(OneSeries { key, points });
    }
    Ok(Json(Series { from, to, series }))
}

/// What was used, hour by hour, and in the last one only what came before `to`: who looks back does not see ahead.
async fn used(store: &Store, name: Option<&str>, from: i64, to: i64) -> Result<Vec<UsedHour>, StoreError> {
    let mut hours = samples::used(store, name, from, to).await?;
    let hour = usage::hour_of(to);
    if to < unix_ms().saturating_sub(NOW_MS)
        && let Some(last) = hours.pop_if(|last| last.hour == hour)
        && let Some(usage) = usage::part_of_hour(store, name, to).await?
    {
        hours.push(UsedHour { usage, ..last });
    }
    Ok(hours)
}

async fn may_see(
    lobby: &Lobby,
    observatory: &Observatory,
    viewer: &Viewer,
    of: Values,
    name: Option<&str>,
) -> Result<bool, ApiError> {
    let (eye, _) = eye(lobby, viewer).await?;
    let is_operator = matches!(eye, Eye::Operator { .. });
    Ok(match (of, name) {
        _ if is_operator => true,
        (Values::Sample(Of::Server("tick_us")), _) | (Values::Hours(_), None) => false,
        (Values::Sample(Of::Server(_)), _) => observatory.admits(&eye),
        (Values::Hours(_), Some(name)) => super::viewer::look_at(lobby, observatory, viewer, name).await?.is_some(),
        (Values::Sample(Of::Character(_)), Some(name)) => {
            viewer.looks_closely_at(lobby, name).await?
                || (observatory.admits(&eye) && super::viewer::is_watchable(lobby, name).await?)
        }
        (Values::Sample(Of::Character(_)), None) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::usage::HOUR_MS;
    use crate::store::decision_tests::decision;
    use crate::store::decisions::{Decision, KnownSpans, insert};
    use crate::store::samples::add_usage;
    use crate::store::testing::on_each_store;

    #[tokio::test]
    async fn who_looks_back_sees_of_an_hour_what_came_before_and_nothing_else() {
        on_each_store(async |store| {
            let told = |name: &str, at: i64, prompt: i64| Decision {
                source: Some("model".into()),
                meta: Some(format!("{{\"tokens\":{{\"prompt\":{prompt}}}}}").into()),
                ..decision(name, at, at)
            };
            let (early, late) = (2 * HOUR_MS + 1_000, 2 * HOUR_MS + 9_000);
            let rows = [told("ann", early, 100), told("ann", late, 20), told("bob", early + 1, 3)];
            insert(store, &rows, &mut KnownSpans::default()).await.expect("written");
            let used_by = crate::capture::usage::Used::default();
            used_by.count(&rows);
            used_by.flush(store).await.expect("written");
            // An hour of which no rows are left.
            let old = Usage { decisions: 1, prompt: 7, ..Usage::default() };
            let key = ("ann".to_string(), HOUR_MS, "model".to_string());
            add_usage(store, &[(key, old)].into()).await.expect("written");

            let prompts = async |name: Option<&str>, to: i64| -> Vec<(i64, i64)> {
                let hours = used(store, name, 0, to).await.expect("read");
                hours.into_iter().map(|UsedHour { hour, usage }| (hour / HOUR_MS, usage.prompt)).collect()
            };
            assert_eq!(prompts(Some("ann"), 3 * HOUR_MS).await, [(1, 7), (2, 120)], "whole hours");
            assert_eq!(prompts(Some("ann"), late).await, [(1, 7), (2, 100)], "up to a moment");
            assert_eq!(prompts(None, late).await, [(1, 7), (2, 103)], "of all");
            assert_eq!(prompts(Some("ann"), early).await, [(1, 7)], "nothing was decided yet");
            assert_eq!(prompts(Some("ann"), HOUR_MS + 5).await, [], "nobody knows any more");
        })
        .await;
    }
}
