package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What lanes leave to the others in the room, by a staged {@code nvidia-smi}. */
@ExtendWith(Worlds.class)
final class PoliteLanesTest {

    private static final String C = FakeSmi.A.replace('a', 'c');
    private static final String D = FakeSmi.A.replace('a', 'd');

    /** Above any pid of this host: somebody's in a container. */
    private static final long LABMATE = 4_194_303;

    private final List<Process> started = new ArrayList<>();
    private World world;
    private FakeSmi smi;

    @BeforeEach
    void stage(World given) {
        world = given;
        smi = new FakeSmi(world);
        smi.card(C, 2, "0");
        smi.card(D, 3, "0");
    }

    @AfterEach
    void endThem() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void oneCardStaysIdleOfAnybodyAndTheNextIsUsedWhenTheLabmateLeaves() {
        smi.process(D, LABMATE, 3000, "python");
        world.configure("gpu_left: 1\n");
        world.start();
        var lanes = new Lanes(world);
        long pid = run(lanes, 4);
        eventually("two run", () -> cards(lanes, pid).size() == 2);
        assertThat(cards(lanes, pid)).doesNotContain(3);
        eventually("the others are told why", () -> reasons(lanes, pid).contains("lane.polite"));
        assertThat(cards(lanes, pid)).as("one of the three others is left").hasSize(2);
        smi.noProcesses();
        eventually("a third runs", () -> cards(lanes, pid).size() == 3);
        assertThat(cards(lanes, pid)).as("the last is kept back").containsExactly(0, 1, 2);
        assertThat(reasons(lanes, pid)).contains("card.kept_back");
    }

    @Test
    void nothingStartsWhereALabmateComputesUntilThatIsOver() {
        for (var card : List.of(FakeSmi.A, FakeSmi.B, C)) {
            smi.drop(card);
        }
        smi.process(D, LABMATE, 3000, "python");
        world.configure("gpu_left: 0\n");
        world.start();
        var lanes = new Lanes(world);
        long pid = run(lanes, 1);
        eventually("it waits for them", () -> reasons(lanes, pid).contains("card.others_work"));
        smi.noProcesses();
        eventually("it runs", () -> cards(lanes, pid).size() == 1);
    }

    @Test
    void aLaneStaysOffACardWithPythonOfYourOwnUnlessItIsToUseAllThereIs() throws IOException {
        for (var card : List.of(FakeSmi.B, C, D)) {
            smi.drop(card);
        }
        var own = new ProcessBuilder("sleep", "600").start();
        started.add(own);
        smi.process(FakeSmi.A, own.pid(), 3000, "/opt/env/bin/python3.10");
        world.configure("gpu_left: 0\n");
        var api = world.start();
        var lanes = new Lanes(world);
        long pid = run(lanes, 1);
        eventually("it waits for you", () -> reasons(lanes, pid).contains("card.own_python"));
        api.door().put("/api/rule", "{\"maximize_resource_utilization\":true}").expect(200);
        eventually("it runs beside", () -> cards(lanes, pid).size() == 1);
    }

    @Test
    void lanesLandOnTheNamedCardsOnlyAndShareThemWhereTheyMay() {
        world.configure(
                "use_all_gpus: false\ncompete_gpus: [0, 2]\ngpu_left: 0\n"
                        + "maximize_resource_utilization: true\n");
        var api = world.start();
        var lanes = new Lanes(world);
        var text = new StringBuilder();
        for (int lane = 1; lane <= 5; lane++) {
            text.append(lane).append("\nsleep 600\n40\n\n");
        }
        lanes.write("single", text.toString());
        long pid = lanes.start("single");
        eventually("two on each", () -> lanes.run(pid).path("running").asInt() == 4);
        assertThat(cards(lanes, pid)).containsExactly(0, 2);
        assertThat(api.gpus().getFirst().path("task_ids").size()).isEqualTo(2);
        assertThat(reasons(lanes, pid)).contains("card.memory_short", "card.outside_lanes");
    }

    @Test
    void manyCardsAreTakenByTheFormulaAndTheKeptOnesOnlyWhereTheMinimumAsks() {
        world.configure("gpu_left: 1\n");
        world.start();
        var lanes = new Lanes(world);
        lanes.write("multi", "1\nsleep 600\n1-4\n1\n\n1\ntrue\n4\n1\n");
        long pid = lanes.start("multi");
        eventually("it has three", () -> cards(lanes, pid).size() == 3);
        assertThat(cards(lanes, pid)).containsExactly(0, 1, 2);
        long task = lanes.process(pid, 1, 0).path("task_id").asLong();
        world.socket().cancel(task);
        eventually("all four were taken", () -> lanes.process(pid, 1, 1).path("gpus").size() == 4);
        eventually("it is over", () -> !lanes.isLive(pid));
        assertThat(world.socket().events("attempt.granted").getLast().toString())
                .contains("gpu_left");
    }

    @Test
    void aRunThatIsLeftWithoutACardSaysSo() {
        for (var card : List.of(FakeSmi.B, C, D)) {
            smi.drop(card);
        }
        world.start();
        var lanes = new Lanes(world);
        long pid = run(lanes, 1);
        eventually(
                "the run says why",
                () -> lanes.run(pid).path("reason").asString("").contains("gpu_left"));
    }

    @Test
    void theCardThatDidLeastInTheLastSecondIsTaken() {
        for (var card : List.of(C, D)) {
            smi.drop(card);
        }
        smi.show(new FakeSmi.Shown(0, 100_000, 100_000, 90, 40));
        smi.show(new FakeSmi.Shown(1, 100_000, 60_000, 20, 80));
        world.configure("gpu_left: 0\nmemory_threshold_percent: 100\n");
        world.start();
        var lanes = new Lanes(world);
        long pid = run(lanes, 1);
        eventually("it runs", () -> cards(lanes, pid).size() == 1);
        assertThat(cards(lanes, pid)).containsExactly(1);
    }

    /** So many lanes of one task that stays. */
    private static long run(Lanes lanes, int count) {
        var text = new StringBuilder();
        for (int lane = 1; lane <= count; lane++) {
            text.append(LaneRunTest.block(lane, "sleep 600"));
        }
        return lanes.write("single", text.toString()).start("single");
    }

    private static TreeSet<Integer> cards(Lanes lanes, long pid) {
        var cards = new TreeSet<Integer>();
        for (var queue : lanes.run(pid).path("queues")) {
            for (var process : queue.path("processes")) {
                if (process.path("status").asString().equals("running")) {
                    process.path("gpus").forEach(card -> cards.add(card.asInt()));
                }
            }
        }
        return cards;
    }

    /** Of all of its tasks that wait, as text. */
    private String reasons(Lanes lanes, long pid) {
        var reasons = new StringBuilder();
        for (var queue : lanes.run(pid).path("queues")) {
            for (var process : queue.path("processes")) {
                long id = process.path("task_id").asLong();
                reasons.append(world.socket().task(id).path("wait_reasons"));
            }
        }
        return reasons.toString();
    }
}
