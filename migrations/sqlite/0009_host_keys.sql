-- Keys of hosts: whoever holds one may play the agents of its owner. As keys of agents, only the digest is stored.
CREATE TABLE owner_key (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        TEXT NOT NULL REFERENCES account (name) ON DELETE CASCADE,
    prefix       TEXT NOT NULL,          -- the first 8 hex digits of the key, to tell keys apart in lists
    digest       TEXT NOT NULL UNIQUE,   -- SHA-256 of the whole key, hex
    created_at   BIGINT NOT NULL,
    revoked_at   BIGINT,
    last_used_at BIGINT
);
CREATE INDEX owner_key_by_owner ON owner_key (owner);

-- The host that a token was given to; it ends with the key.
ALTER TABLE login_token ADD COLUMN owner_key_id BIGINT REFERENCES owner_key (id) ON DELETE CASCADE;
