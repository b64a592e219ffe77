package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Claim;
import dev.berth.port.Fact.Departure;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

class PendingReleasesTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final List<Claim> CLAIMS = List.of(new Claim(new GpuId("here", "A"), 0, true));

    private final GpuStates book = new GpuStates("here", at(0));
    private final PendingReleases departures = new PendingReleases();

    @Test
    void aReadingStartedBeforeTheEndDoesNotCount() {
        end(1000);
        read(Optional.of(List.of()), 0, 1010);
        assertThat(departures.findReleased(book, at(990), at(1010))).isEmpty();
        assertThat(departures.hasEndedAfter(at(990))).isTrue();
        assertThat(departures.findReleased(book, at(1001), at(1020)))
                .containsExactly(new Departure(ONE, true));
        assertThat(departures.hasRecent(at(1030))).isFalse();
    }

    @Test
    void anAttemptIsOnItsGpuWhileItsProcessIsListed() {
        read(Optional.of(List.of(process(9, new ProcessOwner.BerthAttempt(ONE)))), 500, 0);
        end(1000);
        for (int second = 2; second < 60; second++) {
            assertThat(judge(1000L * second)).isEmpty();
        }
        assertThat(departures.hasRecent(at(10_999))).isTrue();
        assertThat(departures.hasRecent(at(11_001)))
                .as("not ten times a second for ever")
                .isFalse();
        read(Optional.of(List.of()), 0, 60_000);
        assertThat(judge(60_000)).containsExactly(new Departure(ONE, true));
    }

    @Test
    void anUnknownProcessBlocksTheReleaseForTenSeconds() {
        end(1000);
        read(Optional.of(List.of(process(9, new ProcessOwner.Unknown()))), 500, 1500);
        assertThat(judge(10_999)).isEmpty();
        assertThat(judge(11_000)).containsExactly(new Departure(ONE, false));
    }

    @Test
    void anUnknownProcessFromBeforeTheEndIsIgnored() {
        read(Optional.of(List.of(process(9, new ProcessOwner.Unknown()))), 500, 0);
        end(1000);
        assertThat(judge(1100)).containsExactly(new Departure(ONE, true));
    }

    @Test
    void withoutProcessListMemoryOrTenSecondsDecide() {
        end(1000);
        read(Optional.empty(), 50, 1500);
        assertThat(judge(1500)).isEmpty();
        read(Optional.empty(), 49, 1600);
        assertThat(judge(1600)).containsExactly(new Departure(ONE, true));
        end(2000);
        read(Optional.empty(), 500, 2500);
        assertThat(judge(11_999)).isEmpty();
        assertThat(judge(12_000)).containsExactly(new Departure(ONE, false));
    }

    @Test
    void noReleaseWhileTheGpusCannotBeRead() {
        end(1000);
        book.onFailure("no", at(1500));
        assertThat(judge(30_000)).isEmpty();
    }

    private void end(long millis) {
        departures.add(ONE, CLAIMS, book, at(millis));
    }

    private List<Departure> judge(long millis) {
        return departures.findReleased(book, at(millis), at(millis));
    }

    private void read(Optional<List<GpuProcess>> occupants, long used, long millis) {
        book.onAnswer(
                List.of(
                        new ProbedGpu(
                                "A",
                                0,
                                "A100",
                                OptionalLong.of(1000),
                                new GpuReading(
                                        OptionalLong.of(used),
                                        OptionalLong.of(1000 - used),
                                        OptionalInt.of(0),
                                        OptionalInt.of(40),
                                        OptionalInt.empty(),
                                        occupants),
                                false)),
                at(millis));
    }

    private static GpuProcess process(long pid, ProcessOwner whose) {
        return new GpuProcess(
                pid,
                OptionalLong.of(500),
                GpuProcess.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
