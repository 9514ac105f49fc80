//! The pages in a browser, as whoever looks at them meets them: by mouse and by keys. Without a Chromium on the machine
//! they are not tried.

use super::green;
use serde_json::json;
use tests::e2e::{Browser, Options, Server, http};

#[tokio::test]
async fn an_operator_keeps_order_by_its_page() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(green());
    let mut bob = server.person("Bob").await;
    let _ann = server.person("Ann").await;
    page.open(&format!("http://{}/admin", server.http)).await;

    // With a wrong token nobody comes in, and is told so.
    page.click("#gate-token").await;
    page.write("0000").await;
    page.press("Enter").await;
    let why = page.until("document.querySelector('#gate .problem').textContent").await;
    assert!(why.as_str().is_some_and(|why| why.contains("Sign in again")), "{why}");
    page.click("#gate-token").await;
    page.value("document.querySelector('#gate-token').select()").await;
    page.write(&server.token).await;
    page.press("Enter").await;
    page.until("!document.querySelector('#work').hidden").await;
    assert_eq!(page.text("#status").await, "You have the admin token.");
    assert_eq!(page.value("document.querySelector('#gate-token').value").await, json!(""), "nothing of it is left");

    // Who plays, and sending somebody off: only when it is said to be meant.
    let told = page.until("document.querySelector('#rows .told')?.textContent").await;
    assert_eq!(told, json!("2 people, 0 agents"));
    page.click("[data-key='disconnect-Bob']").await;
    page.until("document.querySelector('#sure').open").await;
    page.press("Escape").await;
    page.until("!document.querySelector('#sure').open").await;
    bob.ask("look", "The Village Green").await;
    page.click("[data-key='disconnect-Bob']").await;
    page.until("document.querySelector('#sure').open").await;
    page.write("<b>Go to bed.</b>").await;
    page.press("Enter").await;
    let said = bob.ending().await;
    assert!(said.contains("An operator has ended your session. Why: <b>Go to bed.</b>"), "{said}");
    page.until("document.querySelector('#part > .done').textContent === 'Bob is disconnected.'").await;
    page.until("document.querySelector('#rows .told')?.textContent === '1 person, 0 agents'").await;
    page.until("!document.querySelector(\"[data-key='disconnect-Bob']\")").await;

    // What was done is in the audit, and words of others are words there.
    page.click("#sections a[href='#audit']").await;
    let rows = "[...document.querySelectorAll('#rows tbody tr')].map((row) => row.innerText)";
    let row = page.until(&format!("{rows}.find((row) => row.includes('disconnect'))")).await;
    let row = row.as_str().expect("a text");
    for word in ["operator", "/admin", "disconnect", "Bob", "reason: <b>Go to bed.</b>"] {
        assert!(row.contains(word), "{word}: {row}");
    }
    assert_eq!(page.value("document.querySelectorAll('#rows b').length").await, json!(0));

    page.click("#sign-out").await;
    page.until("!document.querySelector('#gate').hidden").await;
    assert_eq!(page.value("sessionStorage.length").await, json!(0));
    assert_eq!(page.value("document.querySelector('#rows').childElementCount").await, json!(0));
}

