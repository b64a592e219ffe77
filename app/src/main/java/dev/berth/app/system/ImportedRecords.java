package dev.berth.app.system;

import dev.berth.app.recover.HomeFiles;
import dev.berth.cli.call.CommandFailure;
import dev.berth.core.id.TaskId;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.store.Database;
import dev.berth.store.Generation;
import dev.berth.store.GenerationFile;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;
import dev.berth.store.RecoveryDatabase;
import dev.berth.store.SqliteTaskQueries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Stores the tasks of a personal home in the database of the server of the machine, while that
 * server does not run. Works on a copy, which replaces the database at the end.
 *
 * @param source a copy of the home's database
 * @param target the files of the server
 */
record ImportedRecords(Path source, HomeFiles target, ImportedTasks.NewOwner owner) {

    private static final int TASKS_PER_COMMIT = 500;
    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("'.before-import-'yyyyMMdd-HHmmss")
                    .withZone(ZoneOffset.UTC);

    /** A database of the server's own user. */
    static HomeFiles filesOf(Path state) {
        var home = state.resolve("server");
        var runtime = home.resolve("runtime");
        return new HomeFiles(
                home,
                runtime,
                state.resolve("node/tasks"),
                runtime.resolve("tasks.db"),
                home.resolve("generation"));
    }

    ImportedTasks store() throws IOException {
        try (var _ = HomeLock.take(target.root())) {
            return storeLocked();
        } catch (HomeRefused | StoreFailure refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    private ImportedTasks storeLocked() throws IOException, HomeRefused, StoreFailure {
        Files.createDirectories(target.runtime());
        var present = Optional.of(target.database()).filter(Files::exists);
        try (var home = new SqliteTaskQueries(Database.open(source));
                var database = RecoveryDatabase.copy(present, target.database())) {
            var before = database.generation();
            var plan = ImportedTasks.plan(home, before.lastTask());
            requireNoneRunning(plan);
            copy(plan, home, database, before);
            var after = database.generation();
            database.install(SUFFIX.format(Instant.now()));
            GenerationFile.open(target.generation(), after).close();
            return plan;
        }
    }

    private static void requireNoneRunning(ImportedTasks plan) {
        if (!plan.running().isEmpty()) {
            throw new CommandFailure(
                    "these tasks of the home still run: "
                            + plan.running().stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(", "))
                            + ". Start its server, wait for their end or cancel them, stop it, and"
                            + " import again.");
        }
    }

    private void copy(
            ImportedTasks plan,
            SqliteTaskQueries home,
            RecoveryDatabase database,
            Generation before)
            throws StoreFailure {
        var now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        var raised =
                new Generation(
                        before.databaseId(),
                        before.epoch(),
                        before.commits(),
                        plan.lastTask(before.lastTask()));
        List<Change> changes = new ArrayList<>();
        int tasks = 0;
        for (long id : plan.ids().keySet()) {
            var whole = home.findWhole(new TaskId(id));
            if (whole.isPresent()) {
                changes.addAll(plan.changes(whole.get(), owner, now));
            }
            if (++tasks % TASKS_PER_COMMIT == 0) {
                database.apply(changes, raised);
                changes.clear();
            }
        }
        database.apply(changes, raised);
    }
}
