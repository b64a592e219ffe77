package dev.berth.node.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.findings.progress.Progress;
import dev.berth.port.Fact;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** With real files and a clock set by the test. */
class ProgressMonitorTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final AttemptId TWO = new AttemptId(new TaskId(2), 1);
    private static final Duration STALL = Duration.ofMinutes(10);

    @TempDir Path directory;
    private final List<Fact> facts = new ArrayList<>();
    private Path log;
    private long nanos = Duration.ofDays(1).toNanos();
    private ProgressMonitor watch = new ProgressMonitor(STALL, () -> nanos, facts::add);

    @BeforeEach
    void follow() {
        log = directory.resolve("tmux.log");
        watch.follow(ONE, log);
    }

    @AfterEach
    void close() {
        watch.close();
    }

    @Test
    void reportsProgress() throws IOException {
        look(2);
        print("starting\n");
        look(2);
        assertThat(facts).isEmpty();

        print(" 45%|████▌     | 450/1000 [01:23<01:41,  5.42it/s]");
        look(2);

        var progress = progress().getLast();
        assertThat(progress.percent()).isEqualTo(45);
        assertThat(progress.timeLeft()).contains(Duration.ofSeconds(101));
    }

    @Test
    void reportsNothingIfNothingChanged() throws IOException {
        print("step 500/1000\n");
        look(2);
        print("some other words\n");
        look(2);
        print("step 500/1000\n");
        look(2);

        assertThat(progress()).hasSize(1);
    }

    @Test
    void reportsAtMostEveryTwoSeconds() throws IOException {
        print("step 10/100\n");
        look(1);
        print("step 20/100\n");
        look(1);
        assertThat(progress()).hasSize(1);

        look(1);
        assertThat(progress().getLast().percent()).isEqualTo(20);
    }

    @Test
    void reportsALongerEstimate() throws IOException {
        var bar = "\r 10%%|█         | 100/1000 [01:00<%s,  1.00it/s]";
        print(bar.formatted("10:00"));
        look(2);
        print(bar.formatted("10:30"));
        look(2);
        assertThat(progress()).hasSize(1);

        print(bar.formatted("12:00"));
        look(2);
        assertThat(progress().getLast().timeLeft()).contains(Duration.ofMinutes(12));
    }

    @Test
    void measuresTheRateIfNoLineStatesIt() throws IOException {
        print("Epoch 1/10\n");
        look(60);
        assertThat(progress().getLast().perSecond()).isEmpty();
        print("Epoch 2/10\n");
        look(60);
        print("Epoch 3/10\n");
        look(60);

        var progress = progress().getLast();
        assertThat(progress.perSecond().orElseThrow()).isCloseTo(1 / 60.0, within());
        assertThat(progress.timeLeft()).contains(Duration.ofMinutes(7));
    }

    @Test
    void readsOnlyTheEndOfWhatWasWrittenMeanwhile() throws IOException {
        print("step 1/100\n" + "x".repeat(1 << 20) + "\n");
        look(2);
        assertThat(facts).isEmpty();

        print("step 2/100\n");
        look(2);
        assertThat(progress().getLast().done()).isEqualTo(2);
    }

    @Test
    void aTruncatedLogIsReadFromItsBeginning() throws IOException {
        print("words\n".repeat(100) + "step 50/100\n");
        look(2);
        Files.writeString(log, "step 3/100\n");
        look(2);

        assertThat(progress().getLast().done()).isEqualTo(3);
    }

    @Test
    void reportsEachStallOnce() throws IOException {
        advance(1, 30);
        look(599);
        assertThat(stalls()).isEmpty();
        look(1);
        look(600);
        assertThat(stalls()).containsExactly(STALL);

        advance(31, 32);
        look(600);
        assertThat(stalls()).hasSize(2);
    }

    @Test
    void aStalledTaskReportsNoProgress() throws IOException {
        for (int step = 1; step <= 30; step++) {
            print("step " + step + "/1000\n");
            look(2);
        }
        look(600);
        assertThat(facts.getLast()).isInstanceOf(Fact.Stalled.class);
        int before = facts.size();
        for (int minute = 0; minute < 10; minute++) {
            look(60);
        }

        assertThat(facts).hasSize(before);
    }

    @Test
    void anyProgressEndsAStall() throws IOException {
        var bar = "\r 10%%|█         | %d/100000 [01:00<10:00,  1.00it/s]";
        print(bar.formatted(10_000));
        look(2);
        look(600);
        assertThat(stalls()).hasSize(1);
        print(bar.formatted(10_001));
        look(2);

        assertThat(facts.getLast()).isInstanceOf(Fact.Progressed.class);
        assertThat(progress().getLast().done()).isEqualTo(10_001);
        look(10_000);
        assertThat(stalls()).hasSize(2);
    }

    @Test
    void aSlowTaskMayTakeFiveTimesItsMeanInterval() throws IOException {
        for (int epoch = 1; epoch <= 4; epoch++) {
            print("epoch " + epoch + "/10\n");
            look(3600);
        }
        look(5 * 3600 - 1);
        assertThat(stalls()).isEmpty();

        look(1);
        assertThat(stalls()).hasSize(1);
    }

    @Test
    void theFirstEpochNeverStalls() throws IOException {
        print("Epoch 1/10\n");
        look(2);
        look(100_000);

        assertThat(stalls()).isEmpty();
    }

    @Test
    void aBarThatNeverMovesIsStalled() throws IOException {
        print("  0%|          | 0/1000 [00:00<?, ?it/s]");
        look(2);
        look(600);

        assertThat(stalls()).hasSize(1);
    }

    @Test
    void aFinishedTaskOrOneWithoutProgressNeverStalls() throws IOException {
        print("working\n");
        look(100_000);
        print("100%|██████████| 100/100 [00:10<00:00, 10.0it/s]\n");
        look(2);
        look(100_000);

        assertThat(stalls()).isEmpty();
    }

    @Test
    void aValidationBetweenEpochsIsNoStall() throws IOException {
        advance(1, 10);
        for (int i = 0; i < 20; i++) {
            print("\rValidating: 10%|█| " + i + "/20 [00:01<00:09, 2.0it/s]");
            look(60);
        }

        assertThat(stalls()).isEmpty();
    }

    @Test
    void stallsAreNotReportedIfDisabled() throws IOException {
        watch = new ProgressMonitor(Duration.ZERO, () -> nanos, facts::add);
        watch.follow(ONE, log);
        advance(1, 10);
        look(1_000_000);

        assertThat(stalls()).isEmpty();
        assertThat(progress()).isNotEmpty();
    }

    @Test
    void anUnreadableLogDoesNotDelayOthers() throws IOException {
        Files.createDirectory(log);
        var other = directory.resolve("other.log");
        var followed = watch.follow(TWO, other);
        Files.writeString(other, "step 1/10\n");
        look(2);
        assertThat(progress()).hasSize(1);

        followed.close();
        Files.writeString(other, "step 9/10\n");
        look(2);
        assertThat(progress()).hasSize(1);
    }

    private void advance(int from, int to) throws IOException {
        for (int step = from; step <= to; step++) {
            print("step " + step + "/100\n");
            look(2);
        }
    }

    private void print(String text) throws IOException {
        Files.writeString(log, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void look(long seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
        watch.checkAll();
    }

    private List<Progress> progress() {
        return facts.stream()
                .flatMap(
                        fact ->
                                fact instanceof Fact.Progressed(var _, var progress)
                                        ? Optional.of(progress).stream()
                                        : Optional.<Progress>empty().stream())
                .toList();
    }

    private List<Duration> stalls() {
        return facts.stream()
                .flatMap(
                        fact ->
                                fact instanceof Fact.Stalled(var _, var standing)
                                        ? Optional.of(standing).stream()
                                        : Optional.<Duration>empty().stream())
                .toList();
    }

    private static Offset<Double> within() {
        return Offset.offset(1e-6);
    }
}
