package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** A server uses only directories and programs that no other user can change. */
@ExtendWith(ServerHarnessExtension.class)
final class HomePermissionsTest {

    private static final int STRANGER = 54_321;

    @Test
    void aHomeThatOthersCouldReadBecomesPrivateAndGoesOn(ServerHarness harness) throws IOException {
        var api = harness.start();
        long id = api.submit(TaskBuilder.cpu("true"));
        api.awaitEnd(id);
        harness.server().stop();
        mode(harness.home(), "rwxr-xr-x");

        assertThat(harness.start().status(id)).isEqualTo("completed");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(harness.home())))
                .isEqualTo("rwx------");
    }

    @Test
    void aHomeThatOthersMayWriteIsRefused(ServerHarness harness) throws IOException {
        mode(harness.home(), "rwxrwxrwx");
        assertRefused(harness, harness.home(), "mode 0777", "chmod go-w '" + harness.home() + "'");
        assertThat(list(harness.home())).isEmpty();
    }

    @Test
    void aHomeBelowADirectoryThatOthersMayWriteIsRefused(ServerHarness harness) throws IOException {
        var above = harness.home().getParent();
        mode(above, "rwxrwxrwx");
        try {
            assertRefused(harness, harness.home(), above + " belongs to", "mode 0777");
        } finally {
            mode(above, "rwx------");
        }
    }

    @Test
    void aHomeOfAnotherUserIsRefused(ServerHarness harness) throws IOException {
        assumeTrue(isRoot(), "only root can give files away");
        Files.setAttribute(harness.home(), "unix:uid", STRANGER);
        assertRefused(
                harness, harness.home(), "belongs to 54321", "chown root '" + harness.home() + "'");
        assertThat(list(harness.home())).isEmpty();
    }

    @Test
    void aDirectoryInUseForSomethingElseIsNotMadePrivate(ServerHarness harness) throws IOException {
        mode(harness.home(), "rwxr-xr-x");
        Files.createFile(harness.home().resolve("thesis.tex"));
        assertRefused(harness, harness.home(), "not Berth's");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(harness.home())))
                .isEqualTo("rwxr-xr-x");
    }

    @Test
    void aRuntimeDirectoryElsewhereIsExaminedToo(ServerHarness harness) throws IOException {
        var runtime = Files.createDirectory(harness.file("runtime"));
        mode(runtime, "rwxrwxrwx");
        harness.configure("runtime_dir: " + runtime + "\n");
        assertRefused(harness, runtime, "mode 0777");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "conda_init_script: %s",
                "tls_cert: %1$s\ntls_key: /etc/passwd",
                "tls_key: %1$s\ntls_cert: /etc/passwd",
                "tmux_path: %s",
                "nvidia_smi_path: %s",
                "nvml_path: %s",
                "gpu_test_command: bash '%s' --fast",
                "extra_path: [%s]"
            })
    void aConfiguredProgramThatOthersMayChangeIsRefused(String line) throws IOException {
        try (var harness = new ServerHarness()) {
            var program = Files.createFile(harness.file("program"));
            mode(program, "rwxrwxrwx");
            harness.configure(line.formatted(program) + "\n");
            assertRefused(
                    harness,
                    program,
                    line.substring(0, line.indexOf(':')) + ": ",
                    "chmod go-w '" + program + "'");
        }
    }

    private static void assertRefused(ServerHarness harness, Path path, String... texts) {
        var server = harness.launch();
        assertThat(server.awaitEnd()).isNotZero();
        assertThat(server.stdout()).isEmpty();
        assertThat(server.stderr()).contains(path.toString()).contains(texts);
    }

    private static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    private static List<Path> list(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
}
