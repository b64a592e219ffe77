package dev.berth.node;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads files of one attempt that may not answer, on a thread that may block. At most one call is
 * outstanding, so that a file that never answers costs one thread.
 */
final class TimeLimitedCall {

    private static final Duration MAX_WAIT_FOR_THREAD = Duration.ofMinutes(2);

    private final ExecutorService threads;
    private final Duration limit;
    private @Nullable Future<?> outstanding;

    TimeLimitedCall(ExecutorService threads, Duration limit) {
        this.threads = threads;
        this.limit = limit;
    }

    /**
     * @throws IOException also if there was no answer in time
     */
    <T> T run(Callable<T> work) throws IOException, InterruptedException {
        var before = outstanding;
        if (before != null && !before.isDone()) {
            throw noAnswer();
        }
        var begun = new CountDownLatch(1);
        var call =
                threads.submit(
                        () -> {
                            begun.countDown();
                            return work.call();
                        });
        outstanding = call;
        try {
            // Many attempts of a new server wait for a thread; that says nothing about a file.
            if (!begun.await(MAX_WAIT_FOR_THREAD.toMillis(), TimeUnit.MILLISECONDS)) {
                throw noAnswer();
            }
            return call.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw noAnswer();
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case InterruptedException interrupted -> throw interrupted;
                case null, default -> throw new IllegalStateException(failed);
            }
        }
    }

    private IOException noAnswer() {
        return new IOException("its files did not answer within " + limit.toSeconds() + " s");
    }
}
