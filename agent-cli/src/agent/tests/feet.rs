//! What an agent does that is short of breath, or not on its feet.

use super::*;

/// Nearly beaten, in a fight, with so many movement points.
fn nearly_beaten(moves: i32) -> Scene {
    let mut scene = Scene::alone(&[]);
    scene.vars(json!({
        "HEALTH": 5, "MOVE": moves, "FIGHTING": true, "POSITION": "fighting", "ROOM_MOBS": [mob("rat", 7, true)],
    }));
    scene
}

/// Flights in a row that are refused, until it fights on.
fn flights(scene: &mut Scene) -> usize {
    let mut count = 0;
    while scene.after(1_000) == ["flee"] {
        scene.events(json!([{"type": "refused", "command": "flee", "reason": "You cannot get away!"}]));
        count += 1;
        assert!(count < 20, "it never fights on");
    }
    count
}

#[test]
fn who_could_take_any_step_tries_to_run_more_often_than_who_could_not() {
    assert_eq!(flights(&mut nearly_beaten(80)), 4);
    assert_eq!(flights(&mut nearly_beaten(8)), 4);
    // The one refusal says that the ground is too hard to run on for who has so little.
    assert_eq!(flights(&mut nearly_beaten(7)), 1);
    assert_eq!(flights(&mut nearly_beaten(2)), 1);
    // Nowhere is a step so cheap.
    assert_eq!(flights(&mut nearly_beaten(1)), 0);
}

#[test]
fn who_is_cornered_fights_on_for_a_while_and_then_runs_again() {
    let mut scene = nearly_beaten(80);
    flights(&mut scene);
    assert_eq!(scene.after(2_000), [""; 0]);
    assert_eq!(scene.after(2_000), ["flee"]);
}

/// Asked while it lay down, with a way north and a rat in the room; it may get up.
fn lying(position: &str) -> Scene {
    let off = POLICIES.iter().map(|policy| policy.name.to_string()).filter(|name| name != "stand").collect();
    let prompt = ::mind::prompt::Settings { autopilot: Autopilot::Full, ..Default::default() };
    let mut scene = Scene::new(AgentSettings { off, prompt, ..AgentSettings::default() });
    scene.vars(json!({"POSITION": position, "ROOM_MOBS": [mob("rat", 7, false)]}));
    scene.next();
    assert_eq!(scene.asked.len(), 1, "it is asked");
    scene
}

#[test]
fn what_the_model_wants_on_its_feet_waits_for_getting_up() {
    for (position, up) in [("resting", "stand"), ("sitting", "stand"), ("sleeping", "wake")] {
        for wish in ["north", "kill rat"] {
            let mut scene = lying(position);
            scene.answer(thought(&[], &[wish]));
            assert_eq!(scene.next(), [up], "{position}: {wish}");
            // Neither twice, nor before it stands.
            assert_eq!(scene.after(250), [""; 0]);
            scene.vars(json!({"POSITION": "standing"}));
            scene.events(json!([{"type": "position", "who": who("Me", "player", 3), "position": "standing"}]));
            assert_eq!(scene.after(250), [wish], "{position}");
        }
    }
}

#[test]
fn what_can_be_done_lying_down_is_done_so() {
    let mut scene = lying("resting");
    scene.answer(thought(&[], &["look"]));
    assert_eq!(scene.next(), ["look"]);
}

#[test]
fn a_model_that_stays_as_it_is_is_left_in_peace() {
    for (position, wish) in [("sleeping", "sleep"), ("resting", "rest"), ("standing", "stand")] {
        let mut scene = lying(position);
        scene.vars(json!({"HEALTH": 20}));
        scene.answer(thought(&[], &[wish]));
        for _ in 0..8 {
            assert_eq!(scene.after(250), [""; 0], "{position}");
        }
    }
    // Whole again, it lies there in vain.
    let mut scene = lying("sleeping");
    scene.answer(thought(&[], &["sleep"]));
    assert_eq!(scene.next(), ["wake"]);
    // Without a wish the policies get it up.
    let mut scene = lying("resting");
    scene.answer(thought(&[], &[]));
    assert_eq!(scene.next(), ["stand"]);
}
