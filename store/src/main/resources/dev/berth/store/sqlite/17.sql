-- Whose tasks a model serves, and the account of its workers, where tasks run as their owners.
-- NULL owner: a model of all users. NULL run_as: its workers have the server's user.
ALTER TABLE model ADD COLUMN owner       TEXT;
ALTER TABLE model ADD COLUMN owner_name  TEXT;
ALTER TABLE model ADD COLUMN run_as      TEXT;
ALTER TABLE model ADD COLUMN run_as_uid  BIGINT;
