package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.DriverManager;
import java.util.List;
import java.util.stream.LongStream;

/** Rows of ended tasks that the disk has changed: the others stay readable, and clients notice. */
@ExtendWith(ServerHarnessExtension.class)
final class DamagedTaskTest {

    private static final int COUNT = 300;

    /** In the first part of the list, which is read before the headers are sent. */
    private static final long EARLY = 290;

    private static final long LATE = 150;

    private final HttpClient http = HttpClient.newHttpClient();

    /** Starts a server whose database has two damaged rows. */
    private static void startDamaged(ServerHarness harness) throws Exception {
        var api = harness.start();
        long first = api.submit(TaskBuilder.cpu("true"));
        api.awaitEnd(first);
        harness.server().stop();
        StoredTasks.copy(harness, first, COUNT - 1);
        var database = "jdbc:sqlite:" + harness.home().resolve("runtime/tasks.db");
        try (var connection = DriverManager.getConnection(database);
                var statement = connection.createStatement()) {
            int changed =
                    statement.executeUpdate(
                            "UPDATE tasks SET name = 'other' WHERE id IN ("
                                    + EARLY
                                    + ","
                                    + LATE
                                    + ")");
            assertThat(changed).isEqualTo(2);
        }
        harness.start();
    }

    private HttpResponse<String> get(ServerHarness harness, String path)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(harness.url() + path)).build(),
                BodyHandlers.ofString());
    }

    private static List<Long> ids(HttpResponse<String> list) {
        assertThat(list.statusCode()).isEqualTo(200);
        return TestApi.list(TestClient.JSON.readTree(list.body())).stream()
                .map(task -> task.path("id").asLong())
                .toList();
    }

    private static List<String> named(HttpResponse<String> list) {
        return list.headers().allValues("X-Damaged-Tasks");
    }

    @Test
    void aListIsCutOnceAndThenNamesWhatItLeavesOut(ServerHarness harness) throws Exception {
        startDamaged(harness);
        assertThatIOException().isThrownBy(() -> get(harness, "/api/tasks"));

        var again = get(harness, "/api/tasks");

        assertThat(named(again)).containsExactly(EARLY + "," + LATE);
        assertThat(ids(again))
                .isEqualTo(
                        LongStream.iterate(COUNT, id -> id > 0, id -> id - 1)
                                .filter(id -> id != EARLY && id != LATE)
                                .boxed()
                                .toList());
    }

    @Test
    void shortPagesNameADamagedTaskAtOnceAndGoOnAfterIt(ServerHarness harness) throws Exception {
        startDamaged(harness);
        var page = get(harness, "/api/tasks?limit=3&before=" + (LATE + 2));
        assertThat(ids(page)).containsExactly(LATE + 1, LATE - 1);
        assertThat(named(page)).containsExactly(Long.toString(LATE));

        var after = get(harness, "/api/tasks?limit=2&sort=finished_at&after=" + LATE);
        assertThat(ids(after)).containsExactly(LATE + 1, LATE + 2);
        assertThat(named(after)).isEmpty();

        assertThat(get(harness, "/api/tasks/" + LATE).statusCode()).isEqualTo(500);
        assertThat(get(harness, "/api/tasks/" + (LATE - 1)).statusCode()).isEqualTo(200);
    }

    @Test
    void theDamageRaisesOneAlert(ServerHarness harness) throws Exception {
        startDamaged(harness);
        for (int i = 0; i < 3; i++) {
            var _ = get(harness, "/api/tasks?limit=100");
        }
        eventually("an alert is raised", () -> damageAlerts(harness) > 0);
        var _ = get(harness, "/api/tasks/" + LATE);
        var health = get(harness, "/api/health");

        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(damageAlerts(harness)).isEqualTo(1);
    }

    private static long damageAlerts(ServerHarness harness) {
        return TestApi.list(harness.api().client().get("/api/alerts").expect(200)).stream()
                .map(JsonNode::toString)
                .filter(alert -> alert.contains("database_damaged"))
                .count();
    }
}
