//! The tree that a section is made of: elements of a document that know no format. The renderers write it.
//!
//! What a line comes from is in the nodes (`Origin`) where its place in the prompt does not say it already; renderers
//! that write for models drop it.
//!
//! Invariant: headings, keys and columns are our own words, or of whoever may write a section (`Key`), so no text of
//! others can be one. A node that has nothing to say renders nothing, in every format.

use super::origin::Origin;
use serde_json::Value;
use std::borrow::Cow;

/// A name in a document: ours, or one that was read from a section.
pub type Key = Cow<'static, str>;

#[derive(Clone, PartialEq, Debug, Default)]
pub enum Node {
    #[default]
    Nothing,
    /// A plain container.
    Group(Vec<Node>),
    /// Level 1 to 3. Data formats have keys instead.
    Heading(u8, Key),
    /// What data formats call this. Markdown writes the key before data; prose has its heading.
    Named(Key, Box<Node>),
    /// What all fields in it come from.
    From(Origin, Box<Node>),
    Paragraph(Vec<Inline>),
    /// Several lines of the operator's own; headings and fences in it lose their force.
    Prose(String),
    /// Several lines of others, quoted.
    Quote(String),
    /// With the name of a language, or without: preformatted.
    Code(Key, String),
    List {
        ordered: bool,
        items: Vec<Item>,
    },
    Fields(Vec<(Key, Value)>),
    Table(Table),
    /// Rows under each other: a nested list in markdown, each with how deep it is; for data a table.
    Outline {
        rows: Vec<(usize, Item)>,
        table: Table,
    },
    /// A tree of data: a document of the agent's own.
    Data(Value),
    Rule,
}

/// A point of a list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Item {
    pub pieces: Vec<Inline>,
    /// `None`: what the list comes from.
    pub from: Option<Origin>,
}

impl Item {
    pub fn text(text: impl Into<String>) -> Item {
        Item { pieces: vec![Inline::Text(text.into())], from: None }
    }

    pub fn of(self, from: Origin) -> Item {
        Item { from: Some(from), ..self }
    }

    /// The text without marks.
    pub fn plain(&self) -> String {
        self.pieces.iter().map(Inline::plain).collect()
    }
}

/// A piece of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inline {
    /// Any text; marks in it lose their force.
    Text(String),
    Strong(String),
    Em(String),
    Struck(String),
    Code(String),
    Link {
        text: String,
        target: String,
    },
    Break,
}

impl Inline {
    /// The text without marks.
    pub fn plain(&self) -> &str {
        match self {
            Inline::Text(text)
            | Inline::Strong(text)
            | Inline::Em(text)
            | Inline::Struck(text)
            | Inline::Code(text) => text,
            Inline::Link { text, .. } => text,
            Inline::Break => "\n",
        }
    }
}

/// Rows of the same shape.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    /// As many cells as there are columns; numbers, strings, booleans or null.
    pub rows: Vec<Vec<Value>>,
    /// Rows that had no room.
    pub more: usize,
    /// What each row comes from, where that is not the same for all.
    pub from: Vec<Origin>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub name: Key,
    /// A column in which every row has this is left out.
    pub usual: Value,
}

/// A column that is shown unless all its cells are null or empty.
pub fn column(name: impl Into<Key>) -> Column {
    Column { name: name.into(), usual: Value::Null }
}

/// A column that is shown unless all its cells are `usual`.
pub fn column_unless(name: impl Into<Key>, usual: impl Into<Value>) -> Column {
    Column { name: name.into(), usual: usual.into() }
}

impl Table {
    /// The first `limit` of the rows, the rest counted.
    pub fn new(columns: Vec<Column>, mut rows: Vec<Vec<Value>>, limit: usize) -> Table {
        let more = rows.len().saturating_sub(limit);
        rows.truncate(limit);
        Table { columns, rows, more, from: Vec::new() }
    }

    /// All rows, where `more` were left out before.
    pub fn of(columns: Vec<Column>, rows: Vec<Vec<Value>>, more: usize) -> Table {
        Table { columns, rows, more, from: Vec::new() }
    }

    /// Each row comes from the entry of the log whose number is its first cell.
    pub fn by_entry(mut self) -> Table {
        self.from = self.rows.iter().map(|row| Origin::Entries(row[0].as_u64().into_iter().collect())).collect();
        self
    }

    /// An array of objects, without the columns that say nothing; of plain values where one column is left.
    pub fn to_value(&self) -> Value {
        let silent = |cell: &Value, usual: &Value| cell.is_null() || cell == usual || cell.as_str() == Some("");
        let mut shown: Vec<usize> = (0..self.columns.len())
            .filter(|&n| self.rows.iter().any(|row| !silent(&row[n], &self.columns[n].usual)))
            .collect();
        if shown.is_empty() {
            shown.push(0);
        }
        if let [only] = shown[..] {
            return self.rows.iter().map(|row| row[only].clone()).collect::<Vec<_>>().into();
        }
        let object = |row: &Vec<Value>| {
            shown.iter().map(|&n| (self.columns[n].name.to_string(), row[n].clone())).collect::<serde_json::Map<_, _>>()
        };
        Value::Array(self.rows.iter().map(|row| Value::Object(object(row))).collect())
    }
}

