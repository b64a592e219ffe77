package dev.berth.store;

import dev.berth.engine.port.StoreFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * A few threads that read for everyone. A call into SQLite pins the virtual thread that makes it to
 * its carrier; made on threads of their own, slow reads can never take the carriers from the rest
 * of the server.
 */
final class Readers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Readers.class);

    private final Source source;
    private final ExecutorService threads;
    private final ConcurrentLinkedQueue<Session> idle = new ConcurrentLinkedQueue<>();

    Readers(Source source, int count) {
        this.source = source;
        this.threads =
                Executors.newFixedThreadPool(
                        count, Thread.ofPlatform().daemon().name("berth-reader-", 1).factory());
    }

    /** Runs the query in a transaction of its own: all that it reads was true at one moment. */
    <T> T read(String doing, Query<T> query) throws StoreFailure {
        try {
            return threads.submit(() -> inSession(query)).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "interrupted while trying to " + doing, e);
        } catch (RejectedExecutionException e) {
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "the store is closed", e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case SQLException sql -> throw source.failure(doing, sql);
                case null, default ->
                        throw new IllegalStateException("cannot " + doing, e.getCause());
            }
        }
    }

    private <T> T inSession(Query<T> query) throws SQLException {
        var waiting = idle.poll();
        var session = waiting == null ? source.openReader() : waiting;
        boolean sound = false;
        try {
            T answer = query.in(session);
            session.rollback();
            sound = true;
            return answer;
        } finally {
            if (sound) {
                idle.add(session);
            } else {
                discard(session);
            }
        }
    }

    private static void discard(Session session) {
        try {
            session.close();
        } catch (SQLException e) {
            LOG.warn("a connection to the database could not be closed", e);
        }
    }

    /** Waits for reads that are under way. */
    @Override
    public void close() {
        threads.close();
        for (var session = idle.poll(); session != null; session = idle.poll()) {
            discard(session);
        }
    }

    /** A file that can be read beside its writer. */
    interface Source {
        Session openReader() throws SQLException;

        StoreFailure failure(String doing, SQLException e);
    }

    /** What is read in one transaction. */
    interface Query<T> {
        T in(Session session) throws SQLException;
    }
}
