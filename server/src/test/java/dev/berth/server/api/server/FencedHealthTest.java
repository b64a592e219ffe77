package dev.berth.server.api.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;

import org.junit.jupiter.api.Test;

class FencedHealthTest {

    @Test
    void anIdleServerSaysThatAnotherHasTakenOver() throws Exception {
        try (var server = TestServer.open()) {
            assertThat(server.socket().get("/api/health").status()).isEqualTo(200);

            server.store.open();

            eventually("health fails", () -> server.socket().get("/api/health").status() == 503);
            assertThat(server.socket().get("/api/health").text())
                    .contains("Another server has taken over this home");
        }
    }
}
