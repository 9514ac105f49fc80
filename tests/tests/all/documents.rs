//! `docs/ACTIONS.md`, `docs/COMMANDS.md`, `docs/HUD.md`, `docs/VARIABLES.md`, `data/rules/help_mind.txt` and
//! `protocol/verbs.json` say what the tables of the code say. `UPDATE=1 cargo test` writes them anew. And the zone that
//! `docs/CONTENT.md` builds can be loaded.

use std::process::Command;
use tests::documents;
use tests::scene::read_content;

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

#[test]
fn the_zone_that_the_page_on_content_builds_is_sound() {
    let folder = tempfile::tempdir().expect("a folder");
    let world = folder.path().join("my-world");
    let copied = Command::new("cp").arg("-r").arg(documents::path("data/world")).arg(&world).status();
    assert!(copied.expect("cp runs").success());
    let page = std::fs::read_to_string(documents::path("docs/CONTENT.md")).expect("the page is there");
    let mut written = 0;
    for block in page.split("```toml\n# zones/").skip(1) {
        let (text, _) = block.split_once("```").expect("the block ends");
        let (name, text) = text.split_once('\n').expect("a line with the file's name");
        let path = world.join("zones").join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
        written += 1;
    }
    assert_eq!(written, 4, "the page has four files");
    let content = read_content(&world);
    assert!(content.room_id(9900).is_some() && content.mob(9900).is_some());
}
