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

    private static final Param<String> USER =
            Param.text("user", "whose files, for an admin; your own if unset");

    /** Bounds the memory that one response with all files takes. */
    private static final long MAX_BYTES = 16L << 20;

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("The command files of a mode")
                    .withQuery(USER)
                    .withListResponse(200, CommandEntry.class)
                    .withErrors(403, 422, 503);

    private static final RouteDoc ALL_DOC =
            RouteDoc.of("The command files of a mode with their content")
                    .withQuery(USER)
                    .withListResponse(200, CommandConfig.class)
                    .withErrors(403, 413, 422, 503);

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of("A command file, as text and parsed")
                    .withQuery(CONFIG_INDEX, USER)
                    .withResponse(200, CommandConfig.class)
                    .withErrors(403, 404, 413, 422, 503);

    private static final RouteDoc REPLACE_DOC =
            RouteDoc.of("Replaces a command file; refused if a block is invalid")
                    .withQuery(CONFIG_INDEX, USER)
                    .withBody(CommandUpdate.class)
                    .withResponse(200, CommandConfig.class)
                    .withResponse(400, CommandRefused.class)
                    .withErrors(403, 404, 409, 413, 422, 503, 507);

    private static final RouteDoc NEW_DOC =
            RouteDoc.of("Creates another command file at the lowest free index")
                    .withQuery(USER)
                    .withBody(CommandUpdate.class)
                    .withResponse(201, CommandConfig.class)
                    .withResponse(400, CommandRefused.class)
                    .withErrors(403, 413, 422, 503, 507);

    private static final RouteDoc DELETE_DOC =
            RouteDoc.of("Removes a command file; the others keep their index")
                    .withQuery(USER)
                    .withResponse(200, CommandDeleted.class)
                    .withErrors(400, 403, 404, 409, 422, 503);

    private final CommandFileSets sets;

    public CommandFileRoutes(CommandFileSets sets) {
        this.sets = sets;
    }

    private RunResources set(RouteRequest call) throws RejectedException {
        return sets.of(call.caller(), call.query(USER));
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
        var set = set(call);
        var words = new CommandFileJson(set);
        try {
            var entries = new ArrayList<CommandEntry>();
            for (var config : set.files().list(mode(call))) {
                entries.add(words.entry(config));
            }
            return RouteResponse.ok(entries);
        } catch (IOException e) {
            throw FileFailure.rejection("command/", e);
        }
    }

    private RouteResponse all(RouteRequest call) throws RejectedException {
        var files = set(call).files();
        var words = new CommandFileJson(set(call));
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
        var set = set(call);
        var config = existing(set.files(), mode(call), index(call));
        try {
            var text = set.files().text(config);
            if (text.isEmpty()) {
                throw tooLarge();
            }
            return RouteResponse.ok(new CommandFileJson(set).config(config, text.get()));
        } catch (IOException e) {
            throw FileFailure.rejection(config.fileName(), e);
        }
    }

    private RouteResponse replace(RouteRequest call) throws RejectedException {
        var mode = mode(call);
        int index = index(call);
        var files = set(call).files();
        var words = new CommandFileJson(set(call));
        var found = find(files, mode, index);
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
        var set = set(call);
        try {
            var made = set.files().createNext(mode, text);
            return RouteResponse.of(201, new CommandFileJson(set).config(made, text));
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
        var set = set(call);
        var config = existing(set.files(), mode, index);
        var pid = set.activeFiles().runId(mode, index);
        if (pid.isPresent()) {
            throw new RejectedException(
                    Rejected.conflict("command.running")
                            .with("file", config.fileName())
                            .with("pid", pid.getAsLong()));
        }
        try {
            set.files().delete(config);
            return RouteResponse.ok(new CommandDeleted(config.fileName()));
        } catch (IOException e) {
            throw FileFailure.rejection(config.fileName(), e);
        }
    }

    public static int index(RouteRequest call) throws RejectedException {
        return Math.toIntExact(call.query(CONFIG_INDEX).orElse(0L));
    }

    private static CommandFileEntry existing(CommandFiles files, FileMode mode, int index)
            throws RejectedException {
        var found = find(files, mode, index);
        if (found.isEmpty()) {
            throw missing(mode, index);
        }
        return found.get();
    }

    private static Optional<CommandFileEntry> find(CommandFiles files, FileMode mode, int index)
            throws RejectedException {
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
