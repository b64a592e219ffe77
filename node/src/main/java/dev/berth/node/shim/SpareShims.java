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
import java.nio.ByteBuffer;
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
 * attempt and then does all that a shim does, from {@code go} on. When the attempt has ended, it
 * can be a spare again. It ends when this process ends.
 *
 * <p>Spares for owners have no shell: nothing runs as a user before a task of that user starts.
 */
public final class SpareShims implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SpareShims.class);

    /** While nothing starts: one for the next start, and one until that one is replaced. */
    private static final int IDLE = 2;

    /** While tasks start and end. */
    private static final int MOST = 16;

    /** The shims of tasks that end before need not be replaced. */
    private static final long ADJUST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Says that the end of an attempt is stored, and that the shim is a spare again. */
    private static final byte STAY = 'a';

    private static final Path NOWHERE = Path.of("/dev/null");
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Optional<ChildProcess.Status> RUNNING =
            Optional.of(new ChildProcess.Status.Running());

    private final NativeShim shim;
    private final SpareKind kind;
    private final byte[] again;
    private final Spawner spawner;

    /** The longest path of a {@code run.sh}, in place of the real one. */
    private final String placeholder;

    private final BlockingQueue<ConnectedShim> ready = new ArrayBlockingQueue<>(MOST);
    private final AtomicBoolean isAdjusting = new AtomicBoolean();
    private volatile boolean isClosed;

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
        this.again =
                ByteBuffer.allocate(1 + kind.values().length).put(STAY).put(kind.values()).array();
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
        spares.isAdjusting.set(true);
        Thread.ofVirtual().name("spare-shims").start(spares::adjustNow);
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
     * Keeps the shim of an attempt whose end is stored, if it is useful: it loads a new shell and
     * waits. A shim that starts anew costs several times as much.
     *
     * @return false if it has to end
     */
    public boolean takeBack(ConnectedShim shim) {
        if (isClosed || ready.remainingCapacity() == 0) {
            return false;
        }
        try {
            shim.connection().send(again);
        } catch (IOException ended) {
            log.debug("shim {} has ended", shim.pid(), ended);
            return false;
        }
        adjust();
        if (!ready.offer(shim)) {
            Thread.ofVirtual().start(() -> end(shim));
        } else if (isClosed) {
            close();
        }
        return true;
    }

    /**
     * Makes it {@link #IDLE} ones again in the background, a moment later. One thread at a time, so
     * that there are never more than necessary.
     */
    public void adjust() {
        if (isAdjusting.compareAndSet(false, true)) {
            Thread.ofVirtual()
                    .name("spare-shims")
                    .start(
                            () -> {
                                LockSupport.parkNanos(ADJUST_DELAY_NANOS);
                                adjustNow();
                            });
        }
    }

    private void adjustNow() {
        try {
            while (isOneAdded()) {
                log.debug("a spare shim waits");
            }
        } catch (IOException refused) {
            log.warn("no spare shim can be started: {}", refused.toString());
        } finally {
            isAdjusting.set(false);
        }
        while (ready.size() > IDLE) {
            endOne();
        }
    }

    /** False if none is missing. */
    private synchronized boolean isOneAdded() throws IOException {
        return !isClosed && ready.size() < IDLE && ready.offer(startOne());
    }

    private void endOne() {
        var spare = ready.poll();
        if (spare != null) {
            end(spare);
        }
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
        while (!ready.isEmpty()) {
            endOne();
        }
    }
}
