-- The shell in which a task was submitted: its environment, umask and soft limits. Equal ones are stored once.
CREATE TABLE shell (
    sha256      TEXT PRIMARY KEY,
    environment TEXT NOT NULL,  -- a JSON object of strings
    umask       TEXT NOT NULL,  -- octal
    limits      TEXT NOT NULL,  -- a JSON object of strings; -1: unlimited
    checksum    BIGINT
);
-- The account that a task runs as; NULL: the server's user.
ALTER TABLE script ADD COLUMN run_as_user TEXT;
ALTER TABLE script ADD COLUMN run_as_uid BIGINT;
-- NULL: the values of the account apply.
ALTER TABLE script ADD COLUMN shell TEXT REFERENCES shell (sha256);
CREATE INDEX script_by_shell ON script (shell) WHERE shell IS NOT NULL;

-- A shell goes with the last script that uses it.
CREATE TRIGGER shell_of_deleted_script
AFTER DELETE ON script
WHEN OLD.shell IS NOT NULL
BEGIN
    DELETE FROM shell
    WHERE sha256 = OLD.shell AND NOT EXISTS (SELECT 1 FROM script WHERE shell = OLD.shell);
END;
CREATE TRIGGER shell_of_changed_script
AFTER UPDATE OF shell ON script
WHEN OLD.shell IS NOT NULL AND NEW.shell IS NOT OLD.shell
BEGIN
    DELETE FROM shell
    WHERE sha256 = OLD.shell AND NOT EXISTS (SELECT 1 FROM script WHERE shell = OLD.shell);
END;
