//! Order inside the crates, kept by a test: `tests/layers.toml` says which crates and modules there are and what is
//! below what, and here it is compared with the sources. What fails names the arrow that is wrong.
//!
//! `lexer` and `source` read one file, `arrows` follows what it uses, `order` and `purity` judge, `picture` draws,
//! `cases` tries all of that on made-up sources. `knots` and `drawing` show a tree that has no table, such as an old
//! one.

mod arrows;
mod cases;
mod drawing;
mod knots;
mod lexer;
mod order;
mod picture;
mod purity;
mod source;
mod table;

use arrows::Crate;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use table::{CrateRow, Table};
use tests::scene::tests_folder;

fn root() -> PathBuf {
    tests_folder().join("..")
}

fn table() -> Table {
    let text = std::fs::read_to_string(tests_folder().join("layers.toml")).expect("the table is there");
    Table::read(&text).unwrap_or_else(|problem| panic!("layers.toml: {problem}"))
}

/// The crates of any tree, by name, with the arrows of their modules. No table is asked: an old tree has none.
fn graphs(folder: &Path) -> Vec<(String, knots::Graph)> {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).expect("the tree has a Cargo.toml");
    let manifest: toml::Table = text.parse().expect("Cargo.toml is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list of members");
    let mut graphs = Vec::new();
    for name in members.iter().filter_map(toml::Value::as_str) {
        let text = std::fs::read_to_string(folder.join(name).join("Cargo.toml")).expect("a crate has a Cargo.toml");
        let manifest: toml::Table = text.parse().expect("Cargo.toml is TOML");
        let uses = manifest.get("dependencies").and_then(toml::Value::as_table);
        let externals = uses.into_iter().flat_map(toml::Table::keys).map(|name| name.replace('-', "_"));
        let externals = externals.chain(["std", "core", "alloc"].map(str::to_owned)).collect();
        let main = ["lib", "main"].map(|root| format!("{name}/src/{root}.rs"));
        let file = main.iter().find(|file| folder.join(file).is_file()).expect("a crate has a root");
        let subjects = ["World".to_owned()].into();
        graphs.push((name.to_owned(), knots::graph(&Crate::read(folder, file, externals, subjects))));
    }
    graphs
}

fn krate(row: &CrateRow) -> Crate {
    let externals = row.uses.iter().chain(&row.external).map(|name| name.replace('-', "_"));
    let externals = externals.chain(["std", "core", "alloc"].map(str::to_owned)).collect();
    let main = ["lib", "main"].map(|name| format!("{}/src/{name}.rs", row.name));
    let file = main.iter().find(|file| root().join(file).is_file()).expect("a crate has a root");
    Crate::read(&root(), file, externals, row.subjects.iter().cloned().collect())
}

/// The keys of a table of a crate's Cargo.toml.
fn keys(name: &str, table: &str) -> BTreeSet<String> {
    let path = root().join(name).join("Cargo.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let manifest: toml::Table = text.parse().expect("Cargo.toml is TOML");
    let found = manifest.get(table).and_then(toml::Value::as_table);
    found.map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

fn members() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a Cargo.toml");
    let manifest: toml::Table = text.parse().expect("Cargo.toml is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list of members");
    members.iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

#[test]
fn modules_use_only_what_is_below_them() {
    let table = table();
    let mut found = String::new();
    for row in table.crates.iter().filter(|row| !table.unordered.contains(&row.name)) {
        for problem in order::problems(&krate(row), &row.layers, &row.waiting) {
            found.push_str(&format!("{}: {problem}\n", row.name));
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn pure_modules_reach_no_io() {
    let table = table();
    let mut found = String::new();
    for rule in &table.pure {
        let row = table.row(&rule.krate).unwrap_or_else(|| panic!("a rule is for {}, which is no crate", rule.krate));
        for problem in purity::problems(&krate(row), rule) {
            found.push_str(&format!("{}: {problem}\n", row.name));
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn crates_are_built_with_what_the_table_says() {
    let table = table();
    let members = members();
    let rows: BTreeSet<String> = table.crates.iter().map(|row| row.name.clone()).collect();
    assert_eq!(rows, members, "the crates of the table, and the members of the workspace");
    for row in &table.crates {
        let said: BTreeSet<String> = row.uses.iter().chain(&row.external).cloned().collect();
        assert_eq!(said, keys(&row.name, "dependencies"), "{}: the table, and its Cargo.toml", row.name);
        let ours: BTreeSet<String> = said.intersection(&members).cloned().collect();
        assert_eq!(ours, row.uses.iter().cloned().collect(), "{}: what it uses of ours", row.name);
    }
}

#[test]
fn crates_without_order_are_crates_and_have_no_layers() {
    let table = table();
    for name in &table.unordered {
        let row = table.row(name).unwrap_or_else(|| panic!("{name} is no crate"));
        assert!(row.layers.is_empty(), "{name} has layers: take it from the list of those without");
    }
}

#[test]
fn the_picture_of_the_modules_is_that_of_the_table() {
    let path = root().join("docs/ARCHITECTURE.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let drawn = picture::drawn_into(&page, &table()).expect("a place for the picture");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &drawn).expect("a writable page");
        return;
    }
    assert!(drawn == page, "docs/ARCHITECTURE.md is out of date: UPDATE=1 cargo test -p tests --test all layers");
}

/// With DRAW in the environment it also draws a tree, this one or an old one: `DRAW=folder:title:file.svg`.
#[test]
fn no_modules_of_a_crate_are_in_a_knot() {
    if let Ok(draw) = std::env::var("DRAW") {
        let [folder, title, file]: [&str; 3] =
            draw.split(':').collect::<Vec<_>>().try_into().expect("DRAW=folder:title:file.svg");
        let graphs = graphs(Path::new(folder));
        std::fs::write(file, drawing::svg(title, &graphs)).expect("a writable file");
        return;
    }
    for (name, graph) in graphs(&root()) {
        assert!(!graph.is_empty() || name == "dream-folder", "{name} has no modules");
        let knots = knots::knots(&graph);
        assert!(knots.is_empty(), "{name}: {knots:?}");
    }
}
