-- Drafts (status pending), ranges of cards, named cards, model tasks, time limits.
-- devices is cpu, auto, or cards by number: 0,1
ALTER TABLE tasks ADD COLUMN queued_at BIGINT;          -- when it last joined its line
ALTER TABLE tasks ADD COLUMN gpu_most INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN share INTEGER NOT NULL DEFAULT 0;  -- 1: beside others that share
ALTER TABLE tasks ADD COLUMN model_name TEXT;
ALTER TABLE tasks ADD COLUMN task_type TEXT;
ALTER TABLE tasks ADD COLUMN structure_n_atoms INTEGER; -- null: no model task; 0: not known
ALTER TABLE tasks ADD COLUMN timeout_seconds BIGINT;    -- null: none
UPDATE tasks SET queued_at = created_at, gpu_most = gpu_count;

-- What each user has had of the cards, in GPU-seconds that lose half of their weight in a day.
CREATE TABLE usage (
    principal       TEXT    NOT NULL PRIMARY KEY,
    gpu_seconds     DOUBLE PRECISION NOT NULL,
    as_of           BIGINT  NOT NULL
) WITHOUT ROWID;

-- Whether tasks are started, and who last changed that.
ALTER TABLE server ADD COLUMN scheduler_running INTEGER NOT NULL DEFAULT 1;
ALTER TABLE server ADD COLUMN scheduler_changed_at BIGINT;
ALTER TABLE server ADD COLUMN scheduler_changed_by_principal TEXT;
ALTER TABLE server ADD COLUMN scheduler_changed_by_name TEXT;
