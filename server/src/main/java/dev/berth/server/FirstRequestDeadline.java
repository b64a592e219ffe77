package dev.berth.server;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.thread.Scheduler;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes connections that do not come to a request. Jetty's own timeout counts silence only, so a
 * caller who sends a letter now and then could hold a place for ever, before anybody has asked who
 * they are.
 */
record FirstRequestDeadline(Scheduler scheduler, Duration atMost) implements Connection.Listener {

    @Override
    public void onOpened(Connection connection) {
        var _ =
                scheduler.schedule(
                        () -> check(connection), atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void check(Connection connection) {
        if (connection.getMessagesIn() == 0) {
            connection.getEndPoint().close();
        }
    }
}