#[tokio::test]
async fn words_of_the_log_are_reached_and_used_without_a_mouse() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(Options { tick_ms: 200, ..green() });
    server.dial().await.create("Ann", "swordfish").await;
    page.play_as(&format!("http://{}/", server.http), "Ann", "swordfish").await;
    page.until("document.querySelectorAll('#log .link').length > 2").await;

    // One stop of Tab for the whole log, however many words of it can be acted on.
    let stops = "document.querySelectorAll('#log [tabindex], #log button, #log a').length";
    assert_eq!(page.value(stops).await, json!(0));
    page.press("F6").await;
    page.until("document.activeElement.id === 'log'").await;
    page.press("ArrowLeft").await;
    let chosen = "document.activeElement.classList.contains('link') && document.activeElement.textContent";
    let newest = page.until(chosen).await;
    let links = page.value("[...document.querySelectorAll('#log .link')].map((link) => link.textContent)").await;
    assert_eq!(links.as_array().and_then(|links| links.last()), Some(&newest));
    assert_eq!(page.value("document.activeElement.getAttribute('role')").await, json!("button"));
    let ring = page.value("getComputedStyle(document.activeElement).outlineStyle").await;
    assert_eq!(ring, json!("solid"), "one sees where one is");
    page.press("ArrowLeft").await;
    page.until(&format!("{chosen} !== {newest}")).await;
    assert_eq!(page.value(stops).await, json!(1), "the one that has the focus");

    // The menu of all that can be done with it, by its key; Escape leads back, and out.
    page.press("ContextMenu").await;
    let items =
        page.until("!document.querySelector('#menu').hidden && document.querySelector('#menu').innerText").await;
    assert!(items.as_str().is_some_and(|items| items.contains("look")), "{items}");
    page.until("document.activeElement.getAttribute('role') === 'menuitem'").await;
    page.press("Escape").await;
    page.until(chosen).await;
    let ways = "[...document.querySelectorAll('#log .link')].findLastIndex((link) => link.textContent === 'north')";
    let steps = page
        .value(&format!("[...document.querySelectorAll('#log .link')].indexOf(document.activeElement) - {ways}"))
        .await;
    for _ in 0..steps.as_i64().expect("a number") {
        page.press("ArrowLeft").await;
    }
    assert_eq!(page.value("document.activeElement.textContent").await, json!("north"));
    page.press("Enter").await;
    page.until("[...document.querySelectorAll('#log div')].some((line) => line.textContent === 'The Inn')").await;
    page.press("Escape").await;
    page.until("document.activeElement.id === 'line'").await;
}

/// Where the page's sockets lead nowhere while `offline` is set, and the one that there is can be broken.
const BREAKABLE: &str = "{ const Real = WebSocket; const send = Real.prototype.send; \
                         Real.prototype.send = function (data) { window.used = this; return send.call(this, data); }; \
                         window.WebSocket = class extends Real { constructor(address) { \
                         super(window.offline ? `${address}-nowhere` : address); } }; } true";

#[tokio::test]
async fn after_a_crash_the_page_tells_what_was_missed() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(green());
    server.dial().await.create("Ann", "swordfish").await;
    let mut bob = server.person("Bob").await;
    page.open(&format!("http://{}/", server.http)).await;
    page.value(BREAKABLE).await;
    page.log_in("Ann", "swordfish").await;
    let tells = |words: &str| {
        format!("[...document.querySelectorAll('#log div')].findIndex((line) => line.textContent.includes('{words}'))")
    };
    bob.ask("say before it broke", "before it broke").await;
    page.until(&format!("{} >= 0", tells("before it broke"))).await;

    page.value("window.offline = true; window.used.close(4000); true").await;
    page.until("document.querySelector('#status').textContent.includes('lost')").await;
    bob.ask("say while nobody listened", "while nobody listened").await;
    server.tick(2).await;
    let http = server.http.to_string();
    let state = server.kill();
    let more = ["--http", &*http].map(str::to_string).to_vec();
    let server = Server::start_with(Options { state: Some(state), more, ..green() });
    page.value("window.offline = false; true").await;
    page.until(&format!("{} >= 0", tells("You are connected again"))).await;
    page.until(&format!("{} >= 0", tells("while nobody listened"))).await;
    let order = format!("{} < {}", tells("while nobody listened"), tells("You are connected again"));
    assert_eq!(page.value(&order).await, json!(true), "it stands where it belongs");
    let told =
        "[...document.querySelectorAll('#log div')].filter((line) => line.textContent.includes('before it broke'))";
    assert_eq!(page.value(&format!("{told}.length")).await, json!(1), "what was read is not told again");
    drop(server);
}

