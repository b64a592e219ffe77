package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.identity.Auth;
import dev.berth.server.limit.Allowances;
import dev.berth.server.limit.Limits;
import dev.berth.server.limit.Places;
import dev.berth.server.stream.Timing;
import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** What one user may take. */
class LimitsTest {

    private static Premises with(Limits limits) throws Exception {
        return with(limits, Door.Patience.USUAL);
    }

    private static Premises with(Limits limits, Door.Patience patience) throws Exception {
        return Premises.open(
                home ->
                        new DoorSettings(
                                home,
                                Path.of("/tmp"),
                                "127.0.0.1",
                                0,
                                false,
                                Auth.NONE,
                                Optional.empty(),
                                Set.of(),
                                false,
                                limits),
                patience);
    }

    @Test
    void whoeverAsksTooOftenIsToldToWait() throws Exception {
        try (var premises = with(new Limits(1, 3, 9, 9))) {
            for (int i = 0; i < 3; i++) {
                assertThat(premises.socket().get("/api/tasks").status()).isEqualTo(200);
            }
            var reply = premises.socket().get("/api/tasks");
            assertThat(reply.status()).isEqualTo(429);
            assertThat(reply.code()).isEqualTo("requests.too_many");
            assertThat(reply.header("Retry-After")).contains("1");
            assertThat(premises.tcp().get("/api/health").status()).isEqualTo(200);
        }
    }

    @Test
    void anAllowanceFillsAgainAndIsEachUsersOwn() {
        var nanos = new AtomicLong();
        var allowances = new Allowances(2, 2, nanos::get);
        assertThat(allowances.take("ann")).isTrue();
        assertThat(allowances.take("ann")).isTrue();
        assertThat(allowances.take("ann")).isFalse();
        assertThat(allowances.take("bob")).isTrue();
        nanos.addAndGet(500_000_000);
        assertThat(allowances.take("ann")).isTrue();
        assertThat(allowances.take("ann")).isFalse();
        nanos.addAndGet(1_000_000_000_000L);
        assertThat(allowances.take("ann")).isTrue();
        assertThat(allowances.take("ann")).isTrue();
        assertThat(allowances.take("ann")).isFalse();
    }

    @Test
    void aThousandSubmitsOneAfterAnotherPass() throws Exception {
        try (var premises = Premises.open()) {
            for (int i = 0; i < 1000; i++) {
                premises.submit(Premises.cpuTask("t" + i));
            }
            assertThat(premises.tasks()).isEqualTo(1000);
        }
    }

    @Test
    void theQueueTakesSoManyOfOneUser() throws Exception {
        try (var premises = with(new Limits(1000, 1000, 9, 2))) {
            // Two run on the two cards; two wait.
            var card = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":1}";
            for (int i = 0; i < 4; i++) {
                premises.submit(card);
            }
            var refused = premises.socket().post("/api/tasks", card);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.code()).isEqualTo("queue.user_full");
            assertThat(refused.header("Retry-After")).isPresent();
            premises.end(1, 0);
            premises.submit(card);
        }
    }

    @Test
    void whatWasAcknowledgedIsAcknowledgedAgainAlsoWithAFullQueue() throws Exception {
        try (var premises = with(new Limits(1000, 1000, 9, 1))) {
            var card = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":2}";
            premises.submit(card);
            var first = premises.socket().post("/api/tasks", card, "Idempotency-Key: k");
            assertThat(first.status()).isEqualTo(201);
            var again = premises.socket().post("/api/tasks", card, "Idempotency-Key: k");
            assertThat(again.status()).isEqualTo(200);
            assertThat(again.json().get("id")).isEqualTo(first.json().get("id"));
            assertThat(premises.socket().post("/api/tasks", card, "Idempotency-Key: l").status())
                    .isEqualTo(429);
        }
    }

    /** However many come together: the engine decides them one after another. */
    @Test
    void nobodyPassesTheLimitOfTheQueueByHurrying() throws Exception {
        try (var premises = with(new Limits(1000, 1000, 9, 5))) {
            var card = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":2}";
            premises.submit(card);
            var replies =
                    IntStream.range(0, 40)
                            .mapToObj(
                                    _ ->
                                            Premises.beside(
                                                    () ->
                                                            premises.socket()
                                                                    .post("/api/tasks", card)
                                                                    .status()))
                            .toList();
            assertThat(replies.stream().filter(one -> one.join() == 201)).hasSize(5);
        }
    }

    @Test
    void streamsHaveTheirPlacesAndGiveThemBack() throws Exception {
        try (var premises = with(new Limits(1000, 1000, 2, 9));
                var first = EventClient.listen(premises.door.url(), "/api/events");
                var second = EventClient.listen(premises.door.url(), "/api/events")) {
            first.await("it is greeted", one -> !one.heard("resync").isEmpty());
            second.await("it is greeted", one -> !one.heard("resync").isEmpty());
            var third = premises.tcp().get("/api/events");
            assertThat(third.status()).isEqualTo(429);
            assertThat(third.code()).isEqualTo("streams.too_many");
        }
        var places = new Places(1);
        var place = places.take("ann").orElseThrow();
        assertThat(places.take("ann")).isEmpty();
        assertThat(places.take("bob")).isPresent();
        place.close();
        assertThat(places.take("ann")).isPresent();
    }

    @Test
    void aPlaceIsFreeAgainOnceItsStreamIsOver() throws Exception {
        var brisk =
                new Door.Patience(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(5),
                        new Timing(Duration.ofMillis(50), Duration.ofMillis(500)));
        try (var premises = with(new Limits(1000, 1000, 1, 9), brisk)) {
            for (int i = 0; i < 3; i++) {
                eventually("there is a place", () -> isLetIn(premises));
            }
        }
    }

    private static boolean isLetIn(Premises premises) {
        try (var client = EventClient.listen(premises.door.url(), "/api/events")) {
            client.await("it is answered", one -> !one.head().isEmpty());
            return client.head().getFirst().contains("200");
        }
    }
}
