package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.lane.CommandFile;
import dev.berth.core.lane.Mode;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.lane.CommandFiles;
import dev.berth.server.lane.CommandFiles.Config;
import dev.berth.server.lane.Lanes;
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
import java.util.TreeMap;

/** Command files. */
final class CommandRoutes {

    static final Param<String> MODE =
            Param.word(
                    "mode",
                    "one card a task, or several",
                    Arrays.stream(Mode.values()).map(Mode::word).toList());
    static final Param<Long> CONFIG_INDEX =
            Param.number(
                    "config_index",
                    "which of the mode's files, counted from 0; 0 unless stated",
                    0,
                    CommandFiles.LAST_INDEX);

    private static final Param<Long> INDEX =
            Param.number("index", "which of the mode's files", 0, CommandFiles.LAST_INDEX);

    /** All files in one answer must leave room for everything else. */
    private static final long MOST_BYTES = 16L << 20;

    private static final Doc LIST_DOC =
            Doc.of("The command files of a mode")
                    .givingMany(200, CommandEntry.class)
                    .refusing(422, 503);

    private static final Doc ALL_DOC =
            Doc.of("The command files of a mode with all they hold")
                    .givingMany(200, CommandConfig.class)
                    .refusing(413, 422, 503);

    private static final Doc SHOW_DOC =
            Doc.of("A command file, as it stands and as it is understood")
                    .asking(CONFIG_INDEX)
                    .giving(200, CommandConfig.class)
                    .refusing(404, 413, 422, 503);

    private static final Doc REPLACE_DOC =
            Doc.of("Replaces a command file, unless a block of it cannot be understood")
                    .asking(CONFIG_INDEX)
                    .taking(CommandUpdate.class)
                    .giving(200, CommandConfig.class)
                    .giving(400, CommandRefused.class)
                    .refusing(404, 409, 413, 422, 503, 507);

    private static final Doc NEW_DOC =
            Doc.of("Makes another command file, at the lowest index that is free")
                    .taking(CommandUpdate.class)
                    .giving(201, CommandConfig.class)
                    .giving(400, CommandRefused.class)
                    .refusing(413, 422, 503, 507);

    private static final Doc DELETE_DOC =
            Doc.of("Removes a command file; the others keep their index")
                    .giving(200, CommandDeleted.class)
                    .refusing(400, 404, 409, 422, 503);

    private final CommandFiles files;
    private final Lanes lanes;
    private final CommandWords words;

    CommandRoutes(Lanes lanes) {
        this.files = lanes.files();
        this.lanes = lanes;
        this.words = new CommandWords(lanes);
    }

    List<Route> routes() {
        var one = PathPattern.of("/api/commands/{mode}", MODE);
        return List.of(
                Route.get(
                        PathPattern.of("/api/commands/{mode}/list", MODE),
                        Access.SERVED,
                        LIST_DOC,
                        this::list),
                Route.get(
                        PathPattern.of("/api/commands/{mode}/all", MODE),
                        Access.SERVED,
                        ALL_DOC,
                        this::all),
                Route.get(one, Access.SERVED, SHOW_DOC, this::show),
                Route.put(one, Access.SERVED, REPLACE_DOC, this::replace),
                Route.post(
                        PathPattern.of("/api/commands/{mode}/new", MODE),
                        Access.SERVED,
                        NEW_DOC,
                        this::create),
                Route.delete(
                        PathPattern.of("/api/commands/{mode}/{index}", MODE, INDEX),
                        Access.SERVED,
                        DELETE_DOC,
                        this::delete));
    }

    static Mode mode(Call call) throws Refused {
        return Mode.of(call.path(MODE)).orElseThrow();
    }

    private Answer list(Call call) throws Refused {
        try {
            var entries = new ArrayList<CommandEntry>();
            for (var config : files.list(mode(call))) {
                entries.add(words.entry(config));
            }
            return Answer.ok(entries);
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading the command files", e);
        }
    }

    private Answer all(Call call) throws Refused {
        try {
            long bytes = 0;
            var configs = new ArrayList<CommandConfig>();
            for (var config : files.list(mode(call))) {
                var text = config.text();
                bytes += text.map(String::length).orElse(0);
                if (bytes > MOST_BYTES) {
                    throw new Refused(
                            Answer.problem(
                                    413,
                                    "command.all_too_large",
                                    "The command files are too large for one answer. Ask for them"
                                            + " one by one, with config_index."));
                }
                configs.add(words.config(config, text.orElse(null)));
            }
            return Answer.ok(configs);
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading the command files", e);
        }
    }

