package dev.berth.server.api;

import dev.berth.core.access.Actor;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineReply;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records that a user reads the log of another user's task: once an hour for each user and task,
 * because a page that follows a log sends many requests. The log is shown even if this cannot be
 * stored: an admin needs it most when something fails.
 */
public final class LogReads {

    private static final Logger log = LoggerFactory.getLogger(LogReads.class);

    static final Duration INTERVAL = Duration.ofHours(1);

    /** Bounds the memory. */
    private static final int MAX_READS = 10_000;

    private final EngineLoop engine;
    private final Map<Read, Instant> recorded = new ConcurrentHashMap<>();

    LogReads(EngineLoop engine) {
        this.engine = engine;
    }

    private record Read(String principal, TaskId task) {}

    void record(Actor reader, Task task) {
        if (reader.owner().equals(task.owner())) {
            return;
        }
        var now = engine.now();
        var read = new Read(reader.owner().principal(), task.id());
        var last = recorded.get(read);
        if (last != null && now.isBefore(last.plus(INTERVAL))) {
            return;
        }
        if (recorded.size() >= MAX_READS) {
            recorded.clear();
        }
        recorded.put(read, now);
        var subject = new EngineCommand.OwnedTask(task.id(), task.owner());
        var command = new EngineCommand.RecordLogRead(now, reader.owner(), subject);
        var _ =
                engine.ask(EngineCommand.by(reader, command))
                        .thenAccept(reply -> check(reply, read));
    }

    private void check(EngineReply reply, Read read) {
        if (!(reply instanceof EngineReply.Done)) {
            recorded.remove(read);
            log.warn(
                    "not recorded: {} read the log of task={}: {}",
                    read.principal(),
                    read.task(),
                    reply);
        }
    }
}
