//! What a session types: the mixes of commands that the project's figures are given for.

/// One command of a mix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Look,
    /// To a neighbouring room, and with the next one back.
    Move,
    Say,
    Inventory,
    Score,
    Who,
    Time,
    Equipment,
}

impl Act {
    /// What is typed, where it is always the same.
    pub const fn verb(self) -> Option<&'static str> {
        match self {
            Act::Move | Act::Say => None,
            Act::Look => Some("look"),
            Act::Inventory => Some("inventory"),
            Act::Score => Some("score"),
            Act::Who => Some("who"),
            Act::Time => Some("time"),
            Act::Equipment => Some("equipment"),
        }
    }
}

/// Commands, each drawn as often as it stands in the list.
#[derive(Debug)]
pub struct Mix {
    /// The word of `--mix`.
    pub name: &'static str,
    /// As it is printed beside figures.
    pub text: &'static str,
    pub acts: [Act; 10],
}

/// The first is the one that the figures of docs/PERFORMANCE.md are of unless they say otherwise.
pub const MIXES: [Mix; 2] = [
    Mix {
        name: "house",
        text: "3 look, 3 move, 1 say, 1 inventory, 1 score, 1 who of ten",
        acts: [
            Act::Look,
            Act::Look,
            Act::Look,
            Act::Move,
            Act::Move,
            Act::Move,
            Act::Say,
            Act::Inventory,
            Act::Score,
            Act::Who,
        ],
    },
    // What a generator types that knows no server better than another: every server of the family has these verbs.
    Mix {
        name: "neutral",
        text: "1 look, 4 moves, 1 say, 1 inventory, 1 score, 1 time, 1 equipment of ten",
        acts: [
            Act::Look,
            Act::Move,
            Act::Move,
            Act::Move,
            Act::Move,
            Act::Say,
            Act::Inventory,
            Act::Score,
            Act::Time,
            Act::Equipment,
        ],
    },
];

/// The mix of that name. Refuses with the names that there are.
pub fn mix_named(name: &str) -> Result<&'static Mix, String> {
    let names = || MIXES.iter().map(|mix| mix.name).collect::<Vec<_>>().join(" or ");
    MIXES.iter().find(|mix| mix.name == name).ok_or_else(names)
}

/// Begins every spoken word, so that speech can be counted on the wire.
pub const SPOKEN: &str = "zqx";

/// A small generator of its own for each session: the same seed types the same.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    pub fn new(seed: u64, session: usize) -> Draws {
        let mut draws = Draws((seed ^ (session as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1);
        draws.draw();
        draws.draw();
        draws
    }

    pub fn draw(&mut self) -> u64 {
        // xorshift64*, which is enough to choose commands.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.draw() % count.max(1) as u64) as usize
    }
}
