//! Instance ids: what names one mob, thing or player and never another, on the wire and where players type a target.

use std::sync::Arc;

/// `mob_3001_17`: the vnum of the prototype, then a number that is never used again in this world.
pub fn mob_instance(vnum: i32, serial: u64) -> Arc<str> {
    numbered("mob_", vnum, serial)
}

/// `obj_1205_18`: like `mob_instance`, from the same counter.
pub fn obj_instance(vnum: i32, serial: u64) -> Arc<str> {
    numbered("obj_", vnum, serial)
}

/// In the place of its number: of what a shop makes for each customer, which is no thing yet (`buy obj_1205_0`), and of
/// animals and fighters that are there for whoever pays (`hire mob_8075_0`).
pub const UNMADE: u64 = 0;

/// `player_bob`: the name in lower case.
pub fn player_instance(name: &str) -> Arc<str> {
    let mut id = Short::default();
    if id.put(b"player_") && id.put(name.as_bytes()) {
        id.bytes.make_ascii_lowercase();
        return id.text();
    }
    format!("player_{}", name.to_ascii_lowercase()).into()
}

/// An instance id taken apart: what `mob_instance`, `obj_instance` and `player_instance` made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instance<'a> {
    Mob { vnum: i32, serial: u64 },
    Object { vnum: i32, serial: u64 },
    Player(&'a str),
}

impl<'a> Instance<'a> {
    /// Nothing for a word that is no id.
    pub fn parse(text: &'a str) -> Option<Instance<'a>> {
        let (kind, rest) = text.split_once('_')?;
        let numbers = || {
            let (vnum, serial) = rest.split_once('_')?;
            Some((vnum.parse().ok()?, serial.parse().ok()?))
        };
        match kind {
            "mob" => numbers().map(|(vnum, serial)| Instance::Mob { vnum, serial }),
            "obj" => numbers().map(|(vnum, serial)| Instance::Object { vnum, serial }),
            "player" => (!rest.is_empty()).then_some(Instance::Player(rest)),
            _ => None,
        }
    }
}

fn numbered(prefix: &str, vnum: i32, serial: u64) -> Arc<str> {
    let mut id = Short::default();
    let sign: &[u8] = if vnum < 0 { b"-" } else { b"" };
    let vnum_whole = u64::from(vnum.unsigned_abs());
    let fits = id.put(prefix.as_bytes()) && id.put(sign) && id.put_number(vnum_whole) && id.put(b"_");
    if fits && id.put_number(serial) {
        return id.text();
    }
    format!("{prefix}{vnum}_{serial}").into()
}

/// An id in the making. Each outcome and each record names somebody, and the general way of formatting took a tenth of
/// what the world spends on a command.
struct Short {
    bytes: [u8; 48],
    len: usize,
}

impl Default for Short {
    fn default() -> Short {
        Short { bytes: [0; 48], len: 0 }
    }
}

impl Short {
    /// False where there is no room for it.
    fn put(&mut self, part: &[u8]) -> bool {
        let Some(room) = self.bytes.get_mut(self.len..self.len + part.len()) else { return false };
        room.copy_from_slice(part);
        self.len += part.len();
        true
    }

    fn put_number(&mut self, number: u64) -> bool {
        let (mut digits, mut first, mut rest) = ([0; 20], 20, number);
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                return self.put(&digits[first..]);
            }
        }
    }

    fn text(&self) -> Arc<str> {
        std::str::from_utf8(&self.bytes[..self.len]).expect("whole texts were put together").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instance_ids_have_the_published_form() {
        assert_eq!(&*mob_instance(3001, 17), "mob_3001_17");
        assert_eq!(&*obj_instance(1205, 3), "obj_1205_3");
        assert_eq!(&*player_instance("Bob"), "player_bob");
        assert_eq!(&*player_instance("Åse"), "player_Åse".to_ascii_lowercase());
        // The longest numbers, and a name that is longer than any.
        assert_eq!(&*obj_instance(i32::MIN, u64::MAX), "obj_-2147483648_18446744073709551615");
        assert_eq!(&*mob_instance(0, 0), "mob_0_0");
        assert_eq!(*player_instance(&"Ab".repeat(40)), *format!("player_{}", "ab".repeat(40)));
    }

    #[test]
    fn instance_ids_are_read_as_they_are_written() {
        for (vnum, serial) in [(0, 0), (3001, 17), (i32::MIN, u64::MAX)] {
            assert_eq!(Instance::parse(&mob_instance(vnum, serial)), Some(Instance::Mob { vnum, serial }));
            assert_eq!(Instance::parse(&obj_instance(vnum, serial)), Some(Instance::Object { vnum, serial }));
        }
        assert_eq!(Instance::parse(&player_instance("Bob")), Some(Instance::Player("bob")));
        for other in
            ["", "mob", "mob_", "mob_3001", "mob_x_1", "obj_1_", "obj_1_2_3", "player_", "2.mob_1_2", "Mob_1_2"]
        {
            assert_eq!(Instance::parse(other), None, "{other}");
        }
    }
}
