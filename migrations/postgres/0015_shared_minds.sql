-- Whose minds may be open to a person: where to look, not what is granted, which the log of each says alone. A row is
-- made when something is granted, stays when it is taken back, and goes with its owner.

CREATE TABLE mind_share (
    person      BIGINT NOT NULL,        -- who may read, by the world's number
    name        TEXT NOT NULL,          -- whose mind
    granted_at  BIGINT NOT NULL,        -- when last, unix milliseconds
    PRIMARY KEY (person, name)
);
