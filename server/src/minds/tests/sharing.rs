//! Who reads of whose mind, and what programs are told of it.

use super::*;

/// A world's part of sharing: who is which person, and whose mind a line asks for.
fn asked_by(reader: u32, whose: Option<&str>, request: LogInput) -> LogInput {
    let LogInput::Request(request) = request else { unreachable!("it is a request") };
    let reads = whose.map(|whose| Reads { reader, whose: whose.into() });
    LogInput::Request(Arc::new(Request { reads, ..request.as_ref().clone() }))
}

const BOB: u32 = 105;
const NEW_BOB: u32 = 230;

/// What Ann has in mind, and lets Bob read of it.
const ANN: [(u64, &str); 7] = [
    (1, "task Cross the moor"),
    (2, "note The gate key is under the mat"),
    (3, "decide Go by the mill, the gate is shut"),
    (4, "fact The gate closes at dusk"),
    (5, "journal I fear the gate"),
    (6, "remember gate.colour = green"),
    (7, "share #105 Bob task,decisions"),
];

#[tokio::test(flavor = "multi_thread")]
async fn who_is_let_in_reads_what_was_granted_and_nobody_else_does() {
    on_each_place(async |place| {
        let store = place.open().await;
        let minds = Minds::new(store.clone());
        let asks = async |name: &str, (first, line): (u64, &str)| {
            let asker = asker();
            minds.take(request(name, first, 1, line), Some(asker.clone()));
            minds.settle().await.expect("answered");
            read(&asker.outbox).join("\n")
        };
        let reads = async |name: &str, person: u32, whose: Option<&str>, line: &str| {
            let asker = asker();
            minds.take(asked_by(person, whose, request(name, 1, 0, line)), Some(asker.clone()));
            minds.settle().await.expect("answered");
            // A database that is busy with the tests beside this one may keep a question for a while, and says so.
            let told = read(&asker.outbox).into_iter().filter(|line| !line.contains("What you asked is kept"));
            told.collect::<Vec<_>>().join("\n")
        };
        let nobody = reads("bob", BOB, None, "hud of ann").await;
        assert!(nobody.starts_with("Nobody called ann shares anything with you."), "{nobody}");
        for line in &ANN[..6] {
            asks("ann", *line).await;
        }
        assert_eq!(
            reads("bob", BOB, Some("Ann"), "hud of ann").await,
            nobody,
            "there is an Ann now, and it is the same"
        );
        asks("ann", ANN[6]).await;
        let page = reads("bob", BOB, Some("Ann"), "hud of ann").await;
        let wanted = "Ann shares with you: task, decisions.\n| Task: Cross the moor\n|\n| ## Decisions\n| - #3 Go by";
        assert!(page.starts_with(wanted), "{page}");
        assert!(["mat", "dusk", "fear", "green"].iter().all(|word| !page.contains(word)), "{page}");
        let found = reads("bob", BOB, Some("Ann"), "recall of:ann gate").await;
        assert!(found.starts_with("In what Ann shares with you:\n 1. decided: Go by the mill"), "{found}");
        assert!(!found.contains('#') && found.lines().count() == 2, "{found}");
        for (line, answer) in [
            ("recall of:ann in:notes,journal gate", "Nothing of that is in what Ann shares with you: task, decisions."),
            ("recall OF:ann in:all gate key", "In what Ann shares with you:\n 1. decided"),
            ("recall of:ann", "What of it? recall of:Ann <words>"),
            ("recall of:ann in:memories gate", "What of it? recall of:Ann <words>"),
            ("recall of:ann project:main gate", "What others share is narrowed by in:, since: and until:"),
            ("recall of:ann in:dreams gate", "In what? in: takes"),
            ("recall of: gate", "Whose? hud of <name>"),
            ("hud of", "Whose? hud of <name>"),
        ] {
            let told = reads("bob", BOB, Some("Ann"), line).await;
            assert!(told.starts_with(answer), "{line}: {told}");
        }
        // Somebody who has his name now, and everybody else.
        assert_eq!(reads("bob", NEW_BOB, Some("Ann"), "hud of ann").await, nobody);
        assert_eq!(reads("cid", 106, Some("Ann"), "recall of:ann gate").await, nobody);
        assert!(reads("ann", 104, Some("Ann"), "hud of ann").await.starts_with("That is your own mind"));
        assert_eq!(log_of(&store, "bob").await.len(), 0, "who reads writes nothing");
        let before = log_of(&store, "ann").await;
        // Another program reads it from the database.
        let again = Minds::new(store.clone());
        let asker = asker();
        again.take(asked_by(BOB, Some("Ann"), request("bob", 1, 0, "hud of ann")), Some(asker.clone()));
        again.settle().await.expect("answered");
        assert_eq!(read(&asker.outbox), [page]);
        assert_eq!(log_of(&store, "ann").await, before);
        asks("ann", (8, "share stop Bob")).await;
        assert_eq!(reads("bob", BOB, Some("Ann"), "recall of:ann gate").await, nobody);
        asks("ann", (9, "share #105 Bob")).await;
        assert!(reads("bob", BOB, Some("Ann"), "hud of ann").await.contains("under the mat"));
        minds.forget("ann").await.expect("deleted");
        assert_eq!(mind_shares::owners(&store, BOB, 9).await.expect("it answers"), Vec::<String>::new());
        assert_eq!(reads("bob", BOB, None, "hud of ann").await, nobody);
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_told_what_others_share_at_the_login_and_as_it_changes() {
    on_each_place(async |place| {
        let store = place.open().await;
        let minds = Minds::new(store.clone());
        let does = async |minds: &Arc<Minds>, name: &str, first: u64, line: &str| {
            minds.take(request(name, first, 1, line), None);
            minds.settle().await.expect("answered");
        };
        let at_tick = async |minds: &Arc<Minds>, tick: u64, outbox: &Arc<Outbox>| -> Vec<Value> {
            minds.ticked(tick);
            minds.settle().await.expect("told");
            let frames = read(outbox).into_iter().map(|text| serde_json::from_str(&text).expect("a frame"));
            frames.filter(|frame: &Value| frame["kind"] == "shared").collect()
        };
        let bob = asker().outbox;
        minds.watch("bob", Some(BOB), &bob);
        assert_eq!(at_tick(&minds, 1, &bob).await, [] as [Value; 0], "nobody shares anything");
        for (first, line) in ANN {
            does(&minds, "ann", first, line).await;
        }
        let row = json!({"who": "Ann", "task": "Cross the moor"});
        assert_eq!(at_tick(&minds, 5, &bob).await, [json!({"kind": "shared", "rows": [row]})]);
        // What is not shared is no news.
        does(&minds, "ann", 8, "note nothing new").await;
        assert_eq!(at_tick(&minds, 10, &bob).await, [] as [Value; 0]);
        does(&minds, "ann", 9, "share #105 Bob task,goals").await;
        does(&minds, "ann", 10, "step buy a lamp").await;
        assert_eq!(at_tick(&minds, 14, &bob).await, [] as [Value; 0], "no oftener than each five ticks");
        does(&minds, "ann", 11, "step done 10").await;
        does(&minds, "ann", 12, "block the ferry is gone").await;
        let row = json!({
            "who": "Ann", "task": "Cross the moor", "progress": 100, "blockers": ["the ferry is gone"], "blocked": 1,
        });
        assert_eq!(at_tick(&minds, 15, &bob).await, [json!({"kind": "shared", "rows": [row]})]);
        // A second one is told of alone.
        does(&minds, "cid", 1, "share #105 Bob notes").await;
        assert_eq!(at_tick(&minds, 99, &bob).await, [json!({"kind": "shared", "rows": [{"who": "Cid"}]})]);
        // Who comes again, to another server too, is told all of it, from the database and on the way there.
        let again = Minds::new(store.clone());
        let bob_again = asker().outbox;
        again.take(request("dan", 1, 1, "share #105 Bob task"), None);
        again.watch("bob", Some(BOB), &bob_again);
        let told = at_tick(&again, 100, &bob_again).await;
        let names: Vec<&Value> =
            told.iter().flat_map(|frame| frame["rows"].as_array()).flatten().map(|row| &row["who"]).collect();
        assert_eq!(names, ["Ann", "Cid", "Dan"], "{told:?}");
        // Who has his name after him is told nothing.
        let other = asker().outbox;
        again.watch("bob", Some(NEW_BOB), &other);
        assert_eq!(at_tick(&again, 200, &other).await, [] as [Value; 0]);
        does(&minds, "ann", 13, "share stop bob").await;
        minds.forget("cid").await.expect("deleted");
        assert_eq!(at_tick(&minds, 300, &bob).await, [json!({"kind": "shared", "gone": ["Ann", "Cid"]})]);
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn six_are_told_of_the_latest_grants_first() {
    let place = Place::sqlite();
    let store = place.open().await;
    let minds = Minds::new(store.clone());
    for n in 0..9u64 {
        let name = format!("friend{n}");
        // Each has its own time.
        minds.take(request(&name, n + 1, 1, "share #105 Bob"), None);
    }
    minds.settle().await.expect("written");
    let bob = asker().outbox;
    minds.watch("bob", Some(BOB), &bob);
    minds.settle().await.expect("told");
    let told = read(&bob);
    let shared: Value = serde_json::from_str(told.last().expect("a frame")).expect("JSON");
    let names: Vec<&str> =
        shared["rows"].as_array().expect("rows").iter().filter_map(|row| row["who"].as_str()).collect();
    assert_eq!(names, ["Friend3", "Friend4", "Friend5", "Friend6", "Friend7", "Friend8"]);
    store.close().await;
}
