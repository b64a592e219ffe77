package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonParser.JsonNumber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.Map;
import java.util.stream.LongStream;

@ExtendWith(ServerHarnessExtension.class)
final class SimulateHistoryTest {

    @Test
    void theEndedTasksOfAHomeAreReplayedOnOtherGpus(ServerHarness harness) throws Exception {
        var api = harness.simulatedGpus(1).start();
        var ids =
                LongStream.range(0, 3)
                        .map(_ -> api.submit(TaskBuilder.oneGpu("sleep 1.2")))
                        .toArray();
        api.submit(TaskBuilder.cpu("true"));
        LongStream.of(ids).forEach(api::awaitEnd);

        var answer =
                JsonParser.parse(
                        harness.run(
                                "simulate",
                                "--history",
                                "--since=1d",
                                "--cluster=3x1",
                                "--policy=berth:fair_share,fifo",
                                "--json"));

        var results = (Map<?, ?>) ((Map<?, ?>) answer).get("results");
        assertThat(results.keySet()).hasToString("[recorded, berth:fair_share, fifo]");
        var recorded = (Map<?, ?>) results.get("recorded");
        var simulated = (Map<?, ?>) results.get("berth:fair_share");
        assertThat(recorded.get("jobs")).as("without the task on the CPU").isEqualTo(number(3));
        assertThat(recorded.get("gpus")).isEqualTo(number(1));
        assertThat(recorded.get("queued")).isNotEqualTo(number(0));
        assertThat(simulated.get("gpus")).isEqualTo(number(3));
        assertThat(simulated.get("queued")).as("each has its GPU").isEqualTo(number(0));
    }

    private static JsonNumber number(int value) {
        return new JsonNumber(Integer.toString(value));
    }
}
