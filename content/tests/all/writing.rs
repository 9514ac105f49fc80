//! What is written: the same world again, in files that read as if somebody had written them.

use super::*;

#[test]
fn what_is_written_of_each_sample_is_read_back() {
    for files in [&DARK_PAWNS[..], &TBAMUD, &STOCK, &NATIVE] {
        let (content, _) = read_all(files.iter().copied());
        let again = written_and_read(&content);
        assert_same(&without_lines(content), &without_lines(again));
    }
}

#[test]
fn a_written_world_reads_like_one_written_by_hand() {
    let (content, _) = read_all(NATIVE);
    let files = write(&content);
    assert_eq!(files["world.toml"], NATIVE[0].1);
    assert_eq!(files["zones/5_the_fields/zone.toml"], NATIVE[1].1);
    assert_eq!(files["zones/5_the_fields/mobs.toml"], NATIVE[3].1);
    assert_eq!(files["zones/5_the_fields/answers.toml"], NATIVE[6].1);
    assert_eq!(files["socials.toml"], NATIVE[9].1);
    let rooms = "\
[[room]]
vnum = 501
name = \"A Field\"
sector = \"field\"
flags = [\"dark\", \"arena\"]
description = \"Stubble.\"

[room.exits.north]
to = 502
keywords = \"gate\"
door = [\"door\", \"hidden\"]
key = 510

[room.exits.west]
description = \"A hedge.\"

[[room.extra]]
keywords = \"stubble\"
text = \"\"\"
Short.

Sharp.
\"\"\"

[[room]]
vnum = 502
name = \"Another Field\"
description = \"Clover.\"
";
    assert_eq!(files["zones/5_the_fields/rooms.toml"], rooms);
    let resets = "\
command = [
  { object = { object = 512, max = 1, room = 501 } },
  { if_last = true, put = { object = 511, max = 2, container = 512 } },
  { mob = { mob = 503, max = 1, room = 502 } },
  { if_last = true, give = { object = 512, max = 7 } },
  { if_last = true, put = { object = 510, max = 1, container = 512 } },
  { if_last = true, equip = { object = 510, max = 100, slot = \"hold\" } },
  { door = { room = 501, direction = \"north\", closed = true, locked = true } },
]
";
    assert_eq!(files["zones/5_the_fields/resets.toml"], resets);
    assert_eq!(
        files.keys().filter(|path| path.starts_with("zones/6_nothing/")).count(),
        1,
        "empty files are not written"
    );
}
