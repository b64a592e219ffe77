package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.port.Fact;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Handling of faulty GPUs, with a clock set by the test. */
class GpuHealthMonitorTest {

    private static final Gpu CARD = new Gpu(new GpuId("here", "GPU-1"), 3, "A100", 1000);

    @TempDir private Path folder;
    private final List<Fact> told = new CopyOnWriteArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private final FakeProbe probe = new FakeProbe();
    private GpuHealthMonitor care;

    /** A driver whose answers the test sets. */
    private static final class FakeProbe implements GpuProbe {
        private final AtomicInteger looks = new AtomicInteger();
        private volatile Optional<List<GpuHealth>> health =
                Optional.of(List.of(healthOf(0, false)));
        private volatile boolean isImmediate;
        private volatile XidListener ear;

        @Override
        public List<ProbedGpu> read() {
            return List.of();
        }

        @Override
        public boolean isImmediate() {
            return isImmediate;
        }

        @Override
        public HealthProbe health() {
            return () -> {
                looks.incrementAndGet();
                return health.orElseThrow(() -> ProbeFailure.ofInvalidAnswer("what?"));
            };
        }

        @Override
        public void reportXidsTo(XidListener listener) {
            ear = listener;
        }

        @Override
        public String name() {
            return "staged";
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void open() {
        care("true");
    }

    private void care(String command) {
        var settings =
                new GpuSettings.FaultHandling(
                        Duration.ofSeconds(30), Optional.of(command), folder.resolve("none"));
        care = new GpuHealthMonitor("here", settings, probe, "none", now::get);
        care.reportTo(told::add);
    }

    @AfterEach
    void close() {
        care.close();
    }

    @Test
    void healthIsReadEverySecondDuringATest() {
        for (int second = 0; second < 20; second++) {
            readingAt(second);
        }
        assertThat(probe.looks).hasValue(2);
        care.startTest(CARD.id());
        for (int second = 20; second < 23; second++) {
            readingAt(second);
        }
        assertThat(probe.looks).hasValue(5);
    }

    @Test
    void healthIsNotReadWhileTheDriverIsSilent() {
        care.onReading(List.of(), false, 0, 0);
        care.tick(0);
        readingAt(1);
        assertThat(probe.looks).hasValue(1);
    }

    @Test
    void anXidFromBothSourcesIsOneFaultOfTheRightGpu() {
        readingAt(0);
        probe.ear.onXid("GPU-1", 79);
        probe.ear.onXid(new PciAddress(0, 6, 0), 79);
        probe.ear.onXid(new PciAddress(0, 9, 9), 79);
        assertThat(told)
                .containsExactly(
                        new Fact.GpuFaultFound(
                                CARD.id(),
                                GpuFault.Kind.XID,
                                "Xid 79: GPU has fallen off the bus"));
        probe.health = Optional.of(List.of(healthOf(2, false)));
        readingAt(10);
        assertThat(told).hasSize(2).last().asString().contains("2 uncorrected");
    }

    @Test
    void aGoodGpuPassesItsTestOnce() {
        care.startTest(CARD.id());
        care.startTest(CARD.id());
        for (int second = 0; second < 4; second++) {
            readingAt(second);
        }
        eventually("it has passed", () -> !told.isEmpty());
        readingAt(5);
        assertThat(told).containsExactly(new Fact.GpuTested(CARD.id(), Optional.empty()));
        care.startTest(CARD.id());
        now.set(Duration.ofSeconds(60).toNanos());
        care.tick(now.get());
        assertThat(told).hasSize(2).last().asString().contains("not been read");
    }

    @Test
    void aFaultDuringTheTestRestartsItAndALastingOneFailsIt() {
        care.startTest(CARD.id());
        readingAt(0);
        readingAt(1);
        readingAt(2);
        probe.ear.onXid("GPU-1", 48);
        readingAt(3);
        readingAt(4);
        assertThat(told).as("its sign alone").hasSize(1);
        probe.health = Optional.of(List.of(healthOf(0, true)));
        for (int second = 5; second <= 30; second++) {
            readingAt(second);
        }
        assertThat(told)
                .filteredOn(Fact.GpuTested.class::isInstance)
                .singleElement()
                .asString()
                .contains("reset");
    }

    @Test
    void withoutHealthReadingsAndTestDecide() {
        probe.health = Optional.empty();
        care.close();
        care("echo 'it burns'; exit 1");
        care.startTest(CARD.id());
        for (int second = 0; second < 4; second++) {
            readingAt(second);
        }
        eventually("it has failed", () -> !told.isEmpty());
        assertThat(told).containsExactly(new Fact.GpuTested(CARD.id(), Optional.of("it burns")));
    }

    @Test
    void aSimulatedGpuNeedsNoTestRun() {
        probe.isImmediate = true;
        care.close();
        care("exit 1");
        care.startTest(CARD.id());
        for (int second = 0; second < 4; second++) {
            readingAt(second);
        }
        assertThat(told).containsExactly(new Fact.GpuTested(CARD.id(), Optional.empty()));
        assertThat(probe.looks).hasValue(0);
    }

    /** Also waits for the health reading that follows, if there is one. */
    private void readingAt(long second) {
        long at = Duration.ofSeconds(second).toNanos();
        now.set(at);
        var reading =
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(1000),
                        OptionalInt.of(0),
                        OptionalInt.of(30));
        care.onReading(List.of(new GpuState.Readable(CARD, reading)), true, at, at);
        eventually("its health is read", () -> !care.isReadPending());
    }

    private static GpuHealth healthOf(long errors, boolean isPending) {
        return new GpuHealth(
                "GPU-1",
                Optional.of(new PciAddress(0, 6, 0)),
                OptionalLong.of(errors),
                isPending,
                false,
                false,
                Optional.empty());
    }
}
