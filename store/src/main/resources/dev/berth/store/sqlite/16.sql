-- GPU-seconds by the hour in which they were used, for the last day: 'HOUR=SECONDS,…'. NULL: not known.
ALTER TABLE usage ADD COLUMN hours TEXT;
-- The groups of each principal as they were looked up last, one name per line.
CREATE TABLE user_groups (
    principal TEXT   PRIMARY KEY,
    names     TEXT   NOT NULL,
    checksum  BIGINT
);
-- GPUs that are kept for a user, a group or nobody. A row stays after the end, so that its id is not used again.
CREATE TABLE reservation (
    id              BIGINT  PRIMARY KEY,
    holder_kind     TEXT    NOT NULL,      -- user, group, nobody
    holder_name     TEXT,
    gpu_count       BIGINT  NOT NULL,
    devices         TEXT,                  -- indices; NULL: any GPUs
    begins_at       BIGINT  NOT NULL,
    seconds         BIGINT  NOT NULL,
    weekly          INTEGER NOT NULL,
    zone            TEXT    NOT NULL,      -- of the local time of a weekly one
    note            TEXT    NOT NULL,
    created_by      TEXT    NOT NULL,
    created_by_name TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    ended_at        BIGINT,
    checksum        BIGINT
);
