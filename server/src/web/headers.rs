//! What stands above every answer to a browser, so that nothing but our own files runs in a page.
//!
//! There are no cookies, hence nothing that another page could ride on; a token goes in a frame or in `Authorization`.

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

/// Nothing is loaded but what is listed, and that from here; scripts cannot make markup of texts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
                      media-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'none'; \
                      frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Puts them above an answer, whatever it is.
pub async fn guard(mut answer: Response) -> Response {
    put(answer.headers_mut());
    answer
}

fn put(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
