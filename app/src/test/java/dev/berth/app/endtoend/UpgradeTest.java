package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A home that version 0.1.0 wrote opens and goes on.
 *
 * <p>Its server was killed while task 7 ran (which then ended with exit code 0), task 8 ran (whose
 * processes were then killed), task 9 and task 6 of a file run waited, and task 3 was a draft.
 */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class UpgradeTest {

    private static final Path WORK_DIR = Path.of("/tmp/lab");

    private final ServerHarness world;
    private TestApi api;

    UpgradeTest(ServerHarness world) {
        this.world = world;
    }

    /** One server for all tests: each looks at other tasks. */
    @BeforeAll
    void openTheHomeOf010() throws IOException, InterruptedException {
        var archive = world.file("home.tar.gz");
        try (var in = UpgradeTest.class.getResourceAsStream("/home-0.1.0/home.tar.gz")) {
            Files.copy(Objects.requireNonNull(in), archive, StandardCopyOption.REPLACE_EXISTING);
        }
        var tar =
                new ProcessBuilder(
                                "tar",
                                "-xzf",
                                archive.toString(),
                                "--no-same-owner",
                                "-C",
                                world.home().toString())
                        .inheritIO()
                        .start();
        assertThat(tar.waitFor()).isZero();
        // The tasks of that home start there.
        Files.createDirectories(WORK_DIR);
        world.options("--gpus", "sim:2x24576", "--auth", "none");
        api = world.start();
    }

    @Test
    void tasksThatWereRunningAreClosedAndThoseThatWaitedStart() {
        assertThat(api.awaitEnd(7).path("status").asString()).isEqualTo("completed");
        assertThat(api.task(7).path("exit_code").asInt()).isZero();
        assertThat(api.log(7, 100)).contains("started", "ended");
        assertThat(api.awaitEnd(8).path("status").asString()).isEqualTo("failed");
        assertThat(api.awaitEnd(9).path("status").asString()).isEqualTo("completed");
        assertThat(api.log(9, 100)).contains("queued ran with A=b");
    }

    @Test
    void endedTasksKeepTheirLogsExitCodesAndCauses() {
        assertThat(api.task(1).path("status").asString()).isEqualTo("completed");
        assertThat(api.log(1, 100)).contains("hello from 0.1.0");
        assertThat(api.task(2).path("exit_code").asInt()).isEqualTo(3);
        assertThat(api.task(2).at("/diagnosis/cause").asString()).isNotEmpty();
        assertThat(api.tasks()).hasSizeGreaterThanOrEqualTo(9);
    }

    @Test
    void foldersOfEndedTasksAreReducedToFewFiles() {
        var folder = world.tasks().resolve("task_2");
        eventually("it is folded", () -> !Files.exists(folder.resolve("attempts")));

        try (var files = Files.walk(folder)) {
            assertThat(files).hasSize(6);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(folder.resolve("exit_code")).hasContent("3");
        assertThat(api.log(2, 100)).isNotEmpty();
        assertThat(api.task(2).path("log_path").asString()).endsWith("task_2/tmux.log");
        assertThat(api.task(2).path("exit_code").asInt()).isEqualTo(3);
    }

    @Test
    void aDraftCanBeQueued() {
        assertThat(api.status(3)).isEqualTo("pending");
        api.client().post("/experiments/3/queue/", "").expect(200);
        assertThat(api.awaitEnd(3).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void theFileRunGoesOn() {
        var run = api.client().get("/api/scheduler/run/1").expect(200);
        assertThat(run.path("status").asString()).isEqualTo("running");
        assertThat(run.path("completed").asInt()).isEqualTo(2);
        eventually(
                "its interrupted task waits for a retry",
                () -> !api.task(6).path("backoff_until").isNull());
        assertThat(api.client().get("/api/commands/single").expect(200).path("content").asString())
                .startsWith("1\necho first\n1\n");
    }

    @Test
    void theConfigurationHolds() {
        var values = new TreeMap<String, String>();
        TestApi.list(api.client().get("/api/config").expect(200))
                .forEach(
                        entry ->
                                values.put(
                                        entry.path("key").asString(),
                                        entry.path("value").toString()));
        assertThat(values)
                .containsEntry("priority_algorithm", "\"fair_share\"")
                .containsEntry("backfill", "\"greedy\"")
                .containsEntry("gpu_left", "0");
    }

    @Test
    void theTokenStillWorks() throws IOException {
        var token = Files.readString(world.home().resolve("token-for-the-test")).strip();
        var answer =
                api.client()
                        .send(
                                new TestClient.TestRequest(
                                        "GET",
                                        "/api/me",
                                        Map.of("Authorization", "Bearer " + token),
                                        ""));
        assertThat(answer.expect(200).path("via").asString()).isEqualTo("token");
    }

    @Test
    void everyEventIsStillReadable() {
        var events =
                TestApi.list(api.client().get("/api/events/log?limit=1000").expect(200)).stream()
                        .map(event -> event.path("kind").asString())
                        .distinct()
                        .toList();
        assertThat(events)
                .containsAll(
                        List.of(
                                "server.started",
                                "task.submitted",
                                "attempt.granted",
                                "attempt.started",
                                "attempt.ended"));
        var alerts = TestApi.list(api.client().get("/api/alerts").expect(200));
        assertThat(alerts).extracting(alert -> alert.path("message").asString()).doesNotContain("");
    }

    @Test
    void theHistoryAndUsageOfThatTimeAreStillThere() {
        var usage = api.client().get("/api/usage?days=366").expect(200);
        assertThat(usage.at("/total/tasks").asInt()).isGreaterThanOrEqualTo(5);
        JsonNode history = api.client().get("/api/gpus/0/history").expect(200);
        assertThat(history.path("points").isArray()).isTrue();
    }
}
