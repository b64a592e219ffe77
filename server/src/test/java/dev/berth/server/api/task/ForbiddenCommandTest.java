package dev.berth.server.api.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.CommandPolicy;
import dev.berth.server.TestServer;
import dev.berth.testkit.http.TestHttpClient.Reply;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Every way to bring in a command asks {@code command_policy}. */
class ForbiddenCommandTest {

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private void allowPython() {
        server.commands = CommandPolicy.of(List.of("^python "), List.of(), Optional.of("Ask Ann."));
    }

    private static String task(String command) {
        return TestServer.body(Map.of("name", "t", "command", command, "devices", "cpu"));
    }

    private static void assertForbidden(Reply reply, String field) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(403);
        assertThat(reply.code()).isEqualTo("command.forbidden");
        assertThat(reply.field()).isEqualTo(field);
        assertThat(reply.json().get("detail").asString())
                .contains("command_policy.allow", "^python ", "Ask Ann.");
    }

    @Test
    void aTaskABatchADraftAndAPreviewAreRefused() {
        allowPython();
        var http = server.socket();
        assertForbidden(http.post("/api/tasks", task("rm -rf x")), "command");
        var batch = "[" + task("python a.py") + "," + task("rm -rf x") + "]";
        assertForbidden(http.post("/api/tasks/batch", batch), "[1].command");
        assertForbidden(http.post("/experiments/", task("rm -rf x")), "command");
        assertForbidden(http.post("/api/tasks/preview", task("rm -rf x")), "command");
        assertThat(server.tasks()).isZero();
        assertThat(http.post("/api/tasks", task("python a.py")).status()).isEqualTo(201);
    }

    @Test
    void aCloneAndANewCommandAreRefusedOtherChangesAreNot() {
        var http = server.socket();
        var draft = Map.of("name", "t", "command", "ls", "devices", "cpu", "draft", true);
        long id = http.post("/api/tasks", TestServer.body(draft)).json().get("id").asLong();
        allowPython();
        var path = "/api/tasks/" + id;
        assertForbidden(http.post(path + "/clone", ""), "command");
        assertForbidden(http.post(path + "/clone", "{\"name\":\"x\"}"), "command");
        assertForbidden(http.patch(path, "{\"command\":\"rm -rf x\"}"), "command");
        assertThat(http.patch(path, "{\"name\":\"new\"}").status()).isEqualTo(200);
        assertThat(http.patch(path, "{\"command\":\"python a.py\"}").status()).isEqualTo(200);
    }

    @Test
    void aBlockOfACommandFileIsLeftOutAndListed() throws Exception {
        allowPython();
        server.writeCommandFile("command_gpu.txt", "1\nrm -rf x\n1\n\n1\npython a.py\n1\n");
        var run = server.socket().post("/api/scheduler/single/start", "");
        assertThat(run.status()).as(run.text()).isEqualTo(200);
        assertThat(run.json().get("total").asInt()).isEqualTo(1);
        var problem = run.json().get("problems").get(0);
        assertThat(problem.get("line").asInt()).isEqualTo(1);
        assertThat(problem.get("code").asString()).isEqualTo("command.forbidden");
        assertThat(problem.get("detail").asString()).contains("command_policy.allow");
    }

    @Test
    void aFileWithoutAnAllowedBlockIsRefused() throws Exception {
        allowPython();
        server.writeCommandFile("command_gpu.txt", "1\nrm -rf x\n1\n");
        var run = server.socket().post("/api/scheduler/single/start", "");
        assertThat(run.code()).isEqualTo("command.nothing");
        assertThat(run.json().get("detail").asString()).contains("command_policy.allow");
        assertThat(server.tasks()).isZero();
    }
}
