//! What browsers load: the pages of `web/` and what belongs to them, and the headers that keep them safe.
//!
//! `assets` has the bytes, `headers` what stands above every answer. A page is asked for again each time (its `ETag`
//! says that it is the same); what it loads has its fingerprint in the address and is kept for good. A page is one row
//! of `PAGES` and one file.

mod assets;
mod headers;

pub use headers::guard;

use self::assets::{Bundle, File};
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

/// Address and file of each page.
const PAGES: [(&str, &str); 4] =
    [("/", "index.html"), ("/api", "api.html"), ("/watch", "watch.html"), ("/admin", "admin.html")];

/// A year: as long as is allowed.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// May be kept, and is asked for again.
const ASK_AGAIN: &str = "no-cache";

pub fn router() -> Router {
    with_pages(PAGES.into_iter())
}

/// Pages of a server that is played on.
const OF_THE_GAME: [&str; 2] = ["/", "/admin"];

/// Without the page to play in and the operator's, for where nothing is played: who comes there is sent to the
/// observatory.
pub fn router_without_game() -> Router {
    with_pages(PAGES.into_iter().filter(|(address, _)| !OF_THE_GAME.contains(address)))
        .route("/", get(|| async { Redirect::to("/watch") }))
}

fn with_pages(pages: impl Iterator<Item = (&'static str, &'static str)>) -> Router {
    let pages = pages.fold(Router::new(), |router, (address, file)| {
        router.route(address, get(move |headers: HeaderMap| async move { page(file, &headers) }))
    });
    pages.route("/assets/{fingerprint}/{*name}", get(asset))
}

fn page(name: &str, asked: &HeaderMap) -> Response {
    match Bundle::now().page(name) {
        Some(file) => answer(file, ASK_AGAIN, asked),
        None => nothing(),
    }
}

async fn asset(Path((fingerprint, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let bundle = Bundle::now();
    // Of another version: what is kept for good must not be something else.
    match bundle.asset(&name).filter(|_| fingerprint == bundle.fingerprint) {
        Some(file) => answer(file, FOR_GOOD, &headers),
        None => nothing(),
    }
}

fn nothing() -> Response {
    (StatusCode::NOT_FOUND, [(header::CACHE_CONTROL, "no-store")], "Nothing is here. The game is at /.\n")
        .into_response()
}

fn answer(file: &File, keep: &'static str, asked: &HeaderMap) -> Response {
    let known = words(asked, header::IF_NONE_MATCH).any(|tag| tag == "*" || tag == file.tag);
    let kept = [(header::CACHE_CONTROL, keep), (header::ETAG, &file.tag), (header::VARY, "Accept-Encoding")];
    if known {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    match takes_gzip(asked) {
        true => (kept, kind, [(header::CONTENT_ENCODING, "gzip")], file.zipped.clone()).into_response(),
        false => (kept, kind, file.plain.clone()).into_response(),
    }
}

/// The parts of a list in a header.
fn words(asked: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let values = asked.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    words(asked, header::ACCEPT_ENCODING).any(|offer| {
        let (name, weight) = offer.split_once(';').map_or((offer, ""), |(name, rest)| (name.trim(), rest.trim()));
        let refused = weight.strip_prefix("q=").and_then(|q| q.trim().parse::<f32>().ok()).is_some_and(|q| q <= 0.0);
        name.eq_ignore_ascii_case("gzip") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_offers_gzip_gets_it() {
        for (offer, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip, deflate, br, zstd", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("br", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, offer.parse().expect("a value"))]);
            assert_eq!(takes_gzip(&headers), expected, "{offer}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn every_page_is_there_and_loads_only_what_is_there() {
        let bundle = Bundle::now();
        for (address, file) in PAGES {
            let page = bundle.page(file).unwrap_or_else(|| panic!("{address} has no {file}"));
            let text = String::from_utf8(page.plain.to_vec()).expect("a page is text");
            let loaded: Vec<&str> = text.split(&format!("/assets/{}/", bundle.fingerprint)).skip(1).collect();
            assert!(!loaded.is_empty(), "{file} loads nothing");
            for rest in loaded {
                let name = rest.split('"').next().unwrap_or_default();
                assert!(bundle.asset(name).is_some(), "{file} loads {name}, which is not there");
            }
        }
    }
}
