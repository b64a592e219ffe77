package dev.berth.node.worker;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShimProcess;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** What a worker prints, and which facts the engine gets from it. */
class WorkerChannelTest {

    private static final AttemptId WORKER = new AttemptId(new TaskId(2), 1);
    private static final AttemptId CALL = new AttemptId(new TaskId(7), 1);

    @TempDir private Path tasks;
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private WorkerChannel channel;

    @BeforeEach
    void open() {
        channel =
                new WorkerChannel(
                        WORKER,
                        new ShimProcess(new ProcessKey("boot", 100, 100), Instant.EPOCH),
                        new WorkerLink(WORKER, new WorkerPipes(tasks)),
                        new ChannelContext(
                                WorkerSettings.DEFAULT,
                                facts::add,
                                files(),
                                timer,
                                CallUses.NONE,
                                Failpoints.NONE));
    }

    private WorkerFiles files() {
        return new WorkerFiles() {
            @Override
            public AttemptDirectory directory(AttemptId attempt) {
                return AttemptDirectory.of(tasks, attempt);
            }

            @Override
            public OptionalInt reader(RunAs owner) {
                return OptionalInt.empty();
            }
        };
    }

    @AfterEach
    void endTimer() {
        timer.shutdownNow();
    }

    private void call() {
        call(Optional.empty());
    }

    private void call(Optional<Duration> timeLimit) {
        channel.call(
                new Node.Call(CALL, WORKER, Optional.empty(), "{}", timeLimit, Optional.empty()));
    }

    @Test
    void aTaskIsSentWhenTheModelIsLoaded() {
        call();
        assertThat(facts).isEmpty();
        channel.received("{\"type\":\"ready\"}");

        assertThat(facts.getFirst()).isInstanceOf(Fact.WorkerReady.class);
        awaitStart();
    }

    private void awaitStart() {
        eventually(
                "its start is reported",
                () ->
                        facts.getLast() instanceof Fact.Started started
                                && started.attempt().equals(CALL));
    }

    @Test
    void theStartOfAShortTaskIsReportedWithItsEnd() {
        channel.received("{\"type\":\"ready\"}");
        facts.clear();
        var ended = new CountDownLatch(1);
        // No timer becomes due on a slow machine either.
        timer.execute(() -> awaitUninterruptibly(ended));
        call();
        channel.received("{\"type\":\"result\",\"task\":7,\"value\":null}");
        ended.countDown();

        assertThat(facts).hasSize(1);
        assertThat(facts.getFirst())
                .isInstanceOfSatisfying(
                        Fact.CallEnded.class, fact -> assertThat(fact.start()).isPresent());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theTimeLimitIsReportedAfterTheStart() {
        channel.received("{\"type\":\"ready\"}");
        facts.clear();
        call(Optional.of(Duration.ofMillis(1)));

        eventually(
                "its time limit is reported",
                () -> facts.contains(new Fact.TimeLimitReached(CALL)));
        assertThat(facts).hasSize(2);
        assertThat(facts.getFirst()).isInstanceOf(Fact.Started.class);
    }

    @Test
    void noTimeLimitIsReportedForATaskThatHasEnded() throws Exception {
        channel.received("{\"type\":\"ready\"}");
        call(Optional.of(Duration.ofMillis(200)));
        channel.received("{\"type\":\"result\",\"task\":7,\"value\":null}");
        timer.shutdown();

        assertThat(timer.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(facts).doesNotContain(new Fact.TimeLimitReached(CALL));
    }

    @Test
    void aResultEndsTheTaskAndItsLogIsKept() throws Exception {
        running();
        channel.received("{\"type\":\"log\",\"task\":7,\"line\":\"half way\"}");
        channel.received("{\"type\":\"result\",\"task\":7,\"value\":{\"x\":[1.50,null]}}");

        assertThat(facts.getLast())
                .isEqualTo(
                        new Fact.CallEnded(
                                CALL, new Ending.Exited(0), Optional.of("{\"x\":[1.50,null]}")));
        assertThat(Files.readString(AttemptDirectory.of(tasks, CALL).log()))
                .isEqualTo("half way\n");
    }

    @Test
    void anErrorKeepsItsType() {
        running();
        channel.received(
                "{\"type\":\"error\",\"task\":7,\"error_type\":\"OOM\",\"message\":\"too much\"}");

        assertThat(facts.getLast())
                .isEqualTo(
                        new Fact.CallEnded(
                                CALL, new Ending.CallFailed("OOM", "too much"), Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello",
                "",
                "[]",
                "{\"type\":\"result\",\"task\":7}",
                "{\"type\":\"result\",\"task\":\"7\",\"value\":1}",
                "{\"type\":\"result\",\"task\":8,\"value\":1}",
                "{\"type\":\"dance\",\"task\":7}",
                "{\"type\":\"log\",\"task\":7,\"line\":5}",
            })
    void aLineOutsideTheProtocolFailsTheWorkerOnce(String line) {
        running();
        channel.received(line);
        channel.received(line);

        assertThat(facts).hasSize(1);
        assertThat(facts.getFirst())
                .isInstanceOfSatisfying(
                        Fact.WorkerFailed.class,
                        failed -> assertThat(failed.fault()).isEqualTo(Fact.WorkerFault.PROTOCOL));
    }

    @Test
    void aWorkerThatGoesOnWithoutItsPipesIsEnded() {
        running();
        channel.broken("has closed its output");

        eventually(
                "the worker has failed",
                () ->
                        facts.contains(
                                new Fact.WorkerFailed(
                                        WORKER,
                                        Fact.WorkerFault.PROTOCOL,
                                        "has closed its output")));
    }

    @Test
    void theEndOfAWorkerIsNoFault() throws Exception {
        channel.broken("has closed its output");
        channel.close();
        timer.shutdown();

        assertThat(timer.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(facts).isEmpty();
    }

    @Test
    void aFloodOfProgressIsNotPassedOn() {
        running();
        for (int i = 0; i < 10_000; i++) {
            channel.received(
                    "{\"type\":\"progress\",\"task\":7,\"done\":" + i + ",\"total\":10000}");
        }
        assertThat(facts).hasSizeBetween(1, 100);
    }

    @Test
    void aTaskThatWasNotSentIsWithdrawn() {
        call();
        assertThat(channel.cancel(new AttemptId(new TaskId(9), 1))).isFalse();
        assertThat(channel.cancel(CALL)).isTrue();

        assertThat(facts)
                .containsExactly(
                        new Fact.CallEnded(CALL, new Ending.NeverStarted(), Optional.empty()));
        channel.received("{\"type\":\"ready\"}");
        assertThat(facts).hasSize(2);
    }

    private void running() {
        call();
        channel.received("{\"type\":\"ready\"}");
        awaitStart();
        facts.clear();
    }
}
