use super::*;

pub fn drink(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn eat(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn fill(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn pour(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn sip(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn taste(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}
