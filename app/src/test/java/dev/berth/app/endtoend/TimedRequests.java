package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests of one kind, sent at fixed times by clients with one connection each. A response time
 * counts from the time at which the request was due: a server that answers late cannot slow down
 * the clock by which it is measured.
 */
final class TimedRequests {

    private final String name;
    private final int status;
    private final List<Long> nanos = new ArrayList<>();

    /**
     * @param status of every response
     */
    TimedRequests(String name, int status) {
        this.name = name;
        this.status = status;
    }

    /**
     * When requests are due.
     *
     * @param firstNanos when the first one is due
     * @param countedNanos earlier ones are sent, but not counted
     * @param endNanos none are due from here on
     */
    record Times(long firstNanos, long everyNanos, long countedNanos, long endNanos) {

        /** The times of one client of several that take turns. */
        Times turn(int client, int clients) {
            return new Times(
                    firstNanos + everyNanos * client, everyNanos * clients, countedNanos, endNanos);
        }
    }

    /** Sends one client's requests, and returns how many it sent. */
    int send(URI url, byte[] request, Times times) throws IOException, InterruptedException {
        int sent = 0;
        try (var connection = HttpConnection.open(url)) {
            for (long due = times.firstNanos();
                    due - times.endNanos() < 0;
                    due += times.everyNanos()) {
                Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
                assertThat(connection.send(request)).as(name).isEqualTo(status);
                if (due - times.countedNanos() >= 0) {
                    add(System.nanoTime() - due);
                }
                sent++;
            }
        }
        return sent;
    }

    private synchronized void add(long time) {
        nanos.add(time);
    }

    /** The time within which this share of the requests was answered; 100 for the slowest. */
    synchronized Duration percentile(int percent) {
        var sorted = nanos.stream().sorted().toList();
        return Duration.ofNanos(sorted.get((sorted.size() - 1) * percent / 100));
    }

    @Override
    public synchronized String toString() {
        return "%s %d p50 %d ms p99 %d ms max %d ms"
                .formatted(
                        name,
                        nanos.size(),
                        percentile(50).toMillis(),
                        percentile(99).toMillis(),
                        percentile(100).toMillis());
    }
}
