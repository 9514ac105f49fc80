//! Retrieval.
