-- What was found out about an attempt when it had ended.
ALTER TABLE attempt ADD COLUMN watched_us BIGINT;    -- null: it was never seen on a card
ALTER TABLE attempt ADD COLUMN peak_mib BIGINT;
ALTER TABLE attempt ADD COLUMN mean_mib BIGINT;
ALTER TABLE attempt ADD COLUMN peak_percent INTEGER; -- null: the driver does not say
ALTER TABLE attempt ADD COLUMN mean_percent INTEGER;
ALTER TABLE attempt ADD COLUMN cause TEXT;           -- of its failure: oom, disk_full, …
ALTER TABLE attempt ADD COLUMN cause_line TEXT;      -- of its log
ALTER TABLE attempt ADD COLUMN cause_params TEXT;    -- JSON object of strings

-- A card that nothing starts on until it has passed a test or a person hands it back.
CREATE TABLE card_fault (
    node  TEXT   NOT NULL,
    uuid  TEXT   NOT NULL,
    kind  TEXT   NOT NULL,  -- missing, xid, ecc, hot, failures, person
    why   TEXT   NOT NULL,
    since BIGINT NOT NULL,
    stage TEXT   NOT NULL,  -- testing, out
    PRIMARY KEY (node, uuid)
);

-- What a model was found to need, where that is more than was thought.
CREATE TABLE model_estimate (
    model TEXT   PRIMARY KEY,
    mib   BIGINT NOT NULL
);

CREATE INDEX event_alert ON event (seq) WHERE kind >= 'alert.' AND kind < 'alert/';
