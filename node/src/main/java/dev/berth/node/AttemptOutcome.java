package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.RegularFile;
import dev.berth.node.process.ExitWatcher.ProcessEnd;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.Optional;

/** What the files of an attempt say about its start and its end. */
final class AttemptOutcome implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AttemptOutcome.class);

    private final AttemptId id;
    private final NodeContext context;

    /** Found when it is first needed: the engine, which creates this, must not wait for a disk. */
    private @Nullable AttemptDirectory directory;

    /** Open from the start on, so that it can be read even if the task deletes its directory. */
    private @Nullable RegularFile exitRecord;

    /**
     * True once {@code go} was seen: the command may have run, even if the directory is gone later.
     */
    private boolean hasStarted;

    /** Its files are linked in the directory of the task. */
    private boolean isLinked;

    AttemptOutcome(AttemptId id, NodeContext context) {
        this.id = id;
        this.context = context;
    }

    AttemptDirectory directory() {
        var found = directory;
        if (found == null) {
            found = context.directory(id);
            directory = found;
        }
        return found;
    }

    /** True if its directory is now one that was created ahead. */
    boolean useSpareDirectory() {
        isLinked = context.spareDirectories().use(id);
        if (isLinked) {
            directory = AttemptDirectory.of(context.settings().tasksDirectory(), id);
        }
        return isLinked;
    }

    boolean isLinked() {
        return isLinked;
    }

    /** Call when the directory is complete. Without the record, only its path is read later. */
    void openExitRecord() {
        if (exitRecord != null) {
            return;
        }
        try {
            exitRecord = RegularFile.open(directory().pendingExitRecord());
        } catch (IOException absent) {
            log.debug("task={} attempt={} has no record yet", id.task(), id.number(), absent);
        }
    }

    boolean hasStarted() {
        return hasStarted;
    }

    void setStarted() {
        hasStarted = true;
    }

    /** True once this shim has taken {@code go}. */
    boolean checkStarted(ProcessKey shim) throws IOException {
        hasStarted =
                hasStarted
                        || (GoFile.read(directory().go()) instanceof GoFile.Taken(var holder)
                                && holder.equals(shim));
        return hasStarted;
    }

    /**
     * Creates {@code go} as a tombstone, so that no process may start. False if {@code go} already
     * exists.
     */
    boolean preventStart() throws IOException {
        context.requireTasksDirectory();
        context.failpoints().reach("node.before-tombstone");
        directory().create();
        boolean closed = GoFile.writeTombstone(directory().go());
        context.failpoints().reach("node.after-tombstone");
        return closed;
    }

    boolean isDirectoryUsed() throws IOException {
        return switch (GoFile.read(directory().go())) {
            case GoFile.Taken _, GoFile.Empty _, GoFile.Damaged _ -> true;
            case GoFile.Absent _, GoFile.Tombstone _ -> false;
        };
    }

    /**
     * If another process than this attempt's shim lives and holds {@code go}, the directory was
     * used before, and the database does not know that. Nothing in it is trusted then, and no
     * process is ended.
     */
    Optional<String> foreignHolder(Optional<ProcessKey> own) throws IOException {
        return !hasStarted
                        && GoFile.read(directory().go()) instanceof GoFile.Taken(var holder)
                        && own.filter(holder::equals).isEmpty()
                        && Proc.liveness(holder) != Liveness.GONE
                ? Optional.of(ErrorSentence.LOST_GO_HELD.text(directory().go(), holder.pid()))
                : Optional.empty();
    }

    /** Where the tombstone cannot be written, ending the shim prevents its start as well. */
    void tryToPreventStart() {
        try {
            if (!hasStarted) {
                preventStart();
            }
        } catch (IOException refused) {
            log.warn("task={} attempt={} no tombstone: {}", id.task(), id.number(), refused);
        }
    }

    /**
     * The links are a convenience. The attempt already runs, so a full disk that prevents them is
     * only logged.
     */
    void linkLatest() {
        if (isLinked) {
            return;
        }
        isLinked = true;
        try {
            directory().linkLatest();
        } catch (IOException refused) {
            log.warn(
                    "task={} attempt={} is not linked: {}",
                    id.task(),
                    id.number(),
                    refused.toString());
        }
    }

    /**
     * Prevents a start, and names the process to end if it has started. A process that belongs to
     * another home is not ended.
     *
     * @param recorded the shim as recorded in the database
     */
    Optional<ProcessKey> shimToEnd(Optional<ProcessKey> recorded) throws IOException {
        if (recorded.isEmpty()) {
            preventStart();
        } else {
            setStarted();
        }
        var shim =
                GoFile.read(directory().go()) instanceof GoFile.Taken(var key)
                        ? Optional.of(key)
                        : recorded;
        return shim.filter(directory()::isOwnShim);
    }

    /**
     * How it ended; none of its processes is left. The exit record has the highest authority,
     * because it is written last.
     *
     * @param end of the shim, if known
     * @param isShimGone the end of the shim was observed
     */
    Ending ending(Optional<ProcessEnd> end, boolean isShimGone) throws IOException {
        var found = ExitRecord.read(directory());
        if (found instanceof ExitRecord.Code) {
            publish();
        }
        var opened = exitRecord;
        if (opened != null && !found.isReadable()) {
            found = ExitRecord.readPending(opened);
        }
        return switch (found) {
            case ExitRecord.Code(int code) -> new Ending.Exited(code);
            case ExitRecord.NotBegun(String step) -> MachineFaults.notBegun(step);
            case ExitRecord.Absent _, ExitRecord.Damaged _ -> withoutRecord(end, isShimGone);
        };
    }

    private Ending withoutRecord(Optional<ProcessEnd> end, boolean isShimGone) throws IOException {
        return switch (GoFile.read(directory().go())) {
            case GoFile.Tombstone _ -> new Ending.NeverStarted();
            case GoFile.Absent _ -> withoutGo(end, isShimGone);
            case GoFile.Empty _, GoFile.Taken _, GoFile.Damaged _ -> new Ending.Vanished();
        };
    }

    /**
     * The file was removed, or the shim ended before it created it. It was the only process that
     * could, so its known end is as good as a tombstone where that cannot be written.
     */
    private Ending withoutGo(Optional<ProcessEnd> end, boolean isShimGone) throws IOException {
        context.requireTasksDirectory();
        boolean isDeleted = !Files.isDirectory(directory().path(), LinkOption.NOFOLLOW_LINKS);
        if (hasStarted) {
            return isDeleted ? new Ending.Vanished(DELETED) : new Ending.Vanished();
        }
        try {
            if (!preventStart()) {
                return new Ending.Vanished();
            }
        } catch (IOException failure) {
            if (!isShimGone) {
                throw failure;
            }
            return new Ending.NotLaunched(MachineFaults.of(failure));
        }
        return isDeleted ? new Ending.Vanished(DELETED) : launchFailed(end);
    }

    private static final String DELETED = ErrorSentence.DIRECTORY_DELETED.text();

    /** For users and scripts; the code is known without it. */
    private void publish() {
        try {
            ExitRecord.publish(directory());
        } catch (IOException refused) {
            log.warn(
                    "task={} attempt={} has no exit_code: {}",
                    id.task(),
                    id.number(),
                    refused.toString());
        }
    }

    /** A command that did not run is no fault of its task. */
    private static Ending launchFailed(Optional<ProcessEnd> end) {
        var how =
                end.map(
                                shimEnd ->
                                        switch (shimEnd) {
                                            case ProcessEnd.Exited(int code) ->
                                                    ErrorSentence.STARTER_STATUS.text(code);
                                            case ProcessEnd.Signalled(int signal) ->
                                                    ErrorSentence.STARTER_SIGNAL.text(signal);
                                            case ProcessEnd.Unknown _ ->
                                                    ErrorSentence.STARTER_GONE.text();
                                        })
                        .orElseGet(ErrorSentence.STARTER_ENDED::text);
        return new Ending.NotLaunched(new MachineFault(MachineFault.Kind.OTHER, how));
    }

    @Override
    public void close() {
        var opened = exitRecord;
        exitRecord = null;
        if (opened != null) {
            try {
                opened.close();
            } catch (IOException failure) {
                log.debug("task={} attempt={}", id.task(), id.number(), failure);
            }
        }
    }
}
