//! Embeddings from an endpoint on loopback whose vectors count letters: texts of the same letters are alike.

use super::*;
use axum::Json;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// An endpoint in a thread of its own.
pub struct Letters {
    pub base: String,
    pub requests: Arc<AtomicUsize>,
    pub last: Arc<Mutex<Value>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Letters {
    /// `spoil` may change an answer.
    pub fn serve(spoil: fn(Value) -> (u16, Value)) -> Letters {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let (requests, last) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Value::Null)));
        let (count, kept) = (requests.clone(), last.clone());
        let answer = move |Json(request): Json<Value>| async move {
            count.fetch_add(1, Ordering::SeqCst);
            let texts = request["input"].as_array().cloned().unwrap_or_default();
            let data: Vec<Value> = texts
                .iter()
                .enumerate()
                .map(|(i, text)| json!({"index": i, "embedding": vector(text.as_str().unwrap_or_default())}))
                .collect();
            *kept.lock().expect("nobody panicked") = request;
            let (status, body) = spoil(json!({"data": data}));
            (StatusCode::from_u16(status).expect("a status"), Json(body))
        };
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let routes = axum::Router::new().route("/v1/embeddings", post(answer));
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Letters { base, requests, last, runtime: Some(runtime) }
    }

    pub fn well() -> Letters {
        Letters::serve(|body| (200, body))
    }
}

impl Drop for Letters {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut counts = vec![0.01f32; 26];
    for letter in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
        counts[usize::from(letter - b'a')] += 1.0;
    }
    counts
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn texts_are_sent_once_and_kept_in_a_file() {
    let letters = Letters::well();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("vectors.jsonl");
    let embedder = Embedder::new(&letters.base, "letters", Some(Secret("k".into())), false).expect("an embedder");
    let mut known = Vectors::read(&path).expect("none");
    let asked = texts(&["listen", "silent", "zebra", "listen"]);
    let vectors = embedder.vectors(&asked, &mut known).expect("vectors");
    assert_eq!((vectors.len(), letters.requests.load(Ordering::SeqCst)), (4, 1));
    assert!((vectors[0].likeness(&vectors[1]) - 1.0).abs() < 1e-9 && vectors[0].likeness(&vectors[2]) < 0.5);
    assert_eq!(most_alike(&vectors[1], &vectors, 3), [0, 1, 3], "ties by place");
    let sent = letters.last.lock().expect("nobody panicked")["input"].as_array().expect("texts").len();
    assert_eq!(sent, 3, "a text that comes twice is sent once");
    known.write(&path).expect("written");
    std::fs::write(&path, std::fs::read_to_string(&path).expect("read") + "no JSON\n").expect("written");
    let mut again = Vectors::read(&path).expect("read");
    assert_eq!(again.damaged, 1);
    assert_eq!(embedder.vectors(&texts(&["zebra", "listen"]), &mut again).expect("vectors")[1], vectors[0]);
    assert_eq!(letters.requests.load(Ordering::SeqCst), 1, "nothing is asked for that is in the file");
    // Another model is another likeness.
    let other = Embedder::new(&letters.base, "other", None, false).expect("an embedder");
    other.vectors(&texts(&["zebra"]), &mut again).expect("vectors");
    assert_eq!(letters.requests.load(Ordering::SeqCst), 2);
    // What was not asked for this time is not kept.
    again.write(&path).expect("written");
    assert_eq!(std::fs::read_to_string(&path).expect("read").lines().count(), 3);
}

#[test]
fn many_texts_go_in_batches() {
    let letters = Letters::well();
    let embedder = Embedder::new(&format!("{}/v1/", letters.base), "letters", None, false).expect("an embedder");
    let many: Vec<String> = (0..BATCH * 2 + 1).map(|n| format!("text {n} {}", "x".repeat(n * 20))).collect();
    assert_eq!(embedder.vectors(&many, &mut Vectors::default()).expect("vectors").len(), many.len());
    assert_eq!(letters.requests.load(Ordering::SeqCst), 3);
}

#[test]
fn what_is_no_answer_is_an_error_that_says_why() {
    for (spoil, why) in [
        ((|_| (500, json!({}))) as fn(Value) -> (u16, Value), "status 500"),
        (|_| (200, json!({"data": 1})), "none of embeddings"),
        (|_| (200, json!({"data": []})), "leaves out a text"),
        (|_| (200, json!({"data": [{"index": 7, "embedding": [1.0]}]})), "not asked for"),
        (|_| (200, json!({"data": [{"index": 0, "embedding": []}]})), "of 0 numbers"),
        (|_| (200, json!({"data": [{"index": 0, "embedding": [0.0, 0.0]}]})), "without a direction"),
    ] {
        let letters = Letters::serve(spoil);
        let embedder = Embedder::new(&letters.base, "letters", None, false).expect("an embedder");
        let error = embedder.vectors(&texts(&["a"]), &mut Vectors::default()).expect_err("it is spoilt");
        assert!(format!("{error:#}").contains(why), "{error:#}");
    }
    let gone = Embedder::new("http://127.0.0.1:9", "letters", None, false).expect("an embedder");
    let error = gone.vectors(&texts(&["a"]), &mut Vectors::default()).expect_err("nobody is there");
    assert!(error.to_string().contains("cannot be reached"), "{error:#}");
    let far = Embedder::new("http://203.0.113.7", "m", Some(Secret("k".into())), false).err().expect("it is exposed");
    assert!(far.to_string().contains("--insecure"), "{far:#}");
    assert!(Embedder::new("ftp://x", "m", None, false).is_err());
}
