package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whose task goes first, by what the lab has decided about its people. */
@ExtendWith(Worlds.class)
final class PriorityRulesTest {

    private static final String PEOPLE =
            """
            users:
              alice: {weight: 2}
              carol: {vip: true}
            """;

    @Test
    void withinAPriorityTheVeryImportantGoFirstThenTheWeightierThenTheOlder(World world) {
        var api = world.configure(PEOPLE).cards(1).start();
        var started =
                inOrderOfStart(
                        world,
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

    /** Alice has had the card before, and nobody else has. */
    @ParameterizedTest
    @CsvSource({
        "priority, d b a e c",
        "fair_share, d a e b c",
        "fifo, a b c d e",
        "shortest_first, d e b a c",
    })
    void theSameTasksStartByTheRuleInForce(String rule, String expected, World world) {
        var api = world.configure("priority_algorithm: " + rule + "\n" + PEOPLE).cards(1).start();
        var started =
                inOrderOfStart(
                        world,
                        api,
                        List.of(
                                order("a", "bob", "NORMAL"),
                                order("b", "alice", "NORMAL").with("timeout_seconds", 100),
                                order("c", "carol", "LOW").with("timeout_seconds", 10),
                                order("d", "dave", "HIGH").with("timeout_seconds", 500),
                                order("e", "erin", "NORMAL").with("timeout_seconds", 50)));

        assertThat(started).isEqualTo(List.of(expected.split(" ")));
        assertThat(api.door().get("/api/queue").expect(200).path("priority_algorithm").asString())
                .isEqualTo(rule);
    }

    /** The names of the tasks, which all wait before the first of them starts. */
    private static List<String> inOrderOfStart(World world, Api api, List<Order> orders) {
        var gate = new Gate(world.file("gate"));
        long holder = api.submit(Order.card(gate.command()).with("owner", "alice"));
        api.awaitPhase(holder, "running");
        Map<Long, String> names = new TreeMap<>();
        orders.forEach(order -> names.put(api.submit(order), order.name()));
        var first = api.peek().getFirst();
        gate.open();
        names.keySet().forEach(api::awaitFinal);
        var started = api.granted().stream().skip(1).map(names::get).toList();
        assertThat(first.path("name").asString()).isEqualTo(started.getFirst());
        return started;
    }

    private static Order order(String name, String owner, String priority) {
        return Order.card("true").named(name).with("owner", owner).with("priority", priority);
    }
}
