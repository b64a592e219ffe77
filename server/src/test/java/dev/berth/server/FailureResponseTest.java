package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.identity.AuthMode;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Responses when something below the HTTP server fails. */
class FailureResponseTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @Test
    void fullDiskIsReportedAndNothingIsAcknowledged() {
        server.store.failNextCommits(1, StoreFailure.Kind.FULL);
        var reply = server.socket().post("/api/tasks", TestServer.cpuTask("x"));
        assertThat(reply.status()).isEqualTo(507);
        assertThat(reply.code()).isEqualTo("store.full");
        assertThat(reply.header("Retry-After")).isPresent();
        assertThat(server.tasks()).isZero();
        var health = server.tcp().get("/api/health");
        assertThat(health.status()).isEqualTo(503);
        assertThat(health.json().get("status").asString()).isEqualTo("failing");
        assertThat(health.json().get("problems").size()).isEqualTo(1);
        // Recovers by itself, once there is space.
        server.submit(TestServer.cpuTask("y"));
        eventually("all is well", () -> server.tcp().get("/api/health").status() == 200);
    }

    @Test
    void unwritableStoreIsReported() {
        server.store.failNextCommits(1, StoreFailure.Kind.UNAVAILABLE);
        var reply = server.socket().post("/api/tasks", TestServer.cpuTask("x"));
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.header("Retry-After")).isPresent();
    }

    @Test
    void lowDiskSpaceFailsHealthButNotReads() {
        server.engine.observe(new Fact.DiskSpaceRead("here", true, 12));
        eventually("health fails", () -> server.tcp().get("/api/health").status() == 503);
        assertThat(server.tcp().get("/api/health").text()).contains("12 MiB free");
        assertThat(server.tcp().get("/api/tasks").status()).isEqualTo(200);
        long id = server.submit(TestServer.cpuTask("held back"));
        var reason = server.socket().get("/api/tasks/" + id).json().get("wait_reasons").get(0);
        assertThat(reason.get("code").asString()).isEqualTo("paused.disk_low");
    }

    @Test
    void unauthenticatedCallersSeeNoDetails() throws Exception {
        server.close();
        server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT);
        var token = "Authorization: Bearer " + server.token();
        server.engine.observe(new Fact.DiskSpaceRead("here", true, 12));
        eventually("health fails", () -> server.tcp().get("/api/health").status() == 503);
        for (var stranger :
                List.of(
                        server.tcp().get("/api/health"),
                        server.tcp().get("/api/health", "Authorization: Bearer berth_no"))) {
            assertThat(stranger.status()).isEqualTo(503);
            assertThat(stranger.text()).isEqualTo("{\"status\":\"failing\"}\n");
        }
        assertThat(server.socket().get("/api/health").text()).contains("12 MiB free");
        assertThat(server.tcp().get("/api/health", token).text()).contains("12 MiB free");
        assertThat(server.tcp().get("/api/health", server.cookie()).text()).contains("12 MiB free");
    }

    @Test
    void internalErrorRevealsNoDetails() {
        server.logs.defective = true;
        long id = server.submit(TestServer.cpuTask("x"));
        var reply = server.socket().get("/api/tasks/" + id + "/logs");
        assertThat(reply.status()).isEqualTo(500);
        assertThat(reply.json().get("params").get("incident").asString()).isNotBlank();
        assertThat(reply.text())
                .doesNotContain("secret")
                .doesNotContain("Exception")
                .doesNotContain("dev.berth");
    }
}
