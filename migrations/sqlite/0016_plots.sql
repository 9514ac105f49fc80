-- What was built in rooms, the newest of each: for a world that has lost its own.

CREATE TABLE plot (
    room        BIGINT NOT NULL PRIMARY KEY,    -- the number of the room
    revision    BIGINT NOT NULL,                -- rises with each change
    data        TEXT NOT NULL,                  -- all of it, as JSON
    number      BIGINT NOT NULL                 -- the input that made it so
);
