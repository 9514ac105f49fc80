-- What those see who look on: how characters fare over time, what thinking costs, and who looked at whom.

CREATE TABLE character_sample (
    name        TEXT NOT NULL,                  -- canonical
    at          BIGINT NOT NULL,                -- unix milliseconds
    tick        BIGINT NOT NULL,
    level       BIGINT NOT NULL,
    exp         BIGINT NOT NULL,
    hp          BIGINT NOT NULL,
    hp_max      BIGINT NOT NULL,
    gold        BIGINT NOT NULL,                -- in hand
    kills       BIGINT NOT NULL,
    deaths      BIGINT NOT NULL,
    room        BIGINT NOT NULL,
    PRIMARY KEY (name, at)
) WITHOUT ROWID;
CREATE INDEX character_sample_by_time ON character_sample (at);

CREATE TABLE server_sample (
    at          BIGINT NOT NULL PRIMARY KEY,    -- unix milliseconds, the same as of the characters
    tick        BIGINT NOT NULL,
    players     BIGINT NOT NULL,                -- in the world, agents among them
    agents      BIGINT NOT NULL,
    tick_us     BIGINT NOT NULL                 -- how long the newest tick took
);

CREATE TABLE usage_hour (
    name        TEXT NOT NULL,                  -- canonical
    hour        BIGINT NOT NULL,                -- unix milliseconds of its beginning
    source      TEXT NOT NULL,                  -- as clients name it: model, policy, reflex; empty: not said
    decisions   BIGINT NOT NULL,
    prompt      BIGINT NOT NULL,                -- tokens read, of these from a cache, and written
    cached      BIGINT NOT NULL,
    output      BIGINT NOT NULL,
    cost_micros BIGINT NOT NULL,                -- millionths of the client's currency
    PRIMARY KEY (name, hour, source)
) WITHOUT ROWID;

CREATE TABLE audit (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          BIGINT NOT NULL,                -- unix milliseconds
    actor       TEXT NOT NULL,                  -- a canonical name, or `operator`: who has the admin token
    origin      TEXT NOT NULL,                  -- api, admin or game
    action      TEXT NOT NULL,
    target      TEXT NOT NULL,                  -- whom or what; may be empty
    detail      TEXT NOT NULL                   -- may be empty
);
CREATE INDEX audit_by_time ON audit (at);
