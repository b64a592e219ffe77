-- A task without a command: a worker of its model runs it. NULL: it has a command.
ALTER TABLE tasks ADD COLUMN is_call INTEGER;
-- The attempt of the worker that runs this attempt, 'TASK.NUMBER'; its own id if it is the process of a worker.
ALTER TABLE attempt ADD COLUMN worker TEXT;
-- What the worker answered: JSON.
CREATE TABLE call_result (
    task     BIGINT PRIMARY KEY,
    value    TEXT   NOT NULL,
    checksum BIGINT
);
-- The models that were added by a request. Those of the configuration are not here.
CREATE TABLE model (
    name         TEXT    PRIMARY KEY,
    worker       TEXT    NOT NULL,
    memory_mib   BIGINT  NOT NULL,
    prewarm      INTEGER NOT NULL,
    environment  TEXT    NOT NULL,
    work_dir     TEXT    NOT NULL,
    idle_seconds BIGINT,
    checksum     BIGINT
);
-- Lists of tasks leave the workers out. They are few, so that their number is subtracted.
CREATE INDEX tasks_of_workers ON tasks (status) WHERE source = 'worker';
