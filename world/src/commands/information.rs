use super::*;

pub fn score(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn who(_: &mut World, _: CharacterId, _: &str) -> Done {
    Err("Not yet.".into())
}

pub fn affects(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn commands(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn socials(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn time(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn weather(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}

pub fn whois(_: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    Err("Not yet.".into())
}
