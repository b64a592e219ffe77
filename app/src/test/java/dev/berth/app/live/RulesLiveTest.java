package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/** Rules that change while the server runs, and things that lie elsewhere. */
@ExtendWith(Worlds.class)
final class RulesLiveTest {

    private static final String RULES =
            """
            # 调度配置
            check_time: 5  # 调度间隔（秒）
            gpu_left: 1
            """;

    @Test
    void aChangedRuleIsThereAfterARestartAndOneInMemoryIsNot(World world) throws IOException {
        var file = world.home().resolve("config.yaml");
        Files.writeString(file, RULES);
        var api = world.start();

        api.door().put("/api/rule", "{\"check_time\":7}").expect(200);
        api.door().put("/api/rule?persist=false", "{\"gpu_left\":3}").expect(200);
        assertThat(rule(api, "gpu_left").path("source").asString()).isEqualTo("in memory");
        api.door().put("/api/rule", "{\"check_time\":-1}").expect(422);

        assertThat(file).hasContent(RULES.replace("check_time: 5", "check_time: 7"));
        api = world.restart();
        assertThat(rule(api, "check_time").path("value").asInt()).isEqualTo(7);
        assertThat(rule(api, "gpu_left").path("value").asInt()).isEqualTo(1);
    }

    @Test
    void aSettingThatWouldStopTheStartIsNotSaved(World world) {
        var api = world.start();

        var refused = api.door().put("/api/setting", "{\"public_url\":\"ftp://x\"}").expect(422);

        assertThat(refused.path("field").asString()).isEqualTo("public_url");
        assertThat(world.home().resolve("config")).doesNotExist();
    }

    @Test
    void databaseAndFoldersLieWhereTheyArePutAndAreFoundAgain(World world) {
        var database = world.file("data/berth.db");
        var runtime = world.file("scratch");
        world.configure("db_path: " + database + "\nruntime_dir: " + runtime + "\n");
        var api = world.start();

        long id = api.submit(Order.cpu("echo here"));

        assertThat(api.awaitFinal(id).path("status").asString()).isEqualTo("completed");
        assertThat(database).isRegularFile();
        assertThat(runtime.resolve("tasks/task_" + id)).isDirectory();
        assertThat(world.home().resolve("runtime")).doesNotExist();
        assertThat(world.restart().status(id)).isEqualTo("completed");
    }

    @Test
    void twoHomesCannotKeepTheirTasksInOnePlace(World world) {
        var runtime = world.file("scratch");
        world.configure("runtime_dir: " + runtime + "\n");
        world.start();
        try (var other = new World()) {
            other.configure("runtime_dir: " + runtime + "\n");

            var server = other.launch();

            assertThat(server.endsWithin(Duration.ofSeconds(60))).isTrue();
            assertThat(server.shown()).contains(runtime + " is in use by");
        }
    }

    private static JsonNode rule(Api api, String key) {
        return Api.list(api.door().get("/api/rule").expect(200).path("entries")).stream()
                .filter(entry -> entry.path("key").asString().equals(key))
                .findFirst()
                .orElseThrow();
    }
}
