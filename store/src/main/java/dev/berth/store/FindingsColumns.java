package dev.berth.store;

import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** An attempt's resource consumption and diagnosis as columns of {@code attempt}. */
final class FindingsColumns {

    private static final int NANOS_IN_MICRO = 1000;

    private final Column watchedMicros;
    private final Column peakMib;
    private final Column meanMib;
    private final Column peakPercent;
    private final Column meanPercent;
    private final Column cause;
    private final Column causeLine;
    private final Column causeParams;

    FindingsColumns(SqlTable attempts) {
        watchedMicros = attempts.column("watched_us");
        peakMib = attempts.column("peak_mib");
        meanMib = attempts.column("mean_mib");
        peakPercent = attempts.column("peak_percent");
        meanPercent = attempts.column("mean_percent");
        cause = attempts.column("cause");
        causeLine = attempts.column("cause_line");
        causeParams = attempts.column("cause_params");
    }

    void set(Parameters row, AttemptFindings findings) throws SQLException {
        if (findings.consumption().isPresent()) {
            var used = findings.consumption().get();
            row.set(watchedMicros, used.measuredTime().toNanos() / NANOS_IN_MICRO)
                    .set(peakMib, used.peakMib())
                    .set(meanMib, used.meanMib())
                    .set(peakPercent, used.peakPercent())
                    .set(meanPercent, used.meanPercent());
        }
        if (findings.diagnosis().isPresent()) {
            var diagnosis = findings.diagnosis().get();
            row.set(cause, EnumText.of(diagnosis.cause()))
                    .set(causeLine, diagnosis.line())
                    .set(causeParams, JsonText.of(diagnosis.params()));
        }
    }

    AttemptFindings read(ResultRow row) throws SQLException {
        var consumption = consumption(row);
        var diagnosis = diagnosis(row);
        return consumption.isEmpty() && diagnosis.isEmpty()
                ? AttemptFindings.NONE
                : new AttemptFindings(diagnosis, consumption);
    }

    private Optional<GpuConsumption> consumption(ResultRow row) throws SQLException {
        var micros = row.optionalNumber(watchedMicros);
        return micros.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new GpuConsumption(
                                row.number(peakMib),
                                row.number(meanMib),
                                row.optionalSmallNumber(peakPercent),
                                row.optionalSmallNumber(meanPercent),
                                Duration.ofNanos(micros.getAsLong() * NANOS_IN_MICRO)));
    }

    private Optional<Diagnosis> diagnosis(ResultRow row) throws SQLException {
        var name = row.optionalText(cause);
        return name.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Diagnosis(
                                EnumText.parse(Cause.class, name.get()),
                                row.text(causeLine),
                                JsonText.read(row.text(causeParams))));
    }
}
