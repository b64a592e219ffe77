-- Times are microseconds since 1970-01-01 UTC, in whole numbers. Words are those of the API.
-- Berth alone writes here; reading is free to everyone:  sqlite3 -readonly tasks.db

-- What outlives every row: a server with an older epoch may not write, and no id is given twice.
CREATE TABLE server (
    epoch           BIGINT NOT NULL,
    last_task       BIGINT,
    last_created_at BIGINT
);
INSERT INTO server (epoch) VALUES (0);

-- The long columns stand last: a scan of the short ones then never reads their pages.
CREATE TABLE tasks (
    id              INTEGER PRIMARY KEY,
    name            TEXT    NOT NULL,
    status          TEXT    NOT NULL,  -- queued, running, completed, failed, cancelled
    priority        TEXT    NOT NULL,  -- CRITICAL, HIGH, NORMAL, LOW
    owner_principal TEXT    NOT NULL,
    owner_name      TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    devices         TEXT    NOT NULL,  -- cpu, or auto: Berth chooses the cards
    gpu_type        TEXT,              -- null: any
    gpu_count       INTEGER NOT NULL,
    memory_mib      BIGINT,            -- null: none was named
    work_dir        TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    running_attempt INTEGER,           -- only while running
    finished_at     BIGINT,
    error           TEXT,
    attempts        INTEGER NOT NULL,
    retries         INTEGER NOT NULL,
    environment     TEXT    NOT NULL,  -- a JSON object of strings
    command         TEXT    NOT NULL
);
-- SQLite ends every index with the row's id, so these also give one status or source newest first.
CREATE INDEX tasks_by_status ON tasks (status);
CREATE INDEX tasks_by_source ON tasks (source);

-- One start of a task. Which columns are set depends on the phase.
CREATE TABLE attempt (
    task            BIGINT  NOT NULL REFERENCES tasks (id),
    number          INTEGER NOT NULL,
    node            TEXT    NOT NULL,
    epoch           BIGINT  NOT NULL,
    boot_id         TEXT    NOT NULL,
    granted_at      BIGINT  NOT NULL,
    phase           TEXT    NOT NULL,  -- starting, running, stopping, lost, stuck, ended
    pid             BIGINT,            -- the shim's, with the two that make it unique
    start_tick      BIGINT,
    process_boot_id TEXT,
    started_at      BIGINT,
    stop_cause      TEXT,
    since           BIGINT,
    why             TEXT,              -- why it is lost, or what is stuck
    ending          TEXT,              -- exited, vanished, machine_restarted, never_started, launch_failed
    exit_code       INTEGER,
    reason          TEXT,
    ended_at        BIGINT,
    PRIMARY KEY (task, number)
) WITHOUT ROWID;
CREATE INDEX attempt_live ON attempt (task, number) WHERE phase <> 'ended';

-- What an attempt holds, or once held, of a card.
CREATE TABLE claim (
    task            BIGINT  NOT NULL,
    number          INTEGER NOT NULL,
    place           INTEGER NOT NULL,  -- its place among the attempt's claims, from 0
    node            TEXT    NOT NULL,
    card_uuid       TEXT    NOT NULL,
    mib             BIGINT  NOT NULL,
    exclusive       INTEGER NOT NULL,  -- 1: nobody else's attempt may hold this card
    live            INTEGER NOT NULL,  -- 1 until the attempt has ended
    PRIMARY KEY (task, number, place),
    FOREIGN KEY (task, number) REFERENCES attempt (task, number)
) WITHOUT ROWID;
-- The last guard of a card: two attempts can never both hold it for themselves.
CREATE UNIQUE INDEX claim_exclusive ON claim (node, card_uuid) WHERE live = 1 AND exclusive = 1;

-- Every card ever seen.
CREATE TABLE card (
    node            TEXT    NOT NULL,
    uuid            TEXT    NOT NULL,
    idx             INTEGER NOT NULL,
    name            TEXT    NOT NULL,
    total_mib       BIGINT  NOT NULL,
    PRIMARY KEY (node, uuid)
) WITHOUT ROWID;

CREATE TABLE event (
    seq             INTEGER PRIMARY KEY,
    at              BIGINT  NOT NULL,
    actor_principal TEXT    NOT NULL,
    actor_name      TEXT    NOT NULL,
    kind            TEXT    NOT NULL,
    task            BIGINT,
    attempt         INTEGER,
    data            TEXT    NOT NULL   -- a JSON object of strings
);

CREATE TABLE submit_key (
    principal       TEXT    NOT NULL,
    key             TEXT    NOT NULL,
    body_hash       TEXT    NOT NULL,
    task            BIGINT  NOT NULL,
    at              BIGINT  NOT NULL,
    PRIMARY KEY (principal, key)
) WITHOUT ROWID;

-- The line as people know it: the lowest score starts first.
CREATE VIEW task_queue (task_id, score) AS
SELECT id,
       CASE priority WHEN 'CRITICAL' THEN 0 WHEN 'HIGH' THEN 1 WHEN 'NORMAL' THEN 2 ELSE 3 END * 1e12
           + created_at / 1e6
FROM tasks
WHERE status = 'queued';
