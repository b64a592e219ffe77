-- Lists of tasks in the order of their names, and by owner. SQLite ends every index with the row's id.
CREATE INDEX tasks_by_name ON tasks (name COLLATE NOCASE);
CREATE INDEX tasks_by_owner ON tasks (owner_name);
