//! Callers by the hundred that do not do what callers do: who say nothing, who ask and never read, who send half a
//! head.

use super::{green, green_with, login};
use serde_json::json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tests::e2e::{PATIENCE, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// A connection whose window is so small that an answer soon waits.
async fn narrow(to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(1_024)?;
    tokio::time::timeout(PATIENCE, socket.connect(to)).await?
}

/// File descriptors of the server's process.
fn descriptors(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.pid())).expect("it runs").count()
}

/// Waits until the server holds at most so many.
async fn settles(server: &Server, most: usize, longest: Duration) -> usize {
    let deadline = Instant::now() + longest;
    loop {
        let now = descriptors(server);
        if now <= most || Instant::now() > deadline {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether the peer has hung up.
async fn has_ended(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 4_096];
    loop {
        match tokio::time::timeout(PATIENCE, stream.read(&mut bytes)).await {
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
            Err(_) => return false,
        }
    }
}

#[tokio::test]
async fn who_asks_for_metrics_and_never_reads_takes_no_more_than_its_share() {
    let server = Server::start_with(green_with(&["--slow-reader-seconds", "2"]));
    let before = descriptors(&server);
    let mut held = Vec::new();
    // A test process may have a thousand files itself; the review held 1,500.
    for _ in 0..400 {
        let Ok(mut stream) = narrow(server.http).await else { continue };
        // As much as the connection takes at once; it is not read, so some of it stays with us.
        let questions = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(40);
        let _unread = tokio::time::timeout(Duration::from_millis(20), stream.write_all(&questions)).await;
        held.push(stream);
    }
    // Most were refused: one address has sixty-four places, and each of them its time.
    let open = descriptors(&server) - before;
    assert!(open <= 74, "{open} descriptors are held by who never reads");
    // Those too are cut, though they pipeline and hyper waits to write.
    let left = settles(&server, before + 5, Duration::from_secs(30)).await;
    assert!(left <= before + 5, "{left} of {before} descriptors are held for good");
    drop(held);
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn hundreds_who_say_nothing_leave_room_for_the_others() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let before = descriptors(&server);
    let mut held = Vec::new();
    for nth in 0..700_usize {
        let to = if nth % 2 == 0 { server.http } else { server.telnet };
        if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, TcpStream::connect(to)).await {
            held.push(stream);
        }
    }
    // 50 by telnet, 64 by HTTP, those who are told why they are not let in, and what the store and the journal open
    // besides.
    let open = descriptors(&server) - before;
    assert!(open <= 50 + 64 + 32 + 8, "{open}");
    // Silence on HTTP ends by itself; then a program of the same address plays.
    let left = settles(&server, before + 50, Duration::from_secs(25)).await;
    assert!(left <= before + 52, "{left}");
    drop(held);
    settles(&server, before, PATIENCE).await;
    let mut agent = server.connect().await;
    agent.log_in("Brenda", &key).await;
    agent.command("look").await;
    agent.expect_text("Village Green").await;
}

#[tokio::test]
async fn a_head_that_does_not_end_is_neither_waited_for_nor_kept() {
    let server = Server::start_with(green());
    let mut large = TcpStream::connect(server.http).await.expect("it listens");
    large.write_all(b"GET / HTTP/1.1\r\nX-Long: ").await.expect("it is open");
    let _as_far_as_it_takes = tokio::time::timeout(Duration::from_secs(5), large.write_all(&[b'a'; 300_000])).await;
    let mut answer = Vec::new();
    let _until_it_ends = tokio::time::timeout(PATIENCE, large.read_to_end(&mut answer)).await;
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    let begun = Instant::now();
    let mut half = TcpStream::connect(server.http).await.expect("it listens");
    half.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").await.expect("it is open");
    assert!(has_ended(&mut half).await, "half a head is waited for");
    assert!(begun.elapsed() >= Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_cap_over_all_addresses_leaves_places_for_this_machine() {
    let server = Server::start_with(green_with(&["--connections", "40", "--connections-per-address", "0"]));
    let mut held = Vec::new();
    for nth in 2..62_u8 {
        let socket = TcpSocket::new_v4().expect("a socket");
        // Each from an address of its own; this machine has a whole network of them.
        socket.bind(SocketAddr::from(([127, 0, 0, nth], 0))).expect("every 127 is ours");
        held.push(socket.connect(server.telnet).await.expect("it listens"));
    }
    let mut told = 0;
    for stream in &mut held {
        let mut bytes = [0; 512];
        let read = tokio::time::timeout(Duration::from_millis(200), stream.read(&mut bytes)).await;
        told +=
            usize::from(matches!(read, Ok(Ok(count)) if String::from_utf8_lossy(&bytes[..count]).contains("Too many")));
    }
    assert!((1..=32).contains(&told), "{told} were told why");
    // By HTTP there is no place left either, and that is said before anything is asked.
    let mut full = TcpStream::connect(server.http).await.expect("it listens");
    let mut answer = String::new();
    full.read_to_string(&mut answer).await.expect("it ends in order");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer:?}");
    drop(held);
    for attempt in 0.. {
        let mut again = server.dial().await;
        if again.next_is("known?").await {
            break;
        }
        assert!(attempt < 100, "the places do not come back");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn lines_before_a_login_are_few_a_second() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut caller = server.dial().await;
    caller.expect("known?").await;
    for _ in 0..200 {
        caller.send("Nobodyhere").await;
        caller.send("no").await;
    }
    caller.expect("Not so fast!").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    caller.send_raw(b"\xff\xf6").await;
    caller.expect("still here").await;
    let text = String::from_utf8_lossy(&caller.bytes).into_owned();
    let asked = text.matches("Nobody here is called").count();
    assert!((5..=15).contains(&asked), "{asked} names were looked up");
}

#[tokio::test]
async fn who_asks_without_an_end_whether_we_are_there_is_answered_once_a_second() {
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut ann = server.person("Ann").await;
    let begun = Instant::now();
    for _ in 0..50 {
        ann.send_raw(&b"\xff\xf6".repeat(100)).await;
    }
    ann.expect("still here").await;
    ann.fence().await;
    let answers = String::from_utf8_lossy(&ann.bytes).matches("still here").count() as u64;
    assert!(answers <= 1 + begun.elapsed().as_secs(), "{answers} answers in {:?}", begun.elapsed());
}

#[tokio::test]
async fn binary_frames_and_large_ones_have_the_limit_of_frames() {
    use tokio_tungstenite::tungstenite::Message;
    let server = Server::start_with(green_with(&["--commands-per-second", "10"]));
    let mut bot = server.agent("Bot").await;
    let (before, begun) = (bot.frames.len(), Instant::now());
    for nth in 0..400 {
        let message = if nth % 2 == 0 { Message::binary(vec![7]) } else { Message::text("x".repeat(17_000)) };
        bot.send_message(message).await;
    }
    bot.expect_error("rate_limited").await;
    // The bucket of frames may have had room again meanwhile; a fence needs only that of commands.
    bot.command("look").await;
    bot.expect_text("Village Green").await;
    let answers = bot.frames[before..].iter().filter(|frame| frame["type"] == "error").count();
    let most = 60.0 + 60.0 * begun.elapsed().as_secs_f64();
    assert!(answers as f64 <= most, "{answers} answers to 400 frames that nobody reads, at most {most}");
}

#[tokio::test]
async fn long_lines_and_long_notes_are_refused_and_not_done() {
    let server = Server::start_with(green_with(&["--telnet-line-bytes", "9000"]));
    let mut bot = server.agent("Bot").await;
    bot.command(&format!("say {}", "y".repeat(3_000))).await;
    let error = bot.expect_error("too_large").await;
    assert!(error["data"]["message"].as_str().is_some_and(|text| text.contains("2048")), "{error}");
    let note = json!({"source": "z".repeat(3_000)});
    bot.send(json!({"type": "command", "data": {"command": "say", "args": ["hello"], "meta": note}})).await;
    bot.expect_error("too_large").await;
    bot.command("say good morning").await;
    bot.expect_text("good morning").await;
    assert!(!super::texts(&bot.frames).contains("hello"));
    let mut ann = server.person("Ann").await;
    ann.ask(&format!("say {}", "y".repeat(3_000)), "longer than 2048 bytes").await;
}

#[tokio::test]
async fn what_a_client_says_of_itself_is_cut() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    let long = "m".repeat(3_000);
    let words = json!({"player_name": "Brenda", "password": key, "is_agent": true, "model": long, "harness": long,
        "version": long, "features": [long]});
    agent.send(login(words)).await;
    agent.logged_in().await;
    agent.command("say hello").await;
    agent.expect_text("hello").await;
    drop(agent);
    let state = server.stop().state;
    let files = std::fs::read_dir(state.path()).expect("the folder").flatten();
    let texts: Vec<Vec<u8>> = files.filter_map(|entry| std::fs::read(entry.path()).ok()).collect();
    let holds = |count: usize| texts.iter().any(|text| text.windows(count).any(|part| part.iter().all(|b| *b == b'm')));
    assert!(holds(100), "a hundred characters are kept");
    assert!(!holds(1_000), "and no longer texts");
}

#[tokio::test]
async fn the_time_to_log_in_counts_from_connecting() {
    let server = Server::start_with(green_with(&["--login-seconds", "2"]));
    let mut caller = server.dial().await;
    caller.expect("known?").await;
    let begun = Instant::now();
    // It is never silent, and says nothing of use.
    while caller.try_send_raw(b"Ab\r\nno\r\n").await {
        assert!(begun.elapsed() < PATIENCE, "it stays as long as it talks");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let mut agent = server.connect().await;
    let begun = Instant::now();
    while agent.try_send(json!({"type": "subscribe", "data": {"variables": []}})).await {
        assert!(begun.elapsed() < PATIENCE, "it stays as long as it talks");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
