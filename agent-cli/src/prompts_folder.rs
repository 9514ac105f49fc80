//! A folder of texts for prompts: read whole or not at all, and made from those that are compiled in.

use anyhow::{Context, bail};
use mind::prompt::room;
use mind::texts::{EXTENSION, FILES, TextProblem, Texts};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// A text for a prompt is no book.
const BYTES_MAX: u64 = 64 << 10;
/// Problems that one sentence tells; `prompts check` tells all.
const TOLD_MAX: usize = 3;

/// What was found.
#[derive(Debug)]
pub struct Folder {
    /// By the names of files, those that could be read.
    pub files: BTreeMap<String, String>,
    /// Names of files that look like texts and are none, sorted.
    pub strangers: Vec<String>,
    /// The texts, or all that is wrong with them.
    pub texts: Result<Texts, Vec<TextProblem>>,
}

impl Folder {
    /// Fails only where there is no such folder.
    pub fn read(path: &Path) -> anyhow::Result<Folder> {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
                "there is no folder {}; `dp-agent prompts export {}` makes it, with the texts that are compiled in",
                path.display(),
                path.display()
            ),
            Err(error) => return Err(error).with_context(|| format!("reading the folder {}", path.display())),
        };
        let mut strangers = Vec::new();
        for entry in entries {
            let entry = entry.with_context(|| format!("reading the folder {}", path.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(EXTENSION) && !FILES.iter().any(|file| file.file_name() == name) {
                strangers.push(name);
            }
        }
        strangers.sort();
        let (mut files, mut unread) = (BTreeMap::new(), Vec::new());
        for file in FILES.iter().map(|file| file.file_name()) {
            match read(&path.join(&file)) {
                Ok(Some(text)) => drop(files.insert(file, text)),
                Ok(None) => {}
                Err(what) => unread.push(TextProblem { file, line: 0, what }),
            }
        }
        let mut texts = Texts::read(&files);
        if let Err(problems) = &mut texts {
            problems.retain(|problem| !unread.iter().any(|unread| unread.file == problem.file));
            problems.extend(unread);
        }
        let texts = texts.and_then(|texts| match room::problems(&texts) {
            problems if problems.is_empty() => Ok(texts),
            problems => Err(problems),
        });
        Ok(Folder { files, strangers, texts })
    }
}

/// `None`: there is no such file.
fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(file) if !file.is_file() => return Err("it is no file".to_string()),
        Ok(file) if file.len() > BYTES_MAX => return Err(format!("it is larger than {} KB", BYTES_MAX >> 10)),
        _ => {}
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err("it is no text in UTF-8".to_string()),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

/// The texts of a folder, or in one sentence what is wrong with them; without a folder those that are compiled in.
pub fn texts(path: Option<&Path>) -> anyhow::Result<Texts> {
    let Some(path) = path else { return Ok(Texts::default()) };
    Folder::read(path)?.texts.map_err(|problems| {
        let told: Vec<String> = problems.iter().take(TOLD_MAX).map(TextProblem::to_string).collect();
        let more = problems.len() - told.len();
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        let (path, told) = (path.display(), told.join("; "));
        anyhow::anyhow!(
            "the prompts in {path} cannot be used: {told}{more} (`dp-agent prompts check {path}` tells all)"
        )
    })
}

/// Writes the texts that are compiled in. Refuses where one of the files is there: nothing is written then.
pub fn export(path: &Path) -> anyhow::Result<()> {
    let names = || FILES.iter().map(|file| file.file_name());
    let there: Vec<String> = names().filter(|name| path.join(name).symlink_metadata().is_ok()).collect();
    if let [first, others @ ..] = &there[..] {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        bail!("{} has {first}{more} already, and nothing is written over: name another folder", path.display());
    }
    fs::create_dir_all(path).with_context(|| format!("making the folder {}", path.display()))?;
    for file in FILES {
        let path = path.join(file.file_name());
        let written = fs::File::create_new(&path).and_then(|mut made| made.write_all(file.default.as_bytes()));
        written.with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(path: &Path) -> String {
        format!("{:#}", texts(Some(path)).expect_err("it is wrong"))
    }

    #[test]
    fn what_is_exported_can_be_used_and_is_never_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/prompts");
        export(&path).expect("written");
        assert_eq!(texts(Some(&path)).expect("they are right"), Texts::default());
        assert_eq!(texts(None).expect("they are compiled in"), Texts::default());
        fs::write(path.join("bot.md"), "Mine.\n").expect("written");
        let error = format!("{:#}", export(&path).expect_err("it is there"));
        let others = FILES.len() - 1;
        assert!(error.contains(&format!("has rules.md and {others} more already")), "{error}");
        fs::write(folder.path().join("time.md"), "Mine.\n").expect("written");
        assert!(export(folder.path()).is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 2, "nothing else was written");
        let mine = texts(Some(&path)).expect("it is right");
        assert_eq!(mine.raw(mind::texts::TextName::Bot), "Mine.");
    }

    #[test]
    fn what_a_folder_lacks_or_has_wrong_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("prompts");
        assert!(message(&path).contains("there is no folder") && message(&path).contains("prompts export"));
        export(&path).expect("written");
        fs::remove_file(path.join("silence.md")).expect("removed");
        assert!(message(&path).contains("silence.md: the folder lacks it; `dp-agent prompts export`"));
        fs::write(path.join("silence.md"), [0xff, 0xfe]).expect("written");
        assert!(message(&path).contains("silence.md: it is no text in UTF-8"), "{}", message(&path));
        fs::write(path.join("silence.md"), "x".repeat(70_000)).expect("written");
        assert!(message(&path).contains("silence.md: it is larger than 64 KB (`dp-agent prompts check"));
        fs::write(path.join("silence.md"), "Word after word. ".repeat(300)).expect("written");
        assert!(message(&path).contains("rules_small.md: with the texts in it, P0 of the tier small has"));
        fs::write(path.join("silence.md"), "{a}\n{b}\n{c}\n{d}\n{e}\n").expect("written");
        let told = message(&path);
        assert!(told.contains("silence.md:3: there is no") && told.contains("; and 2 more"), "{told}");
        fs::write(path.join("silense.md"), "").expect("written");
        assert_eq!(Folder::read(&path).expect("it is there").strangers, ["silense.md"]);
    }
}
