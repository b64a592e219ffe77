package dev.berth.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.queue.QueueOrder;
import dev.berth.jsontext.JsonParser.JsonNumber;
import dev.berth.simulator.ReferenceResults.Reference;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.replay.Policy;
import dev.berth.simulator.replay.PolicyChoice;
import dev.berth.simulator.result.StartsHash;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * On real traces Berth's own planner starts every job when an independent simulator starts it:
 * without backfill as {@code fifo}, with time limits as {@code sjf}, and with safe backfill as
 * {@code easy}.
 */
class PlannerTracesTest {

    private static final List<String> SMALL =
            List.of(
                    "tiresias60-4x4",
                    "venus-vcvlY-2x8",
                    "venus-vcvGl-a-20x8",
                    "philly10-vc103959-4x8");

    @ParameterizedTest(name = "{0}")
    @MethodSource("small")
    void theProductsPlannerStartsEveryJobOfASmallTraceAsTheReference(Reference reference)
            throws Exception {
        compare(reference);
    }

    @Tag("soak-traces")
    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void theProductsPlannerStartsEveryJobOfEveryTraceAsTheReference(Reference reference)
            throws Exception {
        compare(reference);
    }

    static List<Reference> small() throws Exception {
        return all().stream().filter(reference -> SMALL.contains(reference.experiment())).toList();
    }

    /** Berth runs on one machine: it has no nodes to place a job on. */
    static List<Reference> all() throws Exception {
        return ReferenceResults.all().stream()
                .filter(reference -> reference.placement() == Placement.COUNT)
                .filter(reference -> !isPassedTooLong(reference))
                .toList();
    }

    /** The longest time for which shorter jobs may pass a job. */
    private static boolean isPassedTooLong(Reference reference) {
        var longest = Long.parseLong(((JsonNumber) reference.result().get("max_wait_s")).text());
        return reference.policy() == Policy.SJF && longest > QueueOrder.MAX_PASSED.toSeconds();
    }

    private static void compare(Reference reference) throws Exception {
        var rules =
                switch (reference.policy()) {
                    case FIFO -> "berth:fifo:off";
                    case SJF -> "berth:shortest_first:off:limits";
                    default -> "berth:fifo:safe:limits";
                };

        var outcome = ReferenceResults.experiment(reference).run(PolicyChoice.parse(rules));

        assertThat(StartsHash.of(outcome.whole().jobs()))
                .isEqualTo(reference.result().get("starts_sha256"));
    }
}
