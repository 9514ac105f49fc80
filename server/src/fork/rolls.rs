//! `fork --roll DRAW=VALUE[,NAME]`: the same past, one die turned. The fork begins with that die loaded, so it is in
//! its first snapshot, and a replay of the fork throws it again.

use anyhow::{Context, ensure};
use std::str::FromStr;
use world::World;
use world::draws::{Draw, Face, WAITING_MAX};

/// A die that falls as it is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Roll {
    pub draw: Draw,
    pub face: Face,
    /// For the next draw of what this character does; none: for the next of all.
    pub name: Option<String>,
}

impl FromStr for Roll {
    type Err = String;

    fn from_str(text: &str) -> Result<Roll, String> {
        let (draw, rest) =
            text.split_once('=').ok_or("write DRAW=VALUE or DRAW=VALUE,NAME, as save=1 or hit=max,Wren")?;
        let (face, name) = match rest.split_once(',') {
            Some((face, name)) => (face, Some(name.trim().to_string())),
            None => (rest, None),
        };
        if name.as_deref() == Some("") {
            return Err("the name behind the comma is missing".to_string());
        }
        Ok(Roll { draw: Draw::known(draw.trim())?, face: Face::known(face.trim())?, name })
    }
}

/// Loads the dice, behind those that wait already. Refuses names of nobody in the world.
pub(super) fn load(rolls: &[Roll], world: &mut World) -> anyhow::Result<()> {
    for Roll { draw, face, name } in rolls {
        let whose = match name {
            None => None,
            Some(name) => {
                let who = world.find_player(name).with_context(|| {
                    let tick = world.tick();
                    format!("--roll: nobody called {name:?} is in the world at tick {tick}; nothing was written")
                })?;
                Some(world.who(who).serial)
            }
        };
        let loaded = &mut world.state.loaded;
        ensure!(
            loaded.room(*draw) > 0,
            "--roll: {WAITING_MAX} dice wait for {} already, and no more may; nothing was written",
            draw.name()
        );
        loaded.load(*draw, &[*face], whose);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roll_is_read_or_refused_with_what_it_may_be() {
        let roll = |draw, face, name: Option<&str>| Roll { draw, face, name: name.map(str::to_string) };
        for (text, read) in [
            ("save=1", roll(Draw::Save, Face::Value(1), None)),
            ("hit=max,Wren", roll(Draw::Hit, Face::Max, Some("Wren"))),
            (" amount = min , Ann ", roll(Draw::Amount, Face::Min, Some("Ann"))),
        ] {
            assert_eq!(text.parse(), Ok(read), "{text}");
        }
        for (text, why) in [
            ("save", "DRAW=VALUE"),
            ("luck=1", "there are hit, damage"),
            ("save=most", "min, max or a whole number"),
            ("save=1,", "name behind the comma"),
            ("save=99999999999", "min, max or a whole number"),
        ] {
            let refused = text.parse::<Roll>().expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
