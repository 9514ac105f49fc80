//! `docs/COMMANDS.md`, `docs/VARIABLES.md` and `protocol/verbs.json` say what the tables of the code say.
//! `UPDATE=1 cargo test` writes them anew.

use tests::documents;

#[test]
fn the_made_documents_are_as_the_code_would_write_them() {
    for (name, text) in documents::all() {
        let path = documents::path(name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).expect("a writable document");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "{name} is out of date: UPDATE=1 cargo test -p tests");
    }
}
