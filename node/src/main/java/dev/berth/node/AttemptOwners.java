package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The user ids that the processes of attempts have. On a node for many users, {@code run.sh} in the
 * attempt's directory tells: it is the node's own file, so neither a task nor the server can name
 * another user.
 */
final class AttemptOwners {

    private static final Logger log = LoggerFactory.getLogger(AttemptOwners.class);

    private static final int MAX_KEPT = 100_000;

    private final Path tasks;
    private final boolean isForManyUsers;
    private final long self;
    private final Map<AttemptId, Long> known = new ConcurrentHashMap<>();
    private final Set<AttemptId> running = ConcurrentHashMap.newKeySet();

    AttemptOwners(Path tasks, boolean isForManyUsers) throws IOException {
        this.tasks = tasks;
        this.isForManyUsers = isForManyUsers;
        this.self = Proc.userIdOfThisProcess();
    }

    /**
     * True if this process may carry the attempt's marker: on a node for many users, a process of
     * another user may carry any marker.
     */
    boolean mayBelong(long pid, AttemptId id) {
        if (!isForManyUsers) {
            return true;
        }
        try {
            var uid = uid(id);
            return uid.isPresent()
                    && Proc.userId(pid).filter(user -> user == uid.getAsLong()).isPresent();
        } catch (IOException unreadable) {
            return false;
        }
    }

    void begin(AttemptId id) {
        running.add(id);
    }

    void end(AttemptId id) {
        running.remove(id);
    }

    /** True if no other attempt of its user runs here. */
    boolean isOnlyOneOfItsUser(AttemptId id) {
        var uid = uid(id);
        return isForManyUsers
                && uid.isPresent()
                && running.stream()
                        .filter(other -> !other.equals(id))
                        .noneMatch(other -> uid(other).equals(uid));
    }

    boolean isForManyUsers() {
        return isForManyUsers;
    }

    /** Empty if it cannot be determined; then no process is known to be the attempt's. */
    OptionalLong uid(AttemptId id) {
        if (!isForManyUsers) {
            return OptionalLong.of(self);
        }
        var uid = known.get(id);
        if (uid != null) {
            return OptionalLong.of(uid);
        }
        try {
            var found = AttemptDirectory.find(tasks, id).ownerUid();
            if (found.isEmpty()) {
                return OptionalLong.empty();
            }
            if (known.size() >= MAX_KEPT) {
                known.clear();
            }
            known.put(id, (long) found.getAsInt());
            return OptionalLong.of(found.getAsInt());
        } catch (IOException unreadable) {
            log.warn("attempt={} the owner cannot be read: {}", id, unreadable.toString());
            return OptionalLong.empty();
        }
    }
}
