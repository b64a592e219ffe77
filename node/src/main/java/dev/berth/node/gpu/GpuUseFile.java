package dev.berth.node.gpu;

import dev.berth.files.AtomicFile;
import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Stores the GPU use beside the attempt's log, for the next server. It is not synced: if the
 * machine loses power, the attempt is lost too.
 */
record GpuUseFile(Path path) {

    private static final String FORMAT_VERSION = "1";
    private static final int FIELD_COUNT = 7;
    private static final int MAX_BYTES = 512;

    /** Empty if the file does not exist or is invalid. */
    Optional<GpuUse> read() throws IOException {
        try {
            return parse(
                    new String(RegularFile.readStart(path, MAX_BYTES), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException | RegularFile.NotRegularFileException none) {
            return Optional.empty();
        }
    }

    private static Optional<GpuUse> parse(String text) {
        var fields = text.strip().split(" ", -1);
        if (fields.length != FIELD_COUNT || !fields[0].equals(FORMAT_VERSION)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new GpuUse(sum(fields, 1), sum(fields, 4)));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static GpuUse.TimeWeightedSum sum(String[] fields, int at) {
        return new GpuUse.TimeWeightedSum(
                Long.parseLong(fields[at]),
                Double.parseDouble(fields[at + 1]),
                Double.parseDouble(fields[at + 2]));
    }

    void write(GpuUse use) throws IOException {
        var text = "%s %s %s\n".formatted(FORMAT_VERSION, format(use.memory()), format(use.load()));
        AtomicFile.replace(
                path,
                text.getBytes(StandardCharsets.US_ASCII),
                AtomicFile.Options.unsynced(path.getFileName() + ".new"));
    }

    private static String format(GpuUse.TimeWeightedSum sum) {
        return sum.peak() + " " + sum.total() + " " + sum.seconds();
    }
}
