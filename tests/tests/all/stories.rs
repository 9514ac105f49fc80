//! The ten stories of `docs/stories`: still what play gives, true, and worth reading.

use std::path::PathBuf;
use std::sync::Arc;
use tests::agents::stories::{CASTS, Story, story};
use tests::scene::{read_content, tests_folder};

fn folder() -> PathBuf {
    tests_folder().join("../docs/stories")
}

/// Lines of the story that are sentences, without those that tell of what is known for longer.
fn told(story: &Story) -> Vec<&str> {
    let own = story.summary.text.split("\n### Insights").next().unwrap_or_default();
    own.split("\n### Relationships").next().unwrap_or_default().lines().filter(|line| line.ends_with('.')).collect()
}

#[test]
fn the_ten_kept_stories_are_what_play_gives_and_true() {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let update = std::env::var_os("UPDATE").is_some();
    let mut changed = Vec::new();
    for cast in &CASTS {
        let told_of = story(&content, cast).unwrap_or_else(|error| panic!("seed {}: {error:#}", cast.seed));
        assert_eq!(told_of.untrue, [], "seed {}", cast.seed);
        let lines = told(&told_of);
        let meetings = lines.iter().filter(|line| line.starts_with("Met ")).count();
        assert!(meetings * 3 <= lines.len(), "{meetings} of {} lines are meetings:\n{}", lines.len(), told_of.page);
        let path = folder().join(format!("{}.md", told_of.file));
        if update {
            std::fs::create_dir_all(folder()).expect("the folder can be made");
            std::fs::write(&path, &told_of.page).expect("the page can be written");
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != told_of.page {
            changed.push(told_of.file);
        }
    }
    assert!(changed.is_empty(), "{changed:?} would be told otherwise now: read them, and run this with UPDATE=1");
}
