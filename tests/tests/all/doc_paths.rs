//! Every path that the documents name exists, so that "Where is X?" stays true when files move.
//!
//! A path stands in backticks. One that ends in `.rs` may be short (`placement.rs`, `phases/floors.rs`): then some file
//! of the tree must end so. Others are taken for paths of the tree when they begin with one of its folders. Braces
//! stand for several: `store/{sessions,memories}.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tests::documents;

/// Folders of the tree that hold nothing of ours.
const LEFT_OUT: [&str; 3] = ["target", ".git", "node_modules"];
const EXTENSIONS: [&str; 8] = ["rs", "toml", "md", "json", "svg", "sql", "py", "service"];

/// All files and folders below a folder, from the root of the tree.
fn collect(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        let is_left_out = LEFT_OUT.iter().any(|left_out| name.split('/').next_back() == Some(left_out));
        if path.is_dir() && !is_left_out {
            collect(root, &path, found);
        }
        found.insert(name);
    }
}

/// What a text with braces stands for.
fn expanded(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_string()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![text.to_string()] };
    choices.split(',').flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

/// The paths that a page names.
fn named(page: &str, tree: &BTreeSet<String>) -> Vec<String> {
    let is_plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.-/{},".contains(c));
    let is_path = |text: &String| {
        let begins_here = text.split_once('/').is_some_and(|(first, _)| tree.contains(first));
        let extension = text.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_file = EXTENSIONS.contains(&extension);
        extension == "rs" || (begins_here && (is_file || text.ends_with('/')))
    };
    page.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|text| is_plain(text))
        .flat_map(expanded)
        .filter(is_path)
        .collect()
}

fn exists(path: &str, tree: &BTreeSet<String>) -> bool {
    let path = path.trim_end_matches('/');
    tree.iter().any(|file| file == path || file.strip_suffix(path).is_some_and(|before| before.ends_with('/')))
}

#[test]
fn every_path_that_the_documents_name_exists() {
    let root = documents::path(".");
    let mut tree = BTreeSet::new();
    collect(&root, &root, &mut tree);
    let mut pages: Vec<PathBuf> = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).expect("the folder of documents");
    pages.extend(
        docs.map(|entry| entry.expect("an entry").path()).filter(|path| path.extension() == Some("md".as_ref())),
    );
    pages.sort();
    let (mut count, mut missing) = (0, String::new());
    for path in pages {
        let page = std::fs::read_to_string(&path).expect("a readable page");
        for named in named(&page, &tree) {
            count += 1;
            if !exists(&named, &tree) {
                missing.push_str(&format!("{}: {named}\n", path.display()));
            }
        }
    }
    assert!(count > 200, "only {count} paths were found: what is a path is read wrongly");
    assert!(missing.is_empty(), "\n{missing}");
}

/// Rows of the table under "Where is X?": the paths of the answer, and the word to search for.
fn answers(page: &str) -> Vec<(Vec<String>, String)> {
    let (_, section) = page.split_once("## Where is X?").expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| Where "));
    rows.map(|row| {
        let columns: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, answer, word] = columns[..] else { panic!("not three columns: {row}") };
        let in_ticks = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
        let paths = in_ticks(answer).into_iter().filter(|text| text.contains('/')).collect();
        (paths, in_ticks(word).concat())
    })
    .collect()
}

#[test]
fn where_everything_is_is_found_by_the_word_that_the_page_says() {
    let page = std::fs::read_to_string(documents::path("docs/ARCHITECTURE.md")).expect("the page is there");
    let answers = answers(&page);
    assert!(answers.len() >= 20, "{} answers", answers.len());
    for (paths, word) in answers {
        let first = documents::path(paths.first().unwrap_or_else(|| panic!("{word}: no path")));
        let files = if first.is_dir() {
            let entries = std::fs::read_dir(&first).expect("a readable folder");
            entries.map(|entry| entry.expect("an entry").path()).collect()
        } else {
            vec![first.clone()]
        };
        let holds = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains(&word));
        assert!(!word.is_empty() && files.iter().any(holds), "{}: `{word}` is not in it", first.display());
    }
}

/// Parts of the review of the structure, and what issue 11 asks to be shown, in the order of the page.
const STRUCTURE: [&str; 22] = [
    "2.1", "2.2", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "3.10", "4", "4.1", "7.1", "7.2",
    "7.3", "7.4", "7.5", "7.6", "7.7", "show",
];

/// The rows of a section of the page on findings, cut into columns.
fn findings<'p>(page: &'p str, section: &str) -> Vec<Vec<&'p str>> {
    let heading = format!("\n## {section}\n");
    let (_, rest) = page.split_once(heading.as_str()).unwrap_or_else(|| panic!("there is no section {section}"));
    let rest = rest.split("\n## ").next().unwrap_or_default();
    let rows = rest.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| | "));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn every_test_that_settles_a_finding_exists() {
    let root = documents::path(".");
    let mut tree = BTreeSet::new();
    collect(&root, &root, &mut tree);
    let code: String = tree
        .iter()
        .filter(|name| name.ends_with(".rs"))
        .filter_map(|name| std::fs::read_to_string(root.join(name)).ok())
        .collect();
    let page = std::fs::read_to_string(documents::path("docs/FINDINGS.md")).expect("the page is there");
    let numbered = |letter: &str, most: usize| -> Vec<String> { (1..=most).map(|n| format!("{letter}{n}")).collect() };
    let security = [numbered("H", 6), numbered("M", 9), numbered("L", 14)].concat();
    let structure = Vec::from(STRUCTURE.map(str::to_string));
    for (section, wanted) in [("Play", numbered("", 28)), ("Security", security), ("Structure", structure)] {
        let rows = findings(&page, section);
        let mut found: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        if section == "Structure" {
            // A part of that review has several findings.
            found.dedup();
        }
        assert_eq!(found, wanted, "{section}: a row for each finding");
        for row in rows {
            let (now, kept_by) = match row[..] {
                [_, _, now, kept_by] | [_, _, now, _, kept_by] => (now, kept_by),
                _ => panic!("neither four columns nor five: {row:?}"),
            };
            let tests: Vec<&str> = kept_by.split('`').skip(1).step_by(2).collect();
            let says_so = kept_by == "no test" || now.contains("Not settled");
            assert!(!tests.is_empty() || says_so, "nothing keeps it: {row:?}");
            for test in tests {
                assert!(code.contains(&format!("fn {test}(")), "there is no test {test}: {row:?}");
            }
        }
    }
}

#[test]
fn what_is_a_path_and_what_is_none() {
    let tree: BTreeSet<String> = ["world", "world/src", "world/src/act.rs", "docs"].map(str::to_string).into();
    let page = "`act.rs` and `world/src/{act,gone}.rs`, `docs/`, not `look <thing>` or `a/b`, nor act.rs bare";
    assert_eq!(named(page, &tree), ["act.rs", "world/src/act.rs", "world/src/gone.rs", "docs/"]);
    assert!(exists("act.rs", &tree) && exists("src/act.rs", &tree) && exists("docs/", &tree));
    assert!(!exists("world/src/gone.rs", &tree) && !exists("t.rs", &tree));
}
