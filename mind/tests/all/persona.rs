//! The guard of facts and patterns against two sets of sentences: one that it was tuned on, and one that was written
//! before and is only counted.

use mind::persona::refuses;

/// Sentences about oneself that were refused and let through, and those about the world.
#[derive(Default)]
struct Counts {
    refused: f64,
    missed: Vec<&'static str>,
    taken_for_oneself: Vec<&'static str>,
}

impl Counts {
    fn of(set: &'static str) -> Counts {
        let mut counts = Counts::default();
        let (mut own, mut others) = (0, 0);
        let mut name = "";
        for line in set.lines().filter(|line| !line.starts_with('#')) {
            match line.split_once(' ').expect("a mark and a sentence") {
                ("name", of) => name = of,
                ("-", text) => {
                    own += 1;
                    match refuses(text, name) {
                        Some(_) => counts.refused += 1.0,
                        None => counts.missed.push(text),
                    }
                }
                ("+", text) => {
                    others += 1;
                    counts.taken_for_oneself.extend(refuses(text, name).map(|_| text));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((own, others), (100, 100), "a set has a hundred of each");
        counts
    }

    fn precision(&self) -> f64 {
        self.refused / (self.refused + self.taken_for_oneself.len() as f64)
    }

    fn recall(&self) -> f64 {
        self.refused / (self.refused + self.missed.len() as f64)
    }
}

#[test]
fn sentences_that_it_was_tuned_on_are_told_apart() {
    let counts = Counts::of(include_str!("../persona/tuning.txt"));
    let figures = format!("precision {:.3}, recall {:.3}", counts.precision(), counts.recall());
    assert!(
        counts.precision() >= 0.99 && counts.recall() >= 0.95,
        "{figures}; missed {:#?}; taken for oneself {:#?}",
        counts.missed,
        counts.taken_for_oneself
    );
}

/// What it gets wrong is not told: whoever read it would tune on it.
#[test]
fn sentences_that_it_never_saw_are_told_apart() {
    let counts = Counts::of(include_str!("../persona/unseen.txt"));
    let figures = format!("precision {:.3}, recall {:.3}", counts.precision(), counts.recall());
    println!("{figures}");
    assert!(counts.precision() >= 0.99 && counts.recall() >= 0.95, "{figures}");
}

#[test]
fn no_sentence_is_in_both_sets() {
    let sentences = |set: &'static str| set.lines().filter(|line| line.starts_with(['-', '+'])).map(|line| &line[2..]);
    let unseen: Vec<&str> = sentences(include_str!("../persona/unseen.txt")).collect();
    for sentence in sentences(include_str!("../persona/tuning.txt")) {
        assert!(!unseen.contains(&sentence), "{sentence}");
    }
}
