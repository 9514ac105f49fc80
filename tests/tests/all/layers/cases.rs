//! The check of the layers, tried on made-up crates: what it must find, and what it must not.

use super::arrows::Crate;
use super::table::{Purity, Table};
use super::{knots, order, purity};

fn layers(layers: &[&[&str]]) -> Vec<Vec<String>> {
    layers.iter().map(|layer| layer.iter().map(|name| (*name).to_owned()).collect()).collect()
}

/// What is wrong with these files in these layers, one line each.
fn found(files: &[(&str, &str)], names: &[&[&str]]) -> Vec<String> {
    order::problems(&Crate::of(files), &layers(names), &[])
}

const ROOT: (&str, &str) = ("lib.rs", "pub mod high;\nmod low;\npub use low::Low;\n");
const TWO: &[&[&str]] = &[&["high"], &["low"]];

#[test]
fn an_arrow_down_is_fine_however_it_is_written() {
    for high in [
        "use crate::low::Low;",
        "use crate::Low;",
        "use super::{low::{Low, self}};",
        "fn f() { crate::low::Low::new(); }",
        "use crate::low; fn f() -> low::Low { low::Low }",
        "fn f() { let x = super::Low { ..crate::low::Low::default() }; }",
        "use self::inner::X; mod inner { pub struct X; use super::super::low::Low; }",
    ] {
        let files = [ROOT, ("high.rs", high), ("low.rs", "pub struct Low;")];
        assert_eq!(found(&files, TWO), [""; 0], "{high}");
    }
}

#[test]
fn an_arrow_up_is_named_with_file_and_line() {
    for (low, line) in [
        ("pub struct Low;\nuse crate::high::High;", 2),
        ("use super::high::High;", 1),
        ("\n\nuse crate::{\n    low as me,\n    high::High,\n};", 5),
        ("use crate::high::*;", 1),
        ("pub fn f() {\n    crate::high::f()\n}", 2),
        ("pub fn f(of: &crate::high::High) {}", 1),
        ("impl From<crate::high::High> for Low {}", 1),
        ("const X: u32 = { crate::high::X };", 1),
        ("macro_rules! m { () => { $crate::high::f() } }", 1),
        ("#[derive(Debug)]\npub(crate) enum Low { A(crate::high::High) }", 2),
        // Neither a string nor a comment hides what comes behind it.
        ("fn a() -> char { '\"' } // \" it's\nfn f<'a>() { let s = r#\"\"\"#; crate::high::f() }", 2),
    ] {
        let files = [ROOT, ("high.rs", "pub struct High;"), ("low.rs", low)];
        assert_eq!(found(&files, TWO), [format!("src/low.rs:{line}: low → high goes up")], "{low}");
    }
}

#[test]
fn what_is_no_arrow_is_not_taken_for_one() {
    for low in [
        "// use crate::high::High;",
        "/* /* */ use crate::high::High; */",
        "fn f() { \"crate::high::High\"; }",
        "fn f() { r#\"\" crate::high::High \"#; }",
        "#[cfg(test)] mod tests { use crate::high::High; }",
        "#[cfg(test)] use crate::high::High;",
        "#[test] fn f() { crate::high::f(); }",
        "#[cfg(test)] mod tests;",
        "pub(in crate::high) struct Low;",
        "struct high; impl high { fn f() { high::f() } }",
    ] {
        let files = [ROOT, ("high.rs", "pub struct High;"), ("low.rs", low)];
        assert_eq!(found(&files, TWO), [""; 0], "{low}");
    }
}

#[test]
fn code_behind_a_test_is_looked_at() {
    let low = "#[cfg(test)]\nuse crate::high::{A, B};\n#[test]\nfn f() {}\n#[cfg(not(test))]\nuse crate::high::C;";
    let files = [ROOT, ("high.rs", ""), ("low.rs", low)];
    assert_eq!(found(&files, TWO), ["src/low.rs:6: low → high goes up"]);
}

