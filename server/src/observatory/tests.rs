//! What the observatory remembers, and whom it lets in; what it shows to whom is tested with a real server.

use super::*;
use world::Input;

#[test]
fn so_many_pictures_are_kept_as_the_delay_needs() {
    let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
    let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
    let mut world = World::new(Arc::new(content), Arc::new(world::rules::Rules::built_in()), 7);
    let mut state = State::default();
    let ticks = |state: &State| state.pictures.iter().map(|picture| picture.tick).collect::<Vec<_>>();
    for _ in 0..3 {
        state.remember(&world, 2, &[]);
        // The same tick again takes the place of the picture before.
        state.remember(&world, 2, &[]);
        world.apply(&Input::Tick);
    }
    assert_eq!(ticks(&state), [0, 1, 2]);
    (0..4).for_each(|_| _ = world.apply(&Input::Tick));
    state.remember(&world, 2, &[]);
    assert_eq!(ticks(&state), [2, 7], "what was at tick 5 is what was at tick 2");
    world.apply(&Input::Tick);
    world.apply(&Input::Tick);
    state.remember(&world, 2, &[]);
    assert_eq!(ticks(&state), [7, 9]);
    state.remember(&world, 0, &[]);
    assert_eq!(ticks(&state), [9]);
}

#[test]
fn who_may_look_on_is_as_the_operator_says() {
    let order = [Audience::Public, Audience::Players, Audience::Operators, Audience::Off];
    assert!(order.is_sorted(), "the fewer, the greater");
}
