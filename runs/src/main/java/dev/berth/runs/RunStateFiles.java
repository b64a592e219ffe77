package dev.berth.runs;

import dev.berth.files.AtomicFile;
import dev.berth.json.WireJson;
import dev.berth.wire.RunState;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/** The state files of runs, {@code logs/state/3.json}; each is replaced atomically. */
record RunStateFiles(Path directory) {

    private static final int MAX_BYTES = 256 << 20;

    static RunStateFiles of(Path home) {
        return new RunStateFiles(home.resolve("logs").resolve("state"));
    }

    /**
     * The content of a state file that an earlier server may have written.
     *
     * @param isFinal the run cannot change any more
     */
    record StoredState(Instant updatedAt, boolean isFinal) {}

    Optional<StoredState> read(long run) {
        try {
            return parse(WireJson.readTree(AtomicFile.read(file(run), MAX_BYTES)));
        } catch (IOException | JacksonException | DateTimeException _) {
            // An invalid file is written again.
            return Optional.empty();
        }
    }

    private static Optional<StoredState> parse(JsonNode state) {
        var updated = state.path("updated_at");
        boolean isLast =
                state.path("ended_at").isString()
                        && state.path("pending").asInt(1) == 0
                        && state.path("running").asInt(1) == 0;
        return updated.isString()
                ? Optional.of(new StoredState(Instant.parse(updated.stringValue()), isLast))
                : Optional.empty();
    }

    /** Not synced: after a crash the next server writes the latest states again. */
    void write(RunState state) throws IOException {
        AtomicFile.createDirectory(directory);
        // Only one server writes here, so a fixed name is enough, and leftovers of a crash are
        // deleted.
        AtomicFile.replace(
                file(state.pid()),
                WireJson.writeLine(state),
                AtomicFile.Options.unsynced("." + state.pid() + ".json.tmp"));
    }

    Path file(long run) {
        return directory.resolve(run + ".json");
    }
}
