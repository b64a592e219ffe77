package dev.berth.core.task;

import dev.berth.findings.diagnosis.Diagnosis;

import java.util.Optional;

/** What was found about an attempt after it ended. */
public record AttemptFindings(Optional<Diagnosis> diagnosis, Optional<GpuConsumption> consumption) {

    public static final AttemptFindings NONE =
            new AttemptFindings(Optional.empty(), Optional.empty());

    /** For an attempt that was stopped on purpose: its log does not show why it ended. */
    public AttemptFindings withoutDiagnosis() {
        return new AttemptFindings(Optional.empty(), consumption);
    }
}
