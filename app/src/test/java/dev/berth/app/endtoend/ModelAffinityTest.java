package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** How often tasks find their model loaded: three models on two GPUs that keep two each. */
@ExtendWith(ServerHarnessExtension.class)
final class ModelAffinityTest {

    private static final Logger log = LoggerFactory.getLogger(ModelAffinityTest.class);

    private static final List<String> MODELS = List.of("a", "b", "c");
    private static final int TASKS = 200;

    private static final String WORKER =
            """
            echo '{"type":"ready"}'
            while IFS= read -r line; do
                [[ $line == '{"type":"run"'* ]] || continue
                task=${line#*'"task":'}
                echo "{\\"type\\":\\"result\\",\\"task\\":${task%%[,\\}]*},\\"value\\":null}"
            done
            """;

    private final Random random = new Random(14);

    /** Sums over all models. */
    private record Counts(long hits, long misses, long evictions) {

        static Counts sum(TestApi api) {
            long hits = 0;
            long misses = 0;
            long evictions = 0;
            for (var name : MODELS) {
                var model = api.client().get("/api/models/" + name).expect(200);
                hits += model.path("hits").asLong();
                misses += model.path("misses").asLong();
                evictions += model.path("evictions").asLong();
            }
            return new Counts(hits, misses, evictions);
        }

        Counts minus(Counts before) {
            return new Counts(
                    hits - before.hits, misses - before.misses, evictions - before.evictions);
        }

        double hitRate() {
            return (double) hits / (hits + misses);
        }
    }

    private long submit(TestApi api) {
        var model = MODELS.get(random.nextInt(MODELS.size()));
        var body = "{\"name\":\"call\",\"model_name\":\"%s\",\"params\":{}}".formatted(model);
        return api.client().post("/api/tasks", body).expect(201).path("id").asLong();
    }

    @Test
    void aTaskGoesWhereItsModelIsLoaded(ServerHarness harness) throws IOException {
        var worker = Files.writeString(harness.file("worker.sh"), WORKER);
        var model = "{worker: \"exec bash %s\", memory_mb: 6000}".formatted(worker);
        var models = "models: {a: %s, b: %s, c: %s}\n".formatted(model, model, model);
        var api = harness.simulatedGpus(2).configure(models).start();

        for (int i = 0; i < TASKS; i++) {
            assertThat(api.awaitEnd(submit(api)).path("status").asString()).isEqualTo("completed");
        }
        var single = Counts.sum(api);
        log.info(
                "one task at a time: {} of {} found their model loaded. Both GPUs are free for each"
                        + " task, so it gets the one with its model; each model is loaded once.",
                single.hits(),
                TASKS);
        // A GPU chosen without regard to its models would miss about every third task.
        assertThat(single).isEqualTo(new Counts(TASKS - MODELS.size(), MODELS.size(), 0));

        var ids = new ArrayList<Long>();
        for (int i = 0; i < TASKS; i++) {
            ids.add(submit(api));
        }
        ids.forEach(api::awaitEnd);
        var full = Counts.sum(api).minus(single);
        log.info(
                "a full queue: {} of {} found it loaded, {} workers were evicted. The first task in"
                    + " the queue takes the GPU that is free, which has two of the three models.",
                full.hits(),
                TASKS,
                full.evictions());
        assertThat(full.hits() + full.misses()).isEqualTo(TASKS);
        assertThat(full.hitRate()).isGreaterThan(0.5);
    }
}
