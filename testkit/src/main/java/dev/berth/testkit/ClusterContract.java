package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Cluster;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What every cluster does with attempts, also if its controller forgets jobs, gives ids twice and
 * kills, and if hosts are drained or do not answer. The cluster has four hosts with four GPUs each.
 */
public abstract class ClusterContract {

    protected static final int HOSTS = 4;
    protected static final int GPUS = 4;
    private static final int LONG = 600;

    /** A cluster, a server that uses it, and the faults of both. */
    public abstract static class Subject implements AutoCloseable {

        private final List<Fact> facts = new CopyOnWriteArrayList<>();
        private final String hostPrefix;
        private final int firstHost;

        /**
         * @param hostPrefix the hosts have this name, followed by a number
         * @param firstHost its number
         */
        protected Subject(String hostPrefix, int firstHost) {
            this.hostPrefix = hostPrefix;
            this.firstHost = firstHost;
        }

        public abstract Cluster cluster();

        /** All facts so far, those of earlier servers included. */
        final List<Fact> facts() {
            return List.copyOf(facts);
        }

        /** Each server reports here. */
        protected final void report(Fact fact) {
            facts.add(fact);
        }

        public abstract Instant now();

        /** A command that runs this long and ends with this code. */
        public abstract String command(int seconds, int code);

        /** The attempts whose command has begun, once for each begin. */
        public abstract List<AttemptId> starts();

        /** Lets time pass until this is true, and fails if that takes too long. */
        public abstract void await(String what, BooleanSupplier condition);

        /** The server is replaced by one that knows nothing. */
        public abstract void restartServer();

        public abstract void stopController();

        public abstract void startController();

        /** The controller is killed, and starts again with the state that it saved last. */
        public abstract void crashController();

        /** The controller takes the host for down; processes there run on. */
        public abstract void loseHost(String host);

        public abstract void recoverHost(String host);

        /** A person takes the host out of use. */
        public abstract void drain(String host);

        public abstract void resume(String host);

        final List<String> hosts() {
            return IntStream.range(firstHost, firstHost + HOSTS)
                    .mapToObj(number -> hostPrefix + number)
                    .toList();
        }

        @Override
        public abstract void close();
    }

    protected abstract Subject open(long seed) throws Exception;

    /** Each test runs with this many seeds. */
    protected int seeds() {
        return 1;
    }

    private interface Scenario {
        void run(Subject subject);
    }

