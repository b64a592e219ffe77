-- Recognises a database that is older than the home, or that belongs to another home: the file
-- HOME/generation repeats both values after each commit. NULL until the first start writes them.
ALTER TABLE server ADD COLUMN database_id TEXT;
ALTER TABLE server ADD COLUMN commits BIGINT;
