//! What keeps the agent alive: two rules of the document, before everything else, without a model and without waiting.
//!
//! Pure functions of the state. Invariant: no reflex attacks a mob that does not fight the agent.

use crate::state::GameState;
use protocol::payload::RoomMob;
use std::borrow::Cow;

/// Below so many percent of its hit points one runs.
pub const FLEE_PERCENT: i32 = 25;

/// What a reflex wants sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflex {
    /// `flee`, `leave`, `stand`, `counter`: for the records.
    pub name: &'static str,
    pub line: Cow<'static, str>,
}

/// What the reflexes know besides the state: how the agent leaves a room, and of whom it is afraid.
pub struct Surroundings<'a> {
    /// The way out to take when there is a choice.
    pub way_out: Option<&'a str>,
    /// Whether a mob that is idle now is known to attack.
    pub attacks_unprovoked: &'a dyn Fn(&RoomMob) -> bool,
    /// The last tries to run did not work: only fighting is left.
    pub cornered: bool,
}

/// The reflex for this moment, if there is one.
pub fn reflex(state: &GameState, around: &Surroundings<'_>) -> Option<Reflex> {
    let health = state.health?;
    if health <= 0 {
        // Stunned or worse: nothing that is typed is heard.
        return None;
    }
    let attacker = state.attackers().next();
    let hurt = state.hp_percent() < FLEE_PERCENT;
    let on_feet = matches!(state.position.as_deref(), None | Some("standing" | "fighting"));
    if hurt {
        let threatened = attacker.is_some() || state.is_fighting();
        if threatened || state.mobs().iter().any(|mob| (around.attacks_unprovoked)(mob)) {
            if let Some(up) = get_up(state) {
                return Some(up);
            }
            if state.is_fighting() {
                let flee = Reflex { name: "flee", line: Cow::Borrowed("flee") };
                return (!around.cornered).then_some(flee);
            }
            // Out of a fight of one's own the door is quicker than panic, and loses no experience.
            if let Some(way) = around.way_out
                && !around.cornered
            {
                return Some(Reflex { name: "leave", line: Cow::Owned(way.to_string()) });
            }
            if threatened && !around.cornered {
                return Some(Reflex { name: "flee", line: Cow::Borrowed("flee") });
            }
        }
        if !around.cornered {
            // Nothing threatens: running on would only tire. Resting is a policy's work.
            return None;
        }
    }
    if !state.is_fighting()
        && let Some(mob) = attacker
        && (on_feet || get_up(state).is_some())
    {
        if let Some(up) = get_up(state) {
            return Some(up);
        }
        return Some(Reflex { name: "counter", line: Cow::Owned(format!("kill {}", mob.target_string)) });
    }
    None
}

/// What one has to do first who lies or sits.
pub(crate) fn get_up(state: &GameState) -> Option<Reflex> {
    let line = match state.position.as_deref()? {
        "sleeping" => "wake",
        "resting" | "sitting" => "stand",
        _ => return None,
    };
    Some(Reflex { name: "stand", line: Cow::Borrowed(line) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mob(target: &str, fighting: bool, fighting_me: bool) -> RoomMob {
        RoomMob {
            name: "a goblin".into(),
            instance_id: "mob_1_1".into(),
            target_string: target.into(),
            vnum: 1,
            fighting,
            fighting_me,
            attackable: true,
            more: 0,
        }
    }

    fn state(health: i32, fighting: bool, position: &'static str, mobs: Vec<RoomMob>) -> GameState {
        GameState {
            health: Some(health),
            max_health: Some(100),
            position: Some(position.into()),
            fighting: Some(fighting),
            room_mobs: Some(mobs),
            tells_fighting_me: true,
            ..GameState::default()
        }
    }

    fn line(state: &GameState, way_out: Option<&str>, cornered: bool) -> Option<String> {
        let fierce = |mob: &RoomMob| &*mob.target_string == "wolf";
        reflex(state, &Surroundings { way_out, attacks_unprovoked: &fierce, cornered }).map(|r| r.line.into_owned())
    }

    #[test]
    fn each_situation_has_its_reflex_or_none() {
        let attacker = || vec![mob("goblin", false, false), mob("2.goblin", true, true)];
        let bystanders = || vec![mob("goblin", true, false), mob("2.goblin", false, false)];
        for (why, state, way_out, cornered, expected) in [
            ("hurt in a fight", state(24, true, "fighting", attacker()), None, false, Some("flee")),
            ("not hurt enough", state(25, true, "fighting", attacker()), None, false, None),
            ("hurt and struck at", state(10, false, "standing", attacker()), Some("east"), false, Some("east")),
            ("no way out is known", state(10, false, "standing", attacker()), None, false, Some("flee")),
            ("hurt, lying down", state(10, true, "resting", attacker()), None, false, Some("stand")),
            ("hurt, asleep", state(10, false, "sleeping", attacker()), None, false, Some("wake")),
            ("hurt, and nothing threatens", state(10, false, "standing", bystanders()), Some("east"), false, None),
            (
                "hurt, a known wolf",
                state(10, false, "standing", vec![mob("wolf", false, false)]),
                Some("up"),
                false,
                Some("up"),
            ),
            ("cornered, so back at it", state(10, false, "standing", attacker()), None, true, Some("kill 2.goblin")),
            ("cornered in a fight", state(10, true, "fighting", attacker()), None, true, None),
            ("struck at", state(90, false, "standing", attacker()), None, false, Some("kill 2.goblin")),
            ("struck at while resting", state(90, false, "resting", attacker()), None, false, Some("stand")),
            ("others fight", state(90, false, "standing", bystanders()), None, false, None),
            ("stunned", state(0, false, "stunned", attacker()), None, false, None),
        ] {
            assert_eq!(line(&state, way_out, cornered).as_deref(), expected, "{why}");
        }
    }

    #[test]
    fn any_fighting_mob_counts_where_the_server_does_not_say_whom() {
        let mut state = state(90, false, "standing", vec![mob("goblin", true, false)]);
        state.tells_fighting_me = false;
        assert_eq!(line(&state, None, false).as_deref(), Some("kill goblin"));
    }

    #[test]
    fn no_idle_mob_is_ever_attacked() {
        for health in [5, 50, 100] {
            for cornered in [false, true] {
                let state =
                    state(health, false, "standing", vec![mob("goblin", false, false), mob("wolf", false, false)]);
                let line = line(&state, Some("north"), cornered);
                assert!(line.is_none_or(|line| !line.starts_with("kill")));
            }
        }
    }
}
