package dev.berth.node;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.process.CommandSearch;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;

import java.io.IOException;
import java.nio.file.Files;
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
        if (ExitRecord.read(directory) instanceof ExitRecord.Code(int code)) {
            return new Result.Ended(shim(go), new Ending.Exited(code));
        }
        if (!attempt.bootId().equals(context.bootId())) {
            return new Result.Ended(Optional.empty(), new Ending.MachineRestarted());
        }
        return switch (go) {
            case GoFile.Taken(var key) -> judgeByProcess(key);
            case GoFile.Tombstone _ -> neverStarted();
            case GoFile.Absent _ -> noGo();
            case GoFile.Empty _ -> emptyGo();
            case GoFile.Damaged _ ->
                    recordedShim()
                            .map(this::judgeByProcess)
                            .orElse(
                                    new Result.Undetermined(
                                            "its file " + directory.go() + " is damaged"));
        };
    }

    /**
     * A process created {@code go} and wrote no identity. If the attempt's shim is alive, it was
     * the shim.
     */
    private Result emptyGo() throws IOException {
        var shim = CommandSearch.find(context.script().start(directory));
        return shim.isPresent()
                ? new Result.Alive(new ShimProcess(shim.get(), startedAt()))
                : new Result.Ended(Optional.empty(), new Ending.Vanished());
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

    private static Optional<ProcessKey> shim(GoFile go) {
        return go instanceof GoFile.Taken(var key) ? Optional.of(key) : Optional.empty();
    }

    /** The shim's process as recorded in the database. */
    private Optional<ProcessKey> recordedShim() {
        return attempt.phase().shimProcess().map(ShimProcess::key);
    }

    private Result judgeByProcess(ProcessKey shim) {
        return switch (Proc.liveness(shim)) {
            case ALIVE ->
                    new Result.Alive(
                            attempt.phase()
                                    .shimProcess()
                                    .orElse(new ShimProcess(shim, startedAt())));
            case GONE -> overUnlessRecorded(shim);
            case UNREADABLE -> new Result.Undetermined("the process table cannot be read");
        };
    }

    /** The shim may have written its exit record and ended since we read the record. */
    private Result overUnlessRecorded(ProcessKey shim) {
        try {
            var ending =
                    ExitRecord.read(directory) instanceof ExitRecord.Code(int code)
                            ? new Ending.Exited(code)
                            : new Ending.Vanished();
            return new Result.Ended(Optional.of(shim), ending);
        } catch (IOException unreadable) {
            return new Result.Undetermined("its exit record cannot be read: " + unreadable);
        }
    }

    private Instant startedAt() {
        try {
            return Files.getLastModifiedTime(directory.go()).toInstant();
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
        context.failpoints().reach("node.before-tombstone");
        directory.create();
        boolean isClosed = GoFile.writeTombstone(directory.go());
        context.failpoints().reach("node.after-tombstone");
        return isClosed ? neverStarted() : determine();
    }

    private Result neverStarted() throws IOException {
        var remaining = context.processSet(attempt.id(), Optional.empty()).scan();
        return remaining.isEmpty()
                ? new Result.Ended(Optional.empty(), new Ending.NeverStarted())
                : new Result.Undetermined(
                        "nothing says that it started, but these run: "
                                + LeftoverFacts.describe(remaining.members()));
    }
}
