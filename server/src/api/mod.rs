//! The API for pages and programs, `/api/v1`: one file a call, each with its description (`utoipa`).
//!
//! `viewer` says who asks and what that one may see, `error` has the one form of every refusal. Invariants: whoever
//! reads asks the world nothing and changes nothing in it, so that no journal knows of it; what one may not see is as
//! if it were not there; no call is answered that is not described.

mod audit;
mod character;
mod decisions;
mod desk;
mod error;
mod login;
mod looking_back;
mod map;
mod me_delete;
mod me_export;
mod me_transcript;
mod mind_council;
mod mind_views;
mod openapi;
mod past;
mod past_calls;
mod plots;
mod series;
mod status;
mod viewer;
mod watch;
mod who;
mod zone;

pub use error::{ApiError, Code};
pub use openapi::description;
pub use past_calls::{PastSite, router as past_router};
pub use plots::PlotsAudience;
pub use viewer::CallerAddress;

use self::desk::Desk;
use self::looking_back::Looks;
use crate::lobby::Lobby;
use crate::observatory::Observatory;
use crate::past_process::PastProcess;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, Request, State};
use axum::http::Method;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Of what a call sends: names and passwords.
const BODY_BYTES_MAX: usize = 8 * 1024;

/// What the calls are answered from.
#[derive(Clone)]
struct Api {
    lobby: Arc<Lobby>,
    /// Of the operator.
    admin_token: Arc<str>,
    desk: Arc<Desk>,
    observatory: Arc<Observatory>,
    plots: PlotsAudience,
    /// Where there is a journal.
    past: Option<Arc<PastProcess>>,
    looks: Arc<Looks>,
}

/// Whether there is a past to look at.
#[derive(Clone, Copy)]
struct LooksBack(bool);

impl FromRef<Api> for LooksBack {
    fn from_ref(api: &Api) -> LooksBack {
        LooksBack(api.past.is_some())
    }
}

impl FromRef<Api> for Arc<Lobby> {
    fn from_ref(api: &Api) -> Arc<Lobby> {
        api.lobby.clone()
    }
}

impl FromRef<Api> for Arc<Observatory> {
    fn from_ref(api: &Api) -> Arc<Observatory> {
        api.observatory.clone()
    }
}

impl FromRef<Api> for PlotsAudience {
    fn from_ref(api: &Api) -> PlotsAudience {
        api.plots
    }
}

/// Every call with its description.
fn calls() -> OpenApiRouter<Api> {
    OpenApiRouter::with_openapi(openapi::head())
        .routes(routes!(login::login))
        .routes(routes!(status::status))
        .routes(routes!(who::who))
        .routes(routes!(character::character))
        .routes(routes!(map::map))
        .routes(routes!(zone::world))
        .routes(routes!(watch::watch))
        .routes(routes!(past::past))
        .routes(routes!(series::series))
        .routes(routes!(decisions::decisions))
        .routes(routes!(mind_views::hud))
        .routes(routes!(mind_views::log))
        .routes(routes!(mind_views::graph))
        .routes(routes!(mind_views::dream))
        .routes(routes!(mind_council::council))
        .routes(routes!(me_transcript::transcript))
        .routes(routes!(me_export::export))
        .routes(routes!(me_delete::delete_me))
        .routes(routes!(plots::plots))
        .routes(routes!(plots::plot))
        .routes(routes!(audit::audit))
        .routes(routes!(openapi::openapi))
}

/// Expects a [`CallerAddress`] in the extensions of each request.
pub fn router(
    lobby: Arc<Lobby>,
    observatory: Arc<Observatory>,
    plots: PlotsAudience,
    past: Option<Arc<PastProcess>>,
    admin_token: String,
) -> Router {
    let (admin_token, desk, looks) = (admin_token.into(), Arc::default(), Arc::default());
    let api = Api { lobby, admin_token, desk, observatory, plots, past, looks };
    let (calls, _) = calls().split_for_parts();
    calls
        .method_not_allowed_fallback(|| async { ApiError::new(Code::MethodNotAllowed, error::NO_METHOD) })
        .route("/api/{*rest}", any(nothing))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(api.clone(), admit))
        .with_state(api)
}

async fn nothing() -> ApiError {
    ApiError::not_found("There is no such call. The page /api lists those that there are.")
}

/// Finds out who asks, before anything is answered.
async fn admit(State(api): State<Api>, mut request: Request, next: Next) -> Response {
    let address = request.extensions().get().map(|CallerAddress(address)| *address);
    match viewer::viewer(&api, address, &request.headers().clone()).await {
        Ok(viewer) => {
            if let Some(process) = &api.past
                && request.method() == Method::GET
                && past::is_of_the_past(request.uri())
            {
                match viewer.is_operator(&api.lobby).await {
                    Ok(true) => return past::looked_up(process, request.uri().clone()).await,
                    // Where it is not for them, the call itself tells them so.
                    Ok(false) => {
                        if let Some(answer) = looking_back::answer(&api, process, &viewer, request.uri()).await {
                            return answer;
                        }
                    }
                    Err(refusal) => return refusal.into_response(),
                }
            }
            request.extensions_mut().insert(viewer);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}
