package dev.berth.nodesocket.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

class OpenOrdersTest {

    private static final GpuId GPU = new GpuId("local", "GPU-1");
    private static final ShimProcess SHIM =
            new ShimProcess(new ProcessKey("boot", 5, 6), Instant.EPOCH);

    private final OpenOrders open = new OpenOrders();

    private static Attempt attempt(String id, Claim... claims) {
        return new Attempt(
                AttemptId.parse(id),
                "local",
                1,
                "boot",
                List.of(claims),
                Instant.EPOCH,
                new Phase.Starting());
    }

    static ToNode.Launch launch(String id, Claim... claims) {
        return new ToNode.Launch(
                new Node.Launch(
                        attempt(id, claims),
                        TaskSpec.of("t", "true", new Need.Cpu(), "/"),
                        List.of(),
                        Node.LaunchTerms.DEFAULT));
    }

    private List<ToNode.Order> resent() {
        return open.resend().stream()
                .filter(order -> !(order instanceof ToNode.SampleGpusOften))
                .toList();
    }

    @Test
    void aLaunchThatMayHaveArrivedIsAdopted() {
        open.add(launch("1.1"), true);
        assertThat(resent()).singleElement().isInstanceOf(ToNode.Adopt.class);
    }

    @Test
    void aLaunchThatNeverLeftIsSentOnceAndAdoptedLater() {
        open.add(launch("1.1"), false);
        assertThat(resent()).containsExactly(launch("1.1"));
        assertThat(resent()).singleElement().isInstanceOf(ToNode.Adopt.class);
    }

    @Test
    void anAttemptIsAdoptedWithTheProcessThatWasReported() {
        open.add(launch("1.1"), true);
        open.observe(new Fact.Started(AttemptId.parse("1.1"), SHIM));
        assertThat(resent())
                .singleElement()
                .isInstanceOfSatisfying(
                        ToNode.Adopt.class,
                        adopt ->
                                assertThat(adopt.attempt().phase())
                                        .isEqualTo(new Phase.Running(SHIM)));
    }

    @Test
    void anEndedAttemptIsForgotten() {
        open.add(launch("1.1"), true);
        open.add(new ToNode.Stop(AttemptId.parse("1.1")), true);
        open.observe(new Fact.Ended(AttemptId.parse("1.1"), new Ending.Exited(0), List.of()));
        assertThat(resent()).isEmpty();
    }

    @Test
    void aStopIsRepeatedAfterTheAdoption() {
        open.add(launch("1.1"), true);
        open.add(new ToNode.Stop(AttemptId.parse("1.1")), true);
        assertThat(resent())
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(ToNode.Adopt.class),
                        second ->
                                assertThat(second)
                                        .isEqualTo(new ToNode.Stop(AttemptId.parse("1.1"))));
    }

    @Test
    void theStopOfALaunchThatNeverLeftEndsIt() {
        open.add(launch("1.1"), false);
        var known = open.add(new ToNode.Stop(AttemptId.parse("1.1")), false);
        assertThat(known)
                .contains(
                        new Fact.Ended(
                                AttemptId.parse("1.1"), new Ending.NeverStarted(), List.of()));
        assertThat(resent()).isEmpty();
    }

    @Test
    void aReleaseIsAwaitedUntilAReadingShowsIt() {
        var id = AttemptId.parse("1.1");
        open.add(launch("1.1"), true);
        open.observe(new Fact.Ended(id, new Ending.Exited(0), List.of(), false));
        assertThat(resent()).containsExactly(new ToNode.Forget(id));
        open.observe(
                new Fact.GpusRead(
                        "local",
                        List.of(),
                        List.of(new Fact.Departure(id, true)),
                        Optional.empty()));
        assertThat(resent()).isEmpty();
    }

    @Test
    void aTestIsRepeatedUntilItsResult() {
        open.add(new ToNode.TestGpu(GPU), true);
        assertThat(resent()).containsExactly(new ToNode.TestGpu(GPU));
        open.observe(new Fact.GpuTested(GPU, Optional.empty()));
        assertThat(resent()).isEmpty();
    }

    @Test
    void launchesThatNeverLeftAreWithdrawnAndOthersStay() {
        open.add(launch("1.1"), true);
        open.add(launch("2.1", new Claim(GPU, 10, true)), false);
        open.add(launch("3.1"), false);
        assertThat(open.withdrawUnsent("away"))
                .map(fact -> ((Fact.Ended) fact).ending().getClass().getSimpleName())
                .containsExactly("NeverStarted", "NotLaunched");
        assertThat(open.openAttempts()).containsExactly(AttemptId.parse("1.1"));
    }

    @Test
    void workersWithoutPipesHaveFailed() {
        var id = AttemptId.parse("1.1");
        open.add(
                new ToNode.Adopt(attempt("1.1").withWorker(id), Optional.empty(), Optional.empty()),
                true);
        assertThat(open.failedWorkers("restart"))
                .containsExactly(new Fact.WorkerFailed(id, Fact.WorkerFault.PROTOCOL, "restart"));
    }
}
