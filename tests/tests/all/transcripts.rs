//! Every file in `tests/transcripts` plays as it is written. `UPDATE=1 cargo test` writes them anew; review the diff as
//! prose.

use tests::transcript;

#[test]
fn every_transcript_plays_as_written() {
    let outcome = transcript::check_all(std::env::var_os("UPDATE").is_some());
    assert!(outcome.played > 0, "no transcripts found");
    assert!(outcome.differences.is_empty(), "{}", outcome.differences.join("\n\n"));
}
