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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An attempt runs on a host that cannot be looked at, and Slurm's list says that it is over. */
final class StartedAttemptsTest {

    private static final AttemptId ID = new AttemptId(new TaskId(7), 1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final SimulatedCluster cluster = new SimulatedCluster(1);
    private final List<Fact> facts = new ArrayList<>();
    private final HandedAttempts handed =
            new HandedAttempts(cluster, new Unseen(), cluster, facts::add);
    private Instant begin = Instant.EPOCH;

    private static final class Unseen implements HostProcesses {
        @Override
        public Presence look(AttemptId id, AttemptFiles.FileState.Started start) {
            return Presence.UNKNOWN;
        }

        @Override
        public void end(AttemptId id, AttemptFiles.FileState.Started start) {}
    }

    @BeforeEach
    void start() throws SlurmFailure {
        var spec = TaskSpec.of("t", "sleep 10000; exit 0", Need.CPU, "/");
        var attempt =
                new Attempt(ID, "slurm", 1, "boot", List.of(), cluster.now(), new Phase.Handed());
        var launch = new Node.Launch(attempt, spec, List.of(), Node.LaunchTerms.DEFAULT);
        handed.handOver(launch);
        var _ = handed.takeSubmits();
        cluster.prepare(launch);
        var job =
                cluster.submit(
                        cluster.script(ID),
                        List.of("--job-name=" + HandedAttempts.jobName(ID)),
                        Optional.empty());
        assertThat(job).isEqualTo("1");
        handed.submitted(ID);
        begin = cluster.now();
        cluster.advance(Duration.ofSeconds(1));
        examine(job, "RUNNING");
        assertThat(facts).anyMatch(Fact.Placed.class::isInstance);
    }

    private void examine(String job, String state) {
        var listed =
                new SlurmJob(
                        job, state, "None", Optional.empty(), "", 0, cluster.script(ID).toString());
        var _ = handed.examine(List.of(listed), handed.acknowledged(), cluster.now());
    }

    /** Slurm's list is the same for a long time. */
    private void examineLong(String job, String state, Instant controllerStart) {
        for (var end = cluster.now().plus(LONG); cluster.now().isBefore(end); ) {
            cluster.advance(Duration.ofSeconds(1));
            handed.controllerStarted(Optional.of(controllerStart));
            examine(job, state);
        }
    }

    private List<Ending> endings() {
        return facts.stream()
                .filter(Fact.Ended.class::isInstance)
                .map(fact -> ((Fact.Ended) fact).ending())
                .toList();
    }

    @Test
    void theEndOfItsJobIsItsEnd() {
        examineLong("1", "FAILED", begin.minus(Duration.ofDays(1)));
        assertThat(endings()).hasOnlyElementsOfType(Ending.Vanished.class).hasSize(1);
    }

    /** The controller took the job for a waiting one, and a second copy ended at once. */
    @Test
    void afterACrashTheEndOfItsJobIsNotItsEnd() {
        examineLong("1", "FAILED", cluster.now());
        assertThat(endings()).isEmpty();
        assertThat(facts).anyMatch(Fact.Lost.class::isInstance);
    }

    /** The same script was submitted twice, and Slurm has forgotten the job that started. */
    @Test
    void theEndOfAnotherJobOfItsScriptIsNotItsEnd() {
        examineLong("2", "CANCELLED", begin.minus(Duration.ofDays(1)));
        assertThat(endings()).isEmpty();
        assertThat(facts).anyMatch(Fact.Lost.class::isInstance);
    }
}
