package dev.berth.node.shim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Connection;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Shims that were started ahead, each with a shell that is loaded already: half of the time of a
 * start is the loading of bash. A spare holds nothing of any attempt: it gets the path of an
 * attempt and then does all that a shim does, from {@code go} on. It ends when this process ends.
 *
 * <p>Spares for owners have no shell: nothing runs as a user before a task of that user starts.
 */
public final class SpareShims implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SpareShims.class);

    /** One for the next start, and one while that one is being replaced. */
    private static final int COUNT = 2;

    private static final Path NOWHERE = Path.of("/dev/null");
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Optional<ChildProcess.Status> RUNNING =
            Optional.of(new ChildProcess.Status.Running());

    private final NativeShim shim;
    private final SpareKind kind;
    private final Spawner spawner;

    /** The longest path of a {@code run.sh}, in place of the real one. */
    private final String placeholder;

    private final BlockingQueue<ConnectedShim> ready = new ArrayBlockingQueue<>(COUNT);
    private final AtomicBoolean isRefilling = new AtomicBoolean();
    private boolean isClosed;

    /**
     * What spares get when they start.
     *
     * @param values of the shell that they start ahead
     * @param environment that of this process if absent
     */
    record SpareKind(byte[] values, Optional<List<String>> environment) {}

    private SpareShims(NativeShim shim, SpareKind kind, Spawner spawner, Path tasks) {
        this.shim = shim;
        this.kind = kind;
        this.spawner = spawner;
        var longest = new AttemptId(new TaskId(Long.MAX_VALUE), Integer.MAX_VALUE);
        this.placeholder = AttemptDirectory.of(tasks, longest).runScript().toString();
    }

    /**
     * Starts the first ones in the background.
     *
     * @param tasks the directory that contains the task directories
     */
    public static SpareShims start(
            NativeShim shim, ShimScript script, Spawner spawner, Path tasks) {
        return start(new SpareShims(shim, script.spare(), spawner, tasks));
    }

    /** The same without shells, for commands that run as their owners. */
    public static SpareShims startForOwners(NativeShim shim, Spawner spawner, Path tasks) {
        return start(new SpareShims(shim, ShimScript.spareForOwners(), spawner, tasks));
    }

    private static SpareShims start(SpareShims spares) {
        spares.refill();
        return spares;
    }

    /**
     * True if shells that start ahead do the same as others: they read this file when they start.
     */
    public static boolean isPossible() {
        return System.getenv("BASH_ENV") == null;
    }

    /**
     * A shim that has an attempt.
     *
     * @param connection on which it says that its command has ended
     */
    public record ConnectedShim(long pid, Connection connection) {}

    /** Gives an attempt to a spare, or to a new one if there is none. Its directory is complete. */
    public ConnectedShim give(AttemptDirectory directory) throws IOException {
        for (var spare = ready.poll(); spare != null; spare = ready.poll()) {
            try {
                return give(spare, directory);
            } catch (IOException ended) {
                log.warn("a spare shim has ended: {}", ended.toString());
            }
        }
        return give(startOne(), directory);
    }

    private static ConnectedShim give(ConnectedShim spare, AttemptDirectory directory)
            throws IOException {
        try {
            spare.connection().send(bytes(directory.runScript()));
            return spare;
        } catch (IOException ended) {
            end(spare);
            throw ended;
        }
    }

    private static byte[] bytes(Path runScript) {
        return (runScript + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Starts those that are missing in the background. One thread at a time, so that there are
     * never more than {@link #COUNT}.
     */
    public void refill() {
        if (isRefilling.compareAndSet(false, true)) {
            Thread.ofVirtual().name("spare-shims").start(this::startMissing);
        }
    }

    private void startMissing() {
        try {
            while (isOneAdded()) {
                log.debug("a spare shim waits");
            }
        } catch (IOException refused) {
            log.warn("no spare shim can be started: {}", refused.toString());
        } finally {
            isRefilling.set(false);
        }
    }

    /** False if none is missing. */
    private synchronized boolean isOneAdded() throws IOException {
        return !isClosed && ready.remainingCapacity() > 0 && ready.add(startOne());
    }

    private ConnectedShim startOne() throws IOException {
        var connection = Connection.open();
        try {
            var command = List.of(shim.program().toString(), "-s", placeholder);
            var request =
                    new Spawner.SpawnRequest(
                            command,
                            NOWHERE,
                            Optional.empty(),
                            kind.environment(),
                            Optional.empty(),
                            Optional.of(connection));
            var spare = new ConnectedShim(spawner.spawn(request).pid(), connection);
            connection.send(kind.values());
            return spare;
        } catch (IOException refused) {
            connection.close();
            throw refused;
        }
    }

    /** It ends itself and its shell when its connection ends, unless it was stopped. */
    private static void end(ConnectedShim spare) {
        try {
            spare.connection().close();
            long deadline = System.nanoTime() + END_TIMEOUT.toNanos();
            while (ChildProcess.reap(spare.pid()).equals(RUNNING)) {
                if (System.nanoTime() > deadline) {
                    var _ = Pidfd.sendByPid(spare.pid(), Signal.KILL);
                    var _ = ChildProcess.await(spare.pid());
                    return;
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        } catch (IOException failure) {
            log.debug("spare shim {}", spare.pid(), failure);
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        for (var spare = ready.poll(); spare != null; spare = ready.poll()) {
            end(spare);
        }
    }
}
