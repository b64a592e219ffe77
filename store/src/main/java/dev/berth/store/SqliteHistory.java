package dev.berth.store;

import dev.berth.engine.port.History;
import dev.berth.engine.port.Minute;
import dev.berth.engine.port.StoreFailure;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;

/**
 * The history in a file of its own. Seconds are written as they come; minutes and hours are made of
 * them when an hour is over, and until then when they are asked for.
 */
public final class SqliteHistory implements History, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteHistory.class);

    private static final int READERS = 2;
    private static final long HOUR = 60;

    /** A little more than is promised, because a question takes a moment to arrive. */
    private static final long KEPT_MINUTES = Grain.SECOND.kept().toMinutes() + 2;

    private static final long KEPT_HOURS = Grain.MINUTE.kept().toHours() + 1;
    private static final long KEPT_DAYS = Grain.HOUR.kept().toDays() + 1;

    /** So much goes at a time at most, which is more than comes. */
    private static final int MINUTES_AT_ONCE = 5;

    private static final int HOURS_AT_ONCE = 3;
    private static final int DAYS_AT_ONCE = 1;

    private final HistoryFile file;
    private final Readers readers;
    private final SubjectRow subjects = new SubjectRow();
    private @Nullable Session session;

    /** All hours before this one have been folded by us. */
    private long folded;

    private SqliteHistory(HistoryFile file) {
        this.file = file;
        this.readers = new Readers(file, READERS);
    }

    /**
     * Makes the file where there is none.
     *
     * @throws StoreFailure if it cannot be made or used: it stays as it is
     */
    public static SqliteHistory open(Path path) throws StoreFailure {
        return new SqliteHistory(HistoryFile.at(path));
    }

    @Override
    public synchronized void keep(List<Minute> minutes) throws StoreFailure {
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
            folded = Math.max(folded, reached);
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
     * @return the hour before which all is folded
     */
    private long write(Session current, List<Minute> minutes) throws SQLException {
        long newest = Long.MIN_VALUE;
        var again = new TreeSet<Long>();
        for (var minute : minutes) {
            long hour = Math.floorDiv(minute.number(), HOUR);
            SecondRow.save(current, subjects.id(current, minute.subject(), hour), minute);
            newest = Math.max(newest, minute.number());
            if (hour < folded) {
                again.add(hour);
            }
        }
        long now = Math.floorDiv(newest, HOUR);
        if (now > folded) {
            again.addAll(Folding.hours(current, folded, now));
        }
        for (long hour : again) {
            Folding.fold(current, hour);
        }
        if (now > folded) {
            expireHours(current, now);
        }
        // All of it is folded by now, since it lies more than an hour back.
        SecondRow.expire(current, newest - KEPT_MINUTES, MINUTES_AT_ONCE);
        return now;
    }

    private void expireHours(Session current, long now) throws SQLException {
        PointTable.MINUTES.expire(current, now - KEPT_HOURS, HOURS_AT_ONCE);
        long first = Math.floorDiv(now, 24) - KEPT_DAYS;
        long oldest = PointTable.HOURS.expire(current, first, DAYS_AT_ONCE);
        if (oldest <= first) {
            subjects.expire(current, oldest * 24);
        }
    }

    @Override
    public List<Point> read(Span span, List<Minute> fresh) throws StoreFailure {
        return readers.read(
                "read the history", reader -> new HistoryReading(reader, span, fresh).points());
    }

    @Override
    public synchronized void close() {
        readers.close();
        discard();
    }

    /** A new session has nothing left over of what failed. */
    private void discard() {
        subjects.forget();
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
