package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.List;

/** Who is let in, and how cards are shared out, where a server has settings of its own. */
@ExtendWith(Worlds.class)
final class AccessTest {

    @Test
    void withoutAuthNoneTcpAnswersHealthAloneAndTheSocketAnswersAll(World world) {
        var tcp = world.options("--gpus", "sim:1x1024").start().door();
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
        assertThat(tcp.post("/api/tasks", Order.cpu("true").body()).status()).isEqualTo(401);

        var socket = world.socket();
        assertThat(socket.tasks()).isEmpty();
        long id = socket.submit(Order.card("true"));
        assertThat(socket.awaitFinal(id).path("status").asString()).isEqualTo("completed");
        assertThat(socket.task(id).path("owner").asString())
                .isEqualTo(System.getProperty("user.name"));
    }

    @Test
    void aTaskTakesAllItsCardsAtOnceOrNone(World world) {
        var api = world.cards(3).start();
        var gate = world.file("gate");
        var command = "until [[ -e %s ]]; do sleep 0.02; done".formatted(gate);
        long first = api.submit(Order.cards(2, command));
        long second = api.submit(Order.cards(2, command));
        api.awaitPhase(first, "running");

        assertThat(api.status(second)).isEqualTo("queued");
        assertThat(api.holders()).containsExactly(first, first);
        assertThat(Api.list(api.task(second).path("wait_reasons"))).isNotEmpty();
        PipelineTest.touch(gate);

        assertThat(api.awaitFinal(second).path("status").asString()).isEqualTo("completed");
        assertThat(api.holders()).isEmpty();
    }
}
