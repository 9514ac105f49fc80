//! What two crates have to say alike, as neither may ask the other.

#[test]
fn agents_are_told_of_the_gestures_of_the_shipped_world() {
    let file = tests::scene::tests_folder().join("../data/world/socials.toml");
    let text = std::fs::read_to_string(file).expect("the world's gestures");
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    names.sort_unstable();
    assert_eq!(names, mind::action::GESTURES);
}
