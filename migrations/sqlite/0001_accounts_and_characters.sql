-- Accounts, their keys and login tokens, characters, sessions, and facts about the database itself.
--
-- Names are canonical: lower-case, as `store::canonical` makes them. Times are unix milliseconds. Truth is 0 or 1.
-- Only BIGINT, TEXT, DOUBLE PRECISION and BLOB/BYTEA, so that one set of queries serves both databases.
-- An id is INTEGER PRIMARY KEY AUTOINCREMENT here: 64 bits, and never used again, which SQLite offers in no other spelling.
-- Boards, mail, houses, clans and agents' event logs come as later files, each with tables of its own.

CREATE TABLE account (
    name          TEXT PRIMARY KEY,
    display_name  TEXT NOT NULL,
    password_hash TEXT,             -- PHC string; NULL: this account logs in by key only
    created_at    BIGINT NOT NULL,
    last_login_at BIGINT
);

CREATE TABLE agent_key (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
    prefix       TEXT NOT NULL,          -- the first 8 hex digits of the key, to tell keys apart in lists
    digest       TEXT NOT NULL UNIQUE,   -- SHA-256 of the whole key, hex
    created_at   BIGINT NOT NULL,
    revoked_at   BIGINT,
    last_used_at BIGINT
);
CREATE INDEX agent_key_by_name ON agent_key (name);

CREATE TABLE login_token (
    digest     TEXT PRIMARY KEY,         -- SHA-256 of the token, hex
    name       TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
    is_agent   BIGINT NOT NULL,
    key_id     BIGINT REFERENCES agent_key (id) ON DELETE CASCADE,   -- the key that was the way in; NULL: a password
    expires_at BIGINT NOT NULL
);
CREATE INDEX login_token_by_name ON login_token (name);
CREATE INDEX login_token_by_expiry ON login_token (expires_at);

-- No reference to account: a batch of saves must not fail because one account has just been deleted.
CREATE TABLE character (
    name             TEXT PRIMARY KEY,
    data             TEXT NOT NULL,      -- JSON of the whole character; the columns beside it are for lists
    written_by_input BIGINT NOT NULL,    -- number of the world's input that made this state; only newer ones replace it
    updated_at       BIGINT NOT NULL,
    level            BIGINT NOT NULL,
    immortal_level   BIGINT NOT NULL     -- 0 for mortals
);

-- No reference to account: what was played stays on record.
CREATE TABLE session (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at   BIGINT,                   -- NULL while it lasts
    door       TEXT NOT NULL,            -- telnet | websocket
    is_agent   BIGINT NOT NULL,
    harness    TEXT,                     -- from here on: what the client said about itself at login
    model      TEXT,
    version    TEXT,
    tier       TEXT,
    valence    BIGINT,
    features   TEXT                      -- JSON list of strings
);
CREATE INDEX session_by_name ON session (name, started_at);

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
