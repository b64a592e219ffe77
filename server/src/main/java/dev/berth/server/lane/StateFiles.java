package dev.berth.server.lane;

import dev.berth.server.http.Json;
import dev.berth.wire.RunState;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** The states of runs as files, {@code logs/state/3.json}: whole at every moment. */
record StateFiles(Path directory) {

    private static final int LARGEST_BYTES = 256 << 20;

    static StateFiles of(Path home) {
        return new StateFiles(home.resolve("logs").resolve("state"));
    }

    /**
     * What a file says that an earlier server may have written.
     *
     * @param isLast nothing more will become of its run
     */
    record Told(Instant updatedAt, boolean isLast) {}

    Optional<Told> read(long run) {
        try {
            return told(Json.tree(WholeFile.read(file(run), LARGEST_BYTES)));
        } catch (IOException | JacksonException | DateTimeException _) {
            // Whatever it is, it is written anew.
            return Optional.empty();
        }
    }

    private static Optional<Told> told(JsonNode state) {
        var updated = state.path("updated_at");
        boolean isLast =
                state.path("ended_at").isString()
                        && state.path("pending").asInt(1) == 0
                        && state.path("running").asInt(1) == 0;
        return updated.isString()
                ? Optional.of(new Told(Instant.parse(updated.stringValue()), isLast))
                : Optional.empty();
    }

    /** A crash may lose the last of them: the next server writes them again. */
    void write(RunState state) throws IOException {
        WholeFile.makeDirectory(directory);
        // One server alone writes here, so one name will do, and what a crash left is overwritten.
        var fresh = directory.resolve("." + state.pid() + ".json.tmp");
        try (var out =
                Files.newByteChannel(
                        fresh,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            var bytes = ByteBuffer.wrap(Json.line(state));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        }
        Files.move(fresh, file(state.pid()), StandardCopyOption.ATOMIC_MOVE);
    }

    Path file(long run) {
        return directory.resolve(run + ".json");
    }
}
