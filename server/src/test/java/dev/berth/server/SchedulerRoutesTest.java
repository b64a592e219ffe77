package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Map;

class SchedulerRoutesTest {

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
    void nobodyHasTouchedItAtFirst() {
        assertThat(premises.socket().get("/api/scheduler").text())
                .isEqualTo("{\"running\":true,\"changed\":false,\"since\":null,\"by\":null}\n");
    }

    @Test
    void stoppedItStartsNothingAndSaysWhy() {
        long runs = premises.submit(Premises.cpuTask("runs"));
        var stopped = premises.socket().post("/api/scheduler/stop", "").json();
        assertThat(stopped.get("running").asBoolean()).isFalse();
        assertThat(stopped.get("changed").asBoolean()).isTrue();
        assertThat(stopped.get("by").asString()).isNotBlank();
        assertThat(stopped.get("since").asString()).endsWith("Z");
        var again = premises.socket().post("/api/scheduler/stop", "{}").json();
        assertThat(again.get("changed").asBoolean()).isFalse();
        assertThat(again.get("since")).isEqualTo(stopped.get("since"));

        long waits = premises.submit(Premises.cpuTask("waits"));
        var reason = premises.show(waits).get("wait_reasons").get(0);
        assertThat(reason.get("code").asString()).isEqualTo("paused.stopped");
        var queue = premises.socket().get("/api/queue").json();
        assertThat(queue.get("scheduler_running").asBoolean()).isFalse();
        assertThat(queue.get("paused")).isEqualTo(reason);
        var health = premises.socket().get("/api/health");
        assertThat(health.status()).isEqualTo(503);
        assertThat(health.text()).contains("scheduler is stopped");
        premises.end(runs, 0);

        var started = premises.socket().post("/api/scheduler/start", "").json();
        assertThat(started.get("running").asBoolean()).isTrue();
        assertThat(started.get("changed").asBoolean()).isTrue();
        assertThat(
                        premises.socket()
                                .post("/api/scheduler/start", "")
                                .json()
                                .get("changed")
                                .asBoolean())
                .isFalse();
        eventually(
                "it starts", () -> premises.show(waits).get("status").asString().equals("running"));
        assertThat(premises.socket().get("/api/health").status()).isEqualTo(200);
    }

    @Test
    void aStopOutlivesTheServer() throws Exception {
        premises.stopScheduler();
        premises = premises.next();
        var after = premises.socket().get("/api/scheduler").json();
        assertThat(after.get("running").asBoolean()).isFalse();
        assertThat(after.get("changed").asBoolean()).isFalse();
    }

    @Test
    void listenersOfTheQueueAreTold() {
        try (var client = EventClient.listen(premises.door.url(), "/api/events")) {
            client.await("it has the picture", one -> one.heard("queue").size() == 1);
            premises.stopScheduler();
            client.await("it sees the stop", one -> one.heard("queue").size() == 2);
            assertThat(client.heard("queue").getLast().data())
                    .isEqualTo("{\"queued\":0,\"running\":0,\"scheduler_running\":false}");
            premises.draft(Map.of("name", "d", "command", "true"));
            client.await("it hears of the draft", one -> one.heard("task").size() == 1);
            assertThat(client.heard("task").getLast().data()).contains("task.drafted");
            premises.submit(Premises.cpuTask("waits"));
            client.await("it sees the task wait", one -> one.heard("queue").size() == 3);
            assertThat(client.heard("queue").getLast().data())
                    .isEqualTo("{\"queued\":1,\"running\":0,\"scheduler_running\":false}");
        }
    }

    @Test
    void aBodyWhereNoneBelongsIsRefused() {
        assertThat(premises.socket().post("/api/scheduler/stop", "{\"force\":true}").field())
                .isEqualTo("force");
        assertThat(premises.socket().get("/api/scheduler").json().get("running").asBoolean())
                .isTrue();
    }
}
