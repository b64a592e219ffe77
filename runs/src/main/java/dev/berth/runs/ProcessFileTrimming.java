package dev.berth.runs;

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
 * Limits the size of the process file: it is read several times a second, and no other program
 * removes ended records. Only records that Berth created are removed.
 */
final class ProcessFileTrimming {

    /** The limit when Berth writes the file, as far as Berth's own records allow. */
    static final int MAX_BYTES = 4 << 20;

    /** Some free space, so that records are not removed at every write. */
    private static final int TARGET_BYTES = MAX_BYTES / 8 * 7;

    /** The format of {@link dev.berth.core.task.Task#uniId}. */
    private static final Pattern UNI_ID = Pattern.compile("([0-9a-z]{8,12})_(\\d{1,9})");

    private static final int RADIX = 36;

    /** A foreign name that matches the format hardly ever decodes to a time after this one. */
    private static final long EARLIEST_MICROS = micros(Instant.parse("2020-01-01T00:00:00Z"));

    /** Clocks are sometimes set back. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofDays(1);

    /** The braces and the line end around a single record, less its comma. */
    private static final int OVERHEAD_BYTES = 4;

    private ProcessFileTrimming() {}

    private record Ended(String uniId, long created, int retry) {
        static final Comparator<Ended> OLDEST_FIRST =
                Comparator.comparingLong(Ended::created).thenComparingInt(Ended::retry);
    }

    /**
     * Removes Berth's oldest ended records if the file is too large.
     *
     * @param kept records of live runs; evaluated only if needed
     * @return the number of removed records
     */
    static int trim(ObjectNode tree, Supplier<Set<String>> kept) {
        long size = ProcessFileContent.size(tree);
        if (size <= MAX_BYTES) {
            return 0;
        }
        long excess = size - TARGET_BYTES;
        int left = 0;
        for (var ended : endedRecords(tree, kept.get())) {
            if (excess < 0) {
                break;
            }
            excess -= bytes(ended.uniId, tree.remove(ended.uniId));
            left++;
        }
        return left;
    }

    private static List<Ended> endedRecords(ObjectNode tree, Set<String> kept) {
        long latest = micros(Instant.now().plus(CLOCK_TOLERANCE));
        var ended = new ArrayList<Ended>();
        for (var entry : tree.properties()) {
            if (!kept.contains(entry.getKey())) {
                endedRecord(entry.getKey(), entry.getValue())
                        .filter(
                                record ->
                                        record.created >= EARLIEST_MICROS
                                                && record.created <= latest)
                        .ifPresent(ended::add);
            }
        }
        ended.sort(Ended.OLDEST_FIRST);
        return ended;
    }

    private static Optional<Ended> endedRecord(String uniId, JsonNode record) {
        var form = UNI_ID.matcher(uniId);
        if (!form.matches() || !TaskTry.isEnded(record)) {
            return Optional.empty();
        }
        int retry = Integer.parseInt(form.group(2));
        // Berth writes both fields into each of its records.
        boolean isOwn =
                record.has(TaskTry.PID) && record.path(TaskTry.RETRY_COUNT).asInt(-1) == retry;
        return isOwn
                ? Optional.of(new Ended(uniId, Long.parseLong(form.group(1), RADIX), retry))
                : Optional.empty();
    }

    private static long bytes(String uniId, JsonNode record) {
        var alone = JsonNodeFactory.instance.objectNode().set(uniId, record);
        return ProcessFileContent.size((ObjectNode) alone) - OVERHEAD_BYTES;
    }

    private static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }
}
