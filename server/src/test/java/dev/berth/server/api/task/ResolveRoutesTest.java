package dev.berth.server.api.task;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.port.Fact;
import dev.berth.server.FakeAttemptProcesses;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

class ResolveRoutesTest {

    private TestServer server;
    private long task;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        task =
                server.submit(
                        TestServer.body(Map.of("name", "n", "command", "true", "gpu_count", 1)));
        awaitPhase("running");
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"as\":\"gone\"} | 422 | as.unknown",
                "{\"as\":\"ENDED\"} | 422 | as.unknown",
                "{\"as\":\"\"} | 422 | as.unknown",
                "{\"as\":7} | 422 |",
                "{\"as\":null} | 422 |",
                "{} | 422 |",
                "{\"as\":\"ended\",\"pid\":5} | 422 | resolve.pid",
                "{\"as\":\"running\",\"pid\":0} | 422 |",
                "{\"as\":\"running\",\"pid\":\"5\"} | 422 |",
                "{\"as\":\"running\",\"pid\":99999999} | 422 |",
                "{\"as\":\"running\",\"pid\":5} | 422 | resolve.no_process",
                "{\"as\":\"ended\",\"force\":\"yes\"} | 422 |",
                "{\"as\":\"ended\",\"how\":1} | 422 | field.unknown",
                "[] | 400 | json.no_object",
                "{ | 400 |",
            })
    void badInputIsRefused(String body, int status, String code) {
        lose();
        var reply = resolve(body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        if (code != null) {
            assertThat(reply.json().get("code").asString()).isEqualTo(code);
        }
        assertThat(phase()).isEqualTo("lost");
    }

    @Test
    void aTaskThatIsNeitherLostNorStuckCannotBeResolved() {
        refused("ended", "resolve.in_contact");
        assertThat(server.socket().post("/api/tasks/999/resolve", "{\"as\":\"ended\"}").status())
                .isEqualTo(404);
        server.stopScheduler();
        long waiting = server.submit(TestServer.body(Map.of("name", "w", "command", "true")));
        assertThat(
                        server.socket()
                                .post("/api/tasks/" + waiting + "/resolve", "{\"as\":\"requeue\"}")
                                .status())
                .isEqualTo(409);
    }

    @Test
    void whileItsProcessesAreSeenALostTaskIsNotEndedEvenByForce() {
        lose();
        server.processes.alive.add(FakeAttemptProcesses.python(4711));
        refused("ended", "resolve.alive");
        refused("requeue", "resolve.alive");
        assertThat(resolve("{\"as\":\"requeue\",\"force\":true}").status()).isEqualTo(409);
        assertThat(resolve("{\"as\":\"ended\"}").json().get("detail").asString())
                .contains("python (pid 4711)");
        server.processes.alive.clear();
        var reply = resolve("{\"as\":\"ended\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.json().get("status").asString()).isEqualTo("failed");
        assertThat(reply.json().get("error").asString()).contains("resolved it as ended");
    }

    @Test
    void aStuckTaskCanBeEndedByForce() {
        server.node.observe(new Fact.Stuck(attempt(), "python (pid 4711)"));
        awaitPhase("stuck");
        server.processes.alive.add(FakeAttemptProcesses.python(4711));
        refused("ended", "resolve.alive");
        refused("running", "resolve.stuck");
        assertThat(resolve("{\"as\":\"ended\",\"force\":true}").status()).isEqualTo(200);
        eventually("the node forgets it", () -> server.node.forgotten.equals(List.of(attempt())));
    }

    @Test
    void withoutASightOfTheProcessesOnlyForceDecides() {
        lose();
        server.processes.isUnreadable = true;
        refused("requeue", "resolve.unseen");
        refused("running", "resolve.unseen");
        var reply = resolve("{\"as\":\"requeue\",\"force\":true}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.json().get("status").asString()).isIn("queued", "running");
    }

    @Test
    void aFoundOrNamedProcessIsWatched() {
        lose();
        refused("running", "resolve.none_found");
        var python = FakeAttemptProcesses.python(4711);
        server.processes.alive.add(python);
        assertThat(resolve("{\"as\":\"running\"}").status()).isEqualTo(200);
        // The reply goes out before the node gets its order.
        eventually(
                "it is watched", () -> python.process().equals(server.node.watched.get(attempt())));
        assertThat(resolve("{\"as\":\"running\",\"pid\":4711}").status()).isEqualTo(200);
    }

    private void refused(String as, String code) {
        var reply = resolve("{\"as\":\"" + as + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(409);
        assertThat(reply.json().get("code").asString()).isEqualTo(code);
    }

    private TestHttpClient.Reply resolve(String body) {
        return server.socket().post("/api/tasks/" + task + "/resolve", body);
    }

    private void lose() {
        server.node.observe(new Fact.Lost(attempt(), "unreadable"));
        awaitPhase("lost");
    }

    private AttemptId attempt() {
        return new AttemptId(new TaskId(task), 1);
    }

    private void awaitPhase(String phase) {
        eventually("it is " + phase, () -> phase().equals(phase));
    }

    private String phase() {
        return server.show(task).get("phase").asString();
    }
}
