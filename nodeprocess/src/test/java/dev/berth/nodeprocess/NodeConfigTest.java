package dev.berth.nodeprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.gpu.GpuSource;
import dev.berth.port.read.Accounts.Account;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
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

    /** Its tasks could read and change what the server keeps, and give the node orders. */
    @Test
    void noTaskRunsAsTheAccountOfTheServer() throws Exception {
        var rules =
                read("server_user = scheduler\n")
                        .withServerUser("ada")
                        .settings("n", directory)
                        .accounts()
                        .orElseThrow();
        assertThat(rules.refusal(account("ada")))
                .contains("no task runs as ada: it is the account of the server");
        assertThat(rules.refusal(account("scheduler"))).isEmpty();
    }

    private static Account account(String name) {
        return new Account(
                name,
                1001,
                1001,
                Path.of("/home", name),
                Path.of("/bin/sh"),
                List.of(1001),
                List.of(name));
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
