package dev.berth.store;

import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.HourlyUsage;

import java.sql.SQLException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The GPU time that one principal used, as a row of {@code usage}. */
final class UsageRow {

    static final SqlTable TABLE = SqlTable.checked("usage");

    private static final Column PRINCIPAL = TABLE.key("principal");
    private static final Column GPU_SECONDS = TABLE.column("gpu_seconds");
    private static final Column AS_OF = TABLE.column("as_of");
    private static final Column HOURS = TABLE.column("hours");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();

    private UsageRow() {}

    static void save(SqlSession session, String principal, GpuUsage.Account account)
            throws SQLException {
        session.prepared(UPSERT)
                .set(PRINCIPAL, principal)
                .setDecimal(GPU_SECONDS, account.gpuSeconds())
                .set(AS_OF, account.asOf())
                .set(HOURS, text(account.hours()))
                .run();
    }

    private static Optional<String> text(HourlyUsage usage) {
        return usage.byHour().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        usage.byHour().entrySet().stream()
                                .map(hour -> hour.getKey() + "=" + hour.getValue())
                                .collect(Collectors.joining(",")));
    }

    private static HourlyUsage hours(Optional<String> text) throws SQLException {
        if (text.isEmpty()) {
            return HourlyUsage.NONE;
        }
        var byHour = new TreeMap<Long, Double>();
        try {
            for (var hour : text.get().split(",", -1)) {
                int end = hour.indexOf('=');
                byHour.put(
                        Long.valueOf(hour.substring(0, end)),
                        Double.valueOf(hour.substring(end + 1)));
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new SQLException("not the usage of hours: " + text.get(), e);
        }
        return new HourlyUsage(byHour);
    }

    static SortedMap<String, GpuUsage.Account> readAll(ResultRow row) throws SQLException {
        var usage = new TreeMap<String, GpuUsage.Account>();
        while (row.next()) {
            usage.put(
                    row.text(PRINCIPAL),
                    new GpuUsage.Account(
                            row.decimal(GPU_SECONDS),
                            row.time(AS_OF),
                            hours(row.optionalText(HOURS))));
        }
        return usage;
    }
}
