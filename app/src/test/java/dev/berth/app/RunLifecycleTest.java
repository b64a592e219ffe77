package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.testkit.Eventually;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Command files from the shell, with the packaged program. */
class RunLifecycleTest {

    private static final Duration SOON = Duration.ofMinutes(3);

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
    void aFileIsRunWithAServerOfItsOwn() throws IOException, InterruptedException {
        var file = home.resolve("command_gpu.txt");
        Files.writeString(file, "1\necho one >> out\n1\n\n1\necho two >> out\n1\n");
        var ended = berth("run", file.toString());
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(ended.output())
                .contains("run 1 started: ", "run 1 finished", "2 of 2 completed");
        assertThat(berth("ls").output()).contains("No Berth server at");
        assertThat(home.resolve("logs/compete_gpu.log")).isNotEmptyFile();
    }

    @Test
    void aHomeOfTheCompetitionSchedulerRunsAsItIsAndSurvivesHangUp()
            throws IOException, InterruptedException {
        Files.writeString(home.resolve("config.yaml"), "check_time: 1\ngpu_left: 0\n");
        Files.writeString(home.resolve("command.txt"), "1\npwd > " + home + "/where\nsleep 2\n1\n");
        var detached = berth("run", "--detach");
        assertThat(detached.status()).as(detached.output()).isZero();
        assertThat(detached.output()).startsWith("run 1 started in the background\n");
        Eventually.present(
                SOON,
                "the run is shown as ended",
                () -> {
                    try (var logs = Files.list(home.resolve("logs"))) {
                        return logs.filter(log -> log.getFileName().toString().startsWith("run-"))
                                .map(RunLifecycleTest::read)
                                .filter(text -> text.contains("1 of 1 completed"))
                                .findFirst();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThat(home.resolve("logs/compete_gpu.log")).content().contains("run 1 finished");
        assertThat(Files.readString(home.resolve("where")).strip())
                .isEqualTo(home.toRealPath().getParent().toString());
    }

    @Test
    void aFileThatIsNoneOfTheHomesRunsWhereItsCallerIs() throws IOException, InterruptedException {
        var file = Files.writeString(home.resolve("mine.txt"), "1\npwd > " + home + "/where\n1\n");
        var ended = berth("run", file.toString());
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(Files.readString(home.resolve("where")).strip())
                .isEqualTo(home.toRealPath().toString());
    }

    @Test
    void aRunThatIsStoppedFails() throws IOException, InterruptedException {
        berth("start", "--port", "0");
        var file = Files.writeString(home.resolve("a.txt"), "1\nsleep 600\n1\n");
        assertThat(berth("run", "--detach", file.toString()).status()).isZero();
        assertThat(berth("runs").output()).contains("Run 1  running");
        assertThat(berth("runs", "stop", "1").status()).isZero();
        Eventually.present(
                SOON,
                "the run has stopped",
                () -> {
                    try {
                        var all = berth("runs", "--all").output();
                        return Optional.of(all).filter(text -> text.contains("Run 1  stopped"));
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
        assertThat(berth("health").output()).contains("server");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Ended berth(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("berth.root"), "berth").toString());
        command.addAll(List.of(words));
        var output = Files.createTempFile("berth-run", ".out");
        var builder =
                new ProcessBuilder(command)
                        .directory(home.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().put("BERTH_HOME", home.toString());
        builder.environment().put("BERTH_RUNNER", "detached");
        builder.environment().put("BERTH_GPU_PROBE", "sim");
        builder.environment().put("BERTH_DIST", System.getProperty("berth.dist"));
        var process = builder.start();
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("ends: %s", command).isTrue();
        var text = Files.readString(output, StandardCharsets.UTF_8);
        Files.delete(output);
        return new Ended(process.exitValue(), text);
    }
}
