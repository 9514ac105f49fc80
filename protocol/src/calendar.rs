//! The calendar of the game: how ticks become hours, days and years, and what the months are called.
//!
//! The world tells time by it, and memories are told in it. Source: game reference §3.

pub const TICKS_PER_HOUR: u64 = 32;
pub const HOURS_PER_DAY: u64 = 24;
pub const DAYS_PER_MONTH: u64 = 35;
/// Year of tick 0, and the hour of its first day, so that a new world begins in the morning.
pub const YEAR_ZERO: u64 = 612;
pub const HOUR_ZERO: u64 = 8;

pub const MONTHS: [&str; 17] = [
    "Coldwake",
    "Thaw",
    "Lambing",
    "Sowing",
    "Larksong",
    "Highgrass",
    "Longlight",
    "Flamemoon",
    "Haymoon",
    "Reaping",
    "Apples",
    "Smoke",
    "Slaughter",
    "Frost",
    "Longdark",
    "Embers",
    "Ashes",
];
