package dev.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Tasks on a simulated cluster whose controller, hosts and commands fail at random. Each seed is
 * one history; a failure names its seed.
 */
final class HandedAttemptsSimulationTest {

    private static final int SEEDS = Integer.getInteger("berth.slurm.seeds", 200);
    private static final int TASKS = 20;
    private static final int FAULTY_STEPS = 400;
    private static final int MAX_STEPS = 20_000;
    private static final Duration FILE_DELAY = Duration.ofSeconds(5);

    @Test
    void noTaskIsLostOrRunsTwiceWhateverFails() {
        int forgotten = 0;
        int reused = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            var history = new History(seed, Duration.ZERO);
            history.run();
            history.judge();
            forgotten += history.cluster.forgotten;
            reused += history.cluster.reusedIds;
        }
        // The simulated faults happen at all.
        assertThat(forgotten).isGreaterThan(SEEDS);
        assertThat(reused).isGreaterThan(SEEDS);
    }

    /** A network file system shows to one host late what another has written. */
    @Test
    void noTaskIsLostOrRunsTwiceWhereFilesOfHostsAreSeenLate() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            var history = new History(seed, FILE_DELAY);
            history.run();
            history.judge();
        }
    }

    @Test
    void aSeedGivesTheSameHistoryTwice() {
        var first = new History(7, FILE_DELAY);
        first.run();
        var second = new History(7, FILE_DELAY);
        second.run();
        assertThat(first.log).isEqualTo(second.log);
    }

    /** The task needs more memory than it stated: each attempt gets a fifth more. */
    @Test
    void aTaskThatSlurmEndedForItsMemoryGetsMoreOfIt() {
        var cluster = new SimulatedCluster(1);
        var endings = new ArrayList<Ending>();
        var server =
                new SimulatedServer(
                        cluster,
                        fact -> {
                            if (fact instanceof Fact.Ended ended) {
                                endings.add(ended.ending());
                            }
                        });
        var command = "#!/bin/bash\n#SBATCH --mem=1000M\nneeds 1400M; sleep 2; exit 0";
        var spec = TaskSpec.of("t", command, Need.CPU, "/");
        for (int number = 1; number <= 3; number++) {
            var attempt =
                    new Attempt(
                            new AttemptId(new TaskId(1), number),
                            "slurm",
                            1,
                            "boot",
                            List.of(),
                            cluster.now(),
                            new Phase.Handed());
            server.handOver(new Node.Launch(attempt, spec, List.of(), Node.LaunchTerms.DEFAULT));
            for (int step = 0; step < MAX_STEPS && endings.size() < number; step++) {
                server.step(Duration.ofMillis(500));
            }
        }
        assertThat(endings)
                .containsExactly(
                        new Ending.Exited(137), new Ending.Exited(137), new Ending.Exited(0));
        assertThat(cluster.memories).containsExactly(1000, 1200, 1440);
    }

    /** One run: it does what the engine does with the facts. */
    private static final class History {

        private final long seed;
        private final Random random;
        private final SimulatedCluster cluster;
        private final TreeMap<TaskId, Integer> codes = new TreeMap<>();
        private final TreeMap<TaskId, Integer> results = new TreeMap<>();
        private final TreeMap<TaskId, AttemptId> live = new TreeMap<>();
        private final TreeSet<TaskId> cancelled = new TreeSet<>();
        private final List<String> log = new ArrayList<>();
        private SimulatedServer server;

        History(long seed, Duration maxFileDelay) {
            this.seed = seed;
            this.random = new Random(seed);
            this.cluster = new SimulatedCluster(seed + 1);
            this.cluster.delayFiles(maxFileDelay);
            this.server = newServer();
        }

        private SimulatedServer newServer() {
            return new SimulatedServer(cluster, this::observe);
        }

        void run() {
            for (int i = 1; i <= TASKS; i++) {
                var task = new TaskId(i);
                codes.put(task, random.nextInt(3) == 0 ? 3 : 0);
                handOver(new AttemptId(task, 1));
            }
            cluster.setFailureRate(0.1);
            for (int step = 0; step < FAULTY_STEPS; step++) {
                fault();
                step();
            }
            cluster.setFailureRate(0);
            cluster.setDown(false);
            for (int step = 0; step < MAX_STEPS && !live.isEmpty(); step++) {
                step();
            }
        }

        private void fault() {
            switch (random.nextInt(120)) {
                case 0, 1, 2 -> cluster.crash();
                case 3 -> cluster.setDown(true);
                case 4, 5 -> cluster.setDown(false);
                case 6 -> cluster.drain();
                case 7 -> cluster.loseHost();
                case 8, 9 -> restart();
                case 10 -> cancelOne();
                default -> {}
            }
        }

        /** A new server knows the attempts from its database. */
        private void restart() {
            server = newServer();
            for (var id : live.values()) {
                server.adopt(attempt(id), Optional.empty(), Optional.empty());
                if (cancelled.contains(id.task())) {
                    server.stop(id);
                }
            }
        }

        private void cancelOne() {
            if (!live.isEmpty()) {
                var ids = List.copyOf(live.values());
                var id = ids.get(random.nextInt(ids.size()));
                cancelled.add(id.task());
                server.stop(id);
            }
        }

        private void step() {
            server.step(Duration.ofMillis(200 + random.nextInt(1000)));
            assertOneRunOfEachTask();
        }

        private void handOver(AttemptId id) {
            live.put(id.task(), id);
            var command =
                    "sleep " + (1 + id.task().value() % 7 * 3) + "; exit " + codes.get(id.task());
            int gpus = (int) (id.task().value() % 4);
            var spec = TaskSpec.of("t", command, gpus == 0 ? Need.CPU : Need.gpus(gpus), "/");
            server.handOver(
                    new Node.Launch(attempt(id), spec, List.of(), Node.LaunchTerms.DEFAULT));
        }

        private Attempt attempt(AttemptId id) {
            return new Attempt(
                    id, "slurm", 1, "boot", List.of(), cluster.now(), new Phase.Handed());
        }

        private void observe(Fact fact) {
            log.add(cluster.now() + " " + fact);
            if (!(fact instanceof Fact.Ended ended)
                    || !ended.attempt().equals(live.get(ended.attempt().task()))) {
                return;
            }
            var task = ended.attempt().task();
            live.remove(task);
            if (cancelled.contains(task)) {
                results.put(task, -1);
                return;
            }
            switch (ended.ending()) {
                case Ending.Exited(int code) -> results.put(task, code);
                case Ending.NeverStarted _, Ending.Interrupted _ ->
                        handOver(new AttemptId(task, ended.attempt().number() + 1));
                default -> throw new AssertionError("seed " + seed + ": " + ended);
            }
        }

        private void assertOneRunOfEachTask() {
            var alive = new TreeSet<TaskId>();
            var gpus = new TreeSet<String>();
            for (var run : cluster.runs) {
                if (run.isAlive()) {
                    assertThat(alive.add(run.attempt.task()))
                            .as("seed %d: one run of task %s", seed, run.attempt.task())
                            .isTrue();
                    for (int gpu : run.gpus) {
                        assertThat(gpus.add(run.host + ":" + gpu))
                                .as("seed %d: one run on GPU %d of host %d", seed, gpu, run.host)
                                .isTrue();
                    }
                }
            }
        }

        void judge() {
            assertThat(live).as("seed %d: tasks without an end", seed).isEmpty();
            var attempts = new TreeSet<AttemptId>();
            var finished = new TreeMap<TaskId, Integer>();
            for (var run : cluster.runs) {
                assertThat(attempts.add(run.attempt))
                        .as("seed %d: attempt %s starts once", seed, run.attempt)
                        .isTrue();
                if (run.isFinished) {
                    finished.merge(run.attempt.task(), 1, Integer::sum);
                }
            }
            codes.forEach(
                    (task, code) -> {
                        if (!cancelled.contains(task)) {
                            assertThat(results.get(task))
                                    .as("seed %d: task %s", seed, task)
                                    .isEqualTo(code);
                            assertThat(finished.get(task))
                                    .as("seed %d: task %s completes once", seed, task)
                                    .isEqualTo(1);
                        }
                    });
        }
    }
}
