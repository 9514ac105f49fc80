//! What plays and measures: agents in one process, the simulation, the torture, the siege and the load generator, with
//! the real server's process and small clients for it. What only measures memories is in `memory-lab`.
//!
//! Nothing of the product depends on this crate. The programs in `bin/` are run by name (`cargo run -p lab --bin
//! load`); the tests of the crate `tests` play small editions of them.

/// Much of what a measurement makes is small and gone again at once, on several threads: the C library's allocator
/// took a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod agents;
pub mod class_list;
pub mod e2e;
pub mod first_hours;
pub mod journaling;
pub mod load;
pub mod remembered;
pub mod server_process;
pub mod siege;
pub mod simulation;
pub mod torture;
pub mod world_folder;
