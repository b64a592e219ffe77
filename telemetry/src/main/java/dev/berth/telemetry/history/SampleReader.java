package dev.berth.telemetry.history;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.engine.EngineState;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory.Measure;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Takes samples of a GPU and of an attempt. A value that the driver does not report stays unknown.
 */
final class SampleReader {

    private static final long UNKNOWN = -1;

    private SampleReader() {}

    static void put(GpuReading reading, MinuteSamples into, int second) {
        put(into, second, Measure.MEMORY_MIB, reading.usedMib().orElse(UNKNOWN));
        put(into, second, Measure.PERCENT, percent(reading));
        put(into, second, Measure.CELSIUS, reading.temperatureC().orElse((int) UNKNOWN));
    }

    /** The total memory on all its GPUs, their mean utilization, and the highest temperature. */
    static void put(Attempt attempt, EngineState state, MinuteSamples into, int second) {
        long memory = 0;
        long load = 0;
        int loads = 0;
        long maxCelsius = UNKNOWN;
        for (var claim : attempt.claims()) {
            if (!(state.gpus().get(claim.gpu()).orElse(null)
                    instanceof GpuState.Readable(_, var reading))) {
                memory = UNKNOWN;
                continue;
            }
            long here = memory(attempt.id(), claim, reading, state);
            memory = memory == UNKNOWN || here == UNKNOWN ? UNKNOWN : memory + here;
            long percent = percent(reading);
            if (percent != UNKNOWN) {
                load += percent;
                loads++;
            }
            maxCelsius = Math.max(maxCelsius, reading.temperatureC().orElse((int) UNKNOWN));
        }
        put(into, second, Measure.MEMORY_MIB, memory);
        put(
                into,
                second,
                Measure.PERCENT,
                loads == 0 ? UNKNOWN : Math.round((double) load / loads));
        put(into, second, Measure.CELSIUS, maxCelsius);
    }

    private static void put(MinuteSamples into, int second, Measure measure, long value) {
        if (value != UNKNOWN) {
            into.put(second, measure, value);
        }
    }

    private static long percent(GpuReading reading) {
        OptionalInt mean = reading.meanUtilizationPercent();
        return (mean.isPresent() ? mean : reading.utilizationPercent()).orElse((int) UNKNOWN);
    }

    private static long memory(
            AttemptId attempt, Claim claim, GpuReading reading, EngineState state) {
        long own = reading.processes().map(all -> ownMemory(attempt, all)).orElse(UNKNOWN);
        if (own != UNKNOWN) {
            return own;
        }
        boolean isAlone = state.holds().get(claim.gpu()).orElse(List.of()).size() == 1;
        return isAlone ? reading.usedMib().orElse(UNKNOWN) : UNKNOWN;
    }

    /** Unknown if the driver lists a process of the attempt but not its memory. */
    private static long ownMemory(AttemptId attempt, List<GpuProcess> occupants) {
        long sum = 0;
        for (var occupant : occupants) {
            if (occupant.owner() instanceof ProcessOwner.BerthAttempt(var owner)
                    && owner.equals(attempt)) {
                OptionalLong used = occupant.usedMib();
                if (used.isEmpty()) {
                    return UNKNOWN;
                }
                sum += used.getAsLong();
            }
        }
        return sum;
    }
}
