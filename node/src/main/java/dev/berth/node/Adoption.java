package dev.berth.node;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
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
 * What became of an attempt while nobody watched. The facts are asked in the order of their rank.
 */
record Adoption(Workshop workshop, AttemptDirectory directory, Attempt attempt) {

    /**
     * A shim writes who it is right after it has created {@code go}; if it has not by then, it
     * never will.
     */
    private static final Duration GO_PATIENCE = Duration.ofSeconds(1);

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** What was found. */
    sealed interface Finding {
        record Alive(Run run) implements Finding {}

        /** It has ended, or never will begin; what is left of its processes is to be ended. */
        record Over(Optional<ProcessKey> shim, Ending ending) implements Finding {}

        /** Berth cannot tell: its cards stay held. */
        record Doubtful(String why) implements Finding {}
    }

    Finding judge() throws IOException {
        var go = goAfterAWhile();
        if (ExitRecord.read(directory) instanceof ExitRecord.Code(int code)) {
            return new Finding.Over(shim(go), new Ending.Exited(code));
        }
        if (!attempt.bootId().equals(workshop.bootId())) {
            return new Finding.Over(Optional.empty(), new Ending.MachineRestarted());
        }
        return switch (go) {
            case GoFile.Taken(var key) -> byProcess(key);
            case GoFile.Tombstone _ -> neverStarted();
            case GoFile.Absent _ -> absent();
            case GoFile.Empty _ -> unsigned();
            case GoFile.Damaged _ ->
                    known().map(this::byProcess)
                            .orElse(
                                    new Finding.Doubtful(
                                            "its file " + directory.go() + " is damaged"));
        };
    }

    /** Somebody took the right to start and did not say who: if the shim still lives, it did. */
    private Finding unsigned() throws IOException {
        var shim = CommandSearch.find(workshop.script().start(directory));
        return shim.isPresent()
                ? new Finding.Alive(new Run(shim.get(), startedAt()))
                : new Finding.Over(Optional.empty(), new Ending.Vanished());
    }

    private GoFile goAfterAWhile() throws IOException {
        long end = System.nanoTime() + GO_PATIENCE.toNanos();
        var go = GoFile.read(directory.go());
        while (go instanceof GoFile.Empty && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
            go = GoFile.read(directory.go());
        }
        return go;
    }

    private static Optional<ProcessKey> shim(GoFile go) {
        return go instanceof GoFile.Taken(var key) ? Optional.of(key) : Optional.empty();
    }

    /** The shim as the database knows it. */
    private Optional<ProcessKey> known() {
        return attempt.phase().begun().map(Run::process);
    }

    private Finding byProcess(ProcessKey shim) {
        return switch (Proc.liveness(shim)) {
            case ALIVE ->
                    new Finding.Alive(attempt.phase().begun().orElse(new Run(shim, startedAt())));
            case GONE -> overUnlessRecorded(shim);
            case UNREADABLE -> new Finding.Doubtful("the process table cannot be read");
        };
    }

    /** The shim may have written its record and ended since we looked for it. */
    private Finding overUnlessRecorded(ProcessKey shim) {
        try {
            var ending =
                    ExitRecord.read(directory) instanceof ExitRecord.Code(int code)
                            ? new Ending.Exited(code)
                            : new Ending.Vanished();
            return new Finding.Over(Optional.of(shim), ending);
        } catch (IOException unreadable) {
            return new Finding.Doubtful("its exit record cannot be read: " + unreadable);
        }
    }

    private Instant startedAt() {
        try {
            return Files.getLastModifiedTime(directory.go()).toInstant();
        } catch (IOException _) {
            return attempt.grantedAt();
        }
    }

    /** Nobody has taken {@code go}, or its whole directory is gone. */
    private Finding absent() throws IOException {
        if (known().isPresent()) {
            // It was seen alive, so the file was there: somebody removed it. Its process still
            // tells.
            return byProcess(known().get());
        }
        workshop.failpoints().reach("node.before-tombstone");
        directory.create();
        boolean closed = GoFile.close(directory.go());
        workshop.failpoints().reach("node.after-tombstone");
        return closed ? neverStarted() : judge();
    }

    private Finding neverStarted() throws IOException {
        var strays = workshop.processes(attempt.id(), Optional.empty()).look();
        return strays.isEmpty()
                ? new Finding.Over(Optional.empty(), new Ending.NeverStarted())
                : new Finding.Doubtful(
                        "nothing says that it started, but these run: "
                                + Leftovers.describe(strays.members()));
    }
}
