package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.RegularFile;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ShimScript;
import dev.berth.slurm.AttemptFiles.FileState;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Examines the processes of attempts that Slurm does not know any more: directly if they run on
 * this host and are this user's, otherwise by a job of their owner on their host, which writes its
 * result into the attempt's directory.
 */
final class ExaminedProcesses implements HostProcesses {

    private static final Logger log = LoggerFactory.getLogger(ExaminedProcesses.class);
    private static final Duration REPEAT = Duration.ofSeconds(30);
    private static final int MAX_RESULT_BYTES = 64;
    private static final String BODY = resource();

    private final SharedAttemptFiles files;
    private final Places places;
    private final InstantSource clock;
    private final JobOwners owners;
    private final Map<AttemptId, Instant> requestedAt = new ConcurrentHashMap<>();

    /**
     * How examinations are run.
     *
     * @param bootId of this host; empty if its processes belong to other users
     * @param homeId part of the marker of each process
     * @param executor runs them one after the other
     */
    record Places(
            Optional<String> bootId,
            String homeId,
            Duration stopGrace,
            SlurmClient slurm,
            Executor executor) {}

    ExaminedProcesses(
            SharedAttemptFiles files, Places places, JobOwners owners, InstantSource clock) {
        this.files = files;
        this.places = places;
        this.owners = owners;
        this.clock = clock;
    }

    private static String resource() {
        try (var in =
                Objects.requireNonNull(ExaminedProcesses.class.getResourceAsStream("examine.sh"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("the resource examine.sh", failure);
        }
    }

    private boolean isHere(ProcessKey key) {
        return places.bootId().filter(key.bootId()::equals).isPresent();
    }

    @Override
    public Presence look(AttemptId id, FileState.Started start) {
        var key = start.process().key();
        if (isHere(key)) {
            return switch (Proc.liveness(key)) {
                case ALIVE -> Presence.ALIVE;
                case GONE -> Presence.GONE;
                case UNREADABLE -> Presence.UNKNOWN;
            };
        }
        var directory = files.directory(id);
        try {
            var found =
                    new String(
                                    RegularFile.readStart(result(directory), MAX_RESULT_BYTES),
                                    StandardCharsets.UTF_8)
                            .strip();
            request(id, start, false);
            return found.equals("gone") ? Presence.GONE : Presence.ALIVE;
        } catch (NoSuchFileException notYet) {
            request(id, start, false);
            return Presence.UNKNOWN;
        } catch (IOException failure) {
            return Presence.UNKNOWN;
        }
    }

    @Override
    public void end(AttemptId id, FileState.Started start) {
        request(id, start, true);
    }

    private static Path result(AttemptDirectory directory) {
        return directory.path().resolve("examined");
    }

    private void request(AttemptId id, FileState.Started start, boolean isEnd) {
        var now = clock.instant();
        var last = requestedAt.get(id);
        if (last != null && now.isBefore(last.plus(REPEAT))) {
            return;
        }
        requestedAt.put(id, now);
        places.executor().execute(() -> examine(id, start, isEnd));
    }

    private void examine(AttemptId id, FileState.Started start, boolean isEnd) {
        var directory = files.directory(id);
        try {
            var owner = owners.of(id);
            Files.deleteIfExists(result(directory));
            var script =
                    directory.write(
                            "examine.sh",
                            text(id, start, result(directory), isEnd),
                            files.owner(id));
            if (isHere(start.process().key())) {
                var process =
                        new ProcessBuilder("/bin/bash", script.toString())
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start();
                process.waitFor();
            } else {
                places.slurm().submit(script, options(start.place().host()), owner);
            }
        } catch (IOException | SlurmFailure failure) {
            log.warn("task={} cannot be examined on its host: {}", id.task(), failure.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A job without GPUs on that host. */
    static List<String> options(String host) {
        return List.of(
                "--job-name=berth-examine",
                "--nodelist=" + host,
                "--nodes=1",
                "--ntasks=1",
                "--time=5",
                "--output=/dev/null",
                "--chdir=/");
    }

    private String text(AttemptId id, FileState.Started start, Path result, boolean isEnd) {
        var key = start.process().key();
        return "#!/usr/bin/env bash\nberth_pid="
                + key.pid()
                + "\nberth_tick="
                + key.startTick()
                + "\nberth_boot="
                + key.bootId()
                + "\nberth_marker="
                + ShimScript.quoted(places.homeId() + "/" + id)
                + "\nberth_result="
                + ShimScript.quoted(result.toString())
                + "\nberth_end="
                + (isEnd ? "1" : "")
                + "\nberth_grace="
                + Math.max(1, places.stopGrace().toSeconds())
                + "\n"
                + BODY;
    }
}
