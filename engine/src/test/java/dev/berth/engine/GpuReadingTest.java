package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.GpuAlert;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** How the engine reacts to GPU readings. */
class GpuReadingTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final GpuState ZERO = readable(0);
    private static final GpuState ONE = readable(1);

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        engine = recover();
        read(ZERO);
    }

    private Engine recover() throws StoreFailure {
        var planner = new Planner(SchedulingRules.DEFAULT);
        return Engine.recover(new Engine.Parts(store, node, planner, Failpoints.NONE), 0, now);
    }

    @Test
    void aGpuIsReusedOnlyAfterAReadingShowsItEmpty() {
        var first = new AttemptId(submit(), 1);
        var next = new AttemptId(submit(), 1);
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), false));
        assertThat(node.launched).containsExactly(first);
        read(ZERO);
        assertThat(node.launched).as("it says nothing of the one that left").hasSize(1);
        departed(first, true);
        assertThat(node.launched).containsExactly(first, next);
        assertThat(events(TaskAlert.GpuReleaseUnverified.class)).isEmpty();
        assertThat(engine.state().sinceStart().gpuReleases().releasedAt().get(ZERO.gpu().id()))
                .contains(now);
    }

    @Test
    void reusingAGpuWithoutProofRaisesAnAlert() {
        var first = new AttemptId(submit(), 1);
        var next = new AttemptId(submit(), 1);
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), false));
        departed(first, false);
        assertThat(node.launched).containsExactly(first, next);
        assertThat(events(TaskAlert.GpuReleaseUnverified.class))
                .singleElement()
                .satisfies(alert -> assertThat(alert.gpus()).containsExactly(0));
    }

    @Test
    void aVerifiedReleaseStartsTheNextTaskInTheSameBatch() {
        var first = new AttemptId(submit(), 1);
        var next = new AttemptId(submit(), 1);
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), true));
        assertThat(node.launched).containsExactly(first, next);
    }

    @Test
    void unreadableGpusAreOneAlertAndAProblemUntilReadable() {
        for (int i = 0; i < 3; i++) {
            observe(
                    new Fact.GpusRead(
                            "here",
                            List.of(new GpuState.Unknown(ZERO.gpu(), "it hangs")),
                            List.of(),
                            Optional.of("it hangs")));
        }
        submit();
        assertThat(node.launched).isEmpty();
        assertThat(engine.problems()).singleElement().asString().contains("it hangs");
        assertThat(events(NodeAlert.GpusUnreadable.class)).hasSize(1);
        read(ZERO);
        assertThat(node.launched).hasSize(1);
        assertThat(engine.problems()).isEmpty();
        assertThat(events(NodeAlert.GpusReadable.class)).hasSize(1);
    }

    @Test
    void aFailedGpuFailsOnlyItsOwnTask() throws StoreFailure {
        read(ZERO, ONE);
        var first = new AttemptId(submit(), 1);
        var second = new AttemptId(submit(), 1);
        observe(new Fact.Started(first, run()));
        observe(new Fact.Started(second, run()));
        var failed = new GpuState.Failed(ZERO.gpu(), "it fell off the bus");
        read(failed, ONE);
        read(failed, ONE);
        assertThat(node.stopped).containsExactly(first);
        assertThat(events(GpuAlert.GpuFailed.class))
                .singleElement()
                .satisfies(
                        alert -> {
                            assertThat(alert.gpu().index()).isZero();
                            assertThat(alert.error()).isEqualTo("it fell off the bus");
                        });
        observe(new Fact.Ended(first, new Ending.Exited(143), List.of()));
        assertThat(state(first.task()))
                .isEqualTo(new TaskState.Failed(now, "GPU error: it fell off the bus"));
        assertThat(state(second.task())).isEqualTo(new TaskState.Running(1));
        submit();
        assertThat(node.launched).hasSize(2);
        read(ZERO, ONE);
        assertThat(node.launched).as("it has still to show that it works").hasSize(2);
        observe(new Fact.GpuTested(ZERO.gpu().id(), Optional.empty()));
        assertThat(node.launched).hasSize(3);
        assertThat(events(GpuAlert.GpuReturned.class)).hasSize(1);
    }

    @Test
    void aTaskOnAFailedGpuIsEndedAfterARestartToo() throws StoreFailure {
        var first = new AttemptId(submit(), 1);
        observe(new Fact.Started(first, run()));
        read(new GpuState.Failed(ZERO.gpu(), "gone"));
        node.stopped.clear();
        engine = recover();
        observe(new Fact.Adopted(first, run()));
        assertThat(node.stopped).containsExactly(first);
    }

    @Test
    void aCancelOutranksTheGpuError() throws StoreFailure {
        var first = new AttemptId(submit(), 1);
        observe(new Fact.Started(first, run()));
        read(new GpuState.Failed(ZERO.gpu(), "gone"));
        ask(new EngineCommand.Cancel(now, ANN, first.task()));
        observe(new Fact.Ended(first, new Ending.Exited(143), List.of()));
        assertThat(state(first.task())).isInstanceOf(TaskState.Cancelled.class);
    }

    private TaskState state(TaskId id) throws StoreFailure {
        return store.find(id).orElseThrow().task().state();
    }

    private <T extends EventPayload> List<T> events(Class<T> type) {
        return store.eventsAfter(0, 1000).stream()
                .map(Event::payload)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    private TaskId submit() {
        var spec = TaskSpec.of("train", "true", Need.gpus(1), "/");
        var reply = ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
        assertThat(reply).isInstanceOf(EngineReply.TaskAccepted.class);
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    private void read(GpuState... states) {
        observe(new Fact.GpusRead("here", List.of(states)));
    }

    private void departed(AttemptId attempt, boolean isProven) {
        observe(
                new Fact.GpusRead(
                        "here",
                        List.of(ZERO),
                        List.of(new Fact.Departure(attempt, isProven)),
                        Optional.empty()));
    }

    private ShimProcess run() {
        return new ShimProcess(new ProcessKey("boot-1", 99, 1), now);
    }

    private static GpuState readable(int index) {
        return new GpuState.Readable(
                new Gpu(new GpuId("here", "GPU-" + index), index, "Simulated", 24_576),
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(24_576),
                        OptionalInt.of(0),
                        OptionalInt.of(40)));
    }
}
