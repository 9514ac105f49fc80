use super::*;

pub fn balance(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn deposit(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn withdraw(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}
