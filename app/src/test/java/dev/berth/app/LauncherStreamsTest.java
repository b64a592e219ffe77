package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The launcher with a JVM that reports its standard streams. */
final class LauncherStreamsTest {

    @TempDir private Path program;

    @BeforeEach
    void install() throws IOException {
        var root = Path.of(System.getProperty("berth.root", ".."));
        Files.copy(root.resolve("ops/package/berth"), program.resolve("berth"));
        Files.createDirectories(program.resolve("lib"));
        Files.createFile(program.resolve("lib/berth.jar"));
        Files.createDirectories(program.resolve("runtime/bin"));
        var java = program.resolve("runtime/bin/java");
        Files.writeString(
                java,
                """
                #!/bin/bash
                streams=
                for number in 0 1 2; do
                    streams+=$(readlink "/proc/$$/fd/$number")$'\\n'
                done
                printf %s "$streams" >"${0%/runtime/*}/streams"
                """);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void aClosedStandardStreamIsOpenedBeforeTheJvmTakesItsNumber() throws Exception {
        assertThat(streamsOf("ls <&- >&- 2>&-"))
                .containsExactly("/dev/null", "/dev/null", "/dev/null");
        assertThat(streamsOf("ls <&-")).startsWith("/dev/null").doesNotHaveDuplicates();
    }

    @Test
    void openStandardStreamsStay() throws Exception {
        Files.writeString(program.resolve("in"), "");
        assertThat(streamsOf("ls <in >out 2>err"))
                .containsExactly(
                        program.resolve("in").toString(),
                        program.resolve("out").toString(),
                        program.resolve("err").toString());
    }

    private List<String> streamsOf(String call) throws Exception {
        var shell =
                new ProcessBuilder("bash", "-c", "bash ./berth " + call)
                        .directory(program.toFile())
                        .start();
        assertThat(shell.waitFor(3, TimeUnit.MINUTES)).isTrue();
        return Files.readAllLines(program.resolve("streams"));
    }
}
