package dev.berth.server.api.command;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.http.Sentences;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.CommandFiles.CommandFileEntry;
import dev.berth.runs.RunResources;
import dev.berth.server.api.FileFailure;
import dev.berth.wire.CommandConfig;
import dev.berth.wire.CommandDeleted;
import dev.berth.wire.CommandEntry;
import dev.berth.wire.CommandRefused;
import dev.berth.wire.CommandUpdate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads, replaces, creates and deletes command files. */
public final class CommandFileRoutes {

    public static final Param<String> MODE =
            Param.choice(
                    "mode",
                    "one GPU per task, or several",
                    Arrays.stream(FileMode.values()).map(FileMode::apiName).toList());
    public static final Param<Long> CONFIG_INDEX =
            Param.number(
                    "config_index",
                    "the index of the mode's file, from 0; 0 if unset",
                    0,
                    CommandFiles.MAX_INDEX);

    private static final Param<Long> INDEX =
            Param.number("index", "which of the mode's files", 0, CommandFiles.MAX_INDEX);

    /** Bounds the memory that one response with all files takes. */
    private static final long MAX_BYTES = 16L << 20;

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("The command files of a mode")
                    .withListResponse(200, CommandEntry.class)
                    .withErrors(422, 503);

    private static final RouteDoc ALL_DOC =
            RouteDoc.of("The command files of a mode with their content")
                    .withListResponse(200, CommandConfig.class)
                    .withErrors(413, 422, 503);

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of("A command file, as text and parsed")
                    .withQuery(CONFIG_INDEX)
                    .withResponse(200, CommandConfig.class)
                    .withErrors(404, 413, 422, 503);

    private static final RouteDoc REPLACE_DOC =
            RouteDoc.of("Replaces a command file; refused if a block is invalid")
                    .withQuery(CONFIG_INDEX)
                    .withBody(CommandUpdate.class)
                    .withResponse(200, CommandConfig.class)
                    .withResponse(400, CommandRefused.class)
                    .withErrors(404, 409, 413, 422, 503, 507);

    private static final RouteDoc NEW_DOC =
            RouteDoc.of("Creates another command file at the lowest free index")
                    .withBody(CommandUpdate.class)
                    .withResponse(201, CommandConfig.class)
                    .withResponse(400, CommandRefused.class)
                    .withErrors(413, 422, 503, 507);

    private static final RouteDoc DELETE_DOC =
            RouteDoc.of("Removes a command file; the others keep their index")
                    .withResponse(200, CommandDeleted.class)
                    .withErrors(400, 404, 409, 422, 503);

    private final CommandFiles files;
    private final RunResources lanes;
    private final CommandFileJson words;

    public CommandFileRoutes(RunResources lanes) {
        this.files = lanes.files();
        this.lanes = lanes;
        this.words = new CommandFileJson(lanes);
    }

    public List<Route> routes() {
        var one = PathPattern.of("/api/commands/{mode}", MODE);
        return List.of(
                Route.get(
                        PathPattern.of("/api/commands/{mode}/list", MODE),
                        AccessLevel.SERVED,
                        LIST_DOC,
                        this::list),
                Route.get(
                        PathPattern.of("/api/commands/{mode}/all", MODE),
                        AccessLevel.SERVED,
                        ALL_DOC,
                        this::all),
                Route.get(one, AccessLevel.SERVED, SHOW_DOC, this::show),
                Route.put(one, AccessLevel.USER, REPLACE_DOC, this::replace),
                Route.post(
                        PathPattern.of("/api/commands/{mode}/new", MODE),
                        AccessLevel.USER,
                        NEW_DOC,
                        this::create),
                Route.delete(
                        PathPattern.of("/api/commands/{mode}/{index}", MODE, INDEX),
                        AccessLevel.USER,
                        DELETE_DOC,
                        this::delete));
    }

    public static FileMode mode(RouteRequest call) throws RejectedException {
        return FileMode.parse(call.path(MODE)).orElseThrow();
    }

    private RouteResponse list(RouteRequest call) throws RejectedException {
        try {
            var entries = new ArrayList<CommandEntry>();
            for (var config : files.list(mode(call))) {
                entries.add(words.entry(config));
            }
            return RouteResponse.ok(entries);
        } catch (IOException e) {
            throw FileFailure.rejection("command/", e);
        }
    }

    private RouteResponse all(RouteRequest call) throws RejectedException {
        try {
            long bytes = 0;
            var configs = new ArrayList<CommandConfig>();
            for (var config : files.list(mode(call))) {
                var text = files.text(config);
                bytes += text.map(String::length).orElse(0);
                if (bytes > MAX_BYTES) {
                    throw new RejectedException(
                            RouteResponse.problem(413, "command.all_too_large"));
                }
                configs.add(words.config(config, text.orElse(null)));
            }
            return RouteResponse.ok(configs);
        } catch (IOException e) {
            throw FileFailure.rejection("command/", e);
        }
    }

