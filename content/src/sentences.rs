//! What the game says in a world's own voice where no builder's record is at hand: at death and birth, at the door,
//! when the server stops. A world's `sentences.toml` says them in its way; what it leaves out is said plainly.

use crate::Text;
use serde::Serialize;

macro_rules! sentences {
    ($($(#[$doc:meta])* $name:ident = $plain:literal;)+) => {
        /// One sentence or two for each occasion, without a line break at the end.
        #[derive(Clone, PartialEq, Debug, Serialize)]
        pub struct Sentences { $($(#[$doc])* pub $name: Text,)+ }

        impl Default for Sentences {
            fn default() -> Sentences {
                Sentences { $($name: Text::from($plain),)+ }
            }
        }

        impl Sentences {
            /// Each with its key in `sentences.toml`, in the order of the file.
            pub fn all(&self) -> impl Iterator<Item = (&'static str, &Text)> {
                [$((stringify!($name), &self.$name),)+].into_iter()
            }

            pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Text)> {
                [$((stringify!($name), &mut self.$name),)+].into_iter()
            }
        }
    };
}

sentences! {
    /// To the operator, when the doors open.
    opened = "The world is open.";
    /// To the room, when somebody comes into the world for the first time: `$n` is who.
    born = "$n stands here all at once, blinking.";
    /// To the room, when somebody who died wakes in it: `$n` is who.
    risen = "$n stands here all at once, pale and blinking.";
    /// To somebody who died and wakes, before it sees the room.
    woken = "It is dark, and then you are whole again.";
    /// To the dead, who want to do something.
    dead = "You are dead. Wait a moment.";
    /// To somebody who was given a higher level; the level follows.
    raised = "Somebody above thinks well of you.";
    /// To somebody who was given a lower level; the level follows.
    lowered = "Somebody above thinks less of you.";
    /// To somebody who leaves the world by `quit`.
    quit = "You let go of the world. Goodbye; it will wait.";
    /// When a connection ends as it should.
    farewell = "Farewell.";
    /// To somebody who had its character deleted.
    deleted = "Your character is no more. Farewell.";
    /// The answer to a client's "are you there?".
    still_there = "Yes, the world is still here.";
    /// To everybody, when an immortal stops the server: `$n` is who.
    shutdown = "$n stops the world here for now; everything is kept.";
    /// To the immortal who starts the server anew.
    copyover = "You start the world anew. If it can be done, everybody stays.";
    /// To players, after the server was started anew under them.
    restarted = "The world blinks, and goes on.";
    /// The same to those who had not yet come in.
    restarted_outside = "The world was started anew while you stood in the door.";
}
