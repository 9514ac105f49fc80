-- What a command was worth: experience and coins in hand before and after it, and whether anything was worth anything to
-- who sent it. NULL: recorded before this.
ALTER TABLE decision ADD COLUMN pre_exp BIGINT;
ALTER TABLE decision ADD COLUMN post_exp BIGINT;
ALTER TABLE decision ADD COLUMN pre_gold BIGINT;
ALTER TABLE decision ADD COLUMN post_gold BIGINT;
ALTER TABLE decision ADD COLUMN valence BIGINT;

-- The world that a session was in: what programs are told of it, and the seed of its chance, which they are not.
ALTER TABLE session ADD COLUMN world TEXT;
ALTER TABLE session ADD COLUMN seed BIGINT;
