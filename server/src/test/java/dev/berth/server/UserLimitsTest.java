package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.http.limit.RateLimit;
import dev.berth.http.limit.StreamSlots;
import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.server.stream.StreamTimeouts;
import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Limits of one user. */
class UserLimitsTest {

    private static TestServer with(UserLimits limits) throws Exception {
        return with(limits, HttpServer.Timeouts.DEFAULT);
    }

    private static TestServer with(UserLimits limits, HttpServer.Timeouts patience)
            throws Exception {
        return TestServer.open(
                home ->
                        new HttpSettings(
                                home,
                                Path.of("/tmp"),
                                "127.0.0.1",
                                0,
                                false,
                                AuthMode.NONE,
                                Optional.empty(),
                                Set.of(),
                                Optional.empty(),
                                false,
                                limits),
                patience);
    }

    @Test
    void tooManyRequestsAreRejected() throws Exception {
        try (var server = with(new UserLimits(1, 3, 9, 9))) {
            for (int i = 0; i < 3; i++) {
                assertThat(server.socket().get("/api/tasks").status()).isEqualTo(200);
            }
            var reply = server.socket().get("/api/tasks");
            assertThat(reply.status()).isEqualTo(429);
            assertThat(reply.code()).isEqualTo("requests.too_many");
            assertThat(reply.header("Retry-After")).contains("1");
            assertThat(server.tcp().get("/api/health").status()).isEqualTo(200);
        }
    }

    @Test
    void rateLimitRefillsForEachUser() {
        var nanos = new AtomicLong();
        var allowances = new RateLimit(2, 2, nanos::get);
        assertThat(allowances.tryAcquire("ann")).isTrue();
        assertThat(allowances.tryAcquire("ann")).isTrue();
        assertThat(allowances.tryAcquire("ann")).isFalse();
        assertThat(allowances.tryAcquire("bob")).isTrue();
        nanos.addAndGet(500_000_000);
        assertThat(allowances.tryAcquire("ann")).isTrue();
        assertThat(allowances.tryAcquire("ann")).isFalse();
        nanos.addAndGet(1_000_000_000_000L);
        assertThat(allowances.tryAcquire("ann")).isTrue();
        assertThat(allowances.tryAcquire("ann")).isTrue();
        assertThat(allowances.tryAcquire("ann")).isFalse();
    }

    @Test
    void thousandSubmissionsAreAccepted() throws Exception {
        try (var server = TestServer.open()) {
            for (int i = 0; i < 1000; i++) {
                server.submit(TestServer.cpuTask("t" + i));
            }
            assertThat(server.tasks()).isEqualTo(1000);
        }
    }

    @Test
    void limitsQueuedTasksPerUser() throws Exception {
        try (var server = with(new UserLimits(1000, 1000, 9, 2))) {
            // Two run on the two GPUs; two wait.
            var card = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":1}";
            for (int i = 0; i < 4; i++) {
                server.submit(card);
            }
            var refused = server.socket().post("/api/tasks", card);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.code()).isEqualTo("queue.user_full");
            assertThat(refused.header("Retry-After")).isPresent();
            server.end(1, 0);
            server.submit(card);
        }
    }

    @Test
    void repeatedRequestIsAcknowledgedWithAFullQueue() throws Exception {
        try (var server = with(new UserLimits(1000, 1000, 9, 1))) {
            var card = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":2}";
            server.submit(card);
            var first = server.socket().post("/api/tasks", card, "Idempotency-Key: k");
            assertThat(first.status()).isEqualTo(201);
            var again = server.socket().post("/api/tasks", card, "Idempotency-Key: k");
            assertThat(again.status()).isEqualTo(200);
            assertThat(again.json().get("id")).isEqualTo(first.json().get("id"));
            assertThat(server.socket().post("/api/tasks", card, "Idempotency-Key: l").status())
                    .isEqualTo(429);
        }
    }

    /** Concurrent submissions: the engine decides them one after another. */
    @Test
    void concurrentSubmissionsCannotExceedTheLimit() throws Exception {
        try (var server = with(new UserLimits(1000, 1000, 9, 5))) {
            var card = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":2}";
            server.submit(card);
            var replies =
                    IntStream.range(0, 40)
                            .mapToObj(
                                    _ ->
                                            TestServer.async(
                                                    () ->
                                                            server.socket()
                                                                    .post("/api/tasks", card)
                                                                    .status()))
                            .toList();
            assertThat(replies.stream().filter(one -> one.join() == 201)).hasSize(5);
        }
    }

    @Test
    void streamSlotsAreReleased() throws Exception {
        try (var server = with(new UserLimits(1000, 1000, 2, 9));
                var first = EventClient.listen(server.door.url(), "/api/events");
                var second = EventClient.listen(server.door.url(), "/api/events")) {
            first.await("it is greeted", one -> !one.received("resync").isEmpty());
            second.await("it is greeted", one -> !one.received("resync").isEmpty());
            var third = server.tcp().get("/api/events");
            assertThat(third.status()).isEqualTo(429);
            assertThat(third.code()).isEqualTo("streams.too_many");
        }
        var places = new StreamSlots(1);
        var place = places.tryAcquire("ann").orElseThrow();
        assertThat(places.tryAcquire("ann")).isEmpty();
        assertThat(places.tryAcquire("bob")).isPresent();
        place.close();
        assertThat(places.tryAcquire("ann")).isPresent();
    }

    @Test
    void slotIsFreeAfterItsStreamEnds() throws Exception {
        var brisk =
                new HttpServer.Timeouts(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(5),
                        new StreamTimeouts(Duration.ofMillis(50), Duration.ofMillis(500)));
        try (var server = with(new UserLimits(1000, 1000, 1, 9), brisk)) {
            for (int i = 0; i < 3; i++) {
                eventually("there is a place", () -> isAccepted(server));
            }
        }
    }

    private static boolean isAccepted(TestServer server) {
        try (var client = EventClient.listen(server.door.url(), "/api/events")) {
            client.await("it is answered", one -> !one.head().isEmpty());
            return client.head().getFirst().contains("200");
        }
    }
}
