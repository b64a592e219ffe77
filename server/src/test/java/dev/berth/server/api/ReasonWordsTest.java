package dev.berth.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Devices;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

class ReasonWordsTest {

    private static final Card CARD = new Card(new CardId("here", "GPU-9"), 3, "A", 24_576);

    private static final Occupant BOBS =
            new Occupant(
                    12_345,
                    OptionalLong.of(3590),
                    Occupant.Kind.COMPUTE,
                    "python3",
                    new Whose.User("bob", false),
                    Optional.empty());

    private static final List<Refusal> REFUSALS =
            List.of(
                    new Refusal.WrongModel("B", "A"),
                    new Refusal.NotNamed(Devices.of(0, 1)),
                    new Refusal.TooSmall(40_000, 24_576),
                    new Refusal.Unreadable("the driver hangs"),
                    new Refusal.Held(new AttemptId(new TaskId(7), 2)),
                    new Refusal.MemoryShort(20_480, 0, 1000, List.of(BOBS)),
                    new Refusal.InUse(6000, 24_576, 20, List.of(BOBS)),
                    new Refusal.OutsidePool(),
                    new Refusal.Reserved(),
                    new Refusal.Broken("the driver no longer lists it"),
                    new Refusal.Leaving(new AttemptId(new TaskId(7), 2)),
                    new Refusal.LeftBehind(new AttemptId(new TaskId(7), 2), BOBS),
                    new Refusal.OthersWork(BOBS),
                    new Refusal.OutsideLanes(),
                    new Refusal.KeptBack(),
                    new Refusal.Promised(new TaskId(7)),
                    new Refusal.OwnPython(BOBS));

    @Test
    void everyRefusalHasWordsACodeAndItsCard() {
        assertThat(REFUSALS).hasSize(Refusal.class.getPermittedSubclasses().length);
        var parts =
                REFUSALS.stream()
                        .map(
                                refusal ->
                                        new WaitReason.CardsShort(
                                                1,
                                                0,
                                                List.of(new WaitReason.CardRefused(CARD, refusal))))
                        .map(reason -> ReasonWords.of(reason).parts().getFirst())
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
    void whoIsOnACardIsNamedWithProgramPidAndMemory() {
        var reason = RefusalWords.of(new Refusal.OthersWork(BOBS));
        assertThat(reason.detail())
                .isEqualTo("is in use outside Berth by bob: python3 (pid 12345, 3590 MiB).");
        assertThat(reason.params())
                .containsEntry("user", "bob")
                .containsEntry("program", "python3")
                .containsEntry("pid", "12345")
                .containsEntry("process_mib", "3590");
        assertThat(
                        RefusalWords.of(new Refusal.MemoryShort(20_480, 0, 1000, List.of(BOBS)))
                                .detail())
                .contains("1000 MiB left")
                .contains("bob: python3 (pid 12345, 3590 MiB)");
    }

    @Test
    void whatMustStayFreeBeyondAnEstimateIsSaid() {
        var reason = RefusalWords.of(new Refusal.MemoryShort(6000, 2000, 7000, List.of()));
        assertThat(reason.detail())
                .isEqualTo(
                        "has 7000 MiB left, 6000 MiB are needed and 2000 MiB must stay free beyond"
                                + " that.");
        assertThat(reason.params())
                .containsEntry("needed_mib", "6000")
                .containsEntry("margin_mib", "2000")
                .containsEntry("free_mib", "7000");
    }

    @Test
    void aProcessThatTheHostDoesNotShowHasNoUser() {
        var hidden =
                new Occupant(
                        9,
                        OptionalLong.empty(),
                        Occupant.Kind.COMPUTE,
                        "",
                        new Whose.Unknown(),
                        Optional.empty());
        var reason = RefusalWords.of(new Refusal.OthersWork(hidden));
        assertThat(reason.detail())
                .isEqualTo("is in use outside Berth by somebody unknown: a program (pid 9).");
        assertThat(reason.params()).doesNotContainKeys("user", "process_mib");
    }

    @Test
    void everyReasonHasWordsAndACode() {
        var pauses =
                Stream.of(WaitReason.Paused.Cause.values())
                        .map(cause -> new WaitReason.Paused(cause, "so"));
        var reasons =
                Stream.concat(
                                pauses,
                                Stream.of(
                                        new WaitReason.CardsShort(2, 1, List.of()),
                                        new WaitReason.Impossible(4, 2, List.of()),
                                        new WaitReason.CpuFull(3, 3),
                                        new WaitReason.LaneBusy(new TaskId(5)),
                                        new WaitReason.Resting(Instant.EPOCH),
                                        new WaitReason.Spacing(3),
                                        new WaitReason.Polite(1, 0),
                                        new WaitReason.Behind(new TaskId(5), 1)))
                        .map(ReasonWords::of)
                        .toList();
        assertThat(reasons).allSatisfy(reason -> assertThat(reason.detail()).endsWith("."));
        assertThat(reasons.stream().map(reason -> reason.code()).distinct())
                .hasSize(reasons.size());
        assertThat(reasons.getLast().detail()).contains("Task 5").contains("1 task is ahead");
    }

    @Test
    void whatStartsHasNothingToWaitFor() {
        assertThat(ReasonWords.of(new Verdict.Start(new AttemptId(new TaskId(1), 1), List.of())))
                .isEmpty();
    }
}
