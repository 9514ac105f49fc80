-- Old decisions lie in files, each with rows of one character and one month (UTC). A row for each file: from which
-- decision to which. Files of a character seldom overlap: only where decisions came late, after a crash that was
-- recovered from long after.

CREATE TABLE decision_archive (
    name          TEXT NOT NULL,      -- canonical
    nr            BIGINT NOT NULL,    -- of this character's files, from 1
    month         TEXT NOT NULL,      -- 2026-03
    file          TEXT NOT NULL,      -- in the folder of archives
    sha256        TEXT NOT NULL,      -- of the file
    decisions     BIGINT NOT NULL,
    first_at      BIGINT NOT NULL,    -- the keys of the first and the last, as in `decision`
    first_number  BIGINT NOT NULL,
    first_part    BIGINT NOT NULL,
    last_at       BIGINT NOT NULL,
    last_number   BIGINT NOT NULL,
    last_part     BIGINT NOT NULL,
    bytes         BIGINT NOT NULL,    -- of the file
    made_at       BIGINT NOT NULL,
    PRIMARY KEY (name, nr)
);
