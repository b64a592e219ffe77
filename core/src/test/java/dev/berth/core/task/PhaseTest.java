package dev.berth.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

class PhaseTest {

    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final ShimProcess RUN = new ShimProcess(new ProcessKey("boot", 7, 70), AT);

    private static final List<Phase> LIVE =
            List.of(
                    new Phase.Starting(),
                    new Phase.Running(RUN),
                    new Phase.Stopping(Optional.of(RUN), StopCause.CANCELLED, AT),
                    new Phase.Lost(Optional.of(RUN), "cannot look"),
                    new Phase.Stuck(Optional.of(RUN), StopCause.CANCELLED, "pid 7"));

    private static final List<PhaseTransition> MOVES =
            List.of(
                    new PhaseTransition.SeenAlive(RUN),
                    new PhaseTransition.Stop(StopCause.CANCELLED, AT),
                    new PhaseTransition.LoseContact("cannot look"),
                    new PhaseTransition.GetStuck("pid 7"),
                    new PhaseTransition.End(new Ending.Exited(0), AT));

    @Test
    void anEndIsFinal() {
        var ended = new Phase.Ended(Optional.of(RUN), new Ending.Exited(0), AT);
        for (var move : MOVES) {
            assertThatThrownBy(() -> ended.after(move)).isInstanceOf(IllegalTransition.class);
        }
    }

    @Test
    void everyLivePhaseCanEnd() {
        for (var phase : LIVE) {
            var end = new PhaseTransition.End(new Ending.Vanished(), AT);
            assertThat(phase.after(end))
                    .isEqualTo(new Phase.Ended(phase.shimProcess(), new Ending.Vanished(), AT));
        }
    }

    @Test
    void aStopIsKeptUntilTheAttemptEnds() {
        for (var move : MOVES) {
            var after = new Phase.Stopping(Optional.of(RUN), StopCause.CANCELLED, AT).after(move);
            assertThat(after)
                    .isInstanceOfAny(Phase.Stopping.class, Phase.Stuck.class, Phase.Ended.class)
                    .isNotInstanceOf(Phase.Running.class);
        }
    }

    @Test
    void aLostAttemptRunsWhenItIsSeenAgain() {
        assertThat(
                        new Phase.Lost(Optional.empty(), "cannot look")
                                .after(new PhaseTransition.SeenAlive(RUN)))
                .isEqualTo(new Phase.Running(RUN));
    }

    @Test
    void aStoppingAttemptRecordsAShimThatAppearsLater() {
        var stopping =
                new Phase.Starting().after(new PhaseTransition.Stop(StopCause.CANCELLED, AT));
        assertThat(stopping.shimProcess()).isEmpty();
        assertThat(stopping.after(new PhaseTransition.SeenAlive(RUN)).shimProcess()).contains(RUN);
    }
}
