package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Tasks that name their cards, and the lines in which they wait. */
@ExtendWith(Worlds.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DevicesTest {

    private static final int USABLE = 3;

    private final World world;
    private final Api api;
    private final List<Gate> gates = new ArrayList<>();

    /** Four cards, of which the last is nobody's. */
    DevicesTest(World world) {
        this.world = world;
        this.api = world.configure("reserved_gpu_ids: [3]\n").start();
    }

    @BeforeEach
    void allCardsAreFree() {
        eventually("nobody holds a card", () -> api.holders().isEmpty() && areFree());
    }

    private boolean areFree() {
        return api.gpus().stream().limit(USABLE).allMatch(gpu -> gpu.path("is_free").asBoolean());
    }

    @AfterEach
    void openTheGates() {
        gates.forEach(Gate::open);
    }

    @ParameterizedTest(name = "{0} is given {2}")
    @CsvSource({
        "'0', '0', '[0]'",
        "'0,1', '0,1', '[0,1]'",
        "'0,1,2', '0,1,2', '[0,1,2]'",
        "'auto', 'auto', '[0]'",
        ", 'auto', '[0]'",
        "'cpu', 'cpu', '[]'",
        "' 1,0 ', '0,1', '[0,1]'",
        "'2 , 1', '1,2', '[1,2]'",
    })
    void aTaskIsGivenTheCardsItNames(String stated, String shown, String given) {
        var body = Door.JSON.createObjectNode().put("name", "x").put("command", "true");
        body.put("devices", stated);
        var taken = api.door().post("/api/tasks", body.toString()).expect(201);

        var task = api.awaitFinal(taken.path("id").asLong());

        assertThat(taken.path("devices").asString()).isEqualTo(shown);
        assertThat(task.path("status").asString()).isEqualTo("completed");
        assertThat(task.path("assigned_gpus").toString()).isEqualTo(given);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,0", "-1", "99", "4", "gpu", "", " ", "0,", "0;1", "0,auto", "1.5"})
    void whatNamesNoCardIsRefusedWithTheReason(String devices) {
        var order = Order.card("true").with("devices", devices);

        var refused = api.door().post("/api/tasks", order.body()).expect(422);

        assertThat(refused.path("field").asString()).isEqualTo("devices");
        assertThat(refused.path("detail").asString()).isNotBlank();
    }

    @Test
    void aReservedCardCannotBeNamedNorAnotherCountThanThatOfTheNamed() {
        var reserved = Order.card("true").with("devices", "3").body();
        assertThat(api.door().post("/api/tasks", reserved).expect(400).path("field").asString())
                .isEqualTo("devices");
        var counted = Order.cards(3, "true").with("devices", "0,1").body();
        assertThat(api.door().post("/api/tasks", counted).expect(422).path("field").asString())
                .isEqualTo("gpu_count");
    }

    @Test
    void severalNamedCardsAreTakenTogetherWhenAllAreFree() {
        var busy = gate();
        var both = gate();
        api.awaitPhase(api.submit(on("1", busy.command())), "running");
        long pair =
                api.submit(
                        Order.cards(2, "echo sees $CUDA_VISIBLE_DEVICES\n" + both.command())
                                .with("devices", "0,1"));
        assertThat(api.waitsFor(pair)).contains("cards.short", "card.held");
        assertThat(api.gpus().getFirst().path("assigned_task_id").isNull()).isTrue();

        busy.open();
        api.awaitPhase(pair, "running");

        assertThat(api.holders()).containsExactly(pair, pair);
        long one = api.submit(on("1", "true"));
        assertThat(api.waitsFor(one)).contains("card.held");
        both.open();
        api.awaitFinal(pair);
        assertThat(api.log(pair, 100)).contains("sees 0,1");
        assertThat(api.awaitFinal(one).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aLineDoesNotWaitForAnother() {
        var gate = gate();
        api.awaitPhase(api.submit(on("0", gate.command())), "running");
        long behind = api.submit(on("0", "true"));

        long beside = api.submit(on("1", "true"));

        assertThat(api.awaitFinal(beside).path("assigned_gpus").toString()).isEqualTo("[1]");
        assertThat(api.status(behind)).isEqualTo("queued");
        assertThat(api.waitsFor(behind)).containsExactly("cards.short", "card.held");
        assertThat(Api.list(api.placement(behind).path("gpus")).stream().limit(USABLE))
                .extracting(gpu -> gpu.path("refusal").path("code").asString())
                .containsExactly("card.held", "card.not_named", "card.not_named");
        gate.open();
        assertThat(api.awaitFinal(behind).path("assigned_gpus").toString()).isEqualTo("[0]");
    }

    @Test
    void aNamedCardServesOneAfterTheOther() {
        var times = new CardTimes(world.file("times"));
        var ids =
                IntStream.range(0, USABLE)
                        .mapToLong(
                                i ->
                                        api.submit(
                                                times.order("named" + i, 1, "sleep 0.05")
                                                        .with("devices", "0")))
                        .toArray();

        LongStream.of(ids).forEach(api::awaitFinal);

        times.assertNoTwoTasksWereOnOneCard();
        assertThat(times.starts()).hasSize(USABLE);
        assertThat(api.granted()).containsSubsequence(LongStream.of(ids).boxed().toList());
    }

    @Test
    void anyCardsAndNoCardServeAllWhoWaitAtOnce() {
        var gate = gate();
        var stopped = api.door().post("/api/scheduler/stop", "").expect(200);
        assertThat(stopped.path("running").asBoolean()).isFalse();
        var ids =
                IntStream.range(0, USABLE)
                        .boxed()
                        .flatMap(
                                _ ->
                                        List.of(
                                                api.submit(Order.card(gate.command())),
                                                api.submit(Order.cpu(gate.command())))
                                                .stream())
                        .toList();
        assertThat(ids).allMatch(id -> api.status(id).equals("queued"));

        api.door().post("/api/scheduler/start", "").expect(200);

        ids.forEach(id -> api.awaitPhase(id, "running"));
        gate.open();
        ids.forEach(api::awaitFinal);
    }

    private Gate gate() {
        gates.add(new Gate(world.file("gate" + gates.size())));
        return gates.getLast();
    }

    private static Order on(String devices, String command) {
        return Order.card(command).with("devices", devices);
    }
}
