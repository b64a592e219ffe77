-- Hash of the command with its numbers blanked, by which runs are compared. NULL: not known; command_hash stands for it.
ALTER TABLE tasks ADD COLUMN pattern_hash BIGINT;
-- Runs that ended until then say nothing about tasks to come. Fingerprint 0: all runs.
CREATE TABLE forgotten_runs (
    fingerprint BIGINT PRIMARY KEY,
    until       BIGINT NOT NULL,
    checksum    BIGINT
);
