package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Keeps the file behind descriptor 47 small. The command's shell prints its final PATH there, but
 * every process of the task inherits the descriptor and can write to it. The shim reads only the
 * beginning, so the rest is removed. The file stays open: the cap also holds for a deleted file.
 */
record EndReportCap(Optional<RegularFile> file) implements AutoCloseable {

    static final String NAME = "command.end";

    static final EndReportCap NONE = new EndReportCap(Optional.empty());

    /** More than the shim reads, and a multiple of every file system's block size. */
    static final long MAX_BYTES = 1024 * 1024;

    static EndReportCap open(Path log) throws IOException {
        try {
            return new EndReportCap(
                    Optional.of(RegularFile.openForWriting(log.resolveSibling(NAME))));
        } catch (NoSuchFileException | RegularFile.NotRegularFileException none) {
            return NONE;
        }
    }

    void check() throws IOException {
        if (file.isPresent()) {
            var extent = file.get().extent();
            if (extent.allocated() > 2 * MAX_BYTES) {
                file.get().punchHole(MAX_BYTES, extent.size() - MAX_BYTES);
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            file.get().close();
        }
    }
}
