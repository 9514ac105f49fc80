//! What is written is read back: each form by itself, and any tree.

use super::*;
use crate::hud::node::{Item, Node, Table, column};
use crate::render::markdown::parse::outline;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn each_element_has_its_form() {
    let text = |text: &str| Inline::Text(text.into());
    let nodes = [
        Node::heading(1, "One"),
        Node::heading(2, "Two"),
        Node::heading(3, "Three"),
        Node::Paragraph(vec![
            text("a "),
            Inline::Strong("b".into()),
            text(" "),
            Inline::Em("c".into()),
            text(" "),
            Inline::Code("d`".into()),
            Inline::Break,
            Inline::Link { text: "e".into(), target: "f".into() },
        ]),
        Node::List {
            ordered: true,
            items: vec![Item { pieces: vec![Inline::Struck("done".into())], from: None }, Item::text("# open")],
        },
        Node::List { ordered: false, items: vec![Item::text("x")] },
        Node::Quote("one\n\n# two".into()),
        Node::Code("json".into(), "{}\n```".into()),
        Node::Code("".into(), "pre".into()),
        Node::Rule,
        Node::Nothing,
        Node::Group(vec![Node::line(">hidden?"), Node::Nothing]),
        Node::named("empty", Node::Data(Value::Null)),
        Node::fields(vec![("k", 1.into()), ("s", "a: b".into())]),
        Node::named(
            "t",
            Node::Table(Table::new(
                vec![column("a"), column("b")],
                vec![vec!["~~~".into(), 1.into()], vec!["x".into(), 2.into()]],
                1,
            )),
        ),
        Node::Prose("# Mine\n```\ncode\n---\nend".into()),
    ];
    let wanted = "# One\n## Two\n### Three\na **b** *c* `d'`  \n[e](f)\n1. ~~done~~\n2. \\# open\n- x\n> one\n>\n\
        > # two\n```json\n{}\n'''\n```\n```\npre\n```\n---\n\\>hidden?\nk: 1\ns: \"a: b\"\nt[1]{a,b}:\n  \"~~~\",1\n\
        t_more: 1\n**Mine**\n'''\ncode\n\nend\n";
    assert_eq!(render(&nodes), wanted);
}

fn text(text: &str) -> Inline {
    Inline::Text(text.into())
}

#[test]
fn a_text_is_escaped_only_where_it_would_be_read_otherwise() {
    for (pieces, wanted) in [
        (
            vec![text("Bob's 2 * 3 = 6 [sic], `as` a_b_c; 50 % ~ half")],
            "Bob's 2 \\* 3 = 6 \\[sic\\], \\`as\\` a_b_c; 50 % \\~ half",
        ),
        (vec![text("2 * 3 = 6 [sic], a_b_c ~ so")], "2 * 3 = 6 [sic], a_b_c ~ so"),
        (vec![text("two **stars** here")], "two \\*\\*stars\\*\\* here"),
        (vec![text("C:\\dir \\* x")], "C:\\\\dir \\\\\\* x"),
        (vec![text("a"), Inline::Strong(" b ".into()), text("c")], "a **b** c"),
        (vec![Inline::Em("first".into()), text(" of a line")], "*first* of a line"),
        (vec![Inline::Code("x".into()), text("y")], "`x`y"),
        (vec![text("1. no list")], "1\\. no list"),
        (vec![text("# no heading")], "\\# no heading"),
        (vec![text("goals: none")], "goals\\: none"),
        (vec![text("Motto: a, b and c")], "Motto: a, b and c"),
        (vec![text("all of it: no field")], "all of it: no field"),
        (vec![Inline::Link { text: "a]b".into(), target: "to (x)".into() }], "[a\\]b](to%20%28x%29)"),
    ] {
        let line = render(&[Node::Paragraph(pieces.clone())]);
        assert_eq!(line, format!("{wanted}\n"));
        assert_eq!(parse(&line), [Node::Paragraph(inline::shown(&pieces))], "{line}");
    }
}

#[test]
fn what_is_written_by_hand_is_read_as_well_as_it_can_be() {
    let points =
        |texts: &[&str]| Node::List { ordered: false, items: texts.iter().map(|text| Item::text(*text)).collect() };
    for (written, wanted) in [
        ("* one\n* two", vec![points(&["one", "two"])]),
        (
            "Steps:\n- one\n  - two",
            vec![Node::named("Steps", outline(vec![(0, Item::text("one")), (1, Item::text("two"))]))],
        ),
        ("trust: 0.5\nname: *Bob*", vec![Node::fields([("trust", json!(0.5)), ("name", json!("Bob"))])]),
        ("a\\-b \\#1", vec![Node::line("a-b #1")]),
        ("```\nnever closed", vec![Node::Prose("'''".into()), Node::line("never closed")]),
        ("#### deep", vec![Node::Prose("**deep**".into())]),
        ("| a | b |", vec![Node::Prose("| a | b |".into())]),
        ("> said\n>more", vec![Node::Quote("said\nmore".into())]),
    ] {
        assert_eq!(read(written), wanted, "{written}");
    }
}

