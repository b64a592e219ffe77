package dev.berth.node.shim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Connection;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Proc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Any other byte says only that it is stored. */
    private static final byte[] STORED = {'s'};

    private static final Path NOWHERE = Path.of("/dev/null");
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Optional<ChildProcess.Status> RUNNING =
            Optional.of(new ChildProcess.Status.Running());

    private final Means means;
    private final SpareKind kind;
    private final byte[] again;

    /** The longest path of a {@code run.sh}, in place of the real one. */
    private final String placeholder;

    private final BlockingQueue<ConnectedShim> ready = new ArrayBlockingQueue<>(MOST);

    /** Those whose attempts are over. */
    private final Queue<EndedAttempt> ended = new ConcurrentLinkedQueue<>();

    private final AtomicInteger starts = new AtomicInteger();
    private final AtomicBoolean isAdjusting = new AtomicBoolean();
    private volatile boolean isClosed;

    /**
     * What spares get when they start.
     *
     * @param values of the shell that they start ahead
     * @param environment that of this process if absent
     */
    record SpareKind(byte[] values, Optional<List<String>> environment) {}

    /**
     * @param onReturn called if the shim is a spare again
     */
    private record EndedAttempt(ConnectedShim shim, Runnable onReturn) {}

    /**
     * What shims are started and watched with.
     *
     * @param tasks the directory that contains the task directories
     */
    public record Means(NativeShim shim, Spawner spawner, ExitWatcher watcher, Path tasks) {}

    private SpareShims(Means means, SpareKind kind) {
        this.means = means;
        this.kind = kind;
        this.again =
                ByteBuffer.allocate(1 + kind.values().length).put(STAY).put(kind.values()).array();
        var longest = new AttemptId(new TaskId(Long.MAX_VALUE), Integer.MAX_VALUE);
        this.placeholder = AttemptDirectory.of(means.tasks(), longest).runScript().toString();
    }

    /** Starts the first ones in the background. */
    public static SpareShims start(Means means, ShimScript script) {
        return start(new SpareShims(means, script.spare()));
    }

    /** The same without shells, for commands that run as their owners. */
    public static SpareShims startForOwners(Means means) {
        return start(new SpareShims(means, ShimScript.spareForOwners()));
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
     * A task is about to start. Until {@link #startEnds}, no shim loads a shell beside it if that
     * can wait.
     */
    public void startBegins() {
        starts.incrementAndGet();
    }

    /** The command of the task runs, or will not. */
    public void startEnds() {
        starts.decrementAndGet();
        returnEnded();
        adjust();
    }

    /** Gives an attempt to a spare, or to a new one if there is none. Its directory is complete. */
    public ConnectedShim give(AttemptDirectory directory, ConnectedShim.Listener listener)
            throws IOException {
        if (ready.isEmpty()) {
            returnEnded();
        }
        for (var spare = ready.poll(); spare != null; spare = ready.poll()) {
            try {
                spare.begin(directory, listener);
                return spare;
            } catch (IOException unusable) {
                log.warn("a spare shim cannot be used: {}", unusable.toString());
                end(spare);
            }
        }
        var spare = startOne();
        spare.begin(directory, listener);
        return spare;
    }

    /**
     * Keeps the shim of an attempt whose end is stored, if it is useful: it loads a new shell and
     * waits. A shim that starts anew costs several times as much. Otherwise the shim ends.
     *
     * @param onReturn called if it is kept, maybe later
     */
    public void takeBack(ConnectedShim shim, Runnable onReturn) {
        ended.add(new EndedAttempt(shim, onReturn));
        if (starts.get() == 0) {
            returnEnded();
        }
    }

    private void returnEnded() {
        for (var one = ended.poll(); one != null; one = ended.poll()) {
            try {
                returnOne(one);
            } catch (IOException gone) {
                log.debug("shim {} has ended", one.shim().process().pid(), gone);
            }
        }
    }

    private void returnOne(EndedAttempt one) throws IOException {
        var shim = one.shim();
        if (isClosed || ready.remainingCapacity() == 0) {
            shim.send(STORED);
            return;
        }
        shim.send(again);
        shim.forgetAttempt();
        one.onReturn().run();
        adjust();
        if (!ready.offer(shim)) {
            Thread.ofVirtual().start(() -> end(shim));
        } else if (isClosed) {
            close();
        }
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
            var command = List.of(means.shim().program().toString(), "-s", placeholder);
            var request =
                    new Spawner.SpawnRequest(
                            command,
                            NOWHERE,
                            Optional.empty(),
                            kind.environment(),
                            Optional.empty(),
                            Optional.of(connection));
            long pid = means.spawner().spawn(request).pid();
            connection.send(kind.values());
            // A child that has ended is still there: nobody has reaped it.
            var process =
                    Proc.key(Proc.bootId(), pid)
                            .orElseThrow(() -> new IOException("shim " + pid + " has gone"));
            return ConnectedShim.watch(means.watcher(), process, connection);
        } catch (IOException refused) {
            connection.close();
            throw refused;
        }
    }

    /** It ends itself and its shell when its connection ends, unless it was stopped. */
    private static void end(ConnectedShim spare) {
        long pid = spare.process().pid();
        try {
            spare.hangUp();
            long deadline = System.nanoTime() + END_TIMEOUT.toNanos();
            while (ChildProcess.status(pid).equals(RUNNING)) {
                if (System.nanoTime() > deadline) {
                    var _ = Pidfd.sendByPid(pid, Signal.KILL);
                    deadline += END_TIMEOUT.toNanos();
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        } catch (IOException failure) {
            log.debug("spare shim {}", pid, failure);
        } finally {
            spare.close();
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
