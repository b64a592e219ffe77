package dev.berth.app.bench;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.engine.EngineState;
import dev.berth.port.Change;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;

/**
 * Simulated states of a machine. Each GPU runs one task of several hours after another. Load
 * changes every second as in training, memory varies a little, temperature changes slowly.
 */
final class SampledMachine {

    static final int GPUS = 64;

    private static final long TOTAL_MIB = 81_559;
    private static final long CONTEXT_MIB = 520;

    /** Each second shows one of these states, so that no two minutes are alike. */
    private static final int STATES = 120;

    private static final int HOUR = 60;
    private static final int TASK_HOURS = 6;

    private final Random random = new Random(GPUS);
    private final List<EngineState> states = new ArrayList<>();
    private final List<Attempt> running = new ArrayList<>();
    private EngineState claimed;
    private long lastTask;

    SampledMachine(EngineState empty) {
        claimed = empty;
        for (int index = 0; index < GPUS; index++) {
            running.add(attempt(index, Instant.EPOCH));
            claimed = claimed.apply(new Change.AttemptSaved(running.get(index)));
        }
    }

    static GpuId gpu(int index) {
        return new GpuId("here", "GPU-%08x-bench".formatted(index));
    }

    long tasks() {
        return lastTask;
    }

    /** Tasks end and start on the hour. */
    void minute(int minute, Instant now) {
        if (minute % HOUR != 0) {
            return;
        }
        for (int index = 0; index < GPUS; index++) {
            if ((minute / HOUR + index) % TASK_HOURS == 0) {
                var end = new PhaseTransition.End(new Ending.Exited(0), now);
                claimed = claimed.apply(new Change.AttemptSaved(running.get(index).after(end)));
                running.set(index, attempt(index, now));
                claimed = claimed.apply(new Change.AttemptSaved(running.get(index)));
            }
        }
        states.clear();
        for (int i = 0; i < STATES; i++) {
            states.add(read());
        }
    }

    EngineState second() {
        return states.get(random.nextInt(STATES));
    }

    private Attempt attempt(int index, Instant now) {
        return new Attempt(
                new AttemptId(new TaskId(++lastTask), 1),
                "here",
                1,
                "boot",
                List.of(new Claim(gpu(index), 0, true)),
                now,
                new Phase.Starting());
    }

    private EngineState read() {
        var state = claimed;
        for (int index = 0; index < GPUS; index++) {
            var gpu = new Gpu(gpu(index), index, "bench", TOTAL_MIB);
            long base = 10_000 + lastTask * 7919 % 60_000;
            state = state.with(new GpuState.Readable(gpu, reading(base, running.get(index))));
        }
        return state;
    }

    private GpuReading reading(long base, Attempt attempt) {
        long used = base + random.nextInt(800);
        int percent = random.nextInt(8) == 0 ? random.nextInt(101) : 90 + random.nextInt(11);
        var process =
                new GpuProcess(
                        4711,
                        OptionalLong.of(used - CONTEXT_MIB),
                        GpuProcess.Kind.COMPUTE,
                        "python",
                        new ProcessOwner.BerthAttempt(attempt.id()),
                        Optional.empty());
        return new GpuReading(
                OptionalLong.of(used),
                OptionalLong.of(TOTAL_MIB - used),
                OptionalInt.of(percent),
                OptionalInt.of(60 + random.nextInt(6)),
                OptionalInt.of(percent),
                Optional.of(List.of(process)));
    }
}
