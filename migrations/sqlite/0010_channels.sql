-- Persons, channels and what was said in them, as the world last told: what a world without its journal begins with,
-- and where older messages are looked up. Ids are the world's own and never given twice.
-- A row is replaced only by one that a later input of the world (`number`) made.

CREATE TABLE person (
    id        BIGINT PRIMARY KEY,
    name      TEXT NOT NULL,            -- canonical
    display   TEXT NOT NULL,            -- as it is shown
    folded    TEXT NOT NULL UNIQUE,     -- of that, the letters and digits in lower case
    looks     TEXT NOT NULL,            -- of that, with what looks alike made one
    away_from BIGINT,                   -- messages from this one on came while nobody read them, …
    back_at   BIGINT,                   -- … up to this one; NULL: it is away, or never was
    number    BIGINT NOT NULL
);
CREATE UNIQUE INDEX person_by_name ON person (name);
CREATE INDEX person_by_looks ON person (looks);

-- No references between these tables: rows of one input may be written in different batches.
CREATE TABLE channel (
    id          BIGINT PRIMARY KEY,
    kind        TEXT NOT NULL,          -- home | direct | group | global
    name        TEXT NOT NULL,          -- of a group
    owner       BIGINT,
    is_party    BIGINT NOT NULL,
    wpm         BIGINT NOT NULL,
    cooling     BIGINT NOT NULL,
    access      TEXT NOT NULL,          -- open | key | closed
    billboard   TEXT NOT NULL,
    agents_in_a_row BIGINT NOT NULL,    -- messages in a row by programs alone
    number      BIGINT NOT NULL
);

CREATE TABLE channel_member (
    channel     BIGINT NOT NULL,
    person      BIGINT NOT NULL,
    attention   TEXT NOT NULL,          -- 30% | %* | auto
    words       BIGINT NOT NULL,        -- the account, in thirtieths of a word; negative is a debt
    words_tick  BIGINT NOT NULL,        -- when it stood so
    last_spoke  BIGINT,                 -- tick
    read_id     BIGINT NOT NULL,        -- it was shown what stands up to this message
    joined_id   BIGINT NOT NULL,        -- and sees what stands after this one
    muted_from  BIGINT,
    acquainted  BIGINT NOT NULL,        -- 1: in a direct channel, it knows who the other is
    number      BIGINT NOT NULL,
    PRIMARY KEY (channel, person)
);

CREATE TABLE channel_key (
    channel BIGINT NOT NULL,
    word    TEXT NOT NULL,
    PRIMARY KEY (channel, word)
);

CREATE TABLE channel_request (
    id      BIGINT PRIMARY KEY,         -- of the message that announced it
    channel BIGINT NOT NULL,
    person  BIGINT NOT NULL,
    word    TEXT NOT NULL,              -- the key that was tried
    tick    BIGINT NOT NULL
);
CREATE INDEX channel_request_of_channel ON channel_request (channel);

-- Who may come in without a key.
CREATE TABLE channel_guest (
    channel BIGINT NOT NULL,
    person  BIGINT NOT NULL,
    PRIMARY KEY (channel, person)
);

CREATE TABLE message (
    id          BIGINT PRIMARY KEY,     -- rises with time
    channel     BIGINT NOT NULL,
    sender      BIGINT,                 -- NULL: a mob or the server
    sender_name TEXT,                   -- as it was shown then; NULL: of an account that was deleted
    sender_kind TEXT NOT NULL,          -- person | persona | bot | mob | architect | system
    type        TEXT NOT NULL,          -- text | system
    body        TEXT NOT NULL,
    reply_to    BIGINT,
    typed_by    BIGINT NOT NULL,        -- the input that typed it
    hidden      BIGINT NOT NULL,        -- 1: its owner took it down
    veiled      BIGINT NOT NULL,        -- 1: its speaker was invisible
    number      BIGINT NOT NULL,        -- the input that said it
    tick        BIGINT NOT NULL,
    at          BIGINT NOT NULL         -- when that input came, unix milliseconds
);
CREATE INDEX message_of_channel ON message (channel, id);
CREATE INDEX message_of_sender ON message (sender);

CREATE TABLE reaction (
    message  BIGINT NOT NULL,
    person   BIGINT NOT NULL,
    reaction TEXT NOT NULL,             -- thumbs_up | thumbs_down | brain | heart
    PRIMARY KEY (message, person, reaction)
);

-- Names of accounts by what they look like: whoever chooses a name to be shown must not be taken for somebody else.
CREATE INDEX account_by_looks ON account
    (REPLACE(REPLACE(REPLACE(REPLACE(name, '0', 'o'), '1', 'l'), 'i', 'l'), '5', 's'));
