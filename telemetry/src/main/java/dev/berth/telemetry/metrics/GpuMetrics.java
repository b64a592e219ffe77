package dev.berth.telemetry.metrics;

import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.engine.EngineState;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Metrics of GPUs, by index. A value that the driver does not report is omitted rather than 0. */
final class GpuMetrics {

    private static final double MIB = 1 << 20;

    private final PrometheusText out;
    private final EngineState state;

    /** A removed GPU may have had the same index as a present one. */
    private final SortedMap<String, GpuState> gpus = new TreeMap<>();

    GpuMetrics(PrometheusText out, EngineState state) {
        this.out = out;
        this.state = state;
        state.gpus().values().forEach(card -> gpus.merge(index(card), card, GpuMetrics::readable));
    }

    private static String index(GpuState card) {
        return Integer.toString(card.gpu().index());
    }

    private static GpuState readable(GpuState one, GpuState other) {
        return one.isReadable() ? one : other;
    }

    void write(LabelCounters tasks) {
        addReadings(
                out.gauge("gpu_memory_used_bytes", "Used memory of the GPU."),
                reading -> bytes(reading.usedMib()));
        var total = out.gauge("gpu_memory_total_bytes", "Total memory of the GPU.");
        gpus.forEach((gpu, card) -> total.add(card.gpu().totalMib() * MIB, "gpu", gpu));
        addReadings(
                out.gauge("gpu_utilization_percent", "Utilization of the GPU, from 0 to 100."),
                reading -> number(reading.utilizationPercent()));
        addReadings(
                out.gauge("gpu_temperature_celsius", "Temperature of the GPU."),
                reading -> number(reading.temperatureC()));
        var given = out.counter("gpu_tasks_total", "Tasks started on the GPU.");
        gpus.keySet().forEach(gpu -> given.add(tasks.countOf(gpu), "gpu", gpu));
        var up = out.gauge("berth_gpu_up", "1 if the card can be read, 0 if it cannot.");
        gpus.forEach((gpu, card) -> up.add(card.isReadable() ? 1 : 0, "gpu", gpu));
        faults();
    }

    private void addReadings(
            PrometheusText.MetricFamily family, Function<GpuReading, OptionalDouble> value) {
        for (Map.Entry<String, GpuState> entry : gpus.entrySet()) {
            if (entry.getValue() instanceof GpuState.Readable(_, var reading)) {
                value.apply(reading).ifPresent(one -> family.add(one, "gpu", entry.getKey()));
            }
        }
    }

    /** Includes faults of a GPU whose index another GPU has now. */
    private void faults() {
        var kinds = new TreeMap<String, SortedSet<String>>();
        for (var fault : state.durable().faults().values().toList()) {
            state.gpus()
                    .get(fault.gpu())
                    .map(GpuMetrics::index)
                    .map(gpu -> kinds.computeIfAbsent(gpu, _ -> new TreeSet<>()))
                    .ifPresent(there -> there.add(fault.kind().code()));
        }
        var family =
                out.gauge(
                        "berth_gpu_fault",
                        "1 for a GPU that is quarantined, by what was noticed; nothing for"
                                + " others.");
        kinds.forEach((gpu, all) -> all.forEach(kind -> family.add(1, "gpu", gpu, "kind", kind)));
    }

    private static OptionalDouble bytes(OptionalLong mib) {
        return mib.isPresent() ? OptionalDouble.of(mib.getAsLong() * MIB) : OptionalDouble.empty();
    }

    private static OptionalDouble number(OptionalInt value) {
        return value.isPresent() ? OptionalDouble.of(value.getAsInt()) : OptionalDouble.empty();
    }
}
