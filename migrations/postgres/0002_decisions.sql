-- Decisions: every captured command, with the character before and after. Written in batches, read by `dp-server
-- decisions`, never asked by the game.
--
-- Partitioned by month of `at` (UTC). `store::decisions::make_partitions` makes each month ahead of time; what belongs
-- to none, after a jump of the clock, waits in the default partition until its month is made.

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
    PRIMARY KEY (name, at, number, part)
) PARTITION BY RANGE (at);

CREATE TABLE decision_default PARTITION OF decision DEFAULT;
