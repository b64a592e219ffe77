package dev.berth.server.api.reason;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Owner;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

class WaitReasonJsonTest {

    private static final Gpu CARD = new Gpu(new GpuId("here", "GPU-9"), 3, "A", 24_576);

    private static final GpuProcess BOBS =
            new GpuProcess(
                    12_345,
                    OptionalLong.of(3590),
                    GpuProcess.Kind.COMPUTE,
                    "python3",
                    new ProcessOwner.HostUser("bob", false),
                    Optional.empty());

    private static final ReservationWindow RESERVED =
            new Reservation(
                            4,
                            new ReservationHolder.ForGroup("vision"),
                            new ReservedGpus.AnyGpus(2),
                            new Reservation.Schedule(
                                    Instant.EPOCH, Duration.ofHours(4), false, ZoneOffset.UTC),
                            "",
                            Owner.unix("root"),
                            Instant.EPOCH)
                    .windowAt(Instant.EPOCH)
                    .orElseThrow();

    private static final List<Refusal> REFUSALS =
            List.of(
                    new Refusal.WrongModel("B", "A"),
                    new Refusal.NotRequested(GpuIndices.of(0, 1)),
                    new Refusal.TooSmall(40_000, 24_576),
                    new Refusal.Unreadable("the driver hangs"),
                    new Refusal.Held(new AttemptId(new TaskId(7), 2)),
                    new Refusal.HeldByLost(new AttemptId(new TaskId(7), 2)),
                    new Refusal.HeldByStuck(new AttemptId(new TaskId(7), 2)),
                    new Refusal.NotEnoughMemory(20_480, 0, 1000, List.of(BOBS)),
                    new Refusal.InUse(6000, 24_576, 20, List.of(BOBS)),
                    new Refusal.OutsidePool(),
                    new Refusal.Reserved(),
                    new Refusal.Failed("the driver no longer lists it"),
                    new Refusal.Quarantined("a fan rattles"),
                    new Refusal.NotYetReleased(new AttemptId(new TaskId(7), 2)),
                    new Refusal.LeftoverProcess(new AttemptId(new TaskId(7), 2), BOBS),
                    new Refusal.OtherUsersProcess(BOBS),
                    new Refusal.NotForLanes(),
                    new Refusal.LeftForOthers(),
                    new Refusal.ReservedFor(new TaskId(7)),
                    new Refusal.ReservedForOthers(RESERVED),
                    new Refusal.OwnPython(BOBS),
                    new Refusal.ModelSetAside("mace", "exit code 3"),
                    new Refusal.WarmElsewhere(
                            "mace", Duration.ofSeconds(40), Duration.ofMillis(2500)));

    @Test
    void everyRefusalHasTextCodeAndGpu() {
        assertThat(REFUSALS).hasSize(Refusal.class.getPermittedSubclasses().length);
        var parts =
                REFUSALS.stream()
                        .map(
                                refusal ->
                                        new WaitReason.NotEnoughGpus(
                                                1,
                                                0,
                                                List.of(new WaitReason.RefusedGpu(CARD, refusal))))
                        .map(reason -> WaitReasonJson.of(reason).parts().getFirst())
                        .toList();
        assertThat(parts)
                .allSatisfy(
                        part -> {
                            assertThat(part.detail()).startsWith("GPU 3 ").endsWith(".");
                            assertThat(part.code()).startsWith("card.");
                            assertThat(part.params())
                                    .containsEntry("gpu", "3")
                                    .containsEntry("uuid", "GPU-9");
                        });
        assertThat(parts.stream().map(part -> part.code()).distinct()).hasSize(REFUSALS.size());
        assertThat(parts.get(4).params()).containsEntry("task", "7").containsEntry("attempt", "2");
    }

    @Test
    void processOnAGpuIsNamedWithProgramPidAndMemory() {
        var reason = WaitReasonJson.of(CARD, new Refusal.OtherUsersProcess(BOBS));
        assertThat(reason.detail())
                .isEqualTo("GPU 3 is in use outside Berth by bob: python3 (pid 12345, 3590 MiB).");
        assertThat(reason.params())
                .containsEntry("user", "bob")
                .containsEntry("program", "python3")
                .containsEntry("pid", "12345")
                .containsEntry("process_mib", "3590");
        assertThat(
                        WaitReasonJson.of(
                                        CARD,
                                        new Refusal.NotEnoughMemory(20_480, 0, 1000, List.of(BOBS)))
                                .detail())
                .contains("1000 MiB free")
                .contains("bob: python3 (pid 12345, 3590 MiB)");
    }

    @Test
    void marginBeyondAnEstimateIsShown() {
        var reason =
                WaitReasonJson.of(CARD, new Refusal.NotEnoughMemory(6000, 2000, 7000, List.of()));
        assertThat(reason.detail())
                .isEqualTo(
                        "GPU 3 has 7000 MiB free, 6000 MiB are needed and 2000 MiB must stay"
                                + " free.");
        assertThat(reason.params())
                .containsEntry("needed_mib", "6000")
                .containsEntry("margin_mib", "2000")
                .containsEntry("free_mib", "7000");
    }

    @Test
    void invisibleProcessHasNoUser() {
        var hidden =
                new GpuProcess(
                        9,
                        OptionalLong.empty(),
                        GpuProcess.Kind.COMPUTE,
                        "",
                        new ProcessOwner.Unknown(),
                        Optional.empty());
        var reason = WaitReasonJson.of(CARD, new Refusal.OtherUsersProcess(hidden));
        assertThat(reason.detail()).isEqualTo("GPU 3 is in use outside Berth: (pid 9).");
        assertThat(reason.params()).doesNotContainKeys("user", "process_mib");
    }

    @Test
    void everyReasonHasTextAndCode() {
        var pauses =
                Stream.of(WaitReason.Paused.PauseCause.values())
                        .map(cause -> new WaitReason.Paused(cause, "so"));
        var reasons =
                Stream.concat(
                                pauses,
                                Stream.of(
                                        new WaitReason.NotEnoughGpus(2, 1, List.of()),
                                        new WaitReason.NeverPossible(4, 2, List.of()),
                                        new WaitReason.CpuLimitReached(3, 3),
                                        new WaitReason.LaneBusy(new TaskId(5)),
                                        new WaitReason.BackingOff(Instant.EPOCH),
                                        new WaitReason.RunStarting(3),
                                        new WaitReason.YieldingToOthers(1, 0),
                                        new WaitReason.BehindHead(new TaskId(5), 1)))
                        .map(WaitReasonJson::of)
                        .toList();
        assertThat(reasons).allSatisfy(reason -> assertThat(reason.detail()).endsWith("."));
        assertThat(reasons.stream().map(reason -> reason.code()).distinct())
                .hasSize(reasons.size());
        assertThat(reasons.getLast().detail()).contains("Task 5").contains("1 task is ahead");
    }

    @Test
    void startingTaskHasNoReasons() {
        assertThat(WaitReasonJson.of(new Verdict.Start(new AttemptId(new TaskId(1), 1), List.of())))
                .isEmpty();
    }
}
