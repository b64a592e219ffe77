package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

class RotatingLogFileTest {

    @TempDir Path logs;

    private List<Path> files() throws IOException {
        try (var all = Files.list(logs)) {
            return all.toList();
        }
    }

    @Test
    void theNewestKeepsItsNameAndTheOldestAreDeleted() throws IOException {
        try (var log = new RotatingLogFile(logs.resolve("run.log"), 10, 3)) {
            for (int line = 0; line < 40; line++) {
                log.append("line " + line);
                assertThat(files().size()).isBetween(1, 3);
            }
        }
        assertThat(logs.resolve("run.log")).content().isEqualTo("line 39\n");
        assertThat(logs.resolve("run.log.1")).content().isEqualTo("line 38\n");
        assertThat(logs.resolve("run.log.2")).content().isEqualTo("line 37\n");
        assertThat(files()).hasSize(3);
    }

    @Test
    void concurrentWritersLoseAndSplitNoLine() throws Exception {
        int writers = 8;
        int lines = 500;
        long mostBytes = 2_000;
        // Enough files for all lines, so that every line must still be there.
        int kept = 200;
        try (var log = new RotatingLogFile(logs.resolve("run.log"), mostBytes, kept);
                var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var done = new ArrayList<Future<?>>();
            for (int writer = 0; writer < writers; writer++) {
                int one = writer;
                done.add(
                        pool.submit(
                                () -> {
                                    for (int line = 0; line < lines; line++) {
                                        log.append("writer " + one + " line " + line);
                                    }
                                    return null;
                                }));
            }
            for (var each : done) {
                each.get();
            }
        }
        var found = new ArrayList<String>();
        for (var file : files()) {
            assertThat(Files.size(file)).isLessThanOrEqualTo(mostBytes);
            found.addAll(Files.readAllLines(file));
        }
        assertThat(files().size()).isBetween(30, kept);
        assertThat(found).hasSize(writers * lines);
        assertThat(new HashSet<>(found))
                .containsAll(
                        IntStream.range(0, writers * lines)
                                .mapToObj(n -> "writer " + n / lines + " line " + n % lines)
                                .toList());
    }

    @Test
    void appendsToAnExistingFile() throws IOException {
        var file = logs.resolve("run.log");
        for (int round = 0; round < 2; round++) {
            try (var log = new RotatingLogFile(file, 12, 3)) {
                log.append("line " + round);
            }
        }
        assertThat(logs.resolve("run.log.1")).content().isEqualTo("line 0\n");
        assertThat(file).content().isEqualTo("line 1\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void anOverlongLineGetsItsOwnFile() throws IOException {
        try (var log = new RotatingLogFile(logs.resolve("run.log"), 10, 3)) {
            log.append("short");
            log.append("x".repeat(100));
            log.append("short again");
        }
        assertThat(logs.resolve("run.log.1")).content().isEqualTo("x".repeat(100) + "\n");
        assertThat(logs.resolve("run.log")).content().isEqualTo("short again\n");
    }

    @Test
    void withOneFileItStartsOver() throws IOException {
        try (var log = new RotatingLogFile(logs.resolve("run.log"), 10, 1)) {
            for (int line = 0; line < 5; line++) {
                log.append("line " + line);
            }
        }
        assertThat(files()).containsExactly(logs.resolve("run.log"));
        assertThat(logs.resolve("run.log")).content().isEqualTo("line 4\n");
    }

    @Test
    void aLineIsWrittenEvenIfRotationFails() throws IOException {
        // A non-empty directory blocks the name of the rotated file.
        Files.createDirectories(logs.resolve("run.log.1/in-the-way"));
        try (var log = new RotatingLogFile(logs.resolve("run.log"), 10, 2)) {
            log.append("line 0");
            assertThatThrownBy(() -> log.append("line 1")).isInstanceOf(IOException.class);
        }
        assertThat(logs.resolve("run.log")).content().isEqualTo("line 0\nline 1\n");
    }

    @Test
    void limitsMustBePositive() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RotatingLogFile(logs.resolve("a"), 10, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RotatingLogFile(logs.resolve("a"), 0, 1));
    }
}
