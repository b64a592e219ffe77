-- The tmux session that follows the attempt's log.
ALTER TABLE attempt ADD COLUMN tmux_session TEXT;
