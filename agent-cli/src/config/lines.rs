//! On which line of a JSON text a member stands: serde's values do not know.
//!
//! Reads text that is known to be JSON. Paths are `name` and `outer.inner`; deeper ones are not told apart.

/// Paths of members of the two outer levels, with their lines from 1.
pub fn of_members(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let (mut line, mut depth) = (1, 0usize);
    let mut last: Option<(String, usize)> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            '"' => {
                let at = line;
                let mut raw = String::from('"');
                while let Some(c) = chars.next() {
                    raw.push(c);
                    match c {
                        '\\' => raw.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                last = serde_json::from_str(&raw).ok().map(|name| (name, at));
            }
            ':' => {
                if let Some((name, at)) = last.take() {
                    names.truncate(depth.saturating_sub(1));
                    names.push(name);
                    if depth <= 2 {
                        found.push((names.join("."), at));
                    }
                }
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_on_their_lines() {
        let text = "{\n  \"a\": \"b: {\",\n  \"c\": {\"d\": 1,\n \"e\\u0066\": [1, {\"g\": 2}]}\n}";
        let found = of_members(text);
        let expected = [("a", 2), ("c", 3), ("c.d", 3), ("c.ef", 4)];
        assert_eq!(found, expected.map(|(name, line)| (name.to_string(), line)));
    }
}
