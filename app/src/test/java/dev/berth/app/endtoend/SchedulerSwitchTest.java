package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

/** A scheduler that a user stopped, and tasks that waited too long. */
@ExtendWith(ServerHarnessExtension.class)
final class SchedulerSwitchTest {

    @Test
    void stoppedItStartsNothingAlsoAfterARestartAndWhatRunsGoesOn(ServerHarness harness) {
        var before = harness.simulatedGpus(2).start();
        var gate = new CommandGate(harness.file("gate"));
        long running = before.submit(TaskBuilder.oneGpu(gate.command()));
        before.awaitPhase(running, "running");
        assertThat(state(before).path("running").asBoolean()).isTrue();

        assertSwitched(turn(before, "stop"), false, true);
        assertSwitched(turn(before, "stop"), false, false);
        long waiting = before.submit(TaskBuilder.oneGpu("true"));
        long cpu = before.submit(TaskBuilder.cpu("true"));

        var api = harness.restart();

        assertThat(state(api).path("running").asBoolean(true)).isFalse();
        assertThat(state(api).path("by").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(state(api).path("since").asString()).startsWith("20");
        gate.open();
        assertThat(api.awaitEnd(running).path("status").asString()).isEqualTo("completed");
        eventually("both cards are free", () -> api.holders().isEmpty());
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.status(cpu)).isEqualTo("queued");
        assertThat(api.waitReasonCodes(waiting)).contains("paused.stopped");
        assertThat(api.placement(waiting).path("would_start").asBoolean()).isFalse();
        var queue = api.client().get("/api/queue").expect(200);
        assertThat(queue.path("scheduler_running").asBoolean(true)).isFalse();
        assertThat(queue.path("paused").path("code").asString()).isEqualTo("paused.stopped");
        assertThat(problems(api)).contains("stopped");
        long draft = api.submit(TaskBuilder.oneGpu("true").with("draft", true));
        api.client().post("/experiments/" + draft + "/start/", "{}").expect(200);
        assertThat(api.awaitEnd(draft).path("status").asString()).isEqualTo("completed");

        assertSwitched(turn(api, "start"), true, true);
        assertSwitched(turn(api, "start"), true, false);

        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(api.awaitEnd(cpu).path("status").asString()).isEqualTo("completed");
        assertThat(api.client().get("/api/health").status()).isEqualTo(200);
        assertThat(api.events("scheduler.stopped")).hasSize(1);
        assertThat(api.events("scheduler.started")).hasSize(1);
    }

    @Test
    void aLongWaitIsWarnedAboutOnceAndFailsHealthUntilItIsOver(ServerHarness harness) {
        var api = harness.configure("queue_wait_warn_seconds: 1\n").simulatedGpus(1).start();
        var gate = new CommandGate(harness.file("gate"));
        api.awaitPhase(api.submit(TaskBuilder.oneGpu(gate.command())), "running");
        long waiting = api.submit(TaskBuilder.oneGpu("true"));
        assertThat(api.client().get("/api/queue").expect(200).path("wait_warn_seconds").asInt())
                .isEqualTo(1);

        eventually("the alert is recorded", () -> !api.events("alert.long_wait").isEmpty());

        assertThat(api.events("alert.long_wait"))
                .singleElement()
                .satisfies(event -> assertThat(event.path("task_id").asLong()).isEqualTo(waiting));
        assertThat(problems(api)).contains("task " + waiting).contains("queue_wait_warn_seconds");
        var queue = api.client().get("/api/queue").expect(200);
        assertThat(queue.path("longest_wait_seconds").asDouble()).isGreaterThan(1);
        assertThat(queue.path("longest_wait_task_id").asLong()).isEqualTo(waiting);
        assertThat(queue.path("waiting_too_long").asInt()).isEqualTo(1);
        eventually("the log warns once", () -> warnings(harness, waiting) == 1);
        gate.open();
        api.awaitEnd(waiting);
        assertThat(api.client().get("/api/health").status()).isEqualTo(200);
        assertThat(api.events("alert.long_wait")).hasSize(1);
    }

    private static long warnings(ServerHarness harness, long task) {
        var words = "alert.long_wait task=" + task + " ";
        return harness.server()
                .stderr()
                .lines()
                .filter(line -> line.contains(" WARNING ") && line.contains(words))
                .count();
    }

    private static JsonNode state(TestApi api) {
        return api.client().get("/api/scheduler").expect(200);
    }

    private static JsonNode turn(TestApi api, String action) {
        return api.client().post("/api/scheduler/" + action, "").expect(200);
    }

    private static void assertSwitched(JsonNode state, boolean running, boolean changed) {
        assertThat(state.path("running").asBoolean(!running)).isEqualTo(running);
        assertThat(state.path("changed").asBoolean(!changed)).isEqualTo(changed);
    }

    private static String problems(TestApi api) {
        return api.client().get("/api/health").expect(503).path("problems").toString();
    }
}
