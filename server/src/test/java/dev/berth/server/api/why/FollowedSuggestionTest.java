package dev.berth.server.api.why;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random tasks on a real engine: each suggestion is followed, and the task starts as it said. */
class FollowedSuggestionTest {

    private static final int SEEDS = 25;
    private static final int GPUS = 5;

    @Test
    void aTaskStartsAsTheSuggestionSaid() throws Exception {
        var followed = new TreeSet<String>();
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var server = TestServer.open()) {
                followed.addAll(follow(server, new Random(seed)));
            } catch (AssertionError broken) {
                throw new AssertionError("seed " + seed, broken);
            }
        }
        assertThat(followed)
                .contains("any_devices", "any_type", "fewer_gpus", "less_memory", "priority");
    }

    private static TreeSet<String> follow(TestServer server, Random random) {
        server.node.tell(gpus(random));
        eventually("all GPUs are known", () -> server.engine.state().gpus().size() == GPUS);
        var ids = new ArrayList<Long>();
        for (int i = 0; i < 7; i++) {
            ids.add(server.submit(task(random)));
        }
        var followed = new TreeSet<String>();
        for (long id : ids) {
            var suggestions =
                    server.socket().get("/api/tasks/" + id + "/why").json().get("suggestions");
            if (!suggestions.isEmpty()) {
                var chosen = suggestions.get(random.nextInt(suggestions.size()));
                follow(server, id, chosen);
                followed.add(chosen.get("code").asString());
            }
        }
        return followed;
    }

    private static void follow(TestServer server, long id, JsonNode suggestion) {
        assertThat(server.show(id).get("status").asString()).isEqualTo("queued");
        var reply = server.socket().patch("/api/tasks/" + id, suggestion.get("change").toString());
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        // The pass belongs to the same commit as the change.
        assertThat(server.show(id).get("status").asString())
                .as(suggestion.toString())
                .isEqualTo("running");
    }

    private static GpuState[] gpus(Random random) {
        var all = new GpuState[GPUS];
        for (int index = 0; index < GPUS; index++) {
            long total = 24_000;
            long used = random.nextInt(3) == 0 ? random.nextInt(20_000) : 0;
            all[index] =
                    new GpuState.Readable(
                            new Gpu(
                                    new GpuId("here", "GPU-" + index),
                                    index,
                                    index < 2 ? "A" : "B",
                                    total),
                            new GpuReading(
                                    OptionalLong.of(used),
                                    OptionalLong.of(total - used),
                                    OptionalInt.of(7),
                                    OptionalInt.of(40)));
        }
        return all;
    }

    private static String task(Random random) {
        var fields = new TreeMap<String, Object>(Map.of("name", "n", "command", "true"));
        switch (random.nextInt(4)) {
            case 0 -> fields.put("devices", random.nextBoolean() ? "0" : "1,2");
            case 1 -> fields.put("gpu_count", 1 + random.nextInt(3));
            case 2 -> fields.put("gpu_count", "1-3");
            default -> {}
        }
        if (random.nextInt(3) == 0) {
            fields.put("gpu_type", "A");
            fields.remove("devices");
            fields.put("gpu_count", 1 + random.nextInt(2));
        }
        if (random.nextInt(2) == 0) {
            fields.put("memory_gb", 1 + random.nextInt(20));
            fields.put("share", random.nextInt(3) > 0);
        }
        fields.put("priority", List.of("LOW", "NORMAL", "HIGH").get(random.nextInt(3)));
        return TestServer.body(fields);
    }
}
