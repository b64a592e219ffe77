package dev.berth.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.jsontext.JsonParser.JsonNumber;
import dev.berth.simulator.ReferenceResults.Reference;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.replay.Policy;
import dev.berth.simulator.replay.PolicyChoice;
import dev.berth.simulator.result.ResultJson;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Waits on real traces with Berth's own planner, which has to learn the run times, against policies
 * that know them. Aim: the mean is at most 1.3 times that of {@code sjf}, and the 99th percentile
 * is not above that of {@code easy}. Where it is missed, docs/simulate.md says why, and the factors
 * here keep it from becoming worse.
 */
class BerthPolicyTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "tiresias60-4x4, 1.3, 1.5",
        "venus-vcvlY-2x8, 1.3, 1",
        "venus-vcvGl-a-20x8, 1.45, 1.01",
        "philly10-vc103959-4x8, 1.95, 1.25"
    })
    void waitsOnSmallTraces(String experiment, double ofSjf, double ofEasy) throws Exception {
        compare(experiment, ofSjf, ofEasy);
    }

    @Tag("soak-traces")
    @ParameterizedTest(name = "{0}")
    @CsvSource({"venus07-96x8, 1.3, 1", "venus07-84x8, 1.3, 1", "philly10-220x8, 1.3, 1"})
    void waitsOnLargeTracesAreShortAndRunTimesAsPredicted(
            String experiment, double ofSjf, double ofEasy) throws Exception {
        var predictions = compare(experiment, ofSjf, ofEasy).whole().predictions().orElseThrow();

        assertThat(predictions.partWithinMedian()).isBetween(0.45, 0.55);
        assertThat(predictions.partWithinP90()).isBetween(0.88, 0.95);
    }

    private static Experiment.Outcome compare(String experiment, double ofSjf, double ofEasy)
            throws Exception {
        var sjf = reference(experiment, Policy.SJF);
        var easy = reference(experiment, Policy.EASY);

        var outcome = ReferenceResults.experiment(sjf).run(PolicyChoice.of(Policy.BERTH));

        var fields = ResultJson.of(outcome.whole());
        assertThat(number(fields.get("mean_wait_s")) / number(sjf.result().get("mean_wait_s")))
                .as("mean wait, as a part of that of sjf")
                .isLessThanOrEqualTo(ofSjf);
        assertThat(number(fields.get("p99_wait_s")) / number(easy.result().get("p99_wait_s")))
                .as("99th percentile of waits, as a part of that of easy")
                .isLessThanOrEqualTo(ofEasy);
        return outcome;
    }

    private static Reference reference(String experiment, Policy policy) throws Exception {
        return ReferenceResults.all().stream()
                .filter(one -> one.experiment().equals(experiment))
                .filter(one -> one.placement() == Placement.COUNT && one.policy() == policy)
                .findFirst()
                .orElseThrow();
    }

    /** Numbers of the file are texts until they are used. */
    private static double number(Object value) {
        return Double.parseDouble(
                value instanceof JsonNumber read ? read.text() : value.toString());
    }
}
