package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.AttemptHeader;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.ScriptText;
import dev.berth.node.shim.ShimDescriptor;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.AttemptRecord.Description;
import dev.berth.port.recover.AttemptRecord.Outcome;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Reads what the directory of an attempt tells about it. */
public final class AttemptRecords {

    private static final int MAX_SCRIPT_BYTES = 4 << 20;

    /** Fails if it is ever run again. */
    private static final String LOST_COMMAND =
            "echo 'berth: the command of this task was lost together with its directory' >&2\n"
                    + "exit 1\n";

    private AttemptRecords() {}

    /**
     * @param shim the living shim of the attempt, which holds its script open
     */
    public static AttemptRecord read(Path tasks, AttemptId id, Optional<ProcessKey> shim)
            throws IOException {
        var directory = AttemptDirectory.find(tasks, id);
        var runScript =
                text(directory.runScript())
                        .filter(text -> AttemptHeader.find(text).isPresent())
                        .or(() -> shim.flatMap(key -> ShimDescriptor.of(key).script()));
        var header =
                runScript
                        .flatMap(AttemptHeader::find)
                        .filter(found -> found.attempt().id().equals(id));
        var command = text(directory.commandScript()).flatMap(ScriptText::command);
        var description =
                header.flatMap(found -> describe(found, command, runScript.orElseThrow()));
        return new AttemptRecord(id, description, outcome(directory), changedAt(directory));
    }

    private static Optional<Description> describe(
            AttemptHeader header, Optional<String> command, String runScript) {
        return ScriptText.environment(runScript)
                .map(
                        environment -> {
                            var script =
                                    header.spec()
                                            .script()
                                            .text()
                                            .withCommand(command.orElse(LOST_COMMAND))
                                            .withEnvironment(environment);
                            return new Description(
                                    header.attempt(),
                                    header.spec().with(script),
                                    header.submission());
                        });
    }

    private static Outcome outcome(AttemptDirectory directory) throws IOException {
        if (ExitRecord.read(directory) instanceof ExitRecord.Code(int code)) {
            return new Outcome.Exited(code);
        }
        return switch (GoFile.read(directory.go())) {
            case GoFile.Taken(var key) -> new Outcome.Started(Optional.of(key));
            case GoFile.Empty _, GoFile.Damaged _ -> new Outcome.Started(Optional.empty());
            case GoFile.Absent _, GoFile.Tombstone _ -> new Outcome.NotStarted();
        };
    }

    private static Instant changedAt(AttemptDirectory directory) {
        for (var file : new Path[] {directory.exitRecord(), directory.log(), directory.path()}) {
            try {
                return Files.getLastModifiedTime(file).toInstant();
            } catch (IOException missing) {
                // The next one is older, but exists more often.
            }
        }
        return Instant.EPOCH;
    }

    private static Optional<String> text(Path file) {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try (var in = Files.newInputStream(file)) {
            return Optional.of(new String(in.readNBytes(MAX_SCRIPT_BYTES), StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
