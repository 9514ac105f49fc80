//! What two crates have to say alike, as neither may ask the other.

use world::clock::Clock;

#[test]
fn dreams_and_the_world_have_one_calendar() {
    let mut tick = 0;
    while tick < 3 * 17 * 35 * 24 * 32 {
        let clock = Clock { tick };
        let told = format!("{} {} {}", clock.day(), clock.month_name(), clock.year());
        assert_eq!(dreaming::calendar::game_date(tick), told, "tick {tick}");
        tick += 97;
    }
}

#[test]
fn agents_are_told_of_the_gestures_of_the_shipped_world() {
    let file = tests::scene::tests_folder().join("../data/world/socials.toml");
    let text = std::fs::read_to_string(file).expect("the world's gestures");
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    names.sort_unstable();
    assert_eq!(names, mind::action::GESTURES);
}
