package dev.berth.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.task.MachineFault.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class MachineFaultsTest {

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "28, DISK_FULL",
        "122, DISK_FULL",
        "13, NOT_WRITABLE",
        "1, NOT_WRITABLE",
        "30, NOT_WRITABLE",
        "5, IO_ERROR",
        "116, IO_ERROR",
        "11, PROCESS_LIMIT",
        "12, OUT_OF_MEMORY",
        "23, OPEN_FILES",
        "24, OPEN_FILES",
        "2, MISSING_FILE",
        "17, OTHER"
    })
    void everyErrorNumberHasItsKind(int errno, Kind kind) {
        assertThat(MachineFaults.kind(errno)).isEqualTo(kind);
    }

    @Test
    void errorsOfTheJdkAreRecognised() throws IOException {
        var full = catchThrowableOfType(IOException.class, MachineFaultsTest::writeToFullDevice);
        assertThat(MachineFaults.of(full).kind()).isEqualTo(Kind.DISK_FULL);
        var readOnly =
                catchThrowableOfType(
                        IOException.class, () -> Files.createDirectory(Path.of("/proc/berth")));
        assertThat(MachineFaults.of(readOnly).kind()).isIn(Kind.MISSING_FILE, Kind.NOT_WRITABLE);
        var missing =
                catchThrowableOfType(
                        IOException.class, () -> Files.createFile(directory.resolve("no/file")));
        assertThat(MachineFaults.of(missing).kind()).isEqualTo(Kind.MISSING_FILE);
    }

    private static void writeToFullDevice() throws IOException {
        Files.write(Path.of("/dev/full"), new byte[] {1});
    }

    @Test
    void anErrorWithoutANumberIsStillTheMachines() {
        var fault = MachineFaults.of(new IOException("no program bash on the PATH"));
        assertThat(fault.kind()).isEqualTo(Kind.OTHER);
        assertThat(fault.detail()).isEqualTo("no program bash on the PATH");
    }
}
