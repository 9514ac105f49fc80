use super::*;

pub fn buy(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn list(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn sell(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn value(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}
