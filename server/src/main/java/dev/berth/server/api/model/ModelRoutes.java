package dev.berth.server.api.model;

import dev.berth.core.Rejected;
import dev.berth.core.model.Model;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.JsonFields;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.server.api.task.WorkingDirectories;
import dev.berth.wire.GpuWorker;
import dev.berth.wire.ModelInfo;
import dev.berth.wire.ModelPlace;
import dev.berth.wire.ModelSave;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;

/** Lists models and workers; adds, changes, removes, loads and unloads models. */
public final class ModelRoutes {

    private static final int MAX_NAME_LENGTH = 100;
    private static final int MAX_WORKER_BYTES = 64 << 10;
    private static final int MAX_MEMORY_MB = 10_000_000;
    private static final int MAX_IDLE_SECONDS = 365 * 24 * 3600;
    private static final int DEFAULT_MEMORY_MB = 4000;

    private static final Param<String> NAME = Param.text("name", "the model");
    private static final PathPattern ALL = PathPattern.of("/api/models");
    private static final PathPattern ONE = PathPattern.of("/api/models/{name}", NAME);
    private static final PathPattern LOAD = PathPattern.of("/api/models/{name}/load", NAME);
    private static final PathPattern UNLOAD = PathPattern.of("/api/models/{name}/unload", NAME);
    private static final PathPattern WORKERS = PathPattern.of("/api/workers");

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("All models that have workers, and where they are loaded")
                    .withListResponse(200, ModelInfo.class);

    private static final RouteDoc ONE_DOC =
            RouteDoc.of("One model and its workers")
                    .withResponse(200, ModelInfo.class)
                    .withErrors(404);

    private static final RouteDoc SAVE_DOC =
            RouteDoc.of("Adds a model, or changes it; its workers are started anew")
                    .withBody(ModelSave.class)
                    .withResponse(200, ModelInfo.class)
                    .withErrors(400, 409, 413, 422, 503, 507);

    private static final RouteDoc REMOVE_DOC =
            RouteDoc.of("Removes a model that no unfinished task names, and ends its workers")
                    .withResponse(200, ModelInfo.class)
                    .withErrors(404, 409, 503, 507);

    private static final RouteDoc LOAD_DOC =
            RouteDoc.of("Starts a worker on a GPU that has room, ahead of the first task")
                    .withBody(ModelPlace.class)
                    .withResponse(200, ModelInfo.class)
                    .withErrors(400, 404, 409, 422, 503, 507);

    private static final RouteDoc UNLOAD_DOC =
            RouteDoc.of("Ends the workers of a model that run no task")
                    .withBody(ModelPlace.class)
                    .withResponse(200, ModelInfo.class)
                    .withErrors(400, 404, 409, 422, 503, 507);

    private static final RouteDoc WORKERS_DOC =
            RouteDoc.of("What runs on each GPU: its task and its model workers")
                    .withListResponse(200, GpuWorker.class);

    private final EngineClient engine;
    private final ModelJson models;
    private final WorkingDirectories workDirs;

