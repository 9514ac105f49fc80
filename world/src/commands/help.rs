use super::*;

pub fn help(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}