// Any tree.

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,5}( [a-z]{1,5}){0,2}",
        3 => "[-a1:#>*~`\\[\\]()\\\\_ .|{}\"]{0,9}",
        1 => "[a-z]{1,4}: ?[a-z\"*,]{0,4}",
        1 => ".{0,8}",
        1 => "[a-z\n]{0,6}",
    ]
}

fn inlines() -> impl Strategy<Value = Vec<Inline>> {
    let piece = prop_oneof![
        4 => words().prop_map(Inline::Text),
        1 => words().prop_map(Inline::Strong),
        1 => words().prop_map(Inline::Em),
        1 => words().prop_map(Inline::Struck),
        1 => words().prop_map(Inline::Code),
        1 => (words(), words()).prop_map(|(text, target)| Inline::Link { text, target }),
        1 => Just(Inline::Break),
    ];
    prop::collection::vec(piece, 0..5)
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    prop::collection::vec(inlines().prop_map(|pieces| Item { pieces, from: None }), 1..4)
}

fn key() -> impl Strategy<Value = String> {
    "[a-z_]{1,4}"
}

/// No blanks of other scripts: TOON trims them.
fn plain_words() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z]{1,5}( [a-z]{1,5}){0,2}", 1 => "[ -~é]{0,9}", 1 => "[a-z\n]{0,6}"]
}

fn data() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
        plain_words().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 1..3).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn table() -> impl Strategy<Value = Table> {
    (prop::collection::vec([plain_words(), plain_words()], 0..4), 0..3_usize).prop_map(|(rows, more)| {
        let rows = rows.into_iter().map(|cells| cells.map(Value::from).to_vec()).collect();
        Table::of(vec![column("id"), column("text")], rows, more)
    })
}

#[test]
fn alike_objects_without_a_name_are_fields() {
    let data = json!({"_": {"_": false, "h": false}, "a": {"_": false, "h": false}});
    let text = render(&[Node::Data(data.clone())]);
    assert_eq!(text, "_:\n  _: false\n  h: false\na:\n  _: false\n  h: false\n");
    assert_eq!(values(&parse(&text)), data);
    // Under a name they are a table.
    let named = render(&[Node::named("all", Node::Data(data))]);
    assert!(named.starts_with("all[2:]{_,h}:\n"), "{named}");
}

/// Rows no deeper than one below the one above.
fn rows() -> impl Strategy<Value = Vec<(usize, Item)>> {
    prop::collection::vec((0..4_usize, inlines()), 1..5).prop_map(|rows| {
        let mut deepest = 0;
        let row = |(depth, pieces): (usize, Vec<Inline>)| {
            let depth = depth.min(deepest);
            deepest = depth + 1;
            (depth, Item { pieces, from: None })
        };
        rows.into_iter().map(row).collect()
    })
}

/// `prose`: nodes too that are shown as whatever they look like.
fn nodes(prose: bool) -> impl Strategy<Value = Vec<Node>> {
    let object =
        prop::collection::btree_map(key(), data(), 0..3).prop_map(|map| Value::Object(map.into_iter().collect()));
    let looks = match prose {
        true => prop::collection::vec(words(), 0..5).prop_map(|lines| Node::Prose(lines.join("\n"))).boxed(),
        false => Just(Node::Nothing).boxed(),
    };
    let leaf = prop_oneof![
        looks,
        Just(Node::Rule),
        (1..=3_u8, "[a-z]{1,4}( [-a-z#*]{1,4})?").prop_map(|(level, title)| Node::heading(level, title)),
        inlines().prop_map(Node::Paragraph),
        prop::collection::vec(words(), 0..4).prop_map(|lines| Node::Quote(lines.join("\n"))),
        ("[a-z]{0,3}", prop::collection::vec(words(), 0..4))
            .prop_map(|(language, lines)| Node::Code(language.into(), lines.join("\n"))),
        (any::<bool>(), items()).prop_map(|(ordered, items)| Node::List { ordered, items }),
        object.prop_map(Node::Data),
        prop::collection::vec((key(), data()), 0..3).prop_map(Node::fields),
        table().prop_map(Node::Table),
        (rows(), 0..3_usize).prop_map(|(rows, more)| match outline(rows) {
            Node::Outline { rows, table } => Node::Outline { rows, table: Table { more, ..table } },
            other => other,
        }),
    ];
    let node = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Node::Group),
            (key(), inner.clone()).prop_map(|(key, inner)| Node::named(key, inner)),
            inner.prop_map(|inner| Node::from(Origin::Layout, inner)),
        ]
    });
    prop::collection::vec(node, 0..6)
}

/// What markdown shows of these nodes: no containers, and what stands together in one.
fn shown(nodes: &[Node]) -> Vec<Node> {
    let mut out = Vec::new();
    nodes.iter().for_each(|node| show(node, &mut out));
    out
}

fn clean(item: &Item) -> Item {
    Item { pieces: inline::shown(&item.pieces), from: None }
}

