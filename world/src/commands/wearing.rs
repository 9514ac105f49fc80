use super::*;

pub fn inventory(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn equipment(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn hold(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn remove(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn wear(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn wield(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}
