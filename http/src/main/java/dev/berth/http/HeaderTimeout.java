package dev.berth.http;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Closes connections on which no complete request arrives, be it the first or a later one. Jetty's
 * own timeout only measures silence: a client that sends one byte now and then could hold a
 * connection for ever, before it has been authenticated.
 *
 * <p>Each connection is checked at intervals instead of with one timer for each request, so headers
 * may take up to half as long again.
 */
public record HeaderTimeout(Scheduler scheduler, Duration limit) implements Connection.Listener {

    private static final String ATTRIBUTE = HeaderTimeout.class.getName();
    private static final int CHECKS_PER_DEADLINE = 2;

    @Override
    public void onOpened(Connection connection) {
        var watch = new ConnectionWatch(connection);
        if (connection instanceof ConnectionMetaData known) {
            known.setAttribute(ATTRIBUTE, watch);
        }
        watch.scheduleCheck();
    }

    /** Called when all headers of a request have arrived. Its body may take longer. */
    public static void headersReceived(Request request) {
        if (request.getConnectionMetaData().getAttribute(ATTRIBUTE)
                instanceof ConnectionWatch watch) {
            watch.openRequests.incrementAndGet();
            Request.addCompletionListener(request, _ -> watch.requestDone());
        }
    }

    /** The state of one connection. Checks run on one thread at a time. */
    private final class ConnectionWatch {
        private final Connection connection;
        private final AtomicInteger openRequests = new AtomicInteger();
        private volatile long answeredBytes;
        private long requests;
        private int missedChecks;

        ConnectionWatch(Connection connection) {
            this.connection = connection;
        }

        void scheduleCheck() {
            var _ =
                    scheduler.schedule(
                            this::check,
                            limit.toMillis() / CHECKS_PER_DEADLINE,
                            TimeUnit.MILLISECONDS);
        }

        private void check() {
            if (!connection.getEndPoint().isOpen()) {
                return;
            }
            missedChecks = isOverdue() ? missedChecks + 1 : 0;
            // A later request may have begun up to one interval before the check that first sees
            // it.
            if (missedChecks > (requests == 0 ? CHECKS_PER_DEADLINE - 1 : CHECKS_PER_DEADLINE)) {
                connection.getEndPoint().close();
            } else {
                scheduleCheck();
            }
        }

        /** Bytes from now on belong to the next request. */
        void requestDone() {
            answeredBytes = connection.getBytesIn();
            openRequests.decrementAndGet();
        }

        /** True while a request is overdue: the first one always, a later one once it has begun. */
        private boolean isOverdue() {
            long before = requests;
            requests = connection.getMessagesIn();
            return requests == before
                    && openRequests.get() == 0
                    && (requests == 0 || connection.getBytesIn() > answeredBytes);
        }
    }
}
