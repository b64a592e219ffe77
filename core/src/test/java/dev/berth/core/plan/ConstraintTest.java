package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** Each constraint alone, with all others satisfied. */
class ConstraintTest {

    private static final Gpu CARD = new Gpu(new GpuId("here", "GPU-3"), 3, "A", 1000);
    private static final AttemptId OURS = new AttemptId(new TaskId(7), 1);
    private static final Need.Gpus ANY = Need.gpus(1);

    @Test
    void anotherUsersComputeProcessIsYieldedToAndNamed() {
        var bobs =
                process(42, 10, GpuProcess.Kind.COMPUTE, new ProcessOwner.HostUser("bob", false));
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(10, bobs)))
                .contains(new Refusal.OtherUsersProcess(bobs));
        assertThat(refusal(fit(), ANY, spot(10, bobs))).isEmpty();
    }

    @Test
    void theOneThatHoldsMostIsNamed() {
        var small =
                process(42, 10, GpuProcess.Kind.COMPUTE, new ProcessOwner.HostUser("bob", false));
        var large =
                process(43, 20, GpuProcess.Kind.COMPUTE, new ProcessOwner.HostUser("eve", false));
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(30, small, large)))
                .contains(new Refusal.OtherUsersProcess(large));
    }

    @Test
    void aProcessThatTheHostDoesNotShowCountsAsAnothers() {
        var hidden = process(42, 10, GpuProcess.Kind.COMPUTE, new ProcessOwner.Unknown());
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(10, hidden)))
                .contains(new Refusal.OtherUsersProcess(hidden));
    }

    @Test
    void ownProcessesAndADesktopDoNotRefuseTheGpu() {
        var own = process(42, 10, GpuProcess.Kind.COMPUTE, new ProcessOwner.HostUser("me", true));
        var desktop =
                process(43, 10, GpuProcess.Kind.GRAPHICS, new ProcessOwner.HostUser("bob", false));
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(20, own, desktop))).isEmpty();
    }

    @Test
    void notEnoughMemoryNamesTheLargestProcesses() {
        var own = process(42, 700, GpuProcess.Kind.COMPUTE, new ProcessOwner.HostUser("me", true));
        assertThat(refusal(SchedulingRules.DEFAULT, need(400), spot(700, own)))
                .contains(new Refusal.NotEnoughMemory(400, 0, 300, List.of(own)));
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(700, own)))
                .contains(new Refusal.InUse(700, 1000, 20, List.of(own)));
    }

    @Test
    void aGpuIsNotReusedWhileAnEndedAttemptMayBeOnIt() {
        var state = state(0);
        assertThat(
                        refusal(
                                SchedulingRules.DEFAULT,
                                ANY,
                                new GpuView(state, List.of(), List.of(OURS))))
                .contains(new Refusal.NotYetReleased(OURS));
    }

    @Test
    void onlyALeftoverProcessOfAnAttemptRefusesTheGpu() {
        var left = process(42, 10, GpuProcess.Kind.COMPUTE, new ProcessOwner.BerthAttempt(OURS));
        assertThat(refusal(fit(), ANY, spot(10, left)))
                .contains(new Refusal.LeftoverProcess(OURS, left));
        var holds = List.of(new HeldClaim(OURS, new Claim(CARD.id(), 100, false)));
        var held = new GpuView(state(10, left), holds, List.of());
        assertThat(Constraint.RELEASED.refusal(ask(ANY), held)).isEmpty();
    }

    @Test
    void cardsOutsideThePoolAndReservedOnesAreNeverGiven() {
        var others = new GpuPool(Optional.of(new TreeSet<>(List.of(0, 5))), new TreeSet<>());
        var reserved = new GpuPool(Optional.empty(), new TreeSet<>(List.of(3)));
        var outside =
                refusal(new SchedulingRules(20, ForeignProcessPolicy.YIELD, others), ANY, spot(0));
        assertThat(outside).contains(new Refusal.OutsidePool());
        assertThat(outside.orElseThrow().isPermanent()).isTrue();
        assertThat(
                        refusal(
                                new SchedulingRules(20, ForeignProcessPolicy.YIELD, reserved),
                                ANY,
                                spot(0)))
                .contains(new Refusal.Reserved());
        assertThat(others.missingFrom(new TreeSet<>(List.of(0, 1)))).containsExactly(5);
    }

    @Test
    void whatCannotBeReadAndWhatIsInErrorAreNotFree() {
        var unknown = GpuView.unheld(new GpuState.Unknown(CARD, "the probe hangs"));
        var failed = GpuView.unheld(new GpuState.Failed(CARD, "gone"));
        assertThat(refusal(fit(), ANY, unknown))
                .contains(new Refusal.Unreadable("the probe hangs"));
        assertThat(refusal(fit(), ANY, failed)).contains(new Refusal.Failed("gone"));
        assertThat(refusal(fit(), ANY, failed).orElseThrow().isPermanent()).isFalse();
    }

    @Test
    void whereTheDriverListsNoProcessesNothingStartsUnlessMemoryAloneDecides() {
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, unlisted(0)))
                .containsInstanceOf(Refusal.Unreadable.class);
        assertThat(refusal(fit(), ANY, unlisted(60))).isEmpty();
    }

    /** The driver does not list the processes. */
    private static GpuView unlisted(long used) {
        var state = (GpuState.Readable) state(used);
        return GpuView.unheld(
                new GpuState.Readable(
                        state.gpu(), state.reading().withProcesses(Optional.empty())));
    }

    @Test
    void theThresholdIsConfigurable() {
        assertThat(
                        refusal(
                                new SchedulingRules(50, ForeignProcessPolicy.YIELD, GpuPool.ALL),
                                ANY,
                                spot(400)))
                .isEmpty();
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(199))).isEmpty();
        assertThat(refusal(SchedulingRules.DEFAULT, ANY, spot(200))).isPresent();
    }

    @Test
    void anEstimateMustFitWithItsMargin() {
        var model = new ModelWork(Optional.empty(), Optional.of("optimization"), 0);
        var shape = Shape.of(ANY, Optional.of(model));
        assertThat(refusal(2000, shape, 8000)).isEmpty();
        assertThat(refusal(2000, shape, 7999))
                .contains(new Refusal.NotEnoughMemory(6000, 2000, 7999, List.of()));
        assertThat(refusal(0, shape, 6000)).isEmpty();
        assertThat(refusal(0, shape, 5999)).isPresent();
    }

    private static Optional<Refusal> refusal(long marginMib, Shape shape, long freeMib) {
        var scene = new SnapshotBuilder();
        scene.card(new Gpu(SnapshotBuilder.id(0), 0, "A", 24_000), freeMib, 0, 40);
        var rules = SchedulingRules.DEFAULT.with(new MemoryEstimates(new TreeMap<>(), marginMib));
        var spot = scene.snapshot().fleet().views().findFirst().orElseThrow();
        return new Planner(rules).refusal(shape, spot, false);
    }

    @Test
    void onlySharingTasksUseTheSameGpu() {
        var shares =
                new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.shared(400));
        assertThat(refusal(SchedulingRules.DEFAULT, shares, held(400, false))).isEmpty();
        assertThat(refusal(SchedulingRules.DEFAULT, shares, held(601, false)))
                .contains(new Refusal.NotEnoughMemory(400, 0, 399, List.of()));
        assertThat(refusal(SchedulingRules.DEFAULT, shares, held(400, true)))
                .contains(new Refusal.Held(OURS));
        assertThat(refusal(SchedulingRules.DEFAULT, need(400), held(400, false)))
                .contains(new Refusal.Held(OURS));
    }

    private static GpuView held(long promised, boolean isExclusive) {
        var claim = new Claim(CARD.id(), promised, isExclusive);
        return new GpuView(state(0), List.of(new HeldClaim(OURS, claim)), List.of());
    }

    @Test
    void aTaskThatNamesOtherCardsNeverTakesThisOne() {
        var named = Need.Gpus.on(GpuIndices.of(2, 4), Optional.empty(), Need.GpuMemory.UNSTATED);
        var refusal = refusal(SchedulingRules.DEFAULT, named, spot(0)).orElseThrow();
        assertThat(refusal).isEqualTo(new Refusal.NotRequested(GpuIndices.of(2, 4)));
        assertThat(refusal.isPermanent()).isTrue();
        var mine = Need.Gpus.on(GpuIndices.of(3), Optional.empty(), Need.GpuMemory.UNSTATED);
        assertThat(refusal(SchedulingRules.DEFAULT, mine, spot(0))).isEmpty();
    }

    @Test
    void aForcedStartSkipsMemoryAndProcessChecks() {
        var bobs =
                process(42, 900, GpuProcess.Kind.COMPUTE, new ProcessOwner.HostUser("bob", false));
        var planner = new Planner(SchedulingRules.DEFAULT);
        var shape = Shape.of(ANY, Optional.empty());
        assertThat(planner.refusal(shape, spot(900, bobs), false)).isPresent();
        assertThat(planner.refusal(shape, spot(900, bobs), true)).isEmpty();
        assertThat(planner.refusal(shape, held(0, true), true)).contains(new Refusal.Held(OURS));
        var unread = GpuView.unheld(new GpuState.Unknown(CARD, "no answer"));
        assertThat(planner.refusal(shape, unread, true)).isPresent();
    }

    private static SchedulingRules fit() {
        return new SchedulingRules(20, ForeignProcessPolicy.FIT, GpuPool.ALL);
    }

    private static Need.Gpus need(long mib) {
        return new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), Need.GpuMemory.of(mib));
    }

    private static GpuRequirement ask(Need.Gpus need) {
        return GpuRequirement.of(need, Shape.of(need, Optional.empty()), SchedulingRules.DEFAULT);
    }

    private static Optional<Refusal> refusal(SchedulingRules rules, Need.Gpus need, GpuView spot) {
        return new Planner(rules).refusal(Shape.of(need, Optional.empty()), spot, false);
    }

    private static GpuView spot(long used, GpuProcess... occupants) {
        return GpuView.unheld(state(used, occupants));
    }

    private static GpuState state(long used, GpuProcess... occupants) {
        return new GpuState.Readable(
                CARD,
                new GpuReading(
                                OptionalLong.of(used),
                                OptionalLong.of(1000 - used),
                                OptionalInt.of(0),
                                OptionalInt.of(40))
                        .withProcesses(Optional.of(List.of(occupants))));
    }

    private static GpuProcess process(
            long pid, long mib, GpuProcess.Kind kind, ProcessOwner whose) {
        return new GpuProcess(pid, OptionalLong.of(mib), kind, "python", whose, Optional.empty());
    }
}
