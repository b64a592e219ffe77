package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

class FailureTextTest {

    @Test
    void aFailureOfAFileHasAReason() {
        assertThat(FailureText.of(new AccessDeniedException("/a")))
                .isEqualTo("/a: permission denied");
        assertThat(FailureText.of(new NoSuchFileException("/a")))
                .isEqualTo("/a: no such file or directory");
    }

    @Test
    void aReasonOfTheSystemStays() {
        assertThat(FailureText.of(new FileSystemException("/a", null, "Read-only file system")))
                .isEqualTo("/a: Read-only file system");
        assertThat(FailureText.of(new IOException("broken\u001b[2J"))).doesNotContain("\u001b");
    }
}
