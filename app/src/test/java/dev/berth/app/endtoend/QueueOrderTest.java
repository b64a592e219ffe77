package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** The order of tasks on one GPU, and its prediction. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class QueueOrderTest {

    private static final Map<String, Double> WEIGHTS =
            Map.of("CRITICAL", 0.0, "HIGH", 1e12, "NORMAL", 2e12, "LOW", 3e12);
    private static final int MANY = 200;
    private static final Duration POLL_INTERVAL = Duration.ofMinutes(1);
    private static final Duration ALL_END_WITHIN = Duration.ofMinutes(2);

    private final ServerHarness harness;
    private final TestApi api;
    private final List<CommandGate> gates = new ArrayList<>();

    QueueOrderTest(ServerHarness harness) {
        this.harness = harness;
        this.api = harness.simulatedGpus(1).start();
    }

    @AfterEach
    void openTheGates() {
        gates.forEach(CommandGate::open);
    }

    @Test
    void priorityIsNormalUnlessStatedAndNoOtherWordIsTaken() {
        long plain = api.submit(TaskBuilder.oneGpu("true").with("draft", true));
        long none =
                api.submit(TaskBuilder.oneGpu("true").with("draft", true).with("priority", null));
        assertThat(List.of(plain, none))
                .allMatch(id -> api.task(id).path("priority").asString().equals("NORMAL"));

        var answer =
                api.client()
                        .post(
                                "/api/tasks",
                                TaskBuilder.oneGpu("x").with("priority", "URGENT").body());

        assertThat(answer.expect(422).path("field").asString()).isEqualTo("priority");
    }

    @Test
    void higherPriorityStartsFirstAndAmongEqualsTheOlder() {
        var gate = holdTheCard();
        long low = api.submit(prioritised("LOW"));
        long normal = api.submit(prioritised("NORMAL"));
        long high = api.submit(prioritised("HIGH"));
        long critical = api.submit(prioritised("CRITICAL"));
        long second = api.submit(prioritised("NORMAL"));
        var expected = List.of(critical, high, normal, second, low);
        assertThat(peeked()).containsExactlyElementsOf(expected);
        assertThat(expected.stream().map(this::position)).containsExactly(0, 1, 2, 3, 4);

        gate.open();
        expected.forEach(api::awaitEnd);

        assertThat(api.startOrder()).endsWith(expected.toArray(Long[]::new));
    }

    @Test
    void theQueueShowsTheFirstTenWithTheirScoresAndIsNotChangedByLooking()
            throws IOException, InterruptedException {
        var gate = holdTheCard();
        var all = new ArrayList<Long>();
        for (var priority : List.of("LOW", "NORMAL", "CRITICAL", "HIGH")) {
            IntStream.range(0, 3).forEach(_ -> all.add(api.submit(prioritised(priority))));
        }

        var first = api.peek();

        var expected =
                all.stream()
                        .sorted(Comparator.comparingDouble(this::expectedScore))
                        .limit(10)
                        .toList();
        assertThat(peeked()).containsExactlyElementsOf(expected);
        assertThat(first)
                .allSatisfy(
                        one -> {
                            long id = one.path("id").asLong();
                            double score = one.path("score").asDouble();
                            assertThat(score).isCloseTo(expectedScore(id), within(0.001));
                            assertThat(api.task(id).path("score").asDouble()).isEqualTo(score);
                            assertThat(one.path("line").asString()).isEqualTo("auto");
                        });
        assertThat(first.getLast().path("priority").asString()).isEqualTo("LOW");
        assertThat(first.getLast().path("score").asDouble()).isGreaterThan(3e12);
        assertThat(api.client().get("/api/queue/peek?limit=12").json().size()).isEqualTo(12);
        assertThat(stored()).isEqualTo(shown(first));
        all.forEach(api::cancel);
        gate.open();
    }

    /** Compared as a number: its shortest form would be rounded once more. */
    private static List<String> shown(List<JsonNode> peeked) {
        return peeked.stream()
                .map(
                        one ->
                                one.path("id").asLong()
                                        + "|"
                                        + new BigDecimal(one.path("score").asDouble())
                                                .setScale(3, RoundingMode.HALF_UP)
                                                .toPlainString())
                .toList();
    }

    /** The output of the stock client while the server runs. */
    private List<String> stored() throws IOException, InterruptedException {
        var process =
                new ProcessBuilder(
                                "sqlite3",
                                "-readonly",
                                harness.home().resolve("runtime/tasks.db").toString(),
                                "select task_id, printf('%.3f', score) from task_queue order by"
                                        + " score limit 10")
                        .redirectErrorStream(true)
                        .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().toList();
    }

    @Test
    void aPositionIsTheRankInTheQueueAndWhatDoesNotWaitHasNone() {
        var gate = holdTheCard();
        long holder = api.holders().getFirst();
        var waiting = List.of(api.submit(plain()), api.submit(plain()), api.submit(plain()));

        assertThat(waiting.stream().map(this::position)).containsExactly(0, 1, 2);
        assertThat(waiting.stream().map(id -> api.task(id).path("position").asInt()))
                .containsExactly(0, 1, 2);
        assertThat(place(waiting.getFirst()).path("line").asString()).isEqualTo("auto");
        assertThat(place(holder).path("position").isNull()).isTrue();
        assertThat(place(holder).path("line").isNull()).isTrue();
        assertThat(api.client().get("/api/queue/position/999999").status()).isEqualTo(404);
        api.cancel(waiting.getFirst());
        assertThat(waiting.stream().skip(1).map(this::position)).containsExactly(0, 1);
        gate.open();
        waiting.forEach(api::awaitEnd);
        assertThat(place(waiting.getLast()).path("position").isNull()).isTrue();
    }

    @Test
    void aRunningTaskIsNeverEndedForAnother() {
        var gate = gate();
        long low = api.submit(TaskBuilder.oneGpu(gate.command()).with("priority", "LOW"));
        api.awaitPhase(low, "running");

        long critical = api.submit(prioritised("CRITICAL"));

        assertThat(api.waitReasonCodes(critical)).containsExactly("cards.short", "card.held");
        assertThat(api.phase(low)).isEqualTo("running");
        gate.open();
        var over = api.awaitEnd(low);
        var next = api.awaitEnd(critical);
        assertThat(over.path("status").asString()).isEqualTo("completed");
        assertThat(TestApi.list(over.path("attempts"))).hasSize(1);
        assertThat(instant(next, "started_at")).isAfterOrEqualTo(instant(over, "finished_at"));
    }

    @Test
    void whatWasDraftedEarlierGoesFirstAlthoughItWasQueuedLater() {
        var gate = holdTheCard();
        long first = api.submit(plain().with("draft", true));
        long second = api.submit(plain().with("draft", true));
        for (long id : List.of(second, first)) {
            api.client().post("/experiments/" + id + "/queue/", "").expect(200);
        }
        assertThat(peeked()).containsExactly(first, second);

        gate.open();
        api.awaitEnd(first);
        api.awaitEnd(second);

        assertThat(api.startOrder()).endsWith(first, second);
    }

    @Test
    @Tag("slow")
    void aStormOfTasksStartsInTheOrderOfTheirNumbers(ServerHarness own) throws Exception {
        var storm = own.simulatedGpus(8).start();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Long> call = () -> storm.submit(TaskBuilder.oneGpu("true"));
            var ids = callers.invokeAll(IntStream.range(0, MANY).mapToObj(_ -> call).toList());
            var sorted = ids.stream().map(QueueOrderTest::of).sorted().toList();
            eventually(
                    ALL_END_WITHIN,
                    "all have ended",
                    () ->
                            storm.client().get("/api/tasks?status=completed").expect(200).size()
                                    == MANY);

            assertThat(storm.startOrder()).isEqualTo(sorted);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CRITICAL", "NORMAL"})
    void aSubmitDoesNotWaitForTheNextLookAtTheQueue(String priority, ServerHarness own) {
        var slow =
                own.configure("scheduler:\n  poll_interval_ms: 60000\n").simulatedGpus(1).start();

        var task = slow.awaitEnd(slow.submit(prioritised(priority)));
        assertThat(Duration.between(instant(task, "created_at"), instant(task, "started_at")))
                .isLessThan(POLL_INTERVAL.dividedBy(2));
    }

    private static long of(Future<Long> id) {
        try {
            return id.get();
        } catch (ExecutionException e) {
            throw new AssertionError("a submit failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** From here on the queue waits for the gate. */
    private CommandGate holdTheCard() {
        var gate = gate();
        api.awaitPhase(api.submit(TaskBuilder.oneGpu(gate.command())), "running");
        return gate;
    }

    private CommandGate gate() {
        gates.add(new CommandGate(harness.file("gate" + gates.size())));
        return gates.getLast();
    }

    private static TaskBuilder plain() {
        return TaskBuilder.oneGpu("true");
    }

    private static TaskBuilder prioritised(String priority) {
        return plain().with("priority", priority);
    }

    private List<Long> peeked() {
        return api.peek().stream().map(one -> one.path("id").asLong()).toList();
    }

    private JsonNode place(long id) {
        return api.client().get("/api/queue/position/" + id).expect(200);
    }

    private int position(long id) {
        return place(id).path("position").asInt(-1);
    }

    private double expectedScore(long id) {
        var task = api.task(id);
        var created = instant(task, "created_at");
        return WEIGHTS.get(task.path("priority").asString())
                + created.getEpochSecond()
                + created.getNano() / 1e9;
    }

    private static Instant instant(JsonNode task, String field) {
        return Instant.parse(task.path(field).asString());
    }
}