    private Answer show(Call call) throws Refused {
        var config = existing(mode(call), index(call));
        try {
            var text = config.text();
            if (text.isEmpty()) {
                throw tooLarge();
            }
            return Answer.ok(words.config(config, text.get()));
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading " + config.file(), e);
        }
    }

    private Answer replace(Call call) throws Refused {
        var mode = mode(call);
        int index = index(call);
        var found = files.find(mode, index);
        if (found.isEmpty() && index > 0) {
            throw missing(mode, index);
        }
        var text = CommandForm.text(mode, call.largeBody().fields());
        if (text.isEmpty()) {
            throw Refused.invalid(
                    "field.missing", "content", "Send the file's content, or its queues.");
        }
        check(mode, text.get());
        try {
            if (found.isPresent()) {
                files.replace(found.get(), text.get());
                return Answer.ok(words.config(found.get(), text.get()));
            }
            return Answer.ok(words.config(files.first(mode, text.get()), text.get()));
        } catch (FileAlreadyExistsException _) {
            throw new Refused(
                    Rejected.conflict(
                            "command.not_ours",
                            CommandFiles.name(mode, index)
                                    + " is there, but is no plain file in the directory command."
                                    + " Move it away."));
        } catch (IOException e) {
            throw LaneTrouble.refused("Writing " + CommandFiles.name(mode, index), e);
        }
    }

    private Answer create(Call call) throws Refused {
        var mode = mode(call);
        var text = CommandForm.text(mode, call.largeBody().fields()).orElse("");
        check(mode, text);
        try {
            return Answer.of(201, words.config(files.next(mode, text), text));
        } catch (IOException e) {
            throw LaneTrouble.refused("Making a command file", e);
        }
    }

    private Answer delete(Call call) throws Refused {
        var mode = mode(call);
        int index = Math.toIntExact(call.path(INDEX));
        if (index == 0) {
            throw new Refused(
                    Rejected.impossible(
                            "command.first",
                            "index",
                            "The first command file of a mode stays. Give it another content."));
        }
        var config = existing(mode, index);
        var pid = lanes.running().pid(mode, index);
        if (pid.isPresent()) {
            throw new Refused(
                    Rejected.conflict(
                                    "command.running",
                                    config.file()
                                            + " is being run as run "
                                            + pid.getAsLong()
                                            + ". Stop that first.")
                            .with("pid", pid.getAsLong()));
        }
        try {
            files.delete(config);
            return Answer.ok(new CommandDeleted(config.file()));
        } catch (IOException e) {
            throw LaneTrouble.refused("Removing " + config.file(), e);
        }
    }

    static int index(Call call) throws Refused {
        return Math.toIntExact(call.query(CONFIG_INDEX).orElse(0L));
    }

    private Config existing(Mode mode, int index) throws Refused {
        var found = files.find(mode, index);
        if (found.isEmpty()) {
            throw missing(mode, index);
        }
        return found.get();
    }

    static Refused missing(Mode mode, int index) {
        var file = CommandFiles.name(mode, index);
        return new Refused(
                Rejected.unknown(
                                "command.missing",
                                "There is no command file " + file + " in the directory command.")
                        .with("file", file)
                        .with("index", index));
    }

    static Refused tooLarge() {
        return new Refused(Answer.problem(413, "command.too_large", CommandWords.TOO_LARGE));
    }

    /** Only a file whose every block can be run is written. */
    private static void check(Mode mode, String text) throws Refused {
        if (text.getBytes(StandardCharsets.UTF_8).length > CommandFiles.LARGEST_BYTES) {
            throw tooLarge();
        }
        var problems = CommandFile.parse(mode, text).problems();
        if (!problems.isEmpty()) {
            var first = problems.getFirst();
            throw new Refused(
                    Answer.of(
                            400,
                            new CommandRefused(
                                    "Line " + first.line() + ": " + first.detail(),
                                    "command.bad_block",
                                    "content",
                                    new TreeMap<>(
                                            Map.of(
                                                    "line",
                                                    Integer.toString(first.line()),
                                                    "problem",
                                                    first.code())),
                                    CommandWords.problems(problems))));
        }
    }
}
