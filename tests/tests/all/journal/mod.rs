//! The journal from outside: what a start makes of good and bad files, and what is shown when the disk is full.

mod damage;
mod disk;
mod fuzz;
mod kills;
mod replays;
mod saves;
mod starts;
mod torture;

use content::Content;
use server::journal::recovery::{self, Given, Recovered};
use server::journal::{Header, Layout, snapshot};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tests::e2e::{Options, Server, copy_folder, root};
use tests::scene::read_content;
use world::rules::Rules;

/// The smallest world, where nothing walks about by itself.
fn green() -> Options {
    Options { world: root().join("tests/scenes/green"), ..Options::default() }
}

fn green_content() -> Arc<Content> {
    Arc::new(read_content(&root().join("tests/scenes/green")))
}

/// The same world again, on that state folder.
fn on(state: &Arc<TempDir>) -> Options {
    Options { state: Some(state.clone()), ..green() }
}

/// The same, with more words.
fn on_with(state: &Arc<TempDir>, words: &[&str]) -> Options {
    Options { more: words.iter().map(|word| word.to_string()).collect(), ..on(state) }
}

/// Ann has played some ticks, rich and loaded, and the server was killed: one segment, one snapshot at its beginning.
async fn killed() -> Arc<TempDir> {
    let server = Server::start_with(green());
    play(&server).await;
    server.kill()
}

async fn play(server: &Server) {
    let mut ann = server.agent("Ann").await;
    server.promote("Ann", 39).await;
    for line in ["load obj 121", "set ann gold 77", "east", "drop all", "say Somebody was here.", "west"] {
        ann.command(line).await;
        ann.fence().await;
    }
    server.tick(35).await;
    ann.command("set ann gold 88").await;
    ann.fence().await;
    server.tick(3).await;
}

/// A copy of a state folder, to damage.
fn copy(state: &Path) -> Arc<TempDir> {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(state, folder.path());
    Arc::new(folder)
}

/// Segments and snapshots, oldest first.
fn files(state: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let listing = Layout::new(state).list().expect("it can be read");
    (listing.segments.into_values().map(|file| file.path).collect(), listing.snapshots.into_values().collect())
}

/// What a snapshot or a segment says of its journal.
fn header(state: &Path) -> Header {
    snapshot::head_of(&files(state).1[0]).expect("it has a head").header
}

/// A start by the library: what the server does before it opens its doors.
fn recover(state: &Path, content: &Arc<Content>, recover: bool) -> anyhow::Result<Recovered> {
    // As the files say it, so that only their contents decide.
    let header =
        Layout::new(state).list()?.snapshots.values().find_map(|path| Some(snapshot::head_of(path).ok()?.header));
    let rules = Rules::built_in();
    let needs = header
        .as_ref()
        .map_or_else(|| server::replay::needs_of(content, &rules, Path::new("x")), |header| header.needs.clone());
    let database = header.map_or(String::new(), |header| header.database);
    recovery::recover(&Given {
        layout: &Layout::new(state),
        content: content.clone(),
        rules: Arc::new(rules),
        needs: &needs,
        database: &database,
        recover,
        capture: world::report::Capture::Nobody,
    })
}
