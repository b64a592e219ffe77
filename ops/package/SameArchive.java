import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes an archive of the JVM reproducible. Two archives of the same classes differ only in the times of soft references, in
 * milliseconds since the machine started, and in the checksums over them. Both become 0: a time of 0 means "not used for
 * long", and checksums are only compared with {@code -XX:+VerifySharedSpaces}.
 *
 * <p>Arguments: two archives that were written one after the other, and the archive to write.
 */
final class SameArchive {

    /** Checksums are in the header, which is smaller than this. */
    private static final int HEADER_BYTES = 4096;

    private static final long MAX_MILLIS_APART = 600_000;

    public static void main(String[] arguments) throws IOException {
        var first = read(arguments[0]);
        var second = read(arguments[1]);
        if (first.capacity() != second.capacity()) {
            throw new IOException("the archives differ in size");
        }
        for (int at = 0; at < first.capacity(); at += Long.BYTES) {
            long difference = second.getLong(at) - first.getLong(at);
            if (difference == 0) {
                continue;
            }
            if (at < HEADER_BYTES) {
                clearDifferentHalves(first, second, at);
            } else if (difference > 0 && difference < MAX_MILLIS_APART) {
                first.putLong(at, 0);
            } else {
                throw new IOException("the archives differ at %d, and not by a time".formatted(at));
            }
        }
        Files.write(Path.of(arguments[2]), first.array());
    }

    private static ByteBuffer read(String path) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(Path.of(path))).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A checksum has four bytes. */
    private static void clearDifferentHalves(ByteBuffer first, ByteBuffer second, int word) {
        for (int at = word; at < word + Long.BYTES; at += Integer.BYTES) {
            if (first.getInt(at) != second.getInt(at)) {
                first.putInt(at, 0);
            }
        }
    }
}
