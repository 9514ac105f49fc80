//! Scripts: what builders wrote in Luau for rooms, mobs and objects.
//!
//! `api.rs` is the table of all that a script can ask and do, `machine.rs` runs it within bounds, `sandbox.rs` makes
//! what of the language is offered. Where the game calls them: `hooks.rs`; what is state of them: `script.rs`.
//!
//! Invariants: a call is a function of the state and its event, so a replay repeats it. Nothing is kept between two
//! calls but what the state has; no clock, no address, no order of a table and no sum that machines round differently
//! comes into a script. What a script does goes through verbs, harm and the mover, as everybody's deeds do.

pub mod api;
#[cfg(feature = "scripts")]
mod machine;
#[cfg(feature = "scripts")]
mod sandbox;

use crate::world::World;
use content::scripts::ScriptSource;

pub use crate::script::{CALL_SAFEPOINTS, TICK_SAFEPOINTS};

/// Functions within functions of one script.
pub const STACK_MAX: usize = 100;
/// Bytes that all scripts together may hold.
pub const MEMORY_MAX: usize = 32 << 20;

/// From here on, hooks call scripts.
pub(crate) fn attach(world: &mut World) {
    world.runner.calls = 0;
    world.runner.logs.clear();
    #[cfg(feature = "scripts")]
    {
        world.runner.run = Some(machine::call);
    }
}

/// What the compiler says against a source: line and sentence.
pub fn compile_fault(source: &ScriptSource) -> Option<(u32, String)> {
    #[cfg(feature = "scripts")]
    {
        sandbox::compile(source).err()
    }
    #[cfg(not(feature = "scripts"))]
    {
        let _ = source;
        None
    }
}

/// Whether this program can run scripts at all.
pub const fn are_built_in() -> bool {
    cfg!(feature = "scripts")
}
