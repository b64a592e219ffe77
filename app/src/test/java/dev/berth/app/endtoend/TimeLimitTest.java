package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;

/** Time limits of tasks. */
@ExtendWith(ServerHarnessExtension.class)
final class TimeLimitTest {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** Far from the end of {@code sleep 60}, with a margin above the limit for a busy machine. */
    private static final Duration LONG_AFTER = Duration.ofSeconds(30);

    @Test
    void aLimitIsWithinBoundsAndOnlyModelTasksHaveOneUnstated(ServerHarness harness)
            throws IOException {
        var api = harness.start();
        for (var wrong : new Object[] {2_592_001, 0, -1, 1.5}) {
            var body = TaskBuilder.oneGpu("true").with("timeout_seconds", wrong).body();
            assertThat(api.client().post("/api/tasks", body).expect(422).path("field").asString())
                    .as("%s", wrong)
                    .isEqualTo("timeout_seconds");
        }

        var script = Files.writeString(harness.file("a.sh"), "true\n").toString();
        var tooLong = harness.command("submit", "--time", "30d1s", script);
        assertThat(tooLong.exitValue()).isEqualTo(1);
        assertThat(tooLong.stderr()).contains("--time", "scheduler.max_task_timeout_seconds");
        long twoDays =
                Long.parseLong(harness.run("submit", "--draft", "--time", "2d", script).strip());
        assertThat(limit(api, twoDays).asInt()).isEqualTo(172_800);

        long longest = api.submit(draft().with("timeout_seconds", 2_592_000));
        long model = api.submit(draft().with("model_name", "m"));
        long typed = api.submit(draft().with("task_type", "stability"));
        long plain = api.submit(draft());

        assertThat(limit(api, longest).asInt()).isEqualTo(2_592_000);
        assertThat(limit(api, model).asInt()).isEqualTo(3600);
        assertThat(limit(api, typed).asInt()).isEqualTo(3600);
        assertThat(limit(api, plain).isNull()).isTrue();
    }

    @Test
    @Tag("slow")
    void aModelTaskIsEndedAtTheLimitAndAPlainOneIsNot(ServerHarness harness) {
        var api = withLimit(harness).start();
        long model = api.submit(TaskBuilder.oneGpu("sleep 60").with("model_name", "m"));
        long plain = api.submit(TaskBuilder.oneGpu("sleep 5"));
        long stated = api.submit(TaskBuilder.cpu("sleep 60").with("timeout_seconds", 3));

        assertTimedOut(api.awaitEnd(model));
        assertTimedOut(api.awaitEnd(stated));
        assertThat(api.awaitEnd(plain).path("status").asString()).isEqualTo("completed");
        assertThat(api.holders()).isEmpty();
        harness.awaitNoLeftovers();
    }

    @Test
    @Tag("slow")
    void theLimitCountsFromTheStartAlsoWhereTheServerWasKilledMeanwhile(ServerHarness harness) {
        var before = withLimit(harness).start();
        long id = before.submit(TaskBuilder.oneGpu("sleep 60").with("model_name", "m"));
        before.awaitPhase(id, "running");

        var api = harness.restart();

        assertTimedOut(api.awaitEnd(id));
        assertThat(TestApi.list(api.task(id).path("attempts"))).hasSize(1);
        harness.awaitNoLeftovers();
    }

    private static ServerHarness withLimit(ServerHarness harness) {
        return harness.configure("scheduler:\n  default_task_timeout_seconds: 3\n");
    }

    private static void assertTimedOut(JsonNode task) {
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).contains("timeout").contains("3");
        var started = Instant.parse(task.path("started_at").asString());
        var finished = Instant.parse(task.path("finished_at").asString());
        assertThat(Duration.between(started, finished)).isBetween(LIMIT, LONG_AFTER);
    }

    private static TaskBuilder draft() {
        return TaskBuilder.oneGpu("true").with("draft", true);
    }

    private static JsonNode limit(TestApi api, long id) {
        return api.task(id).path("timeout_seconds");
    }
}
