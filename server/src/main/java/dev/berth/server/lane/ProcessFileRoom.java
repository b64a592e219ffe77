package dev.berth.server.lane;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Keeps the process file small: it is read several times a second, and nobody else takes out what
 * has long ended. Only what Berth made itself is left out; others' records are theirs.
 */
final class ProcessFileRoom {

    /** The text is no larger when Berth writes it, if that is in Berth's hand. */
    static final int MOST_BYTES = 4 << 20;

    /** Some room for what follows, so that it is not made anew with each record. */
    private static final int ROOMY_BYTES = MOST_BYTES / 8 * 7;

    /** By its form; see {@link dev.berth.core.task.Task#uniId}. */
    private static final Pattern OWN = Pattern.compile("([0-9a-z]{8,12})_(\\d{1,9})");

    private static final int RADIX = 36;

    /** A word of somebody else's, read as a time, is hardly ever one at which Berth was there. */
    private static final long FIRST_MICROS = micros(Instant.parse("2020-01-01T00:00:00Z"));

    /** Clocks are set back sometimes. */
    private static final Duration AHEAD = Duration.ofDays(1);

    /** The braces and the line's end around a record that stands alone, less its comma. */
    private static final int AROUND_BYTES = 4;

    private ProcessFileRoom() {}

    private record Ended(String uniId, long created, int retry) {
        static final Comparator<Ended> OLDEST_FIRST =
                Comparator.comparingLong(Ended::created).thenComparingInt(Ended::retry);
    }

    /**
     * Leaves out the oldest of Berth's records that have ended, where all would be too much.
     *
     * @param kept those of runs that go on, asked for only then
     * @return how many
     */
    static int make(ObjectNode tree, Supplier<Set<String>> kept) {
        int size = ProcessFileText.of(tree).bytes().length;
        if (size <= MOST_BYTES) {
            return 0;
        }
        long over = size - (long) ROOMY_BYTES;
        int left = 0;
        for (var one : ended(tree, kept.get())) {
            if (over < 0) {
                break;
            }
            over -= bytes(one.uniId, tree.remove(one.uniId));
            left++;
        }
        return left;
    }

    private static List<Ended> ended(ObjectNode tree, Set<String> kept) {
        long latest = micros(Instant.now().plus(AHEAD));
        var ended = new ArrayList<Ended>();
        for (var entry : tree.properties()) {
            if (!kept.contains(entry.getKey())) {
                own(entry.getKey(), entry.getValue())
                        .filter(one -> one.created >= FIRST_MICROS && one.created <= latest)
                        .ifPresent(ended::add);
            }
        }
        ended.sort(Ended.OLDEST_FIRST);
        return ended;
    }

    private static Optional<Ended> own(String uniId, JsonNode record) {
        var form = OWN.matcher(uniId);
        if (!form.matches() || !ProcessFileTry.isEnded(record)) {
            return Optional.empty();
        }
        int retry = Integer.parseInt(form.group(2));
        // Berth writes both into each of its records.
        boolean isOwn =
                record.has(ProcessFileTry.PID)
                        && record.path(ProcessFileTry.RETRY_COUNT).asInt(-1) == retry;
        return isOwn
                ? Optional.of(new Ended(uniId, Long.parseLong(form.group(1), RADIX), retry))
                : Optional.empty();
    }

    private static int bytes(String uniId, JsonNode record) {
        var alone = JsonNodeFactory.instance.objectNode().set(uniId, record);
        return ProcessFileText.of((ObjectNode) alone).bytes().length - AROUND_BYTES;
    }

    private static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }
}
