package dev.berth.node.shim;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.TaskSpec;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;
import dev.berth.port.Node;

import java.util.Optional;

/**
 * Describes an attempt and its task in one comment line of {@code run.sh}, so that {@code berth
 * recover} can restore both if the database is lost. The command and the environment are not
 * repeated here: they are in the scripts themselves.
 *
 * @param attempt as it was scheduled
 * @param spec a parsed one has an empty command and an empty environment
 */
public record AttemptHeader(Attempt attempt, TaskSpec spec, Node.Submission submission) {

    private static final String PREFIX = "# berth-attempt ";

    /** Longer than any header of a valid task. */
    private static final int MAX_CHARS = 16 * 1024;

    /** With its line break; empty if the values are too long. */
    String line() {
        var json = JsonWriter.write(HeaderJson.write(this));
        return json.length() > MAX_CHARS ? "" : PREFIX + json + "\n";
    }

    /**
     * @param runScript the beginning of a {@code run.sh}
     * @return empty if it has no header, or a damaged one
     */
    public static Optional<AttemptHeader> find(String runScript) {
        return runScript
                .lines()
                .limit(5)
                .filter(line -> line.startsWith(PREFIX) && line.length() <= MAX_CHARS + 20)
                .findFirst()
                .flatMap(line -> parse(line.substring(PREFIX.length())));
    }

    private static Optional<AttemptHeader> parse(String json) {
        try {
            return Optional.of(HeaderJson.read(JsonParser.parse(json)));
        } catch (JsonParser.MalformedJson | RuntimeException damaged) {
            return Optional.empty();
        }
    }

    /** Omits everything that belongs to the owner. */
    @Override
    public String toString() {
        return "AttemptHeader[" + attempt.id() + "]";
    }
}
