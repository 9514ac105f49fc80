-- The arms of an experiment: who is played without valence for good, and which dreams were dreamt without it.

-- 1: whatever a client asks for, this character's sessions, memories and dreams have no valence (`dp-server fork --flat`).
ALTER TABLE account ADD COLUMN flat BIGINT NOT NULL DEFAULT 0;

-- 1: this dream counted every valence as 0. Who asks with valence is told from the log, and the other way round.
ALTER TABLE memory_cursor ADD COLUMN flat BIGINT NOT NULL DEFAULT 0;
