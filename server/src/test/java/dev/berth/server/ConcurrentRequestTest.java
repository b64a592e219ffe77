package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class ConcurrentRequestTest {

    @Test
    void twoHundredConcurrentRequestsAreConsistent() throws Exception {
        try (var server = TestServer.open();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var created = new ArrayList<Future<TestHttpClient.Reply>>();
            var cancelled = new ArrayList<Future<TestHttpClient.Reply>>();
            var listed = new ArrayList<Future<TestHttpClient.Reply>>();
            for (int i = 0; i < 200; i++) {
                int n = i;
                var entrance = i % 2 == 0 ? server.socket() : server.tcp();
                switch (i % 4) {
                    case 0, 1 ->
                            created.add(
                                    callers.submit(
                                            () ->
                                                    entrance.post(
                                                            "/api/tasks",
                                                            "{\"name\":\"t"
                                                                    + n
                                                                    + "\",\"command\":\"true\",\"gpu_count\":2}")));
                    case 2 ->
                            cancelled.add(
                                    callers.submit(
                                            () ->
                                                    entrance.post(
                                                            "/api/tasks/" + (n / 4 + 1) + "/cancel",
                                                            "")));
                    default -> listed.add(callers.submit(() -> entrance.get("/api/tasks")));
                }
            }
            assertThat(statuses(created)).containsOnly(201);
            assertThat(statuses(listed)).containsOnly(200);
            assertThat(statuses(cancelled)).isSubsetOf(200, 404, 409);
            long gone = statuses(cancelled).stream().filter(status -> status == 200).count();
            var all = server.socket().get("/api/tasks").json();
            assertThat(all.size()).isEqualTo(100);
            assertThat(all.valueStream().map(task -> task.get("id").asLong()).distinct())
                    .hasSize(100);
            dev.berth.testkit.Eventually.eventually(
                    "every cancel came to its end", () -> count(server, "cancelled") == gone);
            assertThat(count(server, "queued") + count(server, "running") + gone).isEqualTo(100);
        }
    }

    private static long count(TestServer server, String status) {
        return Long.parseLong(
                server.socket()
                        .get("/api/tasks?limit=1&status=" + status)
                        .header("X-Total-Count")
                        .orElseThrow());
    }

    private static List<Integer> statuses(List<Future<TestHttpClient.Reply>> replies)
            throws Exception {
        var statuses = new ArrayList<Integer>();
        for (var reply : replies) {
            statuses.add(reply.get().status());
        }
        return statuses;
    }
}
