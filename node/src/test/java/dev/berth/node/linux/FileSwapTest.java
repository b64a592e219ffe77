package dev.berth.node.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

class FileSwapTest {

    @TempDir Path directory;

    @Test
    void twoFilesChangeNames() throws Exception {
        var one = Files.writeString(directory.resolve("one"), "1");
        var other = Files.writeString(directory.resolve("other, with ü"), "2");

        assertThat(FileSwap.exchange(one, other)).isTrue();

        assertThat(one).hasContent("2");
        assertThat(other).hasContent("1");
    }

    @Test
    void whatIsNotThereIsSaidSoAndTheOtherStays() throws Exception {
        var one = Files.writeString(directory.resolve("one"), "1");

        assertThatThrownBy(() -> FileSwap.exchange(one, directory.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);

        assertThat(one).hasContent("1");
    }

    @Test
    void aRefusalOfTheKernelIsAnError() throws Exception {
        // The kernel's own files can be renamed by nobody.
        assertThatThrownBy(
                        () ->
                                FileSwap.exchange(
                                        Path.of("/proc/self/stat"), Path.of("/proc/self/status")))
                .isInstanceOf(ErrnoException.class);
    }
}
