package dev.berth.store;

import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Checks and backs up the database of a running server, on a thread of its own. At start and before
 * each nightly backup it verifies the whole database.
 */
public final class SqliteMaintenance implements DatabaseMaintenance, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteMaintenance.class);

    private static final Duration TICK = Duration.ofMinutes(1);
    private static final Duration RETRY_AFTER = Duration.ofHours(1);
    private static final int MAX_REPORTED = 100;

    private final Database database;
    private final Settings settings;
    private final Surroundings surroundings;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform()
                            .daemon()
                            .name("berth-database")
                            .priority(Thread.MIN_PRIORITY)
                            .factory());
    private final AtomicReference<Optional<String>> damage =
            new AtomicReference<>(Optional.empty());
    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    private final Instant startedAt;
    private volatile boolean isClosed;
    private volatile Optional<Backup> lastBackup;

    /** Since when backups have failed; empty while they succeed. Only for the thread. */
    private Optional<Instant> failingSince = Optional.empty();

    /**
     * @param keep how many backups are kept; 0 if none are made at night
     * @param hour the hour of the day of the nightly backup
     */
    public record Settings(BackupFiles files, int keep, int hour) {}

    /**
     * @param facts gets the alerts
     * @param isDiskLow no backup is made while this is true
     */
    public record Surroundings(Clock clock, Consumer<Fact> facts, BooleanSupplier isDiskLow) {}

    private SqliteMaintenance(Database database, Settings settings, Surroundings surroundings) {
        this.database = database;
        this.settings = settings;
        this.surroundings = surroundings;
        this.startedAt = surroundings.clock().instant();
        this.lastBackup = newest();
    }

    public static SqliteMaintenance start(
            Database database, Settings settings, Surroundings surroundings) {
        var maintenance = new SqliteMaintenance(database, settings, surroundings);
        database.onDamage(maintenance::reportDamage);
        maintenance.thread.execute(maintenance::checkAtStart);
        var _ =
                maintenance.thread.scheduleWithFixedDelay(
                        maintenance::backUpIfDue,
                        TICK.toSeconds(),
                        TICK.toSeconds(),
                        TimeUnit.SECONDS);
        return maintenance;
    }

    @Override
    public Optional<String> damage() {
        return damage.get();
    }

    @Override
    public Optional<Backup> lastBackup() {
        return lastBackup;
    }

    @Override
    public Backup backUp() throws StoreFailure {
        try {
            return thread.submit(this::makeBackup).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "interrupted", e);
        } catch (RejectedExecutionException e) {
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "the server is stopping", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StoreFailure failure) {
                throw failure;
            }
            throw new IllegalStateException("the backup failed", e.getCause());
        }
    }

    private void checkAtStart() {
        try {
            if (!database.isAllChecked()) {
                long rows = new ChecksumBackfill(database, () -> isClosed).run();
                LOG.info("{} rows of an earlier version got a checksum", rows);
            }
            check();
        } catch (StoreFailure | RuntimeException failure) {
            LOG.warn("the database could not be checked: {}", failure.toString());
        }
    }

    /** Reports what it finds. */
    private void check() throws StoreFailure {
        try {
            var report = DeepCheck.run(database.file(), (_, _) -> {}, () -> isClosed);
            report.damage().forEach(this::reportDamage);
        } catch (HomeRefused refused) {
            reportDamage(String.valueOf(refused.getMessage()));
        }
    }

    /** One alert per server: what else is damaged is only logged. */
    private void reportDamage(String what) {
        if (reported.size() < MAX_REPORTED && reported.add(what)) {
            LOG.error("database.damaged: {}", what);
        }
        if (damage.compareAndSet(Optional.empty(), Optional.of(what))) {
            surroundings.facts().accept(new Fact.DatabaseDamaged(what));
        }
    }

    private void backUpIfDue() {
        try {
            if (!isBackupDue(surroundings.clock().instant())) {
                return;
            }
            check();
            var _ = makeBackup();
            failingSince = Optional.empty();
        } catch (StoreFailure | RuntimeException failure) {
            if (failingSince.isEmpty()) {
                surroundings
                        .facts()
                        .accept(new Fact.BackupFailed(String.valueOf(failure.getMessage())));
            }
            failingSince = Optional.of(surroundings.clock().instant());
            LOG.warn("backup.failed: {}", failure.getMessage());
        }
    }

    /** A backup that is due is also made if no server ran at its hour. */
    private boolean isBackupDue(Instant now) {
        if (settings.keep() == 0 || isClosed) {
            return false;
        }
        if (failingSince.isPresent()
                && Duration.between(failingSince.get(), now).abs().compareTo(RETRY_AFTER) < 0) {
            return false;
        }
        var last = lastBackup.map(Backup::at).filter(at -> !at.isAfter(now)).orElse(startedAt);
        return isDue(settings.hour(), last, now.atZone(surroundings.clock().getZone()));
    }

    /** True if this hour of the day has passed since the last backup. */
    static boolean isDue(int hour, Instant last, ZonedDateTime now) {
        var today = now.toLocalDate().atTime(hour, 0).atZone(now.getZone());
        var latest = today.isAfter(now) ? today.minusDays(1) : today;
        return last.isBefore(latest.toInstant());
    }

    private Backup makeBackup() throws StoreFailure {
        if (surroundings.isDiskLow().getAsBoolean()) {
            throw new StoreFailure(StoreFailure.Kind.FULL, "disk space is low");
        }
        var made = settings.files().make(database.file(), surroundings.clock().instant());
        lastBackup = Optional.of(made);
        LOG.info("backup.made file={} bytes={}", made.file(), made.bytes());
        try {
            settings.files().keepNewest(Math.max(1, settings.keep()));
        } catch (IOException e) {
            LOG.warn("an old backup could not be deleted: {}", e.toString());
        }
        return made;
    }

    private Optional<Backup> newest() {
        try {
            return settings.files().list().stream().findFirst();
        } catch (IOException e) {
            LOG.warn("the backups cannot be listed: {}", e.toString());
            return Optional.empty();
        }
    }

    /** A check in progress ends early; a backup in progress is awaited. */
    @Override
    public void close() {
        isClosed = true;
        database.onDamage(_ -> {});
        List<Runnable> _ = thread.shutdownNow();
        thread.close();
    }
}
