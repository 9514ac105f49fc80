-- What each character remembers: the graph of its dreams, how far in its log they have come, and the story.
--
-- Made of `agent_event` and nothing else, so all of it can be made anew by dreaming from the beginning. No reference to
-- account, as there; the rows go with the log.

CREATE TABLE memory_graph (
    name  TEXT PRIMARY KEY,     -- canonical
    graph BLOB NOT NULL,         -- the canonical document (crate `dreaming`), compressed with zstd
    hash  TEXT NOT NULL         -- of the document before that, 32 hex digits
);

CREATE TABLE memory_cursor (
    name     TEXT PRIMARY KEY,  -- canonical
    last_seq BIGINT NOT NULL,   -- the newest entry of the log that was dreamt
    last_at  BIGINT NOT NULL,   -- its time, unix milliseconds
    through  BIGINT NOT NULL,   -- the last night slept through, days since 1970-01-01 in the calendar of the graph
    dreamt_at BIGINT NOT NULL,  -- when the dream was, unix milliseconds
    summary  TEXT NOT NULL,     -- the story
    hash     TEXT NOT NULL      -- of the story, 32 hex digits
);
