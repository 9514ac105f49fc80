//! A short torture; the long one is `cargo run --release -p lab --bin torture -- --rounds 200`.

use tests::e2e::root;
use tests::torture::{Options, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_shown_is_undone_by_a_kill() {
    let options = Options {
        rounds: 5,
        bots: 10,
        seed: 5,
        world: root().join("data/world"),
        tick_ms: 50,
        round_ms: 700,
        database: None,
        more: Vec::new(),
        tell: false,
    };
    match run(&options).await {
        Ok(summary) => {
            let total = &summary.total;
            assert!(total.lines > 100 && total.values > 100 && total.snapshots >= 5, "{summary}");
            // How many come about hangs on how busy the machine is.
            assert!(total.tasks > 0 && total.entries > total.tasks, "minds are killed too: {summary}");
            assert!(total.kept > 0, "two of these rounds restart the server under people's connections: {summary}");
        }
        Err(error) => panic!("{error:#}"),
    }
}
