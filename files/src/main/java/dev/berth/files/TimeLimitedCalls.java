package dev.berth.files;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls that touch files which may never answer, such as those of a dead network file system. They
 * run on threads of their own, because the kernel cannot interrupt them. The number of threads is
 * limited in total, for each place and for each mount, so that one dead place does not take them
 * all; a call that finds only overdue calls in its way is refused at once.
 */
public final class TimeLimitedCalls {

    private final Executor threads;
    private final Limits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition callReturned = lock.newCondition();
    private final Set<Call> running = new LinkedHashSet<>();

    /**
     * @param answer the longest time that a call may take
     * @param waiting the longest time that a call waits for a thread
     * @param perPlace calls that run at the same time in one place
     * @param perMount calls that run at the same time in all places of one mount
     * @param total calls that run at the same time
     */
    public record Limits(Duration answer, Duration waiting, int perPlace, int perMount, int total) {

        /** For places without mounts. */
        public Limits(Duration answer, Duration waiting, int perPlace, int total) {
            this(answer, waiting, perPlace, total, total);
        }
    }

    /**
     * What may stop answering.
     *
     * @param name shown to people
     * @param mount the file system that the place is on; places of one mount may fail together
     */
    record Place(String name, String mount) {}

    /** Work that touches files. */
    @FunctionalInterface
    public interface FileWork<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Has an identity: two calls may begin in one place at the same time. */
    private static final class Call {
        final Place place;
        final long began;

        Call(Place place, long began) {
            this.place = place;
            this.began = began;
        }
    }

    /** The files of a place did not answer in time. */
    public static final class NoAnswerException extends IOException {
        private static final long serialVersionUID = 1;

        private final String place;
        private final long seconds;

        private NoAnswerException(String place, long seconds) {
            super(place + " did not answer within " + seconds + " s");
            this.place = place;
            this.seconds = seconds;
        }

        /** The same, for a path inside the place. */
        NoAnswerException naming(String path) {
            return new NoAnswerException(path, seconds);
        }

        public String place() {
            return place;
        }

        public long seconds() {
            return seconds;
        }
    }

    /**
     * @param threads has a thread for each of {@code limits.total()} calls
     */
    public TimeLimitedCalls(Executor threads, Limits limits) {
        this.threads = threads;
        this.limits = limits;
    }

    /**
     * @param place names what may not answer; shown to people
     * @throws NoAnswerException there was no answer in time, or no thread for the call
     */
    public <T> T call(String place, FileWork<T> work) throws IOException, InterruptedException {
        return call(new Place(place, place), work);
    }

    <T> T call(Place place, FileWork<T> work) throws IOException, InterruptedException {
        var call = begin(place);
        var result = new FutureTask<T>(() -> runAndEnd(call, work));
        boolean isHandedOver = false;
        try {
            threads.execute(result);
            isHandedOver = true;
        } finally {
            if (!isHandedOver) {
                end(call);
            }
        }
        try {
            return result.get(limits.answer.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw noAnswer(place);
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case InterruptedException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(failed);
            }
        }
    }

    /** The call has ended before its result is known: the caller may begin the next one at once. */
    private <T> T runAndEnd(Call call, FileWork<T> work) throws IOException, InterruptedException {
        try {
            return work.run();
        } finally {
            end(call);
        }
    }

    private Call begin(Place place) throws NoAnswerException, InterruptedException {
        long deadline = System.nanoTime() + limits.waiting.toNanos();
        lock.lockInterruptibly();
        try {
            while (true) {
                long now = System.nanoTime();
                var ahead = callsAhead(place);
                if (ahead.isEmpty()) {
                    var call = new Call(place, now);
                    running.add(call);
                    return call;
                }
                long untilAllOverdue =
                        ahead.stream().mapToLong(one -> one.began - now).max().orElse(0)
                                + limits.answer.toNanos();
                long left = Math.min(deadline - now, untilAllOverdue);
                if (left <= 0) {
                    // Where all threads are taken, that is another place.
                    throw noAnswer(ahead.getFirst().place);
                }
                var _ = callReturned.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The calls of which one must return before another can begin, oldest first; empty if there is
     * room.
     */
    private List<Call> callsAhead(Place place) {
        var inMount = running.stream().filter(one -> one.place.mount.equals(place.mount)).toList();
        var inPlace = inMount.stream().filter(one -> one.place.equals(place)).toList();
        if (inPlace.size() >= limits.perPlace) {
            return inPlace;
        }
        if (inMount.size() >= limits.perMount) {
            return inMount;
        }
        return running.size() >= limits.total ? List.copyOf(running) : List.of();
    }

    private void end(Call call) {
        lock.lock();
        try {
            running.remove(call);
            callReturned.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private NoAnswerException noAnswer(Place place) {
        return new NoAnswerException(place.name, limits.answer.toSeconds());
    }
}
