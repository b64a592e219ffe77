package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What holds for every route, and the small routes. */
class ApiRoutesTest {

    private static TestServer server;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open();
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/health", "/api/health/"})
    void healthIsExactlyOk(String path) {
        assertThat(server.socket().get(path).text()).isEqualTo("{\"status\":\"ok\"}\n");
        assertThat(server.tcp().get(path).text()).isEqualTo("{\"status\":\"ok\"}\n");
    }

    @Test
    void everyResponseCarriesTheVersion() {
        for (var path :
                List.of("/api/health", "/api/tasks", "/nowhere", "/api/tasks/abc", "/api/%zz")) {
            var reply = server.socket().get(path);
            assertThat(reply.header("X-Berth-Version")).as(path).contains(TestServer.VERSION);
            assertThat(reply.header("Content-Type")).as(path).contains("application/json");
        }
    }

    @Test
    void anUnknownPathIsNotFound() {
        for (var path :
                List.of("/api", "/api/task", "/api/tasks/1/nothing", "/api/tasks/1/logs/more")) {
            var reply = server.socket().get(path);
            assertThat(reply.status()).as(path).isEqualTo(404);
            assertThat(reply.code()).isEqualTo("path.unknown");
        }
    }

    @Test
    void sentencesAreInTheLanguageOfTheCaller() {
        assertThat(server.socket().get("/api/tasks/999").text())
                .contains("\"detail\":\"There is no task 999.\"");
        assertThat(server.socket().get("/api/tasks/999", "Accept-Language: zh-CN,en;q=0.5").text())
                .contains("\"detail\":\"没有任务 999。\"", "\"code\":\"task.unknown\"");
    }

    @Test
    void wrongMethodGetsTheAllowedOnes() {
        var reply = server.socket().send("PUT", "/api/tasks", List.of(), new byte[0]);
        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.header("Allow")).contains("DELETE, GET, HEAD, POST");
        assertThat(server.socket().get("/api/tasks/1/cancel").header("Allow")).contains("POST");
        assertThat(server.socket().send("OPTIONS", "/api/gpus", List.of(), new byte[0]).status())
                .isEqualTo(405);
    }

    @Test
    void headIsGetWithoutTheBody() {
        var get = server.socket().get("/api/gpus");
        var head = server.socket().send("HEAD", "/api/gpus", List.of(), new byte[0]);
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length")).contains(Integer.toString(get.text().length()));
    }

    @Test
    void showsServerDetails() {
        var info = server.tcp().get("/api/server/").json();
        assertThat(info.get("version").asString()).isEqualTo(TestServer.VERSION);
        assertThat(info.get("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
        assertThat(info.get("home").asString()).isEqualTo(server.home.toString());
        assertThat(info.get("url").asString()).isEqualTo(server.door.url());
        assertThat(info.get("started_at").asString()).isEqualTo("2025-11-15T08:00:00.000000Z");
        assertThat(info.get("tracking").isNull()).isTrue();
    }

    @Test
    void unknownParametersAreAnsweredWithASuggestion() {
        var reply = server.socket().get("/api/tasks?stauts=queued");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo("stauts");
        assertThat(reply.json().get("detail").asString()).contains("Did you mean status?");
        assertThat(server.socket().get("/api/gpus?limit=1").status()).isEqualTo(422);
    }

    @Test
    void repeatedParameterIsRejected() {
        assertThat(server.socket().get("/api/tasks?status=queued&status=failed").code())
                .isEqualTo("parameter.repeated");
    }

    @Test
    void requestsRunOnVirtualThreadsAndManyMayWaitAtOnce() throws Exception {
        long task = server.submit(TestServer.cpuTask("waited for by many"));
        try (var callers = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
            var waits =
                    new java.util.ArrayList<java.util.concurrent.Future<TestHttpClient.Reply>>();
            for (int i = 0; i < 200; i++) {
                waits.add(
                        callers.submit(
                                () ->
                                        server.socket()
                                                .get("/api/tasks/" + task + "/wait?seconds=60")));
            }
            // The server still answers while all of them wait.
            assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
            server.end(task, 0);
            for (var wait : waits) {
                assertThat(wait.get(3, TimeUnit.MINUTES).json().get("status").asString())
                        .isEqualTo("completed");
            }
        }
    }
}
