package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.StandardOutput;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.SampleTaskJson;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What {@code berth cancel --wait} prints when a signal ends it. */
class CancelInterruptTest {

    private static final String CANCEL = "POST /api/tasks/7/cancel";
    private static final String WAIT = "GET /api/tasks/7/wait?seconds=30";

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Runs the command in a process of its own. */
    static final class CliProcess {
        public static void main(String[] arguments) {
            System.exit(
                    new Cli(List.of())
                            .run(
                                    arguments,
                                    CallContext.ofProcess(StandardOutput.ofProcess(), () -> 0)));
        }
    }

    @Test
    void nothingIsPromisedBeforeTheTasksAreCancelled() throws Exception {
        assertThat(errorsAfterSignalDuring(CANCEL)).doesNotContain("cancelled");
    }

    @Test
    void theTasksStayCancelledWithoutAWaiter() throws Exception {
        fixture.server().on(CANCEL, SampleTaskJson.detail(7).running(0).toString());
        assertThat(errorsAfterSignalDuring(WAIT))
                .isEqualTo("berth: the tasks are cancelled; the server ends their processes\n");
    }

    private String errorsAfterSignalDuring(String request) throws Exception {
        CompletableFuture<Process> started = new CompletableFuture<>();
        StubServer server = fixture.server();
        server.on(
                request,
                server.after(
                        () -> {
                            Process client = started.join();
                            client.toHandle().destroy();
                            client.onExit().join();
                        },
                        server.closeWithoutReply()));
        Process process = start("cancel", "7", "--wait");
        started.complete(process);
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(server.requestLines()).contains(request);
        return errors;
    }

    private Process start(String... words) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CliProcess.class.getName());
        builder.command().addAll(List.of(words));
        builder.environment().putAll(fixture.env());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder.directory(fixture.cwd().toFile()).start();
    }
}
