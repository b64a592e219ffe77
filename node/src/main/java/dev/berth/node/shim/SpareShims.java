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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Shims that were started ahead, each in a shell that is loaded already: half of the time of a
 * start is the loading of bash. A spare holds nothing of any attempt: it gets the path of an
 * attempt and then does all that a shim does, from {@code go} on; the command runs in a copy of its
 * shell. When the attempt has ended, it can be a spare again. It ends when this process ends.
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
    private static final Duration ADD_DELAY = Duration.ofMillis(100);

    /** Says that the end of an attempt is stored, and that the shim is a spare again. */
    private static final byte[] STAY = {'a'};

    /** Any other byte says only that it is stored. */
    private static final byte[] STORED = {'s'};

    private static final String THREAD_NAME = "spare-shims";
    private static final Path NOWHERE = Path.of("/dev/null");
    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Terms terms;

    /** With a shell, until that was tried out. */
    private final AtomicReference<Optional<SpareKind>> untried;

    private volatile SpareKind kind;

    /** The spare with which a shell was tried out. */
    private Optional<ConnectedShim> trial = Optional.empty();

    /** The longest path of a {@code run.sh}, in place of the real one. */
    private final String placeholder;

    /**
     * The one that came back last is used first: its memory is still in the caches of the
     * processors.
     */
    private final BlockingDeque<ConnectedShim> ready = new LinkedBlockingDeque<>(MOST);

    private volatile long lastStart = System.nanoTime();

    /** The last process could not be started. */
    private volatile boolean isRefused;

    private final DelayedWork adding;
    private final DelayedWork trimming;
    private volatile boolean isClosed;

    /**
     * What spares get when they start.
     *
     * @param values of the shell that they load; without these they have none
     * @param environment that of this process if absent
     */
    record SpareKind(byte[] values, Optional<List<String>> environment) {}

    /**
     * What shims are started and watched with.
     *
     * @param tasks the directory that contains the task directories
     * @param keep how long after the last start there are more than {@link #IDLE} of them
     */
    public record Terms(
            NativeShim shim, Spawner spawner, ExitWatcher watcher, Path tasks, Duration keep) {}

    /**
     * @param untried that replaces the kind if it works here
     */
    private SpareShims(Terms terms, SpareKind kind, Optional<SpareKind> untried) {
        this.terms = terms;
        this.kind = kind;
        this.untried = new AtomicReference<>(untried);
        var longest = new AttemptId(new TaskId(Long.MAX_VALUE), Integer.MAX_VALUE);
        this.placeholder = AttemptDirectory.of(terms.tasks(), longest).runScript().toString();
        this.adding = new DelayedWork(THREAD_NAME, ADD_DELAY, this::addMissing);
        this.trimming = new DelayedWork(THREAD_NAME, terms.keep(), this::trim);
    }

    /**
     * Starts the first ones in the background. A directory of {@code PATH} that does not answer
     * blocks every shell, but not this process.
     */
    public static SpareShims start(Terms terms, ShimScript script) {
        var withShell = Optional.of(script.spare(terms.shim()));
        return start(
                new SpareShims(terms, ShimScript.spareWithoutShell(Optional.empty()), withShell));
    }

    /** The same without shells, for commands that run as their owners. */
    public static SpareShims startForOwners(Terms terms) {
        return start(new SpareShims(terms, ShimScript.spareForOwners(), Optional.empty()));
    }

    private static SpareShims start(SpareShims spares) {
        Thread.ofVirtual().name(THREAD_NAME).start(spares::addMissing);
        return spares;
    }

    /**
     * Some shells can load no builtins, and variables of this process change what a shell does. So
     * one is started that gets no attempt, which must come so far that it asks for one.
     */
    private void tryShell() {
        var tried = untried.getAndSet(Optional.empty());
        if (tried.isEmpty()) {
            return;
        }
        try {
            switch (endWithoutAttempt(tried.get())) {
                case ExitWatcher.ProcessEnd.Exited(int code) when code == NativeShim.NOT_STARTED ->
                        kind = tried.get();
                case ExitWatcher.ProcessEnd.Exited end ->
                        log.warn("no shell is loaded ahead: bash cannot load the shim: {}", end);
                case ExitWatcher.ProcessEnd.Signalled _, ExitWatcher.ProcessEnd.Unknown _ -> {
                    log.warn("no shell is loaded ahead for now: it did not start in time");
                    untried.set(tried);
                }
            }
        } catch (IOException refused) {
            log.warn("no shell is loaded ahead for now: {}", refused.toString());
            untried.set(tried);
        }
    }

    private ExitWatcher.ProcessEnd endWithoutAttempt(SpareKind tried) throws IOException {
        var spare = startTrial(tried);
        spare.ifPresent(SpareShims::end);
        return spare.flatMap(ConnectedShim::end).orElseGet(ExitWatcher.ProcessEnd.Unknown::new);
    }

    /** Empty if this is closed. */
    private synchronized Optional<ConnectedShim> startTrial(SpareKind tried) throws IOException {
        trial = isClosed ? Optional.empty() : Optional.of(startOne(tried));
        return trial;
    }

    /**
     * True if shells that start ahead do the same as others: they read this file when they start.
     */
    public static boolean isPossible() {
        return System.getenv("BASH_ENV") == null;
    }

    /**
     * Gives an attempt to a spare, or to a new one if there is none. Its directory is complete.
     *
     * @throws IOException no process can be started. Then no spare is used either: its command
     *     could start none.
     */
    public ConnectedShim give(AttemptDirectory directory, ConnectedShim.Listener listener)
            throws IOException {
        lastStart = System.nanoTime();
        var spare = isRefused ? null : ready.pollFirst();
        adjust();
        for (; spare != null; spare = ready.pollFirst()) {
            try {
                return begin(spare, directory, listener);
            } catch (IOException unusable) {
                log.warn("a spare shim cannot be used: {}", unusable.toString());
            }
        }
        return begin(startOne(kind), directory, listener);
    }

    private static ConnectedShim begin(
            ConnectedShim spare, AttemptDirectory directory, ConnectedShim.Listener listener)
            throws IOException {
        try {
            spare.begin(directory, listener);
            return spare;
        } catch (IOException unusable) {
            end(spare);
            throw unusable;
        }
    }

    /**
     * Keeps a shim that has forgotten its attempt, whose end is stored, if it is useful. A shim
     * that starts anew costs several times as much.
     *
     * @return false if it ends
     */
    public boolean takeBack(ConnectedShim shim) {
        if (isClosed || ready.remainingCapacity() == 0) {
            answer(shim, STORED);
            return false;
        }
        // First, because the next message is for its next attempt.
        answer(shim, STAY);
        if (!ready.offerFirst(shim)) {
            Thread.ofVirtual().start(() -> end(shim));
        } else if (isClosed) {
            close();
        }
        adjust();
        return true;
    }

    private static void answer(ConnectedShim shim, byte[] message) {
        try {
            shim.send(message);
        } catch (IOException ended) {
            log.debug("shim {} has ended", shim.process().pid(), ended);
        }
    }

    /** Makes it {@link #IDLE} ones again in the background: missing ones soon, too many later. */
    private void adjust() {
        if (ready.size() < IDLE) {
            adding.request();
        } else if (ready.size() > IDLE) {
            trimming.request();
        }
    }

    private void addMissing() {
        tryShell();
        try {
            while (isOneAdded()) {
                log.debug("a spare shim waits");
            }
        } catch (IOException refused) {
            log.warn("no spare shim can be started: {}", refused.toString());
        }
    }

    private void trim() {
        if (System.nanoTime() - lastStart < terms.keep().toNanos()) {
            adjust();
            return;
        }
        while (ready.size() > IDLE) {
            endOne();
        }
    }

    /** False if none is missing. */
    private synchronized boolean isOneAdded() throws IOException {
        return !isClosed && ready.size() < IDLE && ready.offerLast(startOne(kind));
    }

    private void endOne() {
        var spare = ready.pollLast();
        if (spare != null) {
            end(spare);
        }
    }

    private ConnectedShim startOne(SpareKind started) throws IOException {
        var connection = Connection.open();
        try {
            return watch(spawn(started, connection), started, connection);
        } catch (IOException refused) {
            connection.close();
            throw refused;
        }
    }

    private long spawn(SpareKind started, Connection connection) throws IOException {
        var command = List.of(terms.shim().program().toString(), "-s", placeholder);
        var request =
                new Spawner.SpawnRequest(
                        command,
                        NOWHERE,
                        Optional.empty(),
                        started.environment(),
                        Optional.empty(),
                        Optional.of(connection));
        try {
            long pid = terms.spawner().spawn(request).pid();
            isRefused = false;
            return pid;
        } catch (IOException refused) {
            isRefused = true;
            throw refused;
        }
    }

    private ConnectedShim watch(long pid, SpareKind started, Connection connection)
            throws IOException {
        try {
            connection.send(started.values());
            // A child that has ended is still there: nobody has reaped it.
            var process =
                    Proc.key(Proc.bootId(), pid)
                            .orElseThrow(() -> new IOException("shim " + pid + " has gone"));
            return ConnectedShim.watch(terms.watcher(), process, connection);
        } catch (IOException refused) {
            var _ = Pidfd.sendByPid(pid, Signal.KILL);
            var _ = ChildProcess.await(pid);
            throw refused;
        }
    }

    /** It ends itself and its shell when its connection ends, unless it was stopped. */
    private static void end(ConnectedShim spare) {
        try {
            spare.hangUp();
            long deadline = System.nanoTime() + END_TIMEOUT.toNanos();
            while (spare.end().isEmpty()) {
                if (System.nanoTime() > deadline) {
                    // Not reaped yet, so no other process has its pid.
                    var _ = Pidfd.sendByPid(spare.process().pid(), Signal.KILL);
                    deadline += END_TIMEOUT.toNanos();
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        } catch (IOException failure) {
            log.debug("spare shim {}", spare.process().pid(), failure);
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        trial.ifPresent(SpareShims::end);
        while (!ready.isEmpty()) {
            endOne();
        }
    }
}
