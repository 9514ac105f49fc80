//! Plots from outside: what was built by real programs is read by HTTP, and drawn as it stood after any tick
//! (`dp-server plot`).

use super::green;
use serde_json::{Value, json};
use std::path::Path;
use tests::e2e::{Options, Player, Run, Server, http, run};

/// How every PNG file begins.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Everybody may do everything there.
const FREE: i32 = 200;

fn plot(state: &Path, more: &[&str]) -> Run {
    let state = state.display().to_string();
    run(&[&["plot", "--state-dir", &state], more].concat())
}

fn seen(state: &Path, tick: &str) -> Value {
    let told = plot(state, &["--room", "200", "--json", "--tick", tick]);
    assert_eq!(told.code, Some(0), "{told:?}");
    serde_json::from_str(&told.out).unwrap_or_else(|error| panic!("{error}: {told:?}"))
}

#[tokio::test]
async fn a_plot_is_drawn_as_it_stood_after_any_tick() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    server.place("Ann", FREE).await;
    server.tick(2).await;
    ann.ask("build add house 3,4 called <b>Home</b> because it is cold", "house").await;
    server.tick(2).await;
    ann.ask("build move 3,4 to 4,4", "4,4").await;
    server.tick(2).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("green.svg");
    let svg = file.display().to_string();
    // Beside the running server, and nobody notices.
    let before = server.get("/health").await.json()["tick"].clone();
    let drawn = plot(server.state.path(), &["--room", "200", "--svg", &svg]);
    assert_eq!(drawn.code, Some(0), "{drawn:?}");
    assert_eq!(server.get("/health").await.json()["tick"], before);
    let picture = std::fs::read_to_string(&file).expect("it was drawn");
    assert!(picture.starts_with("<svg ") && picture.contains("&lt;b&gt;Home&lt;/b&gt;"), "{picture}");
    assert!(!picture.contains("<b>"), "a label is no markup");
    let (png, again) = (folder.path().join("green.png"), folder.path().join("again.svg"));
    let [png, again] = [png, again].map(|file| file.display().to_string());
    let drawn = plot(server.state.path(), &["--room", "200", "--svg", &again, "--png", &png]);
    assert_eq!(drawn.code, Some(0), "{drawn:?}");
    assert_eq!(std::fs::read_to_string(&again).expect("it was drawn"), picture, "nothing has changed");
    assert!(std::fs::read(&png).expect("it was drawn").starts_with(PNG), "{png}");
    let both = plot(server.state.path(), &["--room", "200", "--png", &png, "--json"]);
    assert!(both.code == Some(2) && both.err.contains("--json"), "{both:?}");

    let state = server.stop().state;
    let early = seen(state.path(), "2");
    assert_eq!(early["revision"], 0, "{early}");
    let ats = |plot: &Value| {
        let houses = plot["elements"].as_array().expect("a list").iter().filter(|element| element["by"] == "Ann");
        houses.map(|house| house["at"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!((ats(&early), ats(&seen(state.path(), "4"))), (vec![], vec!["[3,4]".to_string()]));
    let late = seen(state.path(), "6");
    assert_eq!((ats(&late), &late["revision"]), (vec!["[4,4]".to_string()], &Value::from(2)), "{late}");
    let text = plot(state.path(), &["--room", "200", "--tick", "6"]);
    assert!(text.code == Some(0) && text.out.contains("revision 2, rule free, tick 6"), "{text:?}");
    assert!(text.out.lines().any(|line| line.starts_with("  4 . . . . ")), "row 4: {text:?}");
    let all = plot(state.path(), &[]);
    assert!(all.code == Some(0) && all.out.contains("   200  ") && all.out.contains("   307  "), "{all:?}");
    let none = plot(state.path(), &["--room", "100"]);
    assert!(none.code == Some(1) && none.err.contains("room 100 has no plot at tick") && none.err.contains("200, "));
    let nowhere = plot(state.path(), &["--room", "200", "--tick", "900"]);
    assert!(nowhere.code == Some(1) && nowhere.err.contains("900"), "{nowhere:?}");
}

#[tokio::test]
async fn everybody_reads_plots_by_http() {
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    server.place("Ann", 200).await;
    server.tick(1).await;
    ann.command("build add lamp 0,1 called <b>\"Light\" because it is dark").await;
    ann.expect_text("You build a lamp").await;
    server.tick(1).await;
    for n in 0..6 {
        ann.command(&format!("plot memo note {n}")).await;
        ann.expect_text("You write it into the memo").await;
    }
    let all = server.get("/api/v1/plots").await.json();
    let row = |room: i32, title: &str, revision: u32, elements: usize| json!({"room": room, "title": title, "revision": revision, "elements": elements});
    let expected = json!([
        row(200, "The Far Corner", 1, 2),
        row(307, "The Dry Length", 0, 1),
        row(512, "The Sheltered Beds", 0, 0),
    ]);
    assert_eq!(all["plots"], expected);
    let kinds = all["kinds"].as_array().expect("kinds");
    let house = kinds.iter().find(|kind| kind["name"] == "house").expect("a house can be built");
    assert!(house["type"] == "BUILDING" && house["shape"].is_string(), "{house}");

    let one = server.get("/api/v1/plots/200").await.json();
    assert_eq!((&one["room"], &one["rule"], &one["task"]["name"]), (&json!(200), &json!("free"), &json!("village")));
    let lamp = &one["elements"][1];
    let told = [&lamp["at"], &lamp["kind"], &lamp["by"], &lamp["label"], &lamp["why"]];
    let expected = [json!([0, 1]), json!("lamp"), json!("Ann"), json!("<b>\"Light\""), json!("it is dark")];
    assert_eq!(told.map(Clone::clone), expected);
    assert_eq!(one["memo"].as_array().map(Vec::len), Some(7), "the whole memo");

    let drawn = server.get("/api/v1/plots/200.svg").await;
    assert!(drawn.status == 200 && drawn.body.starts_with("<svg "), "{}", drawn.body);
    assert!(drawn.body.contains("&lt;b&gt;") && !drawn.body.contains("<b>"), "a label is no markup");
    assert_eq!(drawn.header("content-type").as_deref(), Some("image/svg+xml"));
    let policy = drawn.header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    let scene = server.get("/api/v1/plots/200.svg?entry=1").await;
    assert!(scene.status == 200 && scene.body.contains("as of entry 1"), "{}", scene.body);

    let pixels = server.get("/api/v1/plots/200.png").await;
    assert!(pixels.status == 200 && pixels.raw.starts_with(PNG), "{}", pixels.head);
    assert_eq!(pixels.header("content-type").as_deref(), Some("image/png"));
    assert_eq!(pixels.header("content-security-policy"), Some(policy));
    let scene = server.get("/api/v1/plots/200.png?entry=1").await;
    assert!(scene.status == 200 && scene.raw.starts_with(PNG) && scene.raw != pixels.raw, "{}", scene.head);

    for (path, why) in [
        ("/api/v1/plots/200.svg?entry=x", "entry is the number"),
        ("/api/v1/plots/200?entry=1", "entry is for pictures"),
    ] {
        let wrong = server.get(path).await;
        assert_eq!(wrong.status, 400, "{path}");
        assert!(
            wrong.json()["error"]["message"].as_str().is_some_and(|error| error.starts_with(why)),
            "{}",
            wrong.body
        );
    }
    for (path, why) in [
        ("/api/v1/plots/200.svg?entry=99", "There is no entry #99"),
        ("/api/v1/plots/200.png?entry=99", "There is no entry #99"),
        ("/api/v1/plots/100.svg", "There is no plot in room 100."),
        ("/api/v1/plots/100.png", "There is no plot in room 100."),
        ("/api/v1/plots/200.gif", "A plot is named by the number of its room"),
        ("/api/v1/plots/100", "There is no plot in room 100."),
        ("/api/v1/plots/99999", "There is no plot in room 99999."),
        ("/api/v1/plots/green", "A plot is named by the number of its room"),
        ("/api/v1/plots/99999999999", "A plot is named by the number of its room"),
    ] {
        let none = server.get(path).await;
        assert_eq!(none.status, 404, "{path}");
        assert!(none.json()["error"]["message"].as_str().is_some_and(|error| error.starts_with(why)), "{}", none.body);
    }
}

#[tokio::test]
async fn an_operator_says_who_reads_plots_by_http() {
    let paths = ["/api/v1/plots", "/api/v1/plots/200", "/api/v1/plots/200.svg", "/api/v1/plots/200.png"];
    for (audience, operator) in [("admin", 200), ("off", 404)] {
        let server = Server::start_with(Options { more: vec!["--plots".into(), audience.into()], ..green() });
        for path in paths {
            let anybody = server.get(path).await;
            assert_eq!(anybody.status, 404, "{audience}, {path}: {}", anybody.body);
            assert!(anybody.body.contains("Whoever stands before one sees it"), "{}", anybody.body);
            let theirs = http(server.http, "GET", path, Some(&server.token)).await;
            assert_eq!(theirs.status, operator, "{audience}, {path}: {}", theirs.head);
        }
        // In the game nothing is different.
        let mut ann = server.person("Ann").await;
        server.place("Ann", FREE).await;
        server.tick(1).await;
        ann.ask("plot", "The Far Corner").await;
    }
}

/// As after an update whose rules read no journal of before.
#[tokio::test]
async fn a_server_without_its_journal_has_what_was_built() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    server.place("Ann", FREE).await;
    server.tick(2).await;
    ann.ask("build add house 3,4 called Home because it is cold", "house").await;
    server.tick(2).await;
    ann.ask("build add well 4,4", "well").await;
    server.tick(2).await;
    let before = server.get("/api/v1/plots/200").await.json();
    assert_eq!(before["revision"], 2, "{before}");
    let state = server.stop().state;
    std::fs::remove_dir_all(state.path().join("journal")).expect("there is a journal");
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let after = server.get("/api/v1/plots/200").await.json();
    for key in ["title", "revision", "rule", "axes", "task"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    let stands = |plot: &Value| {
        let elements = plot["elements"].as_array().expect("a list").iter();
        elements
            .map(|element| [&element["at"], &element["kind"], &element["label"], &element["by"]].map(Clone::clone))
            .collect::<Vec<_>>()
    };
    assert_eq!(stands(&after), stands(&before));
    // What is built from now on is kept as well.
    let mut ann = server.person("Bea").await;
    server.place("Bea", FREE).await;
    server.tick(1).await;
    ann.ask("build add tree 5,5", "tree").await;
    server.tick(2).await;
    let state = server.stop().state;
    std::fs::remove_dir_all(state.path().join("journal")).expect("there is a journal");
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let again = server.get("/api/v1/plots/200").await.json();
    assert_eq!(again["revision"], 3, "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_of_who_stands_before_a_plot_holds_it() {
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    server.place("Ann", FREE).await;
    server.tick(1).await;
    ann.command("build add house 3,4 called Home").await;
    server.tick(1).await;
    let player = Player::of(&server, "Ann").await;
    for tier in ["medium", "large"] {
        let shown = player.run(&["prompt", "--take-over", "--tier", tier]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        for part in ["title: The Far Corner", "house,Ann,\"3,4\"", "build add <kind>"] {
            assert!(shown.out.contains(part), "{tier}, {part}:\n{}", shown.out);
        }
    }
}
