//! What comes in by GMCP. Names of packages count in any case, keys of JSON as they are written.
//!
//! Invariant: whatever comes, nothing of it is an error for the player: what is not understood is passed over.

use super::{Gmcp, PACKAGE_BYTES_MAX, PACKAGES_MAX};
use serde_json::{Value, json};

pub const LOGIN_DEFAULT: &str = "Char.Login.Default";
pub const LOGIN_RESULT: &str = "Char.Login.Result";

/// What a message comes to.
pub enum Incoming {
    /// Nothing, or nothing that we know.
    Nothing,
    /// The client names itself.
    Client { name: String, version: String },
    /// It wants other packages than before: its variables are to be subscribed to, and all is said anew.
    Packages,
    /// To be sent back.
    Ping(String),
    /// Somebody wants to come in.
    Login { account: String, password: String },
}

/// How one can log in: what is answered to a client as soon as it agrees to GMCP.
pub fn login_default() -> String {
    json!({"type": ["password-credentials"]}).to_string()
}

pub fn login_result(refusal: Option<&str>) -> String {
    match refusal {
        None => json!({"success": true}).to_string(),
        Some(message) => json!({"success": false, "message": message}).to_string(),
    }
}

impl Gmcp {
    pub fn hear(&mut self, name: &str, data: &str) -> Incoming {
        let value = serde_json::from_str::<Value>(data).unwrap_or(Value::Null);
        let field = |keys: [&str; 2]| {
            let found = keys.iter().find_map(|key| value.get(key)?.as_str());
            found.unwrap_or_default().to_string()
        };
        match name.to_ascii_lowercase().as_str() {
            // Some clients write the keys with capitals.
            "core.hello" => {
                Incoming::Client { name: field(["client", "Client"]), version: field(["version", "Version"]) }
            }
            "core.supports.set" => {
                let Some(packages) = packages(&value) else { return Incoming::Nothing };
                self.packages = packages.into_iter().take(PACKAGES_MAX).collect();
                self.want();
                self.forget_said();
                Incoming::Packages
            }
            "core.supports.add" => {
                let Some(packages) = packages(&value) else { return Incoming::Nothing };
                for package in packages {
                    if self.packages.len() < PACKAGES_MAX {
                        self.packages.insert(package);
                    }
                }
                self.want();
                Incoming::Packages
            }
            "core.supports.remove" => {
                let Some(packages) = packages(&value) else { return Incoming::Nothing };
                packages.iter().for_each(|package| _ = self.packages.remove(package));
                self.want();
                // Whoever adds it again wants it whole.
                self.forget_said();
                Incoming::Packages
            }
            "core.ping" => Incoming::Ping(value.as_u64().map_or_else(String::new, |ms| ms.to_string())),
            // Without anything: it would rather be asked in text, as it is.
            "char.login.credentials" if value.get("account").is_some() => {
                Incoming::Login { account: field(["account", "account"]), password: field(["password", "password"]) }
            }
            _ => Incoming::Nothing,
        }
    }
}

/// Names without their versions, in small letters. `None`: this is no list.
fn packages(value: &Value) -> Option<Vec<String>> {
    let rows = value.as_array()?.iter().filter_map(Value::as_str);
    let names = rows
        .filter_map(|row| row.split_whitespace().next())
        .filter(|name| name.len() <= PACKAGE_BYTES_MAX && name.bytes().all(|byte| byte.is_ascii_graphic()));
    Some(names.map(str::to_ascii_lowercase).collect())
}
