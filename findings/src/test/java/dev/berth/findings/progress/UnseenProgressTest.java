package dev.berth.findings.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.findings.diagnosis.UnseenLogs;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;

class UnseenProgressTest {

    private static final double TOLERANCE = 1e-6;

    /** Percentages are rounded down. */
    private static final double PERCENT = 0.01;

    @Test
    void readsEveryFormat() {
        var wrong = new ArrayList<String>();
        for (var wanted : UnseenLogs.progress()) {
            var found = new ProgressReader().read(wanted.line() + "\n");
            boolean isFound =
                    found.map(one -> isRight(wanted, one))
                            .orElse(wanted.total().isEmpty() && wanted.fraction().isEmpty());
            // A count without a total is no progress, but shows that the program is working.
            if (!isFound || !ProgressReader.showsActivity(wanted.line())) {
                wrong.add(wanted + ": found " + found);
            }
        }
        assertThat(UnseenLogs.progress()).hasSizeGreaterThanOrEqualTo(100);
        assertThat(wrong).isEmpty();
    }

    private static boolean isRight(UnseenLogs.ProgressLine wanted, Progress found) {
        double ratio = (double) found.done() / found.total();
        if (wanted.total().isEmpty()) {
            return !wanted.fraction().isEmpty()
                    && Math.abs(ratio - Double.parseDouble(wanted.fraction())) < PERCENT;
        }
        double right = amount(wanted.done()) / amount(wanted.total());
        return Math.abs(ratio - Math.min(right, 1)) < TOLERANCE;
    }

    private static double amount(String printed) {
        return Double.parseDouble(printed.replace("G", ""));
    }
}
