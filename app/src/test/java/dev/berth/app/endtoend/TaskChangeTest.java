package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Tasks that change while they wait, and batches of tasks. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TaskChangeTest {

    private static final int MOST_AT_ONCE = 1000;

    private final ServerHarness harness;
    private final TestApi api;
    private final List<CommandGate> gates = new ArrayList<>();

    TaskChangeTest(ServerHarness harness) {
        this.harness = harness;
        this.api = harness.simulatedGpus(2).start();
    }

    @AfterEach
    void openTheGates() {
        gates.forEach(CommandGate::open);
        eventually("nobody holds a card", () -> api.holders().isEmpty());
    }

    @Test
    void aBlockedHeadThatNeedsLessStarts() {
        var gate = holdACard();
        long head = api.submit(TaskBuilder.gpus(2, "true"));
        assertThat(api.waitReasonCodes(head)).contains("cards.short");

        var changed = change(head, "{\"gpu_count\":1}").expect(200);

        assertThat(changed.path("gpu_count").asInt()).isEqualTo(1);
        assertThat(changed.path("max_gpu").asInt()).isEqualTo(1);
        assertThat(api.awaitEnd(head).path("status").asString()).isEqualTo("completed");
        gate.open();
        assertThat(api.events("task.changed"))
                .anyMatch(event -> event.path("task_id").asLong() == head);
    }

    @Test
    void aChangedTaskKeepsItsPlaceAndDoesWhatItNowSays() {
        var gate = holdACard();
        long first = api.submit(TaskBuilder.gpus(2, "echo old"));
        long second = api.submit(TaskBuilder.gpus(2, "true"));
        long third = api.submit(TaskBuilder.gpus(2, "true"));
        var created = api.task(first).path("created_at");

        change(
                        first,
                        """
                        {"name":"renamed","command":"echo new","timeout_seconds":60,"memory_gb":1}\
                        """)
                .expect(200);
        change(third, "{\"priority\":\"HIGH\"}").expect(200);

        var task = api.task(first);
        assertThat(task.path("name").asString()).isEqualTo("renamed");
        assertThat(task.path("timeout_seconds").asInt()).isEqualTo(60);
        assertThat(task.path("created_at")).isEqualTo(created);
        assertThat(List.of(third, first, second))
                .extracting(id -> api.task(id).path("position").asInt(-1))
                .containsExactly(0, 1, 2);
        change(first, "{\"timeout_seconds\":null}").expect(200);
        assertThat(api.task(first).path("timeout_seconds").isNull()).isTrue();
        gate.open();
        api.awaitEnd(second);
        assertThat(api.startOrder()).endsWith(third, first, second);
        assertThat(TaskLifecycleTest.between(api.log(first, 100))).containsExactly("new");
    }

    @ParameterizedTest(name = "{0} is refused for {1}")
    @MethodSource
    void aBadValueChangesNothing(String body, String field) {
        long id = api.submit(TaskBuilder.oneGpu("true").with("draft", true));
        var before = api.task(id);

        var refused = change(id, body).expect(422);

        assertThat(refused.path("field").asString()).isEqualTo(field);
        assertThat(api.task(id)).isEqualTo(before);
    }

    static Stream<Arguments> aBadValueChangesNothing() {
        return Stream.of(
                Arguments.of("{\"gpu_count\":\"4-2\"}", "gpu_count"),
                Arguments.of("{\"priority\":\"URGENT\"}", "priority"),
                Arguments.of("{\"name\":\"\"}", "name"),
                Arguments.of("{\"timeout_seconds\":2592001}", "timeout_seconds"),
                Arguments.of("{\"devices\":\"99\"}", "devices"),
                Arguments.of("{\"share\":true}", "share"),
                Arguments.of("{\"colour\":\"red\"}", "colour"),
                Arguments.of("{\"name\":\"better\",\"priority\":\"URGENT\"}", "priority"));
    }

    @Test
    void whatRunsOrIsOverIsNotChangedNorIsATaskByNothing() {
        var gate = holdACard();
        long running = api.holders().getFirst();
        assertNotWaiting(running);
        gate.open();
        api.awaitEnd(running);
        assertNotWaiting(running);
        long draft = api.submit(TaskBuilder.oneGpu("true").with("draft", true));
        assertThat(change(draft, "{}").status()).isEqualTo(422);
        assertThat(change(999_999, "{\"name\":\"x\"}").status()).isEqualTo(404);
    }

    private void assertNotWaiting(long id) {
        assertThat(change(id, "{\"name\":\"x\"}").expect(409).path("code").asString())
                .isEqualTo("task.not_waiting");
    }

    @Test
    void manyTasksAreTakenInTheirOrderOrNoneOfThem() {
        var good = TaskBuilder.cpu("true");
        int before = api.tasks().size();
        var wrong =
                batch(
                        List.of(
                                good,
                                good,
                                TaskBuilder.oneGpu("true").with("gpu_count", "4-2"),
                                good));
        assertThat(post(wrong, Map.of()).expect(422).path("field").asString())
                .isEqualTo("[2].gpu_count");
        assertThat(post("[]", Map.of()).status()).isEqualTo(422);
        assertThat(api.tasks()).hasSize(before);

        var body = batch(IntStream.range(0, 5).mapToObj(i -> good.named("many" + i)).toList());
        var key = Map.of("Idempotency-Key", "many");
        var ids = ids(post(body, key).expect(201));

        assertThat(ids).hasSize(5).isSorted();
        assertThat(ids(post(body, key).expect(200))).isEqualTo(ids);
        assertThat(ids.stream().map(id -> api.awaitEnd(id).path("name").asString()))
                .containsExactly("many0", "many1", "many2", "many3", "many4");
        assertThat(api.tasks()).hasSize(before + 5);
    }

    @Test
    void aThousandAtOnceAreTakenAndNotOneMore() {
        var draft = TaskBuilder.cpu("true").with("draft", true);
        var most = IntStream.range(0, MOST_AT_ONCE).mapToObj(_ -> draft).toList();

        assertThat(ids(post(batch(most), Map.of()).expect(201))).hasSize(MOST_AT_ONCE);

        var more = IntStream.rangeClosed(0, MOST_AT_ONCE).mapToObj(_ -> draft).toList();
        assertThat(post(batch(more), Map.of()).status()).isEqualTo(422);
    }

    private TestClient.TestReply post(String body, Map<String, String> headers) {
        return api.client().post("/api/tasks/batch", body, headers);
    }

    private static String batch(List<TaskBuilder> orders) {
        return orders.stream().map(TaskBuilder::body).collect(Collectors.joining(",", "[", "]"));
    }

    private static List<Long> ids(JsonNode answer) {
        return TestApi.list(answer.path("ids")).stream().map(JsonNode::asLong).toList();
    }

    private TestClient.TestReply change(long id, String body) {
        return api.client().patch("/api/tasks/" + id, body);
    }

    /** One of the two, until the gate opens. */
    private CommandGate holdACard() {
        var gate = new CommandGate(harness.file("gate" + gates.size()));
        gates.add(gate);
        api.awaitPhase(api.submit(TaskBuilder.oneGpu(gate.command())), "running");
        return gate;
    }
}
