package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;

/** What a lab decides about its cards in the configuration. */
@ExtendWith(Worlds.class)
final class CardRulesTest {

    /** Above any pid of this host: a container's, which counts as somebody else's. */
    private static final long SOMEBODYS = 4_194_303;

    private static final int ALL_OF_THEM = 6;

    @Test
    void onlyThePoolIsUsedAndANumberThatNoCardHasIsWarnedAbout(World world) {
        new FakeSmi(world);
        world.configure("scheduler:\n  gpu_ids: [0, 5]\n");
        var api = world.start();

        assertThat(usedCards(api)).containsOnly("[0]");
        eventually(
                "the log names the number",
                () ->
                        world.server().shown().contains("gpu_ids")
                                && world.server().shown().contains("5"));
        assertThat(api.door().post("/api/tasks", Order.cards(2, "true").body()).status())
                .isEqualTo(400);
    }

    @Test
    void aReservedCardIsNeverGiven(World world) {
        new FakeSmi(world);
        world.configure("reserved_gpu_ids: [0]\n");

        assertThat(usedCards(world.start())).containsOnly("[1]");
    }

    @Test
    void theThresholdCanBeRaised(World world) {
        var smi = new FakeSmi(world);
        smi.drop(FakeSmi.B);
        smi.card(FakeSmi.A, 0, "40000");
        world.configure("memory_threshold_percent: 50\n");
        var api = world.start();

        assertThat(api.awaitFinal(api.submit(Order.card("true"))).path("status").asString())
                .isEqualTo("completed");
    }

    @Test
    void whereMemoryAloneDecidesAnothersWorkIsNoObstacle(World world) {
        var smi = new FakeSmi(world);
        smi.drop(FakeSmi.B);
        smi.process(FakeSmi.A, SOMEBODYS, 3000, "python");
        smi.card(FakeSmi.A, 0, "3000");
        world.configure("foreign: fit\n");
        var api = world.start();

        long id = api.submit(Order.card("true").with("memory_gb", 20));

        assertThat(api.awaitFinal(id).path("status").asString()).isEqualTo("completed");
    }

    /** Several tasks at once and one after another. */
    private static Set<String> usedCards(Api api) {
        var ids = new ArrayList<Long>();
        for (int i = 0; i < ALL_OF_THEM; i++) {
            ids.add(api.submit(Order.card("true")));
        }
        var used = new TreeSet<String>();
        ids.forEach(id -> used.add(api.awaitFinal(id).path("assigned_gpus").toString()));
        return used;
    }
}
