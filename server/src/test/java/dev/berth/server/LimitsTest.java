package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.identity.Auth;
import dev.berth.server.limit.Allowances;
import dev.berth.server.limit.Limits;
import dev.berth.server.limit.Places;
import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** What one user may take. */
class LimitsTest {

    private static Premises with(Limits limits) throws Exception {
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
                                false,
                                limits),
                Door.Patience.USUAL);
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
}
