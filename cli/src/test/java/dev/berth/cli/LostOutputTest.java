package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.call.StandardOutput;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code /dev/full} fails every write as a full disk does. */
class LostOutputTest {

    private static final Path FULL = Path.of("/dev/full");

    @TempDir private Path directory;

    @Test
    void aCommandFailsIfItsOutputIsLost() throws IOException {
        try (var file = new FileOutputStream(FULL.toFile())) {
            assertThat(status(new StandardOutput(file, linkTo("a file")), "--help"))
                    .isEqualTo(Cli.EXIT_FAILURE);
        }
    }

    @Test
    void theExitCodeOfAFailedCommandStays() throws IOException {
        try (var file = new FileOutputStream(FULL.toFile())) {
            var output = new StandardOutput(file, linkTo("a file"));
            output.stream().print("lost");
            assertThat(status(output, "--no-such-option")).isEqualTo(Cli.EXIT_USAGE);
        }
    }

    @Test
    void theReasonIsThatOfTheFirstFailedWrite() throws IOException {
        try (var file = new FileOutputStream(FULL.toFile())) {
            var output = new StandardOutput(file, linkTo("a file"));
            output.stream().print("lost");
            assertThat(output.loss()).contains("No space left on device");
        }
    }

    @Test
    void aReaderThatHasReadEnoughIsNoLoss() throws IOException {
        try (var file = new FileOutputStream(FULL.toFile())) {
            assertThat(status(new StandardOutput(file, linkTo("pipe:[17]")), "--help"))
                    .isEqualTo(Cli.EXIT_SUCCESS);
        }
        try (var file = new FileOutputStream(FULL.toFile())) {
            assertThat(status(new StandardOutput(file, linkTo("socket:[17]")), "--help"))
                    .isEqualTo(Cli.EXIT_SUCCESS);
        }
    }

    @Test
    void writtenOutputIsNoLoss() throws IOException {
        Path written = directory.resolve("help");
        try (var file = new FileOutputStream(written.toFile())) {
            assertThat(status(new StandardOutput(file, linkTo(written.toString())), "--help"))
                    .isEqualTo(Cli.EXIT_SUCCESS);
        }
        assertThat(written).content().startsWith("Usage: berth");
    }

    private static int status(StandardOutput output, String argument) {
        return new Cli(List.of()).run(new String[] {argument}, output, () -> 0);
    }

    private Path linkTo(String target) throws IOException {
        Path link = Files.createTempDirectory(directory, "fd").resolve("1");
        return Files.createSymbolicLink(link, Path.of(target));
    }
}
