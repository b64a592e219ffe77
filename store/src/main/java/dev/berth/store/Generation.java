package dev.berth.store;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * How far the database of a home has come. It is stored in the database and repeated in a file
 * beside it; the two differ if one of them was lost or replaced.
 *
 * @param databaseId random, and different for each new database
 * @param epoch of the server that wrote it
 * @param commits number of commits so far
 * @param lastTask the highest task id that was acknowledged; 0 if there is none
 */
public record Generation(String databaseId, long epoch, long commits, long lastTask) {

    private static final String FORMAT = "berth-generation 1 %s %020d %020d %020d ";
    private static final Pattern LINE =
            Pattern.compile(
                    "(berth-generation 1 ([0-9a-f]{32}) (\\d{20}) (\\d{20}) (\\d{20}) )"
                            + "([0-9a-f]{8})\n");

    /** All lines have this length, so that each replaces the previous one in place. */
    static final int BYTES = line(new Generation("0".repeat(32), 0, 0, 0)).length;

    /** Of a database that is new, or was written before there were generations. */
    Generation withNewId() {
        return new Generation(
                UUID.randomUUID().toString().replace("-", ""), epoch, commits, lastTask);
    }

    Generation withNextEpoch() {
        return new Generation(databaseId, epoch + 1, commits + 1, lastTask);
    }

    Generation withNextCommit(long highestTask) {
        return new Generation(databaseId, epoch, commits + 1, highestTask);
    }

    /** The next one after both. */
    Generation above(Generation other) {
        return new Generation(
                databaseId,
                epoch + 1,
                Math.max(commits, other.commits) + 1,
                Math.max(lastTask, other.lastTask));
    }

    static byte[] line(Generation value) {
        var text = FORMAT.formatted(value.databaseId, value.epoch, value.commits, value.lastTask);
        return (text + checksum(text) + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Empty if the line is damaged. */
    static Optional<Generation> parse(byte[] line) {
        var matcher = LINE.matcher(new String(line, StandardCharsets.ISO_8859_1));
        if (!matcher.matches() || !checksum(matcher.group(1)).equals(matcher.group(6))) {
            return Optional.empty();
        }
        return Optional.of(
                new Generation(
                        matcher.group(2),
                        Long.parseLong(matcher.group(3)),
                        Long.parseLong(matcher.group(4)),
                        Long.parseLong(matcher.group(5))));
    }

    private static String checksum(String text) {
        var crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }
}
