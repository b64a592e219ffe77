package dev.berth.app;

import dev.berth.cli.call.UsageError;

import java.time.Duration;
import java.util.Map;

/**
 * How long and how much.
 *
 * @param stopGrace between asking a task's processes to end and killing them
 * @param logCapMib disk space that one attempt's log may take
 */
record NodeLimits(Duration stopGrace, long logCapMib) {

    static final NodeLimits USUAL = new NodeLimits(Duration.ofSeconds(10), 1024);

    private static final String GRACE = "BERTH_STOP_GRACE_SECONDS";
    private static final String CAP = "BERTH_LOG_CAP_MIB";

    static NodeLimits from(Map<String, String> environment) {
        long grace = number(environment, GRACE, USUAL.stopGrace.toSeconds(), 0);
        long cap = number(environment, CAP, USUAL.logCapMib, 4);
        return new NodeLimits(Duration.ofSeconds(grace), cap);
    }

    private static long number(
            Map<String, String> environment, String name, long usual, long least) {
        var text = environment.getOrDefault(name, "");
        if (text.isEmpty()) {
            return usual;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Said below, as for a number too small.
        }
        throw new UsageError(name + " is a whole number of " + least + " or more, not " + text);
    }
}
