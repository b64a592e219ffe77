package dev.berth.node;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.linux.RegularFile;
import dev.berth.node.process.CommandSearch;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.ShimDescriptor;
import dev.berth.node.shim.ShimProgram;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out what happened to an attempt while no server was watching it. It checks the sources in
 * order of authority: exit record, boot id, {@code go} file, process table.
 */
record Adoption(NodeContext context, AttemptDirectory directory, Attempt attempt) {

    /**
     * A shim writes its identity right after it has created {@code go}. If the file is still empty
     * after this time, the shim died in between.
     */
    private static final Duration GO_WAIT = Duration.ofSeconds(1);

    private static final String UNREADABLE = ErrorSentence.LOST_PROCESS_TABLE.text();

    private static final long POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    sealed interface Result {
        record Alive(ShimProcess run) implements Result {}

        /** The attempt has ended, or will never start. Its remaining processes must be ended. */
        record Ended(Optional<ProcessKey> shim, Ending ending) implements Result {}

        /** The state cannot be determined, so the attempt keeps its GPUs. */
        record Undetermined(String why) implements Result {}
    }

    Result determine() throws IOException {
        var go = awaitGo();
        if (go instanceof GoFile.Taken(var holder)
                && recordedShim().filter(shim -> !shim.equals(holder)).isPresent()) {
            return judgeRecordedShim(holder);
        }
        if (ExitRecord.read(directory) instanceof ExitRecord.Code(int code)) {
            return new Result.Ended(shim(go), new Ending.Exited(code));
        }
        if (ExitRecord.read(directory) instanceof ExitRecord.NotBegun(String step)) {
            return new Result.Ended(shim(go), MachineFaults.notBegun(step));
        }
        if (!attempt.bootId().equals(context.bootId())) {
            return new Result.Ended(Optional.empty(), new Ending.MachineRestarted());
        }
        return switch (go) {
            case GoFile.Taken(var key) -> judgeByProcess(key);
            case GoFile.Tombstone _ -> closed();
            case GoFile.Absent _ -> noGo();
            case GoFile.Empty _ -> emptyGo();
            case GoFile.Damaged _ ->
                    recordedShim().isPresent()
                            ? judgeByProcess(recordedShim().get())
                            : new Result.Undetermined(
                                    ErrorSentence.LOST_GO_DAMAGED.text(directory.go()));
        };
    }

    /**
     * Another process than the recorded one holds {@code go}. So nothing in the directory is
     * trusted: the recorded process decides, and the attempt is not over while the other lives.
     */
    private Result judgeRecordedShim(ProcessKey holder) {
        var recorded = attempt.phase().shimProcess().orElseThrow();
        return switch (Proc.liveness(recorded.key())) {
            case ALIVE -> alive(recorded);
            case UNREADABLE -> new Result.Undetermined(UNREADABLE);
            case GONE ->
                    Proc.liveness(holder) == Liveness.GONE
                            ? new Result.Ended(Optional.of(recorded.key()), new Ending.Vanished())
                            : new Result.Undetermined(
                                    ErrorSentence.LOST_GO_HELD.text(directory.go(), holder.pid()));
        };
    }

    /**
     * A process created {@code go} and wrote no identity. If the attempt's shim is alive, it was
     * the shim.
     */
    private Result emptyGo() throws IOException {
        var shim = CommandSearch.find(ShimProgram.arguments(directory));
        return shim.isPresent()
                ? alive(new ShimProcess(shim.get(), startedAt()))
                : new Result.Ended(Optional.empty(), new Ending.Vanished());
    }

    /** The processes of the home of which this one is a copy are none of its own. */
    private Result alive(ShimProcess process) {
        return ShimDescriptor.of(process.key())
                .scriptOfOtherHome(directory.runScript())
                .<Result>map(
                        script ->
                                new Result.Undetermined(
                                        ErrorSentence.LOST_OTHER_HOME.text(
                                                process.key().pid(), script)))
                .orElseGet(() -> new Result.Alive(process));
    }

    private GoFile awaitGo() throws IOException {
        long end = System.nanoTime() + GO_WAIT.toNanos();
        var go = GoFile.read(directory.go());
        while (go instanceof GoFile.Empty && System.nanoTime() < end) {
            LockSupport.parkNanos(POLL_INTERVAL_NANOS);
            go = GoFile.read(directory.go());
        }
        return go;
    }

