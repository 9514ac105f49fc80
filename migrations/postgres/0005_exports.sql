-- How far each log was written to the files of its character's sessions, and a way past the records in a log.

-- Of an agent's session that has ended: the newest entry of the log that is in its file or an earlier one; NULL: it was
-- not written yet.
ALTER TABLE session ADD COLUMN exported_seq BIGINT;

-- What changes the state of a mind, among the many records of what happened, which do not.
CREATE INDEX agent_event_of_mind ON agent_event (name, seq) WHERE kind <> 'happening';
