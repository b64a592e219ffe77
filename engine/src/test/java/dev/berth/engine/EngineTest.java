package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.Rejected;
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
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.SubmitKey;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.ServerPayload;
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
import java.util.stream.IntStream;

class EngineTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Owner BOB = Owner.unix("bob");

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        engine = recover();
    }

    private Engine recover() throws StoreFailure {
        var parts =
                new Engine.Parts(
                        store, node, new Planner(SchedulingRules.DEFAULT), Failpoints.NONE);
        return Engine.recover(parts, 0, now);
    }

    @Test
    void aSubmitIsCommittedBeforeItIsAcknowledgedAndStartsInTheSameBatch() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        assertThat(store.find(id).orElseThrow().task().state()).isEqualTo(new TaskState.Running(1));
        assertThat(node.launched).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void aFailedCommitAcknowledgesNothingAndStartsNothing() throws StoreFailure {
        cards(1);
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        var reply = submit(Need.gpus(1));
        assertThat(reply)
                .isInstanceOfSatisfying(
                        EngineReply.Unavailable.class,
                        unavailable ->
                                assertThat(unavailable.kind()).isEqualTo(StoreFailure.Kind.FULL));
        assertThat(node.launched).isEmpty();
        assertThat(engine.state().tasks().isEmpty()).isTrue();
        assertThat(engine.problems()).singleElement().asString().contains("database");
        assertThat(granted(submit(Need.gpus(1)))).isEqualTo(new TaskId(1));
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void rulesWhoseCommitFailedAreNotInForce() {
        var before = engine.attemptSettings();
        var other =
                new AttemptSettings(
                        before.backoff(),
                        OptionalInt.of(7),
                        before.assignDelay(),
                        before.startTimeout());
        store.failNextCommits(1, StoreFailure.Kind.FULL);

        ask(rules(other));
        assertThat(engine.attemptSettings()).isEqualTo(before);

        ask(rules(other));
        assertThat(engine.attemptSettings()).isEqualTo(other);
    }

    private EngineCommand.ChangeRules rules(AttemptSettings settings) {
        List<ServerPayload> events = List.of(new ServerPayload.RulesChanged(Optional.empty()));
        return new EngineCommand.ChangeRules(now, ANN, SchedulingRules.DEFAULT, settings, events);
    }

    @Test
    void aPurgeWhoseCommitFailedIsStillDue() {
        keyed(ANN, "k1", "body");
        now = now.plus(Duration.ofHours(25));
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        tick();
        assertThat(engine.state().keys().isEmpty()).isFalse();
        assertThat(engine.isDue(now)).isTrue();
        tick();
        assertThat(engine.state().keys().isEmpty()).isTrue();
    }

    @Test
    void anEndThatCouldNotBeCommittedIsRetried() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        store.failNextCommits(2, StoreFailure.Kind.UNAVAILABLE);
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of()));
        assertThat(engine.state().tasks().contains(id)).isTrue();
        assertThat(engine.due()).isEqualTo(now.plusSeconds(1));
        tick();
        tick();
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOf(TaskState.Completed.class);
    }

    @Test
    void aSubmitKeyCreatesOneTaskHoweverOftenItIsSent() throws StoreFailure {
        cards(1);
        var first = keyed(ANN, "k1", "body");
        assertThat(keyed(ANN, "k1", "body"))
                .isEqualTo(new EngineReply.TaskAccepted(granted(first), true));
        assertThat(keyed(BOB, "k1", "body"))
                .isEqualTo(new EngineReply.TaskAccepted(new TaskId(2), false));
        engine = recover();
        assertThat(keyed(ANN, "k1", "body"))
                .isEqualTo(new EngineReply.TaskAccepted(granted(first), true));
    }

    @Test
    void aSubmitKeyWithAnotherBodyIsRefused() throws StoreFailure {
        keyed(ANN, "k1", "body");
        var tasks = engine.state().tasks().size();
        assertThat(keyed(ANN, "k1", "other"))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused -> {
                            assertThat(refused.rejection().kind()).isEqualTo(Rejected.Kind.INVALID);
                            assertThat(refused.rejection().field()).isEqualTo("Idempotency-Key");
                        });
        assertThat(engine.state().tasks().size()).isEqualTo(tasks);
    }

    @Test
    void aSubmitKeyExpiresAfterADay() {
        var first = granted(keyed(ANN, "k1", "body"));
        now = now.plus(Duration.ofHours(25));
        tick();
        assertThat(engine.state().keys().isEmpty()).isTrue();
        assertThat(granted(keyed(ANN, "k1", "other"))).isNotEqualTo(first);
    }

    @Test
    void aQueuedTaskIsCancelledImmediately() throws StoreFailure {
        cards(1);
        granted(submit(Need.gpus(1)));
        var second = granted(submit(Need.gpus(1)));
        var third = granted(submit(Need.gpus(1)));
        cancel(second);
        assertThat(store.find(second).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        var task = engine.state().tasks().get(third).orElseThrow();
        assertThat(engine.state().waiting().position(task, _ -> 0)).hasValue(0);
        assertThat(cancel(second)).isInstanceOf(EngineReply.Refused.class);
    }

    @Test
    void aCancelledTaskKeepsItsGpuUntilNoProcessIsLeft() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        var next = granted(submit(Need.gpus(1)));
        var attempt = new AttemptId(id, 1);
        observe(new Fact.Started(attempt, run()));
        cancel(id);
        assertThat(node.stopped).containsExactly(attempt);
        assertThat(engine.state().attempts().get(attempt).orElseThrow().phase())
                .isInstanceOf(Phase.Stopping.class);
        assertThat(node.launched).hasSize(1);
        observe(new Fact.Ended(attempt, new Ending.Exited(0), List.of()));
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        assertThat(node.launched).containsExactly(attempt, new AttemptId(next, 1));
    }

    @Test
    void aHigherPriorityDoesNotPreempt() {
        cards(1);
        var low = granted(submit(Need.gpus(1)));
        var urgent = TaskSpec.of("urgent", "true", Need.gpus(1), "/").with(Priority.CRITICAL);
        var critical = granted(ask(new EngineCommand.Submit(now, ANN, urgent, Optional.empty())));
        assertThat(node.stopped).isEmpty();
        assertThat(node.launched).containsExactly(new AttemptId(low, 1));
        observe(new Fact.Ended(new AttemptId(low, 1), new Ending.Exited(0), List.of()));
        assertThat(node.launched).last().isEqualTo(new AttemptId(critical, 1));
    }

    @Test
    void anAttemptThatIsNotFoundYetHoldsItsGpuAndNoOther() throws StoreFailure {
        cards(2);
        var id = granted(submit(Need.gpus(1)));
        engine = recover();
        cards(2);
        assertThat(node.adopted).containsExactly(new AttemptId(id, 1));
        assertThat(engine.isRecovered()).isFalse();
        var other = granted(submit(Need.gpus(1)));
        var third = granted(submit(Need.gpus(1)));
        assertThat(node.launched).containsExactly(new AttemptId(id, 1), new AttemptId(other, 1));
        observe(new Fact.Adopted(new AttemptId(id, 1), run()));
        assertThat(engine.isRecovered()).isTrue();
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of()));
        assertThat(node.launched).last().isEqualTo(new AttemptId(third, 1));
    }

    @Test
    void aCancelInterruptedByACrashIsResumed() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        cancel(id);
        node.stopped.clear();
        engine = recover();
        observe(new Fact.Adopted(new AttemptId(id, 1), run()));
        assertThat(node.stopped).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void aTaskWhoseAttemptNeverStartedKeepsItsPosition() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        var later = granted(submit(Need.gpus(1)));
        engine = recover();
        cards(1);
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.NeverStarted(), List.of()));
        assertThat(node.launched).last().isEqualTo(new AttemptId(id, 2));
        assertThat(engine.state().tasks().get(id).orElseThrow().retries()).isZero();
        assertThat(engine.state().tasks().get(later).orElseThrow().state())
                .isEqualTo(new TaskState.Queued());
    }

    @Test
    void aLostAttemptKeepsItsGpuUntilAUserCancels() {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        submit(Need.gpus(1));
        observe(new Fact.Lost(new AttemptId(id, 1), "its folder is gone"));
        assertThat(node.launched).hasSize(1);
        assertThat(engine.state().attempts().get(new AttemptId(id, 1)).orElseThrow().phase())
                .isInstanceOf(Phase.Lost.class);
        cancel(id);
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Vanished(), List.of()));
        assertThat(node.launched).hasSize(2);
    }

    @Test
    void reportsAboutAnEndedAttemptAreIgnored() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.gpus(1)));
        var end = new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of());
        observe(end);
        observe(end);
        observe(new Fact.Started(new AttemptId(id, 1), run()));
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOf(TaskState.Completed.class);
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void lowDiskSpacePausesStartsWithOneAlert() throws StoreFailure {
        cards(1);
        observe(new Fact.DiskSpaceRead("here", true, 3));
        observe(new Fact.DiskSpaceRead("here", true, 2));
        submit(Need.gpus(1));
        assertThat(node.launched).isEmpty();
        observe(new Fact.DiskSpaceRead("here", false, 900));
        assertThat(node.launched).hasSize(1);
        assertThat(store.eventsAfter(0, 100))
                .filteredOn(event -> event.payload() instanceof NodeAlert.DiskLow)
                .hasSize(1);
    }

    @Test
    void aWrongClockIsNotContinuedInCreationTimesAndDoesNotChangeTheOrder() throws StoreFailure {
        var right = now;
        cards(1);
        observe(new Fact.DiskSpaceRead("here", true, 1));
        now = right.plus(Duration.ofDays(3650));
        var wrong = granted(submit(Need.gpus(1)));
        now = right;
        engine = recover();
        var first = granted(submit(Need.gpus(1)));
        var second = granted(submit(Need.gpus(1)));
        assertThat(created(first)).isEqualTo(right);
        assertThat(created(second)).isAfter(right).isBefore(right.plusSeconds(1));
        cards(1);
        assertThat(node.launched).containsExactly(new AttemptId(wrong, 1));
    }

    private Instant created(TaskId task) throws StoreFailure {
        return store.find(task).orElseThrow().task().createdAt();
    }

    @Test
    void aRequestThatNoGpusCanServeIsRefused() {
        cards(2);
        assertThat(submit(Need.gpus(3)))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused -> {
                            assertThat(refused.rejection().kind())
                                    .isEqualTo(Rejected.Kind.IMPOSSIBLE);
                            assertThat(refused.rejection().params())
                                    .containsEntry("wanted", "3")
                                    .containsEntry("exist", "2");
                        });
        var tooBig = new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.of(25000));
        assertThat(submit(tooBig))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused -> assertThat(refused.rejection().field()).isEqualTo("memory_gb"));
        var unknown =
                new Need.Gpus(Need.GpuCount.of(1), Optional.of("H100"), Need.GpuMemory.UNSTATED);
        assertThat(submit(unknown))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused ->
                                assertThat(refused.rejection().params().get("known"))
                                        .startsWith("Simulated"));
    }

    @Test
    void withoutGpusOnlyCpuTasksAreAccepted() {
        assertThat(submit(Need.gpus(1))).isInstanceOf(EngineReply.Refused.class);
        assertThat(submit(Need.CPU)).isInstanceOf(EngineReply.TaskAccepted.class);
    }

    @Test
    void creationTimesIncreaseEvenIfTheClockIsSetBack() {
        cards(1);
        var first = granted(submit(Need.gpus(1)));
        now = now.minus(Duration.ofHours(1));
        var second = granted(submit(Need.gpus(1)));
        var tasks = engine.state().tasks();
        assertThat(tasks.get(second).orElseThrow().createdAt())
                .isAfter(tasks.get(first).orElseThrow().createdAt());
    }

    @Test
    void anExceptionInTheNodeDoesNotStopTheEngine() {
        cards(2);
        node.broken = true;
        submit(Need.gpus(1));
        node.broken = false;
        assertThat(submit(Need.CPU)).isInstanceOf(EngineReply.TaskAccepted.class);
        assertThat(engine.problems()).isNotEmpty();
    }

    private EngineReply submit(Need need) {
        var spec = TaskSpec.of("train", "true", need, "/");
        return ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
    }

    private EngineReply keyed(Owner owner, String key, String hash) {
        var keyed = new EngineCommand.RepeatGuard(new SubmitKey(owner.principal(), key), hash);
        var spec = TaskSpec.of("train", "true", Need.CPU, "/");
        return ask(new EngineCommand.Submit(now, owner, spec, Optional.of(keyed)));
    }

    private EngineReply cancel(TaskId id) {
        return ask(new EngineCommand.Cancel(now, ANN, id));
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

    private void tick() {
        ask(new EngineCommand.Tick(now));
    }

    private static TaskId granted(EngineReply reply) {
        assertThat(reply).isInstanceOf(EngineReply.TaskAccepted.class);
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private void cards(int count) {
        observe(
                new Fact.GpusRead(
                        "here",
                        IntStream.range(0, count)
                                .<GpuState>mapToObj(
                                        index ->
                                                new GpuState.Readable(
                                                        new Gpu(
                                                                new GpuId("here", "GPU-" + index),
                                                                index,
                                                                "Simulated",
                                                                24576),
                                                        new GpuReading(
                                                                OptionalLong.of(0),
                                                                OptionalLong.of(24576),
                                                                OptionalInt.of(0),
                                                                OptionalInt.of(40))))
                                .toList()));
    }

    private ShimProcess run() {
        return new ShimProcess(new ProcessKey("boot-1", 100, 1000), now);
    }
}
