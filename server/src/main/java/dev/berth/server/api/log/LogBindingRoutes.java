package dev.berth.server.api.log;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.FileMode;
import dev.berth.http.AccessLevel;
import dev.berth.http.JsonFields;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.LogAccess;
import dev.berth.runs.LogBindings;
import dev.berth.runs.LogFileTail;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.FileFailure;
import dev.berth.server.api.command.CommandFileRoutes;
import dev.berth.wire.LogBind;
import dev.berth.wire.LogBinding;
import dev.berth.wire.LogContent;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Log files that tasks of command files write themselves. */
public final class LogBindingRoutes {

    private static final Param<Long> QUEUE_ID =
            Param.number("queue_id", "the queue in that file", 0, Integer.MAX_VALUE);
    private static final Param<Long> TASK_INDEX =
            Param.number(
                    "task_index", "the task in that queue, counted from 0", 0, Integer.MAX_VALUE);
    private static final Param<Long> TAIL =
            Param.number(
                    "tail", "the number of last lines; 100 if unset", 1, LogFileTail.MAX_LINES);
    private static final Param<String> PATH =
            Param.text("path", "the file, absolute or from the server's home");

    private static final RouteDoc BIND_DOC =
            RouteDoc.of(
                            "Binds a log file to one task of a command file; an empty path removes"
                                    + " the binding")
                    .withBody(LogBind.class)
                    .withResponse(200, LogBinding.class)
                    .withErrors(400, 403, 409, 422, 503, 507);

    private static final RouteDoc BINDINGS_DOC =
            RouteDoc.of("All log files that are bound to tasks of command files")
                    .withListResponse(200, LogBinding.class)
                    .withErrors(503);

    private static final RouteDoc CONTENT_DOC =
            RouteDoc.of("The end of the log that is bound to a task of a command file")
                    .withQuery(
                            CommandFileRoutes.MODE,
                            CommandFileRoutes.CONFIG_INDEX,
                            QUEUE_ID,
                            TASK_INDEX,
                            TAIL)
                    .withResponse(200, LogContent.class)
                    .withErrors(400, 403, 404, 422, 503);

    private static final RouteDoc READ_DOC =
            RouteDoc.of("The end of a log file, by its path")
                    .withQuery(PATH, TAIL)
                    .withResponse(200, LogContent.class)
                    .withErrors(400, 403, 404, 422, 503);
    private final EngineClient engine;
    private final LogBindings bindings;
    private final LogAccess places;

