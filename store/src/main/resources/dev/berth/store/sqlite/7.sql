-- Each row carries a CRC-32C of its other columns (RowValues), so that a row that the disk has changed is never used.
-- Rows of earlier versions have NULL until they are next written. A column that is added to one of these tables
-- later must be NULL in the existing rows: NULL does not change a checksum.
ALTER TABLE tasks ADD COLUMN checksum BIGINT;
ALTER TABLE script ADD COLUMN checksum BIGINT;
ALTER TABLE attempt ADD COLUMN checksum BIGINT;
ALTER TABLE claim ADD COLUMN checksum BIGINT;
ALTER TABLE card ADD COLUMN checksum BIGINT;
ALTER TABLE event ADD COLUMN checksum BIGINT;
ALTER TABLE submit_key ADD COLUMN checksum BIGINT;
ALTER TABLE token ADD COLUMN checksum BIGINT;
ALTER TABLE usage ADD COLUMN checksum BIGINT;
ALTER TABLE run ADD COLUMN checksum BIGINT;
ALTER TABLE card_fault ADD COLUMN checksum BIGINT;
ALTER TABLE model_estimate ADD COLUMN checksum BIGINT;
ALTER TABLE server ADD COLUMN checksum BIGINT;
ALTER TABLE server ADD COLUMN all_checked INTEGER;    -- 1: a row without a checksum is damaged
ALTER TABLE server ADD COLUMN backup_at BIGINT;       -- when this copy was made; null in the database itself