    public ModelRoutes(EngineClient engine, ModelJson models, WorkingDirectories workDirs) {
        this.engine = engine;
        this.models = models;
        this.workDirs = workDirs;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        WORKERS,
                        AccessLevel.SERVED,
                        WORKERS_DOC,
                        _ -> RouteResponse.ok(models.gpuWorkers())),
                Route.get(
                        ALL,
                        AccessLevel.SERVED,
                        LIST_DOC,
                        call ->
                                RouteResponse.ok(
                                        models.all().stream()
                                                .map(one -> visible(one, call.caller()))
                                                .toList())),
                Route.get(
                        ONE,
                        AccessLevel.SERVED,
                        ONE_DOC,
                        call -> RouteResponse.ok(visible(found(call.path(NAME)), call.caller()))),
                Route.put(ONE, AccessLevel.ADMIN, SAVE_DOC, this::save),
                Route.delete(ONE, AccessLevel.ADMIN, REMOVE_DOC, this::remove),
                Route.post(LOAD, AccessLevel.ADMIN, LOAD_DOC, this::load),
                Route.post(UNLOAD, AccessLevel.ADMIN, UNLOAD_DOC, this::unload));
    }

    /** How a model is started, and why its workers failed, is the admins' business. */
    private static ModelInfo visible(ModelInfo model, Caller caller) {
        return caller.isAdmin() ? model : ModelJson.withoutDetails(model);
    }

    private ModelInfo found(String name) throws RejectedException {
        return models.find(name)
                .orElseThrow(
                        () ->
                                new RejectedException(
                                        Rejected.notFound("model.unknown").with("model", name)));
    }

    private RouteResponse save(RouteRequest call) throws RejectedException {
        var owner = call.caller().owner();
        var model = model(name(call.path(NAME)), call.body().fields(), owner);
        done(call, new EngineCommand.SaveModel(engine.now(), owner, model));
        return RouteResponse.ok(found(model.name()));
    }

    private Model model(String name, JsonFields fields, Owner owner) throws RejectedException {
        fields.requireKnown(
                Set.of("worker", "memory_mb", "prewarm", "env", "work_dir", "idle_seconds"),
                Set.of());
        var idle = fields.wholeNumber("idle_seconds", 1, MAX_IDLE_SECONDS);
        return new Model(
                name,
                worker(fields),
                fields.wholeNumber("memory_mb", 1, MAX_MEMORY_MB).orElse(DEFAULT_MEMORY_MB),
                fields.flag("prewarm"),
                environment(name, fields),
                workDirs.of(fields.text("work_dir"), owner),
                idle.isPresent()
                        ? Optional.of(Duration.ofSeconds(idle.getAsInt()))
                        : Optional.empty());
    }

    /** A reader never sees the values, so whoever changes another field keeps them. */
    private SortedMap<String, String> environment(String name, JsonFields fields)
            throws RejectedException {
        var known = engine.models().find(name);
        return known.isPresent() && fields.isAbsent("env")
                ? known.get().environment()
                : TaskRequest.environment(fields);
    }

    private static String worker(JsonFields fields) throws RejectedException {
        var worker = fields.requiredText("worker").strip();
        int bytes = worker.getBytes(StandardCharsets.UTF_8).length;
        if (worker.isEmpty() || bytes > MAX_WORKER_BYTES) {
            throw new RejectedException(
                    Rejected.invalid("worker.invalid", "worker").with("max", MAX_WORKER_BYTES));
        }
        return worker;
    }

    private static String name(String name) throws RejectedException {
        if (!name.matches("[\\p{L}\\p{N}._+-]{1," + MAX_NAME_LENGTH + "}")) {
            throw new RejectedException(
                    Rejected.invalid("model.name", "name").with("max", MAX_NAME_LENGTH));
        }
        return name;
    }

    private RouteResponse remove(RouteRequest call) throws RejectedException {
        var model = found(call.path(NAME));
        done(
                call,
                new EngineCommand.RemoveModel(engine.now(), call.caller().owner(), model.name()));
        return RouteResponse.ok(model);
    }

    private RouteResponse load(RouteRequest call) throws RejectedException {
        var name = call.path(NAME);
        done(
                call,
                new EngineCommand.LoadModel(engine.now(), call.caller().owner(), name, gpu(call)));
        return RouteResponse.ok(found(name));
    }

    private RouteResponse unload(RouteRequest call) throws RejectedException {
        var name = call.path(NAME);
        done(
                call,
                new EngineCommand.UnloadModel(
                        engine.now(), call.caller().owner(), name, gpu(call)));
        return RouteResponse.ok(found(name));
    }

    private static OptionalInt gpu(RouteRequest call) throws RejectedException {
        var fields = call.body().fields();
        fields.requireKnown(Set.of("gpu"), Set.of());
        return fields.wholeNumber("gpu", 0, Integer.MAX_VALUE);
    }

    private void done(RouteRequest call, EngineCommand.Request request) throws RejectedException {
        var reply = engine.request(request, call.caller().via());
        if (!(reply instanceof EngineReply.Done)) {
            throw EngineClient.rejection(reply);
        }
    }
}
