-- Lists of tasks in the order of their names, and by owner. SQLite ends every index with the row's id.
CREATE INDEX tasks_by_name ON tasks (name COLLATE NOCASE);
CREATE INDEX tasks_by_owner ON tasks (owner_name);
-- The tasks of one owner in one state, by id.
CREATE INDEX tasks_by_owner_and_status ON tasks (owner_name, status);
