package dev.berth.app.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.app.doctor.DoctorCommand.RunningServer;
import dev.berth.cli.Cli;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliClock;
import dev.berth.node.shim.NativeShim;
import dev.berth.store.BackupFiles;
import dev.berth.store.Database;
import dev.berth.testkit.Script;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

class DoctorCommandTest {

    @TempDir Path directory;

    private Path bin;
    private Optional<RunningServer> server = Optional.empty();

    private record Said(int status, String text) {
        String line(String what) {
            return text.lines()
                    .filter(line -> line.matches("\\w+ +" + what + " .*"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(what + " is not in\n" + text));
        }
    }

    /** A machine that has everything. */
    @BeforeEach
    void installEverything() throws IOException {
        bin = Files.createDirectory(directory.resolve("bin"));
        program("bash", "exit 0");
        program("tmux", "echo tmux 3.3a");
        program(
                "nvidia-smi",
                "case $1 in --query-gpu*) echo '0, GPU-1, NVIDIA H200, 143771, 0, 143156, 0, 36,"
                        + " Disabled';; esac");
        program("python3", "exit 0");
        program("conda", "exit 0");
        configure("port: 0\ngpu_probe: nvidia-smi");
    }

    @Test
    void whereAllIsPresentEveryLineIsWellAndTheExitIsZero() {
        var said = doctor();

        assertThat(said.text()).doesNotContain("wrong").doesNotContain("note");
        assertThat(said.status()).isZero();
        assertThat(said.line("tmux")).contains("tmux 3.3a");
        assertThat(said.line("nvidia-smi")).contains("1 GPU(s) by nvidia-smi: NVIDIA H200");
    }

    @Test
    void eachMissingProgramFailsItsOwnLineWithARemedy() throws IOException {
        for (var name : List.of("bash", "tmux", "nvidia-smi")) {
            var hidden = Files.move(bin.resolve(name), directory.resolve(name));
            var said = doctor();
            assertThat(said.line(name)).startsWith("wrong").contains("on the PATH");
            assertThat(said.text()).contains("→ ");
            assertThat(said.status()).isEqualTo(1);
            Files.move(hidden, bin.resolve(name));
        }
    }

    @Test
    void aGpuReaderThatFailsIsWrongAndItsOutputIsShown() throws IOException {
        program("nvidia-smi", "echo \"couldn't communicate with the driver\"; exit 9");

        assertThat(doctor().line("nvidia-smi"))
                .startsWith("wrong")
                .contains("ended with 9")
                .contains("couldn't communicate with the driver");
    }

    @Test
    void aWrongPathInTheConfigurationIsNamed() throws IOException {
        configure(
                "port: 0\n"
                        + "gpu_probe: nvidia-smi\n"
                        + "tmux_path: /nowhere/tmux\n"
                        + "conda_init_script: /nowhere/conda.sh");

        var said = doctor();

        assertThat(said.line("tmux")).startsWith("wrong").contains("/nowhere/tmux");
        assertThat(said.line("conda")).startsWith("wrong").contains("/nowhere/conda.sh");
        assertThat(said.status()).isEqualTo(1);
    }

    @Test
    void whatIsConfiguredAwayIsNotMissed() throws IOException {
        configure("port: 0\nrunner: detached\ngpu_probe: none");
        Files.delete(bin.resolve("tmux"));
        Files.delete(bin.resolve("nvidia-smi"));

        assertThat(doctor().status()).isZero();
    }

    @Test
    void theShimThatStartsTasksIsNamed() throws IOException {
        configure("port: 0\ngpu_probe: none\nshim: bash");
        assertThat(doctor().line("shim")).startsWith("note").endsWith(" bash (shim: bash)");

        configure("port: 0\ngpu_probe: none\nshim: auto");
        assertThat(doctor().line("shim"))
                .matches(
                        NativeShim.problem()
                                .map(why -> "note +shim +bash, .*" + Pattern.quote(why))
                                .orElse("ok +shim +native"));
    }

    @Test
    void aBrokenConfigurationIsReportedWithItsLine() throws IOException {
        configure("port: 0\nrunner: [");

        assertThat(doctor().line("config")).startsWith("wrong").contains("config/berth.yaml:");
    }

    @Test
    void aTakenPortIsWrong() throws IOException {
        try (var holder = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            configure("port: " + holder.getLocalPort());

            assertThat(doctor().line("port"))
                    .startsWith("wrong")
                    .contains(":" + holder.getLocalPort());
        }
    }

    @Test
    void aDamagedDatabaseIsWrong() throws IOException {
        Files.createDirectories(directory.resolve("home/runtime"));
        Files.writeString(directory.resolve("home/runtime/tasks.db"), "not a database at all");

        assertThat(doctor().line("database")).startsWith("wrong");
    }

    @Test
    void aDeepCheckNamesTheDamagedRowAndTheBackups() throws Exception {
        var file = directory.resolve("home/runtime/tasks.db");
        var backups = new BackupFiles(BackupFiles.directoryOf(directory.resolve("home")));
        Database.open(file);
        backups.make(file, Instant.parse("2031-05-06T12:00:00Z"));

        var sound = doctor("--deep");
        assertThat(sound.line("database")).startsWith("ok").contains("rows match");
        assertThat(sound.line("backups")).contains("1 in").contains("tasks-20310506-120000.db");
        assertThat(sound.status()).isZero();

        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.createStatement().executeUpdate("UPDATE server SET epoch = 17");
        }
        var damaged = doctor("--deep");
        assertThat(damaged.line("database")).startsWith("wrong").contains("table server");
        assertThat(damaged.text()).contains("berth recover --from");
        assertThat(damaged.status()).isEqualTo(1);
    }

    @Test
    void theGpusOfARunningServerNeedNoDriverHere() throws IOException {
        Files.delete(bin.resolve("nvidia-smi"));
        server = Optional.of(new RunningServer("http://x", List.of("B", "A", "B")));

        var said = doctor();

        assertThat(said.line("nvidia-smi"))
                .startsWith("ok")
                .contains("3 GPU(s) by the running server: A; 2 x B");
        assertThat(said.status()).isZero();
        server = Optional.of(new RunningServer("http://x", List.of()));
        assertThat(doctor().line("nvidia-smi")).startsWith("wrong");
    }

    private DoctorCommand.SystemFiles systemFiles(Optional<Path> state) {
        var home = state.orElse(directory.resolve("state"));
        return new DoctorCommand.SystemFiles(
                home, Optional.of(directory.resolve("config.yaml")), home.resolve("node.conf"));
    }

    private Said doctor(String... options) {
        var out = new ByteArrayOutputStream();
        var print = new PrintStream(out, true, StandardCharsets.UTF_8);
        var context =
                new CallContext(
                        InputStream.nullInputStream(),
                        print,
                        print,
                        Map.of("PATH", bin.toString(), "HOME", directory.toString()),
                        directory,
                        false,
                        () -> 0,
                        CliClock.SYSTEM);
        var cli = new Cli(List.of(new DoctorCommand((_, _) -> server, this::systemFiles)));
        var arguments =
                Stream.concat(Stream.of("doctor", "--home", "home"), Stream.of(options))
                        .toArray(String[]::new);
        int status = cli.run(arguments, context);
        return new Said(status, out.toString(StandardCharsets.UTF_8));
    }

    private void program(String name, String script) {
        Script.write(bin.resolve(name), "#!/bin/sh\n" + script + "\n");
    }

    private void configure(String text) throws IOException {
        var file = directory.resolve("home/config/berth.yaml");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }
}
