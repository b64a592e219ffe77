package dev.berth.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;
import dev.berth.simulator.ReferenceResults.Reference;
import dev.berth.simulator.replay.PolicyChoice;
import dev.berth.simulator.result.ResultJson;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;

/** Every start on real traces is that of an independent simulator, and so is every figure. */
class ReferenceTracesTest {

    /** Experiments of at most a few thousand jobs. */
    private static final List<String> SMALL =
            List.of(
                    "tiresias60-1x8",
                    "tiresias60-4x4",
                    "venus-vcvlY-2x8",
                    "venus-vcvGl-a-20x8",
                    "philly10-vc103959-4x8",
                    "openb-a-mini26",
                    "openb-a-mini44");

    @ParameterizedTest(name = "{0}")
    @MethodSource("small")
    void startsEveryJobOfASmallTraceAsTheReference(Reference reference) throws Exception {
        compare(reference);
    }

    @Tag("soak-traces")
    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.berth.simulator.ReferenceResults#all")
    void startsEveryJobOfEveryTraceAsTheReference(Reference reference) throws Exception {
        compare(reference);
    }

    static List<Reference> small() throws Exception {
        return ReferenceResults.all().stream()
                .filter(reference -> SMALL.contains(reference.experiment()))
                .toList();
    }

    private static void compare(Reference reference) throws Exception {
        var outcome =
                ReferenceResults.experiment(reference).run(PolicyChoice.of(reference.policy()));

        var fields = ResultJson.of(outcome.whole());
        if (reference.result().containsKey("starts")) {
            ResultJson.addStarts(outcome.whole(), fields);
        }
        if (reference.result().containsKey("per_vc")) {
            ResultJson.addClusters(outcome.byCluster(), fields);
        }
        var asRead = (Map<?, ?>) JsonParser.parse(JsonWriter.write(fields));
        assertThat(asRead.get("starts_sha256")).isEqualTo(reference.result().get("starts_sha256"));
        assertThat(asRead).isEqualTo(reference.result());
    }
}
