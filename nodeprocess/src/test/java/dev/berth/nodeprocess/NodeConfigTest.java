package dev.berth.nodeprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.gpu.GpuSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;

class NodeConfigTest {

    @TempDir Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("node.conf"), text);
    }

    private NodeConfig read(String text) throws Exception {
        return NodeConfig.read(file(text), Optional.empty());
    }

    @Test
    void defaultsApplyWithoutAFile() throws Exception {
        var config = NodeConfig.read(directory.resolve("none.conf"), Optional.empty());
        assertThat(config.serverUser()).isEqualTo("berth");
        assertThat(config.gpus()).isEqualTo(new GpuSource.Auto());
        assertThat(config.accounts().minUid()).isEqualTo(1000);
        assertThat(config.settings("n", directory).stopGrace()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void valuesAreRead() throws Exception {
        var config =
                read(
                        """
                        # who
                        min_uid = 2000
                        group = gpu
                        denied = guest, backup
                        server_user = scheduler

                        gpu_probe = none
                        extra_path = /opt/a:/opt/b
                        """);
        assertThat(config.serverUser()).isEqualTo("scheduler");
        assertThat(config.accounts().minUid()).isEqualTo(2000);
        assertThat(config.accounts().group()).contains("gpu");
        assertThat(config.accounts().deniedUsers()).containsExactly("backup", "guest");
        assertThat(config.settings("n", directory).commands().extraPath())
                .containsExactly(Path.of("/opt/a"), Path.of("/opt/b"));
    }

    @ParameterizedTest
    @CsvSource({
        "min_uid = 0, min_uid",
        "min_uid = many, min_uid",
        "nonsense = 1, nonsense",
        "runner = screen, runner",
        "tmux_path = tmux, tmux_path",
        "gpu_probe = amd, gpu_probe",
        "just words, line 1",
    })
    void invalidValuesAreNamed(String line, String named) {
        assertThatThrownBy(() -> read(line + "\n"))
                .isInstanceOf(InvalidNodeConfig.class)
                .hasMessageContaining(named);
    }

    @Test
    void aKeyIsThereOnce() {
        assertThatThrownBy(() -> read("min_uid = 5\nmin_uid = 6\n"))
                .isInstanceOf(InvalidNodeConfig.class)
                .hasMessageContaining("twice");
    }

    @Test
    void aFileThatOthersMayWriteIsRefused() throws IOException {
        var file = file("min_uid = 1\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> NodeConfig.read(file, Optional.empty()))
                .isInstanceOf(InvalidNodeConfig.class)
                .hasMessageContaining("another user could change it");
    }

    @Test
    void aDirectoryThatOthersMayWriteIsRefused() throws IOException {
        var file = file("min_uid = 1\n");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> NodeConfig.read(file, Optional.empty()))
                .isInstanceOf(InvalidNodeConfig.class)
                .hasMessageContaining(directory.toString());
    }
}