#[tokio::test]
async fn a_hot_restart_costs_the_page_no_line() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(green());
    server.dial().await.create("Ann", "swordfish").await;
    let mut bob = server.person("Bob").await;
    page.play_as(&format!("http://{}/", server.http), "Ann", "swordfish").await;
    bob.ask("say before it began anew", "before it began anew").await;
    server.copyover().await;
    bob.ask("say while she was away", "while she was away").await;
    server.tick(1).await;
    let said = |words: &str| {
        let lines = "[...document.querySelectorAll('#log div')]";
        format!("{lines}.filter((line) => line.textContent.includes('{words}')).length")
    };
    page.until(&format!("{} === 1", said("while she was away"))).await;
    page.until(&format!("{} === 1", said("You are connected again"))).await;
    assert_eq!(page.value(&said("before it began anew")).await, json!(1));
    assert_eq!(page.value("document.querySelectorAll('#log .problem').length").await, json!(0), "nothing to be done");
    assert!(!bob.has_read("lose their focus"), "nobody saw that she was gone");
}

#[tokio::test]
async fn visitors_and_operators_look_back_from_the_page_of_now() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    ann.command("note before the march").await;
    ann.fence().await;
    let early = server.tick(5).await;
    server.tick(1).await;
    ann.command("note after the march").await;
    ann.command("north").await;
    ann.fence().await;
    server.tick(30).await;
    page.open(&format!("http://{}/watch", server.http)).await;
    page.until("document.querySelector('#status').textContent.includes('a visitor')").await;
    // A visitor sees there whom it could watch then.
    page.click("#look-back").await;
    page.until("document.querySelector('#status').textContent.startsWith('You look at the past, ticks')").await;
    page.value(&format!("location.hash = '#tick={early}'; true")).await;
    page.until(&format!("document.querySelector('#moment-tick').textContent === 'Tick {early}'")).await;
    page.click("[data-key='person-ann']").await;
    page.until("document.querySelector('#vitals .facts')?.textContent.includes('level 1')").await;
    assert_eq!(page.value("document.querySelector('#fork').hidden").await, json!(true), "it has no folder");
    page.click("#to-now").await;
    page.until("document.querySelector('#status').textContent.includes('a visitor')").await;
    page.look_as_operator(&server.token).await;
    page.until("!document.querySelector('#look-back').hidden").await;
    page.click("#look-back").await;
    page.until("!document.querySelector('#scrubber').hidden").await;
    page.until("document.querySelector('#status').textContent.includes('the past of')").await;

    page.value(&format!("location.hash = '#tick={early}'; true")).await;
    page.until(&format!("document.querySelector('#moment-tick').textContent === 'Tick {early}'")).await;
    page.click("[data-key='person-ann']").await;
    page.until("document.querySelector('#view .charts')").await;
    page.click("[data-key='view-mind']").await;
    let hud = page.until("document.querySelector('#view .hud')?.textContent").await;
    let hud = hud.as_str().expect("a text");
    assert!(hud.contains("before the march") && !hud.contains("after the march"), "{hud}");

    // A decision leads to its moment.
    page.click("[data-key='view-decisions']").await;
    page.until("document.querySelector('#view .decisions a')?.hash.startsWith('#tick=')").await;
    page.click("#to-now").await;
    page.until("document.querySelector('#scrubber').hidden && !document.querySelector('#look-back').hidden").await;
}

#[tokio::test]
async fn a_visitor_is_told_that_some_play_whom_it_may_not_watch() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(green());
    let _bob = server.person("Bob").await;
    server.tick(1).await;
    page.open(&format!("http://{}/watch", server.http)).await;
    let told = "document.querySelector('#people .told').textContent";
    let told = page.until(&format!("{told}.includes('plays') && {told}")).await;
    assert_eq!(
        told,
        json!(
            "Nobody is here whom you may watch. One plays here now. People are seen who wish it: toggle watchable, in the \
             game. What happens now is shown when it is old enough."
        )
    );
    page.until("document.querySelectorAll('#sky > svg .room').length === 1").await;
    assert_eq!(page.value("document.querySelectorAll('#zones button').length").await, json!(1));
}

