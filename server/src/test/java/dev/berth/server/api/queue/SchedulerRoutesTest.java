package dev.berth.server.api.queue;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Map;

class SchedulerRoutesTest {

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
    void initialStateHasNoLastChange() {
        assertThat(server.socket().get("/api/scheduler").text())
                .isEqualTo("{\"running\":true,\"changed\":false,\"since\":null,\"by\":null}\n");
    }

    @Test
    void stoppedSchedulerStartsNothingAndShowsTheReason() {
        long runs = server.submit(TestServer.cpuTask("runs"));
        var stopped = server.socket().post("/api/scheduler/stop", "").json();
        assertThat(stopped.get("running").asBoolean()).isFalse();
        assertThat(stopped.get("changed").asBoolean()).isTrue();
        assertThat(stopped.get("by").asString()).isNotBlank();
        assertThat(stopped.get("since").asString()).endsWith("Z");
        var again = server.socket().post("/api/scheduler/stop", "{}").json();
        assertThat(again.get("changed").asBoolean()).isFalse();
        assertThat(again.get("since")).isEqualTo(stopped.get("since"));

        long waits = server.submit(TestServer.cpuTask("waits"));
        var reason = server.show(waits).get("wait_reasons").get(0);
        assertThat(reason.get("code").asString()).isEqualTo("paused.stopped");
        var queue = server.socket().get("/api/queue").json();
        assertThat(queue.get("scheduler_running").asBoolean()).isFalse();
        assertThat(queue.get("paused")).isEqualTo(reason);
        var health = server.socket().get("/api/health");
        assertThat(health.status()).isEqualTo(503);
        assertThat(health.text()).contains("scheduler is stopped");
        server.end(runs, 0);

        var started = server.socket().post("/api/scheduler/start", "").json();
        assertThat(started.get("running").asBoolean()).isTrue();
        assertThat(started.get("changed").asBoolean()).isTrue();
        assertThat(
                        server.socket()
                                .post("/api/scheduler/start", "")
                                .json()
                                .get("changed")
                                .asBoolean())
                .isFalse();
        eventually(
                "it starts", () -> server.show(waits).get("status").asString().equals("running"));
        assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
    }

    @Test
    void stopSurvivesARestart() throws Exception {
        server.stopScheduler();
        server = server.restart();
        var after = server.socket().get("/api/scheduler").json();
        assertThat(after.get("running").asBoolean()).isFalse();
        assertThat(after.get("changed").asBoolean()).isFalse();
    }

    @Test
    void streamsReceiveTheChange() {
        try (var client = EventClient.listen(server.door.url(), "/api/events")) {
            client.await("it has the picture", one -> one.received("queue").size() == 1);
            server.stopScheduler();
            client.await("it sees the stop", one -> one.received("queue").size() == 2);
            assertThat(client.received("queue").getLast().data())
                    .isEqualTo("{\"queued\":0,\"running\":0,\"scheduler_running\":false}");
            server.draft(Map.of("name", "d", "command", "true"));
            client.await("it receives the draft", one -> one.received("task").size() == 1);
            assertThat(client.received("task").getLast().data()).contains("task.drafted");
            server.submit(TestServer.cpuTask("waits"));
            client.await("it sees the task wait", one -> one.received("queue").size() == 3);
            assertThat(client.received("queue").getLast().data())
                    .isEqualTo("{\"queued\":1,\"running\":0,\"scheduler_running\":false}");
        }
    }

    @Test
    void unexpectedBodyIsRejected() {
        assertThat(server.socket().post("/api/scheduler/stop", "{\"force\":true}").field())
                .isEqualTo("force");
        assertThat(server.socket().get("/api/scheduler").json().get("running").asBoolean())
                .isTrue();
    }
}
