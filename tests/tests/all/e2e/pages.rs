//! The pages in a browser, as whoever looks at them meets them: by mouse and by keys. Without a Chromium on the machine
//! they are not tried.

use super::green;
use serde_json::json;
use tests::e2e::{Browser, Options, Server};

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
    let row = page.until("document.querySelector('#rows tbody tr')?.innerText").await;
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
    page.open(&format!("http://{}/", server.http)).await;
    page.click("#name").await;
    page.write("Ann").await;
    page.click("#password").await;
    page.write("swordfish").await;
    page.press("Enter").await;
    page.until("document.querySelectorAll('#log .link').length > 2").await;
    page.until("document.activeElement.id === 'line'").await;

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
