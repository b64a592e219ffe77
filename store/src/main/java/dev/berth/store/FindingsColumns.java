package dev.berth.store;

import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Findings;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What was found out about an attempt, as columns of {@code attempt}. */
final class FindingsColumns {

    static final List<String> NAMES =
            List.of(
                    "watched_us",
                    "peak_mib",
                    "mean_mib",
                    "peak_percent",
                    "mean_percent",
                    "cause",
                    "cause_line",
                    "cause_params");

    private static final int NANOS_IN_MICRO = 1000;

    private FindingsColumns() {}

    static void write(Params row, Findings findings) throws SQLException {
        if (findings.consumption().isPresent()) {
            var used = findings.consumption().get();
            row.number(used.watched().toNanos() / NANOS_IN_MICRO)
                    .number(used.peakMib())
                    .number(used.meanMib())
                    .number(wide(used.peakPercent()))
                    .number(wide(used.meanPercent()));
        } else {
            row.none(5);
        }
        if (findings.diagnosis().isPresent()) {
            var diagnosis = findings.diagnosis().get();
            row.text(Words.of(diagnosis.cause()))
                    .text(diagnosis.line())
                    .text(JsonText.of(diagnosis.params()));
        } else {
            row.none(3);
        }
    }

    static Findings read(Fields row) throws SQLException {
        var consumption = consumption(row);
        var diagnosis = diagnosis(row);
        return consumption.isEmpty() && diagnosis.isEmpty()
                ? Findings.NONE
                : new Findings(diagnosis, consumption);
    }

    private static Optional<Consumption> consumption(Fields row) throws SQLException {
        var micros = row.optionalNumber();
        if (micros.isEmpty()) {
            row.skip(4);
            return Optional.empty();
        }
        return Optional.of(
                new Consumption(
                        row.number(),
                        row.number(),
                        narrow(row.optionalNumber()),
                        narrow(row.optionalNumber()),
                        Duration.ofNanos(micros.getAsLong() * NANOS_IN_MICRO)));
    }

    private static Optional<Diagnosis> diagnosis(Fields row) throws SQLException {
        var word = row.optionalText();
        if (word.isEmpty()) {
            row.skip(2);
            return Optional.empty();
        }
        return Optional.of(
                new Diagnosis(
                        Words.value(Cause.class, word.get()),
                        row.text(),
                        JsonText.read(row.text())));
    }

    private static OptionalLong wide(OptionalInt value) {
        return value.isPresent() ? OptionalLong.of(value.getAsInt()) : OptionalLong.empty();
    }

    private static OptionalInt narrow(OptionalLong value) {
        return value.isPresent()
                ? OptionalInt.of(Math.toIntExact(value.getAsLong()))
                : OptionalInt.empty();
    }
}
