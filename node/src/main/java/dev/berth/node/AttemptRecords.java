package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.AttemptHeader;
import dev.berth.node.shim.ExitRecord;
import dev.berth.node.shim.GoFile;
import dev.berth.node.shim.ScriptText;
import dev.berth.node.shim.ShimDescriptor;
import dev.berth.node.shim.ShimScript;
import dev.berth.port.recover.AttemptRecord;
import dev.berth.port.recover.AttemptRecord.Description;
import dev.berth.port.recover.AttemptRecord.Outcome;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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
        var commandScript = text(directory.commandScript());
        var command = commandScript.flatMap(ScriptText::command);
        var description =
                header.flatMap(
                        found ->
                                environment(runScript.orElseThrow(), commandScript)
                                        .map(variables -> describe(found, command, variables)));
        return new AttemptRecord(id, description, outcome(directory), changedAt(directory));
    }

    /** The shell of an owner exports the task's variables, otherwise the shim does. */
    private static Optional<SortedMap<String, String>> environment(
            String runScript, Optional<String> commandScript) {
        if (ShimScript.ownerUid(runScript).isEmpty()) {
            return ScriptText.environment(runScript);
        }
        return commandScript.isEmpty()
                ? Optional.of(new TreeMap<>())
                : ScriptText.ownerEnvironment(commandScript.get());
    }

    private static Description describe(
            AttemptHeader header, Optional<String> command, SortedMap<String, String> variables) {
        var script =
                header.spec()
                        .script()
                        .text()
                        .withCommand(command.orElse(LOST_COMMAND))
                        .withEnvironment(variables);
        return new Description(header.attempt(), header.spec().with(script), header.submission());
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
                // Where tasks run as their owners, the exit code is an empty file until the end.
                if (Files.size(file) > 0) {
                    return Files.getLastModifiedTime(file).toInstant();
                }
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
