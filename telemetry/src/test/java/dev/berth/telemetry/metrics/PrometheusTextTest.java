package dev.berth.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrometheusTextTest {

    private final PrometheusText out = new PrometheusText();

    @Test
    void aFamilyHasHelpTypeAndSamples() {
        out.gauge("cards_free", "Cards that are free.").add(2).add(0.25, "node", "a", "kind", "b");
        assertThat(out)
                .hasToString(
                        """
                        # HELP cards_free Cards that are free.
                        # TYPE cards_free gauge
                        cards_free 2
                        cards_free{node="a",kind="b"} 0.25
                        """);
    }

    @Test
    void counterNamesGetNoSuffix() {
        out.counter("schedule_failures", "Failures.").add(3);
        assertThat(out.toString())
                .contains("# TYPE schedule_failures counter\n", "\nschedule_failures 3\n")
                .doesNotContain("_total");
    }

    @Test
    void labelValuesAreEscaped() {
        out.gauge("x", "X.").add(1, "user", "a\\b\"c\nd");
        assertThat(out.toString()).contains("x{user=\"a\\\\b\\\"c\\nd\"} 1\n");
    }

    @Test
    void largeWholeNumbersKeepTheirDigits() {
        out.gauge("x", "X.").add(1000 * 1048576.0).add(1e-4).add(Math.pow(2, 60));
        assertThat(out.toString())
                .contains("x 1048576000\n", "x 1.0E-4\n", "x 1.152921504606847E18");
    }

    @Test
    void theBucketsOfAHistogramAddUpToItsCount() {
        var histogram = new Histogram(0.1, 1, 60);
        for (double value : new double[] {0.05, 0.1, 0.5, 59, 61}) {
            histogram.add(value);
        }
        out.histogram("wait_seconds", "Waits.", histogram);
        assertThat(out)
                .hasToString(
                        """
                        # HELP wait_seconds Waits.
                        # TYPE wait_seconds histogram
                        wait_seconds_bucket{le="0.1"} 2
                        wait_seconds_bucket{le="1"} 3
                        wait_seconds_bucket{le="60"} 4
                        wait_seconds_bucket{le="+Inf"} 5
                        wait_seconds_sum 120.65
                        wait_seconds_count 5
                        """);
    }
}
