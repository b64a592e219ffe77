-- Lanes: tasks that run one after another. run names the started command file that a lane belongs to.
ALTER TABLE tasks ADD COLUMN lane TEXT;              -- null: in none; RUN/QUEUE, or a name of its owner's
ALTER TABLE tasks ADD COLUMN run BIGINT;
ALTER TABLE tasks ADD COLUMN lane_index INTEGER;     -- its place in the file's queue, from 0
ALTER TABLE tasks ADD COLUMN lane_multi INTEGER NOT NULL DEFAULT 0;  -- 1: its file asks for several cards
ALTER TABLE tasks ADD COLUMN max_retries INTEGER;    -- null: none, in a command file as its rules say
ALTER TABLE tasks ADD COLUMN not_before BIGINT;      -- it rests until then before it is tried again

-- What an attempt's own script said of its end.
ALTER TABLE attempt ADD COLUMN said TEXT;            -- normal_exit, abnormal_exit
ALTER TABLE attempt ADD COLUMN error_type TEXT;
ALTER TABLE attempt ADD COLUMN said_at BIGINT;

-- One start of a command file; its tasks have the ids first_task, first_task + 1, …
CREATE TABLE run (
    id              INTEGER PRIMARY KEY,
    mode            TEXT    NOT NULL,  -- single, multi
    config_index    INTEGER,           -- null: none of the home's own files
    file            TEXT    NOT NULL,
    origin          TEXT    NOT NULL,  -- console, terminal
    owner_principal TEXT    NOT NULL,
    owner_name      TEXT    NOT NULL,
    started_at      BIGINT  NOT NULL,
    first_task      BIGINT  NOT NULL,
    tasks           INTEGER NOT NULL,
    stage           TEXT    NOT NULL,  -- running, stopping, finished, stopped
    since           BIGINT             -- when it came to that stage; null while it runs
);
CREATE INDEX run_live ON run (id) WHERE stage IN ('running', 'stopping');
