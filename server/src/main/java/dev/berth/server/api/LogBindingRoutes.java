package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.lane.Mode;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.lane.CommandFiles;
import dev.berth.server.lane.LogBindings;
import dev.berth.server.lane.LogEnd;
import dev.berth.server.lane.LogPlaces;
import dev.berth.wire.LogBind;
import dev.berth.wire.LogBinding;
import dev.berth.wire.LogContent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Logs that tasks of command files write by themselves. */
final class LogBindingRoutes {

    private static final Param<Long> QUEUE_ID =
            Param.number("queue_id", "the queue in that file", 0, Integer.MAX_VALUE);
    private static final Param<Long> TASK_INDEX =
            Param.number(
                    "task_index", "the task in that queue, counted from 0", 0, Integer.MAX_VALUE);
    private static final Param<Long> TAIL =
            Param.number("tail", "the last so many lines; 100 unless stated", 1, LogEnd.MOST_LINES);
    private static final Param<String> PATH =
            Param.text("path", "the file, absolute or from the server's home");

    private static final Doc BIND_DOC =
            Doc.of("Binds a log file to one task of a command file; an empty path takes it away")
                    .taking(LogBind.class)
                    .giving(200, LogBinding.class)
                    .refusing(400, 403, 409, 422, 503, 507);

    private static final Doc BINDINGS_DOC =
            Doc.of("All log files that are bound to tasks of command files")
                    .givingMany(200, LogBinding.class)
                    .refusing(503);

    private static final Doc CONTENT_DOC =
            Doc.of("The end of the log that is bound to a task of a command file")
                    .asking(
                            CommandRoutes.MODE,
                            CommandRoutes.CONFIG_INDEX,
                            QUEUE_ID,
                            TASK_INDEX,
                            TAIL)
                    .giving(200, LogContent.class)
                    .refusing(400, 403, 404, 422, 503);

    private static final Doc READ_DOC =
            Doc.of("The end of a log file, by its path")
                    .asking(PATH, TAIL)
                    .giving(200, LogContent.class)
                    .refusing(400, 403, 404, 422, 503);

    private final Desk desk;
    private final LogBindings bindings;
    private final LogPlaces places;

    LogBindingRoutes(Desk desk) {
        this.desk = desk;
        this.bindings = desk.lanes().bindings();
        this.places = desk.lanes().places();
    }

    List<Route> routes() {
        return List.of(
                Route.post(PathPattern.of("/api/log/bind"), Access.SERVED, BIND_DOC, this::bind),
                Route.get(
                        PathPattern.of("/api/log/bindings"),
                        Access.SERVED,
                        BINDINGS_DOC,
                        _ -> Answer.ok(all())),
                Route.get(
                        PathPattern.of("/api/log/content"),
                        Access.SERVED,
                        CONTENT_DOC,
                        this::content),
                Route.get(PathPattern.of("/api/log/read"), Access.ADMIN, READ_DOC, this::read));
    }

    private Answer bind(Call call) throws Refused {
        var fields = call.body().fields();
        fields.expect(
                Set.of("mode", "config_index", "queue_id", "task_index", "log_path"), Set.of());
        var mode = CommandRoutes.MODE.read(fields.requiredText("mode"));
        int config = number(fields, "config_index", CommandFiles.LAST_INDEX);
        int queue = number(fields, "queue_id", Integer.MAX_VALUE);
        int task = number(fields, "task_index", Integer.MAX_VALUE);
        var path = fields.requiredText("log_path").strip();
        try {
            if (path.isEmpty()) {
                var none = new LogBinding(mode, config, queue, task, path, null);
                bindings.unbind(none);
                return Answer.ok(none);
            }
            checkBindable(path);
            var now = Times.text(desk.engine().now());
            var binding = new LogBinding(mode, config, queue, task, path, now);
            bindings.bind(binding);
            return Answer.ok(binding);
        } catch (LogBindings.Full _) {
            throw new Refused(
                    Rejected.conflict(
                            "log.too_many",
                            "There are as many bindings as fit. Take some away first, by an empty"
                                    + " log_path."));
        } catch (IOException e) {
            throw LaneTrouble.refused("Keeping the log bindings", e);
        }
    }

