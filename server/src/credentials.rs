//! What a password may be, and what a key looks like: rules for what people type, without any secret.
//!
//! Invariant: pure; whether a password or a key is right is `accounts`.

/// With ten guesses in a row and then one an hour for an account, whatever the address, eight characters that are no
/// common word stand for longer than anybody guesses. Shorter ones of before still log in.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// A telnet line has room for more; nobody remembers more.
pub const PASSWORD_BYTES_MAX: usize = 128;

/// What every key begins with.
pub const KEY_MARK: &str = "dp_";
/// What every key of a host begins with.
pub const HOST_KEY_MARK: &str = "dh_";
const KEY_DIGITS: usize = 64;

/// What a player is told who chooses a password that cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRefusal {
    #[error("A password has at least {PASSWORD_CHARS_MIN} characters. Choose a longer one.")]
    TooShort,
    #[error("A password has at most {PASSWORD_BYTES_MAX} bytes. Choose a shorter one.")]
    TooLong,
    #[error("Your name is no password. Choose another.")]
    IsName,
    #[error("That looks like an agent key, which is not yours to choose. Choose a password.")]
    LooksLikeKey,
}

/// Whether this character may have this password from now on.
pub fn check_password(name: &str, password: &str) -> Result<(), PasswordRefusal> {
    if password.trim().to_lowercase() == name.trim().to_lowercase() {
        return Err(PasswordRefusal::IsName);
    }
    if password.chars().count() < PASSWORD_CHARS_MIN {
        return Err(PasswordRefusal::TooShort);
    }
    if password.len() > PASSWORD_BYTES_MAX {
        return Err(PasswordRefusal::TooLong);
    }
    if key_digits(password).or(host_key_digits(password)).is_some() {
        return Err(PasswordRefusal::LooksLikeKey);
    }
    Ok(())
}

/// The hex digits of text that has the form of a key; spaces around it do not matter.
pub fn key_digits(text: &str) -> Option<&str> {
    digits_behind(KEY_MARK, text)
}

/// The same of a host's key.
pub fn host_key_digits(text: &str) -> Option<&str> {
    digits_behind(HOST_KEY_MARK, text)
}

fn digits_behind<'t>(mark: &str, text: &'t str) -> Option<&'t str> {
    let digits = text.trim().strip_prefix(mark)?;
    let hex = digits.len() == KEY_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hex.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_cannot_be_had_says_why() {
        let key = format!("dp_{}", "0".repeat(64));
        let host = format!("dh_{}", "0".repeat(64));
        let long = "x".repeat(PASSWORD_BYTES_MAX + 1);
        for (password, answer) in [
            ("seven77", Err(PasswordRefusal::TooShort)),
            ("ééééééé", Err(PasswordRefusal::TooShort)),
            (long.as_str(), Err(PasswordRefusal::TooLong)),
            ("Bren", Err(PasswordRefusal::IsName)),
            (key.as_str(), Err(PasswordRefusal::LooksLikeKey)),
            (host.as_str(), Err(PasswordRefusal::LooksLikeKey)),
            ("********", Ok(())),
            ("brenda-b", Ok(())),
        ] {
            assert_eq!(check_password("bren", password), answer, "{password:?}");
        }
    }
}
