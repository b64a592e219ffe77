package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class RunnerSignalsTest {

    private static final ShimProcess SHIM =
            new ShimProcess(new ProcessKey("boot", 7, 1), Instant.EPOCH, Optional.empty());

    private static final Duration LONG = Duration.ofMinutes(3);

    /** The codes that were reported, with the name of the thread. */
    private final List<String> reported = new CopyOnWriteArrayList<>();

    private final RunnerSignals signals =
            new RunnerSignals(
                    code -> code == 0,
                    (_, code) -> reported.add(code + " by " + Thread.currentThread().getName()));

    private final ExecutorService attempt = Executors.newSingleThreadExecutor();
    private @Nullable Thread attemptThread;

    @AfterEach
    void close() {
        attempt.shutdownNow();
    }

    private Future<@Nullable RunnerSignal> await() {
        var next =
                attempt.submit(
                        () -> {
                            attemptThread = Thread.currentThread();
                            return signals.poll(SHIM, LONG);
                        });
        eventually(
                "it waits",
                () ->
                        attemptThread != null
                                && attemptThread.getState() == Thread.State.TIMED_WAITING);
        return next;
    }

    @Test
    void theThreadThatLearnsOfTheEndReportsIt() throws Exception {
        var next = await();
        signals.commandEnded(0);

        assertThat(next.get()).isEqualTo(new RunnerSignal.EndReported());
        assertThat(reported).containsExactly("0 by " + Thread.currentThread().getName());
    }

    @Test
    void anEndThatNeedsMoreIsLeftToTheThreadOfTheAttempt() throws Exception {
        var next = await();
        signals.commandEnded(3);

        assertThat(next.get()).isEqualTo(new RunnerSignal.CommandEnded(3));
        assertThat(reported).isEmpty();
    }

    @Test
    void anEndThatNobodyAwaitsYetIsKept() throws Exception {
        signals.commandEnded(0);

        assertThat(signals.take(SHIM)).isEqualTo(new RunnerSignal.CommandEnded(0));
        assertThat(reported).isEmpty();
    }

    /** Either the end is reported, or the attempt is stopped and its end found later. */
    @Test
    void anEndAndAStopAtTheSameTimeAreOneOfBoth() throws Exception {
        for (int i = 0; i < 2000; i++) {
            reported.clear();
            var next = attempt.submit(() -> signals.take(SHIM));
            var stop = Thread.ofVirtual().start(() -> signals.add(new RunnerSignal.Stop()));
            signals.commandEnded(0);
            stop.join();

            switch (next.get()) {
                case RunnerSignal.EndReported _ -> {
                    assertThat(reported).hasSize(1);
                    assertThat(signals.poll(Duration.ZERO)).isIn(null, new RunnerSignal.Stop());
                }
                case RunnerSignal.Stop _ -> {
                    assertThat(reported).isEmpty();
                    assertThat(signals.poll(LONG)).isEqualTo(new RunnerSignal.CommandEnded(0));
                }
                case RunnerSignal.CommandEnded _ -> {
                    assertThat(reported).isEmpty();
                    assertThat(signals.poll(LONG)).isEqualTo(new RunnerSignal.Stop());
                }
                default -> throw new AssertionError();
            }
        }
    }
}
