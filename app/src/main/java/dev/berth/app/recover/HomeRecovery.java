package dev.berth.app.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.engine.recover.RecoveryPlan;
import dev.berth.port.Change;
import dev.berth.port.SchedulerState;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.HomeTraces;
import dev.berth.store.Generation;
import dev.berth.store.GenerationFile;
import dev.berth.store.HomeRefused;
import dev.berth.store.RecoveryDatabase;

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

/**
 * One run of {@code berth recover}. All changes are made in a copy of the database, which replaces
 * the database at the end. No process is started or ended.
 *
 * @param traces what directories and processes of tasks show
 * @param backup the database to start from instead of the home's own
 * @param serverStart how a person starts the server
 */
public record HomeRecovery(
        HomeFiles files,
        HomeTraces traces,
        Optional<Path> backup,
        boolean isDryRun,
        String serverStart) {

    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("'.before-recover-'yyyyMMdd-HHmmss")
                    .withZone(ZoneOffset.UTC);

    public RecoveryReport run() throws HomeRefused, StoreFailure, IOException {
        var evidence = HomeEvidence.read(files, traces);
        var own = Optional.of(files.database()).filter(Files::exists);
        var source = backup.or(() -> own);
        try (var database = RecoveryDatabase.copy(source, files.database())) {
            var found = new ArrayList<String>();
            if (source.isEmpty()) {
                found.addAll(evidence.lostState(Optional.empty()));
            } else {
                database.examine(stored -> found.addAll(evidence.lostState(stored)));
            }
            if (found.isEmpty() && backup.isEmpty()) {
                return new RecoveryReport(
                        List.of("Nothing to recover: the database and the home agree."), true);
            }
            return recover(database, evidence, found);
        }
    }

    private RecoveryReport recover(
            RecoveryDatabase database, HomeEvidence evidence, List<String> found)
            throws HomeRefused, StoreFailure, IOException {
        var plan = new RecoveryPlan(evidence.traces());
        var stampTask = evidence.generation().generation().map(Generation::lastTask).orElse(0L);
        database.examine(stored -> plan.make(database.queries(), stored.orElseThrow(), stampTask));
        var lines = new ArrayList<>(found);
        lines.addAll(plan.lines());
        if (!plan.blockers().isEmpty()) {
            lines.addAll(plan.blockers());
            lines.add(
                    "Nothing was changed. Run this command again when these processes have ended.");
            return new RecoveryReport(lines, false);
        }
        if (isDryRun) {
            lines.add("Nothing was changed (--dry-run).");
            return new RecoveryReport(lines, true);
        }
        var suffix = SUFFIX.format(Instant.now());
        store(database, plan, evidence, suffix);
        lines.addAll(nextSteps(suffix));
        return new RecoveryReport(lines, true);
    }

    private void store(
            RecoveryDatabase database, RecoveryPlan plan, HomeEvidence evidence, String suffix)
            throws StoreFailure, IOException {
        for (var attempt : plan.unstarted()) {
            close(attempt);
        }
        var changes = new ArrayList<>(plan.changes());
        var now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        changes.add(
                new Change.SchedulerSaved(
                        new SchedulerState(
                                false,
                                Optional.of(new SchedulerState.LastSwitch(Owner.BERTH, now)))));
        database.apply(changes, newest(database, evidence));
        var generation = database.generation();
        database.install(suffix);
        GenerationFile.open(files.generation(), generation).close();
    }

    private void close(AttemptId id) throws StoreFailure, IOException {
        if (!traces.close(id)) {
            throw new IOException("attempt " + id + " has just started; run this again");
        }
    }

    /** New ids and commits must be above everything that this home has ever had. */
    private static Generation newest(RecoveryDatabase database, HomeEvidence evidence)
            throws StoreFailure {
        var copy = database.generation();
        var stamp = evidence.generation().generation().orElse(copy);
        long living =
                evidence.traces().living().isEmpty()
                        ? 0
                        : evidence.traces().living().lastKey().task().value();
        return new Generation(
                copy.databaseId(),
                copy.epoch(),
                Math.max(copy.commits(), stamp.commits()),
                Math.max(
                        Math.max(copy.lastTask(), stamp.lastTask()),
                        Math.max(evidence.traces().highestFolder(), living)));
    }

    private List<String> nextSteps(String suffix) {
        var old = files.database().resolveSibling(files.database().getFileName() + suffix);
        var lines = new ArrayList<String>();
        if (Files.exists(old)) {
            lines.add("The previous database is kept as " + old + ".");
        }
        lines.add("The scheduler is switched off, so that nothing starts before you have looked:");
        lines.add("  1. Start the server as usual: " + serverStart);
        lines.add(
                "  2. Look at the queue: berth queue. Tasks that were cancelled or changed after"
                    + " this database was written wait again as they were then; cancel what must"
                    + " not run.");
        lines.add("  3. Switch the scheduler on: berth scheduler start");
        return lines;
    }
}
