-- Of how many calls of models what thinking cost is known: a price that nobody set is not 0. Hours from before it have
-- none of either.

ALTER TABLE usage_hour ADD COLUMN calls BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_hour ADD COLUMN priced BIGINT NOT NULL DEFAULT 0;
