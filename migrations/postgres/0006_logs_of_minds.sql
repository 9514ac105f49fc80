-- A log belongs to a character and to one of its minds. Each has one now, number 0: what is there becomes the log of
-- that one; the numbers of entries stay.

ALTER TABLE agent_event ADD COLUMN mind BIGINT NOT NULL DEFAULT 0;   -- which of the character's minds, from 0
ALTER TABLE agent_event DROP CONSTRAINT agent_event_pkey;
ALTER TABLE agent_event ADD PRIMARY KEY (name, mind, seq);

-- What changes the state of a mind, among the many records of what happened, which do not.
DROP INDEX agent_event_of_mind;
CREATE INDEX agent_event_of_mind ON agent_event (name, mind, seq) WHERE kind <> 'happening';

ALTER TABLE memory_graph ADD COLUMN mind BIGINT NOT NULL DEFAULT 0;
ALTER TABLE memory_graph DROP CONSTRAINT memory_graph_pkey;
ALTER TABLE memory_graph ADD PRIMARY KEY (name, mind);

ALTER TABLE memory_cursor ADD COLUMN mind BIGINT NOT NULL DEFAULT 0;
ALTER TABLE memory_cursor DROP CONSTRAINT memory_cursor_pkey;
ALTER TABLE memory_cursor ADD PRIMARY KEY (name, mind);

-- Number of the newest input of the world when the account was made; NULL: made before this was noted. What a recovery
-- finds of an earlier input is of another character of the same name.
ALTER TABLE account ADD COLUMN born_input BIGINT;
