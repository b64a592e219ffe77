package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.files.TimeLimitedCalls.NoAnswerException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

class TimeLimitedCallsTest {

    private static final Duration LIMIT = Duration.ofMillis(200);

    /** A test fails after this time instead of hanging. */
    private static final long PATIENCE_SECONDS = 60;

    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final ExecutorService threads =
            Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    private final TimeLimitedCalls calls = calls(LIMIT, 2, 3);

    private TimeLimitedCalls calls(Duration limit, int perPlace, int total) {
        return new TimeLimitedCalls(
                threads, new TimeLimitedCalls.Limits(limit, limit, perPlace, total));
    }

    @AfterEach
    void answerAll() {
        answer.countDown();
        callers.close();
        threads.close();
    }

    /** Like a file of a dead server: only the server's return ends the call. */
    private String hang() {
        begun.incrementAndGet();
        boolean isInterrupted = false;
        while (true) {
            try {
                answer.await();
                break;
            } catch (InterruptedException _) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return "late";
    }

    @Test
    void passesOnResultsAndFailures() throws Exception {
        assertThat(calls.call("/data", () -> "content")).isEqualTo("content");
        assertThatThrownBy(
                        () ->
                                calls.call(
                                        "/data",
                                        () -> {
                                            throw new FileNotFoundException("x");
                                        }))
                .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(
                        () ->
                                calls.call(
                                        "/data",
                                        () -> {
                                            throw new IllegalStateException("x");
                                        }))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void namesThePlaceThatDoesNotAnswer() {
        assertThatThrownBy(() -> calls.call("/dead", this::hang))
                .isInstanceOf(NoAnswerException.class)
                .hasMessageContaining("/dead");
    }

    @Test
    void hundredCallsTakeOnlyTheThreadsOfTheirPlace() throws Exception {
        var refusals = new ArrayList<Future<?>>();
        for (int i = 0; i < 100; i++) {
            refusals.add(callers.submit(call(() -> calls.call("/dead", this::hang))));
        }
        for (var one : refusals) {
            assertThatThrownBy(() -> one.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(NoAnswerException.class);
        }
        assertThat(begun).as("calls that hold a thread").hasValue(2);
        assertThat(calls.call("/healthy", () -> 1)).isEqualTo(1);
    }

    @Test
    void overdueCallsRefuseFurtherOnesAtOnce() throws Exception {
        var patient = calls(Duration.ofMillis(1), 2, 3);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> patient.call("/dead", this::hang))
                    .isInstanceOf(NoAnswerException.class);
        }
        assertThatThrownBy(
                        () ->
                                patient.call(
                                        "/dead",
                                        () -> {
                                            throw new AssertionError("it must not begin");
                                        }))
                .isInstanceOf(NoAnswerException.class);
        assertThat(begun).hasValue(2);
    }

    @Test
    void refusesEveryPlaceWhenAllThreadsHangAndNamesTheOneThatDoes() throws Exception {
        for (var place : List.of("/dead/a", "/dead/b", "/dead/c")) {
            assertThatThrownBy(() -> calls.call(place, this::hang))
                    .isInstanceOf(NoAnswerException.class);
        }
        assertThatThrownBy(() -> calls.call("/healthy", () -> 1))
                .isInstanceOf(NoAnswerException.class)
                .hasMessageContaining("/dead/a");
    }

    @Test
    void placeIsUsableAgainOnceItAnswers() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> calls.call("/dead", this::hang))
                    .isInstanceOf(NoAnswerException.class);
        }
        var patient = calls(Duration.ofSeconds(PATIENCE_SECONDS), 1, 1);
        var first = callers.submit(call(() -> patient.call("/slow", this::hang)));
        var second = callers.submit(call(() -> patient.call("/slow", () -> "next")));
        answer.countDown();
        assertThat(first.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("late");
        assertThat(second.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("next");
    }

    @Test
    void callThatGotNoThreadHoldsNone() {
        var broken =
                new TimeLimitedCalls(
                        _ -> {
                            throw new OutOfMemoryError("unable to create native thread");
                        },
                        new TimeLimitedCalls.Limits(LIMIT, LIMIT, 1, 1));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> broken.call("/data", () -> 1))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }

    private static <T> Callable<T> call(Callable<T> work) {
        return work;
    }
}
