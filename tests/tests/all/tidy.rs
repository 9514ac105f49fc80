//! House rules that a machine can check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tests::scene::tests_folder;
use world::commands::table::VERBS;

/// The crates whose files these rules are for.
const CRATES: [&str; 12] = [
    "protocol",
    "plot",
    "content",
    "world",
    "mind",
    "dreaming",
    "dream-folder",
    "server",
    "agent-cli",
    "lab",
    "memory-lab",
    "tests",
];

/// Longest line of code or comment, in characters, not counting what stands in quotes.
const WIDTH: usize = 120;

/// Every `.rs` file of the crates, by path from the root of the repository, sorted, with its text.
fn sources() -> Vec<(String, String)> {
    let root = tests_folder().join("..");
    let mut files = Vec::new();
    for name in CRATES {
        collect(&root, &root.join(name), &mut files);
    }
    files.sort();
    assert!(files.len() > 50, "only {} files were found", files.len());
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            files.push((name, std::fs::read_to_string(&path).expect("a readable file")));
        }
    }
}

/// One line for each place where `wrong` says what is wrong with a line of code.
fn lines_that(wrong: impl Fn(&str, &str) -> Option<String>) -> String {
    let mut found = String::new();
    for (name, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            if let Some(what) = wrong(&name, line) {
                found.push_str(&format!("{name}:{}: {what}\n", n + 1));
            }
        }
    }
    found
}

/// Transcripts, wherever they are.
fn transcripts(folder: &Path, texts: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder is readable").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            transcripts(&path, texts);
        } else {
            texts.push(std::fs::read_to_string(&path).expect("a readable transcript"));
        }
    }
}

#[test]
fn every_verb_is_played_in_a_transcript() {
    let mut texts = Vec::new();
    transcripts(&tests_folder().join("transcripts"), &mut texts);
    let mut played: BTreeSet<String> = BTreeSet::new();
    for line in texts.iter().flat_map(|text| text.lines()) {
        if let Some((name, typed)) = line.split_once('>')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphabetic())
        {
            played.insert(world::commands::Typed::parse(typed).word.to_ascii_lowercase());
        }
    }
    let missing: Vec<&str> =
        VERBS.iter().flat_map(|verb| verb.names()).filter(|name| !played.contains(*name)).collect();
    assert!(missing.is_empty(), "{} verbs are in no transcript: {}", missing.len(), missing.join(" "));
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//! ")).map(|(name, _)| name).collect();
    assert!(silent.is_empty(), "no `//!` at the head of {silent:#?}");
}

