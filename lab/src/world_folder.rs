//! The repository that this was built from, and worlds read as the server reads them.

use content::Content;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads a world folder from disk, as the server does. Content with errors ends the program, with all of them.
pub fn read_content(folder: &Path) -> Content {
    let (content, problems) = server::content_files::read_world(folder, None).expect("a readable world folder");
    assert!(!problems.has_errors(), "{folder:?}: {:#?}", problems.0);
    content
}
