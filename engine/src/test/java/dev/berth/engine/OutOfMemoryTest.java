package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.TaskPayload.EstimateRaised;
import dev.berth.port.event.TaskPayload.TaskRetried;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Tasks that ran out of GPU memory. */
class OutOfMemoryTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final long TOTAL = 24_576;
    private static final long USABLE = 24_000;
    private static final AttemptFindings OOM =
            new AttemptFindings(
                    Optional.of(new Diagnosis(Cause.OOM, "CUDA out of memory.")), Optional.empty());

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        recover(Map.of());
    }

    private void recover(Map<String, Long> configured) throws StoreFailure {
        var estimates = new MemoryEstimates(new TreeMap<>(configured), 2000);
        var planner = new Planner(SchedulingRules.DEFAULT.with(estimates));
        engine = Engine.recover(new Engine.Parts(store, node, planner, Failpoints.NONE), 0, now);
        observe(new Fact.GpusRead("here", List.of(card())));
    }

    @Test
    void eachFailureRaisesTheEstimateByAFifth() throws StoreFailure {
        var first = run(model("a"), new Ending.Exited(1), OOM);
        assertThat(state(first)).isEqualTo(new TaskState.Failed(now, "CUDA out of memory"));
        assertThat(estimate("a")).isEqualTo(4800);
        run(model("a"), new Ending.Exited(1), OOM);
        assertThat(estimate("a")).isEqualTo(5760);
        assertThat(estimate("b")).as("others are thought of as before").isEqualTo(4000);
        assertThat(engine.state().holds().isEmpty()).as("its card is free").isTrue();
        assertThat(events(EstimateRaised.class))
                .extracting(EstimateRaised::toMib)
                .containsExactly(4800L, 5760L);
    }

    @Test
    void theEstimateSurvivesARestartAndIsAtLeastTheConfiguredOne() throws StoreFailure {
        recover(Map.of("a", 9000L));
        run(model("a"), new Ending.Exited(1), OOM);
        assertThat(estimate("a")).isEqualTo(10_800);
        recover(Map.of("a", 9000L));
        assertThat(estimate("a")).isEqualTo(10_800);
        recover(Map.of("a", 12_000L));
        assertThat(estimate("a")).isEqualTo(12_000);
    }

    @Test
    void theEstimateSurvivesAChangeOfRules() {
        run(model("a"), new Ending.Exited(1), OOM);
        ask(
                new EngineCommand.ChangeRules(
                        now, ANN, SchedulingRules.DEFAULT, AttemptSettings.DEFAULT, List.of()));
        assertThat(estimate("a")).isEqualTo(4800);
        run(model("a"), new Ending.Exited(1), OOM);
        assertThat(estimate("a")).isEqualTo(5760);
    }

    @Test
    void anEstimateNeverExceedsTheLargestGpu() throws StoreFailure {
        recover(Map.of("a", 20_000L));
        for (int i = 0; i < 3; i++) {
            run(model("a"), new Ending.Exited(1), OOM);
        }
        long most = USABLE - 2000 - 2 * 500;
        assertThat(estimate("a")).isEqualTo(most);
        assertThat(events(EstimateRaised.class)).hasSize(1);
    }

    @Test
    void aSuccessfulTaskRaisesNoEstimate() throws StoreFailure {
        var task = run(model("a"), new Ending.Exited(0), OOM);
        assertThat(state(task)).isInstanceOf(TaskState.Completed.class);
        assertThat(estimate("a")).isEqualTo(4000);
    }

    @Test
    void aCancelledTaskRaisesNoEstimate() throws StoreFailure {
        var attempt = started(model("a"));
        ask(new EngineCommand.Cancel(now, ANN, attempt.task()));
        observe(new Fact.Ended(attempt, new Ending.Exited(143), List.of(), true, OOM));
        assertThat(state(attempt.task())).isInstanceOf(TaskState.Cancelled.class);
        assertThat(store.attempts(attempt.task()).getFirst().findings().diagnosis()).isEmpty();
        assertThat(estimate("a")).isEqualTo(4000);
    }

    @Test
    void theReportOfAScriptCounts() throws StoreFailure {
        var attempt = started(model("a"));
        observe(new Fact.ScriptReported(attempt, new ScriptReport(false, Optional.of("oom"), now)));
        observe(new Fact.Ended(attempt, new Ending.Exited(1), List.of()));
        assertThat(state(attempt.task()))
                .isEqualTo(new TaskState.Failed(now, "CUDA out of memory"));
        assertThat(estimate("a")).isEqualTo(4800);
    }

    @Test
    void theLogCountsIfTheReportHasNoErrorType() throws StoreFailure {
        var attempt = started(model("a"));
        observe(new Fact.ScriptReported(attempt, new ScriptReport(false, Optional.empty(), now)));
        observe(new Fact.Ended(attempt, new Ending.Exited(1), List.of(), true, OOM));
        assertThat(estimate("a")).isEqualTo(4800);

        var other = started(model("a"));
        observe(
                new Fact.ScriptReported(
                        other, new ScriptReport(false, Optional.of("runtime_error"), now)));
        observe(new Fact.Ended(other, new Ending.Exited(1), List.of(), true, OOM));
        assertThat(estimate("a")).as("its own word counts").isEqualTo(4800);
    }

    @Test
    void aRetryRequestsMoreMemoryUpToTheSizeOfAGpu() throws StoreFailure {
        var spec =
                TaskSpec.of("t", "true", stating(Need.GpuMemory.shared(18_000)), "/")
                        .with(new Lane.Named("x"), OptionalInt.of(3));
        var task = run(spec, new Ending.Exited(1), OOM);
        assertThat(memory(task)).isEqualTo(Need.GpuMemory.shared(21_600));
        assertThat(events(TaskRetried.class))
                .singleElement()
                .satisfies(retried -> assertThat(retried.memoryMib()).hasValue(21_600));
        endAttempt(new AttemptId(task, 2), new Ending.Exited(1), OOM);
        assertThat(memory(task)).isEqualTo(Need.GpuMemory.shared(USABLE));
        endAttempt(new AttemptId(task, 3), new Ending.Exited(1), OOM);
        assertThat(memory(task)).isEqualTo(Need.GpuMemory.shared(USABLE));
    }

    @Test
    void aRetryAfterAnotherFailureKeepsTheRequest() throws StoreFailure {
        var spec =
                TaskSpec.of("t", "true", stating(Need.GpuMemory.of(8000)), "/")
                        .with(new Lane.Named("x"), OptionalInt.of(3));
        var task = run(spec, new Ending.Exited(1), AttemptFindings.NONE);
        assertThat(memory(task)).isEqualTo(Need.GpuMemory.of(8000));
    }

    private static Need.Gpus stating(Need.GpuMemory memory) {
        return new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), memory);
    }

    private static TaskSpec model(String name) {
        return TaskSpec.of("t", "true", Need.gpus(1), "/")
                .with(new ModelWork(Optional.of(name), Optional.empty(), 0));
    }

    private long estimate(String model) {
        var work = new ModelWork(Optional.of(model), Optional.empty(), 0);
        return engine.planner().rules().estimates().modelMibOf(work);
    }

    private Need.GpuMemory memory(TaskId id) throws StoreFailure {
        return ((Need.Gpus) task(id).spec().requirements().need()).memory();
    }

    private TaskState state(TaskId id) throws StoreFailure {
        return task(id).state();
    }

    private Task task(TaskId id) throws StoreFailure {
        return store.find(id).orElseThrow().task();
    }

    private <T extends EventPayload> List<T> events(Class<T> type) {
        return store.eventsAfter(0, 1000).stream()
                .map(Event::payload)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    private TaskId run(TaskSpec spec, Ending ending, AttemptFindings findings) {
        var attempt = started(spec);
        observe(new Fact.Ended(attempt, ending, List.of(), true, findings));
        return attempt.task();
    }

    private void endAttempt(AttemptId attempt, Ending ending, AttemptFindings findings) {
        assertThat(node.launched).last().isEqualTo(attempt);
        observe(new Fact.Started(attempt, new ShimProcess(new ProcessKey("boot-1", 9, 9), now)));
        observe(new Fact.Ended(attempt, ending, List.of(), true, findings));
    }

    private AttemptId started(TaskSpec spec) {
        var reply = ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
        var attempt = new AttemptId(((EngineReply.TaskAccepted) reply).task(), 1);
        assertThat(node.launched).last().isEqualTo(attempt);
        observe(new Fact.Started(attempt, new ShimProcess(new ProcessKey("boot-1", 9, 9), now)));
        return attempt;
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

    private static GpuState card() {
        var card = new Gpu(new GpuId("here", "GPU-0"), 0, "H200", TOTAL);
        return new GpuState.Readable(
                card,
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(USABLE),
                        OptionalInt.of(0),
                        OptionalInt.of(30)));
    }
}