fn rows_of(rows: &[(usize, Item)], table: &Table) -> Vec<(usize, Item)> {
    let more = (table.more > 0).then(|| (0, Item::text(format!("… {} more", table.more))));
    rows.iter().map(|(depth, item)| (*depth, clean(item))).chain(more).collect()
}

fn show(node: &Node, out: &mut Vec<Node>) {
    if node.is_empty() {
        return;
    }
    match node {
        Node::Nothing => {}
        Node::Group(nodes) => nodes.iter().for_each(|node| show(node, out)),
        Node::From(_, inner) => show(inner, out),
        Node::Named(key, inner) => match &**inner {
            Node::Table(table) => {
                let mut map = Map::new();
                insert_table(key, table, &mut map);
                show_fields(&Value::Object(map), out);
            }
            Node::Outline { rows, table } => out.push(Node::named(key.clone(), outline(rows_of(rows, table)))),
            Node::Fields(_) | Node::Data(_) => {
                show_fields(&Value::Object(Map::from_iter([(key.to_string(), inner.to_value())])), out);
            }
            inner => show(inner, out),
        },
        Node::Paragraph(pieces) => match inline::shown(pieces) {
            pieces if pieces.is_empty() => out.push(Node::line("")),
            pieces => out.push(Node::Paragraph(pieces)),
        },
        Node::Quote(text) => {
            let text = text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            match out.last_mut() {
                Some(Node::Quote(before)) => *before = format!("{before}\n{text}"),
                _ => out.push(Node::Quote(text)),
            }
        }
        Node::Code(language, text) => {
            out.push(Node::Code(language.clone(), code_lines(text).collect::<Vec<_>>().join("\n")));
        }
        Node::List { ordered: true, items } => {
            out.push(Node::List { ordered: true, items: items.iter().map(clean).collect() });
        }
        Node::List { items, .. } => show_rows(items.iter().map(|item| (0, clean(item))).collect(), out),
        Node::Outline { rows, table } => show_rows(rows_of(rows, table), out),
        Node::Fields(_) => show_fields(&values(std::slice::from_ref(node)), out),
        Node::Table(table) => {
            let mut map = Map::new();
            insert_table("rows", table, &mut map);
            show_fields(&Value::Object(map), out);
        }
        Node::Data(value) => show_fields(value, out),
        node => out.push(node.clone()),
    }
}

fn show_fields(value: &Value, out: &mut Vec<Node>) {
    let fields: Vec<(Key, Value)> = value
        .as_object()
        .expect("data has names")
        .iter()
        .map(|(key, value)| (key.clone().into(), value.clone()))
        .collect();
    match out.last_mut() {
        Some(Node::Fields(before)) if fields.iter().all(|(key, _)| before.iter().all(|(other, _)| other != key)) => {
            before.extend(fields);
        }
        // A parser reads one name after the other.
        _ => fields.into_iter().for_each(|field| match out.last_mut() {
            Some(Node::Fields(before)) if before.iter().all(|(key, _)| *key != field.0) => before.push(field),
            _ => out.push(Node::Fields(vec![field])),
        }),
    }
}

/// A list that follows another one goes on with it.
fn show_rows(rows: Vec<(usize, Item)>, out: &mut Vec<Node>) {
    let before = match out.pop() {
        Some(Node::List { ordered: false, items }) => Some(items.into_iter().map(|item| (0, item)).collect()),
        Some(Node::Outline { rows, .. }) => Some(rows),
        Some(Node::Named(key, inner)) => match *inner {
            Node::Outline { rows: mut before, .. } => {
                before.extend(rows);
                out.push(Node::named(key, outline(before)));
                return;
            }
            inner => {
                out.push(Node::named(key, inner));
                None
            }
        },
        Some(other) => {
            out.push(other);
            None
        }
        None => None,
    };
    let mut all: Vec<(usize, Item)> = before.unwrap_or_default();
    all.extend(rows);
    out.push(match all.iter().all(|(depth, _)| *depth == 0) {
        true => Node::List { ordered: false, items: all.into_iter().map(|(_, item)| item).collect() },
        false => outline(all),
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn pieces_come_back_as_they_are_shown(pieces in inlines()) {
        let shown = inline::shown(&pieces);
        let (line, _) = inline::write(&shown);
        prop_assert_eq!(inline::read(&line), shown, "{}", line);
    }

    #[test]
    fn parse_gives_back_what_is_shown(nodes in nodes(false)) {
        let text = render(&nodes);
        prop_assert_eq!(parse(&text), shown(&nodes), "{}", text);
    }

    #[test]
    fn what_was_parsed_is_written_in_the_same_bytes(nodes in nodes(true)) {
        let text = render(&nodes);
        prop_assert_eq!(render(&parse(&text)), text);
    }

    #[test]
    fn whatever_is_read_makes_no_other_heading_and_no_open_fence(text in prop::collection::vec(words(), 0..8)) {
        let text = text.join("\n");
        let written = render(&read(&text));
        let fences = written.lines().filter(|line| line.starts_with("```")).count();
        prop_assert_eq!(fences % 2, 0, "{}", written);
        prop_assert_eq!(render(&parse(&written)), written.as_str());
    }
}
