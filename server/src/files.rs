//! Files that outlive a crash and a loss of power, and that only their owner may read: whole or not at all, 0600, in
//! folders of 0700. What is in them is players' words, or lets somebody in.
//!
//! Invariants: nothing is written through a link that somebody else has put in its place; a file that has its name has
//! its contents on the disk, and the name is on the disk when the call returns.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place, syncs and renames it, and syncs the folder: after a crash it is there whole or not
/// at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    let write = || {
        let mut file = create_private(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        sync_folder(path)
    };
    write().inspect_err(|_| {
        // Half a file helps nobody, and the disk may be full of it.
        let _best_effort = std::fs::remove_file(&beside);
    })
}

/// Where a file is written before it gets its name. Those that a crash left are cleared at the next start.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// An empty file of this name, readable by its owner only, in place of what was there; where that was a link, the link
/// goes and what it led to stays as it is.
pub fn create_private(path: &Path) -> io::Result<File> {
    let create = || {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    };
    match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            create()
        }
        created => created,
    }
}

/// Makes a folder and those above it where they are missing, for their owner only.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut folder = std::fs::DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(path)
}

/// Makes a new name in the file's folder outlive a loss of power.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => File::open(".")?.sync_all(),
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_file_is_its_owners_and_follows_no_link() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("a/b");
        make_private_folder(&folder).expect("it is made");
        assert_eq!((mode(&folder), mode(&root.path().join("a"))), (0o700, 0o700));
        let (path, other) = (folder.join("file"), root.path().join("other"));
        std::fs::write(&other, "mine").expect("written");
        symlink(&other, folder.join("file.new")).expect("a link can be made");
        write_whole(&path, b"text").expect("it is written");
        assert_eq!((std::fs::read(&path).expect("read"), mode(&path)), (b"text".to_vec(), 0o600));
        assert_eq!(std::fs::read(&other).expect("read"), b"mine");
        assert!(!folder.join("file.new").exists());
        write_whole(&path, b"another").expect("it is replaced");
        assert_eq!(std::fs::read(&path).expect("read"), b"another");
    }
}
