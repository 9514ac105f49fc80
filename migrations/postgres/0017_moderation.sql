-- Who is kept out, and what players complained of: for those who keep order.

CREATE TABLE ban (
    target      TEXT NOT NULL PRIMARY KEY,      -- a canonical name, or a network such as 192.0.2.0/24
    until       BIGINT,                         -- unix milliseconds; none: for good
    reason      TEXT NOT NULL,                  -- may be empty
    by_name     TEXT NOT NULL,                  -- whose ban it is
    at          BIGINT NOT NULL                 -- since when, unix milliseconds
);

CREATE TABLE complaint (
    id          BIGINT NOT NULL PRIMARY KEY,    -- of the numbers of messages
    by_person   BIGINT NOT NULL,
    by_name     TEXT NOT NULL,
    about       BIGINT NOT NULL,                -- the person
    about_name  TEXT NOT NULL,
    room        BIGINT NOT NULL,                -- where it was written: the number of the room, and its name
    place       TEXT NOT NULL,
    words       TEXT NOT NULL,
    tick        BIGINT NOT NULL,                -- the moment, which fork and replay know
    input       BIGINT NOT NULL,                -- the input that typed it
    at          BIGINT NOT NULL                 -- unix milliseconds
);
