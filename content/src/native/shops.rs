//! `shops.toml`: shops.

use super::numbers::FACTOR;
use super::table::{File, Table};
use super::text::{Toml, inline_text};
use crate::{NOBODY, ShopMessages, ShopProto, ShopTrade};

/// The whole day.
const ALWAYS_OPEN: [(i32, i32); 2] = [(0, HOUR_MAX), (0, 0)];
/// Source: game reference: worlds of Circle write 28 for a shop that never closes.
const HOUR_MAX: i32 = 28;

/// Hundredths of the cost that a keeper pays, where the file does not say.
const BUYS_AT: i32 = 80;

pub(super) fn read(file: &mut File, root: &mut Table, _zone: i32) {
    for mut row in file.rows(root, "shop") {
        if let Some(vnum) = file.vnum(&mut row) {
            if !row.has("sells_at") {
                file.error(row.line, "shop without sells_at");
            }
            let line = file.line_of(&row, "sells_at");
            let sells_at = file.hundredths(&mut row, "sells_at", FACTOR).unwrap_or(100);
            if sells_at == 0 {
                file.warn(line, "sells_at is 0: all of it is for nothing");
            }
            let shop = ShopProto {
                vnum,
                products: file.field(&mut row, "products").unwrap_or_default(),
                sells_at,
                buys_at: file.hundredths(&mut row, "buys_at", FACTOR).unwrap_or(BUYS_AT),
                trades: trades(file, &mut row),
                messages: messages(file, &mut row),
                keeper: file.field(&mut row, "keeper").unwrap_or(NOBODY),
                refuses: file.field(&mut row, "refuses").unwrap_or_default(),
                rooms: file.field(&mut row, "rooms").unwrap_or_default(),
                hours: hours(file, &mut row),
                fights: file.field(&mut row, "fights").unwrap_or(false),
                uses_bank: file.field(&mut row, "uses_bank").unwrap_or(false),
                temper: file.field(&mut row, "temper").unwrap_or_default(),
            };
            let place = file.place(row.line);
            file.draft.origins.shops.push((vnum, place));
            file.draft.content.shops.push(shop);
            file.end(row);
        }
    }
}

fn trades(file: &mut File, row: &mut Table) -> Vec<ShopTrade> {
    let mut trades = Vec::new();
    for mut trade in file.rows(row, "trades") {
        if let Some(item) = file.needed(&mut trade, "item") {
            trades.push(ShopTrade { item, keywords: file.text(&mut trade, "keywords") });
        }
        file.end(trade);
    }
    trades.shrink_to_fit();
    trades
}

fn messages(file: &mut File, row: &mut Table) -> ShopMessages {
    let Some(mut table) = file.table(row, "messages") else {
        file.error(row.line, "shop without messages");
        let none = file.share("");
        return ShopMessages {
            no_such_item: none.clone(),
            no_such_offer: none.clone(),
            does_not_trade: none.clone(),
            keeper_is_poor: none.clone(),
            customer_is_poor: none.clone(),
            bought: none.clone(),
            sold: none,
        };
    };
    let messages = ShopMessages {
        no_such_item: file.needed_text(&mut table, "no_such_item"),
        no_such_offer: file.needed_text(&mut table, "no_such_offer"),
        does_not_trade: file.needed_text(&mut table, "does_not_trade"),
        keeper_is_poor: file.needed_text(&mut table, "keeper_is_poor"),
        customer_is_poor: file.needed_text(&mut table, "customer_is_poor"),
        bought: file.needed_text(&mut table, "bought"),
        sold: file.needed_text(&mut table, "sold"),
    };
    file.end(table);
    messages
}

/// Up to two windows; a missing one is empty.
fn hours(file: &mut File, row: &mut Table) -> [(i32, i32); 2] {
    let line = file.line_of(row, "hours");
    let Some(windows) = file.field::<Vec<(i32, i32)>>(row, "hours") else { return ALWAYS_OPEN };
    let mut hours = [(0, 0); 2];
    if windows.len() > hours.len() {
        file.error(line, "hours should be at most two windows");
    }
    if windows.iter().flat_map(|(opens, closes)| [opens, closes]).any(|hour| !(0..=HOUR_MAX).contains(hour)) {
        file.error(line, format!("hours should be from 0 to {HOUR_MAX}"));
    }
    for (place, window) in hours.iter_mut().zip(windows) {
        *place = window;
    }
    hours
}

pub(super) fn write(shop: &ShopProto, toml: &mut Toml) {
    toml.header("[[shop]]");
    toml.number("vnum", shop.vnum);
    toml.number_unless("keeper", shop.keeper, NOBODY);
    toml.numbers("rooms", &shop.rooms);
    toml.numbers("products", &shop.products);
    toml.hundredths("sells_at", shop.sells_at);
    toml.hundredths("buys_at", shop.buys_at);
    if !shop.trades.is_empty() {
        toml.line("trades = [");
        for trade in &shop.trades {
            let keywords = match &*trade.keywords {
                "" => String::new(),
                keywords => format!(", keywords = {}", inline_text(keywords)),
            };
            toml.line(format_args!("  {{ item = \"{}\"{keywords} }},", trade.item));
        }
        toml.line("]");
    }
    if shop.hours != ALWAYS_OPEN {
        let used = shop.hours.iter().rposition(|window| *window != (0, 0)).map_or(0, |last| last + 1);
        let windows: Vec<String> = shop.hours[..used].iter().map(|(from, to)| format!("[{from}, {to}]")).collect();
        toml.raw("hours", format_args!("[{}]", windows.join(", ")));
    }
    toml.names("refuses", shop.refuses.names());
    toml.flag("fights", shop.fights);
    toml.flag("uses_bank", shop.uses_bank);
    toml.number_unless("temper", shop.temper, 0);
    toml.header("[shop.messages]");
    let messages = &shop.messages;
    toml.text("no_such_item", &messages.no_such_item);
    toml.text("no_such_offer", &messages.no_such_offer);
    toml.text("does_not_trade", &messages.does_not_trade);
    toml.text("keeper_is_poor", &messages.keeper_is_poor);
    toml.text("customer_is_poor", &messages.customer_is_poor);
    toml.text("bought", &messages.bought);
    toml.text("sold", &messages.sold);
}
