package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;

/** How long a task may run. */
@ExtendWith(Worlds.class)
final class TimeLimitTest {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** Far from the end of {@code sleep 60}, and not near the limit where a machine is busy. */
    private static final Duration LONG_AFTER = Duration.ofSeconds(30);

    @Test
    void aLimitIsWithinBoundsAndOnlyModelTasksHaveOneUnstated(World world) {
        var api = world.start();
        for (var wrong : new Object[] {86_401, 0, -1, 1.5}) {
            var body = Order.card("true").with("timeout_seconds", wrong).body();
            assertThat(api.door().post("/api/tasks", body).expect(422).path("field").asString())
                    .as("%s", wrong)
                    .isEqualTo("timeout_seconds");
        }

        long longest = api.submit(draft().with("timeout_seconds", 86_400));
        long model = api.submit(draft().with("model_name", "m"));
        long typed = api.submit(draft().with("task_type", "stability"));
        long plain = api.submit(draft());

        assertThat(limit(api, longest).asInt()).isEqualTo(86_400);
        assertThat(limit(api, model).asInt()).isEqualTo(3600);
        assertThat(limit(api, typed).asInt()).isEqualTo(3600);
        assertThat(limit(api, plain).isNull()).isTrue();
    }

    @Test
    @Tag("slow")
    void aModelTaskIsEndedAtTheLimitAndAPlainOneIsNot(World world) {
        var api = withLimit(world).start();
        long model = api.submit(Order.card("sleep 60").with("model_name", "m"));
        long plain = api.submit(Order.card("sleep 5"));
        long stated = api.submit(Order.cpu("sleep 60").with("timeout_seconds", 3));

        assertTimedOut(api.awaitFinal(model));
        assertTimedOut(api.awaitFinal(stated));
        assertThat(api.awaitFinal(plain).path("status").asString()).isEqualTo("completed");
        assertThat(api.holders()).isEmpty();
        world.awaitNoStrays();
    }

    @Test
    @Tag("slow")
    void theLimitCountsFromTheStartAlsoWhereTheServerWasKilledMeanwhile(World world) {
        var before = withLimit(world).start();
        long id = before.submit(Order.card("sleep 60").with("model_name", "m"));
        before.awaitPhase(id, "running");

        var api = world.restart();

        assertTimedOut(api.awaitFinal(id));
        assertThat(Api.list(api.task(id).path("attempts"))).hasSize(1);
        world.awaitNoStrays();
    }

    private static World withLimit(World world) {
        return world.configure("scheduler:\n  default_task_timeout_seconds: 3\n");
    }

    private static void assertTimedOut(JsonNode task) {
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).contains("timeout").contains("3");
        var started = Instant.parse(task.path("started_at").asString());
        var finished = Instant.parse(task.path("finished_at").asString());
        assertThat(Duration.between(started, finished)).isBetween(LIMIT, LONG_AFTER);
    }

    private static Order draft() {
        return Order.card("true").with("draft", true);
    }

    private static JsonNode limit(Api api, long id) {
        return api.task(id).path("timeout_seconds");
    }
}
