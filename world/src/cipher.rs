//! Words as those hear them who do not know the language: of an art, or of a people.

/// Other letters, of the same kind and number.
pub fn cipher(words: &str) -> String {
    const FROM: &str = "abcdefghijklmnopqrstuvwxyz";
    const TO: &str = "ovkphjgdyznmlsurqctfiwbxea";
    words.chars().map(|c| FROM.find(c).and_then(|at| TO.chars().nth(at)).unwrap_or(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cipher_hides_each_letter_and_mixes_up_none() {
        let all: String = ('a'..='z').collect();
        let hidden = cipher(&all);
        let mut letters: Vec<char> = hidden.chars().collect();
        letters.sort_unstable();
        assert_eq!(letters, all.chars().collect::<Vec<_>>());
        let same: Vec<char> = all.chars().zip(hidden.chars()).filter(|(a, b)| a == b).map(|(a, _)| a).collect();
        assert_eq!(same, ['g', 'q', 'x']);
        assert_eq!(cipher("cure light"), "kich mygdf");
    }
}
