package dev.berth.store;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;

/**
 * The history in its own SQLite file. Samples are written as they arrive. They are aggregated into
 * minutes and hours when the hour is over; until then, a query aggregates them.
 */
public final class SqliteHistory implements SampleHistory, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteHistory.class);

    private static final int READERS = 2;
    private static final long HOUR = 60;

    /** A little longer than promised, because a query takes a moment to arrive. */
    private static final long KEPT_MINUTES = Resolution.SECOND.retention().toMinutes() + 2;

    private static final long KEPT_HOURS = Resolution.MINUTE.retention().toHours() + 1;
    private static final long KEPT_DAYS = Resolution.HOUR.retention().toDays() + 1;

    /** The most that one call deletes; more than one call adds. */
    private static final int MINUTES_AT_ONCE = 5;

    private static final int HOURS_AT_ONCE = 3;
    private static final int DAYS_AT_ONCE = 1;

    private final HistoryFile file;
    private final ReaderPool readers;
    private final SubjectIds subjects = new SubjectIds();
    private @Nullable SqlSession session;

    /** This process has aggregated all hours before this one. */
    private long aggregatedUntil;

    private SqliteHistory(HistoryFile file) {
        this.file = file;
        this.readers = new ReaderPool(file, READERS);
    }

    /**
     * Creates the file if it does not exist.
     *
     * @throws StoreFailure if it cannot be created or used; it is not changed
     */
    public static SqliteHistory open(Path path) throws StoreFailure {
        return new SqliteHistory(HistoryFile.open(path));
    }

    @Override
    public synchronized void save(List<MinuteSamples> minutes) throws StoreFailure {
        if (minutes.isEmpty()) {
            return;
        }
        boolean isKept = false;
        try {
            var current = session;
            if (current == null) {
                current = file.openWriter();
                session = current;
            }
            long reached = write(current, minutes);
            current.commit();
            aggregatedUntil = Math.max(aggregatedUntil, reached);
            isKept = true;
        } catch (SQLException e) {
            throw file.failure("keep the history", e);
        } finally {
            if (!isKept) {
                discard();
            }
        }
    }

    /**
     * @return the hour before which everything is aggregated
     */
    private long write(SqlSession current, List<MinuteSamples> minutes) throws SQLException {
        long newest = Long.MIN_VALUE;
        var toAggregate = new TreeSet<Long>();
        for (var minute : minutes) {
            long hour = Math.floorDiv(minute.number(), HOUR);
            SamplesRow.save(current, subjects.id(current, minute.subject(), hour), minute);
            newest = Math.max(newest, minute.number());
            if (hour < aggregatedUntil) {
                toAggregate.add(hour);
            }
        }
        long now = Math.floorDiv(newest, HOUR);
        if (now > aggregatedUntil) {
            toAggregate.addAll(HistoryAggregation.hoursWithSamples(current, aggregatedUntil, now));
        }
        for (long hour : toAggregate) {
            HistoryAggregation.aggregate(current, hour);
        }
        if (now > aggregatedUntil) {
            expireHours(current, now);
        }
        // These samples are more than an hour old, so they are aggregated.
        SamplesRow.deleteBefore(current, newest - KEPT_MINUTES, MINUTES_AT_ONCE);
        return now;
    }

    private void expireHours(SqlSession current, long now) throws SQLException {
        PointTable.MINUTES.deleteBefore(current, now - KEPT_HOURS, HOURS_AT_ONCE);
        long first = Math.floorDiv(now, 24) - KEPT_DAYS;
        long oldest = PointTable.HOURS.deleteBefore(current, first, DAYS_AT_ONCE);
        if (oldest <= first) {
            subjects.deleteBefore(current, oldest * 24);
        }
    }

    @Override
    public List<Point> read(Span span, List<MinuteSamples> fresh) throws StoreFailure {
        return readers.read(
                "read the history", reader -> new HistoryQuery(reader, span, fresh).points());
    }

    @Override
    public synchronized void close() {
        readers.close();
        discard();
    }

    /** The next call opens a new session, which has no open transaction. */
    private void discard() {
        subjects.clearCache();
        var old = session;
        session = null;
        if (old == null) {
            return;
        }
        try {
            old.close();
        } catch (SQLException e) {
            LOG.warn("a connection to the history could not be closed", e);
        }
    }
}