    public LogBindingRoutes(EngineClient engine, LogBindings bindings, LogAccess places) {
        this.engine = engine;
        this.bindings = bindings;
        this.places = places;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(
                        PathPattern.of("/api/log/bind"), AccessLevel.ADMIN, BIND_DOC, this::bind),
                Route.get(
                        PathPattern.of("/api/log/bindings"),
                        AccessLevel.ADMIN,
                        BINDINGS_DOC,
                        _ -> RouteResponse.ok(all())),
                Route.get(
                        PathPattern.of("/api/log/content"),
                        AccessLevel.ADMIN,
                        CONTENT_DOC,
                        this::content),
                Route.get(
                        PathPattern.of("/api/log/read"), AccessLevel.ADMIN, READ_DOC, this::read));
    }

    private RouteResponse bind(RouteRequest call) throws RejectedException {
        var fields = call.body().fields();
        fields.requireKnown(
                Set.of("mode", "config_index", "queue_id", "task_index", "log_path"), Set.of());
        var mode = CommandFileRoutes.MODE.read(fields.requiredText("mode"));
        int config = number(fields, "config_index", CommandFiles.MAX_INDEX);
        int queue = number(fields, "queue_id", Integer.MAX_VALUE);
        int task = number(fields, "task_index", Integer.MAX_VALUE);
        var path = fields.requiredText("log_path").strip();
        try {
            if (path.isEmpty()) {
                var none = new LogBinding(mode, config, queue, task, path, null);
                bindings.unbind(none);
                return RouteResponse.ok(none);
            }
            checkBindable(path);
            var now = IsoTime.format(engine.now());
            var binding = new LogBinding(mode, config, queue, task, path, now);
            bindings.bind(binding);
            return RouteResponse.ok(binding);
        } catch (LogBindings.TooManyBindingsException _) {
            throw new RejectedException(Rejected.conflict("log.too_many"));
        } catch (IOException e) {
            throw FileFailure.rejection("log_bindings.json", e);
        }
    }

    private List<LogBinding> all() throws RejectedException {
        try {
            return bindings.all();
        } catch (IOException e) {
            throw FileFailure.rejection("log_bindings.json", e);
        }
    }

    private RouteResponse content(RouteRequest call) throws RejectedException {
        var mode = FileMode.parse(required(call, CommandFileRoutes.MODE)).orElseThrow();
        int config = Math.toIntExact(call.query(CommandFileRoutes.CONFIG_INDEX).orElse(0L));
        int queue = Math.toIntExact(required(call, QUEUE_ID));
        int task = Math.toIntExact(required(call, TASK_INDEX));
        int tail = tail(call);
        try {
            var bound = bindings.find(mode, config, queue, task);
            if (bound.isEmpty()) {
                throw new RejectedException(
                        Rejected.notFound("log.unbound")
                                .with("task", task)
                                .with("queue", queue)
                                .with("file", CommandFiles.fileNameOf(mode, config)));
            }
            var path = bound.get().logPath();
            return end(path, places.resolveBindable(path), tail);
        } catch (IOException e) {
            throw FileFailure.rejection("log_bindings.json", e);
        }
    }

    private RouteResponse read(RouteRequest call) throws RejectedException {
        var path = required(call, PATH);
        int tail = tail(call);
        try {
            return end(path, places.resolveReadable(path), tail);
        } catch (IOException e) {
            throw FileFailure.rejection(path, e);
        }
    }

    /** A file that does not exist yet may be bound: the task will create it. */
    private void checkBindable(String path) throws RejectedException, IOException {
        switch (places.resolveBindable(path)) {
            case LogAccess.LogPath.RegularFile _, LogAccess.LogPath.Absent _ -> {}
            case LogAccess.LogPath.NotRegularFile _ -> throw noFile("log_path");
            case LogAccess.LogPath.InvalidPath _ -> throw noPath("log_path");
            case LogAccess.LogPath.Outside _ ->
                    throw new RejectedException(Rejected.forbidden("log.outside").variant("bind"));
        }
    }

    private RouteResponse end(String path, LogAccess.LogPath found, int tail)
            throws RejectedException {
        return switch (found) {
            case LogAccess.LogPath.RegularFile file -> {
                try {
                    var end = places.tail(file, tail);
                    yield RouteResponse.ok(new LogContent(path, end.lines(), end.isTruncated()));
                } catch (IOException e) {
                    throw FileFailure.rejection(path, e);
                }
            }
            case LogAccess.LogPath.Absent _ ->
                    throw new RejectedException(Rejected.notFound("log.absent").with("path", path));
            case LogAccess.LogPath.NotRegularFile _ -> throw noFile("path");
            case LogAccess.LogPath.InvalidPath _ -> throw noPath("path");
            case LogAccess.LogPath.Outside _ ->
                    throw new RejectedException(Rejected.forbidden("log.outside"));
        };
    }

    private static RejectedException noFile(String field) {
        return new RejectedException(Rejected.impossible("log.no_file", field));
    }

    private static RejectedException noPath(String field) {
        return new RejectedException(Rejected.invalid(field + ".invalid", field).variant("path"));
    }

    private static int tail(RouteRequest call) throws RejectedException {
        return Math.toIntExact(call.query(TAIL).orElse(100L));
    }

    private static int number(JsonFields fields, String name, int max) throws RejectedException {
        var number = fields.wholeNumber(name, 0, max);
        if (number.isEmpty()) {
            throw RejectedException.invalid("field.missing", name);
        }
        return number.getAsInt();
    }

    private static <T> T required(RouteRequest call, Param<T> param) throws RejectedException {
        var value = call.query(param);
        if (value.isEmpty()) {
            throw RejectedException.invalid("parameter.missing", param.name());
        }
        return value.get();
    }
}
