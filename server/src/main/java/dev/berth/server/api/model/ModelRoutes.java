package dev.berth.server.api.model;

import dev.berth.core.Rejected;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.GpuWorker;
import dev.berth.wire.ModelInfo;
import dev.berth.wire.ModelPlace;
import dev.berth.wire.ModelSave;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Lists models and workers; adds, changes, removes, loads and unloads models. */
public final class ModelRoutes {

    private static final int MAX_NAME_LENGTH = 100;

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
    private final ModelRequest requests;

    public ModelRoutes(EngineClient engine, ModelJson models, ModelRequest requests) {
        this.engine = engine;
        this.models = models;
        this.requests = requests;
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
                Route.put(ONE, AccessLevel.USER, SAVE_DOC, this::save),
                Route.delete(ONE, AccessLevel.USER, REMOVE_DOC, this::remove),
                Route.post(LOAD, AccessLevel.ADMIN, LOAD_DOC, this::load),
                Route.post(UNLOAD, AccessLevel.USER, UNLOAD_DOC, this::unload));
    }

    /** How a model is started, and why its workers failed, is for its owner and admins. */
    private ModelInfo visible(ModelInfo model, Caller caller) {
        return isChangeable(model.name(), caller) ? model : ModelJson.withoutDetails(model);
    }

    private boolean isChangeable(String name, Caller caller) {
        return caller.isAdmin()
                || engine.models()
                        .find(name)
                        .flatMap(model -> model.access().owner())
                        .filter(caller.owner()::equals)
                        .isPresent();
    }

    /** The model if the caller may change it. */
    private ModelInfo changeable(String name, Caller caller) throws RejectedException {
        var model = found(name);
        if (!isChangeable(name, caller)) {
            throw new RejectedException(Rejected.forbidden("model.foreign").with("model", name));
        }
        return model;
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
        var name = name(call.path(NAME));
        var known = engine.models().find(name);
        if (known.isPresent()) {
            var _ = changeable(name, call.caller());
        }
        var model = requests.read(name, call.body().fields(), call.caller(), known);
        done(call, new EngineCommand.SaveModel(engine.now(), owner, model));
        return RouteResponse.ok(found(model.name()));
    }

    private static String name(String name) throws RejectedException {
        if (!name.matches("[\\p{L}\\p{N}._+-]{1," + MAX_NAME_LENGTH + "}")) {
            throw new RejectedException(
                    Rejected.invalid("model.name", "name").with("max", MAX_NAME_LENGTH));
        }
        return name;
    }

    private RouteResponse remove(RouteRequest call) throws RejectedException {
        var model = changeable(call.path(NAME), call.caller());
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
        var name = changeable(call.path(NAME), call.caller()).name();
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
