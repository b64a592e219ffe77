package dev.berth.core.task;

import dev.berth.core.diagnosis.Diagnosis;

import java.util.Optional;

/** What was found out about an attempt when it had ended. */
public record Findings(Optional<Diagnosis> diagnosis, Optional<Consumption> consumption) {

    public static final Findings NONE = new Findings(Optional.empty(), Optional.empty());

    /** Of what was ended on purpose it says nothing why it ended. */
    public Findings withoutDiagnosis() {
        return new Findings(Optional.empty(), consumption);
    }
}
