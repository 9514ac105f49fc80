//! Structs read from rows of either database: `from_row!(KeyRow { id, counter input, optional note })`.
//!
//! It does what `#[derive(sqlx::FromRow)]` does. The derive would build SQLite and PostgreSQL's driver once more for
//! the compiler's own use, which is a minute of a newcomer's first build.

use sqlx::{ColumnIndex, Decode, Error, Row, Type};

/// The column of the field's name becomes the field; behind `counter` a number from 0 that is stored as `BIGINT`,
/// behind
/// `optional` the default where the query has no such column.
macro_rules! from_row {
    ($name:ident { $($fields:tt)* }) => {
        from_row!(@for sqlx::sqlite::SqliteRow, $name { $($fields)* });
        from_row!(@for sqlx::postgres::PgRow, $name { $($fields)* });
    };
    (@for $row:ty, $name:ident { $($fields:tt)* }) => {
        impl<'r> sqlx::FromRow<'r, $row> for $name {
            fn from_row(row: &'r $row) -> Result<Self, sqlx::Error> {
                from_row!(@read row, $name {} $($fields)*)
            }
        }
    };
    (@read $row:ident, $name:ident { $($read:tt)* }) => {
        Ok($name { $($read)* })
    };
    (@read $row:ident, $name:ident { $($read:tt)* } counter $field:ident $(, $($rest:tt)*)?) => {
        from_row!(@read $row, $name {
            $($read)* $field: $crate::store::from_row::counter($row, stringify!($field))?,
        } $($($rest)*)?)
    };
    (@read $row:ident, $name:ident { $($read:tt)* } optional $field:ident $(, $($rest:tt)*)?) => {
        from_row!(@read $row, $name {
            $($read)* $field: $crate::store::from_row::optional($row, stringify!($field))?,
        } $($($rest)*)?)
    };
    (@read $row:ident, $name:ident { $($read:tt)* } $field:ident $(, $($rest:tt)*)?) => {
        from_row!(@read $row, $name {
            $($read)* $field: sqlx::Row::try_get($row, stringify!($field))?,
        } $($($rest)*)?)
    };
}

/// A `BIGINT` that is never below 0.
pub(super) fn counter<'r, R: Row>(row: &'r R, column: &'static str) -> Result<u64, Error>
where
    &'static str: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
{
    let stored: i64 = row.try_get(column)?;
    u64::try_from(stored).map_err(|cause| Error::ColumnDecode { index: column.to_owned(), source: cause.into() })
}

/// The default where the query does not ask for the column.
pub(super) fn optional<'r, R: Row, T>(row: &'r R, column: &'static str) -> Result<T, Error>
where
    &'static str: ColumnIndex<R>,
    T: Default + Decode<'r, R::Database> + Type<R::Database>,
{
    match row.try_get(column) {
        Err(Error::ColumnNotFound(_)) => Ok(T::default()),
        read => read,
    }
}

/// A number of the world as a column holds it.
pub(super) fn column(number: u64) -> i64 {
    i64::try_from(number).expect("the world counts from 0, one by one")
}

/// A number of the world of a column that only this program writes.
pub(super) fn count(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}

/// An id of a person or a channel, of a column that only this program writes.
pub(super) fn id(column: i64) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}
