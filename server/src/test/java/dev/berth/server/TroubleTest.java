package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.engine.port.Fact;
import dev.berth.engine.port.StoreFailure;
import dev.berth.server.identity.Auth;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What callers see when something below the door fails. */
class TroubleTest {

    private Premises premises;

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open();
    }

    @AfterEach
    void close() throws Exception {
        premises.close();
    }

    @Test
    void aFullDiskIsSaidAndNothingIsAcknowledged() {
        premises.store.failNextCommits(1, StoreFailure.Kind.FULL);
        var reply = premises.socket().post("/api/tasks", Premises.cpuTask("x"));
        assertThat(reply.status()).isEqualTo(507);
        assertThat(reply.code()).isEqualTo("store.full");
        assertThat(reply.header("Retry-After")).isPresent();
        assertThat(premises.tasks()).isZero();
        var health = premises.tcp().get("/api/health");
        assertThat(health.status()).isEqualTo(503);
        assertThat(health.json().get("status").asString()).isEqualTo("failing");
        assertThat(health.json().get("problems").size()).isEqualTo(1);
        // By itself, once there is room.
        premises.submit(Premises.cpuTask("y"));
        eventually("all is well", () -> premises.tcp().get("/api/health").status() == 200);
    }

    @Test
    void aStoreThatCannotBeWrittenIsSaid() {
        premises.store.failNextCommits(1, StoreFailure.Kind.UNAVAILABLE);
        var reply = premises.socket().post("/api/tasks", Premises.cpuTask("x"));
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.header("Retry-After")).isPresent();
    }

    @Test
    void lowDiskSpaceFailsHealthButNotReads() {
        premises.engine.observe(new Fact.DiskSpace("here", true, 12));
        eventually("health fails", () -> premises.tcp().get("/api/health").status() == 503);
        assertThat(premises.tcp().get("/api/health").text()).contains("12 MiB free");
        assertThat(premises.tcp().get("/api/tasks").status()).isEqualTo(200);
        long id = premises.submit(Premises.cpuTask("held back"));
        var reason = premises.socket().get("/api/tasks/" + id).json().get("wait_reasons").get(0);
        assertThat(reason.get("code").asString()).isEqualTo("paused.disk_low");
    }

    @Test
    void strangersAreToldOnlyThatSomethingIsWrong() throws Exception {
        premises.close();
        premises = Premises.open(Auth.TOKEN, Door.Patience.USUAL);
        var token = "Authorization: Bearer " + premises.token();
        premises.engine.observe(new Fact.DiskSpace("here", true, 12));
        eventually("health fails", () -> premises.tcp().get("/api/health").status() == 503);
        for (var stranger :
                List.of(
                        premises.tcp().get("/api/health"),
                        premises.tcp().get("/api/health", "Authorization: Bearer berth_no"))) {
            assertThat(stranger.status()).isEqualTo(503);
            assertThat(stranger.text()).isEqualTo("{\"status\":\"failing\"}\n");
        }
        assertThat(premises.socket().get("/api/health").text()).contains("12 MiB free");
        assertThat(premises.tcp().get("/api/health", token).text()).contains("12 MiB free");
        assertThat(premises.tcp().get("/api/health", premises.cookie()).text())
                .contains("12 MiB free");
    }

    @Test
    void aDefectIsAnsweredWithoutItsInsides() {
        premises.logs.defective = true;
        long id = premises.submit(Premises.cpuTask("x"));
        var reply = premises.socket().get("/api/tasks/" + id + "/logs");
        assertThat(reply.status()).isEqualTo(500);
        assertThat(reply.json().get("params").get("incident").asString()).isNotBlank();
        assertThat(reply.text())
                .doesNotContain("secret")
                .doesNotContain("Exception")
                .doesNotContain("dev.berth");
    }
}
