//! Files that only their owner may read: settings, tokens, what an agent lived through and what its model was shown.
//!
//! Invariant: a file is never open to others, not even while it is made. What was there before keeps its folder's mode.

use anyhow::Context;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes a folder and those above it, where they are missing, for their owner only.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(path)
}

/// Makes a file that must not be there, to be written bit by bit.
pub fn create_new(path: &Path) -> io::Result<File> {
    open(File::options().write(true).create_new(true), path)
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Writes a file that only its owner may read, whole or not at all, and brings it to the disk.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    put(path, text, true).with_context(|| format!("writing {}", path.display()))
}

/// The same for a file that may be lost with the power: nobody waits for the disk.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    put(path, text, false)
}

fn put(path: &Path, text: &str, sync: bool) -> io::Result<()> {
    // A link stays a link: what it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(folder)?;
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
    let name = path.file_name().ok_or_else(no_name)?;
    let beside = folder.join(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let written = open(File::options().write(true).create(true).truncate(true), &beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if sync { file.sync_all() } else { Ok(()) }
    });
    written.and_then(|()| fs::rename(&beside, &path)).inspect_err(|_| {
        // What is half done is of no use to anybody; if even that fails, the first error is the one to tell.
        let _gone = fs::remove_file(&beside);
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn nobody_else_may_read_what_is_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = folder.path().join("sessions").join("bob");
        make_folder(&made).expect("made");
        let (log, settings) = (made.join("log"), made.join("settings"));
        create_new(&log).expect("made");
        // One that was readable by others is so no more.
        fs::write(&settings, "old").expect("written");
        fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).expect("changed");
        write(&settings, "new").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&made), mode(made.parent().expect("one"))), (0o700, 0o700));
        assert_eq!((mode(&log), mode(&settings)), (0o600, 0o600));
        assert!(create_new(&log).is_err(), "it is there");
    }
}
