package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What holds of every route, and the small ones. */
class RoutesTest {

    private static Premises premises;

    @BeforeAll
    static void open() throws Exception {
        premises = Premises.open();
    }

    @AfterAll
    static void close() throws Exception {
        premises.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/health", "/api/health/"})
    void healthIsExactlyOk(String path) {
        assertThat(premises.socket().get(path).text()).isEqualTo("{\"status\":\"ok\"}\n");
        assertThat(premises.tcp().get(path).text()).isEqualTo("{\"status\":\"ok\"}\n");
    }

    @Test
    void everyAnswerSaysWhichVersionGaveIt() {
        for (var path :
                List.of("/api/health", "/api/tasks", "/nowhere", "/api/tasks/abc", "/api/%zz")) {
            var reply = premises.socket().get(path);
            assertThat(reply.header("X-Berth-Version")).as(path).contains(Premises.VERSION);
            assertThat(reply.header("Content-Type")).as(path).contains("application/json");
        }
    }

    @Test
    void anUnknownPathIsNotFound() {
        for (var path :
                List.of("/api", "/api/task", "/api/tasks/1/nothing", "/api/tasks/1/logs/more")) {
            var reply = premises.socket().get(path);
            assertThat(reply.status()).as(path).isEqualTo(404);
            assertThat(reply.code()).isEqualTo("path.unknown");
        }
    }

    @Test
    void aWrongMethodIsToldTheRightOnes() {
        var reply = premises.socket().send("DELETE", "/api/tasks", List.of(), new byte[0]);
        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.header("Allow")).contains("GET, HEAD, POST");
        assertThat(premises.socket().get("/api/tasks/1/cancel").header("Allow")).contains("POST");
        assertThat(premises.socket().send("OPTIONS", "/api/gpus", List.of(), new byte[0]).status())
                .isEqualTo(405);
    }

    @Test
    void headIsGetWithoutTheBody() {
        var get = premises.socket().get("/api/gpus");
        var head = premises.socket().send("HEAD", "/api/gpus", List.of(), new byte[0]);
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length")).contains(Integer.toString(get.text().length()));
    }

    @Test
    void theServerSaysWhoItIs() {
        var info = premises.tcp().get("/api/server/").json();
        assertThat(info.get("version").asString()).isEqualTo(Premises.VERSION);
        assertThat(info.get("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
        assertThat(info.get("home").asString()).isEqualTo(premises.home.toString());
        assertThat(info.get("url").asString()).isEqualTo(premises.door.url());
        assertThat(info.get("started_at").asString()).isEqualTo("2025-11-15T08:00:00.000000Z");
        assertThat(info.get("tracking").isNull()).isTrue();
    }

    @Test
    void unknownParametersAreNamedWithWhatWasMeant() {
        var reply = premises.socket().get("/api/tasks?stauts=queued");
        assertThat(reply.status()).isEqualTo(422);
        assertThat(reply.field()).isEqualTo("stauts");
        assertThat(reply.json().get("detail").asString()).contains("Did you mean status?");
        assertThat(premises.socket().get("/api/gpus?limit=1").status()).isEqualTo(422);
    }

    @Test
    void aParameterGivenTwiceIsRefused() {
        assertThat(premises.socket().get("/api/tasks?status=queued&status=failed").code())
                .isEqualTo("parameter.repeated");
    }

    @Test
    void requestsRunOnVirtualThreadsAndManyMayWaitAtOnce() throws Exception {
        long task = premises.submit(Premises.cpuTask("waited for by many"));
        try (var callers = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
            var waits = new java.util.ArrayList<java.util.concurrent.Future<Http.Reply>>();
            for (int i = 0; i < 200; i++) {
                waits.add(
                        callers.submit(
                                () ->
                                        premises.socket()
                                                .get("/api/tasks/" + task + "/wait?seconds=60")));
            }
            // The door still answers while they all wait.
            assertThat(premises.socket().get("/api/health").status()).isEqualTo(200);
            premises.end(task, 0);
            for (var wait : waits) {
                assertThat(wait.get(30, TimeUnit.SECONDS).json().get("status").asString())
                        .isEqualTo("completed");
            }
        }
    }
}
