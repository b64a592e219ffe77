package dev.berth.node;

import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.diagnosis.Doctor;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.node.log.LogEnd;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ShimScript;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/** What the end of an attempt's log says about why it ended badly. */
final class LastWords {

    private static final Logger log = LoggerFactory.getLogger(LastWords.class);

    private static final int MOST_BYTES = 64 * 1024;

    private LastWords() {}

    /** A log that cannot be read says nothing; the end itself is told all the same. */
    static Optional<Diagnosis> of(AttemptId attempt, AttemptDirectory directory, Ending ending) {
        if (ending.error().isEmpty()) {
            return Optional.empty();
        }
        try {
            var end = LogEnd.read(directory.log(), 0, MOST_BYTES).text();
            return Doctor.diagnose(ShimScript.withoutBanners(end), ending);
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
