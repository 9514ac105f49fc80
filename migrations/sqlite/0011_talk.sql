-- What was heard and said stands in the log of a mind beside what happened, and like that changes nothing in its state.
DROP INDEX agent_event_of_mind;
CREATE INDEX agent_event_of_mind ON agent_event (name, mind, seq) WHERE kind NOT IN ('happening', 'heard', 'said');
CREATE INDEX agent_event_of_talk ON agent_event (name, mind, seq) WHERE kind IN ('heard', 'said');