    private Optional<ProcessKey> shim(GoFile go) {
        return go instanceof GoFile.Taken(var key)
                ? Optional.of(key).filter(directory::isOwnShim)
                : Optional.empty();
    }

    /** The shim's process as recorded in the database. */
    private Optional<ProcessKey> recordedShim() {
        return attempt.phase()
                .shimProcess()
                .map(ShimProcess::key)
                .filter(
                        shim ->
                                Proc.liveness(shim) != Liveness.ALIVE
                                        || context.mayBeShim(attempt.id(), shim));
    }

    private Result judgeByProcess(ProcessKey shim) throws IOException {
        return switch (Proc.liveness(shim)) {
            case ALIVE ->
                    alive(
                            attempt.phase()
                                    .shimProcess()
                                    .filter(recorded -> recorded.key().equals(shim))
                                    .orElse(new ShimProcess(shim, startedAt())));
            case GONE -> overUnlessRecorded(shim);
            case UNREADABLE -> new Result.Undetermined(UNREADABLE);
        };
    }

    /**
     * The shim may have written its exit record and ended since we read the record. And a damaged
     * {@code go} may name another process than the shim, which then is still found by its command.
     */
    private Result overUnlessRecorded(ProcessKey shim) throws IOException {
        var living =
                recordedShim().isPresent()
                        ? Optional.<ProcessKey>empty()
                        : CommandSearch.find(ShimProgram.arguments(directory));
        if (living.isPresent()) {
            return alive(new ShimProcess(living.get(), startedAt()));
        }
        try {
            var ending =
                    switch (ExitRecord.read(directory)) {
                        case ExitRecord.Code(int code) -> new Ending.Exited(code);
                        case ExitRecord.NotBegun(String step) -> MachineFaults.notBegun(step);
                        case ExitRecord.Absent _, ExitRecord.Damaged _ -> new Ending.Vanished();
                    };
            return new Result.Ended(Optional.of(shim), ending);
        } catch (IOException unreadable) {
            return new Result.Undetermined(ErrorSentence.LOST_EXIT_RECORD.text(unreadable));
        }
    }

    /** A shim holds its script open at a descriptor, which tells whether the file was removed. */
    private static boolean isScriptRemoved(ProcessKey shim) {
        return ShimDescriptor.of(shim).isScriptRemoved();
    }

    private Instant startedAt() {
        try (var go = RegularFile.open(directory.go())) {
            return go.changedAt();
        } catch (IOException _) {
            return attempt.scheduledAt();
        }
    }

    /** {@code go} does not exist, or the whole directory is gone. */
    private Result noGo() throws IOException {
        if (recordedShim().isPresent()) {
            // The attempt was seen alive, so the file existed and was removed later. Its process
            // decides.
            return judgeByProcess(recordedShim().get());
        }
        context.requireTasksDirectory();
        context.failpoints().reach("node.before-tombstone");
        directory.create();
        boolean isClosed = GoFile.writeTombstone(directory.go());
        context.failpoints().reach("node.after-tombstone");
        return isClosed ? neverStarted() : determine();
    }

    /**
     * The attempt was closed before. If it was lost then, its processes were seen or could not be
     * looked for: it may have run, and must not run again.
     */
    private Result closed() throws IOException {
        return neverStarted() instanceof Result.Undetermined(String why)
                ? new Result.Undetermined(why)
                : new Result.Ended(
                        Optional.empty(),
                        attempt.phase() instanceof Phase.Lost
                                ? new Ending.Vanished(ErrorSentence.START_UNKNOWN.text())
                                : new Ending.NeverStarted());
    }

    private Result neverStarted() throws IOException {
        var shim = CommandSearch.find(ShimProgram.arguments(directory));
        if (shim.isPresent() && isScriptRemoved(shim.get())) {
            return new Result.Undetermined(ErrorSentence.LOST_DIRECTORY.text(shim.get().pid()));
        }
        var remaining = context.processSet(attempt.id(), Optional.empty()).scan();
        return remaining.isEmpty()
                ? new Result.Ended(Optional.empty(), new Ending.NeverStarted())
                : new Result.Undetermined(
                        ErrorSentence.LOST_PROCESSES.text(
                                LeftoverFacts.describe(remaining.members())));
    }
}
