-- A log belongs to a character and to one of its minds. Each has one now, number 0: what is there becomes the log of
-- that one. SQLite cannot change a primary key, so the tables are made anew; the numbers of entries stay.

CREATE TABLE agent_event_new (
    name            TEXT NOT NULL,      -- canonical
    mind            BIGINT NOT NULL,    -- which of the character's minds, from 0
    seq             BIGINT NOT NULL,    -- rises within a log, with gaps; from one counter of the character
    number          BIGINT NOT NULL,    -- the world's input that brought it
    tick            BIGINT NOT NULL,    -- at which that ran
    at              BIGINT NOT NULL,    -- when the input came, unix milliseconds
    session         BIGINT,             -- id of the session record; NULL: not known, after a restart
    kind            TEXT NOT NULL,      -- as `note.add`
    payload         TEXT NOT NULL,      -- JSON object of what else the kind has
    valence         BIGINT,             -- from here on: of outcomes that are remembered; NULL for what a mind wrote
    importance      BIGINT,
    salience0       DOUBLE PRECISION,
    novel           BIGINT,             -- 1: the first encounter of its sort
    evidence        TEXT,               -- JSON list of seqs
    social_event_id TEXT,
    PRIMARY KEY (name, mind, seq)
) WITHOUT ROWID;

INSERT INTO agent_event_new
    SELECT name, 0, seq, number, tick, at, session, kind, payload, valence, importance, salience0, novel, evidence,
           social_event_id
    FROM agent_event ORDER BY name, seq;

DROP TABLE agent_event;
ALTER TABLE agent_event_new RENAME TO agent_event;

-- What changes the state of a mind, among the many records of what happened, which do not.
CREATE INDEX agent_event_of_mind ON agent_event (name, mind, seq) WHERE kind <> 'happening';

CREATE TABLE memory_graph_new (
    name  TEXT NOT NULL,        -- canonical
    mind  BIGINT NOT NULL,
    graph BLOB NOT NULL,        -- the canonical document (crate `dreaming`), compressed with zstd
    hash  TEXT NOT NULL,        -- of the document before that, 32 hex digits
    PRIMARY KEY (name, mind)
);
INSERT INTO memory_graph_new SELECT name, 0, graph, hash FROM memory_graph;
DROP TABLE memory_graph;
ALTER TABLE memory_graph_new RENAME TO memory_graph;

CREATE TABLE memory_cursor_new (
    name     TEXT NOT NULL,     -- canonical
    mind     BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,   -- the newest entry of the log that was dreamt
    last_at  BIGINT NOT NULL,   -- its time, unix milliseconds
    through  BIGINT NOT NULL,   -- the last night slept through, days since 1970-01-01 in the calendar of the graph
    dreamt_at BIGINT NOT NULL,  -- when the dream was, unix milliseconds
    summary  TEXT NOT NULL,     -- the story
    hash     TEXT NOT NULL,     -- of the story, 32 hex digits
    PRIMARY KEY (name, mind)
);
INSERT INTO memory_cursor_new SELECT name, 0, last_seq, last_at, through, dreamt_at, summary, hash FROM memory_cursor;
DROP TABLE memory_cursor;
ALTER TABLE memory_cursor_new RENAME TO memory_cursor;

-- Number of the newest input of the world when the account was made; NULL: made before this was noted. What a recovery
-- finds of an earlier input is of another character of the same name.
ALTER TABLE account ADD COLUMN born_input BIGINT;
