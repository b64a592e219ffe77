package dev.berth.cli.link;

import dev.berth.wire.UsageLine;
import dev.berth.wire.UsageReport;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What {@link WireReader} does, for who had how much of the cards. */
public final class UsageReader {

    private UsageReader() {}

    public static UsageReport report(@Nullable Object json) {
        Fields fields = Fields.of(json);
        List<UsageLine> users = new ArrayList<>();
        for (Fields user : fields.objects("users")) {
            users.add(line(user));
        }
        return new UsageReport(
                fields.text("from"), fields.text("to"), users, line(fields.object("total")));
    }

    private static UsageLine line(Fields fields) {
        return new UsageLine(
                fields.textOrNull("user"),
                fields.longNumber("tasks"),
                fields.longNumber("completed"),
                fields.longNumber("failed"),
                fields.longNumber("cancelled"),
                fields.decimal("gpu_hours"),
                fields.decimalOrNull("wait_mean_seconds"),
                fields.decimalOrNull("wait_p95_seconds"),
                fields.decimalOrNull("utilization_mean"),
                fields.longOrNull("memory_asked_mb"),
                fields.longOrNull("memory_peak_mb"),
                fields.decimalOrNull("memory_efficiency"));
    }
}
