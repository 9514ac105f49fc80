//! What stands behind the `?` of a call, and what whoever gets it wrong is told. In which form that is refused is each
//! API's own.

use axum::http::Uri;
use serde::de::DeserializeOwned;

/// What may stand behind the `?` of a call.
pub trait Wanted: DeserializeOwned {
    /// What is right, in a sentence or two.
    const HOW: &'static str;
}

/// Why it cannot be read.
pub struct Unread {
    /// What would have been right.
    pub how: &'static str,
    /// What nothing is called there: a short plain word of the caller's.
    pub unknown: Option<String>,
}

pub fn read<T: Wanted>(uri: &Uri) -> Result<T, Unread> {
    match axum::extract::Query::try_from_uri(uri) {
        Ok(axum::extract::Query(wanted)) => Ok(wanted),
        Err(error) => {
            let unknown = unknown_name(&error.body_text()).map(str::to_string);
            Err(Unread { how: T::HOW, unknown })
        }
    }
}

/// The name that the reader of queries says to be none, where it is one that may be shown.
fn unknown_name(error: &str) -> Option<&str> {
    const LETTERS_MAX: usize = 40;
    let (_, rest) = error.split_once("unknown field `")?;
    let (name, _) = rest.split_once('`')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    (name.len() <= LETTERS_MAX && name.chars().all(is_plain)).then_some(name)
}
