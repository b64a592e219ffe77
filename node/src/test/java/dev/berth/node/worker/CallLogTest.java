package dev.berth.node.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.shim.AttemptDirectory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

final class CallLogTest {

    private final AttemptDirectory directory;

    CallLogTest(@TempDir Path tasks) {
        directory = AttemptDirectory.of(tasks, new AttemptId(new TaskId(7), 1));
    }

    @Test
    void afterAFullDiskTheLogSaysWhatIsMissingAndGoesOn() throws IOException {
        directory.create();
        // Every write to this device fails as on a full disk.
        Files.createSymbolicLink(directory.log(), Path.of("/dev/full"));
        try (var log = new CallLog(directory, OptionalInt::empty, 1000)) {
            log.add("one");
            log.add("two");
            Files.delete(directory.log());
            log.add("three");
            log.add("four");
        }
        assertThat(directory.log())
                .hasContent(
                        "\nberth: 2 lines were not written: No space left on device\n"
                                + "three\nfour\n");
    }

    @Test
    void aLogIsCapped() throws IOException {
        try (var log = new CallLog(directory, OptionalInt::empty, 10)) {
            log.add("12345");
            log.add("12345");
            log.add("1");
        }
        assertThat(directory.log()).hasContent("12345\nberth: the log is full\n");
    }

    @Test
    void aLogWithoutALineIsNotCreated() {
        new CallLog(directory, OptionalInt::empty, 10).close();
        assertThat(directory.path()).doesNotExist();
    }
}
