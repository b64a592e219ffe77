package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Claim;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

class HeadroomTest {

    private static final GpuId CARD = new GpuId("here", "GPU-0");
    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final AttemptId TWO = new AttemptId(new TaskId(2), 1);

    /** A GPU with 1000 usable MiB; {@code taken} is what the attempt's processes hold. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nobody is there,                                    0, 1000,   0,   0, 1000",
        "promised and not begun,                             0, 1000, 400,   0,  600",
        "half taken: the other half is still promised,     200,  800, 400, 200,  600",
        "all taken: it is not counted twice,               400,  600, 400, 400,  600",
        "took more than promised: only what is free counts, 500, 500, 400, 500,  500",
        "a stranger took 300 and the attempt nothing yet,  300,  700, 400,   0,  300",
        "a stranger took 300 and the attempt all of its,   700,  300, 400, 400,  300",
        "a stranger took what was promised,                900,  100, 400,   0,    0",
        "nothing was promised,                             500,  500,   0, 500,  500",
    })
    void claimedButUnallocatedMemoryIsSubtracted(
            String when, long used, long free, long promised, long taken, long headroom) {
        var occupants = new ArrayList<GpuProcess>();
        if (taken > 0) {
            occupants.add(process(10, OptionalLong.of(taken), new ProcessOwner.BerthAttempt(ONE)));
        }
        if (used > taken) {
            var bob = new ProcessOwner.HostUser("bob", false);
            occupants.add(process(11, OptionalLong.of(used - taken), bob));
        }
        assertThat(Headroom.mib(reading(used, free, Optional.of(occupants)), holds(promised)))
                .as(when)
                .hasValue(headroom);
    }

    /** Then used memory up to the sum of all claims counts as the attempts'. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nobody is there,                                0, 1000,   0, 1000",
        "promised and not begun,                         0, 1000, 400,  600",
        "half taken,                                   200,  800, 400,  600",
        "all taken: it is not counted twice,           400,  600, 400,  600",
        "more is used than promised,                   700,  300, 400,  300",
        "nothing was promised,                         500,  500,   0,  500",
    })
    void withoutProcessListUsedMemoryCountsAsClaimedFirst(
            String when, long used, long free, long promised, long headroom) {
        var hidden = List.of(process(10, OptionalLong.empty(), new ProcessOwner.BerthAttempt(ONE)));
        assertThat(Headroom.mib(reading(used, free, Optional.empty()), holds(promised)))
                .as(when)
                .hasValue(headroom);
        assertThat(Headroom.mib(reading(used, free, Optional.of(hidden)), holds(promised)))
                .as(when + ", listed without memory")
                .hasValue(headroom);
    }

    @Test
    void severalAttemptsAndSeveralProcessesOfOneAreAddedUp() {
        var occupants =
                List.of(
                        process(10, OptionalLong.of(100), new ProcessOwner.BerthAttempt(ONE)),
                        process(11, OptionalLong.of(100), new ProcessOwner.BerthAttempt(ONE)),
                        process(12, OptionalLong.of(500), new ProcessOwner.BerthAttempt(TWO)));
        var holds =
                List.of(
                        new HeldClaim(ONE, new Claim(CARD, 300, false)),
                        new HeldClaim(TWO, new Claim(CARD, 400, false)));
        // Attempt one may still allocate 100; two holds more than its claim, which does not count
        // for one.
        assertThat(Headroom.mib(reading(700, 300, Optional.of(occupants)), holds)).hasValue(200);
    }

    @Test
    void aForeignProcessWithoutMemoryValueChangesNothing() {
        var occupants = List.of(process(9, OptionalLong.empty(), new ProcessOwner.Unknown()));
        assertThat(Headroom.mib(reading(300, 700, Optional.of(occupants)), holds(400)))
                .hasValue(300);
    }

    @Test
    void missingDriverValuesAreNotGuessed() {
        var silent =
                new GpuReading(
                        OptionalLong.empty(),
                        OptionalLong.of(5),
                        OptionalInt.empty(),
                        OptionalInt.empty());
        assertThat(Headroom.mib(silent, List.of())).isEmpty();
    }

    private static List<HeldClaim> holds(long promised) {
        return List.of(new HeldClaim(ONE, new Claim(CARD, promised, false)));
    }

    private static GpuReading reading(long used, long free, Optional<List<GpuProcess>> occupants) {
        return new GpuReading(
                        OptionalLong.of(used),
                        OptionalLong.of(free),
                        OptionalInt.of(0),
                        OptionalInt.of(40))
                .withProcesses(occupants);
    }

    private static GpuProcess process(long pid, OptionalLong mib, ProcessOwner whose) {
        return new GpuProcess(pid, mib, GpuProcess.Kind.COMPUTE, "python", whose, Optional.empty());
    }
}
