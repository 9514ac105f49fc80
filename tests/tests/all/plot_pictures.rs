//! The pictures of `docs/plots` are what play gives: three hands type the lines of a file on a plot of the shipped
//! world, and what they built keeps its task whole. `UPDATE=1 cargo test -p tests --test all plot_pictures` draws them
//! anew.

use server::plot_pictures::Standing;
use std::path::PathBuf;
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};

/// The file with the lines, and the room.
const BUILT: [(&str, i32); 3] = [("village", 8227), ("causeway", 8400), ("garden", 8009)];
/// Of the village there are pictures on the way: after so many lines.
const GROWING: [usize; 3] = [9, 18, 30];

fn folder() -> PathBuf {
    tests_folder().join("../docs/plots")
}

fn svg(scene: &Scene, room: i32) -> String {
    Standing::of(&scene.world, room).expect("a plot").svg(None).expect("it is drawn")
}

/// Types the lines, each hand one in a tick; the pictures on the way and the last, by their names.
fn play(name: &str, room: i32) -> (Scene, Vec<(String, String)>) {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let mut scene = Scene::on(content, 7);
    let text = std::fs::read_to_string(folder().join(name).with_extension("txt")).expect("the lines");
    let lines: Vec<(&str, &str)> = text.lines().map(|line| line.split_once(": ").expect("NAME: LINE")).collect();
    for (hand, _) in &lines {
        if scene.people.iter().all(|(known, _)| known != hand) {
            scene.enter(hand, &Person { room: Some(room), level: 20, ..Person::default() });
        }
    }
    let mut drawn = Vec::new();
    for (n, (hand, line)) in lines.iter().enumerate() {
        let report = scene.does(hand, line);
        assert_eq!(report.refused, None, "{name}, {hand}: {line}");
        scene.tick();
        if name == "village" && GROWING.contains(&(n + 1)) {
            drawn.push((format!("{name}-{}", n + 1), svg(&scene, room)));
        }
    }
    drawn.push((name.to_string(), svg(&scene, room)));
    (scene, drawn)
}

#[test]
fn the_kept_pictures_of_plots_are_what_play_gives() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut changed = Vec::new();
    for (name, room) in BUILT {
        let (scene, drawn) = play(name, room);
        let (_, ground) = scene.world.plots().into_iter().find(|(vnum, _)| *vnum == room).expect("a plot");
        let seen = scene.world.plot_told(room, &ground.plot, 50);
        assert_eq!(seen.pending, [], "{name}: nothing waits");
        assert_eq!(seen.task.map(|task| task.score), Some(1000), "{name}");
        for (file, svg) in drawn {
            let path = folder().join(file).with_extension("svg");
            if update {
                std::fs::write(&path, &svg).expect("the picture can be written");
            }
            if std::fs::read_to_string(&path).unwrap_or_default() != svg {
                changed.push(path);
            }
        }
    }
    assert!(changed.is_empty(), "{changed:?} would be drawn otherwise now: look at them, and run this with UPDATE=1");
}
