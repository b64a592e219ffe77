-- How the actor of an event was authenticated, and the owner of what it is about. NULL in events of earlier versions.
ALTER TABLE event ADD COLUMN via TEXT;              -- socket, token, session, loopback; NULL: Berth itself
ALTER TABLE event ADD COLUMN owner_principal TEXT;
ALTER TABLE event ADD COLUMN owner_name TEXT;

-- What people did, and what happened to one task.
CREATE INDEX event_by_person ON event (seq) WHERE actor_principal <> 'berth';
CREATE INDEX event_by_task ON event (task) WHERE task IS NOT NULL;

-- Events are only added. A checksum may still be computed for an event of an earlier version.
CREATE TRIGGER event_is_not_changed
BEFORE UPDATE ON event
WHEN NEW.seq IS NOT OLD.seq OR NEW.at IS NOT OLD.at OR NEW.kind IS NOT OLD.kind OR NEW.data IS NOT OLD.data
    OR NEW.actor_principal IS NOT OLD.actor_principal OR NEW.actor_name IS NOT OLD.actor_name
    OR NEW.task IS NOT OLD.task OR NEW.attempt IS NOT OLD.attempt OR NEW.via IS NOT OLD.via
    OR NEW.owner_principal IS NOT OLD.owner_principal OR NEW.owner_name IS NOT OLD.owner_name
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;
CREATE TRIGGER event_is_not_deleted
BEFORE DELETE ON event
BEGIN
    SELECT RAISE(ABORT, 'events are never deleted');
END;
