package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

/** A scheduler that somebody stopped, and tasks that have waited for too long. */
@ExtendWith(Worlds.class)
final class SchedulerSwitchTest {

    @Test
    void stoppedItStartsNothingAlsoAfterARestartAndWhatRunsGoesOn(World world) {
        var before = world.cards(2).start();
        var gate = new Gate(world.file("gate"));
        long running = before.submit(Order.card(gate.command()));
        before.awaitPhase(running, "running");
        assertThat(state(before).path("running").asBoolean()).isTrue();

        assertSwitched(turn(before, "stop"), false, true);
        assertSwitched(turn(before, "stop"), false, false);
        long waiting = before.submit(Order.card("true"));
        long cpu = before.submit(Order.cpu("true"));

        var api = world.restart();

        assertThat(state(api).path("running").asBoolean(true)).isFalse();
        assertThat(state(api).path("by").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(state(api).path("since").asString()).startsWith("20");
        gate.open();
        assertThat(api.awaitFinal(running).path("status").asString()).isEqualTo("completed");
        eventually("both cards are free", () -> api.holders().isEmpty());
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.status(cpu)).isEqualTo("queued");
        assertThat(api.waitsFor(waiting)).contains("paused.stopped");
        assertThat(api.placement(waiting).path("would_start").asBoolean()).isFalse();
        var queue = api.door().get("/api/queue").expect(200);
        assertThat(queue.path("scheduler_running").asBoolean(true)).isFalse();
        assertThat(queue.path("paused").path("code").asString()).isEqualTo("paused.stopped");
        assertThat(problems(api)).contains("stopped");
        long draft = api.submit(Order.card("true").with("draft", true));
        api.door().post("/experiments/" + draft + "/start/", "{}").expect(200);
        assertThat(api.awaitFinal(draft).path("status").asString()).isEqualTo("completed");

        assertSwitched(turn(api, "start"), true, true);
        assertSwitched(turn(api, "start"), true, false);

        assertThat(api.awaitFinal(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(api.awaitFinal(cpu).path("status").asString()).isEqualTo("completed");
        assertThat(api.door().get("/api/health").status()).isEqualTo(200);
        assertThat(api.events("scheduler.stopped")).hasSize(1);
        assertThat(api.events("scheduler.started")).hasSize(1);
    }

    @Test
    void aLongWaitIsWarnedAboutOnceAndFailsHealthUntilItIsOver(World world) {
        var api = world.configure("queue_wait_warn_seconds: 1\n").cards(1).start();
        var gate = new Gate(world.file("gate"));
        api.awaitPhase(api.submit(Order.card(gate.command())), "running");
        long waiting = api.submit(Order.card("true"));
        assertThat(api.door().get("/api/queue").expect(200).path("wait_warn_seconds").asInt())
                .isEqualTo(1);

        eventually("the alert is told", () -> !api.events("alert.long_wait").isEmpty());

        assertThat(api.events("alert.long_wait"))
                .singleElement()
                .satisfies(event -> assertThat(event.path("task_id").asLong()).isEqualTo(waiting));
        assertThat(problems(api)).contains("task " + waiting).contains("queue_wait_warn_seconds");
        var queue = api.door().get("/api/queue").expect(200);
        assertThat(queue.path("longest_wait_seconds").asDouble()).isGreaterThan(1);
        assertThat(queue.path("longest_wait_task_id").asLong()).isEqualTo(waiting);
        assertThat(queue.path("waiting_too_long").asInt()).isEqualTo(1);
        eventually("the log warns once", () -> warnings(world, waiting) == 1);
        gate.open();
        api.awaitFinal(waiting);
        assertThat(api.door().get("/api/health").status()).isEqualTo(200);
        assertThat(api.events("alert.long_wait")).hasSize(1);
    }

    private static long warnings(World world, long task) {
        var words = "alert.long_wait task=" + task + " ";
        return world.server()
                .stderr()
                .lines()
                .filter(line -> line.contains(" WARNING ") && line.contains(words))
                .count();
    }

    private static JsonNode state(Api api) {
        return api.door().get("/api/scheduler").expect(200);
    }

    private static JsonNode turn(Api api, String action) {
        return api.door().post("/api/scheduler/" + action, "").expect(200);
    }

    private static void assertSwitched(JsonNode state, boolean running, boolean changed) {
        assertThat(state.path("running").asBoolean(!running)).isEqualTo(running);
        assertThat(state.path("changed").asBoolean(!changed)).isEqualTo(changed);
    }

    private static String problems(Api api) {
        return api.door().get("/api/health").expect(503).path("problems").toString();
    }
}
