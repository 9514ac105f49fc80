//! The words on the wire and in the records.
