-- Agents as the world last told: their records, who may make them, and those that were ordered and are not made yet.
-- A row is replaced only by one that a later input of the world (`number`) made.

CREATE TABLE agent (
    id          BIGINT PRIMARY KEY,     -- of the person
    kind        TEXT NOT NULL,          -- persona | bot
    model       TEXT,                   -- NULL: whatever its client has
    seed        TEXT NOT NULL,          -- who it is, or what it is for
    guidelines  TEXT NOT NULL,          -- its own
    tier        TEXT,
    in_format   TEXT,
    out_format  TEXT,
    may_create_agents BIGINT NOT NULL,
    think_ds    BIGINT NOT NULL,        -- tenths of a second from one thought to the next
    wakes_at    BIGINT,                 -- it sleeps until then, unix milliseconds
    owner       BIGINT,                 -- NULL: the operator
    created_by  BIGINT,
    retired     BIGINT NOT NULL,
    number      BIGINT NOT NULL
);
CREATE INDEX agent_by_owner ON agent (owner);

-- Rights of persons beside what their records say.
CREATE TABLE agent_right (
    person      BIGINT PRIMARY KEY,
    may_create_agents BIGINT NOT NULL,
    is_architect BIGINT NOT NULL,
    number      BIGINT NOT NULL
);

CREATE TABLE agent_order (
    id          BIGINT PRIMARY KEY,     -- that the agent will have
    name        TEXT,
    kind        TEXT NOT NULL,
    seed        TEXT NOT NULL,
    owner       BIGINT,
    created_by  BIGINT NOT NULL,
    channel     BIGINT NOT NULL,        -- it will be a member of
    number      BIGINT NOT NULL
);

-- Words of a member that wait to be said: JSON, empty where none do.
ALTER TABLE channel_member ADD COLUMN waiting TEXT NOT NULL DEFAULT '';
