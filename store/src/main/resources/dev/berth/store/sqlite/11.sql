-- Blocks of the command file that are not part of the run: JSON, [{"line":…,"code":…,"params":{…}}]; null if there are none.
ALTER TABLE run ADD COLUMN left_out TEXT;