#[test]
fn a_reexport_is_followed_to_where_the_name_is() {
    let files = [
        ("lib.rs", "mod high; mod low; pub use high::*; pub use low::Low as Deep;"),
        ("high.rs", "mod part; pub use part::Part; pub struct High;"),
        ("high/part.rs", "pub struct Part;"),
        ("low.rs", "pub struct Low; use crate::Part; use crate::Deep;"),
    ];
    assert_eq!(found(&files, TWO), ["src/low.rs:1: low → high::part goes up"]);
}

#[test]
fn a_method_is_used_where_it_is_called() {
    let files = [
        ("lib.rs", "mod high; mod low;"),
        ("high.rs", "impl World { pub fn walk(&mut self) {} fn f(&self) { self.get(); } }"),
        ("low.rs", "pub struct World;\nimpl World { pub fn get(&self) {} fn f(&mut self) {\n self.walk(); } }"),
    ];
    assert_eq!(found(&files, TWO), ["src/low.rs:3: low → high goes up"]);
    let by_name = [files[0], files[1], ("low.rs", "fn f(world: &mut W) { other.walk(); }\nfn g() {\nworld.walk() }")];
    assert_eq!(found(&by_name, TWO), ["src/low.rs:3: low → high goes up"]);
    // A method of the same name of another type is none of it.
    let of_another = [files[0], files[1], ("low.rs", "impl Clock { fn walk(&self) {} fn f(&self) { self.walk() } }")];
    assert_eq!(found(&of_another, TWO), [""; 0]);
}

#[test]
fn what_stands_in_the_root_is_above_all() {
    let files = [("lib.rs", "mod low; pub struct Here;"), ("low.rs", "use crate::Here;")];
    assert_eq!(found(&files, &[&["low"]]), ["src/low.rs:1: low → the root goes up"]);
}

#[test]
fn within_a_layer_nobody_uses_another() {
    let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B;")];
    assert_eq!(found(&files, &[&["a", "b"]]), ["src/a.rs:1: a → b goes sideways"]);
}

#[test]
fn the_table_and_the_modules_must_be_the_same() {
    let files = [("lib.rs", "mod a; mod b;"), ("a.rs", ""), ("b.rs", "")];
    assert_eq!(
        found(&files, &[&["a"], &["c", "a"]]),
        ["the table has c, which is no module", "the table has a twice", "b is in no layer"]
    );
}

#[test]
fn a_module_of_a_folder_may_be_in_a_layer_of_its_own() {
    let files = [
        ("lib.rs", "mod folder; mod middle;"),
        ("folder/mod.rs", "mod deep; mod list; use crate::middle::M;"),
        ("folder/list.rs", "use super::deep::D; use crate::middle::M;"),
        ("folder/deep.rs", "pub struct D;"),
        ("middle.rs", "use crate::folder::deep::D; pub struct M;"),
    ];
    assert_eq!(found(&files, &[&["folder"], &["middle"], &["folder::deep"]]), [""; 0]);
    let files = [files[0], files[1], files[2], ("folder/deep.rs", "use super::list::L;"), files[4]];
    assert_eq!(
        found(&files, &[&["folder"], &["middle"], &["folder::deep"]]),
        ["src/folder/deep.rs:1: folder::deep → folder::list goes up"]
    );
}

#[test]
fn the_children_of_a_folder_stand_in_no_circle() {
    let lib = ("lib.rs", "mod folder;");
    let list = ("folder/mod.rs", "mod a; mod b; mod c; pub struct Shared; use a::A;");
    // With the list and the shared types of their folder they may.
    let fine = [
        lib,
        list,
        ("folder/a.rs", "use super::Shared; use super::b::B;"),
        ("folder/b.rs", "use super::c::C;"),
        ("folder/c.rs", ""),
    ];
    assert_eq!(found(&fine, &[&["folder"]]), [""; 0]);
    let circle = [fine[0], fine[1], fine[2], fine[3], ("folder/c.rs", "use super::a::A;")];
    let said = found(&circle, &[&["folder"]]);
    assert_eq!(said.len(), 1, "{said:?}");
    for arrow in ["folder::a → folder::b", "folder::b → folder::c", "src/folder/c.rs:1: folder::c → folder::a"] {
        assert!(said[0].contains(arrow), "{}", said[0]);
    }
}

