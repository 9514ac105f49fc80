//! `.shp` files: shops, in the version 3 format and in the one before it.

use super::file::{File, vnum_or_none};
use super::flags::{ITEM_NAMES, SHOP_HABITS, ShopHabit, TRADES};
use super::lexer::{Trouble, bits, hundredths, number};
use super::objects::item_type;
use crate::flags::TradeFlags;
use crate::{NOBODY, ShopMessages, ShopProto, ShopTrade, Vnum};

/// The first line of a file in the version 3 format contains this.
const VERSION_3: &str = "v3.0";

/// Length of the lists in older files, which have no end mark.
const OLD_LIST: usize = 5;

pub(super) fn read(file: &mut File) {
    let mut version_3 = false;
    if let Some(line) = file.lexer.peek()
        && line.record_number().is_none()
        && !line.ends_file()
    {
        version_3 = line.text.contains(VERSION_3);
        file.lexer.line();
    }
    file.each_record(|file, vnum, line| {
        let shop = shop(file, vnum, version_3)?;
        let place = file.place(line);
        file.draft.origins.shops.push((vnum, place));
        file.draft.content.shops.push(shop);
        Ok(())
    });
}

fn shop(file: &mut File, vnum: Vnum, version_3: bool) -> Result<ShopProto, Trouble> {
    let products = numbers(file, version_3, OLD_LIST, "a product")?;
    let sells_at = factor(file, "the factor when a player buys")?;
    let buys_at = factor(file, "the factor when a player sells")?;
    let trades = trades(file, version_3)?;
    let messages = ShopMessages {
        no_such_item: file.text("the message no_such_item1")?,
        no_such_offer: file.text("the message no_such_item2")?,
        does_not_trade: file.text("the message do_not_buy")?,
        keeper_is_poor: file.text("the message missing_cash1")?,
        customer_is_poor: file.text("the message missing_cash2")?,
        bought: file.text("the message for buying")?,
        sold: file.text("the message for selling")?,
    };
    let temper = one(file, "the temper")?;
    let habits = flag_line(file, "the shop's habits")?;
    let keeper = vnum_or_none(one(file, "the keeper")?).unwrap_or(NOBODY);
    let refused = flag_line(file, "whom it trades with")?;
    let rooms = numbers(file, version_3, 1, "a room")?;
    let mut hours = [(0, 0); 2];
    for window in &mut hours {
        *window = (one(file, "the hour it opens")?, one(file, "the hour it closes")?);
    }
    let line = file.lexer.line_number().saturating_sub(1);
    let (mut fights, mut uses_bank) = (false, false);
    file.flags("the shop's habits", &SHOP_HABITS, habits, line, |habit| match habit {
        ShopHabit::Fights => fights = true,
        ShopHabit::UsesBank => uses_bank = true,
    });
    let mut refuses = TradeFlags::NONE;
    file.flags("whom the shop refuses", &TRADES, refused, line, |flag| refuses.insert(flag));
    while let Some(line) = file.line_of_record() {
        file.junk(line);
    }
    Ok(ShopProto {
        vnum,
        products,
        sells_at,
        buys_at,
        trades,
        messages,
        keeper,
        refuses,
        rooms,
        hours,
        fights,
        uses_bank,
        temper,
    })
}

/// The number alone on a line.
fn one(file: &mut File, what: &str) -> Result<i32, Trouble> {
    let line = file.lexer.needed(what)?;
    let mut tokens = line.tokens();
    let number = tokens.number(what)?;
    file.nothing_more(tokens);
    Ok(number)
}

fn flag_line(file: &mut File, what: &str) -> Result<u128, Trouble> {
    let line = file.lexer.needed(what)?;
    let mut tokens = line.tokens();
    let word = tokens.word(what)?;
    bits(word).map(u128::from).ok_or_else(|| tokens.trouble(format!("{what} should be flags, not {word:?}")))
}

/// A factor in hundredths.
fn factor(file: &mut File, what: &str) -> Result<i32, Trouble> {
    let line = file.lexer.needed(what)?;
    let mut tokens = line.tokens();
    let word = tokens.word(what)?;
    hundredths(word).ok_or_else(|| tokens.trouble(format!("{what} should be a number, not {word:?}")))
}

/// One number per line: up to a negative one, or `old_length` of them in older files, where unused places are not
/// positive.
fn numbers(file: &mut File, version_3: bool, old_length: usize, what: &str) -> Result<Vec<Vnum>, Trouble> {
    let mut list = Vec::new();
    if version_3 {
        loop {
            match one(file, what)? {
                end if end < 0 => break,
                number => list.push(number),
            }
        }
    } else {
        for _ in 0..old_length {
            list.extend(Some(one(file, what)?).filter(|number| *number > 0));
        }
    }
    list.shrink_to_fit();
    Ok(list)
}

/// A type per line, as number or name, with a keyword expression behind it.
fn trades(file: &mut File, version_3: bool) -> Result<Vec<ShopTrade>, Trouble> {
    let mut trades = Vec::new();
    let mut lines = 0;
    while version_3 || lines < OLD_LIST {
        lines += 1;
        let line = file.lexer.needed("a type of item")?;
        let text = line.text.split(';').next().unwrap_or_default().trim();
        let (type_number, keywords) = trade(text).ok_or_else(|| Trouble {
            line: line.number,
            what: format!("a type of item or -1 should be here, not {:?}", line.text),
        })?;
        if type_number < 0 && version_3 {
            break;
        }
        if type_number <= 0 && !version_3 {
            continue;
        }
        let tables = file.tables();
        let Some(item) = item_type(tables, type_number) else {
            file.warn_once("item type", i64::from(type_number), line.number, || {
                format!("item type {type_number} is not known: the shop does not buy it")
            });
            continue;
        };
        let keywords = file.clean(keywords);
        trades.push(ShopTrade { item, keywords });
    }
    trades.shrink_to_fit();
    Ok(trades)
}

/// The number of `5`, `weapon`, `5 sword|axe` or `5sword|axe`, and the keyword expression.
fn trade(text: &str) -> Option<(i32, &str)> {
    let signed = text.strip_prefix('-').unwrap_or(text);
    let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let (type_number, keywords) = text.split_at(text.len() - signed.len() + digits);
        return Some((number(type_number)?, keywords.trim()));
    }
    let starts_with = |name: &str| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let index = ITEM_NAMES.iter().position(|name| starts_with(name))?;
    Some((index as i32 + 1, text[ITEM_NAMES[index].len()..].trim()))
}
