package dev.berth.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.simulator.trace.RowFilter;
import dev.berth.simulator.trace.TraceFile;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** On a real trace the latest expected start holds, although run times are only learned. */
class ForecastRangeTest {

    private static final double PROMISED = 0.85;

    @Test
    void mostJobsOfABusyClusterStartWithinTheirRange() throws Exception {
        var filter = List.of(new RowFilter("vc_or_group", "103959"));

        var result = replay("philly_2017-10.csv.gz", filter, 32, 1);

        assertThat(result.known).as(result.toString()).isGreaterThan(200);
        assertThat(result.held()).as(result.toString()).isGreaterThan(PROMISED);
    }

    /** One of 20 waiting jobs asks: each forecast runs the planner for hours to come. */
    @Tag("soak-traces")
    @Test
    void mostJobsOfAWholeTraceStartWithinTheirRange() throws Exception {
        var result = replay("helios_venus_2020-07.csv.gz", List.of(), 768, 20);

        assertThat(result.known).as(result.toString()).isGreaterThan(50);
        assertThat(result.held()).as(result.toString()).isGreaterThan(PROMISED);
    }

    private ForecastReplay.Result replay(String trace, List<RowFilter> filters, int gpus, int every)
            throws Exception {
        var file = Objects.requireNonNull(getClass().getResource("/dev/berth/simulator/" + trace));
        var jobs =
                TraceFile.read(Path.of(file.toURI()), filters).stream()
                        .filter(job -> job.need().gpus() > 0 && job.need().gpus() <= gpus)
                        .toList();
        return new ForecastReplay(gpus, every).replay(jobs);
    }
}