    private RouteResponse show(RouteRequest call) throws RejectedException {
        var config = existing(mode(call), index(call));
        try {
            var text = files.text(config);
            if (text.isEmpty()) {
                throw tooLarge();
            }
            return RouteResponse.ok(words.config(config, text.get()));
        } catch (IOException e) {
            throw FileFailure.rejection(config.fileName(), e);
        }
    }

    private RouteResponse replace(RouteRequest call) throws RejectedException {
        var mode = mode(call);
        int index = index(call);
        var found = find(mode, index);
        if (found.isEmpty() && index > 0) {
            throw missing(mode, index);
        }
        var text = CommandFileRequest.text(mode, call.largeBody().fields());
        if (text.isEmpty()) {
            throw new RejectedException(
                    Rejected.invalid("field.missing", "content").variant("content"));
        }
        check(mode, text.get());
        try {
            if (found.isPresent()) {
                files.replace(found.get(), text.get());
                return RouteResponse.ok(words.config(found.get(), text.get()));
            }
            return RouteResponse.ok(words.config(files.createFirst(mode, text.get()), text.get()));
        } catch (FileAlreadyExistsException _) {
            throw new RejectedException(
                    Rejected.conflict("command.not_ours")
                            .with("file", CommandFiles.fileNameOf(mode, index)));
        } catch (IOException e) {
            throw FileFailure.rejection(CommandFiles.fileNameOf(mode, index), e);
        }
    }

    private RouteResponse create(RouteRequest call) throws RejectedException {
        var mode = mode(call);
        var text = CommandFileRequest.text(mode, call.largeBody().fields()).orElse("");
        check(mode, text);
        try {
            return RouteResponse.of(201, words.config(files.createNext(mode, text), text));
        } catch (IOException e) {
            throw FileFailure.rejection("command/", e);
        }
    }

    private RouteResponse delete(RouteRequest call) throws RejectedException {
        var mode = mode(call);
        int index = Math.toIntExact(call.path(INDEX));
        if (index == 0) {
            throw new RejectedException(Rejected.impossible("command.first", "index"));
        }
        var config = existing(mode, index);
        var pid = lanes.activeFiles().runId(mode, index);
        if (pid.isPresent()) {
            throw new RejectedException(
                    Rejected.conflict("command.running")
                            .with("file", config.fileName())
                            .with("pid", pid.getAsLong()));
        }
        try {
            files.delete(config);
            return RouteResponse.ok(new CommandDeleted(config.fileName()));
        } catch (IOException e) {
            throw FileFailure.rejection(config.fileName(), e);
        }
    }

    public static int index(RouteRequest call) throws RejectedException {
        return Math.toIntExact(call.query(CONFIG_INDEX).orElse(0L));
    }

    private CommandFileEntry existing(FileMode mode, int index) throws RejectedException {
        var found = find(mode, index);
        if (found.isEmpty()) {
            throw missing(mode, index);
        }
        return found.get();
    }

    private Optional<CommandFileEntry> find(FileMode mode, int index) throws RejectedException {
        try {
            return files.find(mode, index);
        } catch (IOException e) {
            throw FileFailure.rejection(CommandFiles.fileNameOf(mode, index), e);
        }
    }

    public static RejectedException missing(FileMode mode, int index) {
        var file = CommandFiles.fileNameOf(mode, index);
        return new RejectedException(
                Rejected.notFound("command.missing").with("file", file).with("index", index));
    }

    public static RejectedException tooLarge() {
        return new RejectedException(
                RouteResponse.problem(413, "command.too_large", CommandFileJson.TOO_LARGE));
    }

    /** A file is written only if every block in it can run. */
    private static void check(FileMode mode, String text) throws RejectedException {
        if (text.getBytes(StandardCharsets.UTF_8).length > CommandFiles.MAX_BYTES) {
            throw tooLarge();
        }
        var problems = CommandFile.parse(mode, text).problems();
        if (!problems.isEmpty()) {
            var first = problems.getFirst();
            throw new RejectedException(
                    RouteResponse.of(
                            400,
                            new CommandRefused(
                                    Sentences.problem(
                                            "command.bad_block",
                                            "content",
                                            Map.of(
                                                    "line",
                                                    Integer.toString(first.line()),
                                                    "block",
                                                    Sentences.of(first))),
                                    "command.bad_block",
                                    "content",
                                    new TreeMap<>(
                                            Map.of(
                                                    "line",
                                                    Integer.toString(first.line()),
                                                    "problem",
                                                    first.code())),
                                    CommandFileJson.problems(problems))));
        }
    }
}