    private void forEachSeed(Scenario scenario) throws Exception {
        for (long seed = 1; seed <= seeds(); seed++) {
            try (var subject = open(seed)) {
                scenario.run(subject);
            } catch (AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }

    private static AttemptId id(long task) {
        return new AttemptId(new TaskId(task), 1);
    }

    private static Attempt attempt(AttemptId id, Subject subject) {
        return new Attempt(id, "slurm", 1, "boot", List.of(), subject.now(), new Phase.Handed());
    }

    private static void handOver(Subject subject, AttemptId id, int gpus, String command) {
        var spec = TaskSpec.of("t", command, gpus == 0 ? Need.CPU : Need.gpus(gpus), "/");
        handOver(subject, id, spec);
    }

    private static void handOver(Subject subject, AttemptId id, TaskSpec spec) {
        subject.cluster()
                .handOver(
                        new Node.Launch(
                                attempt(id, subject), spec, List.of(), Node.LaunchTerms.DEFAULT));
    }

    private static <F extends Fact> Stream<F> facts(Subject subject, Class<F> kind) {
        return subject.facts().stream().filter(kind::isInstance).map(kind::cast);
    }

    private static Optional<Fact.Placed> placed(Subject subject, AttemptId id) {
        return facts(subject, Fact.Placed.class)
                .filter(fact -> fact.attempt().equals(id))
                .findFirst();
    }

    private static Optional<Ending> ending(Subject subject, AttemptId id) {
        return facts(subject, Fact.Ended.class)
                .filter(fact -> fact.attempt().equals(id))
                .map(Fact.Ended::ending)
                .findFirst();
    }

    private static Fact.Placed awaitPlaced(Subject subject, AttemptId id) {
        subject.await("the start of " + id, () -> placed(subject, id).isPresent());
        return placed(subject, id).orElseThrow();
    }

    private static Ending awaitEnd(Subject subject, AttemptId id) {
        subject.await("the end of " + id, () -> ending(subject, id).isPresent());
        return ending(subject, id).orElseThrow();
    }

    /** All GPUs are in use for a long time. */
    private static List<AttemptId> fill(Subject subject) {
        var ids = IntStream.rangeClosed(1, HOSTS).mapToObj(task -> id(100L + task)).toList();
        ids.forEach(id -> handOver(subject, id, GPUS, subject.command(LONG, 0)));
        ids.forEach(id -> awaitPlaced(subject, id));
        return ids;
    }

    @Test
    void anAttemptIsPlacedOnceAndEndsWithItsCode() throws Exception {
        forEachSeed(
                subject -> {
                    handOver(subject, id(1), 2, subject.command(1, 3));
                    assertThat(awaitEnd(subject, id(1))).isEqualTo(new Ending.Exited(3));
                    assertThat(facts(subject, Fact.Placed.class))
                            .singleElement()
                            .satisfies(
                                    fact -> {
                                        assertThat(fact.host()).isIn(subject.hosts());
                                        assertThat(fact.gpus()).hasSize(2).doesNotHaveDuplicates();
                                    });
                    assertThat(subject.starts()).containsExactly(id(1));
                });
    }

    @Test
    void anAttemptThatWaitsIsStoppedWhileTheControllerIsDown() throws Exception {
        forEachSeed(
                subject -> {
                    var running = fill(subject);
                    handOver(subject, id(1), 1, subject.command(1, 0));
                    subject.await(
                            "a reason to wait",
                            () ->
                                    facts(subject, Fact.ClusterWaits.class)
                                            .anyMatch(fact -> fact.waits().containsKey(id(1))));
                    subject.stopController();
                    subject.cluster().stop(id(1));
                    assertThat(awaitEnd(subject, id(1))).isEqualTo(new Ending.NeverStarted());
                    subject.startController();
                    running.forEach(subject.cluster()::stop);
                    running.forEach(id -> awaitEnd(subject, id));
                    handOver(subject, id(2), GPUS, subject.command(1, 0));
                    awaitEnd(subject, id(2));
                    assertThat(subject.starts()).doesNotContain(id(1));
                });
    }

    @Test
    void aRunningAttemptIsStopped() throws Exception {
        forEachSeed(
                subject -> {
                    handOver(subject, id(1), 1, subject.command(LONG, 0));
                    awaitPlaced(subject, id(1));
                    subject.cluster().stop(id(1));
                    assertThat(awaitEnd(subject, id(1))).isNotEqualTo(new Ending.Exited(0));
                    // Its GPUs are free again.
                    fill(subject);
                });
    }

    @Test
    void onlyAnAttemptThatWaitsCanBeWithdrawn() throws Exception {
        forEachSeed(
                subject -> {
                    var running = fill(subject);
                    handOver(subject, id(1), 1, subject.command(1, 0));
                    running.forEach(subject.cluster()::withdraw);
                    subject.cluster().withdraw(id(1));
                    assertThat(awaitEnd(subject, id(1))).isEqualTo(new Ending.NeverStarted());
                    assertThat(running).allMatch(id -> ending(subject, id).isEmpty());
                });
    }

    @Test
    void tasksEndOnceWithTheirOwnCodeWhenTheControllerForgetsJobs() throws Exception {
        forEachSeed(
                subject -> {
                    var tasks = new Tasks(subject);
                    IntStream.rangeClosed(1, 8).forEach(task -> tasks.submit(task, task + 10));
                    subject.await(
                            "the first starts",
                            () -> !facts(subject, Fact.Placed.class).toList().isEmpty());
                    subject.crashController();
                    IntStream.rangeClosed(9, 12).forEach(task -> tasks.submit(task, task + 10));
                    subject.crashController();
                    tasks.awaitAll();
                    assertThat(subject.starts()).as("starts").doesNotHaveDuplicates();
                });
    }

    @Test
    void anotherServerFindsTheAttempts() throws Exception {
        forEachSeed(
                subject -> {
                    handOver(subject, id(1), GPUS, subject.command(3, 5));
                    awaitPlaced(subject, id(1));
                    subject.restartServer();
                    subject.cluster()
                            .adopt(attempt(id(1), subject), Optional.empty(), Optional.empty());
                    assertThat(awaitEnd(subject, id(1))).isEqualTo(new Ending.Exited(5));
                    assertThat(subject.starts()).containsExactly(id(1));
                });
    }

    @Test
    void anAttemptOnAHostThatDoesNotAnswerIsLostAndRunsOnce() throws Exception {
        forEachSeed(
                subject -> {
                    handOver(subject, id(1), 1, subject.command(12, 4));
                    var host = awaitPlaced(subject, id(1)).host();
                    subject.loseHost(host);
                    subject.await(
                            "the loss",
                            () ->
                                    ending(subject, id(1)).isEmpty()
                                            && facts(subject, Fact.Lost.class).count() == 1);
                    subject.recoverHost(host);
                    // Slurm may end a job of a host that answers again.
                    assertThat(awaitEnd(subject, id(1)))
                            .isInstanceOfAny(Ending.Interrupted.class, Ending.Exited.class)
                            .isNotEqualTo(new Ending.Exited(143));
                    assertThat(subject.starts()).containsExactly(id(1));
                });
    }

    @Test
    void aDrainedHostGetsNoAttempt() throws Exception {
        forEachSeed(
                subject -> {
                    var drained = subject.hosts().getFirst();
                    subject.drain(drained);
                    IntStream.rangeClosed(1, HOSTS)
                            .forEach(
                                    task ->
                                            handOver(
                                                    subject,
                                                    id(task),
                                                    GPUS,
                                                    subject.command(LONG, 0)));
                    subject.await(
                            "the other hosts are full",
                            () -> facts(subject, Fact.Placed.class).count() == HOSTS - 1);
                    assertThat(facts(subject, Fact.Placed.class).map(Fact.Placed::host))
                            .doesNotContain(drained);
                    subject.resume(drained);
                    subject.await(
                            "the last start",
                            () -> facts(subject, Fact.Placed.class).count() == HOSTS);
                });
    }

    @Test
    void aTimeLimitIsReportedOnce() throws Exception {
        forEachSeed(
                subject -> {
                    var spec = TaskSpec.of("t", subject.command(5, 0), Need.gpus(1), "/");
                    handOver(subject, id(1), spec.with(Duration.ofSeconds(2)));
                    assertThat(awaitEnd(subject, id(1))).isEqualTo(new Ending.Exited(0));
                    assertThat(facts(subject, Fact.TimeLimitReached.class)).hasSize(1);
                });
    }

    /** Tasks that are handed over again when an attempt did not run, as the engine does it. */
    private static final class Tasks {

        private final Subject subject;
        private final TreeMap<TaskId, Integer> codes = new TreeMap<>();
        private final TreeMap<TaskId, AttemptId> live = new TreeMap<>();
        private final TreeMap<TaskId, Integer> results = new TreeMap<>();

        Tasks(Subject subject) {
            this.subject = subject;
        }

        void submit(long task, int code) {
            codes.put(new TaskId(task), code);
            handOver(id(task), code);
        }

        private void handOver(AttemptId id, int code) {
            live.put(id.task(), id);
            ClusterContract.handOver(subject, id, 2, subject.command(2, code));
        }

        void awaitAll() {
            subject.await("the end of all tasks", this::takeEnds);
            assertThat(results).isEqualTo(codes);
        }

        private boolean takeEnds() {
            for (var id : new ArrayList<>(live.values())) {
                ending(subject, id).ifPresent(ending -> take(id, ending));
            }
            return live.isEmpty();
        }

        private void take(AttemptId id, Ending ending) {
            live.remove(id.task());
            switch (ending) {
                case Ending.Exited(int code) -> results.put(id.task(), code);
                case Ending.NeverStarted _, Ending.Interrupted _ ->
                        handOver(
                                new AttemptId(id.task(), id.number() + 1),
                                codes.getOrDefault(id.task(), -1));
                default -> throw new AssertionError(id + ": " + ending);
            }
        }
    }
}
