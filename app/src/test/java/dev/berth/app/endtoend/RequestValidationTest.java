package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Requests that the server accepts and rejects, over TCP and over the home's socket. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RequestValidationTest {

    private static final int LARGE = 2 << 20;

    private final ServerHarness harness;
    private final TestApi api;

    RequestValidationTest(ServerHarness harness) {
        this.harness = harness;
        this.api = harness.start();
        // Task 1, which some of the bad requests refer to.
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
    }

    /**
     * A request that must be refused.
     *
     * @param field that the refusal must name; empty if the whole request is invalid
     */
    record Bad(String what, String method, String path, String body, int status, String field) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Bad> badRequests() {
        return Stream.of(badOrders(), badPaths()).flatMap(all -> all);
    }

    private static Stream<Bad> badOrders() {
        return Stream.of(
                order("an empty name", "{'name':'','command':'true','gpu_count':1}", 422, "name"),
                order(
                        "a name of blanks",
                        "{'name':'  ','command':'true','gpu_count':1}",
                        422,
                        "name"),
                order(
                        "a number for a name",
                        "{'name':5,'command':'true','gpu_count':1}",
                        422,
                        "name"),
                order(
                        "NUL in the name",
                        "{'name':'a\\u0000b','command':'true','gpu_count':1}",
                        422,
                        "name"),
                order("no command", "{'name':'n','gpu_count':1}", 422, "command"),
                order(
                        "an empty command",
                        "{'name':'n','command':'','gpu_count':1}",
                        422,
                        "command"),
                order(
                        "NUL in the command",
                        "{'name':'n','command':'a\\u0000b','gpu_count':1}",
                        422,
                        "command"),
                order(
                        "a huge command",
                        "{'name':'n','gpu_count':1,'command':'" + "x".repeat(LARGE) + "'}",
                        0,
                        ""),
                order("no card", "{'name':'n','command':'true','gpu_count':0}", 422, "gpu_count"),
                order(
                        "less than no card",
                        "{'name':'n','command':'true','gpu_count':-1}",
                        422,
                        "gpu_count"),
                order(
                        "a word for a count",
                        "{'name':'n','command':'true','gpu_count':'two'}",
                        422,
                        "gpu_count"),
                order(
                        "half a card",
                        "{'name':'n','command':'true','gpu_count':1.5}",
                        422,
                        "gpu_count"),
                order("1e9 cards", "{'name':'n','command':'true','gpu_count':1e9}", 0, "gpu_count"),
                order(
                        "1e999 cards",
                        "{'name':'n','command':'true','gpu_count':1e999}",
                        0,
                        "gpu_count"),
                order("not a number", "{'name':'n','command':'true','gpu_count':NaN}", 400, ""),
                order(
                        "more cards than exist",
                        "{'name':'n','command':'true','gpu_count':5}",
                        400,
                        "gpu_count"),
                order(
                        "an unknown type",
                        "{'name':'n','command':'true','gpu_count':1,'gpu_type':'Z9'}",
                        400,
                        "gpu_type"),
                order(
                        "more memory than any card has",
                        "{'name':'n','command':'true','gpu_count':1,'memory_gb':9000}",
                        400,
                        "memory_gb"),
                order(
                        "an unknown field",
                        "{'name':'n','command':'true','gpu_count':1,'colour':'red'}",
                        422,
                        "colour"),
                order(
                        "a word for the environment",
                        "{'name':'n','command':'true','gpu_count':1,'env':'A=1'}",
                        422,
                        "env"),
                order("broken JSON", "{'name':'n','command':", 400, ""),
                order(
                        "a body that goes on",
                        "{'name':'n','command':'true','gpu_count':1} and more",
                        400,
                        ""),
                order("100,000 brackets", "[".repeat(100_000), 400, ""),
                order("100,000 brackets in a field", "{'name':" + "[".repeat(100_000), 400, ""),
                order("an array", "[]", 0, ""),
                order("nothing", "", 0, ""));
    }

    private static Stream<Bad> badPaths() {
        return Stream.of(
                get("/api/tasks/abc", 422, "id"),
                get("/api/tasks/-1", 0, ""),
                get("/api/tasks/99999999999999999999", 0, ""),
                get("/api/tasks/999999", 404, ""),
                get("/api/tasks/abc/logs", 422, "id"),
                get("/api/tasks/999999/logs", 404, ""),
                get("/api/tasks/1/logs?tail=-1", 422, "tail"),
                get("/api/tasks/1/logs?tail=0", 422, "tail"),
                get("/api/tasks/1/logs?tail=abc", 422, "tail"),
                get("/api/tasks/1/logs?from=-5", 422, "from"),
                get("/api/tasks/1/wait?seconds=-1", 422, "seconds"),
                get("/api/tasks?status=bad", 422, "status"),
                get("/api/tasks?limit=0", 422, "limit"),
                get("/api/tasks?before=abc", 422, "before"),
                get("/api/events/log?after=abc", 422, "after"),
                get("/api/nothing-here", 404, ""),
                new Bad("cancel of abc", "POST", "/api/tasks/abc/cancel", "", 422, "id"),
                new Bad("cancel of nothing", "POST", "/api/tasks/999999/cancel", "", 404, ""),
                new Bad("cancel of a finished task", "POST", "/api/tasks/1/cancel", "", 409, ""),
                new Bad("a verb that no route has", "DELETE", "/api/queue", "", 405, ""));
    }

    private static Bad order(String what, String body, int status, String field) {
        return new Bad(what, "POST", "/api/tasks", body.replace('\'', '"'), status, field);
    }

    private static Bad get(String path, int status, String field) {
        return new Bad("GET " + path, "GET", path, "", status, field);
    }

    @ParameterizedTest
    @MethodSource("badRequests")
    void aBadRequestIsRefusedByNameAndLeavesNoRecord(Bad bad) {
        int before = api.tasks().size();
        for (var client : List.of(api.client(), harness.socket().client())) {
            var headers = Map.of("Content-Type", "application/json");
            var answer =
                    client.send(
                            new TestClient.TestRequest(
                                    bad.method(), bad.path(), headers, bad.body()));
            assertThat(answer.status()).as("%s: %s", client, answer).isBetween(400, 499);
            if (bad.status() != 0) {
                assertThat(answer.status()).as("%s: %s", client, answer).isEqualTo(bad.status());
            }
            assertThat(answer.json().path("detail").asString()).isNotBlank();
            assertThat(answer.json().path("code").asString()).isNotBlank();
            if (!bad.field().isEmpty()) {
                assertThat(answer.json().path("field").asString()).isEqualTo(bad.field());
            }
        }
        assertThat(api.tasks()).hasSize(before);
    }

    @Test
    void fiftyTasksAtOnceAreNeverTwoOnOneGpu() throws Exception {
        var times = new GpuTimeline(harness.file("times"));
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var ids =
                    callers.invokeAll(
                            IntStream.range(0, 50)
                                    .mapToObj(
                                            i ->
                                                    (Callable<Long>)
                                                            () ->
                                                                    api.submit(
                                                                            times.recordedTask(
                                                                                    "task" + i,
                                                                                    1,
                                                                                    "sleep 0.05")))
                                    .toList());
            for (var id : ids) {
                assertThat(api.awaitEnd(id.get()).path("status").asString()).isEqualTo("completed");
            }
        }
        assertThat(times.starts()).hasSize(50).allSatisfy((_, count) -> assertThat(count).isOne());
        times.assertNoTwoTasksWereOnOneGpu();
        assertThat(api.holders()).isEmpty();
    }

    @Test
    void theSameTasksAreSeenThroughTcpAndTheSocket() {
        long id = harness.socket().submit(TaskBuilder.cpu("echo socket"));
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(harness.socket().task(id)).isEqualTo(api.task(id));
        assertThat(harness.socket().log(id, 100)).isEqualTo(api.log(id, 100));
    }

    @Test
    void aRepeatedSubmitWithOneKeyIsOneTask() {
        var order = TaskBuilder.cpu("echo once").key("one-key");
        long id = api.submit(order);
        int tasks = api.tasks().size();
        var again = api.client().post("/api/tasks", order.body(), order.headers());
        assertThat(again.status()).isBetween(200, 201);
        assertThat(again.json().path("id").asLong()).isEqualTo(id);
        var other = TaskBuilder.cpu("echo twice").key("one-key");
        var refused = api.client().post("/api/tasks", other.body(), other.headers());
        assertThat(refused.status()).isEqualTo(422);
        assertThat(api.tasks()).hasSize(tasks);
    }
}
