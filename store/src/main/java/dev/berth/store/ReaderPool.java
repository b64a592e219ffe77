package dev.berth.store;

import dev.berth.port.StoreFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A small pool of platform threads for all reads. A call into SQLite pins a virtual thread to its
 * carrier; on threads of their own, slow reads cannot occupy the carriers of the whole server.
 */
final class ReaderPool implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReaderPool.class);

    private final SessionSource source;
    private final ExecutorService threads;
    private final ConcurrentLinkedQueue<SqlSession> idle = new ConcurrentLinkedQueue<>();

    ReaderPool(SessionSource source, int count) {
        this.source = source;
        var pool =
                new ThreadPoolExecutor(
                        count,
                        count,
                        0,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("berth-reader-", 1).factory());
        // At the process limit no new thread can be created, and requests must still be answered.
        pool.prestartAllCoreThreads();
        this.threads = pool;
    }

    /** Runs the query in its own transaction, so that it reads one consistent snapshot. */
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
        var pooled = idle.poll();
        var session = pooled == null ? source.openReader() : pooled;
        boolean isReusable = false;
        try {
            T answer = query.run(session);
            session.rollback();
            isReusable = true;
            return answer;
        } finally {
            if (isReusable) {
                idle.add(session);
            } else {
                discard(session);
            }
        }
    }

    private static void discard(SqlSession session) {
        try {
            session.close();
        } catch (SQLException e) {
            LOG.warn("a connection to the database could not be closed", e);
        }
    }

    /** Waits for running reads. */
    @Override
    public void close() {
        threads.close();
        for (var session = idle.poll(); session != null; session = idle.poll()) {
            discard(session);
        }
    }

    /** A database file that can be read while it is written. */
    interface SessionSource {
        SqlSession openReader() throws SQLException;

        StoreFailure failure(String doing, SQLException e);
    }

    /** The statements of one read transaction. */
    interface Query<T> {
        T run(SqlSession session) throws SQLException;
    }
}
