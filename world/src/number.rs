//! The numbers that inputs and the commands in them are known by.

/// Counts applied inputs from 1.
pub type InputNumber = u64;

/// Which command it is: the input that brought it, and its place among those that an alias made of it, from 0.
/// No two commands of a world have the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub struct CommandId {
    pub input: InputNumber,
    pub part: u32,
}
