package dev.berth.port.event;

import static dev.berth.port.event.StoredField.smallNumber;
import static dev.berth.port.event.StoredField.text;

import dev.berth.port.event.NodeAlert.ModelSetAside;
import dev.berth.port.event.NodeAlert.WorkerOffline;
import dev.berth.port.event.WorkerPayload.ModelRemoved;
import dev.berth.port.event.WorkerPayload.ModelSaved;
import dev.berth.port.event.WorkerPayload.WorkerEnded;
import dev.berth.port.event.WorkerPayload.WorkerLoading;
import dev.berth.port.event.WorkerPayload.WorkerReady;
import dev.berth.port.event.WorkerPayload.WorkerUnloading;

import java.time.Duration;
import java.util.List;

/** The stored forms of events and alerts about workers. */
final class WorkerForms {

    private static final StoredField<String> MODEL = text("model");
    private static final StoredField<Integer> GPU = smallNumber("gpu_id");
    private static final StoredField<String> WHY = text("why");
    private static final StoredField<String> ERROR = text("error");
    private static final StoredField<Duration> LOAD_TIME =
            StoredField.of(
                    "load_ms",
                    text -> Duration.ofMillis(Long.parseLong(text)),
                    time -> Long.toString(time.toMillis()));

    private WorkerForms() {}

    static List<PayloadForm<?>> all() {
        return List.of(
                new PayloadForm<>(
                        "worker.loading",
                        WorkerLoading.class,
                        in -> new WorkerLoading(in.get(MODEL), in.get(GPU)),
                        (it, out) -> out.put(MODEL, it.model()).put(GPU, it.gpu())),
                new PayloadForm<>(
                        "worker.ready",
                        WorkerReady.class,
                        in -> new WorkerReady(in.get(MODEL), in.get(GPU), in.get(LOAD_TIME)),
                        (it, out) ->
                                out.put(MODEL, it.model())
                                        .put(GPU, it.gpu())
                                        .put(LOAD_TIME, it.loadTime())),
                new PayloadForm<>(
                        "worker.unloading",
                        WorkerUnloading.class,
                        in -> new WorkerUnloading(in.get(MODEL), in.get(GPU), in.get(WHY)),
                        (it, out) ->
                                out.put(MODEL, it.model()).put(GPU, it.gpu()).put(WHY, it.why())),
                new PayloadForm<>(
                        "worker.ended",
                        WorkerEnded.class,
                        in -> new WorkerEnded(in.get(MODEL), in.get(GPU), in.get(ERROR)),
                        (it, out) ->
                                out.put(MODEL, it.model())
                                        .put(GPU, it.gpu())
                                        .put(ERROR, it.error())),
                new PayloadForm<>(
                        "model.saved",
                        ModelSaved.class,
                        in -> new ModelSaved(in.get(MODEL)),
                        (it, out) -> out.put(MODEL, it.model())),
                new PayloadForm<>(
                        "model.removed",
                        ModelRemoved.class,
                        in -> new ModelRemoved(in.get(MODEL)),
                        (it, out) -> out.put(MODEL, it.model())),
                new PayloadForm<>(
                        "alert.worker_offline",
                        WorkerOffline.class,
                        in -> new WorkerOffline(in.get(MODEL), in.get(GPU), in.get(WHY)),
                        (it, out) ->
                                out.put(MODEL, it.model()).put(GPU, it.gpu()).put(WHY, it.why())),
                new PayloadForm<>(
                        "alert.model_set_aside",
                        ModelSetAside.class,
                        in -> new ModelSetAside(in.get(MODEL), in.get(WHY)),
                        (it, out) -> out.put(MODEL, it.model()).put(WHY, it.why())));
    }
}
