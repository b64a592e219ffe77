package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A shim on a file system of 256 KiB, which is visible only in the test's own mount namespace. */
@ParameterizedClass
@EnumSource
class ShimOnFullDiskTest {
    @Parameter ShimKind kind;
    @TempDir Path root;
    private Path aside;

    @BeforeEach
    void mayMount() throws Exception {
        assumeTrue(bash("unshare -Urm true") == 0, "namespaces may be made here");
        aside = Files.createDirectory(root.resolve("aside"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"48<>exit_code.pending", ""})
    void theExitRecordIsWrittenOnAFullDisk(String opened) throws Exception {
        run("head -c 1M /dev/zero >filler 2>/dev/null; echo lost; exit 7", opened);

        assertThat(ExitRecord.read(new AttemptDirectory(aside))).isEqualTo(new ExitRecord.Code(7));
        if (kind != ShimKind.BASH) {
            assertThat(aside.resolve("exit_code")).as("a rename needs no room").hasContent("7\n");
            return;
        }
        assertThat(aside.resolve("rc")).hasContent("7\n");
        assertThat(aside.resolve("exit_code")).as("no room for it").isEmptyFile();
        ExitRecord.publish(new AttemptDirectory(aside));
        assertThat(aside.resolve("exit_code")).content().startsWith("7 ");
    }

    @Test
    void outputContinuesWhenSpaceIsFreeAgain() throws Exception {
        run(
                "echo before; head -c 1M /dev/zero >filler 2>/dev/null; rm filler; echo later",
                "48<>exit_code.pending");

        assertThat(aside.resolve("exit_code")).hasContent("0\n");
        assertThat(aside.resolve("tmux.log"))
                .content()
                .contains("before\nlater\n===== Command Script Exit =====\n");
    }

    /** Copies the attempt to the small disk, runs it there, and copies the result back. */
    private void run(String command, String opened) throws Exception {
        AttemptDirectory directory;
        Path program;
        try (var shims = new ShimFixture(root, kind)) {
            directory = shims.prepare(shims.order("cd \"${LOG_FILE%/*}\"; " + command));
            program = shims.programFile();
        }
        var script =
                """
                cp -a %1$s/. %2$s && mount -t tmpfs -o size=256k tmpfs %1$s && cp -a %2$s/. %1$s && cd %1$s || exit 1
                %4$s -p %1$s/run.sh </dev/null >>tmux.log 2>&1 %3$s
                echo $? >%2$s/rc
                cp -a exit_code* tmux.log %2$s
                """
                        .formatted(directory.path(), aside, opened, program);
        assertThat(bash("unshare -Urm bash -c " + ShimScript.quoted(script))).isZero();
    }

    private static int bash(String script) throws IOException, InterruptedException {
        return new ProcessBuilder("bash", "-c", script).inheritIO().start().waitFor();
    }
}
