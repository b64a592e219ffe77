package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class ParallelTest {

    @Test
    void twoHundredMixedCallsAtOnceAddUp() throws Exception {
        try (var premises = Premises.open();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var created = new ArrayList<Future<Http.Reply>>();
            var cancelled = new ArrayList<Future<Http.Reply>>();
            var listed = new ArrayList<Future<Http.Reply>>();
            for (int i = 0; i < 200; i++) {
                int n = i;
                var entrance = i % 2 == 0 ? premises.socket() : premises.tcp();
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
            var all = premises.socket().get("/api/tasks").json();
            assertThat(all.size()).isEqualTo(100);
            assertThat(all.valueStream().map(task -> task.get("id").asLong()).distinct())
                    .hasSize(100);
            dev.berth.testkit.Eventually.eventually(
                    "every cancel came to its end", () -> count(premises, "cancelled") == gone);
            assertThat(count(premises, "queued") + count(premises, "running") + gone)
                    .isEqualTo(100);
        }
    }

    private static long count(Premises premises, String status) {
        return Long.parseLong(
                premises.socket()
                        .get("/api/tasks?limit=1&status=" + status)
                        .header("X-Total-Count")
                        .orElseThrow());
    }

    private static List<Integer> statuses(List<Future<Http.Reply>> replies) throws Exception {
        var statuses = new ArrayList<Integer>();
        for (var reply : replies) {
            statuses.add(reply.get().status());
        }
        return statuses;
    }
}
