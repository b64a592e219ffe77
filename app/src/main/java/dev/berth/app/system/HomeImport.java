package dev.berth.app.system;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.files.PathPermissions;
import dev.berth.jsontext.JsonWriter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Takes the tasks of a personal home over.
 *
 * @param state the state directory of the server of the machine
 * @param isRepeated the home may have been imported before
 */
record HomeImport(PersonalHome home, ImportedTasks.NewOwner owner, Path state, boolean isRepeated) {

    private static final Pattern LINE = Pattern.compile("(ended|waiting|left) (\\d+) (\\d+)");

    /** The part of the import that the account of the server does. */
    static final String RECORDS = "import-records";

    void run(CallContext context) throws IOException {
        if (home.isMarked() && !isRepeated) {
            throw new CommandFailure(
                    home.path() + " was imported before; --again imports it once more");
        }
        home.requireNoServer();
        if (!Files.isDirectory(state.resolve("node"))) {
            throw new CommandFailure(
                    "no server of the machine at " + state + ": run berth system install first");
        }
        var copies = Files.createTempDirectory(state.resolve("node"), "import-");
        try {
            home.copyTo(copies);
            report(store(copies), copies, context);
        } finally {
            FileTrees.delete(copies);
        }
    }

    private void report(List<String> lines, Path copies, CallContext context) throws IOException {
        var ids = new TreeMap<Long, Long>();
        int waiting = 0;
        var left = new ArrayList<String>();
        var folders =
                new TaskFolderMove(
                        copies.resolve("tasks"), state.resolve("node/tasks"), owner.uid());
        createPassable(folders.to());
        for (var line : lines) {
            var match = LINE.matcher(line);
            if (!match.matches()) {
                continue;
            }
            long old = Long.parseLong(match.group(2));
            long fresh = Long.parseLong(match.group(3));
            switch (match.group(1)) {
                case "ended" -> {
                    folders.move(old, fresh);
                    ids.put(old, fresh);
                }
                case "waiting" -> {
                    waiting++;
                    ids.put(old, fresh);
                }
                default -> left.add(match.group(2));
            }
        }
        var mapping = storeMapping(ids);
        home.mark(marker(ids, mapping));
        context.out()
                .println(
                        "imported "
                                + ids.size()
                                + " tasks of "
                                + owner.user()
                                + ": "
                                + (ids.size() - waiting)
                                + " ended, "
                                + waiting
                                + " waiting again");
        if (ids.entrySet().stream().anyMatch(id -> !id.getKey().equals(id.getValue()))) {
            ids.forEach((old, fresh) -> context.out().println("  " + old + " is now " + fresh));
        }
        context.out().println("the ids are in " + mapping);
        if (!left.isEmpty()) {
            context.out()
                    .println(
                            "left out, because they need their command file or their model: "
                                    + String.join(", ", left)
                                    + "; run the file again with berth run FILE");
        }
    }

    /** As the node creates it: owners reach their own logs, and only root may list. */
    private static void createPassable(Path tasks) throws IOException {
        if (!Files.isDirectory(tasks)) {
            Files.createDirectory(tasks);
            Files.setPosixFilePermissions(tasks, PosixFilePermissions.fromString("rwx--x--x"));
        }
    }

    private Path storeMapping(SortedMap<Long, Long> ids) throws IOException {
        var directory = state.resolve("node/imports");
        Files.createDirectories(
                directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var file =
                Files.createTempFile(
                        directory,
                        owner.user() + "-" + Instant.now().getEpochSecond() + "-",
                        ".tsv");
        return Files.writeString(
                file,
                ids.entrySet().stream()
                        .map(id -> id.getKey() + "\t" + id.getValue() + "\n")
                        .collect(Collectors.joining("", "old\tnew\n", "")));
    }

    private String marker(SortedMap<Long, Long> ids, Path mapping) {
        return JsonWriter.write(
                        Map.of(
                                "imported_at",
                                Instant.now().toString(),
                                "tasks",
                                ids.size(),
                                "ids",
                                mapping.toString()))
                + "\n";
    }

    /** As the account of the server: root does not write into its directory. */
    private List<String> store(Path copies) throws IOException {
        var server = state.resolve("server");
        int uid = (Integer) Files.getAttribute(server, "unix:uid");
        int gid = (Integer) Files.getAttribute(server, "unix:gid");
        if (uid == PathPermissions.ofThisProcess().uid()) {
            return lines(
                    new ImportedRecords(
                                    copies.resolve("tasks.db"),
                                    ImportedRecords.filesOf(state),
                                    owner)
                            .store());
        }
        var database = Files.createDirectory(copies.resolve("database"));
        for (var name : List.of("tasks.db", "tasks.db-wal")) {
            if (Files.exists(copies.resolve(name))) {
                var file = Files.move(copies.resolve(name), database.resolve(name));
                Files.setAttribute(file, "unix:uid", uid);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            }
        }
        Files.setAttribute(database, "unix:uid", uid);
        Files.setPosixFilePermissions(copies, PosixFilePermissions.fromString("rwx--x--x"));
        var command = new ArrayList<>(List.of("setpriv", "--reuid=" + uid, "--regid=" + gid));
        command.addAll(
                List.of(
                        "--clear-groups",
                        "--inh-caps=-all",
                        "--bounding-set=-all",
                        "--no-new-privs"));
        command.addAll(thisProgram());
        command.addAll(
                List.of(
                        "system",
                        RECORDS,
                        state.toString(),
                        database.resolve("tasks.db").toString(),
                        owner.user(),
                        Integer.toString(owner.uid())));
        return output(command);
    }

    private static List<String> thisProgram() {
        return List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.berth.app.Main");
    }

    private static List<String> output(List<String> command) throws IOException {
        var builder =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("LC_ALL", "C.UTF-8");
        var process = builder.start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new CommandFailure("nothing was imported; the reason is above");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return text.lines().toList();
    }

    /** What the process of the server's account reports. */
    static List<String> lines(ImportedTasks plan) {
        var lines = new ArrayList<String>();
        plan.ids()
                .forEach(
                        (old, fresh) ->
                                lines.add(
                                        (plan.waiting().containsKey(old) ? "waiting " : "ended ")
                                                + old
                                                + " "
                                                + fresh));
        plan.leftOut().forEach(old -> lines.add("left " + old + " 0"));
        return lines;
    }
}
