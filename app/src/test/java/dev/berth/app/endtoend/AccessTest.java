package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.List;

/** Access control and GPU allocation on servers with their own configuration. */
@ExtendWith(ServerHarnessExtension.class)
final class AccessTest {

    @Test
    void withoutAuthNoneTcpAnswersHealthAloneAndTheSocketAnswersAll(ServerHarness harness) {
        var tcp = harness.options("--gpus", "sim:1x1024").start().client();
        assertThat(tcp.get("/api/health").expect(200).path("status").asString()).isEqualTo("ok");
        for (var path :
                List.of(
                        "/api/tasks",
                        "/api/gpus",
                        "/api/server",
                        "/api/events/log",
                        "/api/tasks/1")) {
            var refused = tcp.get(path);
            assertThat(refused.status()).as(path).isEqualTo(401);
            assertThat(refused.json().path("detail").asString()).contains("--auth none");
        }
        assertThat(tcp.post("/api/tasks", TaskBuilder.cpu("true").body()).status()).isEqualTo(401);

        var socket = harness.socket();
        assertThat(socket.tasks()).isEmpty();
        long id = socket.submit(TaskBuilder.oneGpu("true"));
        assertThat(socket.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(socket.task(id).path("owner").asString())
                .isEqualTo(System.getProperty("user.name"));
    }

    @Test
    void aTaskTakesAllItsGpusAtOnceOrNone(ServerHarness harness) {
        var api = harness.simulatedGpus(3).start();
        var gate = harness.file("gate");
        var command = "until [[ -e %s ]]; do sleep 0.02; done".formatted(gate);
        long first = api.submit(TaskBuilder.gpus(2, command));
        long second = api.submit(TaskBuilder.gpus(2, command));
        api.awaitPhase(first, "running");

        assertThat(api.status(second)).isEqualTo("queued");
        assertThat(api.holders()).containsExactly(first, first);
        assertThat(TestApi.list(api.task(second).path("wait_reasons"))).isNotEmpty();
        TaskLifecycleTest.touch(gate);

        assertThat(api.awaitEnd(second).path("status").asString()).isEqualTo("completed");
        assertThat(api.holders()).isEmpty();
    }
}
