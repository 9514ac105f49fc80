-- Decisions: every captured command, with the character before and after. Written in batches, read by `dp-server
-- decisions`, never asked by the game.
--
-- Sorted by time, so that a batch is appended as it is. An index by name and time would cost several times as much as
-- the rows, as each row of a batch belongs on another of its pages. So the index is kept by hand and coarse: in which
-- spans of ten minutes a name has rows at all. An export reads those spans.

CREATE TABLE decision (
    name          TEXT NOT NULL,      -- canonical
    at            BIGINT NOT NULL,    -- when the command came, unix milliseconds
    number        BIGINT NOT NULL,    -- the world's input that brought it
    part          BIGINT NOT NULL,    -- its place among the commands that an alias made of that input, from 0
    tick          BIGINT NOT NULL,    -- at which it ran
    session       BIGINT,             -- id of the session record; NULL: not known
    command       TEXT NOT NULL,      -- the verb as it was typed
    args          TEXT NOT NULL,      -- what followed it
    pre_hp        BIGINT NOT NULL,
    pre_mana      BIGINT NOT NULL,
    pre_move      BIGINT NOT NULL,
    pre_position  TEXT NOT NULL,
    pre_room      BIGINT NOT NULL,    -- vnum
    post_hp       BIGINT NOT NULL,
    post_mana     BIGINT NOT NULL,
    post_move     BIGINT NOT NULL,
    post_position TEXT NOT NULL,
    post_room     BIGINT NOT NULL,
    error         TEXT,               -- the sentence with which it was refused
    latency_us    BIGINT,             -- from its coming to its end; NULL: not known, after a restart
    model         TEXT,               -- from here on: what the client said, at login and with the command
    harness       TEXT,
    version       TEXT,
    memory_ids    TEXT,               -- JSON
    source        TEXT,
    meta          TEXT,               -- JSON of what else came with the command
    PRIMARY KEY (at, number, part)
) WITHOUT ROWID;

CREATE TABLE decision_span (
    name TEXT NOT NULL,
    span BIGINT NOT NULL,             -- `at` divided by 600,000, rounded down
    PRIMARY KEY (name, span)
) WITHOUT ROWID;
