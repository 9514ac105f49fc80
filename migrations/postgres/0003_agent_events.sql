-- The log of each character's mind: what it set out to do, decided, noted and remembered, one entry a row, none ever
-- changed. Written by the server's mind task in batches; the state of a mind is projected from it (crate `mind`).
--
-- No reference to account: an entry that was on its way when its character was deleted must not fail a batch. The rows
-- go with the character, unlike those of `decision`: they are the player's own words.

CREATE TABLE agent_event (
    name            TEXT NOT NULL,      -- canonical
    seq             BIGINT NOT NULL,    -- rises within a name, with gaps; given out by the world
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
    PRIMARY KEY (name, seq)
);
