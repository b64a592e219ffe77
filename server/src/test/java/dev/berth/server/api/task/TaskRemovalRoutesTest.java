package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;

class TaskRemovalRoutesTest {

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
    void anEndedTaskIsRemovedAndItsTraceStays() {
        long id = ended("short");

        var reply = delete("/api/tasks/" + id);

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.json().get("removed").asInt()).isEqualTo(1);
        assertThat(server.folders.discarded()).containsExactly(new TaskId(id));
        for (var path : new String[] {"", "/logs", "/wait"}) {
            var gone = server.socket().get("/api/tasks/" + id + path);
            assertThat(gone.status()).isEqualTo(404);
            assertThat(gone.json().get("code").asString()).isEqualTo("task.unknown");
            assertThat(gone.json().get("detail").asString())
                    .matches("Task " + id + " was removed on .+ by .+\\.");
        }
        assertThat(delete("/api/tasks/" + id).status()).isEqualTo(404);
        assertThat(delete("/api/tasks/999").json().get("detail").asString())
                .isEqualTo("There is no task 999.");
    }

    @Test
    void aTaskThatHasNotEndedIsRefusedWithTheWayOn() {
        long id = server.submit(TestServer.cpuTask("runs"));

        var reply = delete("/api/tasks/" + id);

        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.json().get("code").asString()).isEqualTo("task.not_ended");
        assertThat(reply.json().get("detail").asString()).contains("berth cancel " + id);
        assertThat(server.folders.discarded()).isEmpty();
    }

    @Test
    void manyAreRemovedByFilter() {
        ended("sweep-1");
        ended("sweep-2");
        long other = ended("other");
        var filter = "/api/tasks?status=completed&name=sweep-*";

        var counted = delete(filter + "&dry_run=true");
        assertThat(counted.text()).contains("\"removed\":0", "\"remaining\":2");
        var first = delete(filter + "&limit=1");
        assertThat(first.text()).contains("\"removed\":1", "\"remaining\":1");
        var second = delete(filter + "&older_than=0");
        assertThat(second.text()).contains("\"removed\":1", "\"remaining\":0");

        assertThat(server.show(other).get("name").asString()).isEqualTo("other");
        assertThat(delete("/api/tasks?status=failed").text()).contains("\"removed\":0");
        assertThat(delete("/api/tasks?status=ended&older_than=3600").text())
                .contains("\"removed\":0");
    }

    @ParameterizedTest
    @CsvSource({
        "'', status",
        "?status=running, status",
        "?status=ended&older_than=-1, older_than",
        "?status=ended&older_than=x, older_than",
        "?status=ended&limit=501, limit",
        "?status=ended&dry_run=maybe, dry_run"
    })
    void invalidParametersAreNamed(String query, String field) {
        var reply = delete("/api/tasks" + query);

        assertThat(reply.status()).as(reply.text()).isEqualTo(422);
        assertThat(reply.json().get("field").asString()).isEqualTo(field);
    }

    @Test
    void theServerTellsHowMuchItHolds() {
        ended("short");
        server.submit(TestServer.cpuTask("runs"));

        var info = server.socket().get("/api/server").json();

        assertThat(info.get("tasks").asInt()).isEqualTo(2);
        assertThat(info.get("ended_tasks").asInt()).isEqualTo(1);
        assertThat(info.get("database_bytes").isNumber()).isTrue();
    }

    @Test
    void aRunShowsOnlyItsOwnTasksAfterSomeWereRemoved() throws IOException {
        server.writeCommandFile("command_gpu.txt", "1\na\n1\n\n1\nb\n1\n");
        for (int run = 0; run < 2; run++) {
            var started = server.socket().post("/api/scheduler/single/start", "");
            assertThat(started.status()).as(started.text()).isLessThan(300);
            long first = 2L * run + 1;
            server.end(first, 0);
            assertThat(delete("/api/tasks/" + first).code()).isEqualTo("task.run_not_ended");
            server.end(first + 1, 0);
        }

        assertThat(delete("/api/tasks/4").status()).isEqualTo(200);

        var state = server.socket().get("/api/scheduler/run/2").json();
        assertThat(state.get("completed").asInt()).isOne();
        assertThat(state.get("queues").get("1").get("processes").valueStream())
                .extracting(process -> process.get("task_id").asLong())
                .containsExactly(3L);
    }

    private TestHttpClient.Reply delete(String path) {
        return server.socket().send("DELETE", path, List.of(), new byte[0]);
    }

    private long ended(String name) {
        long id = server.submit(TestServer.cpuTask(name));
        server.end(id, 0);
        return id;
    }
}
