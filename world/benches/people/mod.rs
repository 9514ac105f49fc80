//! People who are measured, and the world that they are put into: the stock one, or where that is missing the one that
//! ships, and a line says so.

use super::stock::{read_folder, stock};
use content::words::{Class, Race};
use content::{Content, ReadOptions, RoomId, read};
use std::path::Path;
use std::sync::Arc;
use world::rng::Dice;
use world::rules::creation::{Choices, newborn, roll_abilities};
use world::{CharacterId, Input, World};

/// Of hit points and movement, so many that nobody tires and a fight outlasts its measurement.
pub const POINTS: i32 = 1_000_000;

pub fn content() -> Arc<Content> {
    let source = stock().unwrap_or_else(|| {
        println!("measured in data/world");
        read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/world"))
    });
    Arc::new(read(&source, &ReadOptions::default()).0)
}

/// Puts somebody new into a room; each number is another one.
pub fn enter(world: &mut World, number: usize, room: RoomId) -> CharacterId {
    let rules = world.rules.clone();
    let mut dice = Dice::new(1, 2, 3, number as u64);
    let abilities = roll_abilities(&rules, Race::Human, Class::Warrior, &mut dice);
    let choices = Choices { abilities, ..Choices::plain(&format!("Zq{number:05}")) };
    let mut record = newborn(&rules, &choices, &mut dice);
    record.room = Some(world.room_proto(room).vnum);
    record.base.hit_max = POINTS;
    record.hit = POINTS;
    record.base.move_max = POINTS;
    record.moves = POINTS;
    let report = world.apply(&Input::Enter { record: Box::new(record), agent: false });
    report.entered.expect("nobody of that name is there yet")
}
