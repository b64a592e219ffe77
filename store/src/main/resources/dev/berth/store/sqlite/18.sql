-- Usage of a period reads the attempts that ended in it, not all of them.
CREATE INDEX attempt_by_end ON attempt (ended_at) WHERE ended_at IS NOT NULL;
-- Tasks that ran and wait again. There are few, among perhaps a hundred thousand that wait.
CREATE INDEX tasks_run_before ON tasks (id) WHERE finished_at IS NULL AND attempts > 0 AND status <> 'running';
