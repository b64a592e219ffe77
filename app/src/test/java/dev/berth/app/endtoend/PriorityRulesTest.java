package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which user's task goes first, by the configured weights. */
@ExtendWith(ServerHarnessExtension.class)
final class PriorityRulesTest {

    private static final String PEOPLE =
            """
            users:
              alice: {weight: 2}
              carol: {vip: true}
            """;

    @Test
    void withinAPriorityTheVeryImportantGoFirstThenTheWeightierThenTheOlder(ServerHarness harness) {
        var api = harness.configure(PEOPLE).simulatedGpus(1).start();
        var started =
                inOrderOfStart(
                        harness,
                        api,
                        List.of(
                                order("bob's", "bob", "NORMAL"),
                                order("alice's", "alice", "NORMAL"),
                                order("carol's", "carol", "NORMAL"),
                                order("bob's second", "bob", "NORMAL"),
                                order("bob's urgent", "bob", "HIGH"),
                                order("carol's for later", "carol", "LOW")));

        assertThat(started)
                .containsExactly(
                        "bob's urgent",
                        "carol's",
                        "alice's",
                        "bob's",
                        "bob's second",
                        "carol's for later");
    }

    /** Only Alice has used the GPU before. */
    @ParameterizedTest
    @CsvSource({
        "priority, d b a e c",
        "fair_share, d a e b c",
        "fifo, a b c d e",
        "shortest_first, d e b a c",
        "smallest_first, d a b e c",
    })
    void theSameTasksStartByTheRuleInForce(String rule, String expected, ServerHarness harness) {
        var api =
                harness.configure("priority_algorithm: " + rule + "\n" + PEOPLE)
                        .simulatedGpus(1)
                        .start();
        var started =
                inOrderOfStart(
                        harness,
                        api,
                        List.of(
                                order("a", "bob", "NORMAL"),
                                order("b", "alice", "NORMAL").with("timeout_seconds", 100),
                                order("c", "carol", "LOW").with("timeout_seconds", 10),
                                order("d", "dave", "HIGH").with("timeout_seconds", 500),
                                order("e", "erin", "NORMAL").with("timeout_seconds", 50)));

        assertThat(started).isEqualTo(List.of(expected.split(" ")));
        assertThat(api.client().get("/api/queue").expect(200).path("priority_algorithm").asString())
                .isEqualTo(rule);
    }

    /** The names of the tasks, which all wait before the first one starts. */
    private static List<String> inOrderOfStart(
            ServerHarness harness, TestApi api, List<TaskBuilder> orders) {
        var gate = new CommandGate(harness.file("gate"));
        long holder = api.submit(TaskBuilder.oneGpu(gate.command()).with("owner", "alice"));
        api.awaitPhase(holder, "running");
        Map<Long, String> names = new TreeMap<>();
        orders.forEach(order -> names.put(api.submit(order), order.name()));
        var first = api.peek().getFirst();
        gate.open();
        names.keySet().forEach(api::awaitEnd);
        var started = api.startOrder().stream().skip(1).map(names::get).toList();
        assertThat(first.path("name").asString()).isEqualTo(started.getFirst());
        return started;
    }

    /**
     * Each has its own command, so that the run times of the first ones do not predict the others.
     */
    private static TaskBuilder order(String name, String owner, String priority) {
        return TaskBuilder.oneGpu("true # " + name)
                .named(name)
                .with("owner", owner)
                .with("priority", priority);
    }
}
