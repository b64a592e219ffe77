package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/** Rules that change while the server runs, and directories outside the home. */
@ExtendWith(ServerHarnessExtension.class)
final class RuleChangeTest {

    private static final String RULES =
            """
            # 调度配置
            check_time: 5  # 调度间隔（秒）
            gpu_left: 1
            """;

    @Test
    void aChangedRuleIsThereAfterARestartAndOneInMemoryIsNot(ServerHarness harness)
            throws IOException {
        var file = harness.home().resolve("config.yaml");
        Files.writeString(file, RULES);
        var api = harness.start();

        api.client().put("/api/rule", "{\"check_time\":7}").expect(200);
        api.client().put("/api/rule?persist=false", "{\"gpu_left\":3}").expect(200);
        assertThat(rule(api, "gpu_left").path("source").asString()).isEqualTo("in memory");
        api.client().put("/api/rule", "{\"check_time\":-1}").expect(422);

        assertThat(file).hasContent(RULES.replace("check_time: 5", "check_time: 7"));
        api = harness.restart();
        assertThat(rule(api, "check_time").path("value").asInt()).isEqualTo(7);
        assertThat(rule(api, "gpu_left").path("value").asInt()).isEqualTo(1);
    }

    @Test
    void aSettingThatWouldStopTheStartIsNotSaved(ServerHarness harness) {
        var api = harness.start();

        var refused = api.client().put("/api/setting", "{\"public_url\":\"ftp://x\"}").expect(422);

        assertThat(refused.path("field").asString()).isEqualTo("public_url");
        assertThat(harness.home().resolve("config")).doesNotExist();
    }

    @Test
    void databaseAndFoldersLieWhereTheyArePutAndAreFoundAgain(ServerHarness harness) {
        var database = harness.file("data/berth.db");
        var runtime = harness.file("scratch");
        harness.configure("db_path: " + database + "\nruntime_dir: " + runtime + "\n");
        var api = harness.start();

        long id = api.submit(TaskBuilder.cpu("echo here"));

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(database).isRegularFile();
        assertThat(runtime.resolve("tasks/task_" + id)).isDirectory();
        assertThat(harness.home().resolve("runtime")).doesNotExist();
        assertThat(harness.restart().status(id)).isEqualTo("completed");
    }

    @Test
    void twoHomesCannotKeepTheirTasksInOnePlace(ServerHarness harness) {
        var runtime = harness.file("scratch");
        harness.configure("runtime_dir: " + runtime + "\n");
        harness.start();
        try (var other = new ServerHarness()) {
            other.configure("runtime_dir: " + runtime + "\n");

            var server = other.launch();

            assertThat(server.endsWithin(Duration.ofMinutes(3))).isTrue();
            assertThat(server.outputTail()).contains(runtime + " is in use by");
        }
    }

    private static JsonNode rule(TestApi api, String key) {
        return TestApi.list(api.client().get("/api/rule").expect(200).path("entries")).stream()
                .filter(entry -> entry.path("key").asString().equals(key))
                .findFirst()
                .orElseThrow();
    }
}
