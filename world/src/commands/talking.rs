use super::*;

pub fn say(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn tell(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn ask(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn auction(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn emote(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn gossip(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn grats(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn holler(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn newbie(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn reply(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn shout(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn whisper(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}
