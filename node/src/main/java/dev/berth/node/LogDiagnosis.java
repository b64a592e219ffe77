package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.node.log.LogEndText;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ShimScript;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/** Diagnoses from the end of an attempt's log why it failed. */
final class LogDiagnosis {

    private static final Logger log = LoggerFactory.getLogger(LogDiagnosis.class);

    private static final int MAX_BYTES = 64 * 1024;

    private LogDiagnosis() {}

    /**
     * Diagnoses an end with an error. Returns empty if the log cannot be read: that must not
     * prevent the report of the attempt's end.
     */
    static Optional<Diagnosis> of(AttemptId attempt, AttemptDirectory directory, Ending ending) {
        try {
            var end = LogEndText.read(directory.log(), 0, MAX_BYTES).text();
            return ending.diagnose(ShimScript.withoutBanners(end));
        } catch (IOException | RuntimeException failure) {
            log.warn(
                    "task={} attempt={} has no diagnosis: {}",
                    attempt.task(),
                    attempt.number(),
                    failure.toString());
            return Optional.empty();
        }
    }
}