#[test]
fn nothing_is_left_for_later() {
    // Written in pieces, so that this file does not find itself.
    let marks = ["todo", "unimplemented"].map(|name| format!("{name}!("));
    let note = ["TO", "DO"].concat();
    let fix = ["FIX", "ME"].concat();
    let later = ["Not ", "yet."].concat();
    let found = lines_that(|_, line| {
        let unfinished = marks.iter().any(|mark| line.contains(mark.as_str()));
        let noted = [&note, &fix, &later].iter().any(|word| line.contains(word.as_str()));
        (unfinished || noted).then(|| line.trim().to_string())
    });
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn world_content_and_plots_know_no_clock_and_no_unordered_map() {
    let banned = ["HashMap", "HashSet", "SystemTime", "Instant", "std::fs", "std::net", "std::env", "println!"];
    let found = lines_that(|name, line| {
        let code = line.split("//").next().unwrap_or_default();
        if !["plot/src/", "content/src/", "world/src/"].iter().any(|folder| name.starts_with(folder)) {
            return None;
        }
        let word = banned.iter().find(|word| {
            let mut rest = code;
            while let Some(at) = rest.find(**word) {
                let (before, after) = (&rest[..at], &rest[at + word.len()..]);
                let inside = |c: char| c.is_alphanumeric() || c == '_';
                if !before.ends_with(inside) && !after.starts_with(inside) {
                    return true;
                }
                rest = after;
            }
            false
        });
        word.map(|word| format!("{word} in {}", line.trim()))
    });
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn no_line_of_code_is_too_wide() {
    let found = lines_that(|_, line| {
        // What stands in quotes cannot be broken without a change to what is read.
        let code: String = if line.trim_start().starts_with("//") {
            line.to_string()
        } else {
            line.replace("\\\"", "").split('"').step_by(2).collect()
        };
        let width = code.chars().count();
        (width > WIDTH).then(|| format!("{width} characters"))
    });
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn modules_are_named_for_what_they_hold() {
    let empty = ["helper", "helpers", "util", "utils", "misc", "common", "manager", "prelude"];
    let found: Vec<String> = sources()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name.trim_end_matches(".rs").split('/').any(|part| empty.contains(&part)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_path_of_a_machine_is_in_the_code() {
    // Written in pieces, so that this file does not find itself.
    let paths = ["/home", "/work", "/Users", "/root"].map(|folder| format!("{folder}/"));
    let found = lines_that(|_, line| {
        let path = paths.iter().find(|path| line.contains(path.as_str()))?;
        Some(format!("{path} in {}", line.trim()))
    });
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn the_shipped_world_is_content_and_not_code() {
    // Names of places and persons that only `data/world` may know; the capital tells them from common words.
    let names = ["Flame", "Karrowmere", "Oskerry", "Ashgarrow", "Osgar", "Grey Moor", "Undercroft", "Hollowwood"];
    let products = ["protocol", "plot", "content", "world", "mind", "dreaming", "dream-folder", "server", "agent-cli"];
    let found = lines_that(|name, line| {
        let of_product = products.iter().any(|krate| name.starts_with(&format!("{krate}/src/")));
        let is_word = |at: usize, len: usize| !line[at + len..].starts_with(|c: char| c.is_ascii_lowercase());
        let named = names.iter().find(|name| line.find(**name).is_some_and(|at| is_word(at, name.len())));
        named.filter(|_| of_product).map(|_| line.trim().to_string())
    });
    assert!(found.is_empty(), "\n{found}");
}

/// Linking a program of ours takes seconds and a hundred megabytes, so nothing is linked only to find no tests in it.
#[test]
fn nothing_is_linked_for_tests_that_has_none() {
    let root = tests_folder().join("..");
    let sources = sources();
    let has_tests = |folder: &str| {
        let marks = ["#[test]", "#[tokio::test", "proptest! {"];
        sources.iter().any(|(name, text)| name.starts_with(folder) && marks.iter().any(|mark| text.contains(mark)))
    };
    let mut wrong = Vec::new();
    for name in CRATES {
        let text = std::fs::read_to_string(root.join(name).join("Cargo.toml")).expect("a crate has a manifest");
        let manifest: toml::Table = toml::from_str(&text).expect("a manifest is TOML");
        let is_off = |target: Option<&toml::Value>, key: &str| {
            target.and_then(|target| target.get(key)).and_then(toml::Value::as_bool) == Some(false)
        };
        let lib = manifest.get("lib");
        if !is_off(lib, "doctest") {
            wrong.push(format!("{name}: the library wants `doctest = false`, as it has no examples that run"));
        }
        if !is_off(lib, "test") && !has_tests(&format!("{name}/src/")) {
            wrong.push(format!("{name}: the library has no tests and wants `test = false`"));
        }
        let programs = manifest.get("bin").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for program in &programs {
            if !is_off(Some(program), "test") {
                let program = program.get("name").and_then(toml::Value::as_str).unwrap_or_default();
                wrong
                    .push(format!("{name}: the program `{program}` wants `test = false`; tests belong to the library"));
            }
        }
        let found = sources.iter().filter(|(file, _)| file.starts_with(&format!("{name}/src/bin/"))).count();
        if found > programs.len() {
            wrong.push(format!("{name}: {found} programs in src/bin, and {} of them in the manifest", programs.len()));
        }
        let binaries = sources
            .iter()
            .filter(|(file, _)| {
                let inside = file.strip_prefix(&format!("{name}/tests/"));
                inside.is_some_and(|file| !file.contains('/') || file.ends_with("/main.rs"))
            })
            .count();
        if binaries > 1 {
            wrong.push(format!("{name}: {binaries} binaries of integration tests, where modules of one would do"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let examples = lines_that(|_, line| {
        let opens = line.trim_start().strip_prefix("///").is_some_and(|doc| doc.trim() == "```");
        opens.then(|| "an example in a comment, which nothing runs: write a test".to_string())
    });
    assert!(examples.is_empty(), "\n{examples}");
}
