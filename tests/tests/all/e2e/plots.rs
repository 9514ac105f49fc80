//! Plots from outside: what was built by real programs is drawn as it stood after any tick (`dp-server plot`).

use super::green;
use serde_json::Value;
use std::path::Path;
use tests::e2e::{Run, Server, run};

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
