package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.ModelWork;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** need = int((base + atoms × 2) × factor of the kind), in MiB. */
class MemoryEstimatesTest {

    private static final MemoryEstimates KNOWN =
            new MemoryEstimates(new TreeMap<>(Map.of("known", 9000L)), 2000);

    @ParameterizedTest(name = "model {0}, kind {1}, {2} atoms: {3} MiB")
    @CsvSource({
        "strange, optimization,  0,    6000",
        "strange, stability,     0,    7500",
        "strange, heat-capacity, 0,    10000",
        "strange, bulk-modulus,  0,    6500",
        "strange, ,              0,    5000",
        "strange, other,         0,    5000",
        ",        optimization,  0,    6000",
        "strange, ,              1000, 6000",
        "strange, ,              1,    4002",
        "known,   ,              0,    10000",
        "known,   stability,     250,  14250",
        "strange, bulk-modulus,  1,    5202",
    })
    void theNeedFollowsFromModelKindAndSize(String model, String kind, int atoms, long mib) {
        var work = new ModelWork(Optional.ofNullable(model), Optional.ofNullable(kind), atoms);
        assertThat(KNOWN.mib(work)).isEqualTo(mib);
    }
}
