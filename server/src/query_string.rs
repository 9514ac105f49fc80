//! What stands behind the `?` of a call, and what whoever gets it wrong is told. In which form that is refused is each
//! API's own.

use axum::http::Uri;
use serde::de::DeserializeOwned;

/// What may stand behind the `?` of a call.
pub trait Wanted: DeserializeOwned {
    /// What is right, in a sentence or two.
    const HOW: &'static str;
}

/// Errors: what would have been right.
pub fn read<T: Wanted>(uri: &Uri) -> Result<T, &'static str> {
    match axum::extract::Query::try_from_uri(uri) {
        Ok(axum::extract::Query(wanted)) => Ok(wanted),
        Err(_) => Err(T::HOW),
    }
}
