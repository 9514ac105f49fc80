//! `GET /api/v1/openapi.json`: the description of all calls, made from the calls themselves (`docs/openapi.json` is a
//! copy).

use super::error::Failure;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use std::sync::LazyLock;
use utoipa::openapi::OpenApi as Description;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dark Pawns",
        description = "What pages and programs ask a running game. Answers are JSON; a refusal is `{error: {code, \
                       message}}`, and what one may not see is 404. 20 calls a second from one address.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "world", description = "What anybody may know, and more of it for operators"),
        (name = "me", description = "One's own character"),
        (name = "minds", description = "What somebody thinks, does and remembers: for itself, its owner and operators, and for all where it is open"),
        (name = "operators", description = "What operators look up"),
        (name = "plots", description = "What stands on plots, and what is said of it"),
        (name = "api", description = "The calls themselves")
    ),
    components(schemas(Failure)),
    modifiers(&Bearer)
)]
struct Head;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, description: &mut Description) {
        let mut http = Http::new(HttpAuthScheme::Bearer);
        http.description = Some("A token of `login` or of the frame `state`; or the admin token: all rights.".into());
        let components = description.components.get_or_insert_default();
        components.security_schemes.insert("bearer".into(), SecurityScheme::Http(http).into());
    }
}

/// What is true of all calls.
pub(super) fn head() -> Description {
    Head::openapi()
}

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let (_, description) = super::calls().split_for_parts();
    let mut text = description.to_pretty_json().expect("a description has string keys only");
    text.push('\n');
    text
});

/// Of all calls, as OpenAPI 3.1.
pub fn description() -> &'static str {
    &TEXT
}

/// This description
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "api", security(()),
    responses(
        (status = 200, description = "OpenAPI 3.1.", content_type = "application/json", body = Object),
        (status = "default", description = "Too many calls.", body = Failure),
    )
)]
pub async fn openapi() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], description())
}
