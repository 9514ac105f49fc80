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
