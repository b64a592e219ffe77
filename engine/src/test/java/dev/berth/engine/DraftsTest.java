package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.task.Ending;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.TaskAlert;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Operations of a user on a task before it starts, and on the queue as a whole. */
class DraftsTest {

    private static final Owner ANN = Owner.unix("ann");

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        engine = recover();
        read(0);
    }

    private Engine recover() throws StoreFailure {
        return recover(SchedulingRules.DEFAULT, QueueSettings.DEFAULT.order());
    }

    private Engine recover(SchedulingRules rules, QueueOrder order) throws StoreFailure {
        var queueing = new QueueSettings(order, 5, Duration.ofMinutes(10), Duration.ofSeconds(1));
        var parts = new Engine.Parts(store, node, new Planner(rules), queueing, Failpoints.NONE);
        return Engine.recover(parts, 0, now);
    }

    @Test
    void aDraftWaitsForAUserAndSurvivesARestart() throws StoreFailure {
        var id = draft(Need.gpus(1));
        tick();
        assertThat(node.launched).isEmpty();
        engine = recover();
        read(0);
        assertThat(state(id)).isInstanceOf(TaskState.Pending.class);
        assertThat(ask(new EngineCommand.Enqueue(now, ANN, id)))
                .isEqualTo(new EngineReply.TaskAccepted(id, false));
        assertThat(node.launched).containsExactly(new AttemptId(id, 1));
        assertThat(code(ask(new EngineCommand.Enqueue(now, ANN, id))))
                .isEqualTo("task.not_pending");
    }

    @Test
    void anEarlierDraftGoesFirstEvenIfItIsQueuedLater() {
        var running = submit(Need.gpus(1));
        var first = draft(Need.gpus(1));
        var second = draft(Need.gpus(1));
        ask(new EngineCommand.Enqueue(now, ANN, second));
        ask(new EngineCommand.Enqueue(now, ANN, first));
        ended(running);
        assertThat(node.launched)
                .containsExactly(new AttemptId(running, 1), new AttemptId(first, 1));
    }

    @Test
    void aManualStartNeedsAFreeGpu() {
        read(90);
        var id = draft(Need.gpus(1));
        assertThat(ask(new EngineCommand.StartDraft(now, ANN, id, false)))
                .isInstanceOfSatisfying(
                        EngineReply.Busy.class,
                        busy ->
                                assertThat(busy.reasons())
                                        .singleElement()
                                        .isInstanceOfSatisfying(
                                                WaitReason.NotEnoughGpus.class,
                                                reason ->
                                                        assertThat(reason.refused())
                                                                .singleElement()
                                                                .extracting(one -> one.refusal())
                                                                .isInstanceOf(
                                                                        Refusal.InUse.class)));
        assertThat(state(id)).isInstanceOf(TaskState.Pending.class);
        assertThat(ask(new EngineCommand.StartDraft(now, ANN, id, true)))
                .isEqualTo(new EngineReply.TaskAccepted(id, false));
        assertThat(node.forced).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void aForcedStartNeverTakesAClaimedGpu() {
        submit(Need.gpus(1));
        var id = draft(Need.gpus(1));
        assertThat(ask(new EngineCommand.StartDraft(now, ANN, id, true)))
                .isInstanceOf(EngineReply.Busy.class);
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void onlyOneOfManySimultaneousStartsSucceeds() {
        read(0, 0, 0, 0);
        var id = draft(Need.gpus(1));
        var replies = new ArrayList<EngineReply>();
        var batch = new ArrayList<Engine.Envelope>();
        batch.add(new Engine.Envelope(new EngineCommand.Enqueue(now, ANN, id), replies::add));
        for (int i = 0; i < 20; i++) {
            batch.add(
                    new Engine.Envelope(
                            new EngineCommand.StartDraft(now, ANN, id, i % 2 == 0), replies::add));
        }
        engine.run(batch, now);
        assertThat(replies).filteredOn(EngineReply.TaskAccepted.class::isInstance).hasSize(1);
        assertThat(node.launched).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void aDraftCanBeCancelledAndCountsAsOneOfItsOwners() {
        var ids = new ArrayList<TaskId>();
        for (int i = 0; i < 5; i++) {
            ids.add(draft(Need.gpus(1)));
        }
        assertThat(code(ask(entries(1, true)))).isEqualTo("queue.user_full");
        ask(new EngineCommand.Cancel(now, ANN, ids.getFirst()));
        assertThat(store.find(ids.getFirst()).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        assertThat(ask(entries(1, true))).isInstanceOf(EngineReply.TaskAccepted.class);
    }

    @Test
    void aSubmitOfSeveralTasksIsAllOrNothing() {
        assertThat(ask(entries(3, false)))
                .isEqualTo(new EngineReply.TaskAccepted(new TaskId(1), false));
        assertThat(engine.state().tasks()).hasSize(3);
        var bad =
                new EngineCommand.Submit(
                        now,
                        ANN,
                        List.of(entry(Need.CPU), entry(Need.gpus(9))),
                        true,
                        Optional.empty());
        assertThat(ask(bad))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused ->
                                assertThat(refused.rejection().field()).isEqualTo("[1].gpu_count"));
        assertThat(engine.state().tasks()).hasSize(3);
        assertThat(engine.state().lastIds().task()).isEqualTo(3);
    }

    @Test
    void aBlockedHeadWithAReducedRequestKeepsItsPosition() {
        read(0, 90);
        var head = submit(Need.gpus(2));
        var behind = submit(Need.gpus(1));
        assertThat(node.launched).isEmpty();
        var before = task(head).spec();
        var after = TaskSpec.of("smaller", "true", Need.gpus(1), "/");
        ask(new EngineCommand.ChangeTask(now, ANN, head, before, after));
        assertThat(node.launched).containsExactly(new AttemptId(head, 1));
        assertThat(task(head).spec().name()).isEqualTo("smaller");
        assertThat(code(ask(new EngineCommand.ChangeTask(now, ANN, head, after, before))))
                .isEqualTo("task.not_waiting");
        assertThat(task(behind).state()).isInstanceOf(TaskState.Queued.class);
    }

    @Test
    void aStaleOrImpossibleChangeIsRefused() {
        read(90);
        var id = submit(Need.gpus(1));
        var spec = task(id).spec();
        var urgent = spec.with(Priority.HIGH);
        ask(new EngineCommand.ChangeTask(now, ANN, id, spec, urgent));
        assertThat(code(ask(new EngineCommand.ChangeTask(now, ANN, id, spec, urgent))))
                .isEqualTo("task.changed");
        var impossible = TaskSpec.of("x", "true", Need.gpus(3), "/");
        assertThat(code(ask(new EngineCommand.ChangeTask(now, ANN, id, urgent, impossible))))
                .isEqualTo("cards.too_many");
        assertThat(task(id).spec()).isEqualTo(urgent);
    }

    @Test
    void requestedGpusMustExist() {
        read(0, 0);
        var refused = ((EngineReply.Refused) ask(submitting(on(99)))).rejection();
        assertThat(refused.code()).isEqualTo("devices.unknown");
        assertThat(refused.params()).containsEntry("known", "0, 1");
        assertThat(ask(submitting(on(0)))).isInstanceOf(EngineReply.TaskAccepted.class);
    }

    @Test
    void aStoppedSchedulerStaysStoppedAcrossARestart() throws StoreFailure {
        assertThat(ask(new EngineCommand.SwitchScheduler(now, ANN, false)))
                .isInstanceOfSatisfying(
                        EngineReply.SchedulerSwitched.class,
                        reply -> assertThat(reply.hasChanged()).isTrue());
        var queued = submit(Need.CPU);
        engine = recover();
        read(0);
        assertThat(node.launched).isEmpty();
        assertThat(engine.problems()).singleElement().asString().contains("stopped");
        var draft = draft(Need.CPU);
        assertThat(ask(new EngineCommand.StartDraft(now, ANN, draft, false)))
                .as("a person's word is enough")
                .isInstanceOf(EngineReply.TaskAccepted.class);
        ask(new EngineCommand.SwitchScheduler(now, ANN, true));
        assertThat(node.launched)
                .containsExactly(new AttemptId(draft, 1), new AttemptId(queued, 1));
        assertThat(ask(new EngineCommand.SwitchScheduler(now, ANN, true)))
                .isInstanceOfSatisfying(
                        EngineReply.SchedulerSwitched.class,
                        reply -> assertThat(reply.hasChanged()).isFalse());
    }

    @Test
    void aManualStartNeedsDiskSpaceEvenWithAStoppedScheduler() {
        ask(new EngineCommand.SwitchScheduler(now, ANN, false));
        observe(new Fact.DiskSpaceRead("here", true, 3));
        var draft = draft(Need.CPU);
        assertThat(ask(new EngineCommand.StartDraft(now, ANN, draft, true)))
                .isInstanceOf(EngineReply.Busy.class);
        assertThat(node.launched).isEmpty();
    }

    @Test
    void theNextCpuTaskStartsWhenOneEnds() throws StoreFailure {
        var one =
                new SchedulingRules(
                        20,
                        ForeignProcessPolicy.YIELD,
                        GpuPool.ALL,
                        MemoryEstimates.DEFAULT,
                        ModelCache.DEFAULT,
                        OptionalInt.of(1),
                        LaneRules.DEFAULT);
        engine = recover(one, QueueSettings.DEFAULT.order());
        var first = submit(Need.CPU);
        var second = submit(Need.CPU);
        tick();
        assertThat(node.launched).containsExactly(new AttemptId(first, 1));
        ended(first);
        assertThat(node.launched).contains(new AttemptId(second, 1));
    }

    /** Only time passes: the usage of the running task's owner grows. */
    @Test
    void fairShareMovesUsersWithLessUsageForwardOverTime() throws StoreFailure {
        engine = recover(SchedulingRules.DEFAULT, new FairShareOrder(UserWeights.EQUAL));
        read(0, 0);
        var bob = Owner.unix("bob");
        submit(Need.gpus(1));
        var earlier =
                granted(ask(new EngineCommand.Submit(now, bob, spec(on(1)), Optional.empty())));
        now = now.plus(Duration.ofMinutes(5));
        ended(earlier);
        submit(Need.gpus(2));
        var small =
                granted(
                        ask(
                                new EngineCommand.Submit(
                                        now, bob, spec(Need.gpus(1)), Optional.empty())));
        assertThat(node.launched).doesNotContain(new AttemptId(small, 1));
        now = now.plus(Duration.ofMinutes(10));
        tick();
        assertThat(node.launched).contains(new AttemptId(small, 1));
    }

    @Test
    void longWaitsInARowAreOneAlert() {
        read(90, 90);
        for (int i = 0; i < 4; i++) {
            submit(Need.gpus(1));
            now = now.plusSeconds(10);
        }
        for (int i = 0; i < 1000; i++) {
            now = now.plusSeconds(1);
            tick();
        }
        assertThat(alerts()).hasSizeBetween(1, 2);
        assertThat(engine.waits(now).overLimit()).isEqualTo(4);
    }

    @Test
    void aTimedOutTaskFailsWhateverItsExitCode() {
        var spec = TaskSpec.of("slow", "sleep 9", Need.CPU, "/").with(Duration.ofSeconds(3));
        var id = granted(ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty())));
        var attempt = new AttemptId(id, 1);
        observe(new Fact.Started(attempt, new ShimProcess(new ProcessKey("boot-1", 7, 7), now)));
        observe(new Fact.TimeLimitReached(attempt));
        observe(new Fact.TimeLimitReached(attempt));
        assertThat(node.stopped).containsExactly(attempt);
        observe(new Fact.Ended(attempt, new Ending.Exited(0), List.of()));
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOfSatisfying(
                        TaskState.Failed.class,
                        failed ->
                                assertThat(failed.error())
                                        .isEqualTo("timeout: ended after its time limit of 3 s"));
    }

    @Test
    void theTimeLimitAppliesToAdoptedAttempts() throws StoreFailure {
        var spec = TaskSpec.of("slow", "sleep 9", Need.CPU, "/").with(Duration.ofSeconds(3));
        var id = granted(ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty())));
        engine = recover();
        assertThat(node.limits).containsEntry(new AttemptId(id, 1), Duration.ofSeconds(3));
    }

    @Test
    void gpuUsageIsStoredPerUser() throws StoreFailure {
        read(0, 0);
        var id = submit(Need.gpus(2));
        now = now.plus(Duration.ofHours(1));
        ended(id);
        double expected = GpuUsage.decayedGpuSeconds(2, Duration.ofHours(1));
        assertThat(engine.snapshot(now).usedGpuSeconds("unix:ann")).isEqualTo(expected);
        engine = recover();
        assertThat(engine.snapshot(now).usedGpuSeconds("unix:ann")).isEqualTo(expected);
        read(0, 0);
        submit(Need.gpus(1));
        assertThat(engine.snapshot(now).usedGpuSeconds("unix:ann"))
                .as("what has just started counts at once")
                .isEqualTo(expected + GpuUsage.decayedGpuSeconds(1, GpuUsage.MIN_CHARGE));
    }

    @Test
    void aModelIsRememberedOnTheGpusThatRanIt() {
        read(0, 0);
        var spec =
                TaskSpec.of("m", "true", on(1), "/")
                        .with(new ModelWork(Optional.of("m"), Optional.empty(), 0));
        var id = granted(ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty())));
        now = now.plus(Duration.ofHours(2));
        assertThat(engine.snapshot(now).fleet().loaded().get(card(1).id()))
                .as("it is in use")
                .contains(List.of("m"));
        ended(id);
        assertThat(engine.snapshot(now).fleet().loaded().get(card(1).id())).contains(List.of("m"));
        now = now.plus(Duration.ofHours(1));
        assertThat(engine.snapshot(now).fleet().loaded().get(card(1).id())).contains(List.of());
    }

    @Test
    void oneAlertListsAllLongWaits() {
        read(90, 90);
        var first = submit(Need.gpus(1));
        now = now.plusSeconds(1);
        submit(Need.gpus(1));
        tick();
        assertThat(alerts()).isEmpty();
        assertThat(engine.due()).isAfter(now);
        now = now.plus(Duration.ofMinutes(11));
        tick();
        tick();
        assertThat(alerts())
                .singleElement()
                .satisfies(
                        alert -> {
                            assertThat(alert.task()).contains(first);
                            assertThat(((TaskAlert.LongWait) alert.payload()).tasks()).isEqualTo(2);
                        });
        assertThat(engine.waits(now).overLimit()).isEqualTo(2);
        assertThat(engine.waits(now).longest().orElseThrow().id()).isEqualTo(first);
        submit(Need.gpus(1));
        now = now.plus(Duration.ofMinutes(11));
        tick();
        assertThat(alerts()).hasSize(2);
    }

    @Test
    void tasksOfLanesAreAmongTheLongWaits() {
        read(90, 90);
        var lane = new Lane.Named("sweep");
        var spec = spec(Need.gpus(1)).with(lane, OptionalInt.empty());
        var inLane = granted(ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty())));
        now = now.plus(Duration.ofMinutes(11));
        tick();
        assertThat(alerts())
                .singleElement()
                .satisfies(alert -> assertThat(alert.task()).contains(inLane));
        assertThat(engine.waits(now).overLimit()).isEqualTo(1);
        assertThat(engine.waits(now).longest().orElseThrow().id()).isEqualTo(inLane);
    }

    @Test
    void aDraftThatIsStartedByHandHasNotWaited() {
        read(0, 0);
        var id = draft(Need.gpus(1));
        now = now.plus(Duration.ofDays(3));
        ask(new EngineCommand.StartDraft(now, ANN, id, false));
        assertThat(
                        store.eventsAfter(0, 1000).stream()
                                .map(Event::payload)
                                .filter(AttemptPayload.AttemptScheduled.class::isInstance)
                                .map(AttemptPayload.AttemptScheduled.class::cast))
                .singleElement()
                .satisfies(start -> assertThat(start.waited()).isZero());
    }

    private List<Event> alerts() {
        return store.eventsAfter(0, 1000).stream()
                .filter(event -> event.payload() instanceof TaskAlert.LongWait)
                .toList();
    }

    private TaskId draft(Need need) {
        return granted(
                ask(
                        new EngineCommand.Submit(
                                now,
                                ANN,
                                new EngineCommand.NewTask(ANN, spec(need), true),
                                Optional.empty())));
    }

    private TaskId submit(Need need) {
        return granted(ask(submitting(need)));
    }

    private EngineCommand.Submit submitting(Need need) {
        return new EngineCommand.Submit(now, ANN, spec(need), Optional.empty());
    }

    private EngineCommand.Submit entries(int count, boolean areDrafts) {
        var entries = new ArrayList<EngineCommand.NewTask>();
        for (int i = 0; i < count; i++) {
            entries.add(new EngineCommand.NewTask(ANN, spec(Need.CPU), areDrafts));
        }
        return new EngineCommand.Submit(now, ANN, entries, true, Optional.empty());
    }

    private static EngineCommand.NewTask entry(Need need) {
        return new EngineCommand.NewTask(ANN, spec(need), false);
    }

    private static TaskSpec spec(Need need) {
        return TaskSpec.of("train", "true", need, "/");
    }

    private static Need on(int index) {
        return Need.Gpus.on(GpuIndices.of(index), Optional.empty(), Need.GpuMemory.UNSTATED);
    }

    private void ended(TaskId id) {
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of()));
    }

    private Task task(TaskId id) {
        return engine.state().tasks().get(id).orElseThrow();
    }

    private TaskState state(TaskId id) {
        return task(id).state();
    }

    /** One GPU per percentage. */
    private void read(int... usedPercent) {
        var cards = new ArrayList<GpuState>();
        for (int index = 0; index < usedPercent.length; index++) {
            long used = usedPercent[index] * 240L;
            cards.add(
                    new GpuState.Readable(
                            card(index),
                            new GpuReading(
                                    OptionalLong.of(used),
                                    OptionalLong.of(24_000 - used),
                                    OptionalInt.of(0),
                                    OptionalInt.of(40))));
        }
        observe(new Fact.GpusRead("here", cards));
    }

    private static Gpu card(int index) {
        return new Gpu(new GpuId("here", "GPU-" + index), index, "Simulated", 24_000);
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    private void tick() {
        engine.run(List.of(new Engine.Envelope(new EngineCommand.Tick(now), _ -> {})), now);
    }

    private EngineReply ask(EngineCommand.Request request) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(request, replies::add)), now);
        return replies.getFirst();
    }

    private static String code(EngineReply reply) {
        return ((EngineReply.Refused) reply).rejection().code();
    }

    private static TaskId granted(EngineReply reply) {
        return ((EngineReply.TaskAccepted) reply).task();
    }
}
