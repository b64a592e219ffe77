package dev.berth.feed;

import org.slf4j.Logger;

import java.util.HashSet;
import java.util.Set;

/**
 * Logs one line when something begins to fail and one when everything works again. What fails is
 * retried continuously, so a line per failure would fill the log. Used on one thread.
 */
public final class FailureLog {

    private final Logger log;
    private final String failing;
    private final String recovered;
    private final Set<String> failures = new HashSet<>();

    /**
     * @param failing the sentence before the reason
     * @param recovered the whole sentence
     */
    public FailureLog(Logger log, String failing, String recovered) {
        this.log = log;
        this.failing = failing;
        this.recovered = recovered;
    }

    /**
     * @param part what fails; empty for the whole
     */
    public void failed(String part, Exception failure) {
        if (failures.isEmpty()) {
            var what = part.isEmpty() ? failing : failing + ": " + part;
            if (failure instanceof RuntimeException) {
                // A defect: the stack trace is needed.
                log.error("{}: {}", what, failure.toString(), failure);
            } else {
                log.warn("{}: {}", what, failure.toString());
            }
        }
        failures.add(part);
    }

    public void succeeded(String part) {
        if (failures.remove(part) && failures.isEmpty()) {
            log.info(recovered);
        }
    }
}