    private List<LogBinding> all() throws Refused {
        try {
            return bindings.all();
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading the log bindings", e);
        }
    }

    private Answer content(Call call) throws Refused {
        var mode = Mode.of(required(call, CommandRoutes.MODE)).orElseThrow();
        int config = Math.toIntExact(call.query(CommandRoutes.CONFIG_INDEX).orElse(0L));
        int queue = Math.toIntExact(required(call, QUEUE_ID));
        int task = Math.toIntExact(required(call, TASK_INDEX));
        int tail = tail(call);
        try {
            var bound = bindings.find(mode, config, queue, task);
            if (bound.isEmpty()) {
                throw new Refused(
                        Rejected.unknown(
                                "log.unbound",
                                "No log file is bound to task "
                                        + task
                                        + " of queue "
                                        + queue
                                        + " in "
                                        + CommandFiles.name(mode, config)
                                        + "."));
            }
            var path = bound.get().logPath();
            return end(path, places.bound(path), tail);
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading the log bindings", e);
        }
    }

    private Answer read(Call call) throws Refused {
        var path = required(call, PATH);
        return end(path, places.read(path), tail(call));
    }

    /** What is not there yet may be bound, since the task will make it. */
    private void checkBindable(String path) throws Refused {
        switch (places.bound(path)) {
            case LogPlaces.Found.File _, LogPlaces.Found.Absent _ -> {}
            case LogPlaces.Found.NoFile _ -> throw noFile("log_path");
            case LogPlaces.Found.NoPath _ -> throw noPath("log_path");
            case LogPlaces.Found.Outside _ ->
                    throw outside(
                            "A bound log lies in the home's logs/, in one of log_roots or in the"
                                    + " lanes' work_dir outside the home, links followed, and is"
                                    + " not the server's own log. This path does not lead to"
                                    + " one.");
        }
    }

    private static Answer end(String path, LogPlaces.Found found, int tail) throws Refused {
        return switch (found) {
            case LogPlaces.Found.File(Path file) -> {
                try {
                    var end = LogEnd.of(file, tail);
                    yield Answer.ok(new LogContent(path, end.lines(), end.truncated()));
                } catch (IOException e) {
                    throw LaneTrouble.refused("Reading the log file", e);
                }
            }
            case LogPlaces.Found.Absent _ ->
                    throw new Refused(
                            Rejected.unknown(
                                            "log.absent",
                                            "The log file "
                                                    + path
                                                    + " is not there. It may not have been written"
                                                    + " yet.")
                                    .with("path", path));
            case LogPlaces.Found.NoFile _ -> throw noFile("path");
            case LogPlaces.Found.NoPath _ -> throw noPath("path");
            case LogPlaces.Found.Outside _ ->
                    throw outside(
                            "Logs are read in the home's logs/ and in the directories of log_roots,"
                                    + " links followed. This path leads elsewhere.");
        };
    }

    private static Refused noFile(String field) {
        return new Refused(
                Rejected.impossible(
                        "log.no_file", field, "This is a directory or a device, no log file."));
    }

    private static Refused noPath(String field) {
        return Refused.invalid(field + ".invalid", field, field + " is the path of a file.");
    }

    private static Refused outside(String detail) {
        return new Refused(Rejected.forbidden("log.outside", detail));
    }

    private static int tail(Call call) throws Refused {
        return Math.toIntExact(call.query(TAIL).orElse(100L));
    }

    private static int number(JsonFields fields, String name, int max) throws Refused {
        var number = fields.wholeNumber(name, 0, max);
        if (number.isEmpty()) {
            throw Refused.invalid("field.missing", name, name + " is missing.");
        }
        return number.getAsInt();
    }

    private static <T> T required(Call call, Param<T> param) throws Refused {
        var value = call.query(param);
        if (value.isEmpty()) {
            throw Refused.invalid("parameter.missing", param.name(), param.name() + " is missing.");
        }
        return value.get();
    }
}
