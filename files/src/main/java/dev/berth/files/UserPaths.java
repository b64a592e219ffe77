package dev.berth.files;

import dev.berth.files.TimeLimitedCalls.FileWork;
import dev.berth.files.TimeLimitedCalls.NoAnswerException;
import dev.berth.files.TimeLimitedCalls.Place;

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

    /**
     * How much longer a call waits for others of its place that return: a busy place is not a dead
     * one.
     */
    private static final int WAITING_FACTOR = 12;

    private static final int CALLS_PER_PLACE = 4;

    /** Calls at the same time, and so the threads that are needed. */
    public static final int THREADS = 24;

    /** A dead disk leaves threads for the paths of others. */
    private static final int CALLS_PER_MOUNT = THREADS / 2;

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
        var limits =
                new TimeLimitedCalls.Limits(
                        limit,
                        limit.multipliedBy(WAITING_FACTOR),
                        CALLS_PER_PLACE,
                        CALLS_PER_MOUNT,
                        THREADS);
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
        var places = new PathPlaces(mounts.mounts());
        var place = places.placeOf(path);
        try {
            return switch (calls.call(place, () -> tryAt(place, places, path, work))) {
                case Outcome.Done<T>(var result) -> result;
                case Outcome.Elsewhere<T>(var behindLinks) -> callAt(behindLinks, path, work);
            };
        } catch (NoAnswerException late) {
            throw late.place().equals(place.name()) ? late.naming(path.toString()) : late;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var interrupted = new InterruptedIOException("interrupted while waiting for " + path);
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** What became of the work at the place that the path names. */
    private sealed interface Outcome<T> {
        record Done<T>(T result) implements Outcome<T> {}

        /** Not done, because links lead to another place. */
        record Elsewhere<T>(Place place) implements Outcome<T> {}
    }

    /** A path on a local file system may be a link into a dead one. */
    private static <T> Outcome<T> tryAt(Place place, PathPlaces places, Path path, FileWork<T> work)
            throws IOException, InterruptedException {
        var behindLinks = places.placeBehindLinks(path);
        return behindLinks.mount().equals(place.mount())
                ? new Outcome.Done<>(work.run())
                : new Outcome.Elsewhere<>(behindLinks);
    }

    private <T> T callAt(Place place, Path path, FileWork<T> work)
            throws IOException, InterruptedException {
        try {
            return calls.call(place, work);
        } catch (NoAnswerException late) {
            throw late.place().equals(place.name()) ? late.naming(path.toString()) : late;
        }
    }
}
