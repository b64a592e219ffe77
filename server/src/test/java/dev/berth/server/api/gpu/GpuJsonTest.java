package dev.berth.server.api.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineLoop;
import dev.berth.port.Change;
import dev.berth.port.Failpoints;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.ForecastCache;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;

class GpuJsonTest {

    private static final int GPUS = 100;

    /** A node may have a thousand: what they have in common is computed once. */
    @Test
    void allGpusOfAResponseAreSeenAtOneMoment() throws Exception {
        var store = new MemoryStore();
        store.open();
        var gpus = new ArrayList<Change>();
        for (int index = 0; index < GPUS; index++) {
            var id = new GpuId("local", "GPU-%03d".formatted(index));
            gpus.add(new Change.GpuSaved(new Gpu(id, index, "Simulated", 24576)));
        }
        store.commit(gpus);
        var caller = Thread.currentThread();
        var reads = new AtomicInteger();
        InstantSource clock =
                () -> {
                    if (Thread.currentThread().equals(caller)) {
                        reads.incrementAndGet();
                    }
                    return Instant.parse("2026-01-01T12:00:00Z");
                };
        var parts =
                new Engine.Parts(
                        store,
                        new FakeNode(),
                        new Planner(SchedulingRules.DEFAULT),
                        Failpoints.NONE);
        try (var loop = EngineLoop.start(clock, _ -> Engine.recover(parts, 0, clock.instant()))) {
            var json =
                    new GpuJson(
                            new EngineClient(
                                    loop,
                                    new ForecastCache(loop, Runnable::run, System::nanoTime)));
            reads.set(0);
            assertThat(json.all(true)).hasSize(GPUS);
            assertThat(reads).hasValue(1);
        }
    }
}
