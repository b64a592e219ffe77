package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The launcher as users call it: start and stop in the background, submit in between. */
class LifecycleTest {

    @TempDir Path home;

    private record Ended(int status, String output) {}

    @BeforeEach
    void needsThePackagedProgram() {
        assumeTrue(System.getProperty("berth.dist") != null, "the build packages the program");
    }

    @AfterEach
    void stop() throws IOException, InterruptedException {
        berth("stop");
    }

    @Test
    void aServerIsStartedInTheBackgroundAndStoppedWithoutItsTasks()
            throws IOException, InterruptedException {
        assertThat(start().output()).startsWith("ready http://127.0.0.1:");
        assertThat(start().output()).contains("already runs with pid");
        var id = berth("submit", "--", "echo began; sleep 3; echo ended").output().strip();
        assertThat(id).isEqualTo("1");
        var health = berth("health");
        assertThat(health.status()).isZero();
        assertThat(health.output().lines())
                .anyMatch(line -> line.matches("scheduler +ok .*"))
                .anyMatch(line -> line.matches("queue +ok .*"));

        assertThat(berth("stop").output()).contains("running tasks continue");
        assertThat(berth("stop").status()).isEqualTo(1);
        assertThat(berth("stop").output()).contains("is not running");
        assertThat(berth("ls").output()).contains("No Berth server at").contains("berth start");

        assertThat(start().status()).isZero();
        assertThat(berth("wait", "1")).isEqualTo(new Ended(0, "1 completed\n"));
        assertThat(berth("logs", "1").output()).contains("began\n").contains("ended\n");
    }

    @Test
    void aHomeThatCannotBeCreatedIsRefusedWithAReason() throws IOException, InterruptedException {
        var file = Files.createFile(home.resolve("file"));
        for (var command : List.of("start", "serve")) {
            var refused = berth(command, "--home", file.resolve("home").toString());
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.output())
                    .startsWith("berth: The home " + file.resolve("home") + " cannot be used: ")
                    .contains("ot a directory")
                    .hasLineCount(1);
        }
    }

    @Test
    void aHomeOfANewerVersionIsRefusedAndStaysAsItIs() throws Exception {
        assertThat(start().status()).isZero();
        assertThat(berth("submit", "--wait", "--", "true").status()).isZero();
        assertThat(berth("stop").status()).isZero();
        changeSchemaVersion(1);

        var refused = start();
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output())
                .contains("A newer Berth has used this home: start that one. Nothing was changed.");

        changeSchemaVersion(-1);
        assertThat(start().status()).isZero();
        assertThat(berth("ls", "--all").output()).contains("completed");
    }

    private void changeSchemaVersion(int difference) throws SQLException {
        var file = home.resolve("runtime/tasks.db");
        try (var database = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = database.createStatement()) {
            int version = statement.executeQuery("PRAGMA user_version").getInt(1);
            statement.execute("PRAGMA user_version = " + (version + difference));
        }
    }

    @Test
    void aMisspelledKeyIsShownAtTheStart() throws IOException, InterruptedException {
        Files.createDirectories(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), "chek_time: 7\n");

        assertThat(start().output())
                .startsWith(
                        "berth: config/berth.yaml:1: there is no key chek_time. Did you mean"
                                + " check_time?\nready http://127.0.0.1:");
    }

    @Test
    void aRunThatFindsNoServerHasOneForAsLongAsItTakes() throws IOException, InterruptedException {
        var missing = berth("run", home.resolve("none.txt").toString());
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.output()).contains("there is no file").doesNotContain("server");

        var file = Files.writeString(home.resolve("bad.txt"), "no block of it can be run\n");
        var refused = berth("run", file.toString());
        assertThat(refused.status()).as(refused.output()).isEqualTo(1);
        assertThat(refused.output())
                .contains(
                        "no server was running; one was started for this run: ready"
                                + " http://127.0.0.1:");
        assertThat(berth("ls").output()).contains("No Berth server at");

        var detached = berth("run", "--detach", file.toString());
        assertThat(detached.status()).isEqualTo(1);
        assertThat(detached.output())
                .contains("it did not start; its output:", "no server was running");
        assertThat(berth("ls").output()).contains("No Berth server at");
        assertThat(berth("logs", "--server", "-n", "1000").output())
                .containsPattern("INFO ServerInstance  starting version=\\S+ home=" + home);
    }

    @Test
    void aServerThatCannotStartShowsWhy() throws IOException, InterruptedException {
        var wrong = berth("start", "--gpus", "two", "--port", "0");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.output())
                .contains("--gpus takes auto, none, nvml, nvidia-smi or sim:COUNTxMIB[:NAME]");
        assertThat(berth("start", "--port", "70000").output())
                .contains("--port: port is a whole number from 0 to 65535, not \"70000\"");
        assertThat(berth("start", "--auth", "open").output())
                .contains("auth is one of token, none");
        assertThat(berth("start", "--host", "0.0.0.0").output()).contains("without TLS");
    }

    private Ended start() throws IOException, InterruptedException {
        return berth("start", "--gpus", "sim:1x1024", "--port", "0");
    }

    private Ended berth(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("berth.root"), "berth").toString());
        command.addAll(List.of(words));
        var output = Files.createTempFile("berth-lifecycle", ".out");
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("BERTH_HOME", home.toString());
        builder.environment().put("BERTH_RUNNER", "detached");
        builder.environment().put("BERTH_DIST", System.getProperty("berth.dist"));
        var process = builder.start();
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("ends: %s", command).isTrue();
        var text = Files.readString(output, StandardCharsets.UTF_8);
        Files.delete(output);
        return new Ended(process.exitValue(), text);
    }
}
