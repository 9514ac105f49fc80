use super::*;
pub(crate) fn perform(_: &mut World, _: CharacterId, word: &str, _: &str) -> Done {
    Err(format!("You know no verb or gesture {word:?}.").into())
}
