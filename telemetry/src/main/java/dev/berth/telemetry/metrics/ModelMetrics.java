package dev.berth.telemetry.metrics;

import dev.berth.core.model.WarmWorker;
import dev.berth.engine.EngineState;

import java.util.TreeMap;

/** Metrics of models and of the workers that keep them loaded. */
final class ModelMetrics {

    private ModelMetrics() {}

    static void write(PrometheusText out, EngineState state) {
        var workers = state.sinceStart().workers();
        var loaded = new TreeMap<String, Integer>();
        workers.models().forEach(entry -> loaded.put(entry.getKey(), 0));
        workers.all()
                .filter(worker -> worker.status() == WarmWorker.Status.READY)
                .forEach(worker -> loaded.merge(worker.model(), 1, Integer::sum));
        var gauge = out.gauge("berth_model_workers", "Workers that have the model loaded.");
        loaded.forEach((model, count) -> gauge.add(count, "model", model));
        var hits = out.counter("berth_model_hits_total", "Tasks that found their model loaded.");
        var misses = out.counter("berth_model_misses_total", "Tasks that had to load their model.");
        var evictions =
                out.counter(
                        "berth_model_evictions_total",
                        "Workers that were ended because others needed their GPU.");
        var load = out.gauge("berth_model_load_seconds", "Time of the last load of the model.");
        var setAside =
                out.gauge(
                        "berth_model_set_aside",
                        "1 if the workers of the model fail, so that none is started.");
        for (var entry : workers.models()) {
            var model = entry.getKey();
            var record = entry.getValue();
            hits.add(record.uses().hits(), "model", model);
            misses.add(record.uses().misses(), "model", model);
            evictions.add(record.uses().evictions(), "model", model);
            record.loadTime().ifPresent(time -> load.add(time.toMillis() / 1000.0, "model", model));
            setAside.add(record.setAside().isPresent() ? 1 : 0, "model", model);
        }
    }
}
