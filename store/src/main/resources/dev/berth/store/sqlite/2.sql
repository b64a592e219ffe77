-- What lets a program or a browser in. The secret itself is nowhere, only its hash.
CREATE TABLE token (
    id              INTEGER PRIMARY KEY,
    kind            TEXT    NOT NULL,  -- token, session
    name            TEXT    NOT NULL,
    hash            TEXT    NOT NULL UNIQUE,  -- SHA-256, in hex
    owner_principal TEXT    NOT NULL,
    owner_name      TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    expires_at      BIGINT,            -- null: never
    revoked_at      BIGINT             -- null: good
);

-- The tmux session that follows the attempt's log.
ALTER TABLE attempt ADD COLUMN tmux_session TEXT;
