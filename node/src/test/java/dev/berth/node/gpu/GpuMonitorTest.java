package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Fact;
import dev.berth.port.Node;
import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class GpuMonitorTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);

    @TempDir private Path folder;
    private final List<Fact.GpusRead> told = new CopyOnWriteArrayList<>();

    @Test
    void anAttemptIsReleasedWhenALaterReadingDoesNotListIt() throws IOException {
        try (var watch = open(new GpuSource.Auto(), SchedulingRules.DEFAULT)) {
            // The first report may contain no GPU if the program is slow.
            eventually(
                    "the card is known",
                    () -> told.stream().anyMatch(fact -> !fact.gpus().isEmpty()));
            watch.assign(attempt("GPU-1"));
            assertThat(watch.release(ONE, true)).isFalse();
            assertThat(told).allMatch(fact -> fact.departures().isEmpty());
            watch.awaitRelease(ONE);
            eventually(
                    "it has departed",
                    () ->
                            told.stream()
                                    .flatMap(fact -> fact.departures().stream())
                                    .toList()
                                    .equals(List.of(new Fact.Departure(ONE, true))));
        }
    }

    @Test
    void anAttemptThatNeverRanIsReleasedImmediately() throws IOException {
        try (var watch = open(new GpuSource.Auto(), SchedulingRules.DEFAULT)) {
            watch.assign(attempt("GPU-1"));
            assertThat(watch.release(ONE, false)).isTrue();
        }
    }

    @Test
    void readsSimulatedGpusBeforeTheEndIsReported() throws IOException {
        var source = new GpuSource.Simulated(1, 1000, "A");
        try (var watch = open(source, SchedulingRules.DEFAULT)) {
            watch.assign(attempt("SIM-000"));
            watch.started(ONE, new ShimProcess(new ProcessKey("boot", 7, 1), Instant.now()));
            eventually("the card is in use", () -> used() == 500);
            assertThat(watch.release(ONE, true)).isTrue();
            assertThat(used()).isZero();
        }
    }

    @Test
    void aSimulatedTaskUsesItsClaimAndTheNextServerKeepsTheUse() throws IOException {
        var source = new GpuSource.Simulated(2, 1000, "A");
        var run = new ShimProcess(new ProcessKey("boot", 7, 1), Instant.now());
        try (var watch = open(source, SchedulingRules.DEFAULT)) {
            assertThat(watch.consumption(ONE)).isEmpty();
            watch.assign(attempt("SIM-000"));
            watch.started(ONE, run);
            eventually("it was seen", () -> watch.consumption(ONE).isPresent());
            assertThat(watch.consumption(ONE).orElseThrow())
                    .satisfies(used -> assertThat(used.peakMib()).isEqualTo(500))
                    .satisfies(used -> assertThat(used.meanMib()).isEqualTo(500))
                    .satisfies(used -> assertThat(used.peakPercent()).isPresent());
        }
        try (var next = open(new GpuSource.Simulated(2, 600, "A"), SchedulingRules.DEFAULT)) {
            next.assign(attempt("SIM-001", new Phase.Running(run)));
            assertThat(next.consumption(ONE).orElseThrow().peakMib()).isEqualTo(500);
            assertThat(next.release(ONE, true)).isTrue();
            assertThat(next.consumption(ONE)).isEmpty();
        }
    }

    @Test
    void aGpuIsCheckedAgainBeforeAStart() throws IOException {
        var source = new GpuSource.Simulated(1, 1000, "A");
        var rules = new SchedulingRules(20, ForeignProcessPolicy.YIELD, reserved(0));
        var terms = new Node.LaunchTerms(false, rules, Duration.ofMinutes(1));
        try (var watch = open(source, rules)) {
            var card = told.getLast().gpus().getFirst().gpu();
            var spec = TaskSpec.of("a", "true", Need.gpus(1), "/");
            var order = new Node.Launch(attempt("SIM-000"), spec, List.of(card), terms);
            assertThat(watch.refusal(order)).contains(new Refusal.Reserved());
            var cpu = TaskSpec.of("a", "true", Need.CPU, "/");
            assertThat(watch.refusal(new Node.Launch(attempt("SIM-000"), cpu, List.of(), terms)))
                    .isEmpty();
        }
    }

    @Test
    void unknownGpuIdsAreLoggedOnce() throws IOException {
        var warnings = new CopyOnWriteArrayList<String>();
        var logger = Logger.getLogger(GpuMonitor.class.getName());
        var listener = listener(warnings);
        logger.addHandler(listener);
        var pool = new GpuPool(Optional.of(new TreeSet<>(List.of(0, 5))), new TreeSet<>());
        try (var watch =
                open(
                        new GpuSource.Simulated(2, 1000, "A"),
                        new SchedulingRules(20, ForeignProcessPolicy.YIELD, pool))) {
            assertThat(watch.probeName()).isEqualTo("simulation");
            eventually("it is said", () -> !warnings.isEmpty());
            assertThat(warnings).singleElement().asString().contains("[5]");
        } finally {
            logger.removeHandler(listener);
        }
    }

    private static Handler listener(List<String> warnings) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                // A monitor that was closed a moment ago may still report.
                if (entry.getMessage().contains("does not have")) {
                    warnings.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    private static GpuPool reserved(int index) {
        return new GpuPool(Optional.empty(), new TreeSet<>(List.of(index)));
    }

    private long used() {
        return told.getLast().gpus().getFirst() instanceof GpuState.Readable(_, var reading)
                ? reading.usedMib().orElse(-1)
                : -1;
    }

    private static Attempt attempt(String uuid) {
        return attempt(uuid, new Phase.Starting());
    }

    private static Attempt attempt(String uuid, Phase phase) {
        var claim = new Claim(new GpuId("here", uuid), 0, true);
        return new Attempt(ONE, "here", 1, "boot", List.of(claim), Instant.EPOCH, phase);
    }

    private Path notes(AttemptId attempt) {
        return folder.resolve("notes-" + attempt);
    }

    /** With a program that always lists one idle GPU. */
    private GpuMonitor open(GpuSource source, SchedulingRules rules) throws IOException {
        var smi =
                Script.write(
                        folder.resolve("nvidia-smi"),
                        """
                        #!/bin/bash
                        [[ $1 == --query-gpu=* ]] && echo '0, GPU-1, A100, 100, 0, 100, 0, 30, Disabled'
                        exit 0
                        """);
        var settings = new GpuSettings(source, Optional.of(smi), Optional.empty(), rules);
        var watch = GpuMonitor.open("here", "home", settings, this::notes, Optional.empty());
        watch.reportTo(fact -> told.add((Fact.GpusRead) fact));
        return watch;
    }
}
