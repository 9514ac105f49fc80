//! Refusals of the API: `{error: {code, message}}`, whatever was asked.
//!
//! Invariant: no message repeats what was sent, but for a number or a name that was read as such.

use crate::lobby::Refusal;
use crate::query_string;
pub use crate::query_string::Wanted;
use crate::store::StoreError;
use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::extract::rejection::BytesRejection;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use protocol::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

pub const NO_METHOD: &str = "This call is made by another method. The page /api says by which.";
const UNAVAILABLE: &str = "That cannot be looked up just now. Try again in a minute.";

/// Why a call was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    BadRequest,
    BadLogin,
    LoginNeeded,
    BadToken,
    NotFound,
    MethodNotAllowed,
    TooLarge,
    RateLimited,
    LockedOut,
    Busy,
    Unavailable,
}

impl Code {
    /// The word on the wire, and the status that it comes with.
    const fn row(self) -> (&'static str, StatusCode) {
        match self {
            Code::BadRequest => ("bad_request", StatusCode::BAD_REQUEST),
            Code::BadLogin => ("bad_login", StatusCode::UNAUTHORIZED),
            Code::LoginNeeded => ("login_needed", StatusCode::UNAUTHORIZED),
            Code::BadToken => ("bad_token", StatusCode::UNAUTHORIZED),
            Code::NotFound => ("not_found", StatusCode::NOT_FOUND),
            Code::MethodNotAllowed => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
            Code::TooLarge => ("too_large", StatusCode::PAYLOAD_TOO_LARGE),
            Code::RateLimited => ("rate_limited", StatusCode::TOO_MANY_REQUESTS),
            Code::LockedOut => ("locked_out", StatusCode::TOO_MANY_REQUESTS),
            Code::Busy => ("busy", StatusCode::TOO_MANY_REQUESTS),
            Code::Unavailable => ("unavailable", StatusCode::SERVICE_UNAVAILABLE),
        }
    }
}

/// A call that was refused.
#[derive(Debug)]
pub struct ApiError {
    code: Code,
    message: String,
    /// Whole seconds until it may be asked again.
    wait_s: Option<u64>,
}

/// As it is written.
#[derive(Serialize, ToSchema)]
pub struct Failure {
    error: Problem,
}

#[derive(Serialize, ToSchema)]
struct Problem {
    /// A word that stays.
    #[schema(example = "not_found")]
    code: &'static str,
    /// For people.
    message: String,
}

impl ApiError {
    pub fn new(code: Code, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), wait_s: None }
    }

    pub fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(Code::NotFound, message)
    }

    pub fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(Code::BadRequest, message)
    }

    pub fn wait_ms(self, wait_ms: u64) -> ApiError {
        ApiError { wait_s: Some(wait_ms.div_ceil(1_000).max(1)), ..self }
    }

    /// Of something that was looked up where nobody answers.
    pub fn unavailable(error: &dyn std::fmt::Display) -> ApiError {
        tracing::error!(%error, "a call of the API could not be answered");
        ApiError::new(Code::Unavailable, UNAVAILABLE)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (code, status) = self.code.row();
        let failure = Failure { error: Problem { code, message: self.message } };
        let mut answer = (status, Json(failure)).into_response();
        if let Some(wait_s) = self.wait_s {
            answer.headers_mut().insert(header::RETRY_AFTER, wait_s.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        answer
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        ApiError::unavailable(&error)
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        let (Refusal::No { code, message } | Refusal::Over { code, message }) = refusal;
        let code = match code {
            ErrorCode::RateLimited => Code::RateLimited,
            ErrorCode::LockedOut => Code::LockedOut,
            ErrorCode::BadLogin | ErrorCode::KeyRevoked => Code::BadLogin,
            _ => Code::Unavailable,
        };
        ApiError::new(code, message)
    }
}

/// What stands behind the `?`. `wanted` of its type says what is right.
pub struct Query<T>(pub T);

impl<T: Wanted, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query<T>, ApiError> {
        query_string::read(&parts.uri).map(Query).map_err(|unread| ApiError::bad_request(unread.how))
    }
}

/// The one word in a path that is the caller's.
pub struct PathWord(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathWord {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathWord, ApiError> {
        match axum::extract::Path::<String>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(word)) => Ok(PathWord(word)),
            Err(_) => Err(ApiError::not_found("The path of this call is no text.")),
        }
    }
}

/// The body as JSON. `how` says what it is to be.
pub fn read_body<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>, how: &'static str) -> Result<T, ApiError> {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(Code::TooLarge, "The body of a call has 8 KB at most."),
        _ => ApiError::bad_request("The body of the call did not come whole."),
    })?;
    serde_json::from_slice(&body).map_err(|_| ApiError::bad_request(how))
}
