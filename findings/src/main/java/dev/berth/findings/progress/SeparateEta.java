package dev.berth.findings.progress;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The time left that a program prints on a line of its own, after its count. */
final class SeparateEta {

    /** Most lines have none of these, and a search for words is faster than a pattern. */
    private static final List<String> WORDS =
            List.of("time to finish", "time left", "emaining", "ETA", "eta:");

    private Optional<Duration> timeLeft = Optional.empty();
    private boolean isCounted;

    /** A second count without a new time makes the time too old. */
    void counted() {
        if (isCounted) {
            timeLeft = Optional.empty();
        }
        isCounted = true;
    }

    /**
     * @param line without a count
     */
    void read(String line) {
        if (WORDS.stream().anyMatch(line::contains)) {
            var printed = TextCounts.eta(line);
            if (printed.isPresent()) {
                timeLeft = printed;
                isCounted = false;
            }
        }
    }

    Progress addTo(Progress progress) {
        return progress.timeLeft().isPresent() || timeLeft.isEmpty()
                ? progress
                : new Progress(
                        progress.done(),
                        progress.total(),
                        progress.unit(),
                        progress.perSecond(),
                        timeLeft,
                        progress.line());
    }
}