impl Node {
    pub fn named(key: impl Into<Key>, node: Node) -> Node {
        Node::Named(key.into(), Box::new(node))
    }

    pub fn heading(level: u8, title: impl Into<Key>) -> Node {
        Node::Heading(level, title.into())
    }

    pub fn fields<K: Into<Key>>(fields: impl IntoIterator<Item = (K, Value)>) -> Node {
        Node::Fields(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    pub fn from(origin: Origin, node: Node) -> Node {
        Node::From(origin, Box::new(node))
    }

    /// A paragraph of one text.
    pub fn line(text: impl Into<String>) -> Node {
        Node::Paragraph(vec![Inline::Text(text.into())])
    }

    /// Nothing in it to show.
    pub fn is_empty(&self) -> bool {
        match self {
            Node::Nothing => true,
            Node::Group(nodes) => nodes.iter().all(Node::is_empty),
            Node::Named(_, node) | Node::From(_, node) => node.is_empty(),
            Node::Paragraph(pieces) => pieces.is_empty(),
            Node::Prose(text) | Node::Quote(text) | Node::Code(_, text) => text.trim().is_empty(),
            Node::List { items, .. } => items.is_empty(),
            Node::Fields(fields) => fields.is_empty(),
            Node::Table(table) | Node::Outline { table, .. } => table.rows.is_empty() && table.more == 0,
            Node::Data(value) => match value {
                Value::Null => true,
                Value::Object(map) => map.is_empty(),
                Value::Array(items) => items.is_empty(),
                _ => false,
            },
            Node::Heading(..) | Node::Rule => false,
        }
    }

    /// What the data formats write.
    pub fn to_value(&self) -> Value {
        match self {
            Node::Group(nodes) => values(nodes),
            Node::Paragraph(pieces) => Value::String(pieces.iter().map(Inline::plain).collect()),
            Node::Prose(text) | Node::Quote(text) | Node::Code(_, text) => Value::String(text.clone()),
            Node::List { items, .. } => items.iter().map(|item| Value::String(item.plain())).collect::<Vec<_>>().into(),
            Node::Table(table) | Node::Outline { table, .. } => table.to_value(),
            Node::Data(value) => value.clone(),
            Node::From(_, node) => node.to_value(),
            Node::Named(..) | Node::Fields(_) => values(std::slice::from_ref(self)),
            Node::Nothing | Node::Heading(..) | Node::Rule => Value::Null,
        }
    }
}

/// The object that these nodes make: named ones and fields are entries, a text without a name is `text`. Of nothing but
/// one nameless node, that node's value.
pub fn values(nodes: &[Node]) -> Value {
    let mut map = serde_json::Map::new();
    let mut nameless = Vec::new();
    collect(nodes, &mut map, &mut nameless);
    match (map.is_empty(), nameless.len()) {
        (true, 0) => Value::Object(map),
        (true, 1) => nameless.remove(0),
        (true, _) => Value::Array(nameless),
        (false, 0) => Value::Object(map),
        (false, 1) => {
            map.insert("text".into(), nameless.remove(0));
            Value::Object(map)
        }
        (false, _) => {
            map.insert("text".into(), Value::Array(nameless));
            Value::Object(map)
        }
    }
}

fn collect(nodes: &[Node], map: &mut serde_json::Map<String, Value>, nameless: &mut Vec<Value>) {
    for node in nodes {
        if node.is_empty() {
            continue;
        }
        match node {
            Node::Nothing | Node::Heading(..) | Node::Rule => {}
            Node::Group(inner) => collect(inner, map, nameless),
            Node::From(_, inner) => collect(std::slice::from_ref(&**inner), map, nameless),
            Node::Fields(fields) => map.extend(fields.iter().map(|(key, value)| (key.to_string(), value.clone()))),
            Node::Named(key, inner) => {
                if let Node::Table(table) | Node::Outline { table, .. } = &**inner {
                    insert_table(key, table, map);
                } else {
                    map.insert(key.to_string(), inner.to_value());
                }
            }
            other => nameless.push(other.to_value()),
        }
    }
}

/// Rows under the key, and how many more there were under `<key>_more`.
pub fn insert_table(key: &str, table: &Table, map: &mut serde_json::Map<String, Value>) {
    if !table.rows.is_empty() {
        map.insert(key.to_string(), table.to_value());
    }
    if table.more > 0 {
        map.insert(format!("{key}_more"), table.more.into());
    }
}
