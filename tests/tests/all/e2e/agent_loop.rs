//! The published loop itself, in its own language.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use tests::e2e::{PATIENCE, Server};
use tests::scene::tests_folder;

#[tokio::test]
async fn the_published_loop_in_python_sees_a_fight_begin_and_end() {
    let has = Command::new("python3").args(["-c", "import websockets"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3 with the package `websockets`");
        return;
    }
    let server = Server::start();
    let key = server.key("Snake").await;
    let mut python = Command::new("python3");
    python.arg("-u").arg(tests_folder().join("agent_loop.py"));
    python.env("DP_HOST", "127.0.0.1").env("DP_PORT", server.http.port().to_string());
    python.env("DP_NAME", "Snake").env("DP_KEY", key);
    let mut child = python.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("python starts");
    let (line, lines) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    let reader = std::thread::spawn(move || {
        for text in out.lines().map_while(Result::ok) {
            // Nobody listens any more when the test is over.
            let _unheard = line.send(text);
        }
    });
    let until = |wanted: &str| {
        let mut read = Vec::new();
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(text) if text.contains(wanted) => return,
                Ok(text) => read.push(text),
                Err(_) => panic!("{wanted:?} never came; the loop printed {read:?}"),
            }
        }
    };
    until("Agent HP: ");
    until("Combat Status: False");
    // The loop itself only watches, so somebody makes it fight.
    let mut god = server.person("Godric").await;
    server.promote("Godric", 39).await;
    server.place("Snake", 8027).await;
    god.ask("force snake kill straw", "\r\n").await;
    until("Combat Status: True");
    for _ in 0..60 {
        server.tick(1).await;
        if let Ok(text) = lines.try_recv()
            && text.contains("Combat Status: False")
        {
            break;
        }
    }
    let ended = child.try_wait().expect("it is our child");
    assert!(ended.is_none(), "the loop ended: {ended:?}");
    child.kill().expect("it is our child");
    child.wait().expect("it is our child");
    reader.join().expect("it does not panic");
}