#[test]
fn an_arrow_that_waits_is_excused_until_it_is_turned_round() {
    let waits = |files: &[(&str, &str)], names, waiting: &[&str]| {
        let waiting: Vec<String> = waiting.iter().map(|arrow| (*arrow).to_owned()).collect();
        order::problems(&Crate::of(files), &layers(names), &waiting)
    };
    let up = [ROOT, ("high.rs", "pub struct H;"), ("low.rs", "pub struct Low; use crate::high::H;")];
    assert_eq!(waits(&up, TWO, &["low → high"]), [""; 0]);
    let mended = [ROOT, up[1], ("low.rs", "pub struct Low;")];
    assert_eq!(waits(&mended, TWO, &["low → high"]), ["low → high is in order by now: take it from `waiting`"]);
    let circle = [
        ("lib.rs", "mod folder;"),
        ("folder/mod.rs", "mod a; mod b;"),
        ("folder/a.rs", "use super::b::B; pub struct A;"),
        ("folder/b.rs", "use super::a::A; pub struct B;"),
    ];
    assert_eq!(waits(&circle, &[&["folder"]], &["folder::b → folder::a"]), [""; 0]);
    let mended = [circle[0], circle[1], circle[2], ("folder/b.rs", "pub struct B;")];
    let said = waits(&mended, &[&["folder"]], &["folder::a → folder::b"]);
    assert_eq!(said, ["folder::a → folder::b is in order by now: take it from `waiting`"]);
}

#[test]
fn what_is_pure_reaches_no_io_by_any_way() {
    let files = [
        ("lib.rs", "pub mod session; mod words; mod store;"),
        ("session.rs", "use crate::words::W; pub mod login;"),
        ("session/login.rs", "pub struct L;"),
        ("words.rs", "pub fn f() { crate::store::get() }"),
        ("store.rs", "pub fn get() { std::fs::read(\"x\"); }"),
    ];
    let rule = |modules: &[&str], never: &[&str]| Purity {
        krate: String::new(),
        modules: modules.iter().map(|name| (*name).to_owned()).collect(),
        never: never.iter().map(|name| (*name).to_owned()).collect(),
    };
    let krate = Crate::of(&files);
    let said = purity::problems(&krate, &rule(&["session"], &["std::fs", "tokio"]));
    assert_eq!(
        said,
        ["session must not reach std::fs:\
          \n    src/session.rs:1: session → words\
          \n    src/words.rs:1: words → store\
          \n    src/store.rs:1: store → std::fs::read"]
    );
    let said = purity::problems(&krate, &rule(&["session"], &["store"]));
    assert!(said[0].starts_with("session must not reach store"), "{said:?}");
    assert_eq!(purity::problems(&krate, &rule(&["session::login"], &["store", "std"])), [""; 0]);
    let whole = purity::problems(&krate, &rule(&[], &["std::fs"]));
    assert_eq!(whole, ["the crate must not reach std::fs:\n    src/store.rs:1: store → std::fs::read"]);
    assert_eq!(purity::problems(&krate, &rule(&["login"], &["store"])), ["the rule has login, which is no module"]);
}

#[test]
fn a_table_with_a_word_too_many_is_refused() {
    let said =
        Table::read("[[crate]]\nname = \"a\"\nuses = []\nexternal = []\nlayer = []\n").expect_err("it is refused");
    assert!(said.contains("layer"), "{said}");
}

#[test]
fn modules_that_use_each_other_by_way_of_others_are_a_knot() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;\nmod free;\nmod folder;\n"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use crate::a; use crate::free::F; pub struct C;"),
        ("free.rs", "pub struct F;"),
        // The list and its rows use each other by design.
        ("folder/mod.rs", "mod row;\npub struct Row;\npub const ROWS: Row = row::ROW;"),
        ("folder/row.rs", "use super::Row; pub const ROW: Row = Row;"),
    ];
    let graph = knots::graph(&Crate::of(&files));
    let path = |name: &str| vec![name.to_owned()];
    assert_eq!(knots::arrow_count(&graph), 4);
    assert_eq!(knots::knots(&graph), [["a", "b", "c"].map(path).to_vec()]);
    let heights = knots::heights(&graph, &knots::knots(&graph));
    assert_eq!((heights[&path("free")], heights[&path("a")], heights[&path("c")]), (0, 1, 1));
}
