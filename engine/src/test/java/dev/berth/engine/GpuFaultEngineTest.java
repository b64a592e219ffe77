package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Faulty GPUs are quarantined, tested and returned to use. */
class GpuFaultEngineTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final GpuState ZERO = readable(0);
    private static final GpuState ONE = readable(1);
    private static final GpuId CARD = ZERO.gpu().id();

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        recover();
        read(ZERO, ONE);
    }

    private void recover() throws StoreFailure {
        var parts =
                new Engine.Parts(
                        store, node, new Planner(SchedulingRules.DEFAULT), Failpoints.NONE);
        engine = Engine.recover(parts, 0, now);
    }

    // --- quarantine ---

    @Test
    void aHardwareFaultEndsTheTasksOnTheGpuWithOneAlert() throws StoreFailure {
        var first = started("a");
        var second = started("b");
        sick(GpuFault.Kind.XID, "Xid 79: GPU has fallen off the bus");
        sick(GpuFault.Kind.XID, "Xid 79: GPU has fallen off the bus");
        sick(GpuFault.Kind.ECC, "uncorrected memory errors");

        assertThat(node.stopped).containsExactly(first);
        assertThat(node.tested).as("something is still there").isEmpty();
        assertThat(alerts()).containsExactly("alert.gpu_error");
        var ended = new Fact.Leftover(9, "bash", true);
        observe(new Fact.Ended(first, new Ending.Exited(143), List.of(ended)));
        assertThat(alerts()).as("what was ended on purpose is no news").hasSize(1);
        assertThat(node.tested).containsExactly(CARD);
        assertThat(state(first.task()))
                .isEqualTo(
                        new TaskState.Failed(now, "GPU error: Xid 79: GPU has fallen off the bus"));
        assertThat(store.attempts(first.task()).getFirst().findings().diagnosis())
                .map(Diagnosis::cause)
                .contains(Cause.GPU_HARDWARE);
        assertThat(state(second.task())).isEqualTo(new TaskState.Running(1));
        submit("c");
        assertThat(node.launched).as("nothing starts there").hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = GpuFault.Kind.class,
            names = {"HOT", "FAILURES"})
    void tasksOnADegradedGpuMayFinish(GpuFault.Kind kind) {
        var first = started("a");
        sick(kind, "it suffers");
        assertThat(node.stopped).isEmpty();
        assertThat(node.tested).as("its work is not disturbed").isEmpty();
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of()));
        assertThat(node.tested).containsExactly(CARD);
        started("b");
        submit("c");
        assertThat(node.launched).as("the other card is used").hasSize(2);
    }

    @Test
    void aWorseFaultReplacesTheKnownOne() {
        started("a");
        sick(GpuFault.Kind.HOT, "hot");
        sick(GpuFault.Kind.XID, "Xid 79");
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_error");
        assertThat(node.stopped).hasSize(1);
        assertThat(fault().kind()).isEqualTo(GpuFault.Kind.XID);
    }

    @Test
    void aFaultOfAnUnknownGpuIsIgnored() {
        observe(new Fact.GpuFaultFound(new GpuId("here", "other"), GpuFault.Kind.XID, "Xid 79"));
        assertThat(alerts()).isEmpty();
        assertThat(engine.state().durable().faults().isEmpty()).isTrue();
    }

    // --- return to use ---

    @Test
    void aGpuThatPassesItsTestIsUsedAgainWithoutItsModels() {
        var model = new ModelWork(Optional.of("m"), Optional.empty(), 0);
        var spec = TaskSpec.of("m", "true", Need.gpus(1), "/").with(model);
        var reply = ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
        var first = new AttemptId(((EngineReply.TaskAccepted) reply).task(), 1);
        observe(new Fact.Started(first, new ShimProcess(new ProcessKey("boot-1", 9, 9), now)));
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), true, AttemptFindings.NONE));
        assertThat(loadedModels()).containsExactly("m");

        sick(GpuFault.Kind.XID, "Xid 48");
        started("a");
        submit("b");
        assertThat(node.launched).hasSize(2);
        tested(Optional.empty());
        assertThat(node.launched).as("it is in use again").hasSize(3);
        assertThat(loadedModels()).isEmpty();
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_returned");
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void aGpuThatFailsItsTestStaysQuarantinedWithOneMoreAlert() throws StoreFailure {
        sick(GpuFault.Kind.MISSING, "the driver no longer lists it");
        tested(Optional.of("it did not come back within 30 s"));
        tested(Optional.of("it did not come back within 30 s"));
        for (int i = 0; i < 10; i++) {
            now = now.plus(Duration.ofHours(1));
            tick();
        }
        read(ZERO, ONE);
        tested(Optional.empty());
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_unrecoverable");
        assertThat(fault().stage()).isEqualTo(GpuFault.Stage.OUT);
        assertThat(engine.problems()).singleElement().asString().contains("berth gpus recover 0");

        recover();
        read(ZERO, ONE);
        assertThat(node.tested).as("the next server knows that a person is awaited").hasSize(1);
        started("a");
        submit("b");
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void aGpuTestIsRestartedAfterAServerRestart() throws StoreFailure {
        sick(GpuFault.Kind.XID, "Xid 79");
        recover();
        assertThat(node.tested).containsExactly(CARD, CARD);
    }

    @Test
    void anOverheatedGpuIsTestedUntilItHasCooledDown() {
        sick(GpuFault.Kind.HOT, "hot");
        tested(Optional.of("it is still hot"));
        tested(Optional.of("it is still hot"));
        assertThat(node.tested).hasSize(3);
        tested(Optional.empty());
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_returned");
    }

    @Test
    void aGpuThatFailsAgainSoonStaysQuarantined() {
        sick(GpuFault.Kind.XID, "Xid 48");
        tested(Optional.empty());
        now = now.plus(Duration.ofMinutes(59));
        sick(GpuFault.Kind.XID, "Xid 48");
        assertThat(node.tested).hasSize(1);
        assertThat(fault().stage()).isEqualTo(GpuFault.Stage.OUT);
        assertThat(alerts()).endsWith("alert.gpu_error", "alert.gpu_unrecoverable");
    }

    @Test
    void aGpuThatFailsAgainMuchLaterIsTestedAgain() {
        sick(GpuFault.Kind.XID, "Xid 48");
        tested(Optional.empty());
        now = now.plus(Duration.ofMinutes(61));
        sick(GpuFault.Kind.XID, "Xid 48");
        assertThat(node.tested).hasSize(2);
        assertThat(fault().stage()).isEqualTo(GpuFault.Stage.TESTING);
    }

    // --- decisions of an operator ---

    @Test
    void anOperatorDrainsAGpuAndItsTasksFinish() throws StoreFailure {
        var first = started("a");
        assertThat(takeOut(0)).isInstanceOf(EngineReply.Done.class);
        assertThat(node.stopped).isEmpty();
        assertThat(node.tested).isEmpty();
        assertThat(engine.problems()).as("somebody wanted it so").isEmpty();
        assertThat(code(takeOut(0))).isEqualTo("card.out_already");
        assertThat(code(takeOut(7))).isEqualTo("card.unknown");
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of()));
        recover();
        read(ZERO, ONE);
        started("b");
        submit("c");
        assertThat(node.launched).hasSize(2);
        assertThat(handBack(0, true)).isInstanceOf(EngineReply.Done.class);
        assertThat(node.launched).hasSize(3);
        assertThat(alerts()).containsExactly("alert.gpu_quarantined", "alert.gpu_handed_back");
    }

    @Test
    void aGpuThatNeedsAnOperatorDoesNotReturnByItself() {
        takeOut(0);
        sick(GpuFault.Kind.MISSING, "the driver no longer lists it");
        assertThat(alerts()).containsExactly("alert.gpu_quarantined", "alert.gpu_error");
        assertThat(node.tested).isEmpty();
        tested(Optional.empty());
        assertThat(fault().stage()).isEqualTo(GpuFault.Stage.OUT);
    }

    @Test
    void anOperatorCanRequestATestFirst() {
        sick(GpuFault.Kind.XID, "Xid 79");
        tested(Optional.of("no"));
        handBack(0, false);
        assertThat(node.tested).hasSize(2);
        assertThat(fault().stage()).isEqualTo(GpuFault.Stage.TESTING);
        tested(Optional.empty());
        assertThat(engine.state().durable().faults().isEmpty()).isTrue();
        assertThat(code(handBack(0, false))).isEqualTo("card.not_out");
        assertThat(code(handBack(7, true))).isEqualTo("card.unknown");
    }

    // --- repeated failures ---

    @Test
    void oneCommandThatAlwaysFailsDoesNotQuarantineTheGpu() {
        for (int i = 0; i < 5; i++) {
            failOnZero("a", Cause.GPU_HARDWARE);
        }
        assertThat(alerts()).isEmpty();
    }

    @Test
    void hardwareLikeFailuresOfDifferentCommandsQuarantineTheGpu() {
        failOnZero("a", Cause.GPU_HARDWARE);
        failOnZero("b", Cause.GPU_HARDWARE);
        assertThat(alerts()).isEmpty();
        failOnZero("a", Cause.GPU_HARDWARE);
        assertThat(alerts()).containsExactly("alert.gpu_error");
        assertThat(fault().kind()).isEqualTo(GpuFault.Kind.FAILURES);
    }

    @Test
    void programErrorsNeverQuarantineTheGpu() {
        for (var command : List.of("a", "b", "c", "d")) {
            failOnZero(command, Cause.CUDA);
        }
        assertThat(alerts()).isEmpty();
    }

    @Test
    void aSuccessfulTaskResetsTheFailureCount() {
        failOnZero("a", Cause.GPU_HARDWARE);
        failOnZero("b", Cause.GPU_HARDWARE);
        end("c", new Ending.Exited(0), AttemptFindings.NONE);
        failOnZero("a", Cause.GPU_HARDWARE);
        assertThat(alerts()).isEmpty();
    }

    @Test
    void oldFailuresDoNotCount() {
        failOnZero("a", Cause.GPU_HARDWARE);
        failOnZero("b", Cause.GPU_HARDWARE);
        now = now.plus(Duration.ofMinutes(61));
        failOnZero("a", Cause.GPU_HARDWARE);
        assertThat(alerts()).isEmpty();
    }

    // --- unreadable GPUs ---

    @Test
    void aSingleUnreadableGpuIsOneAlertAndItsTaskContinues() {
        started("a");
        read(new GpuState.Unknown(ZERO.gpu(), "the driver says [Unknown Error]"), ONE);
        assertThat(alerts()).as("it may be a moment's doubt").isEmpty();
        assertThat(engine.due()).isEqualTo(now.plusSeconds(5));
        now = now.plusSeconds(5);
        tick();
        tick();
        assertThat(alerts()).containsExactly("alert.gpu_unreadable");
        assertThat(node.stopped).isEmpty();
        read(ZERO, ONE);
        assertThat(alerts()).containsExactly("alert.gpu_unreadable", "alert.gpu_readable");
    }

    @Test
    void aGpuUnreadableSinceTheStartRaisesNoAlert() throws StoreFailure {
        recover();
        read(new GpuState.Unknown(ZERO.gpu(), "it is split into instances"), ONE);
        now = now.plusSeconds(60);
        tick();
        assertThat(alerts()).isEmpty();
    }

    @Test
    void anUnreadableGpuIsOneAlertEvenIfAllBecomeUnreadable() {
        read(new GpuState.Unknown(ZERO.gpu(), "[Unknown Error]"), ONE);
        now = now.plusSeconds(5);
        tick();
        var hangs = Optional.of("it hangs");
        observe(
                new Fact.GpusRead(
                        "here",
                        List.of(
                                new GpuState.Unknown(ZERO.gpu(), "it hangs"),
                                new GpuState.Unknown(ONE.gpu(), "it hangs")),
                        List.of(),
                        hangs));
        read(new GpuState.Unknown(ZERO.gpu(), "[Unknown Error]"), ONE);
        now = now.plusSeconds(60);
        tick();
        read(ZERO, ONE);
        assertThat(alerts())
                .containsExactly(
                        "alert.gpu_unreadable",
                        "alert.gpus_unreadable",
                        "alert.gpus_readable",
                        "alert.gpu_readable");
    }

    @Test
    void aShortReadFailureRaisesNoAlert() {
        read(new GpuState.Unknown(ZERO.gpu(), "missing from the latest readings"), ONE);
        now = now.plusSeconds(2);
        read(ZERO, ONE);
        now = now.plusSeconds(10);
        tick();
        assertThat(alerts()).isEmpty();
    }

    private void failOnZero(String command, Cause cause) {
        var found =
                new AttemptFindings(Optional.of(new Diagnosis(cause, "a line")), Optional.empty());
        end(command, new Ending.Exited(1), found);
    }

    /** The first GPU is free at each call, so the task gets it. */
    private void end(String command, Ending ending, AttemptFindings findings) {
        var attempt = started(command);
        assertThat(engine.state().holds().contains(CARD)).isTrue();
        observe(new Fact.Ended(attempt, ending, List.of(), true, findings));
    }

    private List<String> loadedModels() {
        return engine.snapshot(now).fleet().loaded().get(CARD).orElse(List.of());
    }

    private GpuFault fault() {
        return engine.state().durable().faults().get(CARD).orElseThrow();
    }

    private void sick(GpuFault.Kind kind, String why) {
        observe(new Fact.GpuFaultFound(CARD, kind, why));
    }

    private void tested(Optional<String> failure) {
        observe(new Fact.GpuTested(CARD, failure));
    }

    private EngineReply takeOut(int index) {
        return ask(new EngineCommand.QuarantineGpu(now, ANN, index, "a fan rattles"));
    }

    private EngineReply handBack(int index, boolean isForced) {
        return ask(new EngineCommand.RecoverGpu(now, ANN, index, isForced));
    }

    private static String code(EngineReply reply) {
        return ((EngineReply.Refused) reply).rejection().code();
    }

    private List<String> alerts() {
        return store.eventsAfter(0, 1000).stream()
                .map(event -> event.kind())
                .filter(word -> word.startsWith("alert."))
                .toList();
    }

    private TaskState state(TaskId id) throws StoreFailure {
        return store.find(id).orElseThrow().task().state();
    }

    private AttemptId started(String command) {
        var attempt = new AttemptId(submit(command), 1);
        observe(new Fact.Started(attempt, new ShimProcess(new ProcessKey("boot-1", 9, 9), now)));
        return attempt;
    }

    private TaskId submit(String command) {
        var spec = TaskSpec.of("train", command, Need.gpus(1), "/");
        var reply = ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void tick() {
        ask(new EngineCommand.Tick(now));
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    private void read(GpuState... states) {
        observe(new Fact.GpusRead("here", List.of(states)));
    }

    private static GpuState readable(int index) {
        var card = new Gpu(new GpuId("here", "GPU-" + index), index, "H200", 24_576);
        return new GpuState.Readable(
                card,
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(24_000),
                        OptionalInt.of(0),
                        OptionalInt.of(30)));
    }
}
