//! A browser without a screen, and a page in it: what a person does with mouse and keys, by Chromium's own protocol.
//!
//! Where there is no Chromium there is no browser (`Browser::start`), and a test that wants one says so and ends.
//! Invariants: nothing is done but through the page, and what is waited for is a condition in it, never a time.

use super::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// What it may be called; a variable of the environment can name another one.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PROGRAM_VARIABLE: &str = "DP_CHROMIUM";
/// A browser takes its time to start where others build.
const START_LONGEST: Duration = Duration::from_secs(60);
const LOOKS_EACH: Duration = Duration::from_millis(50);
/// Before a name stands this where the protocol says where it listens.
const LISTENS: &str = "DevTools listening on ";

/// A browser with one page. Ends with the value.
pub struct Browser {
    child: Child,
    socket: WebSocketStream<TcpStream>,
    /// Of the page, on that connection.
    session: String,
    asked: u64,
    _profile: TempDir,
}

impl Browser {
    /// `None`, with a word about it, where there is no such program.
    pub async fn start() -> Option<Browser> {
        let Some(program) = program() else {
            eprintln!("not tried in a browser: there is no {} and no {PROGRAM_VARIABLE}", PROGRAMS.join(", no "));
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--window-size=1200,800", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let (told, heard) = mpsc::channel();
        let err = BufReader::new(child.stderr.take().expect("it is piped"));
        // It is read to its end, so that the browser never waits for a reader.
        std::thread::spawn(move || {
            for line in err.lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix(LISTENS) {
                    // Nobody waits any more after the first.
                    let _unheard = told.send(address.trim().to_string());
                }
            }
        });
        let waiting = tokio::task::spawn_blocking(move || heard.recv_timeout(START_LONGEST));
        let address = waiting.await.expect("nobody panicked").expect("the browser says where it listens");
        let host = address.trim_start_matches("ws://").split('/').next().expect("a split has a first part").to_string();
        let stream = TcpStream::connect(host).await.expect("the browser listens");
        let upgraded = tokio_tungstenite::client_async(address, stream).await;
        let (socket, _) = upgraded.expect("the browser speaks its protocol");
        let mut browser = Browser { child, socket, session: String::new(), asked: 0, _profile: profile };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"})).await["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({"targetId": target, "flatten": true})).await;
        browser.session = attached["sessionId"].as_str().expect("an id").to_string();
        browser.ask("Page.enable", json!({})).await;
        Some(browser)
    }

    /// One call of the protocol, and what it came to.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let mut call = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string())).await.expect("the browser listens");
        let answering = async {
            loop {
                let message = self.socket.next().await.expect("the browser is there").expect("a frame");
                let Message::Text(text) = message else { continue };
                let answer: Value = serde_json::from_str(&text).expect("JSON");
                if answer["id"] == id {
                    return answer;
                }
            }
        };
        let answer = tokio::time::timeout(PATIENCE, answering).await;
        let answer = answer.unwrap_or_else(|_| panic!("the browser does not answer {method}"));
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub async fn open(&mut self, address: &str) {
        self.ask("Page.navigate", json!({"url": address})).await;
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'").await;
    }

    /// Opens the game and comes in as somebody who is there already, until a line can be typed.
    pub async fn play_as(&mut self, game: &str, name: &str, password: &str) {
        self.open(game).await;
        self.log_in(name, password).await;
    }

    /// The same, where the page is open.
    pub async fn log_in(&mut self, name: &str, password: &str) {
        self.click("#name").await;
        self.write(name).await;
        self.click("#password").await;
        self.write(password).await;
        self.press("Enter").await;
        self.until("document.activeElement.id === 'line'").await;
    }

    /// What an expression is worth in the page.
    pub async fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", params).await;
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is something in the page: neither false, null, 0 nor an empty text. What it is.
    pub async fn until(&mut self, expression: &str) -> Value {
        let begun = Instant::now();
        loop {
            let value =
                self.value(&format!("(() => {{ try {{ return {expression}; }} catch {{ return null; }} }})()")).await;
            if !matches!(&value, Value::Null | Value::Bool(false)) && value != json!(0) && value != json!("") {
                return value;
            }
            if begun.elapsed() > PATIENCE {
                let page = self.value("document.body.innerText").await;
                panic!("{expression} never was; the page says:\n{}", page.as_str().unwrap_or_default());
            }
            tokio::time::sleep(LOOKS_EACH).await;
        }
    }

    /// Bytes of the page's objects, when what nobody needs any more is gone.
    pub async fn heap_bytes(&mut self) -> u64 {
        self.ask("HeapProfiler.collectGarbage", json!({})).await;
        self.ask("Runtime.getHeapUsage", json!({})).await["usedSize"].as_f64().unwrap_or(0.0) as u64
    }

    /// The text that is shown of what a selector finds first.
    pub async fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({})?.innerText ?? null", json!(selector))).await;
        text.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_string()
    }

    /// Waits until something is in sight and stands still, and presses the mouse on it.
    pub async fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const found = document.querySelector({}); found.scrollIntoView({{ block: 'nearest' }}); \
             const {{ left, top, width, height }} = found.getBoundingClientRect(); \
             return width && height ? [left + width / 2, top + height / 2] : null; }})()",
            json!(selector)
        );
        let mut before = self.until(&place).await;
        let place = loop {
            tokio::time::sleep(LOOKS_EACH).await;
            let now = self.until(&place).await;
            if now == before {
                break now;
            }
            before = now;
        };
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", params).await;
        }
    }

    /// On the page of the observatory: as the operator.
    pub async fn look_as_operator(&mut self, token: &str) {
        self.until("document.querySelector('#status').textContent.includes('a visitor')").await;
        self.click("#look-as").await;
        self.click("#eyes-token").await;
        self.write(token).await;
        self.press("Enter").await;
    }

    /// Puts words where the cursor is, as an input method does.
    pub async fn write(&mut self, words: &str) {
        self.ask("Input.insertText", json!({"text": words})).await;
    }

    /// Presses a key by its name: `Enter`, `F6`, `ArrowLeft`.
    pub async fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "ContextMenu" => 93,
            "F6" => 117,
            other => panic!("the number of the key {other} is not known here"),
        };
        // What writes nothing comes raw: the menu key opens no menu otherwise.
        let mut params = json!({"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
        if key == "Enter" {
            (params["type"], params["text"]) = (json!("keyDown"), json!("\r"));
        }
        self.ask("Input.dispatchKeyEvent", params.clone()).await;
        params["type"] = json!("keyUp");
        self.ask("Input.dispatchKeyEvent", params).await;
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAM_VARIABLE) {
        return Some(PathBuf::from(named));
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let files = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder: &PathBuf| folder.join(name)));
    files.into_iter().find(|path: &PathBuf| Path::is_file(path))
}
