-- What cards and attempts did. Nothing else depends on this file: it may be moved away while no
-- server runs. Every table begins with time, so that what is new is written in one place, and what
-- is too old goes in one piece. The blobs are described in Packed, SampleBlob and PointBlob.

CREATE TABLE subject (
    id              INTEGER PRIMARY KEY,
    name            TEXT    NOT NULL UNIQUE,  -- card NODE/UUID, attempt TASK.NUMBER
    seen            BIGINT  NOT NULL          -- the last hour since 1970 of which something is kept
);

-- One row a minute with the samples of its seconds, for an hour.
CREATE TABLE second (
    minute          BIGINT  NOT NULL,         -- since 1970
    subject         BIGINT  NOT NULL,
    samples         BLOB    NOT NULL,
    PRIMARY KEY (minute, subject)
) WITHOUT ROWID;

-- One row an hour with its minutes, for a week; written when the hour is over.
CREATE TABLE minute (
    hour            BIGINT  NOT NULL,         -- since 1970
    subject         BIGINT  NOT NULL,
    points          BLOB    NOT NULL,
    PRIMARY KEY (hour, subject)
) WITHOUT ROWID;

-- One row a day with its hours, for a year; written when an hour is over.
CREATE TABLE hour (
    day             BIGINT  NOT NULL,         -- since 1970
    subject         BIGINT  NOT NULL,
    points          BLOB    NOT NULL,
    PRIMARY KEY (day, subject)
) WITHOUT ROWID;
