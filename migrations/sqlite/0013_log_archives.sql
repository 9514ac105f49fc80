-- Old entries of logs lie in files. A row for each file: which entries of which log it has, and what the mind was after
-- the last of them, so that it can be opened without reading the file. The files of a log follow each other without a
-- gap and go before all of its rows in `agent_event`, which always keeps the newest entry.

CREATE TABLE agent_archive (
    name        TEXT NOT NULL,
    mind        BIGINT NOT NULL,
    first_seq   BIGINT NOT NULL,
    last_seq    BIGINT NOT NULL,
    file        TEXT NOT NULL,          -- in the folder of archives
    sha256      TEXT NOT NULL,          -- of the file
    entries     BIGINT NOT NULL,
    deeds       BIGINT NOT NULL,        -- those of the kind happening among them
    talk        BIGINT NOT NULL,        -- heard and said
    bytes       BIGINT NOT NULL,        -- of the file
    base        BLOB NOT NULL,          -- JSON, packed with zstd
    base_hash   TEXT NOT NULL,          -- SHA-256 of the JSON
    made_at     BIGINT NOT NULL,
    PRIMARY KEY (name, mind, first_seq)
);
