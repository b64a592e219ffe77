package dev.berth.node.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

class FileExchangeTest {

    @TempDir Path directory;

    @Test
    void twoFilesChangeNames() throws Exception {
        var one = Files.writeString(directory.resolve("one"), "1");
        var other = Files.writeString(directory.resolve("other, with ü"), "2");

        assertThat(FileExchange.exchange(one, other)).isTrue();

        assertThat(one).hasContent("2");
        assertThat(other).hasContent("1");
    }

    @Test
    void aMissingFileIsReportedAndTheOtherStays() throws Exception {
        var one = Files.writeString(directory.resolve("one"), "1");

        assertThatThrownBy(() -> FileExchange.exchange(one, directory.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);

        assertThat(one).hasContent("1");
    }

    @Test
    void aFailedSystemCallIsAnException() throws Exception {
        // Files in /proc cannot be renamed.
        assertThatThrownBy(
                        () ->
                                FileExchange.exchange(
                                        Path.of("/proc/self/stat"), Path.of("/proc/self/status")))
                .isInstanceOf(ErrnoException.class);
    }
}
