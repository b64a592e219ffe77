-- Scripts can be long: in a table of their own, neither a list nor a new state of a task reads or
-- rewrites them. The hashes tell whether a script was changed; berth_hash and berth_hash_json are
-- functions of the migration (Migrations), so a SQL shell needs neither.
CREATE TABLE script (
    task            INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    environment     TEXT    NOT NULL,  -- a JSON object of strings
    command         TEXT    NOT NULL
);
INSERT INTO script (task, environment, command) SELECT id, environment, command FROM tasks;

ALTER TABLE tasks ADD COLUMN command_hash BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN environment_hash BIGINT NOT NULL DEFAULT 0;
UPDATE tasks
SET command_hash = berth_hash(command), environment_hash = berth_hash_json(environment);
ALTER TABLE tasks DROP COLUMN environment;
ALTER TABLE tasks DROP COLUMN command;
