//! Plots as they are read, written back, and judged.

use super::*;

const PATH: &str = "zones/1_green/plots.toml";

fn world(plots: &str) -> (Content, Problems) {
    let source = Source::of([
        ("world.toml", "name = \"T\"\nstart_room = 100\n"),
        ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
        ("zones/1_green/rooms.toml", "[[room]]\nvnum = 100\nname = \"A\"\ndescription = \"A.\"\n"),
        (PATH, plots),
    ]);
    read(&source, &ReadOptions::default())
}

const ALL: &str = "\
[[plot]]
room = 100
title = \"The Green\"
about = \"Common land.\"
rule = \"consent\"
task = \"village\"

[[plot.element]]
kind = \"well\"
at = [4, 4]
label = \"Old \\\"Bottomless\\\"\"

[[plot.element]]
kind = \"tree\"
at = [0, 8]
";

#[test]
fn a_plot_is_read_and_written_back() {
    let (content, problems) = world(ALL);
    assert_eq!(problems, Problems::default());
    let plot = content.plot(100).expect("the room has it");
    assert_eq!((&*plot.title, plot.rule.word(), &*plot.task), ("The Green", "consent", "village"));
    assert_eq!(plot.elements.len(), 2);
    assert_eq!(&*plot.elements[0].label, "Old \"Bottomless\"");
    let files = write(&content);
    assert_eq!(files[PATH], ALL);
    let (again, _) = read(&Source::of(files), &ReadOptions::default());
    assert_same(&content, &again);
    let (other, _) = world(&ALL.replace("[4, 4]", "[4, 5]"));
    assert!(other.fingerprint() != content.fingerprint(), "what stands on a plot is played with");
}

#[test]
fn all_that_is_wrong_with_plots_is_told_at_once() {
    let wrong = "\
[[plot]]
room = 100
title = \"One\"
rule = \"anarchy\"
task = \"metropolis\"

[[plot.element]]
kind = \"hosue\"
at = [1, 1]

[[plot.element]]
kind = \"tree\"
at = [1, 1]

[[plot.element]]
kind = \"tree\"
at = [9, 1]
label = \"turned \\u202E round\"

[[plot]]
room = 100
title = \"Two\"

[[plot]]
room = 777
titel = \"Three\"
";
    let (_, problems) = world(&wrong.replace("room = 777\n", "room = 777\ntitle = \"Three\"\n"));
    let told: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
    for part in [
        "plots.toml:1: error: rule: \"anarchy\" should be one of free, own, consent",
        "plots.toml:15: error: That label has characters",
        "plots.toml:15: error: at: The cell 9,1 is off the plot",
        "plots.toml:20: error: room #100 has a plot already, at zones/1_green/plots.toml:1",
        "plots.toml:24: error: a plot is in room #777, which does not exist",
        "warning: unknown field \"titel\"",
    ] {
        assert!(told.iter().any(|line| line.contains(part)), "{part} is not in {told:#?}");
    }
    let (_, problems) = world(wrong.split("[[plot]]\nroom = 100\ntitle = \"Two\"").next().expect("the first plot"));
    let told: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
    for part in [
        "has task \"metropolis\"; there are village, causeway, garden",
        "has kind \"hosue\". Nobody knows how to build \"hosue\". Did you mean house?",
        "has two elements at 1,1",
    ] {
        assert!(told.iter().any(|line| line.contains(part)), "{part} is not in {told:#?}");
    }
}
