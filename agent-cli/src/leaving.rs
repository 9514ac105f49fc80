//! How a player leaves the game once it is asked to: it plays a fight to its end, types `quit`, asks again where the
//! game refuses, and closes the connection when its time is over.
//!
//! Pure: who calls says what time it is, and what is so in the game. Invariant: it is over within [`LONGEST_MS`],
//! whatever the game and the network do, which is less than what runs programs (systemd, docker) waits before it kills
//! them.

use protocol::ServerFrame;

/// Nobody can quit in a fight: it is played to its end first, for so long at most.
const FIGHTING_ON_MS: u64 = 5_000;
/// After `quit`, the server closes within so long, or one leaves anyway. As long is waited for a login that is under
/// way: who went away in the middle of one would leave a body in the world.
const LEAVING_MS: u64 = 3_000;
/// A `quit` that was refused is typed again after so long.
const AGAIN_MS: u64 = 700;
/// From being asked to the last moment on the connection.
pub const LONGEST_MS: u64 = FIGHTING_ON_MS + LEAVING_MS;

/// How it stands in the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The login is under way.
    Outside,
    Fighting,
    AtPeace,
}

/// What to do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    PlayOn,
    /// Type `quit`.
    Quit,
    Wait,
    /// It is over: close the connection.
    Close,
}

/// Why the game does not let somebody leave, if this frame says so.
pub fn told_against(frame: &ServerFrame) -> Option<String> {
    match frame {
        ServerFrame::Error(error) => Some(error.message.to_string()),
        ServerFrame::Vars(vars) => {
            let events = vars.0.get("EVENTS")?.as_array()?;
            let refused = events.iter().rev().find(|event| event["type"] == "refused" && event["command"] == "quit")?;
            Some(refused["reason"].as_str().unwrap_or_default().to_string())
        }
        _ => None,
    }
}

/// One that is asked to leave.
#[derive(Debug)]
pub struct Leaving {
    asked_ms: u64,
    first_quit_ms: Option<u64>,
    last_quit_ms: Option<u64>,
    /// What the game last said against it.
    refusal: Option<String>,
    /// That was since the last `quit`.
    refused: bool,
}

impl Leaving {
    pub fn begin(now_ms: u64) -> Leaving {
        Leaving { asked_ms: now_ms, first_quit_ms: None, last_quit_ms: None, refusal: None, refused: false }
    }

    /// The game's answer to `quit`, where that is no.
    pub fn refused(&mut self, why: &str) {
        if self.last_quit_ms.is_some() {
            self.refusal = Some(why.to_string());
            self.refused = true;
        }
    }

    /// Whether `quit` was typed: from then on nothing else is.
    pub fn has_begun(&self) -> bool {
        self.first_quit_ms.is_some()
    }

    pub fn step(&mut self, standing: Standing, now_ms: u64) -> Step {
        let Some(first) = self.first_quit_ms else {
            let waited = now_ms - self.asked_ms;
            return match standing {
                Standing::Outside if waited < LEAVING_MS => Step::Wait,
                Standing::Outside => Step::Close,
                Standing::Fighting if waited < FIGHTING_ON_MS => Step::PlayOn,
                Standing::Fighting | Standing::AtPeace => self.quit(now_ms),
            };
        };
        if now_ms - first > LEAVING_MS {
            return Step::Close;
        }
        let may_ask = self.last_quit_ms.is_none_or(|last| now_ms - last > AGAIN_MS);
        if self.refused && may_ask { self.quit(now_ms) } else { Step::Wait }
    }

    fn quit(&mut self, now_ms: u64) -> Step {
        self.first_quit_ms.get_or_insert(now_ms);
        self.last_quit_ms = Some(now_ms);
        self.refused = false;
        Step::Quit
    }

    /// What becomes of a character that could not leave, and why it could not.
    pub fn stays(&self) -> String {
        let why = match (&self.refusal, self.first_quit_ms) {
            (Some(said), _) => format!("The game says: {said}"),
            (None, Some(_)) => "The game did not answer in time.".to_string(),
            (None, None) => "The connection ended before it could.".to_string(),
        };
        format!(
            "It did not leave the game. {why} It stands in the world, played by nobody, until the server takes it out \
             after some minutes, saved; whoever logs in before that finds it where it is."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each hundredth of a second, what it does until it closes; and when that was.
    fn steps(leaving: &mut Leaving, standing: impl Fn(u64) -> Standing, refuses: bool) -> (Vec<(u64, Step)>, u64) {
        let begun = leaving.asked_ms;
        let mut told = Vec::new();
        for ms in (0..20_000).step_by(10) {
            match leaving.step(standing(ms), begun + ms) {
                Step::Close => return (told, ms),
                Step::Quit => {
                    told.push((ms, Step::Quit));
                    if refuses {
                        leaving.refused("Not while somebody is trying to kill you.");
                    }
                }
                Step::PlayOn | Step::Wait => {}
            }
        }
        panic!("it never ends");
    }

    #[test]
    fn it_is_over_in_time_whatever_the_game_says() {
        for standing in [Standing::Outside, Standing::Fighting, Standing::AtPeace] {
            for refuses in [false, true] {
                let mut leaving = Leaving::begin(1_000);
                let (quits, closed) = steps(&mut leaving, |_| standing, refuses);
                assert!(closed <= LONGEST_MS + 20, "{standing:?} {refuses}: {closed} ms");
                let expected = match (standing, refuses) {
                    (Standing::Outside, _) => 0,
                    (_, false) => 1,
                    (_, true) => 5,
                };
                assert_eq!(quits.len(), expected, "{standing:?} {refuses}: {quits:?}");
            }
        }
    }

    #[test]
    fn a_fight_and_a_login_are_waited_for() {
        let until = |over: u64, standing| move |ms| if ms < over { standing } else { Standing::AtPeace };
        for standing in [Standing::Fighting, Standing::Outside] {
            let mut leaving = Leaving::begin(1_000);
            let (quits, _) = steps(&mut leaving, until(1_500, standing), false);
            assert_eq!(quits, [(1_500, Step::Quit)], "{standing:?}");
        }
    }

    #[test]
    fn who_could_not_leave_is_told_why() {
        let now = 1_000;
        let mut leaving = Leaving::begin(now);
        assert!(leaving.stays().contains("The connection ended before it could."));
        leaving.refused("This was about something else.");
        assert_eq!(leaving.step(Standing::AtPeace, now), Step::Quit);
        assert!(leaving.stays().contains("did not answer in time"), "{}", leaving.stays());
        leaving.refused("You do not want to leave your master.");
        assert!(leaving.stays().contains("The game says: You do not want to leave your master. It stands"));
    }
}
