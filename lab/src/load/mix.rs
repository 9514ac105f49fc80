//! What a session types: the mix of commands that the project's figures are given for.

/// One command of the mix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Look,
    /// To a neighbouring room, and with the next one back.
    Move,
    Say,
    Inventory,
    Score,
    Who,
}

/// Which acts, each as often as it stands here. Ten, with one `say` among them.
pub const MIX: [Act; 10] =
    [Act::Look, Act::Look, Act::Look, Act::Move, Act::Move, Act::Move, Act::Say, Act::Inventory, Act::Score, Act::Who];

/// As it is printed beside figures.
pub const MIX_TEXT: &str = "3 look, 3 move, 1 say, 1 inventory, 1 score, 1 who of ten";

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
