-- Ended tasks in the order of their end, for their removal.
CREATE INDEX tasks_by_end ON tasks (finished_at) WHERE finished_at IS NOT NULL;

-- Who removed which tasks.
CREATE INDEX event_removal ON event (seq) WHERE kind = 'tasks.removed';
