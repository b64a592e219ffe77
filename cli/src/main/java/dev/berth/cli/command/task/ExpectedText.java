package dev.berth.cli.command.task;

import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.Reason;

import org.jspecify.annotations.Nullable;

import java.util.OptionalLong;

/** Expected times relative to now. */
final class ExpectedText {

    private ExpectedText() {}

    /**
     * {@code 12m}, {@code 12m-1h40m} or {@code now}; empty if the time is unknown.
     *
     * @param now in seconds since 1970
     */
    static String range(@Nullable String expected, @Nullable String latest, long now) {
        OptionalLong time = TimestampText.parseEpochSecond(expected);
        if (time.isEmpty()) {
            return "";
        }
        String first = until(time.getAsLong(), now);
        OptionalLong last = TimestampText.parseEpochSecond(latest);
        String end = last.isEmpty() ? first : until(last.getAsLong(), now);
        return first.equals(end) ? first : first + "-" + end;
    }

    /** {@code in about 12m, at the latest in 40m}. */
    static String sentence(@Nullable String expected, @Nullable String latest, long now) {
        String range = range(expected, latest, now);
        if (range.isEmpty()) {
            return "";
        }
        int dash = range.indexOf('-');
        String first = dash < 0 ? range : range.substring(0, dash);
        String about = first.equals("now") ? "now" : "in about " + first;
        return dash < 0 ? about : about + ", at the latest in " + range.substring(dash + 1);
    }

    /** {@code not known: ...}; empty without a reason, as for a task that does not wait. */
    static String unknown(@Nullable Reason reason) {
        return reason == null ? "" : "not known: " + reason.detail();
    }

    private static String until(long time, long now) {
        return time <= now ? "now" : DurationText.ahead(time - now);
    }
}