#[tokio::test]
async fn a_decision_shows_commands_a_price_that_is_known_and_json_behind_a_fold() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    let tokens = json!({"prompt": 900, "cached": 800, "output": 12});
    let thoughts = json!({"calls": 2, "priced": 1, "tokens": tokens, "cost": 0.5});
    let meta = json!({"source": "model", "by": "m", "model": "stub", "tokens": tokens, "thoughts": thoughts});
    let batch = json!({"command": "batch", "args": ["[\"note the well is dry\", \"goal find water\"]"], "meta": meta});
    ann.send(json!({"type": "command", "data": batch})).await;
    ann.fence().await;
    server.tick(2).await;
    page.open(&format!("http://{}/watch", server.http)).await;
    page.look_as_operator(&server.token).await;
    page.until("document.querySelector(\"[data-key='person-ann']\")").await;
    page.click("[data-key='person-ann']").await;
    page.until("document.querySelector('#view .charts')").await;
    page.click("[data-key='view-decisions']").await;
    page.until("document.querySelector('#view .decisions li')").await;
    let lines = "[...document.querySelectorAll('#view .decisions li code')].map((line) => line.textContent)";
    assert_eq!(page.value(lines).await, json!(["note the well is dry", "goal find water"]));
    let facts = page.text("#view .decisions .facts").await;
    for words in
        ["model stub", "asked as m", "900 tokens read", "price not known", "besides 2 calls", "price known of 1"]
    {
        assert!(facts.contains(words), "{words}: {facts}");
    }
    let fold = "(({ open, textContent }) => [open, textContent])(document.querySelector('#view .decisions details'))";
    let fold = page.value(fold).await;
    assert_eq!(fold[0], json!(false), "it is folded");
    assert!(fold[1].as_str().is_some_and(|text| text.contains("batch [\"note the well is dry\"")), "{fold}");
    // The sums say of how many calls the price is known; they are written some seconds later.
    let counted = async || {
        let path = "/api/v1/series?keys=calls&name=ann";
        let series = http(server.http, "GET", path, Some(&server.token)).await.json();
        series["series"][0]["points"].as_array().is_some_and(|points| !points.is_empty())
    };
    while !counted().await {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    page.click("[data-key='view-vitals']").await;
    let told = "[...document.querySelectorAll('#view figure')].at(-1).querySelector('.told').textContent";
    page.until(&format!("{told}.includes('Price known of 1 of 3 calls')")).await;
}

#[tokio::test]
async fn alike_things_are_counted_on_one_line_of_the_panels() {
    let Some(mut page) = Browser::start().await else { return };
    let server = Server::start_with(Options { tick_ms: 200, ..green() });
    server.dial().await.create("Ann", "swordfish").await;
    let mut ivy = server.immortal("Ivy", 39).await;
    page.play_as(&format!("http://{}/", server.http), "Ann", "swordfish").await;
    ivy.ask("goto ann", "Exits:").await;
    for _ in 0..3 {
        ivy.ask("load obj 122", "bread").await;
        ivy.ask("drop bread", "You drop").await;
    }
    let here = "[...document.querySelectorAll('#here summary')].map((row) => row.textContent)";
    page.until(&format!("{here}.includes('a loaf of bread (3)')")).await;
    page.value("document.querySelector('#line').focus()").await;
    page.write("get all").await;
    page.press("Enter").await;
    let row = "[...document.querySelectorAll('#carried details')].find((row) => row.innerText.includes('bread'))";
    page.until(&format!("{row}.querySelector('summary').textContent === 'a loaf of bread (3)'")).await;
    // A verb of the row means one of them, and the row stays open.
    page.value(&format!("{row}.querySelector('summary').click()")).await;
    let verb = "[...row.querySelectorAll('button')].find((verb) => verb.textContent === 'drop').click()";
    page.value(&format!("((row) => {{ {verb}; }})({row})")).await;
    page.until(&format!("{row}.open && {row}.querySelector('summary').textContent === 'a loaf of bread (2)'")).await;
    page.until(&format!("{here}.includes('a loaf of bread')")).await;
}
