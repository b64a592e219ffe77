package dev.berth.node.linux;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.linux.Spawner.SpawnRequest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class SpawnerTest {
    @TempDir Path directory;

    static Stream<Spawner> spawners() {
        return Stream.concat(PosixSpawner.find().stream(), Stream.of(new SetsidSpawner()));
    }

    @Test
    void posixSpawnIsUsedHere() {
        assertThat(Spawner.forThisHost()).isInstanceOf(PosixSpawner.class);
    }

    @ParameterizedTest
    @MethodSource("spawners")
    void startsInItsOwnSession(Spawner spawner) throws IOException {
        var log = log();
        var spawned =
                bash(
                        spawner,
                        "read -r s </proc/self/stat; set -- ${s##*) }; echo session $4 $$; read x;"
                                + " echo eof");
        awaitEnd(spawned, log, "eof");

        assertThat(log)
                .content()
                .contains("session %d %d\n".formatted(spawned.pid(), spawned.pid()));
    }

    @ParameterizedTest
    @MethodSource("spawners")
    void inheritsNoDescriptors(Spawner spawner) throws IOException {
        var log = log();
        try (var held = new FileInputStream("/dev/zero")) {
            assertThat(held.read()).isZero();
            awaitEnd(bash(spawner, "echo /proc/$$/fd/*; echo done"), log, "done");
        }

        // The fourth is the directory that bash is listing.
        assertThat(Files.readAllLines(log).getFirst().split(" ", -1)).hasSize(4);
    }

    @ParameterizedTest
    @MethodSource("spawners")
    void blocksAndIgnoresNoSignal(Spawner spawner) throws IOException {
        var log = log();
        awaitEnd(bash(spawner, "cat /proc/self/status; echo done"), log, "done");

        assertThat(mask(log, "SigBlk")).isZero();
        if (spawner instanceof PosixSpawner) {
            assertThat(mask(log, "SigIgn")).isZero();
        }
    }

    /** Only the named signals: those above are reserved for the C library. */
    private static long mask(Path log, String field) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.split("\t", -1)[1], 16) & 0x7fffffff)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("spawners")
    void appendsToALogReadableOnlyByTheOwner(Spawner spawner) throws IOException {
        var log = log();
        awaitEnd(bash(spawner, "echo one"), log, "one");
        awaitEnd(bash(spawner, "echo two >&2"), log, "two");

        assertThat(log).hasContent("one\ntwo\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
                .isEqualTo("rw-------");
    }

    @Test
    void opensTheRecordToOverwriteItsBeginning() throws IOException {
        var record = Files.writeString(directory.resolve("record"), "pending...\n");
        var order =
                new SpawnRequest(
                        List.of("/bin/bash", "-c", "echo 3 >&48; echo done"),
                        log(),
                        Optional.of(record));
        awaitEnd(PosixSpawner.find().orElseThrow().spawn(order), log(), "done");

        assertThat(record).hasContent("3\nnding...\n");
    }

    @ParameterizedTest
    @MethodSource("spawners")
    void reportsWhyTheStartFailed(Spawner spawner) {
        var order =
                new SpawnRequest(
                        List.of("/bin/bash", "-c", ":"), Path.of("/nowhere/log"), Optional.empty());

        assertThatThrownBy(() -> spawner.spawn(order)).isInstanceOf(IOException.class);
    }

    @Test
    void namesTheKernelsReason() {
        var order = new SpawnRequest(List.of("/nowhere/bash"), log(), Optional.empty());

        assertThatThrownBy(() -> PosixSpawner.find().orElseThrow().spawn(order))
                .isInstanceOf(ErrnoException.class)
                .hasMessage("posix_spawn /nowhere/bash: No such file or directory (errno 2)");
    }

    private Path log() {
        return directory.resolve("log");
    }

    private Spawner.Spawned bash(Spawner spawner, String script) throws IOException {
        return spawner.spawn(
                new SpawnRequest(List.of("/bin/bash", "-c", script), log(), Optional.empty()));
    }

    private static void awaitEnd(Spawner.Spawned spawned, Path log, String lastLine)
            throws IOException {
        eventually(
                "the program wrote " + lastLine,
                () -> Files.readString(log).endsWith(lastLine + "\n"));
        if (spawned.isChild()) {
            eventually(
                    "it ended",
                    () ->
                            !(ChildProcess.status(spawned.pid()).orElseThrow()
                                    instanceof ChildProcess.Status.Running));
            assertThat(ChildProcess.reap(spawned.pid()))
                    .contains(new ChildProcess.Status.Exited(0));
        }
    }
}
