package dev.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Where jobs belong to the owners of tasks, what other users claim has no effect. */
final class JobOwnershipTest {

    private static final int ANN = 1001;
    private static final int BOB = 1002;
    private static final AttemptId ID = new AttemptId(new TaskId(7), 1);

    private final SimulatedCluster cluster = new SimulatedCluster(1);
    private final List<Fact> facts = new ArrayList<>();
    private final HandedAttempts handed = new HandedAttempts(cluster, cluster, cluster, facts::add);

    @BeforeEach
    void submit() {
        var ann = new RunAs("ann", ANN, Optional.empty());
        var text = new Script.Text("sleep 5; exit 0", "/", new TreeMap<>(), Optional.of(ann));
        var spec = TaskSpec.of("t", "true", Need.CPU, "/").with(text);
        var attempt =
                new Attempt(ID, "slurm", 1, "boot", List.of(), cluster.now(), new Phase.Handed());
        handed.handOver(new Node.Launch(attempt, spec, List.of(), Node.LaunchTerms.DEFAULT));
        var _ = handed.takeSubmits();
        handed.submitted(ID);
    }

    private SlurmJob job(int uid, String state) {
        return new SlurmJob(
                "5", state, "None", Optional.empty(), "", uid, cluster.script(ID).toString());
    }

    private List<SlurmOrder.Cancel> examine(SlurmJob job) {
        return handed.examine(List.of(job), handed.acknowledged(), cluster.now());
    }

    @Test
    void theJobsOfAllOwnersAreListedAlsoForAWhileAfterTheirEnd() {
        assertThat(handed.owners(cluster.now())).containsOnlyKeys(ANN);
        handed.forget(ID);
        assertThat(handed.owners(cluster.now().plus(Duration.ofMinutes(30)))).containsOnlyKeys(ANN);
        assertThat(handed.owners(cluster.now().plus(Duration.ofHours(2)))).isEmpty();
    }

    @Test
    void theOwnJobOfAnAttemptKeepsItWaiting() {
        assertThat(examine(job(ANN, "PENDING"))).isEmpty();
        assertThat(facts).noneMatch(Fact.Ended.class::isInstance);
    }

    /** Any user can submit a job and state any script. */
    @Test
    void aJobOfAnotherUserIsNoneOfTheAttempt() {
        assertThat(examine(job(BOB, "PENDING"))).as("it is not cancelled either").isEmpty();
        assertThat(facts)
                .filteredOn(Fact.Ended.class::isInstance)
                .map(fact -> ((Fact.Ended) fact).ending())
                .containsExactly(new Ending.NeverStarted());
    }

    @Test
    void aMarkOfAnotherUserHoldsNoGpu() {
        var now = cluster.now();
        assertThat(handed.isHeld(new GpuMark("h1.0", ID, ANN, now), now)).isTrue();
        assertThat(handed.isHeld(new GpuMark("h1.0", ID, BOB, now), now)).isFalse();
        var late = now.plus(GpuMark.START_TIME);
        assertThat(handed.isHeld(new GpuMark("h1.0", ID, ANN, now), late))
                .as("it does not start")
                .isFalse();
    }
}
