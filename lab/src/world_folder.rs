//! The repository that this was built from, worlds read as the server reads them, and copies of folders to change.

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

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder to copy") {
        let path = entry.expect("an entry").path();
        let copy = to.join(path.file_name().expect("it has a name"));
        match path.is_dir() {
            true => copy_folder(&path, &copy),
            false => drop(std::fs::copy(&path, &copy).expect("it is copied")),
        }
    }
}
