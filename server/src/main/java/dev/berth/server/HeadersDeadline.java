package dev.berth.server;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Closes connections that do not come to a request, be it the first or a later one. Jetty's own
 * timeout counts silence only, so a caller who sends a letter now and then could hold a place for
 * ever, before anybody has asked who they are.
 *
 * <p>One look at each connection now and then, rather than a timer for every request: so headers
 * have half as long again at worst.
 */
record HeadersDeadline(Scheduler scheduler, Duration atMost) implements Connection.Listener {

    private static final String WATCH = HeadersDeadline.class.getName();
    private static final int LOOKS = 2;

    @Override
    public void onOpened(Connection connection) {
        var watch = new Watch(connection);
        if (connection instanceof ConnectionMetaData known) {
            known.setAttribute(WATCH, watch);
        }
        watch.lookLater();
    }

    /** Its headers are here: what comes now is its body, and may take longer. */
    static void met(Request request) {
        if (request.getConnectionMetaData().getAttribute(WATCH) instanceof Watch watch) {
            watch.inside.incrementAndGet();
            Request.addCompletionListener(request, _ -> watch.leave());
        }
    }

    /** What was seen of one connection; looked at by one thread at a time. */
    private final class Watch {
        private final Connection connection;
        private final AtomicInteger inside = new AtomicInteger();
        private volatile long answeredBytes;
        private long requests;
        private int waited;

        Watch(Connection connection) {
            this.connection = connection;
        }

        void lookLater() {
            var _ =
                    scheduler.schedule(
                            this::look, atMost.toMillis() / LOOKS, TimeUnit.MILLISECONDS);
        }

        private void look() {
            if (!connection.getEndPoint().isOpen()) {
                return;
            }
            waited = isDue() ? waited + 1 : 0;
            // A later request is first seen at some time after it began.
            if (waited > (requests == 0 ? LOOKS - 1 : LOOKS)) {
                connection.getEndPoint().close();
            } else {
                lookLater();
            }
        }

        /** What comes from now on belongs to the next request. */
        void leave() {
            answeredBytes = connection.getBytesIn();
            inside.decrementAndGet();
        }

        /** Whether a request is owed: the first always, a later one once it has begun. */
        private boolean isDue() {
            long before = requests;
            requests = connection.getMessagesIn();
            return requests == before
                    && inside.get() == 0
                    && (requests == 0 || connection.getBytesIn() > answeredBytes);
        }
    }
}
