package dev.berth.files;

import dev.berth.files.TimeLimitedCalls.FileWork;
import dev.berth.files.TimeLimitedCalls.NoAnswerException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Access to paths that users and the configuration name. They may be on a dead network file system,
 * where the first look blocks its thread for ever, so no thread that others need looks at them.
 */
public final class UserPaths {

    /** A file system that answers does so in milliseconds. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private static final int CALLS_PER_PLACE = 4;

    /** Calls at the same time, and so the threads that are needed. */
    public static final int THREADS = 24;

    private final TimeLimitedCalls calls;
    private final MountTable mounts;

    UserPaths(TimeLimitedCalls calls, MountTable mounts) {
        this.calls = calls;
        this.mounts = mounts;
    }

    /**
     * @param threads {@link #THREADS} of them, none of which anything else uses
     */
    public static UserPaths on(Executor threads) {
        return on(threads, ANSWER_LIMIT);
    }

    public static UserPaths on(Executor threads, Duration limit) {
        var limits = new TimeLimitedCalls.Limits(limit, limit, CALLS_PER_PLACE, THREADS);
        return new UserPaths(new TimeLimitedCalls(threads, limits), MountTable.ofThisMachine());
    }

    /** With threads that are started when they are needed. */
    public static UserPaths withOwnThreads() {
        return on(
                Executors.newCachedThreadPool(
                        Thread.ofPlatform().daemon().name("user-path-", 1).factory()));
    }

    /**
     * @param path the path that the work touches
     * @throws NoAnswerException its file system did not answer in time
     */
    public <T> T access(Path path, FileWork<T> work) throws IOException {
        var place = mounts.placeOf(path);
        try {
            return calls.call(place, work);
        } catch (NoAnswerException late) {
            throw late.place().equals(place) ? late.naming(path.toString()) : late;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException("interrupted while waiting for " + path);
            interrupted.initCause(e);
            throw interrupted;
        }
    }
}
