//! What a browser loads, and how its page plays: over real HTTP, and by the frames that the page sends.

use super::{green, login, texts};
use serde_json::json;
use std::process::Command;
use tests::e2e::{Server, root};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Head and body of an answer.
async fn ask(server: &Server, method: &str, path: &str, lines: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(server.http).await.expect("it listens");
    let request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("it is open");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("the answer is read");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the head ends");
    let head = String::from_utf8(answer[..end].to_vec()).expect("a head is text");
    (head, answer[end + 4..].to_vec())
}

/// The value of a header, in whatever case its name is.
fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.into_iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
}

#[tokio::test]
async fn pages_are_asked_for_again_and_what_they_load_is_kept_for_good() {
    let server = Server::start_with(green());
    let (head, body) = ask(&server, "GET", "/", "").await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(header(&head, "content-type"), "text/html; charset=utf-8");
    assert_eq!(header(&head, "cache-control"), "no-cache");
    let tag = header(&head, "etag").to_string();
    let (again, nothing) = ask(&server, "GET", "/", &format!("If-None-Match: {tag}\r\n")).await;
    assert!(again.starts_with("HTTP/1.1 304 ") && nothing.is_empty(), "{again}");
    let (looked, nothing) = ask(&server, "HEAD", "/", "").await;
    assert!(looked.starts_with("HTTP/1.1 200 ") && nothing.is_empty(), "{looked}");
    assert_eq!(header(&looked, "etag"), tag);

    let page = String::from_utf8(body).expect("a page is text");
    let script = page.split('"').find(|part| part.ends_with("app.js")).expect("the page has a script");
    let (head, plain) = ask(&server, "GET", script, "").await;
    assert_eq!(header(&head, "cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(header(&head, "content-type"), "text/javascript; charset=utf-8");
    let (head, zipped) = ask(&server, "GET", script, "Accept-Encoding: gzip, br\r\n").await;
    assert_eq!((header(&head, "content-encoding"), header(&head, "vary")), ("gzip", "Accept-Encoding"));
    assert!(zipped.starts_with(&[0x1f, 0x8b]) && zipped.len() < plain.len(), "{} bytes", zipped.len());

    let verbs = script.replace("app.js", "verbs.json");
    let (_, rows) = ask(&server, "GET", &verbs, "").await;
    the_page_hides_what_the_world_hides(&rows);
    the_pages_modules_do_as_they_should();
    let rows: serde_json::Value = serde_json::from_slice(&rows).expect("the verbs are JSON");
    assert!(rows["verbs"].as_array().expect("a list").iter().any(|row| row["name"] == "look"), "{rows}");
}

/// The page's own module against the examples of the world's, by Node.js where there is one.
fn the_page_hides_what_the_world_hides(verbs: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), verbs).expect("it can be written");
    let script = root().join("tests/page/secrets.mjs");
    match Command::new("node").arg(script).arg(root()).arg(file.path()).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => eprintln!("skipped: there is no node to run the page's modules with"),
    }
}

/// The page's connection against sockets of a test's own, what it answers by itself, what it makes of a transcript, and
/// what the observatory makes of rows, by Node.js where there is one.
fn the_pages_modules_do_as_they_should() {
    for script in ["connection", "creation", "gap", "rows"] {
        let path = root().join(format!("tests/page/{script}.mjs"));
        match Command::new("node").arg(path).arg(root()).output() {
            Ok(output) => assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => eprintln!("skipped: there is no node to run the page's modules with"),
        }
    }
}

#[tokio::test]
async fn every_answer_keeps_foreign_things_out_of_the_page() {
    let server = Server::start_with(green());
    for path in ["/", "/health", "/nowhere", "/assets/0000000000000000/app.js", "/assets/x/..%2f..%2fCargo.toml"] {
        let (head, _) = ask(&server, "GET", path, "").await;
        let is_found = path == "/" || path == "/health";
        assert!(head.starts_with(if is_found { "HTTP/1.1 200 " } else { "HTTP/1.1 404 " }), "{path}: {head}");
        let policy = header(&head, "content-security-policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(rule), "{path} lacks {rule}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("set-cookie", ""),
        ] {
            assert_eq!(header(&head, name), value, "{path}: {name}");
        }
    }
}

#[tokio::test]
async fn a_person_who_asks_for_variables_has_them_and_no_numbers() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut page = server.connect().await;
    page.numbered = false;
    page.send(login(json!({"player_name": "Ann", "password": key, "features": ["vars"]}))).await;
    page.expect("state").await;
    let all = page.expect("vars").await;
    assert!(all.get("seq").is_none() && all["data"]["HEALTH"].is_number(), "{all}");
    page.subscribe(&["POSITION", "ROOM_PLAYERS"]).await;
    page.command("sit").await;
    let sat = page.until(|frame| frame["data"]["POSITION"] == "sitting").await;
    assert!(sat.get("seq").is_none(), "{sat}");
    page.command("say <img src=x onerror=alert(1)>").await;
    let frames = page.fence().await;
    assert!(texts(&frames).contains("<img src=x onerror=alert(1)>"), "words are handed on as they are: {frames:?}");
    // Without the feature it is as before.
    let mut plain = server.connect().await;
    plain.log_in_as_person("Ann", &key).await;
    plain.subscribe(&["HEALTH"]).await;
    plain.expect_error("agents_only").await;
}
