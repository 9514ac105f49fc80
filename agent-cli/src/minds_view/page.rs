//! The minds of a body as one page of HTML that needs nothing else: no script, nothing to load.

use super::{Entry, View};
use mind::council::routing::Sense;
use mind::counsel::{Fate, MemoEntry, Proposed};
use mind::plans::Plan;
use plot::escaped;
use protocol::minds::MindName;
use protocol::names::clean_text;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
/// Entries of one panel.
const SHOWN_MAX: usize = 200;

/// `refresh_s`: the page reads itself again after so many seconds.
pub fn page(view: &View, refresh_s: Option<u64>) -> String {
    let name = text(&view.name);
    let again = refresh_s.map_or(String::new(), |s| format!("<meta http-equiv=\"refresh\" content=\"{s}\">\n"));
    let gap = if view.has_gap { " · some entries are left out" } else { "" };
    let when = view.entries.values().last().map_or(String::new(), |entry| format!(" · {}", text(&entry.at)));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{again}\
         <title>The minds of {name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>The minds of {name}</h1><p>tick {}, input {}{when}{gap}</p></header>\n",
        view.tick(),
        view.upto,
    );
    let side = text(view.side(MindName::Observer));
    let _ = write!(out, "<section class=\"observer\">\n<h2>OBSERVER</h2>\n<p>{side}</p>\n<div class=\"two\">\n");
    for mind in [MindName::Inner, MindName::Outer] {
        let side = text(view.side(mind));
        let _ = write!(out, "<section class=\"{}\">\n<h2>{mind}</h2>\n<p>{side}</p>\n", mind.word());
        stream(&mut out, &view.stream(mind), "It has perceived nothing yet.");
        plans(&mut out, view, mind);
        out.push_str("</section>\n");
    }
    out.push_str("</div>\n");
    stream(&mut out, &view.observed(), "Nothing was in dispute, and OBSERVER thought nothing yet.");
    open(&mut out, view.proposals.iter().filter(|one| one.fate == Fate::Open));
    plans(&mut out, view, MindName::Observer);
    out.push_str("</section>\n<section class=\"memo\">\n<h2>MEMO</h2>\n<p>what the minds tell each other</p>\n");
    memo(&mut out, &view.memo.entries);
    out.push_str("</section>\n</body>\n</html>\n");
    out
}

/// Words of a mind, as HTML.
fn text(words: &str) -> String {
    escaped(&clean_text(words))
}

/// The newest first in the source: the style shows them at the bottom, where a long list is read.
fn stream(out: &mut String, stream: &[(Sense, &Entry)], none: &str) {
    if stream.is_empty() {
        let _ = writeln!(out, "<p class=\"none\">{none}</p>");
        return;
    }
    out.push_str("<ol class=\"stream\">\n");
    for (sense, entry) in stream.iter().rev().take(SHOWN_MAX) {
        let _ = writeln!(
            out,
            "<li class=\"{}\"><span class=\"seq\" title=\"tick {}, {}\">#{}</span><span class=\"sense\">{}</span>\
             <span>{}</span></li>",
            sense.word().to_lowercase(),
            entry.tick,
            text(&entry.at),
            entry.seq,
            sense.word(),
            text(&entry.text),
        );
    }
    out.push_str("</ol>\n");
}

fn plans(out: &mut String, view: &View, mind: MindName) {
    let open: Vec<&Plan> = view.minds.get(&mind).into_iter().flat_map(|one| one.plans.open()).collect();
    if open.is_empty() {
        return;
    }
    out.push_str("<ul class=\"plans\">\n");
    for plan in open {
        let _ = write!(out, "<li>#{} {}\n<ul>\n", plan.id, text(&plan.text));
        for step in &plan.steps {
            let (class, mark) = if step.done { (" class=\"done\"", "☑") } else { ("", "☐") };
            let meant = if step.meant.is_empty() { String::new() } else { format!("{}: ", text(&step.meant)) };
            let _ = writeln!(out, "<li{class}>{mark} {meant}{}</li>", text(&step.text));
        }
        out.push_str("</ul></li>\n");
    }
    out.push_str("</ul>\n");
}

fn open<'p>(out: &mut String, open: impl Iterator<Item = &'p Proposed>) {
    for one in open {
        let why = because(one.why.as_deref());
        let line = text(&one.line);
        let _ = writeln!(out, "<p class=\"open\">open: #{} {} proposes <b>{line}</b>{why}</p>", one.id, one.mind);
    }
}

fn memo(out: &mut String, entries: &[MemoEntry]) {
    if entries.is_empty() {
        out.push_str("<p class=\"none\">Nothing is in the memo.</p>\n");
        return;
    }
    out.push_str("<ol>\n");
    for entry in entries.iter().rev() {
        let MemoEntry { id, from, to, kind, content, reasoning, tick, .. } = entry;
        let _ = writeln!(
            out,
            "<li class=\"from-{}\"><span class=\"seq\" title=\"tick {tick}\">#{id}</span>\
             <span class=\"who\">{from} → {}, {}</span><span>{}{}</span></li>",
            from.word(),
            to.word(),
            kind.word(),
            text(content),
            because(reasoning.as_deref()),
        );
    }
    out.push_str("</ol>\n");
}

fn because(why: Option<&str>) -> String {
    why.map_or(String::new(), |why| format!(" <span class=\"why\">because {}</span>", text(why)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::view;
    use super::*;

    #[test]
    fn whatever_minds_wrote_is_text_and_nothing_is_loaded() {
        let page = page(&view(), Some(2));
        assert!(page.contains("&lt;b&gt;kill&lt;/b&gt; rat") && page.contains("roads &amp; &lt;i&gt;"), "{page}");
        assert!(!page.contains("<b>kill") && !page.contains("<i>") && !page.contains('\u{1b}'), "{page}");
        for never in ["<script", "http:", "https:", "url(", "<img", "<link"] {
            assert!(!page.contains(never), "{never}");
        }
        assert!(page.contains("http-equiv=\"refresh\" content=\"2\"") && page.contains("default-src 'none'"));
        assert!(page.contains("<li class=\"action\">") && page.contains("☑ dig") && page.contains("inner: rest"));
    }

    #[test]
    fn an_empty_view_is_a_whole_page() {
        let page = page(&View::default(), None);
        assert!(page.ends_with("</html>\n") && !page.contains("refresh") && page.contains("Nothing is in the memo."));
    }
}
