//! Tokens of earlier logins, in a file beside the settings: so a hundred agents come back without a hundred logins.

use crate::private_files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub struct Tokens {
    path: PathBuf,
    /// By server and name in lower case.
    known: BTreeMap<String, String>,
}

impl Tokens {
    /// A file that is not there or cannot be read holds none: keys work as well.
    pub fn load(config: &Path) -> Tokens {
        let mut name = config.as_os_str().to_owned();
        name.push(".tokens");
        let path = PathBuf::from(name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Tokens { path, known: serde_json::from_str(&text).unwrap_or_default() }
    }

    fn id(server: &str, name: &str) -> String {
        format!("{server}/{}", name.to_ascii_lowercase())
    }

    pub fn get(&self, server: &str, name: &str) -> Option<String> {
        self.known.get(&Tokens::id(server, name)).cloned()
    }

    pub fn put(&mut self, server: &str, name: &str, token: Option<String>) {
        let id = Tokens::id(server, name);
        match token {
            Some(token) => self.known.insert(id, token),
            None => self.known.remove(&id),
        };
    }

    pub fn save(&self) -> anyhow::Result<()> {
        private_files::write(&self.path, &serde_json::to_string_pretty(&self.known)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_kept_by_server_and_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("agent.json");
        let mut tokens = Tokens::load(&config);
        tokens.put("a:1", "Bob", Some("t".into()));
        tokens.save().expect("written");
        let mut again = Tokens::load(&config);
        assert_eq!((again.get("a:1", "bob").as_deref(), again.get("b:1", "bob")), (Some("t"), None));
        again.put("a:1", "BOB", None);
        assert_eq!(again.get("a:1", "bob"), None);
    }
}
